// What a form of judgements has beside its steps: texts to be improved, words to be highlighted, undo.

import { startUndo } from "./undo.js";

export async function startJudging(form, steps) {
  startUndo(form, steps);
  if (form.querySelector("[data-edit]")) (await import("./edits.js")).startEdits(form);
  if (form.querySelector("[data-evidence]")) (await import("./evidence.js")).startEvidence(form);
  steps.show(steps.current); // what has just started may have more to say of the step that is shown
}
