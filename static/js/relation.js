// An annotator's page of questions: one at a time, by keyboard, kept on the server where the page says so. Without
// this script it is a plain form.

import { sendForm } from "./sending.js";
import { Steps } from "./steps.js";

const form = document.querySelector("[data-questions]");
const state = document.getElementById("state");
const start = state ? JSON.parse(state.textContent) : { step: 0 };

const isJudging = form.querySelector("[data-edit], [data-evidence]") !== null;
const startJudging = isJudging ? await (await import("./judging.js")).loadJudging(form) : null;
const drafts = state && (await import("./drafts.js"));
const annotators = state && (await import("./annotators.js"));
const steps = new Steps(form, { first: start.step, send: () => sendForm(form, steps, () => autosave?.stop()) });
startJudging?.(steps);

const autosave = drafts?.keepDraft(form, {
  number: start.number,
  read: () => ({ draft: { step: steps.current, fields: drafts.fieldsOf(form) } }),
  post: (body, options) => annotators.post(form, form.dataset.draft, body, options),
}).autosave;

// A page brought back by the browser's own "back" may be sent again: the server knows the same answer.
window.addEventListener("pageshow", () => steps.busy(false));
