// On a document's page: pointing at a relation lights up its mentions, and pointing at a mention its relations.
// Without this the links between them do the same, one step at a time.

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
