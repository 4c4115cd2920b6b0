// What is dragged in the picture stands in the text: sensors, waypoints, objects. What is saved is whole:
// a film, a pack, the world as glTF.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { browse, changed, folder, PATIENCE, picture, PROGRAM, ready, scanned, serve, test$, understory, visit } from "./program.mjs";

const SCENARIO = `version = 1
seed = 3
duration_s = 0.1
title = "A yard with a crate"

[[world.object]]
name = "ground"
shape = "plane"
size_m = [40.0, 40.0]
material = "gravel"
label = "terrain"

# The crate
[[world.object]]
name = "crate"
shape = "box"
size_m = [2.0, 2.0, 2.0]
position_m = [6.0, 5.0, 0.0]
material = "wood"
label = "building"

[[sensor]]
name = "head"
preset = "vlp-16"
position_m = [0.0, 0.0, 1.5]

[platform]
waypoints = [
    { time_s = 0.0, position_m = [-6.0, -4.0, 0.0] }, # the start
    { time_s = 0.1, position_m = [6.0, -4.0, 0.0] },
]
`;

const here = folder();
let studio, browser, page, mistakes;
before(async () => {
  writeFileSync(join(here, "yard.toml"), SCENARIO);
  studio = await serve(join(here, "yard.toml"), here);
  browser = await browse();
  ({ page, mistakes } = await visit(browser, studio.address));
  await ready(page);
  await page.click(test$("tab-both"));
});
after(async () => {
  await browser?.close();
  await studio?.stop();
});

const text = () => page.locator(test$("text")).inputValue();
/** Three numbers of the text behind some words. */
const position = (words, behind) => {
  const match = new RegExp(`${behind}.*?position_m = \\[([^\\]]*)\\]`, "s").exec(words);
  return match?.[1].split(",").map(Number);
};

/** Drags a handle by pixels, and gives how far it went in the text. */
async function drag(marker, behind, by, { shift = false } = {}) {
  await picture(page);
  await marker.hover();
  const box = await marker.boundingBox();
  const [x, y] = [box.x + 11, box.y + box.height / 2];
  const from = position(await text(), behind);
  await page.mouse.move(x, y);
  await page.mouse.down();
  if (shift) await page.keyboard.down("Shift");
  await page.mouse.move(x + by[0] / 2, y + by[1] / 2, { steps: 2 });
  await page.mouse.move(x + by[0], y + by[1], { steps: 2 });
  assert.match(await page.locator(".tip").innerText(), / m$/);
  await page.mouse.up();
  if (shift) await page.keyboard.up("Shift");
  await page.waitForFunction(([words, pattern]) => {
    const match = new RegExp(`${pattern}.*?position_m = \\[([^\\]]*)\\]`, "s").exec(document.querySelector("[data-test=text]").value);
    return match && match[1].split(",").map(Number).some((value, axis) => Math.abs(value - words[axis]) > 1e-6);
  }, [from, behind], { timeout: 10_000 * PATIENCE });
  const to = position(await text(), behind);
  // The handle stands where the world now has it: under the mouse.
  await page.waitForTimeout(600 * PATIENCE);
  const after = await marker.boundingBox();
  const off = Math.hypot(after.x - box.x - by[0], after.y - box.y - by[1]);
  assert.ok(off < 6, `the handle is ${off.toFixed(1)} pixels from the mouse`);
  return to.map((value, axis) => value - from[axis]);
}

test("a waypoint is dragged along the ground, and the path follows", async () => {
  const before = await picture(page);
  const went = await drag(page.locator(test$("marker-waypoint")).nth(1), "time_s = 0.1", [-40, 30]);
  assert.ok(Math.hypot(went[0], went[1]) > 0.5 && went[2] === 0, `${went}`);
  const words = await text();
  assert.ok(words.includes("# the start") && words.includes("time_s = 0.0, position_m = [-6.0, -4.0, 0.0]"), "the other waypoint and its comment stay");
  assert.ok((await changed(page, before, await picture(page))) > 0.001);
});

test("an object is chosen by a click, dragged, lifted with Shift and moved by keys", async () => {
  // Once for what is about the sensors, once more for everything.
  for (let i = 0; i < 2; i++) {
    await page.keyboard.press("f");
    await page.waitForTimeout(800 * PATIENCE);
  }
  // The crate is found where its handle appears.
  const box = await page.locator("canvas.stage").boundingBox();
  let found = false;
  for (let y = 40; y < box.height - 40 && !found; y += 16) {
    for (let x = 60; x < box.width - 20 && !found; x += 16) {
      await page.mouse.click(box.x + x, box.y + y);
      found = await page.locator(test$("marker-object")).filter({ hasText: "crate" }).isVisible();
    }
  }
  assert.ok(found, "no click met the crate");
  const marker = page.locator(test$("marker-object"));
  const went = await drag(marker, 'name = "crate"', [50, 20]);
  assert.ok(Math.hypot(went[0], went[1]) > 0.2 && went[2] === 0, `${went}`);
  const lifted = await drag(marker, 'name = "crate"', [0, -30], { shift: true });
  assert.ok(lifted[0] === 0 && lifted[1] === 0 && lifted[2] > 0.1, `${lifted}`);
  const from = position(await text(), 'name = "crate"');
  await marker.focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((x) => new RegExp(`position_m = \\[${x}`).test(document.querySelector("[data-test=text]").value), String(Math.round((from[0] + 0.1) * 1000) / 1000).replace(".", "\\."));
  assert.ok((await text()).includes("# The crate"));
});

test("a sensor is dragged on its platform, and Ctrl+Z brings it back", async () => {
  await page.keyboard.press("Escape");
  const before = position(await text(), 'name = "head"');
  const marker = page.locator(test$("marker-sensor")).first();
  await drag(marker, 'name = "head"', [-30, 20]);
  await page.locator("canvas.stage").focus();
  await page.keyboard.press("Control+z");
  await page.waitForFunction((old) => document.querySelector("[data-test=text]").value.includes(`position_m = [${old.map((value) => value.toFixed(1)).join(", ")}]`), before);
});

test("what was dragged is what is scanned", async () => {
  await page.click(test$("scan"));
  const points = await scanned(page, 1);
  const moved = join(here, "moved.toml");
  writeFileSync(moved, await text());
  understory("run", moved, "--out", join(here, "run"), "--format", "csv");
  const rows = readFileSync(join(here, "run", "moved.csv"), "utf8").trim().split("\n").filter((line) => !line.startsWith("#"));
  const column = rows[0].split(",").indexOf("return_number");
  assert.equal(points, rows.slice(1).filter((row) => Number(row.split(",")[column]) > 0).length);
});

/** What a click on an entry of the menu Save gives. */
async function saved(entry) {
  await page.click(test$("save"));
  const waiting = page.waitForEvent("download", { timeout: 90_000 * PATIENCE });
  await page.locator(".menu .item", { hasText: entry }).first().click();
  const download = await waiting;
  const file = join(here, download.suggestedFilename());
  await download.saveAs(file);
  return file;
}

test("the pack runs elsewhere and gives the points of the scan", async () => {
  const pack = await saved("Everything");
  const elsewhere = join(here, "elsewhere");
  mkdirSync(elsewhere);
  const ran = spawnSync(PROGRAM, ["run", pack, "--out", elsewhere, "--format", "csv"], { cwd: elsewhere, encoding: "utf8" });
  assert.equal(ran.status, 0, ran.stderr);
  const csv = readFileSync(join(elsewhere, "yard.csv"), "utf8");
  assert.equal(csv, readFileSync(join(here, "run", "moved.csv"), "utf8"), "the pack gives other rows than the text");
});

test("the world is saved as glTF with its objects", async () => {
  const bytes = readFileSync(await saved("World"));
  assert.equal(bytes.subarray(0, 4).toString(), "glTF");
  assert.equal(bytes.readUInt32LE(8), bytes.length);
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length).toString());
  const names = json.nodes.map((node) => node.name);
  assert.ok(names.some((name) => /crate/.test(name)) && names.some((name) => /ground/.test(name)), `${names}`);
});

test("a film goes once around", async () => {
  const file = await saved("Film");
  const bytes = readFileSync(file);
  assert.equal(bytes.readUInt32BE(0), 0x1a45dfa3, "no WebM");
  assert.ok(bytes.length > 20_000, `${bytes.length} bytes`);
  // The browser plays it: its pictures differ, and its size is that of the canvas.
  const played = await page.evaluate(async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const video = document.createElement("video");
    video.muted = true;
    const ended = new Promise((done) => video.addEventListener("ended", done));
    video.src = URL.createObjectURL(new Blob([bytes], { type: "video/webm" }));
    await video.play();
    const started = performance.now();
    const canvas = new OffscreenCanvas(160, 90);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    const pictures = new Set();
    const look = setInterval(() => {
      context.drawImage(video, 0, 0, 160, 90);
      pictures.add(context.getImageData(0, 0, 160, 90).data.reduce((sum, value, at) => (sum * 31 + value * (at + 1)) >>> 0, 7));
    }, 100);
    await Promise.race([ended, new Promise((done) => setTimeout(done, 30_000))]);
    clearInterval(look);
    return { width: video.videoWidth, height: video.videoHeight, seconds: (performance.now() - started) / 1000, pictures: pictures.size, stage: document.querySelector("canvas.stage").width };
  }, bytes.toString("base64"));
  assert.equal(played.width, played.stage);
  assert.ok(played.pictures >= 6 && played.seconds > 4, JSON.stringify(played));
});

test("nothing went wrong in the page", () => assert.deepEqual(mistakes, []));
