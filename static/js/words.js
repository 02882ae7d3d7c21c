// Words on a page, each an element of its own, in the order of the text.

// The number of the word above (-1) or below (1) a word, as the lines run; its own where there is no other line.
export function vertically(words, number, by) {
  const box = words[number].getBoundingClientRect();
  const middle = box.left + box.width / 2;
  let best = number;
  let line = null;
  let nearest = Infinity;
  for (let other = number + by; words[other]; other += by) {
    const here = words[other].getBoundingClientRect();
    if (Math.abs(here.top - box.top) < box.height / 2) continue;
    if (line !== null && Math.abs(here.top - line) >= box.height / 2) break;
    line ??= here.top;
    const distance = here.left > middle ? here.left - middle : Math.max(0, middle - here.right);
    if (distance < nearest) [best, nearest] = [other, distance];
  }
  return best;
}
