// The page of a whole document: its marking is kept on the server as one goes, then sent.

import { startMarking } from "./entities/app.js";

const PATIENCE = 30_000; // ms for an answer to be stored
const SIGNED_OUT = "You are signed out. Sign in in another window, then try again here: nothing is lost.";
const NO_LINE = "Not sent: the server cannot be reached. What you did is kept; try again in a moment.";

const form = document.querySelector("[data-entities-form]");
const data = JSON.parse(document.getElementById("document-data").textContent);

form.addEventListener("submit", (event) => event.preventDefault());
startMarking(form.querySelector("[data-marking]"), {
  data,
  pages: { address: form.dataset.pages, token: "" },
  save: (body, options) => post(form.dataset.draft, body, options),
  send,
});

async function post(address, body, options = {}) {
  const response = await fetch(address, {
    method: "POST",
    headers: { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": token() },
    body: JSON.stringify(body),
    ...options,
  });
  if (response.redirected) return { status: 403, body: { detail: SIGNED_OUT } };
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
  return { status: response.status, body: isJson ? await response.json() : null };
}

// Signing in anew makes a new token, in the cookie.
function token() {
  const cookie = /(?:^|;\s*)csrftoken=([^;]+)/.exec(document.cookie);
  return cookie ? cookie[1] : form.elements.csrfmiddlewaretoken.value;
}

async function send(answer, forget) {
  try {
    const { status, body } = await post(window.location.href, { answer }, { signal: AbortSignal.timeout(PATIENCE) });
    if (status === 200 && body) {
      forget();
      window.location.assign(body.next);
      return "";
    }
    if (status >= 500) return NO_LINE;
    return `Not sent: ${body?.detail ?? "the page is too old. Reload it: what you did is kept."}`;
  } catch {
    return NO_LINE;
  }
}
