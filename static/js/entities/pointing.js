// Selecting words with a mouse, a pen or a finger. A tap chooses a word, or the mention that it is in; a drag
// selects words. A finger that moves up or down scrolls, as it does everywhere.

export function startPointing(root, text, { choose, select, done, cancel }) {
  let start = null; // the word on which it began
  let last = null;
  let pointer = null;
  let moved = false;
  let down = null; // the event

  root.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary || event.button !== 0) return;
    const number = text.numberOf(event.target);
    if (number === null) return;
    if (event.pointerType === "mouse") event.preventDefault(); // no selection of the browser's own
    root.focus({ preventScroll: true });
    [start, last, pointer, moved, down] = [number, number, event.pointerId, false, event];
    if (event.shiftKey) {
      moved = true;
      select(null, number);
    }
  });

  root.addEventListener("pointermove", (event) => {
    if (start === null || event.pointerId !== pointer) return;
    const isAcross = Math.abs(event.clientX - down.clientX) > Math.abs(event.clientY - down.clientY);
    if (event.pointerType === "touch" && !moved && !isAcross) return; // it will scroll, more likely than not
    const number = text.at(event.clientX, event.clientY);
    if (number === null || number === last) return;
    last = number;
    moved = true;
    select(start, number);
  });

  root.addEventListener("pointerup", (event) => {
    if (start === null || event.pointerId !== pointer) return;
    const number = start;
    start = null;
    if (!moved) choose(number);
    else done();
  });

  root.addEventListener("dblclick", (event) => {
    const number = text.numberOf(event.target);
    if (number !== null) {
      select(number, number);
      done();
    }
  });

  // The browser has begun to scroll.
  root.addEventListener("pointercancel", () => {
    if (start !== null && moved) cancel();
    start = null;
  });
}
