// A HIT's page of questions: its steps, kept on the server while they are answered, then sent to the provider.

import { fieldsOf, keepDraft } from "./drafts.js";
import { handOver, PATIENCE, post, Stopwatch } from "./hits.js";
import { Steps } from "./steps.js";

const form = document.querySelector("[data-questions]");
const provider = document.querySelector("[data-provider]");
const token = form.elements.token.value;
const start = JSON.parse(document.getElementById("state").textContent);

const isJudging = form.querySelector("[data-edit], [data-evidence]") !== null;
const startJudging = isJudging ? await (await import("./judging.js")).loadJudging(form) : null;
const links = form.querySelector("[data-link]") && (await import("./links.js"));
const clocks = [...form.elements].filter(({ name }) => name.startsWith("seconds-"));
const step = ({ name }) => name.slice("seconds-".length);
const seconds = new Stopwatch(Object.fromEntries(clocks.map((field) => [step(field), Number(field.value)])));
const steps = new Steps(form, { first: start.step, send, onShow: (name) => seconds.turnTo(name) });
startJudging?.(steps);
links?.startLinks(form, { address: form.dataset.pages, token });

const { autosave, say } = keepDraft(form, {
  number: start.number,
  read,
  post: (body, options) => post(form.dataset.draft, token, body, options),
});
window.addEventListener("pageshow", () => steps.busy(false));

function read() {
  writeSeconds();
  return { step: steps.current, fields: fieldsOf(form) };
}

function writeSeconds() {
  const spent = seconds.read();
  for (const field of clocks) field.value = spent[step(field)] ? spent[step(field)].toFixed(1) : "";
}

async function send() {
  writeSeconds();
  let body;
  try {
    const response = await fetch(window.location.href, {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams(new FormData(form)),
      signal: AbortSignal.timeout(PATIENCE),
    });
    body = await response.json();
    if (!response.ok) {
      steps.busy(false);
      steps.complain(body.detail, body.field);
      return;
    }
  } catch {
    steps.busy(false);
    steps.complain("Not sent: no connection. What you answered is still here; press Send again in a moment.");
    return;
  }
  autosave.stop();
  say("Stored; sending…", false);
  handOver(provider, body);
}
