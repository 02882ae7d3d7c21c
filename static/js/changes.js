// What an edit did to a text: which words were kept, removed and added, and how many characters. Pure.

const MOST_CELLS = 4_000_000; // of a table; what is larger is taken as a whole

// Runs of words: [{kind: "kept" | "removed" | "added", words}], in order.
export function changes(text, edit) {
  const old = text.split(/\s+/).filter(Boolean);
  const made = edit.split(/\s+/).filter(Boolean);
  const [start, end] = ends(old, made);
  const parts = [];
  const put = (kind, some) => {
    if (some.length && parts.at(-1)?.kind === kind) parts.at(-1).some.push(...some);
    else if (some.length) parts.push({ kind, some: [...some] });
  };
  put("kept", old.slice(0, start));
  for (const [kind, word] of between(old.slice(start, old.length - end), made.slice(start, made.length - end))) {
    put(kind, [word]);
  }
  put("kept", old.slice(old.length - end));
  return parts.map(({ kind, some }) => ({ kind, words: some.join(" ") }));
}

// How many characters must be inserted, deleted or replaced; of very long changes, how long they are.
export function countChanged(text, edit) {
  const [old, made] = [[...text], [...edit]];
  const [start, end] = ends(old, made);
  const [one, other] = [old.slice(start, old.length - end), made.slice(start, made.length - end)];
  if (!one.length || !other.length || one.length * other.length > MOST_CELLS) return Math.max(one.length, other.length);
  let row = Uint32Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = new Uint32Array(other.length + 1);
    next[0] = i;
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1);
      next[j] = Math.min(replaced, row[j] + 1, next[j - 1] + 1);
    }
    row = next;
  }
  return row[other.length];
}

// How many items two lists begin with, and end with, that are the same.
function ends(one, other) {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return [start, end];
}

// Words by a longest common subsequence: what is removed comes before what is added in its place.
function between(old, made) {
  if (old.length * made.length > MOST_CELLS) {
    return [...old.map((word) => ["removed", word]), ...made.map((word) => ["added", word])];
  }
  const width = made.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = made.length - 1; j >= 0; j -= 1) {
      common[i * width + j] =
        old[i] === made[j]
          ? common[(i + 1) * width + j + 1] + 1
          : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const found = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < made.length) {
    if (i < old.length && j < made.length && old[i] === made[j]) {
      found.push(["kept", old[i]]);
      i += 1;
      j += 1;
    } else if (j >= made.length || (i < old.length && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      found.push(["removed", old[i]]);
      i += 1;
    } else {
      found.push(["added", made[j]]);
      j += 1;
    }
  }
  return found;
}
