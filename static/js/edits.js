// Texts to be improved: how much was changed, what became of the words, and the way back.

import { changes, countChanged } from "./changes.js";

const REST = 300; // ms after a keystroke
const isTouch = () => window.matchMedia("(hover: none) and (pointer: coarse)").matches;

export function startEdits(form) {
  for (const place of form.querySelectorAll("[data-edit]")) startEdit(form, place);
}

function startEdit(form, place) {
  const step = place.closest("[data-step]");
  const field = place.querySelector("textarea");
  const reset = place.querySelector("[data-reset]");
  const changed = place.querySelector("[data-changed]");
  const shown = place.querySelector("[data-diff]");
  const { original } = field.dataset;
  let timer = 0;
  place.querySelector("[data-tools]").hidden = false;

  const isSame = () => words(field.value) === words(original);
  step.lacks = () => {
    if (field.value.trim() === "") return "The text is empty: improve it instead of taking it away.";
    return isSame() ? step.dataset.missing : "";
  };
  step.enter = () => {
    if (!isTouch()) field.focus({ preventScroll: true });
  };
  // What is not asked for is not sent.
  step.leave = () => {
    field.value = original;
    show();
  };

  function show() {
    window.clearTimeout(timer);
    const number = countChanged(original, field.value);
    reset.disabled = number === 0;
    changed.textContent = number === 0 ? "Nothing changed yet" : `${number} character${number === 1 ? "" : "s"} changed`;
    shown.hidden = isSame();
    shown.replaceChildren(...changes(original, field.value).flatMap(element));
  }

  field.addEventListener("input", () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(show, REST);
  });
  form.addEventListener("restored", show);
  reset.addEventListener("click", () => {
    field.value = original;
    field.dispatchEvent(new Event("change", { bubbles: true }));
    show();
    field.focus();
  });
  show();
}

function words(text) {
  return text.trim().split(/\s+/).join(" ");
}

function element({ kind, words: said }) {
  if (kind === "kept") return [`${said} `];
  const made = document.createElement(kind === "added" ? "ins" : "del");
  const spoken = document.createElement("span");
  spoken.className = "visually-hidden";
  spoken.lang = "en";
  spoken.textContent = `${kind}: `;
  made.append(spoken, said);
  return [made, " "];
}
