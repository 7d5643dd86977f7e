// Starts a browser, a server of the page, and what tests do with the page.

import { createServer } from "node:http";
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import puppeteer from "puppeteer-core";

const root = path.resolve(import.meta.dirname, "../..");
export const pageFile = process.env.CHARPIPE_SITE_PAGE ?? path.join(root, "target/site/try.html");
export const screenshotDirectory = path.join(root, "target/site/screenshots");
export const browserName = process.env.CHARPIPE_SITE_BROWSER ?? "chromium";
export const isChromium = browserName === "chromium";
export const command = process.env.CHARPIPE_COMMAND ?? path.join(root, "target/debug/charpipe");
// Longer than anything takes on a busy machine.
export const TIMEOUT = 120_000;

function executable() {
  const names = isChromium ? ["chromium", "google-chrome", "chromium-browser"] : ["firefox-esr", "firefox"];
  for (const directory of process.env.PATH.split(":")) {
    const found = names.map((name) => path.join(directory, name)).find(existsSync);
    if (found) return found;
  }
  throw new Error(`${browserName} is not installed`);
}

export class TestBrowser {
  static async start() {
    const self = new TestBrowser();
    self.directory = await mkdtemp(path.join(tmpdir(), "charpipe-site-"));
    self.requests = [];
    const page = await readFile(pageFile);
    self.server = createServer((request, response) => {
      self.requests.push(request.url);
      response.writeHead(request.url === "/try.html" ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
      response.end(request.url === "/try.html" ? page : "");
    });
    await new Promise((resolve) => self.server.listen(0, "127.0.0.1", resolve));
    self.url = `http://127.0.0.1:${self.server.address().port}/try.html`;
    self.browser = await puppeteer.launch({
      browser: isChromium ? "chrome" : "firefox",
      executablePath: executable(),
      args: isChromium ? ["--no-sandbox", "--disable-dev-shm-usage"] : [],
      downloadBehavior: { policy: "allow", downloadPath: self.directory },
      extraPrefsFirefox: {
        "browser.download.folderList": 2,
        "browser.download.dir": self.directory,
        "browser.download.useDownloadDir": true,
        "browser.download.always_ask_before_handling_new_types": false,
        "browser.download.alwaysOpenPanel": false,
      },
      protocolTimeout: 4 * TIMEOUT,
    });
    return self;
  }

  // Opens the page and waits until the module has been started.
  async open(url = this.url) {
    const page = await this.browser.newPage();
    page.setDefaultTimeout(TIMEOUT);
    await page.goto(url);
    await waitForText(page, "#status", /Ready\./);
    return page;
  }

  // Writes a file and chooses it on the page.
  async choose(page, name, bytes) {
    const file = path.join(this.directory, name);
    await writeFile(file, bytes);
    await this.chooseFile(page, file);
    return file;
  }

  async chooseFile(page, file) {
    await page.evaluate(() => { document.getElementById("status").textContent = ""; document.getElementById("file").value = ""; });
    const input = await page.$("#file");
    await input.uploadFile(file);
    await waitForText(page, "#status", /: .*\.$/s);
    await idle(page);
  }

  // Clicks on the download link, and returns the path of the file when it is complete.
  async download(page) {
    const before = new Set(await readdir(this.directory));
    await page.click("#download");
    for (let attempt = 0; attempt < TIMEOUT / 50; attempt++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const names = (await readdir(this.directory)).filter((name) => !before.has(name));
      const isPartial = (name) => /\.(crdownload|part)$|^\.org\.chromium/.test(name);
      if (names.length === 1 && !isPartial(names[0])) {
        const file = path.join(this.directory, names[0]);
        if ((await stat(file)).size > 0 || attempt > 40) return file;
      }
    }
    throw new Error("the file was not downloaded");
  }

  async convert(page) {
    await page.click("#convert");
    await waitForText(page, "#result", / → /);
    return page.$eval("#result", (result) => result.textContent);
  }

  // Converts, and returns the bytes of the output.
  async output(page) {
    await this.convert(page);
    const file = await this.download(page);
    const bytes = await readFile(file);
    await rm(file);
    return bytes;
  }

  // Returns the memory of all processes of the browser that is not shared with files, in bytes.
  memory() {
    const parents = new Map();
    for (const name of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        const text = readFileSync(`/proc/${name}/stat`, "utf8");
        parents.set(Number(name), Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]));
      } catch { /* It has ended. */ }
    }
    const isOurs = (id) => {
      for (let at = id; at > 1; at = parents.get(at) ?? 0) if (at === this.browser.process().pid) return true;
      return false;
    };
    let total = 0;
    for (const id of [...parents.keys()].filter(isOurs)) {
      try {
        total += Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1] ?? 0) * 1024;
      } catch { /* It has ended. */ }
    }
    return total;
  }

  async close() {
    await this.browser.close();
    this.server.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}

export async function waitForText(page, selector, pattern) {
  await page.waitForFunction((selector, source, flags) =>
    new RegExp(source, flags).test(document.querySelector(selector).textContent), { timeout: TIMEOUT, polling: 50 },
  selector, pattern.source, pattern.flags);
}

// Waits until the preview shows the options.
export async function idle(page) {
  await new Promise((resolve) => setTimeout(resolve, 250));
  await page.waitForFunction(() => document.body.dataset.pending === "0", { timeout: TIMEOUT, polling: 50 });
}

// Sets fields of the form.
export async function setOptions(page, options) {
  await page.evaluate((options) => {
    for (const [id, value] of Object.entries(options)) {
      const field = document.getElementById(id);
      if (field.type === "checkbox") field.checked = value;
      else field.value = value;
    }
    document.getElementById("form").dispatchEvent(new Event("input", { bubbles: true }));
  }, options);
  await idle(page);
}

export function textOf(page, selector) {
  return page.$eval(selector, (found) => found.textContent);
}

export function iconv(text, encoding) {
  return execFileSync("iconv", ["-f", "utf-8", "-t", encoding], { input: text, maxBuffer: 1 << 30 });
}
