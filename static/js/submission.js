// Keeps a submission's page up to date while it moves. Without this the reader reloads the page.

const PAUSE = 3000; // milliseconds between two looks
const LONGEST = 30000; // between two looks at a site that does not answer

let seen = null;
let pause = PAUSE;

async function look() {
  const live = document.getElementById("live");
  if (!live?.dataset.poll) return; // nothing more will happen by itself
  try {
    const news = await read(live.dataset.poll);
    if (seen !== null && news !== seen && !isInUse(live)) await refresh(live);
    if (seen === null || !isInUse(live)) seen = news;
    pause = PAUSE;
  } catch {
    pause = Math.min(2 * pause, LONGEST);
  }
  window.setTimeout(look, pause);
}

async function read(address) {
  const response = await fetch(address, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(String(response.status));
  return response.text();
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
  if (heading !== before) document.getElementById("news").textContent = heading;
}

window.setTimeout(look, PAUSE);
