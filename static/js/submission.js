// Keeps the page of a submission, or of a check, up to date while it moves. Without this the reader reloads the page.

import { dismissGood } from "./messages.js";

const PAUSE = 3000; // milliseconds between two looks
const LONGEST = 30000; // between two looks at a site that does not answer

let pause = PAUSE;

async function look() {
  const live = document.getElementById("live");
  if (!live?.dataset.poll) return; // nothing more will happen by itself
  try {
    if (!isInUse(live)) {
      const now = await news(live.dataset.poll);
      if (now.version !== live.dataset.version) await refresh(live);
      else showWork(now.work);
    }
    pause = PAUSE;
  } catch {
    pause = Math.min(2 * pause, LONGEST);
  }
  window.setTimeout(look, pause);
}

async function news(address) {
  const response = await fetch(address, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}

// The sign of life of what the service is doing.
function showWork(words) {
  const work = document.getElementById("work");
  if (work && words !== undefined) work.textContent = words;
}

// Somebody at a button or in an open confirmation is not interrupted.
function isInUse(live) {
  return document.hidden || live.querySelector("details[open]") !== null || live.contains(document.activeElement);
}

async function refresh(live) {
  const response = await fetch(window.location.href);
  if (!response.ok) throw new Error(String(response.status));
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.getElementById("live");
  const before = live.querySelector("h2").textContent;
  live.replaceWith(fresh);
  const heading = fresh.querySelector("h2").textContent;
  if (heading === before) return;
  document.getElementById("news").textContent = heading;
  dismissGood();
}

window.setTimeout(look, PAUSE);
