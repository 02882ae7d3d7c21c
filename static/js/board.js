// Replaces the leaderboard where it stands, when a link or a form in it asks for another view of it.

const status = document.createElement("p");
status.className = "visually-hidden";
status.setAttribute("role", "status");
document.body.append(status);
let asked = 0;
let shown = location.search;

function current() {
  return document.getElementById("board");
}

// Whether an address is this page's own, asked for another view of the leaderboard.
function isView(url) {
  return url.origin === location.origin && url.pathname === location.pathname && url.hash === "#board";
}

async function show(url, { push, focus }) {
  const turn = ++asked;
  const board = current();
  board.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(url, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const next = page.getElementById("board");
    if (turn !== asked) return;
    if (!response.ok || !next) throw new Error("no leaderboard");
    for (const one of board.querySelectorAll("details[open][id]")) {
      next.querySelector(`#${CSS.escape(one.id)}`)?.setAttribute("open", "");
    }
    board.replaceWith(next);
    shown = url.search;
    if (push) history.pushState({ board: true }, "", url);
    const kept = focus ? document.getElementById(focus) : null;
    (kept ?? next).focus({ preventScroll: true });
    status.textContent = document.getElementById("found")?.textContent.trim() ?? "";
  } catch {
    if (turn === asked) location.assign(url);
  }
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("#board a[href]") : null;
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const url = new URL(link.href);
  if (!isView(url)) return;
  event.preventDefault();
  show(url, { push: true, focus: link.id });
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !form.closest("#board") || form.method !== "get") return;
  const url = new URL(form.action);
  const given = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (typeof value === "string" && value !== "") given.append(name, value);
  }
  const columns = [...form.querySelectorAll("input[name='show']")];
  if (columns.every((one) => one.checked)) given.delete("show");
  url.search = given.toString();
  url.hash = "#board";
  event.preventDefault();
  show(url, { push: true, focus: document.activeElement?.id });
});

addEventListener("popstate", () => {
  if (current() && location.search !== shown) show(new URL(location.href), { push: false, focus: "" });
});
