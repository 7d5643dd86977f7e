// Tests of the page in a browser: `.ci/run site`. CHARPIPE_SITE_BROWSER is chromium or firefox.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import {
  TIMEOUT, TestBrowser, command, iconv, idle, isChromium, pageFile, screenshotDirectory, setOptions, textOf, waitForText,
} from "./browser.mjs";

const axe = await readFile(path.resolve(import.meta.dirname, "../node_modules/axe-core/axe.min.js"), "utf8");

let browser;
before(async () => {
  browser = await TestBrowser.start();
});
after(() => browser?.close());

// Runs a test on a new page.
function onPage(name, run, options = {}) {
  test(name, { timeout: 5 * TIMEOUT, ...options }, async (context) => {
    const page = await browser.open();
    try {
      await run(page, context);
    } finally {
      await page.close();
    }
  });
}

// The texts of benches/text in these encodings, converted by iconv of the system.
const ENCODED = [
  ["de", "ISO-8859-1"], ["de", "WINDOWS-1252"], ["fr", "ISO-8859-15"], ["es", "MACINTOSH"], ["cs", "ISO-8859-2"],
  ["cs", "WINDOWS-1250"], ["ru", "WINDOWS-1251"], ["ru", "KOI8-R"], ["ru", "CP866"], ["ru", "ISO-8859-5"],
  ["el", "ISO-8859-7"], ["he", "WINDOWS-1255"], ["ar", "WINDOWS-1256"], ["ja", "SHIFT_JIS"], ["ja", "EUC-JP"],
  ["ja", "ISO-2022-JP"], ["ko", "EUC-KR"], ["zh", "GBK"], ["zh", "GB18030"], ["emoji", "UTF-8"], ["hi", "UTF-16LE"],
  ["vi", "UTF-16BE"], ["de", "CP850"],
];

// Returns the lines of a text that the encoding has.
async function textFor(language, encoding) {
  const text = await readFile(path.resolve(import.meta.dirname, `../../benches/text/${language}.txt`), "utf8");
  const lines = text.split("\n").filter((line) => line.trim()).slice(0, 60).filter((line) => {
    try {
      execFileSync("iconv", ["-f", "utf-8", "-t", encoding], { input: line, stdio: ["pipe", "ignore", "ignore"] });
      return true;
    } catch {
      return false;
    }
  });
  assert.ok(lines.length >= 10, `${lines.length} lines of ${language} in ${encoding}`);
  return lines.join("\n") + "\n";
}

onPage("files in 20 encodings are detected and converted to the text that iconv has read", async (page, context) => {
  for (const [language, encoding] of ENCODED) {
    await context.test(`${language} in ${encoding}`, async () => {
      const text = await textFor(language, encoding);
      await browser.choose(page, `${language}.${encoding}.txt`, iconv(text, encoding));
      const found = await page.$eval("#from", (from) => from.value);
      assert.equal((await browser.output(page)).toString(), text, `from ${found}`);
      assert.match(await textOf(page, "#summary"), /Confidence: (certain|likely|guess), probability [\d.]+ %/);
      assert.equal((await page.$$(".candidate")).length, 3);
    });
  }
});

onPage("a text is encoded as iconv encodes it", async (page) => {
  for (const [language, encoding] of [["ja", "SHIFT_JIS"], ["ru", "KOI8-R"], ["zh", "GB18030"], ["de", "UTF-16BE"]]) {
    const text = await textFor(language, encoding);
    await browser.choose(page, "text.txt", text);
    await setOptions(page, { to: encoding });
    assert.deepEqual(await browser.output(page), iconv(text, encoding), encoding);
  }
});

onPage("malformed bytes are marked with line, byte and bytes", async (page) => {
  await browser.choose(page, "malformed.txt", Buffer.from("one\ntwo \xE9 three\n\xFF\xFE four\n", "latin1"));
  await setOptions(page, { from: "UTF-8" });
  const column = '.candidate[data-encoding="UTF-8"]';
  const marks = await page.$$eval(`${column} mark`, (marks) => marks.map((mark) => [mark.textContent, mark.title]));
  assert.deepEqual(marks, [
    ["⟨E9⟩", "line 2, byte 8: E9"], ["⟨FF⟩", "line 3, byte 16: FF"], ["⟨FE⟩", "line 3, byte 17: FE"],
  ]);
  assert.match(await textOf(page, column), /3 malformed sequences:line 2, byte 8: E9line 3, byte 16: FF/);
  assert.match(await textOf(page, "#changes-summary"), /would stop at an error: 2:5: byte 8: invalid UTF-8 sequence E9/);
  assert.match(await browser.convert(page), /^Stopped at an error: 2:5: byte 8/);
  await setOptions(page, { on_invalid: "replace" });
  assert.equal((await browser.output(page)).toString(), "one\ntwo \uFFFD three\n\uFFFD\uFFFD four\n");
  const rows = await page.$$eval("#errors tbody tr", (rows) =>
    rows.map((row) => [...row.cells].slice(0, 4).map((cell) => cell.textContent)));
  assert.deepEqual(rows, [["2", "5", "8", "E9"], ["3", "1", "16", "FF"], ["3", "2", "17", "FE"]]);
});

onPage("an error after 100 kB of ASCII is in the preview", async (page) => {
  const head = "only ASCII\n".repeat(10_000);
  await browser.choose(page, "late.txt", Buffer.from(`${head}caf\xE9 \x80\n`, "latin1"));
  await setOptions(page, { from: "UTF-8" });
  const titles = await page.$$eval('.candidate[data-encoding="UTF-8"] mark', (marks) => marks.map((mark) => mark.title));
  assert.deepEqual(titles, ["line 10001, byte 110003: E9", "line 10001, byte 110005: 80"]);
});

// Options, and a file for which they do something.
const OPTIONS = [
  [{ to: "UTF-16LE", bom: "add", newline: "crlf" }, "é\nü\n"],
  [{ to: "US-ASCII", on_unmappable: "xml" }, "10 € 日本\n"],
  [{ to: "ISO-8859-1", on_unmappable: "translit" }, "“10 €” – Łódź\n"],
  [{ to: "ISO-8859-1", on_unmappable: "java" }, "日本 😀\n"],
  [{ repair: true }, "cafÃ© â€œFÃ¼ÃŸeâ€¦\n"],
  [{ via: "html:decode nfd" }, "caf&eacute; &amp; &#x1F600;\n"],
  [{ bom: "strip", newline: "lf" }, "\uFEFFone\r\ntwo\r\n"],
  [{ to: "UTF-8/base64", newline: "crlf" }, "one\ntwo\n"],
  [{ from: "UTF-8/qp", to: "UTF-7" }, "Gr=C3=BC=C3=9Fe\n"],
  [{ from: "UTF-8", on_invalid: "backslash" }, Buffer.from("caf\xE9 \xFF\n", "latin1")],
];

// Runs the command line that the page shows, in a directory with the file.
async function runShownCommand(page, name, bytes) {
  const directory = path.join(browser.directory, "run");
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
  await writeFile(path.join(directory, name), bytes);
  const line = await textOf(page, "#command");
  assert.match(line, /^charpipe /);
  try {
    execFileSync("bash", ["-c", line], {
      cwd: directory, stdio: "pipe", env: { ...process.env, PATH: `${path.dirname(command)}:${process.env.PATH}` },
    });
  } catch (error) {
    // 1: there were errors in the data.
    assert.equal(error.status, 1, String(error.stderr));
  }
  const names = (await readdir(directory)).filter((found) => found !== name);
  assert.equal(names.length, 1, `${line}: ${names}`);
  return readFile(path.join(directory, names[0]));
}

onPage("the shown command line writes the same bytes", async (page) => {
  for (const [options, content] of OPTIONS) {
    await browser.choose(page, "text.txt", content);
    const empty = { from: "UTF-8", to: "UTF-8", via: "", newline: "", bom: "", on_invalid: "", on_unmappable: "", repair: false };
    await setOptions(page, { ...empty, ...options });
    const output = await browser.output(page);
    assert.ok(output.length > 0);
    assert.deepEqual(await runShownCommand(page, "text.txt", content), output, JSON.stringify(options));
  }
});

const INVISIBLE = /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u;
const NAMES = [
  "<img src=x onerror=globalThis.injected=1>.txt", "a'b\"c`touch injected`$(touch injected);touch injected #.txt", "-rf",
  "two\nlines.txt", "\u202Etxt.exe", "tab\tand\x1b[31m.txt", "back\\slash 100%.txt", "'; touch injected; '.txt", "é 日本 😀.txt",
];
const HOSTILE = "</script><script>globalThis.injected=1</script><img src=x onerror=globalThis.injected=1>\n" +
  "\u202Egnp.exe\u2066 \x1b[31m \0 \x85 a\u200Bb\n{{7*7}} ${7*7} é\n";

onPage("names and content of files only ever become visible text", async (page) => {
  const count = () => page.evaluate(() => document.querySelectorAll("script, img, iframe, object, embed, svg, style").length);
  const elements = await count();
  for (const name of NAMES) {
    await browser.choose(page, name, HOSTILE);
    await setOptions(page, { from: "UTF-8", newline: "crlf", via: "" });
    const output = await browser.output(page);
    assert.equal(output.toString(), HOSTILE.replaceAll("\n", "\r\n"));
    const texts = await page.evaluate(() => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) =>
        (node.parentElement.closest("script") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
      const found = [];
      while (walker.nextNode()) found.push(walker.currentNode.data);
      return found;
    });
    assert.deepEqual(texts.filter((text) => INVISIBLE.test(text)), [], name);
    assert.ok(texts.some((text) => text.includes("⟨U+202E⟩")));
    assert.equal(await page.evaluate(() => globalThis.injected), undefined, name);
    assert.equal(await count(), elements, name);
    assert.deepEqual(await runShownCommand(page, name, HOSTILE), output, name);
  }
});

onPage("every field refers to its error", async (page) => {
  const fields = await page.$$eval(".field-error", (errors) => errors.map(({ id }) =>
    [id, document.getElementById(id.replace("-error", "")).getAttribute("aria-describedby")]));
  assert.ok(fields.length > 5);
  for (const [id, described] of fields) assert.ok(described?.split(" ").includes(id), id);
});

onPage("options that are not valid are shown at their field", async (page) => {
  await browser.choose(page, "text.txt", "é\n");
  for (const [field, value] of [["from", "utf-99"], ["to", "<b>x</b>"], ["via", "nothing"]]) {
    await setOptions(page, { from: "UTF-8", to: "UTF-8", via: "", [field]: value });
    assert.match(await textOf(page, `#${field}-error`), /unknown|not/);
    assert.equal(await page.$eval(`#${field}`, (found) => found.getAttribute("aria-invalid")), "true");
    assert.equal(await page.$eval("#convert", (button) => button.disabled), true);
  }
  await setOptions(page, { from: "UTF-8", to: "UTF-8", via: "" });
  assert.equal(await page.$eval("#convert", (button) => button.disabled), false);
});

onPage("pasted text, hexadecimal digits and base64 are read", async (page) => {
  await page.click("#paste-details summary");
  for (const [kind, text, expected] of [
    ["text", "café\n", "café\n"], ["hex", "63 61 66 E9", "café"], ["hex", "\\xcf\\xf0\\xe8\\xe2\\xe5\\xf2", "Привет"],
    ["base64", "Y2Fmw6k=", "café"],
  ]) {
    await page.$eval("#paste", (field, text) => { field.value = text; }, text);
    await page.select("#paste-kind", kind);
    await page.evaluate(() => { document.getElementById("status").textContent = ""; });
    await page.click("#paste-use");
    await waitForText(page, "#status", /pasted\.txt, .*\.$/);
    await idle(page);
    if (kind === "hex") await setOptions(page, { from: expected === "café" ? "latin1" : "cp1251" });
    assert.equal((await browser.output(page)).toString(), expected);
  }
  await page.$eval("#paste", (field) => { field.value = "6"; });
  await page.select("#paste-kind", "hex");
  await page.click("#paste-use");
  await waitForText(page, "#paste-error", /odd/);
});

onPage("empty and binary files are named as such", async (page) => {
  await browser.choose(page, "empty.txt", "");
  assert.match(await textOf(page, "#summary"), /empty/);
  await browser.choose(page, "picture.png", Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000", "hex"));
  assert.match(await textOf(page, "#summary"), /not text/);
});

onPage("the page makes no requests, and its policy forbids them", async (page) => {
  await browser.choose(page, "text.txt", "é\n");
  await browser.convert(page);
  assert.deepEqual([...new Set(browser.requests)], ["/try.html"]);
  const attempts = await page.evaluate(async (url) => {
    const violations = [];
    document.addEventListener("securitypolicyviolation", (event) => violations.push(event.effectiveDirective));
    const blocked = await fetch(url + "?fetch").then(() => false, () => true);
    const image = new Image();
    image.src = url + "?image";
    const script = document.createElement("script");
    script.textContent = "globalThis.injected = 1";
    document.body.append(image, script);
    await new Promise((resolve) => setTimeout(resolve, 500));
    return { blocked, violations, injected: globalThis.injected };
  }, browser.url);
  assert.equal(attempts.blocked, true);
  assert.equal(attempts.injected, undefined);
  assert.ok(["connect-src", "img-src", "script-src-elem"].every((name) => attempts.violations.includes(name)), attempts.violations);
  assert.deepEqual([...new Set(browser.requests)], ["/try.html"]);
});

onPage("the page works without a network", async (page) => {
  await page.setOfflineMode(true);
  await browser.choose(page, "text.txt", Buffer.from("caf\xE9\n", "latin1"));
  await setOptions(page, { from: "latin1" });
  assert.equal((await browser.output(page)).toString(), "café\n");
}, { skip: !isChromium && "offline mode is not in WebDriver BiDi" });

test("the page works from a file", { timeout: TIMEOUT }, async () => {
  const page = await browser.open(`file://${pageFile}`);
  await browser.choose(page, "text.txt", Buffer.from("caf\xE9\n", "latin1"));
  await setOptions(page, { from: "latin1" });
  assert.equal((await browser.output(page)).toString(), "café\n");
  await page.close();
});

onPage("everything can be done with the keyboard", async (page) => {
  const active = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim());
  const tabTo = async (name) => {
    const passed = [];
    for (let step = 0; step < 60; step++) {
      await page.keyboard.press("Tab");
      passed.push(await active());
      if (passed.at(-1) === name) return passed;
    }
    assert.fail(`${name} is not reached: ${passed}`);
  };
  const first = await tabTo("Japanese");
  assert.ok(first.includes("file") && first.includes("Paste text or bytes"), first);
  await page.keyboard.press("Enter");
  await waitForText(page, "#status", /japanese\.txt, .*\.$/);
  await idle(page);
  await tabTo("to");
  await page.keyboard.down("Control");
  await page.keyboard.press("KeyA");
  await page.keyboard.up("Control");
  await page.keyboard.type("utf-16le");
  await page.keyboard.press("Escape");
  await idle(page);
  const order = await tabTo("convert");
  assert.deepEqual(order.filter((id) => ["newline", "bom", "on_invalid", "on_unmappable", "repair", "via"].includes(id)),
    ["newline", "bom", "on_invalid", "on_unmappable", "repair", "via"]);
  await page.keyboard.press("Enter");
  await waitForText(page, "#result", / → /);
  assert.equal(await active(), "download");
  assert.equal(await page.$eval("#to", (to) => to.value), "utf-16le");
  const outlines = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(outlines, "solid");
});

for (const scheme of isChromium ? ["light", "dark"] : ["light"]) {
  onPage(`axe finds nothing in the ${scheme} scheme`, async (page) => {
    if (isChromium) await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.evaluate(axe);
    const check = async () => {
      const found = await page.evaluate(() => globalThis.axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] }));
      const lines = found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 200)).join("; ")}`);
      assert.deepEqual(lines, []);
    };
    await check();
    await browser.choose(page, "malformed.txt", Buffer.from("name\r\nJos\xE9 \u0007\r\nM\xC3\xA1laga\r\n", "latin1"));
    await setOptions(page, { from: "UTF-8", on_invalid: "replace", newline: "lf" });
    await page.evaluate(() => document.querySelectorAll("details").forEach((found) => { found.open = true; }));
    await check();
    await browser.convert(page);
    await setOptions(page, { from: "nothing" });
    await check();
  });
}

// Screenshots for people, and nothing wider than the screen.
for (const [width, scheme] of isChromium ? [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"]] : [[1280, "light"], [390, "light"]]) {
  onPage(`the page fits ${width} pixels in the ${scheme} scheme`, async (page) => {
    await page.setViewport({ width, height: 900 });
    if (isChromium) await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await mkdir(screenshotDirectory, { recursive: true });
    const fits = async (state) => {
      const name = [isChromium ? "chromium" : "firefox", width, scheme, state].join("-");
      await page.screenshot({ path: path.join(screenshotDirectory, `${name}.png`), fullPage: true });
      const [content, visible] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(content <= visible, `${state}: ${content} > ${visible}`);
    };
    await fits("start");
    const sample = "name;city\r\nJos\xE9;Paris\r\n\xABGr\xFC\xDFe\xBB;M\xFCnchen\r\n\u0007bell;tab\there\r\n" + "x".repeat(200) + "\xE9\r\n";
    await browser.choose(page, `${"a long name ".repeat(8)}.csv`, Buffer.from(sample, "latin1"));
    await setOptions(page, { newline: "lf" });
    await fits("detected");
    await setOptions(page, { from: "UTF-8", on_invalid: "replace", via: "nfc html:decode" });
    await browser.convert(page);
    await page.evaluate(() => document.querySelectorAll("details").forEach((found) => { found.open = true; }));
    await fits("converted");
    await browser.choose(page, "garbled.txt", "cafÃ© â€œFÃ¼ÃŸeâ€¦\nplain\n\u202Ebidi\u202C שלום abc\n");
    await setOptions(page, { from: "UTF-8", on_invalid: "", via: "", newline: "", repair: true, to: "latin1" });
    await fits("repair");
    await setOptions(page, { to: "nothing" });
    await fits("invalid");
  });
}

async function sha256(file) {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}

// Writes a file of ISO-8859-1 with this number of million bytes.
async function writeLarge(megabytes) {
  const file = path.join(browser.directory, "large.txt");
  const line = Buffer.from("Die Gr\xF6\xDFe der Datei ist f\xFCr den Browser kein Hindernis; caf\xE9, na\xEFve, 0123456789.\r\n", "latin1");
  const block = Buffer.concat(Array.from({ length: Math.ceil(1e6 / line.length) }, () => line)).subarray(0, 1e6);
  const handle = await open(file, "w");
  for (let written = 0; written < megabytes; written++) await handle.write(block);
  await handle.close();
  return file;
}

onPage("a large file is converted in bounded memory, as iconv converts it", async (page, context) => {
  // More, such as 1000, take a minute.
  const megabytes = Number(process.env.CHARPIPE_SITE_MEGABYTES ?? (isChromium ? 200 : 60));
  const file = await writeLarge(megabytes);
  await browser.chooseFile(page, file);
  await setOptions(page, { from: "ISO-8859-1" });
  const start = browser.memory();
  let peak = start;
  const sampler = setInterval(() => { peak = Math.max(peak, browser.memory()); }, 100);
  await browser.convert(page);
  clearInterval(sampler);
  const seconds = await page.$eval("#result", (result) => Number(result.dataset.milliseconds) / 1000);
  context.diagnostic(`${(megabytes / seconds).toFixed(0)} MB/s; ${((peak - start) / 1e6).toFixed(0)} MB more memory`);
  if (isChromium) assert.ok(peak - start < 100e6, `${peak - start} bytes`);
  const output = await browser.download(page);
  const expected = execFileSync("bash", ["-c", 'iconv -f latin1 -t utf-8 "$1" | sha256sum', "bash", file]);
  assert.equal(await sha256(output), expected.toString().slice(0, 64));
  await rm(output);
});

onPage("a conversion can be canceled, and started again", async (page) => {
  await browser.chooseFile(page, await writeLarge(100));
  await setOptions(page, { from: "ISO-8859-1", to: "GB18030", via: "nfd nfc nfd nfc" });
  await page.click("#convert");
  await page.waitForFunction(() => document.getElementById("progress").value > 0, { polling: 20 });
  await page.click("#cancel");
  await waitForText(page, "#result", /Canceled/);
  assert.equal(await page.$eval("#download", (link) => link.hidden), true);
  await browser.choose(page, "text.txt", "é\n");
  await setOptions(page, { from: "UTF-8", to: "UTF-8", via: "" });
  assert.equal((await browser.output(page)).toString(), "é\n");
});
