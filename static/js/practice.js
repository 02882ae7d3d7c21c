// A tutorial's pages: a practice question by keyboard, and Enter for whatever comes next.

import { Steps } from "./steps.js";

const form = document.querySelector("[data-questions]");
if (form) {
  const isJudging = form.querySelector("[data-edit], [data-evidence]") !== null;
  const startJudging = isJudging ? await (await import("./judging.js")).loadJudging(form) : null;
  const steps = new Steps(form);
  startJudging?.(steps);
  window.addEventListener("pageshow", () => steps.busy(false));
} else {
  document.querySelector("[data-next]")?.focus({ preventScroll: true });
}
