// One way through the studio, quick enough for every day: choose, scan, count, colour, click, edit, export.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { join } from "node:path";
import { browse, changed, folder, picture, ready, scanned, serve, test$, understory, visit } from "./program.mjs";

test("choose, scan, look, click, edit, export", async (t) => {
  const here = folder();
  understory("run", "first-scan", "--out", here, "--format", "csv");
  const rows = readFileSync(join(here, "first-scan.csv"), "utf8").trim().split("\n").filter((line) => !line.startsWith("#"));
  const names = rows[0].split(",");
  const values = rows.slice(1).map((row) => row.split(","));
  const column = (name) => names.indexOf(name);
  const studio = await serve("tof-camera", here);
  t.after(() => studio.stop());
  const browser = await browse();
  t.after(() => browser.close());
  const { page, mistakes } = await visit(browser, studio.address, { width: 1000, height: 600 });
  await ready(page);
  assert.ok(!page.url().includes(studio.token), "the token leaves the address");
  await page.click(test$("choose"));
  await page.locator(test$("chooser")).getByPlaceholder("Search").fill("first-scan");
  await page.click("[data-scenario=first-scan]");
  await page.waitForFunction(() => document.querySelector(".scenario-button .name")?.textContent === "first-scan");
  await page.click(test$("scan"));
  assert.equal(await scanned(page), values.filter((row) => Number(row[column("return_number")]) > 0).length);
  const byHeight = await picture(page);
  await page.selectOption(test$("colour-by"), "label");
  await page.waitForFunction(() => document.querySelector("[data-test=legend]")?.textContent.includes("building"));
  assert.ok((await changed(page, byHeight, await picture(page))) > 0.02, "labels and heights look alike");
  // A point is picked in the range image, where there is one everywhere.
  const image = page.locator(test$("range-image"));
  const box = await image.boundingBox();
  await page.mouse.click(box.x + box.width * 0.4, box.y + box.height * 0.5);
  await page.waitForSelector(`${test$("pulse")} svg.plot .measured`, { state: "attached" });
  const told = await page.$$eval(`${test$("inspector")} [data-field]`, (fields) => Object.fromEntries(fields.map((field) => [field.dataset.field, Number(field.dataset.value)])));
  const heading = await page.locator(`${test$("inspector")} .which`).innerText();
  const row = values[Number(/row ([\d\u202f]+)/.exec(heading)[1].replaceAll("\u202f", ""))];
  for (const name of ["range_m", "intensity", "time_s", "channel", "true_range_m"]) {
    assert.ok(Math.abs(told[name] - Number(row[column(name)])) <= 1e-5 * Math.max(1, Math.abs(told[name])), `${name}: ${told[name]} in the page, ${row[column(name)]} in the file`);
  }
  const seed = page.locator('[data-path="seed"] input');
  await seed.fill("9");
  await seed.press("Enter");
  await page.click(test$("tab-text"));
  await page.waitForFunction(() => /^seed = 9$/m.test(document.querySelector("[data-test=text]").value));
  await page.locator(".layer").first().locator(test$("layer-menu")).click();
  const waiting = page.waitForEvent("download");
  await page.locator(".menu .item", { hasText: "LAZ" }).click();
  const laz = readFileSync(await (await waiting).path());
  assert.equal(laz.subarray(0, 4).toString(), "LASF");
  assert.deepEqual(mistakes, []);
});
