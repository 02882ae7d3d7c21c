// Sends the chosen file in pieces as soon as it is chosen, and goes on after a break: of the line, of the
// page, of the day. Without this the file goes with the form, in one piece.

import { amount, span } from "./amounts.js";

const FIRST_PAUSE = 1000; // milliseconds before a broken piece is tried again; twice as long each time
const LONGEST_PAUSE = 30000;
const TUS = { "Tus-Resumable": "1.0.0" };

const form = document.querySelector("form[data-upload]");

class Broken extends Error {} // the line: it is tried again
class Gone extends Error {} // the upload: the file is sent from its start
class Refused extends Error {} // the file: trying again is no use

let isWanted = false; // the form was sent before its files were here
let sameBytes = []; // what the person's teams have of the file that is here, in any corpus
const senders = [...(form?.querySelectorAll("[data-drop]") ?? [])].map((field, place) => makeSender(field, place === 0));

if (form) {
  form.addEventListener("submit", hold);
  window.addEventListener("online", () => senders.forEach((sender) => sender.wake()));
  // A file dropped beside a field would take the reader away from the page.
  for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());
  const corpus = form.querySelector("select[name=corpus]");
  corpus?.addEventListener("change", showFitting);
  corpus?.addEventListener("change", () => showSame(sameBytes));
  showFitting();
}

// A further file is asked for where systems of the chosen corpus may have one.
function showFitting() {
  const chosen = form.querySelector("select[name=corpus]")?.value;
  for (const field of form.querySelectorAll("[data-drop][data-corpora]")) {
    field.hidden = !field.dataset.corpora.split(" ").includes(chosen);
    field.querySelectorAll("input").forEach((input) => (input.disabled = field.hidden));
  }
}

// The form waits for its files.
function hold(event) {
  const waiting = senders.filter((sender) => sender.isUnderWay());
  if (!waiting.length) return;
  event.preventDefault();
  isWanted = true;
  const button = form.querySelector("button.primary");
  button.disabled = true;
  button.dataset.words ??= button.textContent;
  button.textContent = "Waiting for the file";
  waiting.forEach((sender) => sender.goOnIfPaused());
}

function sendFormIfWanted() {
  if (isWanted && !senders.some((sender) => sender.isUnderWay()) && !isAskedBack()) form.requestSubmit();
}

function ready() {
  const button = form.querySelector("button.primary");
  button.disabled = false;
  if (button.dataset.words) button.textContent = button.dataset.words;
}

function sameNote() {
  return form.querySelector("[data-same]");
}

// Bytes are the same only within a corpus: what other corpora have of them comes up when one of these is chosen.
function showSame(submissions) {
  const note = sameNote();
  if (!note) return;
  const corpus = form.elements.corpus;
  const tag = JSON.parse(note.dataset.tags)[corpus.value];
  const here = submissions.filter((one) => one.corpus === tag);
  sameBytes = submissions;
  note.hidden = !here.length;
  note.querySelector("[data-same-list]").replaceChildren(
    ...here.map((one) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = one.url;
      link.textContent = one.name;
      const date = new Date(one.at).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
      item.append("as ", link, ` on ${date}`);
      return item;
    }),
  );
}

function isAskedBack() {
  const note = sameNote();
  if (!note || note.hidden || note.querySelector("input").checked) return false;
  isWanted = false;
  ready();
  note.querySelector("input").focus();
  return true;
}

function complain(status, body, isBegun) {
  if (status === 404 || status === 410 || status === 460) throw new Gone();
  if (status === 401 || status === 403) {
    throw new Refused("You are signed out. Sign in, come back and choose the same file: it goes on where it stopped.");
  }
  if (status === 409 && isBegun) throw new Broken(); // ask how far it is, and go on from there
  if (status === 423 || status === 429 || (status >= 500 && status !== 507)) throw new Broken(); // 507: its disk is full
  let detail = "";
  try {
    detail = JSON.parse(body).detail;
  } catch {
    detail = "The site does not take this file.";
  }
  throw new Refused(detail);
}

function base64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function token() {
  return form.querySelector("[name=csrfmiddlewaretoken]").value;
}

// What sends the file of one field. Of the form's first, it is said whether the same bytes were submitted before.
function makeSender(field, isFirst) {
  const find = (name) => field.querySelector(`[data-${name}]`);
  const input = field.querySelector("input[type=file]");
  let file = null; // the one that is being sent
  let address = ""; // where to
  let request = null; // the piece on its way
  let isPaused = false;
  let wake = null; // ends a pause between two tries
  let turn = 0; // grows with each chosen file: what is under way for an earlier one stops

  input.addEventListener("change", () => choose(input.files[0]));
  find("pause").addEventListener("click", () => (isPaused ? goOn() : pause()));
  find("stop").addEventListener("click", throwAway);
  makeDroppable();
  if (find("upload-id").value) lockInput();
  // some browsers keep a choice over a reload
  if (input.files[0]) queueMicrotask(() => choose(input.files[0]));

  // The form leaves the file out: it names the upload instead.
  function lockInput() {
    input.removeAttribute("name");
    input.required = false;
  }

  async function choose(chosen) {
    if (!chosen) return;
    turn += 1;
    request?.abort();
    file = chosen;
    address = known(chosen);
    isPaused = false;
    find("upload-id").value = "";
    find("here")?.remove();
    if (isFirst) showSame([]);
    field.querySelectorAll(".errors").forEach((list) => list.remove());
    lockInput();
    find("sending").hidden = false;
    find("pause").hidden = false;
    find("pause").textContent = "Pause";
    find("stop").hidden = false;
    find("words").className = "";
    await send(turn);
  }

  // An upload that was begun before is known by the file's name, size and date.
  function known(chosen) {
    for (const item of form.querySelectorAll("[data-unfinished] li")) {
      const { id, name, size, modified } = item.dataset;
      if (name === chosen.name && Number(size) === chosen.size && modified === String(chosen.lastModified)) {
        item.hidden = true;
        return `${field.dataset.api}${id}/`;
      }
    }
    return "";
  }

  async function send(mine) {
    let wait = FIRST_PAUSE;
    for (;;) {
      try {
        if (!address) address = await announce();
        let offset = await ask();
        const start = { at: performance.now(), offset };
        while (offset < file.size) {
          if (mine !== turn) return;
          if (isPaused) {
            say(`Paused: ${amount(offset)} are here.`);
            return;
          }
          offset = await sendPiece(offset, start);
          wait = FIRST_PAUSE;
        }
        if (mine === turn) await arrive();
        return;
      } catch (error) {
        if (mine !== turn || isPaused) return;
        if (error instanceof Refused) return refuse(error.message);
        if (error instanceof Gone) {
          address = "";
          continue;
        }
        say(`The connection is broken; what was sent is kept. Trying again in ${wait / 1000} s.`, "error");
        await rest(wait);
        if (mine !== turn || isPaused) return;
        wait = Math.min(2 * wait, LONGEST_PAUSE);
      }
    }
  }

  async function announce() {
    const metadata = `filename ${base64(file.name)},lastmodified ${base64(String(file.lastModified))}`;
    const headers = { "Upload-Length": String(file.size), "Upload-Metadata": metadata };
    return (await call("POST", field.dataset.api, headers)).headers.get("Location");
  }

  async function ask() {
    const offset = Number((await call("HEAD", address)).headers.get("Upload-Offset"));
    show(offset);
    return offset;
  }

  async function call(method, where, headers = {}) {
    let response;
    try {
      response = await fetch(where, { method, headers: { ...TUS, "X-CSRFToken": token(), ...headers } });
    } catch {
      throw new Broken();
    }
    if (!response.ok) complain(response.status, method === "HEAD" ? "" : await response.text(), address);
    return response;
  }

  // A request that tells how far it is, which fetch does not.
  function sendPiece(offset, start) {
    const piece = file.slice(offset, offset + Number(field.dataset.piece));
    return new Promise((resolve, reject) => {
      request = new XMLHttpRequest();
      request.open("PATCH", address);
      const headers = { ...TUS, "X-CSRFToken": token(), "Upload-Offset": offset };
      headers["Content-Type"] = "application/offset+octet-stream";
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.upload.addEventListener("progress", (sent) => show(offset + sent.loaded, start));
      request.addEventListener("load", () => {
        try {
          if (request.status !== 204) complain(request.status, request.responseText, address);
          resolve(Number(request.getResponseHeader("Upload-Offset")));
        } catch (error) {
          reject(error);
        }
      });
      for (const end of ["error", "abort", "timeout"]) request.addEventListener(end, () => reject(new Broken()));
      request.send(piece);
    });
  }

  async function arrive() {
    const upload = await (await call("GET", address)).json();
    find("upload-id").value = upload.id;
    find("pause").hidden = true;
    say(`${file.name} is here, all ${amount(file.size)} of it.`);
    if (isFirst) showSame(upload.same_bytes);
    sendFormIfWanted();
  }

  function pause() {
    isPaused = true;
    request?.abort();
    wake?.();
    find("pause").textContent = "Go on";
    say("Paused; what was sent is kept.");
  }

  function goOn() {
    isPaused = false;
    find("pause").textContent = "Pause";
    find("words").className = "";
    turn += 1;
    send(turn);
  }

  async function throwAway() {
    turn += 1;
    request?.abort();
    isWanted = false;
    ready();
    const where = address;
    file = null;
    address = "";
    find("upload-id").value = "";
    input.value = "";
    find("sending").hidden = true;
    if (isFirst) showSame([]);
    if (where) await call("DELETE", where).catch(() => {}); // what stays expires by itself
  }

  function refuse(message) {
    isWanted = false;
    ready();
    find("pause").hidden = true;
    say(message, "error");
  }

  function rest(milliseconds) {
    return new Promise((resolve) => {
      const timer = window.setTimeout(resolve, milliseconds);
      wake = () => {
        window.clearTimeout(timer);
        resolve();
      };
    });
  }

  function show(offset, start) {
    const bar = field.querySelector("progress");
    bar.value = offset / file.size;
    const words = [`${amount(offset)} of ${amount(file.size)}`];
    const sent = start ? offset - start.offset : 0;
    const seconds = start ? (performance.now() - start.at) / 1000 : 0;
    if (sent > 0 && seconds > 2 && offset < file.size) {
      words.push(`${span((seconds * (file.size - offset)) / sent)} left`);
    }
    find("words").className = "";
    find("words").textContent = words.join("; ");
  }

  // Told to screen readers as well, so only what changes rarely.
  function say(words, kind = "") {
    find("words").className = kind;
    find("words").textContent = words;
    find("news").textContent = words;
  }

  function makeDroppable() {
    find("drop-hint").hidden = false;
    for (const name of ["dragover", "dragleave", "drop"]) {
      field.addEventListener(name, (event) => {
        event.preventDefault();
        field.classList.toggle("over", name === "dragover");
        if (name === "drop" && event.dataTransfer.files.length) {
          input.files = event.dataTransfer.files;
          choose(input.files[0]);
        }
      });
    }
  }

  return {
    isUnderWay: () => !field.hidden && Boolean(file) && !find("upload-id").value,
    goOnIfPaused: () => isPaused && goOn(),
    wake: () => wake?.(),
  };
}
