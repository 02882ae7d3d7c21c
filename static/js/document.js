// On a document's page: pointing at a relation lights up its mentions, and pointing at a mention its relations.
// Without this the links between them do the same, one step at a time. Beside the longer of text and list the other
// one stays in view, which only works with a script: a browser does not find what has been moved out of its place.

const place = document.querySelector("[data-document]");
const marked = index("mark[data-mentions]");
const listed = index("li[data-mentions]");

// For the name of each mention, the elements that are about it.
function index(selector) {
  const found = new Map();
  for (const element of place.querySelectorAll(selector)) {
    for (const name of names(element)) {
      if (!found.has(name)) found.set(name, []);
      found.get(name).push(element);
    }
  }
  return found;
}

function names(element) {
  return element.dataset.mentions.split(" ").filter(Boolean);
}

let lit = [];
let focused = null;

function light(element) {
  for (const one of lit) one.classList.remove("lit");
  lit = [];
  if (!element) return;
  const own = names(element);
  lit = [element, ...own.flatMap((name) => [...(marked.get(name) ?? []), ...(listed.get(name) ?? [])])];
  // An item of the list stands for itself: what shares a mention with it is not meant.
  if (element.matches("li")) lit = lit.filter((one) => one === element || one.matches("mark"));
  for (const one of lit) one.classList.add("lit");
}

// What has the focus stays lit when the pointer goes.
function show(pointed) {
  light(pointed ?? focused);
}

const about = (target) => (target instanceof Element ? target.closest("[data-mentions]") : null);
place.addEventListener("pointerover", ({ target }) => show(about(target)));
place.addEventListener("pointerleave", () => show(null));
place.addEventListener("focusin", ({ target }) => {
  focused = about(target);
  show(null);
});
place.addEventListener("focusout", () => {
  focused = null;
  show(null);
});

place.classList.add("stays");

// Lets the reader see what a link on this page leads to, and leaves the page where it is if they see it already.
function reveal(target) {
  place.classList.remove("stays");
  const isLong = target.getBoundingClientRect().height > window.innerHeight;
  target.scrollIntoView({ block: isLong ? "start" : "center" });
  place.classList.add("stays");
}

function isSeen(target) {
  const { top, bottom } = target.getBoundingClientRect();
  return top >= 0 && bottom <= window.innerHeight;
}

// The anchor of a mention is empty, and its mark follows.
function findTarget(hash) {
  const target = document.getElementById(decodeURIComponent(hash.slice(1)));
  if (!target || !place.contains(target)) return null;
  return target.matches("a.anchor") ? (target.closest("mark") ?? target.nextElementSibling ?? target) : target;
}

place.addEventListener("click", ({ target }) => {
  const link = target instanceof Element ? target.closest('a[href^="#"]') : null;
  const shown = link && findTarget(link.hash);
  if (!shown) return;
  const [x, y] = [window.scrollX, window.scrollY];
  const wasSeen = isSeen(shown);
  // The browser has gone there by then, and has not drawn the page yet.
  requestAnimationFrame(() => {
    if (wasSeen) window.scrollTo(x, y);
    else reveal(shown);
  });
});

const first = location.hash.length > 1 && findTarget(location.hash);
if (first) reveal(first);
