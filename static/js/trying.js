// An example document that anybody may mark: nothing is kept, and what was marked goes as a form.

import { startMarking } from "./entities/app.js";

const form = document.querySelector("[data-trial]");
const data = JSON.parse(document.getElementById("document-data").textContent);

startMarking(form.querySelector("[data-marking]"), {
  data,
  save: ({ number }) => Promise.resolve({ status: 200, body: { saved: true, number } }), // nowhere
  send: (answer) => {
    form.elements.answer.value = JSON.stringify(answer);
    form.submit();
    return Promise.resolve("");
  },
});
