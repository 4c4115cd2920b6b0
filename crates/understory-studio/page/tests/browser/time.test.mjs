// Time, cancelling, recordings, learning; the page without the program and without WebGL.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { browse, changed, folder, PATIENCE, picture, ready, scanned, serve, test$, understory, visit } from "./program.mjs";

const here = folder();
let studio, browser;
before(async () => {
  understory("run", "p1-planes", "--out", here, "--format", "laz", "--interval", "0..0.1");
  studio = await serve("people-walking", here);
  browser = await browse();
});
after(async () => {
  await browser?.close();
  await studio?.stop();
});

test("a run that moves has a timeline: points appear with their time", async () => {
  const { page, mistakes } = await visit(browser, studio.address, { width: 1000, height: 600 });
  await ready(page);
  await page.click(test$("scan-more"));
  await page.locator(".menu .item", { hasText: "The first tenth" }).click();
  await scanned(page);
  const all = await picture(page);
  assert.ok(await page.locator(test$("timeline")).isVisible());
  await page.locator(test$("time")).evaluate((slider) => {
    slider.value = String(Number(slider.min) + (Number(slider.max) - Number(slider.min)) * 0.3);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await page.waitForTimeout(1_000 * PATIENCE);
  assert.ok((await changed(page, all, await picture(page))) > 0.01, "less is shown at 30 %");
  await page.click(test$("play"));
  const from = Number(await page.locator(test$("time")).inputValue());
  await page.waitForFunction((start) => Number(document.querySelector("[data-test=time]").value) > start, from);
  await page.click(test$("all-time"));
  assert.deepEqual(mistakes, []);
  await page.context().close();
});

test("a scan that runs is stopped and what it has stays", async () => {
  const { page, mistakes } = await visit(browser, studio.address, { width: 1000, height: 600 });
  await ready(page);
  const before = await page.locator(".layer").count();
  // Long enough to be stopped in its middle.
  const duration = page.locator('[data-path="duration_s"] input');
  await duration.fill("60");
  await duration.press("Enter");
  await page.waitForFunction(() => document.querySelector("[data-test=sensor]").title.includes("in 60 s"));
  await page.click(test$("scan"));
  await page.waitForFunction((count) => document.querySelectorAll(".layer").length > count, before);
  await page.waitForFunction(() => Number([...document.querySelectorAll(".layer")].at(-1).dataset.points) > 0, null, { timeout: 60_000 * PATIENCE });
  // While millions of points are drawn without a graphics card nothing stands still for a real click.
  await page.locator(test$("cancel")).last().dispatchEvent("click");
  await page.waitForFunction(() => [...document.querySelectorAll(".layer")].at(-1).dataset.state === "cancelled", null, { timeout: 60_000 * PATIENCE });
  const points = Number(await page.locator(".layer").last().getAttribute("data-points"));
  assert.ok(points > 0);
  assert.deepEqual(mistakes, []);
  await page.context().close();
});

test("a recording is opened, a site learned from it, scanned and compared", async () => {
  const { page, mistakes } = await visit(browser, studio.address, { width: 1280, height: 720 });
  await ready(page);
  const before = await page.locator(".layer").count();
  await page.locator(".layers button", { hasText: "Open" }).click();
  await page.locator(".table-list tr.pick", { hasText: "p1-planes.laz" }).click();
  const points = await scanned(page, before + 1);
  assert.ok(points > 1000, `${points} points of the recording`);
  await page.locator(".layer").last().locator(test$("layer-menu")).click();
  await page.locator(".menu .item", { hasText: "Learn a site" }).click();
  await page.selectOption(test$("learn-model"), "voxel");
  await page.click(test$("learn-start"));
  await page.click(test$("learn-scan"), { timeout: 120_000 * PATIENCE });
  const again = await scanned(page, before + 2);
  assert.ok(again > 0, "the learned site returns light");
  await page.click(test$("tab-compare"));
  await page.click(test$("compare-figures"));
  await page.waitForSelector(`${test$("figures")} .figure`, { timeout: 60_000 * PATIENCE });
  assert.deepEqual(mistakes, []);
  await page.context().close();
});

test("when the program is gone the page says so, and it comes back with it", async () => {
  const own = await serve("first-scan", here);
  const { page } = await visit(browser, own.address, { width: 1000, height: 600 });
  await page.waitForFunction(() => /triangles/.test(document.querySelector("[data-test=status]")?.textContent ?? ""));
  await own.stop();
  await page.waitForFunction(() => document.querySelector("[data-test=banner]")?.textContent.includes("does not answer"));
  const next = await serve("first-scan", here, own.port);
  assert.equal(next.port, own.port);
  await page.waitForFunction(() => /started anew|address that/.test(document.body.innerText), null, { timeout: 30_000 * PATIENCE });
  await page.goto(next.address);
  await page.reload();
  await page.waitForFunction(() => /triangles/.test(document.querySelector("[data-test=status]")?.textContent ?? ""));
  await page.context().close();
  await next.stop();
});

test("without a token the page says which address to open", async () => {
  const { page } = await visit(browser, `http://127.0.0.1:${studio.port}/`);
  await page.waitForSelector(test$("gate"));
  assert.match(await page.locator(test$("gate")).innerText(), /address that the program printed/i);
  await page.context().close();
});

test("without WebGL there is a message and the program's picture", async () => {
  const plain = await browse({ webgl: false });
  const { page, mistakes } = await visit(plain, studio.address, { width: 1000, height: 600 });
  await page.waitForSelector(test$("no-webgl"));
  await page.waitForFunction(() => document.querySelector("[data-test=program-picture]").width > 301, null, { timeout: 60_000 * PATIENCE });
  assert.match(await page.locator(test$("no-webgl")).innerText(), /no WebGL/);
  assert.deepEqual(mistakes.filter((text) => !/WebGL/.test(text)), []);
  await plain.close();
});
