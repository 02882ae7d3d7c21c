// Says on the page that a passkey was not given; the scripts before this one would say it on the console.

const note = document.getElementById("passkey-refused");

document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  note.hidden = false;
});
document.addEventListener("click", (event) => {
  if (event.target.closest("button")) note.hidden = true;
}, { capture: true });
