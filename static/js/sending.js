// Sends a form of steps once the server answers: the browser would put a page of its own in the place of one that
// cannot be reached.

const PATIENCE = 30_000; // ms for an answer

// `before` is called when it is about to be sent.
export async function sendForm(form, steps, before = () => {}) {
  try {
    const options = { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(PATIENCE) };
    const { status } = await fetch(window.location.href, options);
    if (status >= 500) throw new Error(`${status}`);
  } catch {
    steps.busy(false);
    const again = steps.forward.textContent.trim();
    steps.complain(`Not sent: no connection. What you answered is still here; press ${again} again in a moment.`);
    return;
  }
  before();
  form.submit();
}
