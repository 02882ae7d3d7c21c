// Keeps what is filled in on a form of steps as a draft on the server, while it is answered.

import { Autosave } from "./autosave.js";

const OWN = ["token", "csrfmiddlewaretoken"]; // of the page, not of who fills it in

// What is filled in, by the names of the fields.
export function fieldsOf(form) {
  const fields = {};
  for (const [name, value] of new FormData(form)) {
    if (!OWN.includes(name)) (fields[name] ??= []).push(value);
  }
  return fields;
}

// Whether something was filled in since the page was written: a slow line brings scripts later than a hand is.
function isFilledIn(form) {
  return [...form.elements].some((field) =>
    ["checkbox", "radio"].includes(field.type)
      ? field.checked !== field.defaultChecked
      : field.type !== "hidden" && "defaultValue" in field && field.value !== field.defaultValue,
  );
}

// `number`, `read` and `post` are those of `Autosave`. Returns that, and `say(words, isBad)`, which shows how it
// stands.
export function keepDraft(form, { number, read, post }) {
  const saved = form.querySelector("[data-saved]");
  const news = form.querySelector(".controls > [data-news]");

  function say(words, isBad) {
    if (isBad || saved.classList.contains("bad")) news.textContent = words; // aloud only what is out of the ordinary
    saved.textContent = words;
    saved.classList.toggle("bad", isBad);
  }

  const autosave = new Autosave({ number, read, post, say });
  form.addEventListener("change", () => autosave.touch(0));
  form.addEventListener("input", ({ target }) => {
    if (target.matches("textarea, input:not([type=checkbox], [type=radio])")) autosave.touch();
  });
  form.addEventListener("click", ({ target }) => {
    if (target.closest("[data-forward], [data-back]")) autosave.touch(0);
  });
  if (isFilledIn(form)) autosave.touch(0);
  return { autosave, say };
}
