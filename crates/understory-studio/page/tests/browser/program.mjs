// Starts the real program and Debian's Chromium for tests.
//
// UNDERSTORY_PROGRAM names the program (else target/release or target/debug), CHROMIUM the browser,
// UNDERSTORY_PYTHON a Python that has laspy. UNDERSTORY_PAGE names a folder whose page is shown in the
// place of the one in the program, so that the page can be worked on without building the program.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../../../..");
const found = [process.env.UNDERSTORY_PROGRAM, join(root, "target/release/understory"), join(root, "target/debug/understory")].find((path) => path && existsSync(path));
if (!found) throw new Error("there is no program to test: build it by `cargo build -p understory-cli`, or name it in UNDERSTORY_PROGRAM");
export const PROGRAM = found;
/** Times on a busy machine are longer: all waits are multiplied by this. */
export const PATIENCE = Number(process.env.UNDERSTORY_PATIENCE ?? 1);

/** Runs the program to its end and gives its output. */
export function understory(...words) {
  const done = spawnSync(PROGRAM, words, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Error(`understory ${words.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

/** A folder that is gone after the tests. */
export function folder() {
  const path = mkdtempSync(join(tmpdir(), "understory-studio-"));
  process.on("exit", () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The studio, served; `stop()` ends it. */
export async function serve(scenario, where, port = 0) {
  const child = spawn(PROGRAM, ["studio", scenario, "--no-browser", "--port", String(port), "--folder", where], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  let wrong = "";
  child.stderr.on("data", (bytes) => (wrong += bytes));
  const address = await new Promise((tell, fail) => {
    child.stdout.on("data", (bytes) => {
      said += bytes;
      const match = /http:\/\/\S+/.exec(said);
      if (match) tell(match[0]);
    });
    child.on("exit", (code) => fail(new Error(`the studio ended with ${code}: ${wrong}`)));
    setTimeout(() => fail(new Error(`the studio printed no address: ${said} ${wrong}`)), 60_000 * PATIENCE).unref();
  });
  const ended = new Promise((done) => child.on("exit", done));
  return {
    address,
    port: Number(new URL(address).port),
    token: new URLSearchParams(new URL(address).hash.slice(1)).get("token"),
    stop: async () => {
      child.kill("SIGINT");
      await ended;
    },
  };
}

/** A browser whose pages report every mistake; WebGL is drawn by software. */
export async function browse({ webgl = true } = {}) {
  const drawing = webgl ? ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] : ["--disable-gpu", "--disable-3d-apis"];
  // A page that the program did not send itself may not call it, as far as the browser knows.
  const own = process.env.UNDERSTORY_PAGE ? ["--disable-features=LocalNetworkAccessChecks"] : [];
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", ...drawing, ...own] });
}

/** A page on the studio. What goes wrong in it ends up in `mistakes`. */
export async function visit(browser, address, { width = 1280, height = 720, scheme = "dark" } = {}) {
  const deviceScaleFactor = Number(process.env.DPR ?? 1);
  const context = await browser.newContext({ viewport: { width, height }, deviceScaleFactor, colorScheme: scheme, acceptDownloads: true });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000 * PATIENCE);
  const mistakes = [];
  page.on("pageerror", (error) => mistakes.push(String(error.stack ?? error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource|WebSocket|GPU stall/.test(message.text())) mistakes.push(message.text());
  });
  if (process.env.UNDERSTORY_PAGE) {
    const own = (request) => request.hostname === "127.0.0.1" && !request.pathname.startsWith("/api/");
    await context.route(own, (route) => {
      const name = new URL(route.request().url()).pathname.slice(1) || "index.html";
      return route.fulfill({ path: join(process.env.UNDERSTORY_PAGE, name) });
    });
  }
  await page.goto(address);
  return { page, mistakes, context };
}

export const test$ = (name) => `[data-test=${name}]`;

/** Waits until the world is in the picture and the program talks with the page. */
export async function ready(page) {
  await page.waitForFunction(() => /triangles/.test(document.querySelector("[data-test=status]")?.textContent ?? "") && document.querySelector(".top .dot")?.className === "dot ", null, { timeout: 60_000 * PATIENCE });
}

/** Waits until the newest layer is whole and gives its number of points. */
export async function scanned(page, count = 1) {
  await page.waitForFunction((wanted) => {
    const layers = [...document.querySelectorAll(".layer")];
    return layers.length >= wanted && layers.every((layer) => ["done", "cancelled"].includes(layer.dataset.state));
  }, count, { timeout: 120_000 * PATIENCE });
  return page.evaluate(() => Number([...document.querySelectorAll(".layer")].at(-1).dataset.points));
}

/** The share of the picture's pixels that differ clearly between two screenshots. */
export async function changed(page, before, after) {
  return page.evaluate(async ([a, b]) => {
    const read = async (text) => {
      const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext("2d");
      context.drawImage(bitmap, 0, 0);
      return context.getImageData(0, 0, bitmap.width, bitmap.height).data;
    };
    const [first, second] = [await read(a), await read(b)];
    let different = 0;
    for (let i = 0; i < first.length; i += 4) if (Math.abs(first[i] - second[i]) + Math.abs(first[i + 1] - second[i + 1]) + Math.abs(first[i + 2] - second[i + 2]) > 40) different++;
    return different / (first.length / 4);
  }, [before.toString("base64"), after.toString("base64")]);
}

/** Waits until every point is in the picture. */
export async function atRest(page) {
  await page.waitForSelector("canvas.stage[data-shown=all]", { timeout: 60_000 * PATIENCE });
}

/** A screenshot of the picture alone, after it came to rest. */
export async function picture(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await atRest(page);
  return page.locator(".stage-box").screenshot({ timeout: 60_000 * PATIENCE });
}

/** Puts a text into the editor at once, as pasting does (typing hundreds of lines one by one is slow in browsers). */
export async function write(page, text) {
  await page.locator(test$("text")).evaluate((area, words) => {
    area.value = words;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }, text);
}
