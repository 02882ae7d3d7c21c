// What a form of judgements has beside its steps: texts to be improved, words to be highlighted, undo.

import { startUndo } from "./undo.js";

// Load what a form needs; returns what starts it, once its steps are there. No key is taken before.
export async function loadJudging(form) {
  const edits = form.querySelector("[data-edit]") && (await import("./edits.js"));
  const evidence = form.querySelector("[data-evidence]") && (await import("./evidence.js"));
  return (steps) => {
    edits?.startEdits(form);
    evidence?.startEvidence(form);
    startUndo(form, steps);
    steps.show(steps.current); // what has just started may have more to say of the step that is shown
  };
}
