// An annotator's page of questions: one at a time, by keyboard. Without this script it is a plain form.

import { Steps } from "./steps.js";

const form = document.querySelector("[data-questions]");
const isJudging = form.querySelector("[data-edit], [data-evidence]") !== null;
const startJudging = isJudging ? await (await import("./judging.js")).loadJudging(form) : null;
const steps = new Steps(form);
startJudging?.(steps);

// A page brought back by the browser's own "back" may be sent again: the server knows the same answer.
window.addEventListener("pageshow", () => steps.busy(false));
