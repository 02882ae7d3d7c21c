// As much of a browser as scripts without elements need: a window, a document, and what the window keeps.

export function makePage() {
  const kept = new Map();
  const window = Object.assign(new EventTarget(), {
    setTimeout: (...given) => setTimeout(...given),
    clearTimeout: (timer) => clearTimeout(timer),
    localStorage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => kept.set(key, value),
      removeItem: (key) => kept.delete(key),
    },
  });
  const document = Object.assign(new EventTarget(), { hidden: false });
  Object.assign(globalThis, { window, document });
  return {
    kept,
    window,
    hide(isHidden = true) {
      document.hidden = isHidden;
      document.dispatchEvent(new Event("visibilitychange"));
    },
  };
}
