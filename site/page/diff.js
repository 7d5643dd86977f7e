// The difference of two texts, by lines and in each line by characters.

import { appendText, count, cutLine, element, gapRow, isInvisible, lineRow, splitLines } from "./text.js";

const MAX_PAIRS = 24;

// Pairs the lines of two texts. Lines that only one of them has are paired with undefined.
export function pairLines(before, after) {
  const pairs = [];
  const [a, b] = [splitLines(before), splitLines(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) { endA--; endB--; }
  for (let index = start; index < Math.max(endA, endB); index++) {
    const [left, right] = [index < endA ? a[index] : undefined, index < endB ? b[index] : undefined];
    if (left !== right) pairs.push({ number: index, before: left, after: right });
  }
  return pairs;
}

// Returns the parts of two lines: `[isCommon, before, after]`.
export function compareLines(before, after) {
  const [a, b] = [[...before], [...after]];
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const parts = [];
  const push = (isCommon, left, right) => {
    const last = parts.at(-1);
    if (last && last[0] === isCommon) {
      last[1] += left;
      last[2] += right;
    } else parts.push([isCommon, left, right]);
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) push(true, a[i++], b[j++]);
    else if (j >= b.length || (i < a.length && lengths[i + 1][j] >= lengths[i][j + 1])) push(false, a[i++], "");
    else push(false, "", b[j++]);
  }
  return parts;
}

function changedLine(line) {
  // The ending is shown only if it is more than a line feed.
  return cutLine(line ?? "");
}

// Shows the lines that differ. Returns how many there are.
export function showDifference(container, before, after, firstLine) {
  const pairs = pairLines(before, after);
  const rows = [];
  for (const { number, before: left, after: right } of pairs.slice(0, MAX_PAIRS)) {
    const parts = compareLines(changedLine(left), changedLine(right));
    const row = (className, side, name) => lineRow(String(firstLine + number), (text) => {
      for (const [isCommon, ...texts] of parts) {
        if (isCommon) appendText(text, texts[side]);
        else if (texts[side]) {
          const changed = element(name);
          appendText(changed, texts[side]);
          text.append(changed);
        }
      }
    }, `line ${className}`);
    const pair = element("div", { class: "pair" });
    if (left !== undefined) pair.append(row("before", 0, "del"));
    if (right !== undefined) pair.append(row("after", 1, "ins"));
    rows.push(pair);
  }
  if (pairs.length > MAX_PAIRS) rows.push(gapRow(`${count(pairs.length - MAX_PAIRS, "changed line")} not shown`));
  const lines = element("div", { class: "lines", tabindex: "0", role: "region", "aria-label": "Changed lines" }, ...rows);
  container.replaceChildren(...(pairs.length ? [lines] : []));
  return pairs.length;
}

// Returns the line endings of a text, as in `12 CRLF, 1 LF`.
export function lineEndings(text) {
  const crlf = text.split("\r\n").length - 1;
  const found = [[crlf, "CRLF"], [text.split("\n").length - 1 - crlf, "LF"], [text.split("\r").length - 1 - crlf, "CR"]];
  return found.filter(([number]) => number > 0).map(([number, name]) => `${number.toLocaleString("en")} ${name}`)
    .join(", ") || "none";
}

export function invisibleCount(text) {
  let found = 0;
  for (const character of text) {
    const codePoint = character.codePointAt(0);
    if (codePoint !== 9 && codePoint !== 10 && codePoint !== 13 && isInvisible(codePoint)) found++;
  }
  return found;
}
