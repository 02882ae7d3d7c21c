// What the pages of annotators have in common: requests of whoever is signed in.

const SIGNED_OUT = "You are signed out. Sign in in another window, then try again here: nothing is lost.";

// `form` is the page's: it has the token with which it came.
export async function post(form, address, body, options = {}) {
  const response = await fetch(address, {
    method: "POST",
    headers: { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": token(form) },
    body: JSON.stringify(body),
    ...options,
  });
  if (response.redirected) return { status: 403, body: { detail: SIGNED_OUT } };
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
  return { status: response.status, body: isJson ? await response.json() : null };
}

// Signing in anew makes a new token, in the cookie.
function token(form) {
  const cookie = /(?:^|;\s*)csrftoken=([^;]+)/.exec(document.cookie);
  return cookie ? cookie[1] : form.elements.csrfmiddlewaretoken.value;
}
