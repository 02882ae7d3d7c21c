// An annotator's page of questions: one at a time, by keyboard. Without this script it is a plain form.

import { Steps } from "./steps.js";

const form = document.querySelector("[data-questions]");
const judging = form.querySelector("[data-edit], [data-evidence]") && (await import("./judging.js"));
const steps = new Steps(form);
await judging?.startJudging(form, steps);

// A page brought back by the browser's own "back" may be sent again: the server knows the same answer.
window.addEventListener("pageshow", () => steps.busy(false));
