// The worker: reads files and runs the module. Nothing here uses the network.

const CHUNK_LENGTH = 2 << 20;
// The first bytes of a file, from which its encoding is detected.
const DETECTION_LENGTH = 4 << 20;
// The bytes that previews show.
const SAMPLE_LENGTH = 64 << 10;
// The output of a larger file is written to the private file system of the page, if the browser has one.
const MIN_STORED_LENGTH = 32 << 20;
const OUTPUT_PREFIX = "charpipe-output-";

const canceled = new Set();

async function readBytes(file, start, end) {
  return new Uint8Array(await file.slice(start, Math.min(end, file.size)).arrayBuffer());
}

// Returns where a preview starts: before the first byte that is not ASCII, if the bytes before it are all ASCII text.
function sampleStart(bytes) {
  const isText = (byte) => (byte >= 0x20 && byte < 0x7f) || (byte >= 9 && byte <= 13);
  let first = bytes.findIndex((byte) => !isText(byte));
  if (first < 0 || bytes[first] < 0x80) first = 0;
  if (first < SAMPLE_LENGTH / 4) return 0;
  const line = bytes.lastIndexOf(10, first - 1) + 1;
  return first - line < 1024 ? line : first;
}

function plain(entries) {
  return entries.map(({ offset, line, column, what, message, is_malformed }) =>
    ({ offset, line, column, what, message, isMalformed: is_malformed }));
}

async function detect({ file }) {
  const end = Math.min(file.size, DETECTION_LENGTH);
  const head = await readBytes(file, 0, end);
  const detector = new library.FileDetector();
  detector.feed(head);
  const found = detector.finish(end === file.size);
  const start = sampleStart(head);
  const bytes = head.slice(start, start + SAMPLE_LENGTH);
  let firstLine = 1;
  for (let index = 0; index < start; index++) if (head[index] === 10) firstLine++;
  return {
    content: found.content,
    isKnown: found.is_known,
    hasBom: found.has_bom,
    lineEndings: found.line_endings,
    declaration: found.declaration,
    candidates: found.candidates.map(({ encoding, description, confidence, probability, language, evidence }) =>
      ({ encoding, description, confidence, probability, language, evidence })),
    examined: end,
    sample: { bytes, start, firstLine, isWhole: start + bytes.length === file.size },
  };
}

function decodeSample({ sample, from }) {
  const found = library.decode_sample(sample.bytes, from, sample.isWhole);
  const errors = plain(found.errors);
  for (const error of errors) {
    error.offset += sample.start;
    error.line += sample.firstLine - 1;
  }
  return { text: found.text, marker: found.marker, errors, errorCount: found.error_count };
}

function conversionOptions(values) {
  return Object.assign(new library.ConversionOptions(), values);
}

function convertSample({ sample, options }) {
  conversionOptions(options).check();
  const found = library.convert_sample(sample.bytes, conversionOptions(options), sample.isWhole);
  return {
    output: found.output, text: found.text, errorCount: found.error_count, rewrittenCount: found.rewritten_count,
    stopped: found.stopped,
  };
}

// The parts of an output in memory, which browsers keep on disk if they are large.
class BlobOutput {
  parts = [];

  write(bytes) {
    if (bytes.length) this.parts.push(new Blob([bytes]));
  }

  async finish() {
    return new Blob(this.parts, { type: "application/octet-stream" });
  }

  async discard() {
    this.parts = [];
  }
}

// A file in the private file system of the page.
class StoredOutput {
  static async create() {
    const directory = await navigator.storage.getDirectory();
    const output = new StoredOutput();
    output.name = OUTPUT_PREFIX + Date.now() + "-" + crypto.randomUUID();
    output.directory = directory;
    output.handle = await directory.getFileHandle(output.name, { create: true });
    output.access = await output.handle.createSyncAccessHandle();
    output.position = 0;
    return output;
  }

  write(bytes) {
    if (!bytes.length) return;
    const written = this.access.write(bytes, { at: this.position });
    if (written !== bytes.length) throw new Error("The output does not fit into the storage of the browser.");
    this.position += written;
  }

  async finish() {
    this.access.flush();
    this.access.close();
    return this.handle.getFile();
  }

  async discard() {
    this.access.close();
    await this.directory.removeEntry(this.name);
  }
}

// Removes outputs that earlier visits have left.
async function removeOldOutputs() {
  const directory = await navigator.storage.getDirectory();
  const day = 24 * 60 * 60 * 1000;
  for await (const name of directory.keys()) {
    if (name.startsWith(OUTPUT_PREFIX) && Date.now() - parseInt(name.slice(OUTPUT_PREFIX.length), 10) > day) {
      await directory.removeEntry(name);
    }
  }
}

async function createOutput(length) {
  if (length < MIN_STORED_LENGTH) return new BlobOutput();
  try {
    return await StoredOutput.create();
  } catch {
    // Without a secure origin, or in a private window.
    return new BlobOutput();
  }
}

let lastStored;

async function convert({ file, options }, id) {
  const start = performance.now();
  const conversion = new library.Conversion(conversionOptions(options));
  if (lastStored) await lastStored.directory.removeEntry(lastStored.name).catch(() => {});
  const output = await createOutput(file.size);
  lastStored = output instanceof StoredOutput ? output : undefined;
  try {
    let next = readBytes(file, 0, CHUNK_LENGTH);
    for (let position = 0; position < file.size && conversion.stopped === undefined;) {
      const bytes = await next;
      if (canceled.delete(id)) {
        await output.discard();
        lastStored = undefined;
        return { isCanceled: true };
      }
      position += bytes.length;
      next = position < file.size ? readBytes(file, position, position + CHUNK_LENGTH) : undefined;
      output.write(conversion.process(bytes));
      postMessage({ id, progress: position });
    }
    await next;
    if (conversion.stopped === undefined) output.write(conversion.finish());
    return {
      blob: await output.finish(),
      errors: plain(conversion.errors),
      errorCount: conversion.error_count,
      rewrittenCount: conversion.rewritten_count,
      stopped: conversion.stopped,
      milliseconds: performance.now() - start,
    };
  } catch (error) {
    await output.discard().catch(() => {});
    lastStored = undefined;
    throw error;
  } finally {
    conversion.free();
  }
}

async function gunzip(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function start({ unpackerModule, packed }) {
  unpacker.initSync({ module: await gunzip(unpackerModule) });
  library.initSync({ module: unpacker.unpack(packed) });
  removeOldOutputs().catch(() => {});
  return { encodings: library.encodings(), transforms: library.transforms() };
}

const operations = { start, detect, decodeSample, convertSample, convert };

onmessage = async ({ data: { id, operation, values } }) => {
  if (operation === "cancel") {
    canceled.add(id);
    return;
  }
  try {
    postMessage({ id, result: await operations[operation](values, id) });
  } catch (error) {
    postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
};
