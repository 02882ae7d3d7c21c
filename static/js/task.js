// Shows how much time a task has left, and goes on when its answer is in. Without this the worker goes on by hand.

import { clock } from "./amounts.js";

const SHORT = 60; // seconds: the timer is marked, and said aloud once
const KEY = "work-straight-on";

const timer = document.querySelector("[data-timer]");
const frame = document.querySelector("[data-frame]");
const next = document.querySelector("[data-next]");
const straight = document.querySelector("[data-straight]");
const news = document.querySelector("[data-news]");

// The time left was true when the page came; a clock that is wrong still tells how long ago that was.
const ends = Date.now() + 1000 * Number(timer.dataset.seconds);
let warned = false;
let leaving = false;

function tick() {
  const left = Math.max(0, Math.ceil((ends - Date.now()) / 1000));
  timer.textContent = clock(left);
  timer.hidden = false;
  timer.classList.toggle("short", left <= SHORT);
  if (left <= SHORT && left > 0 && !warned) {
    warned = true;
    news.textContent = `${left} seconds left`;
  }
  if (left > 0) window.setTimeout(tick, 1000);
  else news.textContent = "The time is up.";
}

// The frame loads a page when it is opened, and another when its form was sent.
async function look() {
  if (leaving) return;
  const response = await fetch(next.dataset.state, { headers: { Accept: "application/json" } });
  if (!response.ok) return;
  const { state } = await response.json();
  if (state === "accepted") return;
  leaving = true;
  if (straight.checked && state === "submitted") next.submit();
  else window.location.assign(next.dataset.after);
}

straight.closest("label").hidden = false;
try {
  straight.checked = window.localStorage.getItem(KEY) === "yes";
  straight.addEventListener("change", () => window.localStorage.setItem(KEY, straight.checked ? "yes" : "no"));
} catch {
  // a browser that keeps nothing: the box is ticked anew for each task
}
frame.addEventListener("load", () => look().catch(() => {}));
tick();
