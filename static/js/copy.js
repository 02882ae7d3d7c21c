// Copies what a field holds, where the browser lets a page do that; without it, the field is selected by Tab.

for (const button of document.querySelectorAll("[data-copies]")) {
  if (!navigator.clipboard) continue;
  const field = document.getElementById(button.dataset.copies);
  const said = button.parentElement.querySelector("[role=status]");
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      said.textContent = "Copied.";
    } catch {
      field.select();
      said.textContent = "The browser does not let it be copied: it is selected, copy it by hand.";
    }
  });
}
