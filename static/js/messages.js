// Lets a reader dismiss what a page said of the last act, and a page take it back when it no longer holds.

for (const button of document.querySelectorAll("[data-dismiss-message]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    dismiss(button.closest("[data-message]"));
    document.getElementById("content").focus({ preventScroll: true });
  });
}

// Good news of an act is old news once the page shows what came of it; what went wrong stays until it is dismissed.
export function dismissGood() {
  document.querySelectorAll("[data-message].good").forEach(dismiss);
}

function dismiss(message) {
  const all = message.parentElement;
  message.remove();
  if (!all.children.length) all.remove();
}
