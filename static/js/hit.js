// A HIT's page: its steps, kept on the server while they are answered, then sent to the provider.

import { Autosave } from "./autosave.js";
import { startLinks } from "./links.js";
import { Steps } from "./steps.js";

const PATIENCE = 30_000; // ms for an answer to be stored

const form = document.querySelector("[data-questions]");
const provider = document.querySelector("[data-provider]");
const saved = form.querySelector("[data-saved]");
const news = form.querySelector(".controls > [data-news]");
const token = form.elements.token.value;
const start = JSON.parse(document.getElementById("state").textContent);
const isPreview = "preview" in form.dataset;

const seconds = stopwatch();
const steps = new Steps(form, { first: start.step, send, onShow: seconds.turnTo, isPreview });
startLinks(form, { address: form.dataset.pages, token });

const autosave = new Autosave({ address: form.dataset.draft, token, number: start.number, read, say });
if (!isPreview) {
  form.addEventListener("change", () => autosave.touch());
  form.addEventListener("input", ({ target }) => {
    if (target.matches("textarea, input:not([type=checkbox], [type=radio])")) autosave.touch({ isTyping: true });
  });
  form.addEventListener("click", ({ target }) => {
    if (target.closest("[data-forward], [data-back]")) autosave.touch();
  });
}
window.addEventListener("pageshow", () => steps.busy(false));

function read() {
  seconds.write();
  const fields = {};
  for (const [name, value] of new FormData(form)) {
    if (name !== "token") (fields[name] ??= []).push(value);
  }
  return { step: steps.current, fields };
}

function say(words, isBad) {
  if (isBad || saved.classList.contains("bad")) news.textContent = words; // aloud only what is out of the ordinary
  saved.textContent = words;
  saved.classList.toggle("bad", isBad);
}

async function send() {
  seconds.write();
  let body;
  try {
    const response = await fetch(window.location.href, {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams(new FormData(form)),
      signal: AbortSignal.timeout(PATIENCE),
    });
    body = await response.json();
    if (!response.ok) {
      steps.busy(false);
      steps.complain(body.detail, body.field);
      return;
    }
  } catch {
    steps.busy(false);
    steps.complain("Not sent: no connection. What you answered is still here; press Send again in a moment.");
    return;
  }
  autosave.stop();
  say("Stored; sending…", false);
  if (body.next) {
    window.location.assign(body.next);
    return;
  }
  provider.action = body.action;
  for (const [name, value] of Object.entries(body.fields)) {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name, value });
    provider.append(field);
  }
  provider.submit();
}

// How long each step was in front of the worker: while the page is visible, and no longer.
function stopwatch() {
  let name = null;
  let since = null;
  const spent = {};
  const now = () => performance.now() / 1000;
  const pause = () => {
    if (since !== null) spent[name] = (spent[name] ?? Number(form.elements[`seconds-${name}`]?.value || 0)) + now() - since;
    since = null;
  };
  const resume = () => {
    since = name === null || document.hidden ? null : now();
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? pause() : resume()));
  return {
    turnTo(next) {
      pause();
      name = next;
      resume();
    },
    write() {
      pause();
      resume();
      for (const [step, value] of Object.entries(spent)) {
        const field = form.elements[`seconds-${step}`];
        if (field) field.value = value.toFixed(1);
      }
    },
  };
}
