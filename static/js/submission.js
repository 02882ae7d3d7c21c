// Keeps a submission's page up to date while it moves. Without this the reader reloads the page.

const PAUSE = 3000; // milliseconds between two looks
const LONGEST = 30000; // between two looks at a site that does not answer

let pause = PAUSE;

async function look() {
  const live = document.getElementById("live");
  if (!live?.dataset.poll) return; // nothing more will happen by itself
  try {
    if (!isInUse(live) && (await version(live.dataset.poll)) !== live.dataset.version) await refresh(live);
    pause = PAUSE;
  } catch {
    pause = Math.min(2 * pause, LONGEST);
  }
  window.setTimeout(look, pause);
}

async function version(address) {
  const response = await fetch(address, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(String(response.status));
  return (await response.json()).version;
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
