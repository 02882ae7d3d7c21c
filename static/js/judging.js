// What a form of judgements has beside its steps: texts to be improved, words to be highlighted, undo.

import { startEdits } from "./edits.js";
import { startEvidence } from "./evidence.js";
import { startUndo } from "./undo.js";

export function startJudging(form, steps) {
  startEdits(form);
  startEvidence(form);
  startUndo(form, steps);
  steps.show(steps.current); // what has just started may have more to say of the step that is shown
}
