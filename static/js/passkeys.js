// Shows the buttons of passkeys where these can do something, and says on the page that one was not given; the scripts
// before this one would say it on the console.

const note = document.getElementById("passkey-refused");
const asked = JSON.parse(document.getElementById("js_data")?.textContent ?? "{}");
const options = asked.request_options?.publicKey; // of an account, or none

if (window.PublicKeyCredential && (!options || options.allowCredentials?.length)) {
  for (const button of document.querySelectorAll("[data-passkey]")) button.hidden = false;
}

document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  note.hidden = false;
});
document.addEventListener("click", (event) => {
  if (event.target.closest("button")) note.hidden = true;
}, { capture: true });
