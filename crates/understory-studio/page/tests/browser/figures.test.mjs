// Figures: how soon the first picture and the first points are there, how fast points stream, how many
// the page holds, how long a picture takes with software WebGL. Prints what it measured; the limits are
// those of a quiet machine, times UNDERSTORY_PATIENCE.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { atRest, browse, folder, PATIENCE, ready, scanned, serve, test$, visit } from "./program.mjs";

const here = folder();
let studio, browser;
before(async () => {
  studio = await serve("demo", here);
  browser = await browse();
});
after(async () => {
  await browser?.close();
  await studio?.stop();
});

/** A page whose picture is 640 × 360: the sides take the rest. It is closed with its test. */
async function small(t, address) {
  const { page, mistakes } = await visit(browser, address, { width: 1284, height: 480 });
  t.after(() => page.context().close());
  return { page, mistakes };
}

const mark = (page, name) => page.waitForFunction((wanted) => performance.getEntriesByName(wanted)[0]?.startTime, name, { timeout: 120_000 }).then((handle) => handle.jsonValue());

test("the first picture of the demo comes within 2 s, the first points within 0.5 s of the click", async (t) => {
  // Once before, so that the world is built as it is for a page that is opened again.
  const { page: warm } = await small(t, studio.address);
  t.diagnostic(`first picture, cold (the program builds the world): ${Math.round(await mark(warm, "understory-first-picture"))} ms`);
  await warm.context().close();
  const { page, mistakes } = await small(t, studio.address);
  const picture = await mark(page, "understory-first-picture");
  t.diagnostic(`first picture: ${Math.round(picture)} ms`);
  await ready(page);
  await page.evaluate(() => document.querySelector("[data-test=scan]").addEventListener("click", () => performance.mark("click"), { capture: true }));
  await page.keyboard.press("Control+Enter");
  await page.evaluate(() => performance.mark("click"));
  const points = (await mark(page, "understory-first-points")) - (await mark(page, "click"));
  t.diagnostic(`first points: ${Math.round(points)} ms after the click`);
  const count = await scanned(page);
  t.diagnostic(`${count} points of the demo`);
  assert.ok(picture < 2_000 * PATIENCE, `${picture} ms`);
  assert.ok(points < 500 * PATIENCE, `${points} ms`);
  assert.deepEqual(mistakes, []);
});

test("a million points stream within a second", async (t) => {
  const { page } = await small(t, studio.address);
  await page.waitForSelector(".layer[data-state=done]", { timeout: 60_000 });
  const [points, bytes, ms] = await page.evaluate(async () => {
    const token = localStorage.getItem("understory-token");
    const layers = await (await fetch("/api/layers", { headers: { "X-Understory-Token": token } })).json();
    const layer = layers.find((one) => one.state === "done");
    let [points, bytes] = [0, 0];
    const start = performance.now();
    while (points < 1_000_000) {
      const answer = await fetch(`/api/layers/${layer.id}/stream?columns=range_m,intensity&from=0`, { headers: { "X-Understory-Token": token } });
      const reader = answer.body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        bytes += value.length;
      }
      points += layer.points;
    }
    return [points, bytes, performance.now() - start];
  });
  const million = (ms / points) * 1e6;
  t.diagnostic(`${points} points, ${(bytes / 1e6).toFixed(1)} MB in ${Math.round(ms)} ms: ${Math.round(million)} ms for a million`);
  assert.ok(million < 1_000 * PATIENCE, `${million} ms`);
});

test("frame times with 50 000 points at 640 × 360", async (t) => {
  const own = await serve("first-scan", here);
  t.after(() => own.stop());
  const { page } = await small(t, own.address);
  await ready(page);
  await page.keyboard.press("Control+Enter");
  await scanned(page, 1);
  await page.keyboard.press("Control+Enter");
  await scanned(page, 2);
  await page.evaluate(() => {
    const stage = document.querySelector(".stage-box");
    stage.style.width = "640px";
    stage.style.height = "360px";
  });
  await page.locator("canvas.stage").focus();
  const points = await page.evaluate(() => [...document.querySelectorAll(".layer")].reduce((sum, layer) => sum + Number(layer.dataset.points), 0));
  await page.keyboard.down("ArrowLeft");
  const times = await page.evaluate(() => new Promise((done) => {
    const times = [];
    let before = performance.now();
    const step = (now) => {
      times.push(now - before);
      before = now;
      if (times.length < 40) requestAnimationFrame(step);
      else done(times.slice(5).sort((a, b) => a - b));
    };
    requestAnimationFrame(step);
  }));
  await page.keyboard.up("ArrowLeft");
  t.diagnostic(`${points} points while turning: median ${times[17].toFixed(0)} ms, 90 % ${times[31].toFixed(0)} ms a picture`);
  assert.ok(times[17] < 250 * PATIENCE);
});

test("the page holds 5 million points and answers", async (t) => {
  const { page, mistakes } = await small(t, studio.address);
  await page.waitForSelector(".layer[data-state=done]", { timeout: 60_000 });
  const one = await page.evaluate(() => Number(document.querySelector(".layer[data-state=done]").dataset.points));
  // The program's own blocks of one layer, served again and again as parts of one long scan.
  const layer = await page.evaluate(() => Number(document.querySelector(".layer[data-state=done]").dataset.layer));
  const times = Math.ceil(5_000_000 / one);
  const { page: large, mistakes: wrong } = await small(t, "about:blank");
  await large.addInitScript(({ layer, times, one }) => {
    const plain = window.fetch;
    window.fetch = async (where, options) => {
      if (!String(where).includes(`/layers/${layer}/stream`)) return plain(where, options);
      const bytes = new Uint8Array(await (await plain(where, options)).arrayBuffer());
      const view = new DataView(bytes.buffer);
      const blocks = [];
      for (let at = 0; at < bytes.length; ) {
        const head = view.getUint32(at + 4, true);
        const length = 16 + head + Number(view.getBigUint64(at + 8, true));
        blocks.push(bytes.slice(at, at + length));
        at += length;
      }
      let round = 0;
      return new Response(new ReadableStream({
        pull(controller) {
          for (const block of blocks) {
            const head = new DataView(block.buffer).getUint32(4, true);
            const header = JSON.parse(new TextDecoder().decode(block.subarray(16, 16 + head)));
            if (header.kind !== "points") continue;
            // Each round is 200 m beside the one before it, and numbered after it.
            const text = JSON.stringify({ ...header, extra: { ...header.extra, first: header.extra.first + round * one } });
            const padded = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 8) * 8, " "));
            const out = new Uint8Array(16 + padded.length + block.length - 16 - head);
            out.set(block.subarray(0, 16));
            new DataView(out.buffer).setUint32(4, padded.length, true);
            out.set(padded, 16);
            out.set(block.subarray(16 + head), 16 + padded.length);
            controller.enqueue(out);
          }
          if (++round >= times) controller.close();
        },
      }));
    };
  }, { layer, times, one });
  const start = Date.now();
  await large.goto(studio.address);
  await large.waitForFunction((wanted) => [...document.querySelectorAll(".layer")].some((row) => Number(row.dataset.points) >= wanted), 5_000_000, { timeout: 240_000 * PATIENCE });
  const seconds = (Date.now() - start) / 1000;
  const heap = await large.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
  const points = await large.evaluate(() => Math.max(...[...document.querySelectorAll(".layer")].map((row) => Number(row.dataset.points))));
  t.diagnostic(`${points} points in the page after ${seconds.toFixed(1)} s, JavaScript heap ${(heap / 1e6).toFixed(0)} MB`);
  // It still answers while it is turned: pictures are samples, and the page says so.
  await large.locator("canvas.stage").focus();
  await large.keyboard.down("ArrowLeft");
  const turned = await large.evaluate(() => new Promise((done) => {
    const times = [];
    let before = performance.now();
    const step = (now) => {
      times.push(now - before);
      before = now;
      if (times.length < 30) requestAnimationFrame(step);
      else done({ times: times.slice(5).sort((a, b) => a - b), said: document.querySelector("[data-test=status]").textContent });
    };
    requestAnimationFrame(step);
  }));
  await large.keyboard.up("ArrowLeft");
  t.diagnostic(`${turned.said}; while turning the page answers after ${turned.times[12].toFixed(0)} ms (median), ${turned.times[24].toFixed(0)} ms at most`);
  assert.match(turned.said, / of \S+ M points/);
  assert.ok(turned.times[24] < 1_000 * PATIENCE, `${turned.times[24]} ms without an answer`);
  // At rest all of them are drawn.
  const rest = Date.now();
  await atRest(large);
  t.diagnostic(`all of them are in the picture ${((Date.now() - rest) / 1000).toFixed(1)} s later`);
  // Another column's colours.
  await large.selectOption(test$("colour-by"), "intensity");
  await large.waitForFunction(() => document.querySelector("[data-test=legend]")?.textContent.includes("intensity"), null, { timeout: 120_000 * PATIENCE });
  assert.deepEqual([...mistakes, ...wrong], []);
});
