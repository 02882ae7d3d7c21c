// A tutorial's pages: a practice question by keyboard, and Enter for whatever comes next.

import { bringBack, forget, keep } from "./kept.js";
import { sendForm } from "./sending.js";
import { Steps } from "./steps.js";

const form = document.querySelector("[data-questions]");
if (form) {
  const name = `practice ${form.elements.practice.value} ${window.location.href}`;
  const first = form.querySelector("[role=alert]:not([data-problem])") ? 0 : bringBack(form, name);
  const isJudging = form.querySelector("[data-edit], [data-evidence]") !== null;
  const startJudging = isJudging ? await (await import("./judging.js")).loadJudging(form) : null;
  const steps = new Steps(form, { first, send: () => sendForm(form, steps, () => forget(name)) });
  startJudging?.(steps);
  for (const kind of ["change", "input"]) form.addEventListener(kind, () => keep(form, name, steps.current));
  window.addEventListener("pageshow", () => steps.busy(false));
} else {
  document.querySelector("[data-next]")?.focus({ preventScroll: true });
}
