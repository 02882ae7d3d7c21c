// Sends the file with its progress, and keeps the chosen file where the form is refused.
// Without this the form is sent as usual, and a refused one asks for the file again.

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-upload]");
  if (!form) return;
  event.preventDefault();
  send(form);
});

function send(form) {
  const button = form.querySelector("button[type=submit]");
  const bar = document.createElement("progress");
  const words = document.createElement("p");
  bar.max = 1;
  bar.setAttribute("aria-label", "Upload");
  words.setAttribute("role", "status");
  words.textContent = "Sending the file.";
  button.disabled = true;
  button.after(bar, words);

  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  request.setRequestHeader("Accept", "application/json");
  request.upload.addEventListener("progress", (sent) => {
    if (sent.lengthComputable) bar.value = sent.loaded / sent.total;
  });
  request.addEventListener("load", () => {
    if (request.status === 201) window.location.assign(request.getResponseHeader("Location"));
    else refuse();
  });
  request.addEventListener("error", () => stop("The connection broke. Nothing was handed in; send it again."));
  request.send(new FormData(form));

  function stop(message) {
    button.disabled = false;
    bar.remove();
    words.className = "error";
    words.textContent = message;
  }

  function refuse() {
    const page = new DOMParser().parseFromString(request.responseText, "text/html");
    const fresh = page.querySelector("form[data-upload]");
    if (!fresh) {
      stop("The site could not take the file. Nothing was handed in; try again in a few minutes.");
      return;
    }
    const chosen = form.querySelector("input[type=file]");
    const empty = fresh.querySelector("input[type=file]");
    if (empty.getAttribute("aria-invalid") !== "true") empty.replaceWith(chosen);
    page.querySelector("[data-choose-again]")?.remove();
    document.querySelector("main").replaceWith(page.querySelector("main"));
    const first = document.querySelector("[role=alert]");
    first.tabIndex = -1;
    first.focus();
  }
}
