// A HIT's page of a whole document: its marking is kept on the server as one goes, then sent to the provider.

import { startMarking } from "./entities/app.js";
import { handOver, PATIENCE, post, Stopwatch } from "./hits.js";

const NO_LINE = "Not sent: no connection. What you did is kept; send it again in a moment.";

const form = document.querySelector("[data-entities-form]");
const provider = document.querySelector("[data-provider]");
const token = form.elements.token.value;
const { comment } = form.elements;
const data = JSON.parse(document.getElementById("document-data").textContent);
const seconds = new Stopwatch(data.seconds);

form.addEventListener("submit", (event) => event.preventDefault());
const marking = startMarking(form.querySelector("[data-marking]"), {
  data,
  pages: { address: form.dataset.pages, token },
  save: (body, options) => post(form.dataset.draft, token, body, options),
  send,
  more,
  onStep: (step) => seconds.turnTo(step),
});
if (marking.kept) comment.value = marking.kept.comment ?? comment.value;
comment.addEventListener("input", () => marking.touch());

// What is kept and sent beside the marking.
function more() {
  return { comment: comment.value, seconds: seconds.read() };
}

async function send(answer, forget) {
  try {
    const options = { signal: AbortSignal.timeout(PATIENCE) };
    const { status, body } = await post(window.location.href, token, { answer, ...more() }, options);
    if (status !== 200) return status >= 500 ? NO_LINE : `Not sent: ${body.detail}`;
    forget();
    handOver(provider, body);
    return "";
  } catch {
    return NO_LINE;
  }
}
