// The page of a whole document: its marking is kept on the server as one goes, then sent.

import { post } from "./annotators.js";
import { startMarking } from "./entities/app.js";

const PATIENCE = 30_000; // ms for an answer to be stored
const NO_LINE = "Not sent: the server cannot be reached. What you did is kept; try again in a moment.";

const form = document.querySelector("[data-entities-form]");
const data = JSON.parse(document.getElementById("document-data").textContent);

form.addEventListener("submit", (event) => event.preventDefault());
startMarking(form.querySelector("[data-marking]"), {
  data,
  pages: { address: form.dataset.pages, token: "" },
  save: (body, options) => post(form, form.dataset.draft, body, options),
  send,
});

async function send(answer, forget) {
  try {
    const { status, body } = await post(form, window.location.href, { answer }, { signal: AbortSignal.timeout(PATIENCE) });
    if (status === 200 && body) {
      forget();
      window.location.assign(body.next);
      return "";
    }
    if (status >= 500) return NO_LINE;
    return `Not sent: ${body?.detail ?? "the page is too old. Reload it: what you did is kept."}`;
  } catch {
    return NO_LINE;
  }
}
