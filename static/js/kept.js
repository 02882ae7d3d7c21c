// Keeps what is filled in on a form in this tab of the browser, until it is sent: a reload brings it back.

const isTicked = ({ type }) => type === "radio" || type === "checkbox";
const isFilledIn = ({ name, type }) => /^q[0-9]/.test(name) && type !== "submit";

// What was kept under a name is filled in again; returns the step that was shown.
export function bringBack(form, name) {
  try {
    const kept = JSON.parse(window.sessionStorage.getItem(name));
    if (!kept) return 0;
    for (const field of [...form.elements].filter(isFilledIn)) {
      const values = kept.fields[field.name] ?? [];
      if (isTicked(field)) field.checked = values.includes(field.value);
      else if (values.length) [field.value] = values;
    }
    return kept.step;
  } catch {
    return 0; // a browser that keeps nothing
  }
}

export function keep(form, name, step) {
  const fields = {};
  for (const field of [...form.elements].filter(isFilledIn)) {
    if (!isTicked(field) || field.checked) (fields[field.name] ??= []).push(field.value);
  }
  try {
    window.sessionStorage.setItem(name, JSON.stringify({ step, fields }));
  } catch {
    // a browser that keeps nothing, or is full
  }
}

export function forget(name) {
  try {
    window.sessionStorage.removeItem(name);
  } catch {
    // a browser that keeps nothing
  }
}
