// Takes the pictures of the tour in docs/studio.md, as large as they are on the screen:
// `node tests/browser/tour.mjs FOLDER`. `cargo xtask studio --tour` makes them small and puts them there.
// TOUR names the parts to take, DPR the pixels to one of the page.
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { atRest, browse, folder, PATIENCE, picture, ready, scanned, serve, test$, visit, write } from "./program.mjs";

const out = resolve(process.argv[2] ?? "tour");
mkdirSync(out, { recursive: true });
const here = folder();
const studio = await serve("demo", here);
const browser = await browse();

async function shot(page, name) {
  await picture(page);
  await page.mouse.move(640, 4);
  await wait(page, 300);
  await atRest(page);
  await page.screenshot({ path: join(out, `${name}.png`), timeout: 120_000 * PATIENCE });
  console.log(name);
}

const wait = (page, ms) => page.waitForTimeout(ms * PATIENCE);

/** Turns and zooms the view by the mouse, as a visitor does. */
async function look(page, { turn = [0, 0], zoom = 0 }) {
  const box = await page.locator("canvas.stage").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  if (turn[0] || turn[1]) {
    await page.mouse.down();
    await page.mouse.move(x + turn[0], y + turn[1], { steps: 3 });
    await page.mouse.up();
  }
  for (let i = 0; i < Math.abs(zoom); i++) await page.mouse.wheel(0, zoom > 0 ? -300 : 300);
  await page.mouse.move(box.x + 5, box.y + box.height - 200);
  await wait(page, 700);
}

const wanted = new Set((process.env.TOUR ?? "demo,choose,text,point,compare,room,time,learn").split(","));
const { page } = await visit(browser, studio.address);
await ready(page);
if (wanted.has("demo") || wanted.has("choose")) {
  await shot(page, "world");
  await page.click(test$("choose"));
  await wait(page, 2500);
  await shot(page, "choose");
  await page.keyboard.press("Escape");
}
if (wanted.has("demo")) {
  await page.click(test$("scan"));
  await scanned(page, 1);
  await wait(page, 1500);
  await shot(page, "scan");
  await page.selectOption(test$("colour-by"), "label");
  await wait(page, 1500);
  await shot(page, "labels");
}
if (wanted.has("point")) {
  await page.selectOption(test$("colour-by"), "intensity");
  await wait(page, 800);
  const box = await page.locator("canvas.stage").boundingBox();
  for (const [x, y] of [[0.62, 0.6], [0.66, 0.5], [0.4, 0.55], [0.7, 0.4]]) {
    await page.mouse.click(box.x + box.width * x, box.y + box.height * y);
    if (await page.waitForSelector(test$("pulse"), { timeout: 8_000 * PATIENCE }).catch(() => null)) break;
  }
  await wait(page, 1000);
  await shot(page, "point");
  await page.click(test$("tab-look"));
}
if (wanted.has("text")) {
  await page.click(test$("tab-both"));
  const text = await page.locator(test$("text")).inputValue();
  await write(page, text.replace("duration_s = 0.2", "duration_s = -0.2"));
  await page.waitForSelector(test$("bad-line"));
  await wait(page, 800);
  await shot(page, "mistake");
  await write(page, text);
  await page.click(test$("tab-form"));
}
if (wanted.has("compare")) {
  await page.click(test$("sensor"));
  await page.getByPlaceholder("Which sensor?").fill("vlp-16");
  await wait(page, 500);
  await shot(page, "sensors");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /VLP-16/i.test(document.querySelector("[data-test=sensor]").textContent));
  await page.click(test$("scan"));
  await scanned(page, 2);
  await page.selectOption(test$("colour-by"), "height_m");
  await page.click(test$("tab-compare"));
  await page.click(test$("compare-side"));
  await page.click(test$("compare-figures"));
  await page.waitForSelector(`${test$("figures")} .figure`, { timeout: 60_000 * PATIENCE }).catch(() => null);
  await wait(page, 1500);
  await shot(page, "compare");
  await page.click(test$("compare-difference"));
  await page.waitForFunction(() => document.querySelector("[data-test=legend]")?.textContent.includes("difference"));
  await wait(page, 1500);
  await shot(page, "difference");
  await page.selectOption(test$("colour-by"), "height_m").catch(() => {});
  await page.click(test$("compare-off"));
  await page.keyboard.press("t");
  await page.click(test$("tab-look"));
  await page.selectOption(test$("colour-by"), "height_m");
  await wait(page, 1500);
  await shot(page, "light");
  await page.keyboard.press("t");
}
await page.context().close();

if (wanted.has("room")) {
  const { page: room } = await visit(browser, studio.address);
  await ready(room);
  await room.click(test$("choose"));
  await room.locator(test$("chooser")).getByPlaceholder("Search").fill("first-scan");
  await room.click("[data-scenario=first-scan]");
  await room.waitForFunction(() => document.querySelector(".scenario-button .name")?.textContent === "first-scan");
  await wait(room, 1500);
  const before = await room.locator(".layer").count();
  await room.click(test$("scan"));
  await scanned(room, before + 1);
  await wait(room, 1500);
  await shot(room, "room");
  await room.context().close();
}

if (wanted.has("time")) {
  const { page: moving } = await visit(browser, studio.address);
  await ready(moving);
  await moving.click(test$("choose"));
  await moving.locator(test$("chooser")).getByPlaceholder("Search").fill("people-walking");
  await moving.click("[data-scenario=people-walking]");
  await moving.waitForFunction(() => document.querySelector(".scenario-button .name")?.textContent === "people-walking");
  await wait(moving, 2500);
  const before = await moving.locator(".layer").count();
  await moving.click(test$("scan"));
  await scanned(moving, before + 1);
  await moving.locator(test$("time")).evaluate((slider) => {
    slider.value = String(Number(slider.max) * 0.45);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await look(moving, { zoom: 2 });
  await wait(moving, 1500);
  await shot(moving, "time");
  await moving.context().close();
}
if (wanted.has("learn")) {
  const { page: learning } = await visit(browser, studio.address);
  await ready(learning);
  await wait(learning, 1500);
  const before = await learning.locator(".layer").count();
  // A scan serves as a recording of which the sensor is known.
  await learning.click(test$("scan"));
  await scanned(learning, before + 1);
  await learning.locator(".layer").last().locator(test$("layer-menu")).click();
  await learning.locator(".menu .item", { hasText: "Learn a site" }).click();
  await learning.selectOption(test$("learn-model"), "voxel");
  await learning.click(test$("learn-start"));
  await learning.waitForSelector(test$("learn-scan"), { timeout: 240_000 * PATIENCE });
  const recorded = await learning.locator(".layer").count();
  await learning.click(test$("learn-scan"));
  await scanned(learning, recorded + 1);
  await learning.click(test$("tab-compare"));
  await learning.click(test$("compare-figures"));
  await learning.waitForSelector(`${test$("figures")} .figure`, { timeout: 60_000 * PATIENCE });
  await wait(learning, 1500);
  await shot(learning, "learned");
  await learning.context().close();
}
await browser.close();
await studio.stop();
