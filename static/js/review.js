// Work that waits, by keyboard: from piece to piece, ticked or not, opened, and on to the button.

import { pressedKey } from "./pressed.js";

const form = document.querySelector("[data-review]");
if (form) {
  const pieces = [...form.querySelectorAll("[data-piece]")];
  const hint = document.querySelector("[data-keys]");
  if (hint) hint.hidden = false;

  const at = () => pieces.findIndex((piece) => piece.contains(document.activeElement));
  const go = (index) => {
    const piece = pieces[Math.max(0, Math.min(index, pieces.length - 1))];
    piece.focus({ preventScroll: true });
    piece.scrollIntoView({ block: "start" });
  };
  const acts = {
    j: () => go(at() + 1),
    k: () => go(at() - 1),
    x: () => pieces[at()]?.querySelector("input[type=checkbox]").click(),
    o: () => pieces[at()]?.querySelector("[data-open]").click(),
    a: () => form.querySelector("[data-approve]").focus(),
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("textarea, select, input:not([type=checkbox])");
    const key = pressedKey(event);
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !(key in acts)) return;
    event.preventDefault();
    acts[key]();
  });
}
