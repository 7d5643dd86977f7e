// Text for display: every character that a reader could not see, or that would change what is displayed, is written out.

// As in src/cli/quote.rs of the command.
const INVISIBLE_RANGES = [
  [0x00ad, 0x00ad], [0x061c, 0x061c], [0x180e, 0x180e], [0x200b, 0x200b], [0x200e, 0x200f], [0x2028, 0x202e],
  [0x2060, 0x206f], [0xfeff, 0xfeff], [0xfff9, 0xfffb], [0xe0000, 0xe007f],
];

export const MAX_LINE_LENGTH = 300;

export function isInvisible(codePoint) {
  return codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0) ||
    INVISIBLE_RANGES.some(([first, last]) => codePoint >= first && codePoint <= last);
}

export function codePointName(codePoint) {
  return "U+" + codePoint.toString(16).toUpperCase().padStart(4, "0");
}

// Returns what is shown for an invisible character.
function shown(codePoint) {
  if (codePoint === 9) return "⇥";
  if (codePoint === 10) return "⟨LF⟩";
  if (codePoint === 13) return "⟨CR⟩";
  return `⟨${codePointName(codePoint)}⟩`;
}

// Creates an element with text. Names and contents of files only ever become text.
export function element(name, options = {}, ...children) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(options)) {
    if (key === "class") created.className = value;
    else if (key === "text") created.textContent = value;
    else created.setAttribute(key, value);
  }
  created.append(...children);
  return created;
}

// Appends text to a node. `errorOf` is called for each marker of a malformed sequence, and returns its error.
export function appendText(node, text, marker = "", errorOf = () => undefined) {
  let plain = "";
  const flush = () => {
    if (plain) node.append(plain);
    plain = "";
  };
  for (const character of text) {
    const codePoint = character.codePointAt(0);
    if (marker && character === marker) {
      flush();
      const error = errorOf();
      const bytes = error ? error.what : "";
      const title = error ? `line ${error.line}, byte ${error.offset}: ${bytes}` : "malformed";
      node.append(element("mark", { class: "malformed", title, text: `⟨${bytes || "?"}⟩` }));
    } else if (isInvisible(codePoint)) {
      flush();
      node.append(element("span", { class: "control", title: codePointName(codePoint), text: shown(codePoint) }));
      if (codePoint === 9) plain = " ";
    } else {
      plain += character;
    }
  }
  flush();
}

// Returns a name or another short text with invisible characters written out.
export function visible(text, maxLength = 120) {
  const characters = [...text];
  const cut = characters.length > maxLength ? [...characters.slice(0, maxLength), "…"] : characters;
  return cut.map((character) => {
    const codePoint = character.codePointAt(0);
    return isInvisible(codePoint) ? shown(codePoint) : character;
  }).join("");
}

// Splits a text into lines, each with its ending.
export function splitLines(text) {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function isPlainAscii(line) {
  return /^[\t\x20-\x7e]*\r?\n?$/.test(line);
}

// Returns the indexes of the lines to show: those that differ between encodings, or the first ones.
export function interestingLines(lines, maxCount) {
  const indexes = [...lines.keys()];
  const found = indexes.filter((index) => !isPlainAscii(lines[index])).slice(0, maxCount);
  if (lines.length <= maxCount || found.length === 0) return indexes.slice(0, maxCount);
  return found;
}

// Returns the row of a line: its number and its text.
export function lineRow(number, fill, className = "line") {
  const text = element("span", { class: "text" });
  fill(text);
  return element("div", { class: className }, element("span", { class: "number", text: number }), text);
}

export function gapRow(description) {
  return lineRow("", (text) => { text.textContent = description; }, "line gap");
}

// Cuts a line for display, and drops a line feed at its end.
export function cutLine(line) {
  const characters = [...line.replace(/\n$/, "")];
  if (characters.length <= MAX_LINE_LENGTH) return characters.join("");
  return characters.slice(0, MAX_LINE_LENGTH).join("") + "…";
}

// Shows a decoded sample.
export function showLines(container, sample, firstLine, maxCount) {
  const lines = splitLines(sample.text);
  let markers = 0;
  let next = 0;
  const rows = [];
  const selected = new Set(interestingLines(lines, maxCount));
  const errorOf = () => sample.errors[markers++];
  for (const [index, line] of lines.entries()) {
    if (!selected.has(index)) {
      if (sample.marker) markers += line.split(sample.marker).length - 1;
      continue;
    }
    if (index > next) rows.push(gapRow(`${count(index - next, "line")} not shown`));
    next = index + 1;
    const shownLine = cutLine(line);
    const before = markers;
    rows.push(lineRow(String(firstLine + index), (text) => appendText(text, shownLine, sample.marker, errorOf)));
    if (sample.marker) markers = before + line.split(sample.marker).length - 1;
  }
  if (lines.length > next) rows.push(gapRow(`${count(lines.length - next, "line")} not shown`));
  container.replaceChildren(...rows);
}

export function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
