// A tutorial's pages: a practice question by keyboard, and Enter for whatever comes next.

import { Steps } from "./steps.js";

const form = document.querySelector("[data-questions]");
if (form) {
  const judging = form.querySelector("[data-edit], [data-evidence]") && (await import("./judging.js"));
  const steps = new Steps(form);
  await judging?.startJudging(form, steps);
  window.addEventListener("pageshow", () => steps.busy(false));
} else {
  document.querySelector("[data-next]")?.focus({ preventScroll: true });
}
