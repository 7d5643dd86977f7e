// The page: the form, and what the worker has found.

import { fromBase64, hexBytes, pastedBytes, size } from "./bytes.js";
import { commandLine, outputName } from "./command.js";
import { invisibleCount, lineEndings, showDifference } from "./diff.js";
import { count, element, showLines, visible } from "./text.js";

const MAX_SIZE = 1 << 30;
const CANDIDATE_COUNT = 3;
const CANDIDATE_LINES = 30;
const LISTED_ERRORS = 5;
const REPAIR_STEPS = "mojibake windows-c1";
// For comparison, if there are fewer candidates.
const COMPARED = ["UTF-8", "CP1252", "IBM437"];
const FIELDS = ["from", "to", "newline", "bom", "on_invalid", "on_unmappable", "via"];

const EXAMPLES = [
  ["An unknown encoding", "unknown.txt", "z/Do4uXyISDK4Oog5OXr4D8K0fLw7ury4CDx6+7iIOjnIOTg4u3l4+4g7+jx/Ozg7C4K"],
  ["A malformed byte", "malformed.txt", "bmFtZTtjaXR5CkpvaG47UGFyaXMKSm9z6TtNw6FsYWdhCg=="],
  ["Garbled text", "garbled.txt", "Y2Fmw4PCqSDDosKA4oKsxZMgRsODwrzDg8WDZQo="],
  ["Japanese", "japanese.txt", "k/qWe4zqgsyDZYNMg1iDZ4LFgreBQg0KlbaOmoNSgVuDaYKqlaqCqYLogtyCuYLxgUINCg=="],
];

const byId = (id) => document.getElementById(id);

class WorkerClient {
  constructor() {
    const source = new Blob([byId("worker-source").textContent], { type: "text/javascript" });
    this.worker = new Worker(URL.createObjectURL(source));
    this.calls = new Map();
    this.nextId = 1;
    this.worker.onmessage = ({ data: { id, result, error, progress } }) => {
      const call = this.calls.get(id);
      if (!call) return;
      if (progress !== undefined) return call.onProgress?.(progress);
      this.calls.delete(id);
      this.notePending();
      if (error === undefined) call.resolve(result);
      else call.reject(new Error(error));
    };
    this.worker.onerror = (event) => {
      for (const call of this.calls.values()) call.reject(new Error(event.message || "The worker does not run."));
      this.calls.clear();
    };
  }

  call(operation, values, onProgress) {
    const id = this.nextId++;
    const promise = new Promise((resolve, reject) => this.calls.set(id, { resolve, reject, onProgress }));
    this.notePending();
    this.worker.postMessage({ id, operation, values });
    return Object.assign(promise, { id });
  }

  // For tests: the number of calls that have not returned.
  notePending() {
    document.body.dataset.pending = String(this.calls.size);
  }

  cancel(id) {
    this.worker.postMessage({ id, operation: "cancel" });
  }
}

let client;
let current;
let running;
let downloadUrl;
// Results of earlier files and options are dropped.
let fileGeneration = 0;
let optionsGeneration = 0;

function say(text) {
  byId("status").textContent = text;
}

function percent(probability) {
  const value = probability * 100;
  if (probability >= 1) return "100 %";
  return value >= 99.9 ? "99.9 %" : value < 0.1 ? "below 0.1 %" : `${value.toFixed(1)} %`;
}

function languageName(code) {
  try {
    return new Intl.DisplayNames(["en"], { type: "language" }).of(code);
  } catch {
    return code;
  }
}

const ENDING_NAMES = { lf: "LF", crlf: "CRLF", cr: "CR", mixed: "mixed", none: "none" };

// --- files ---

async function useFile(file) {
  if (running) {
    say("A conversion is running: cancel it first.");
    return;
  }
  const generation = ++fileGeneration;
  if (file.size > MAX_SIZE) {
    say(`${visible(file.name)} has ${size(file.size)}; this page converts files of up to 1 GB. The command has no limit.`);
    return;
  }
  say(`Reading ${visible(file.name)}…`);
  try {
    const found = await client.call("detect", { file });
    if (generation !== fileGeneration) return;
    current = { file, found };
    await showDetection();
    if (generation !== fileGeneration) return;
    say(`${visible(file.name)}, ${size(file.size)}: ${summaryText(found)}`);
  } catch (error) {
    if (generation === fileGeneration) say(`${visible(file.name)} cannot be read: ${error.message}`);
  }
}

function summaryText(found) {
  if (found.content === "empty") return "empty.";
  if (found.content === "binary") return "not text, as far as can be seen.";
  const best = found.candidates[0];
  if (!found.isKnown || !best) return "text in an unknown encoding.";
  return `${best.encoding}, ${best.confidence}, probability ${percent(best.probability)}.`;
}

// Returns the encodings to compare: the candidates, and others if there are fewer.
function columns(found) {
  const shown = found.candidates.slice(0, CANDIDATE_COUNT);
  const isShown = (name) => shown.some(({ encoding }) => encoding === name);
  for (const encoding of COMPARED) {
    if (shown.length < CANDIDATE_COUNT && !isShown(encoding)) shown.push({ encoding });
  }
  return shown;
}

async function showDetection() {
  const { file, found } = current;
  const best = found.candidates[0];
  const parts = [];
  if (best) {
    parts.push(element("strong", { text: best.encoding }), `, ${best.description}. Confidence: ${best.confidence}, ` +
      `probability ${percent(best.probability)}. Evidence: ${best.evidence}`);
    if (best.language) parts.push(`, ${languageName(best.language)}`);
    parts.push(`. Line endings: ${ENDING_NAMES[found.lineEndings] ?? found.lineEndings}. `);
    parts.push(found.hasBom ? "With a byte order mark." : "Without a byte order mark.");
    if (found.examined < file.size) parts.push(` From the first ${size(found.examined)}.`);
  } else {
    parts.push(found.content === "empty" ? "The file is empty." :
      "This is not text, as far as can be seen. The columns show it in some encodings.");
  }
  byId("summary").replaceChildren(...parts);
  byId("declaration").hidden = !found.declaration;
  byId("declaration").textContent = found.declaration ? `The ${visible(found.declaration)}, but the bytes say otherwise.` : "";
  byId("from").value = best ? best.encoding : "UTF-8";
  byId("repair").checked = false;
  await showColumns();
  for (const name of ["encoding", "convert", "changes", "download", "command"]) byId(`${name}-section`).hidden = false;
  await showRepairHint();
  await updatePreview();
}

async function showColumns() {
  const { found } = current;
  const shown = await Promise.all(columns(found).map(async (candidate) =>
    ({ candidate, sample: await client.call("decodeSample", { sample: found.sample, from: candidate.encoding }) })));
  byId("candidates").replaceChildren(...shown.map(({ candidate, sample }) => column(candidate, sample)));
  markChosen();
}

function column({ encoding, description, confidence, probability, language }, sample, otherwise) {
  const { found } = current;
  const article = element("article", { class: "candidate", "aria-label": encoding, "data-encoding": encoding });
  const button = element("button", { type: "button", "aria-pressed": "false", text: `Convert from ${encoding}` });
  button.addEventListener("click", () => {
    byId("from").value = encoding;
    markChosen();
    updatePreview();
  });
  const lines = element("div", { class: "lines", tabindex: "0", role: "region", "aria-label": `Text in ${encoding}` });
  showLines(lines, sample, found.sample.firstLine, CANDIDATE_LINES);
  const assessment = probability === undefined ? otherwise ?? "Not a candidate, for comparison" :
    `${percent(probability)}, ${confidence}${language ? `, ${languageName(language)}` : ""}`;
  article.append(element("h3", { text: encoding }), element("p", { text: assessment }));
  article.append(element("p", { class: "help", text: description ?? "" }), button, lines, ...errorList(sample));
  return article;
}

// Shows the chosen encoding too, if it is not one of the candidates.
function showChosenColumn(encoding, sample) {
  const columns = [...byId("candidates").children];
  columns.find((article) => article.classList.contains("other"))?.remove();
  const isShown = columns.some((article) => !article.classList.contains("other") &&
    article.dataset.encoding.toUpperCase() === encoding.toUpperCase());
  if (!isShown) {
    const article = column({ encoding: visible(encoding) }, sample, "Chosen, not a candidate");
    article.classList.add("other");
    byId("candidates").append(article);
  }
  markChosen();
}

function errorList(sample) {
  const part = current.found.sample.isWhole ? "" : " in this part";
  if (!sample.errorCount) return [element("p", { text: `No malformed bytes${part}.` })];
  const rows = sample.errors.slice(0, LISTED_ERRORS).map(({ line, offset, what }) =>
    element("li", { text: `line ${line.toLocaleString("en")}, byte ${offset.toLocaleString("en")}: ${what}` }));
  const rest = sample.errorCount - rows.length;
  if (rest > 0) rows.push(element("li", { text: `${rest.toLocaleString("en")} more` }));
  return [element("p", { text: `${count(sample.errorCount, "malformed sequence")}${part}:` }), element("ul", {}, ...rows)];
}

function markChosen() {
  const from = byId("from").value.trim().toUpperCase();
  for (const article of byId("candidates").children) {
    const isChosen = article.dataset.encoding.toUpperCase() === from;
    article.classList.toggle("chosen", isChosen);
    const button = article.querySelector("button");
    button.setAttribute("aria-pressed", String(isChosen));
    button.textContent = (isChosen ? "✓ Converting from " : "Convert from ") + article.dataset.encoding;
  }
}

async function showRepairHint() {
  const { found } = current;
  let isGarbled = false;
  if (found.candidates[0]?.encoding === "UTF-8") {
    const options = { ...emptyOptions(), from: "UTF-8", to: "UTF-8", on_invalid: "replace" };
    const [before, after] = await Promise.all(["", REPAIR_STEPS].map((via) =>
      client.call("convertSample", { sample: found.sample, options: { ...options, via } })));
    isGarbled = before.text.slice(0, after.text.length) !== after.text && after.text !== "";
  }
  byId("repair-hint").hidden = !isGarbled;
}

// --- options ---

function emptyOptions() {
  return Object.fromEntries(FIELDS.map((field) => [field, ""]));
}

function options() {
  const values = Object.fromEntries(FIELDS.map((field) => [field, byId(field).value.trim()]));
  if (byId("repair").checked) values.via = `${REPAIR_STEPS} ${values.via}`.trim();
  return values;
}

function showFieldError(message) {
  const [, field, text] = /^([a-z_]+): ([^]*)$/.exec(message) ?? [];
  for (const name of FIELDS) {
    const error = byId(`${name}-error`);
    if (!error) continue;
    error.textContent = name === field ? visible(text, 300) : "";
    if (name === field) byId(name).setAttribute("aria-invalid", "true");
    else byId(name).removeAttribute("aria-invalid");
  }
  return byId(`${field}-error`) !== null;
}

async function updatePreview() {
  if (!current) return;
  const generation = ++optionsGeneration;
  const { found, file } = current;
  const values = options();
  clearResult();
  byId("command").textContent = commandLine(values, file.name, outputName(file.name, values.to), byId("shell").value);
  try {
    const [after, before] = await Promise.all([
      client.call("convertSample", { sample: found.sample, options: values }),
      client.call("decodeSample", { sample: found.sample, from: values.from || "UTF-8" }),
    ]);
    if (generation !== optionsGeneration) return;
    showFieldError("");
    byId("convert").disabled = false;
    showChosenColumn(values.from || "UTF-8", before);
    showChanges(before, after);
  } catch (error) {
    if (generation !== optionsGeneration) return;
    byId("convert").disabled = true;
    byId("changes").replaceChildren();
    byId("bytes").replaceChildren();
    byId("command").textContent = "";
    const isInField = showFieldError(error.message);
    byId("changes-summary").replaceChildren(element("li", {
      text: isInField ? "The options are not valid: see the message in the form." : visible(error.message, 300),
    }));
  }
}

function showChanges(before, after) {
  const { sample } = current.found;
  let beforeText = before.marker ? before.text.replaceAll(before.marker, "\uFFFD") : before.text;
  const rows = [];
  const row = (text) => rows.push(element("li", { text }));
  if (!sample.isWhole) {
    row(sample.start === 0 ? `This is the start of the file: ${size(sample.bytes.length)}.` :
      `This is a part of the file: ${size(sample.bytes.length)} from byte ${sample.start.toLocaleString("en")} on.`);
  }
  if (after.stopped) {
    row(`The conversion would stop at an error: ${visible(after.stopped, 300)}. Choose above what to do with it.`);
  }
  if (after.stopped || !sample.isWhole) {
    // Lines that the output does not have yet are not a change.
    const lines = after.text.split("\n").length;
    beforeText = beforeText.split("\n").slice(0, lines).join("\n");
    if (after.stopped) beforeText = after.text;
  }
  if (after.errorCount && !after.stopped) row(`${count(after.errorCount, "error")}: bytes or characters that were replaced or left out.`);
  if (after.rewrittenCount) row(`${count(after.rewrittenCount, "character")} transliterated or escaped.`);
  const changed = showDifference(byId("changes"), beforeText, after.text, sample.firstLine);
  if (changed) row(`${count(changed, "line")} of the text differ${changed === 1 ? "s" : ""}.`);
  else if (!after.stopped) row("The text stays the same.");
  if (!after.stopped) {
    const [endingsBefore, endingsAfter] = [lineEndings(before.text), lineEndings(after.text)];
    row(endingsBefore === endingsAfter ? `Line endings: ${endingsBefore}.` : `Line endings: ${endingsBefore} → ${endingsAfter}.`);
  }
  const invisible = invisibleCount(before.text.replaceAll(before.marker || "\0", ""));
  if (invisible) row(`${count(invisible, "control or invisible character")} in the input, shown as ⟨U+…⟩.`);
  const isSame = sample.bytes.length === after.output.length && sample.bytes.every((byte, at) => byte === after.output[at]);
  if (!after.stopped) row(isSame ? "The bytes stay the same." : `Bytes: ${size(sample.bytes.length)} → ${size(after.output.length)}.`);
  byId("changes-summary").replaceChildren(...rows);
  showBytes(sample.bytes, after.output);
}

function showBytes(before, after) {
  let first = 0;
  while (first < before.length && first < after.length && before[first] === after[first]) first++;
  const start = Math.max(0, first - 8) & ~7;
  const block = (title, bytes) => [element("p", { text: `${title}, from byte ${start}` }),
    element("pre", { text: hexBytes(bytes.slice(start, start + 48)) + (bytes.length > start + 48 ? " …" : "") })];
  byId("bytes").replaceChildren(...block("Before", before), ...block("After", after));
}

// --- conversion ---

function clearResult() {
  byId("result").textContent = "";
  byId("errors").replaceChildren();
  byId("download").hidden = true;
  if (downloadUrl) URL.revokeObjectURL(downloadUrl);
  downloadUrl = undefined;
}

function setRunning(call) {
  running = call;
  byId("convert").disabled = Boolean(call);
  byId("cancel").hidden = !call;
  byId("progress-row").hidden = !call;
  byId("file").disabled = Boolean(call);
  for (const control of byId("form").elements) control.disabled = Boolean(call);
}

async function convert() {
  const { file } = current;
  const values = options();
  const name = outputName(file.name, values.to);
  clearResult();
  let announced = 0;
  const onProgress = (bytes) => {
    const value = file.size ? Math.floor(bytes / file.size * 100) : 100;
    byId("progress").value = value;
    byId("progress-text").textContent = `${value} %, ${size(bytes)} of ${size(file.size)}`;
    if (value >= announced + 25 && value < 100) {
      announced = value;
      byId("result").textContent = `${value} % converted.`;
    }
  };
  onProgress(0);
  const call = client.call("convert", { file, options: values }, onProgress);
  setRunning(call);
  byId("cancel").focus();
  try {
    const result = await call;
    setRunning(undefined);
    if (result.isCanceled) {
      byId("result").textContent = "Canceled. Nothing was written.";
      byId("convert").focus();
    } else showResult(result, name);
  } catch (error) {
    setRunning(undefined);
    byId("result").textContent = `The conversion failed: ${visible(error.message, 300)}`;
    byId("convert").focus();
  }
}

function showResult(result, name) {
  const { file } = current;
  const seconds = result.milliseconds / 1000;
  const parts = [];
  if (result.stopped) parts.push(`Stopped at an error: ${visible(result.stopped, 300)}. The output ends before it.`);
  else if (result.errorCount) parts.push(`Converted with ${count(result.errorCount, "error")}.`);
  else parts.push("Converted without errors.");
  if (result.rewrittenCount) parts.push(`${count(result.rewrittenCount, "character")} transliterated or escaped.`);
  parts.push(`${size(file.size)} → ${size(result.blob.size)} in ${seconds.toFixed(seconds < 10 ? 2 : 0)} s.`);
  byId("result").textContent = parts.join(" ");
  byId("result").dataset.milliseconds = String(result.milliseconds);
  downloadUrl = URL.createObjectURL(result.blob);
  const link = byId("download");
  link.href = downloadUrl;
  link.download = name;
  link.textContent = `Download ${visible(name, 80)}`;
  link.hidden = false;
  link.focus();
  showErrors(result);
}

function showErrors({ errors, errorCount, rewrittenCount }) {
  if (!errors.length) return;
  const head = element("tr", {}, ...["Line", "Column", "Byte", "What", "Message"].map((text, at) =>
    element("th", { scope: "col", text, ...(at < 3 ? { class: "number" } : {}) })));
  const rows = errors.map(({ line, column, offset, what, message }) => element("tr", {},
    ...[line, column, offset].map((value) => element("td", { class: "number", text: value.toLocaleString("en") })),
    element("td", { text: what }), element("td", { text: visible(message, 300) })));
  const total = errorCount + rewrittenCount;
  const caption = total > errors.length ? `The first ${errors.length} of ${count(total, "message")}` : count(errors.length, "message");
  byId("errors").replaceChildren(element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Messages" },
    element("table", {}, element("caption", { text: caption }), element("thead", {}, head), element("tbody", {}, ...rows))));
}

// --- start ---

function fillNames({ encodings, transforms }) {
  const rows = (text) => text.trimEnd().split("\n").map((line) => line.split("\t"));
  byId("encodings").replaceChildren(...rows(encodings).map(([name, description]) =>
    element("option", { value: name, label: `${name}: ${description}` })));
  byId("via-add").append(...rows(transforms).map(([name, description]) =>
    element("option", { value: name, text: `${name}: ${description}` })));
}

function listen() {
  // So that the same file can be chosen again after it was changed.
  byId("file").addEventListener("click", () => { byId("file").value = ""; });
  byId("file").addEventListener("change", () => {
    const [file] = byId("file").files;
    if (file) useFile(file);
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    byId("drop").classList.add("over");
  });
  document.addEventListener("dragleave", () => byId("drop").classList.remove("over"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    byId("drop").classList.remove("over");
    const [file] = event.dataTransfer.files;
    if (file) useFile(file);
  });
  document.addEventListener("paste", (event) => {
    const [file] = event.clipboardData?.files ?? [];
    if (!file) return;
    event.preventDefault();
    useFile(file);
  });
  byId("paste-use").addEventListener("click", () => {
    byId("paste-error").textContent = "";
    try {
      const bytes = pastedBytes(byId("paste").value, byId("paste-kind").value);
      useFile(new File([bytes], "pasted.txt"));
    } catch (error) {
      byId("paste-error").textContent = error.message;
    }
  });
  byId("repair-use").addEventListener("click", () => {
    byId("repair").checked = true;
    byId("repair").focus();
    updatePreview();
  });
  let timer;
  byId("form").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      markChosen();
      updatePreview();
    }, 150);
  });
  byId("form").addEventListener("submit", (event) => event.preventDefault());
  byId("via-add").addEventListener("change", () => {
    byId("via").value = `${byId("via").value} ${byId("via-add").value}`.trim();
    byId("via-add").value = "";
    updatePreview();
  });
  byId("shell").addEventListener("change", updatePreview);
  byId("convert").addEventListener("click", convert);
  byId("cancel").addEventListener("click", () => running && client.cancel(running.id));
  byId("copy").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(byId("command").textContent);
      byId("copy-status").textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(byId("command"));
      byId("copy-status").textContent = "Selected: copy it with the keyboard.";
    }
  });
  for (const [title, name, base64] of EXAMPLES) {
    const button = element("button", { type: "button", text: title });
    button.addEventListener("click", () => useFile(new File([fromBase64(base64)], name)));
    byId("examples").append(button);
  }
}

async function start() {
  client = new WorkerClient();
  listen();
  try {
    const [unpackerModule, packed] = ["unpacker", "module"].map((id) => fromBase64(byId(id).textContent));
    fillNames(await client.call("start", { unpackerModule, packed }));
    byId("file").disabled = false;
    byId("paste-use").disabled = false;
    say("Ready.");
  } catch (error) {
    say(`The page does not run in this browser: ${error.message}`);
  }
}

start();
