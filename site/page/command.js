// The command line that does the same as the form.

import { isInvisible } from "./text.js";

const PLAIN = /^[A-Za-z0-9_.\/:=,+@-]+$/;

function needsEscapes(text) {
  return [...text].some((character) => isInvisible(character.codePointAt(0)));
}

// Quotes an argument for bash and zsh.
export function quoteForSh(text) {
  if (PLAIN.test(text)) return text;
  if (!needsEscapes(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  let quoted = "";
  for (const character of text) {
    if (character === "'" || character === "\\") quoted += "\\" + character;
    else if (!isInvisible(character.codePointAt(0))) quoted += character;
    else {
      // Three octal digits: a hexadecimal digit that follows is not part of it.
      for (const byte of new TextEncoder().encode(character)) quoted += "\\" + byte.toString(8).padStart(3, "0");
    }
  }
  return `$'${quoted}'`;
}

// Quotes an argument for PowerShell 7, in which typographic quotation marks are quotes too.
export function quoteForPowerShell(text) {
  if (/^[A-Za-z0-9_.\/:=+-]+$/.test(text)) return text;
  if (!needsEscapes(text)) return `'${text.replace(/['\u2018-\u201b]/g, "$&$&")}'`;
  let quoted = "";
  for (const character of text) {
    const codePoint = character.codePointAt(0);
    if (isInvisible(codePoint)) quoted += `\`u{${codePoint.toString(16)}}`;
    else if (/["`$\u201c-\u201e]/.test(character)) quoted += "`" + character;
    else quoted += character;
  }
  return `"${quoted}"`;
}

// A path that is not taken for an option.
function path(name) {
  return name.startsWith("-") ? "./" + name : name;
}

// Returns the arguments of the command for options and names of files.
export function commandArguments(options, input, output) {
  const values = ["-f", options.from || "UTF-8", "-t", options.to || "UTF-8"];
  for (const step of options.via.split(/\s+/).filter(Boolean)) values.push("--via", step);
  if (options.newline) values.push("--newline=" + options.newline);
  if (options.bom) values.push("--bom=" + options.bom);
  if (options.on_invalid) values.push("--on-invalid=" + options.on_invalid);
  if (options.on_unmappable) values.push("--on-unmappable=" + options.on_unmappable);
  return ["charpipe", ...values, "-o", path(output), path(input)];
}

export function commandLine(options, input, output, shell) {
  const quote = shell === "powershell" ? quoteForPowerShell : quoteForSh;
  return commandArguments(options, input, output).map(quote).join(" ");
}

// Returns the name of the converted file, as in `text.utf-8.txt`.
export function outputName(name, to) {
  const label = (to || "UTF-8").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)}.${label}${name.slice(dot)}` : `${name}.${label}`;
}
