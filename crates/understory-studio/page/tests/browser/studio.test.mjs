// The studio on the real program, as somebody uses it: choose, edit, scan, look, compare, save.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browse, changed, folder, PATIENCE, picture, ready, scanned, serve, test$, understory, visit, write } from "./program.mjs";

const here = folder();
let studio, browser, page, mistakes, context;
/** What `understory run` says of the same scenario. */
let table, columns;

before(async () => {
  understory("run", "first-scan", "--out", join(here, "run"), "--format", "csv");
  const rows = readFileSync(join(here, "run", "first-scan.csv"), "utf8").trim().split("\n").filter((line) => !line.startsWith("#"));
  columns = rows[0].split(",");
  table = rows.slice(1).map((row) => row.split(","));
  studio = await serve("demo", here);
  browser = await browse();
  ({ page, mistakes, context } = await visit(browser, studio.address));
});
after(async () => {
  await browser?.close();
  await studio?.stop();
});

/** A number of the run's table. */
const value = (row, name) => Number(table[row][columns.indexOf(name)]);
const returns = () => table.filter((row) => Number(row[columns.indexOf("return_number")]) > 0);

test("the token leaves the address", async () => {
  await page.waitForSelector(test$("scan"));
  assert.ok(!page.url().includes(studio.token), page.url());
});

test("a scenario is chosen from its card", async () => {
  await page.click(test$("choose"));
  await page.locator(test$("chooser")).getByPlaceholder("Search").fill("first-scan");
  await page.click("[data-scenario=first-scan]");
  await page.waitForFunction(() => document.querySelector(".scenario-button .name")?.textContent === "first-scan");
  await ready(page);
  assert.match(await page.locator(test$("sensor")).innerText(), /VLP-16/i);
});

test("a scan has as many points as `understory run`", async () => {
  await page.click(test$("scan"));
  const points = await scanned(page);
  assert.equal(points, returns().length);
});

test("colours change with the column", async () => {
  await page.click(test$("tab-look"));
  const shots = [];
  for (const column of ["height_m", "range_m", "intensity", "label", "object", "return_number", "range_error_m", "incidence_deg", "time_s", "channel"]) {
    await page.selectOption(test$("colour-by"), column);
    const words = { label: "building", object: "floor", height_m: "height", range_error_m: "range error", incidence_deg: "incidence", time_s: "time", range_m: "range", return_number: "return number" };
    await page.waitForFunction((word) => document.querySelector("[data-test=legend]")?.textContent.includes(word), words[column] ?? column);
    shots.push([column, await picture(page)]);
  }
  for (let i = 1; i < shots.length; i++) {
    // Every first return looks alike, so that column has one colour, which still is another picture.
    const share = await changed(page, shots[i - 1][1], shots[i][1]);
    assert.ok(share > 0.02, `${shots[i - 1][0]} and ${shots[i][0]} look alike: ${share}`);
  }
  await page.selectOption(test$("colour-by"), "height_m");
});

test("a click on a point tells the values of the file", async () => {
  const box = await page.locator("canvas.stage").boundingBox();
  for (const [x, y] of [[0.5, 0.6], [0.45, 0.5], [0.55, 0.5], [0.5, 0.4], [0.6, 0.6], [0.4, 0.65]]) {
    await page.mouse.click(box.x + box.width * x, box.y + box.height * y);
    if (await page.waitForSelector(`${test$("inspector")} [data-field=range_m]`, { timeout: 6_000 * PATIENCE }).catch(() => null)) break;
  }
  const fields = await page.$$eval(`${test$("inspector")} [data-field]`, (rows) => Object.fromEntries(rows.map((row) => [row.dataset.field, row.dataset.value])));
  const heading = await page.locator(`${test$("inspector")} .which`).innerText();
  const row = Number(/row ([\d\u202f]+)/.exec(heading)[1].replaceAll("\u202f", ""));
  for (const name of ["range_m", "intensity", "time_s", "channel", "azimuth_deg", "true_range_m", "object", "incidence_deg"]) {
    const [shown, file] = [Number(fields[name]), value(row, name)];
    assert.ok(Math.abs(shown - file) <= 1e-5 * Math.max(1, Math.abs(file)), `${name}: ${shown} in the page, ${file} in the file`);
  }
  // Its pulse: sub-rays and the detector's decision.
  await page.waitForSelector(`${test$("pulse")} svg.plot .measured`, { state: "attached" });
  assert.match(await page.locator(test$("pulse")).innerText(), /sub-rays met something/);
  assert.ok(await page.locator(test$("picked-ring")).isVisible());
});

test("the range image and the picture mark the same point", async () => {
  const image = page.locator(test$("range-image"));
  await image.waitFor();
  const box = await image.boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.6);
  await page.waitForFunction(() => !document.querySelector(".range-image .cross").hidden);
  assert.ok(await page.locator(".ring:not(.picked)").isVisible());
  await page.mouse.move(10, 300);
});

test("a key in the form changes the text, and the text changes the form", async () => {
  const seed = page.locator('[data-path="seed"] input');
  await seed.fill("9");
  await seed.press("Enter");
  await page.click(test$("tab-both"));
  await page.waitForFunction(() => /^seed = 9$/m.test(document.querySelector("[data-test=text]").value));
  const text = page.locator(test$("text"));
  const before = await text.inputValue();
  assert.ok(before.includes("# one revolution at 10 Hz"), "comments stay");
  await write(page, before.replace("seed = 9", "seed = 7"));
  await page.waitForFunction(() => document.querySelector('[data-path="seed"] input')?.value === "7");
});

test("a mistake is marked at its line with the program's sentence, and the last good world stays", async () => {
  const text = page.locator(test$("text"));
  const good = await text.inputValue();
  await write(page, good.replace('material = "cloth"', 'material = "clotch"'));
  await page.waitForSelector(test$("bad-line"));
  const line = good.split("\n").findIndex((words) => words.includes('material = "cloth"')) + 1;
  const said = await page.locator(test$("problems")).innerText();
  assert.match(said, new RegExp(`Line ${line}`));
  assert.match(said, /clotch/);
  assert.match(await page.locator(test$("bad-line")).innerText(), /clotch/);
  assert.ok(!(await page.locator(test$("scan")).isDisabled()));
  await write(page, "this is = = no TOML");
  await page.waitForFunction(() => document.querySelector("[data-test=problems]").textContent.includes("Line 1"));
  assert.match(await page.locator(test$("status")).innerText(), /triangles/);
  await write(page, good);
  await page.waitForFunction(() => document.querySelector("[data-test=problems]").hidden);
  await page.click(test$("tab-form"));
});

test("a sensor that is dragged is elsewhere in the text", async () => {
  const marker = page.locator(test$("marker-sensor")).first();
  // The picture has just changed its size: hovering waits until the handle stands still.
  await marker.hover();
  const box = await marker.boundingBox();
  await page.mouse.move(box.x + 11, box.y + 11);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y + 20, { steps: 4 });
  await page.mouse.up();
  await page.click(test$("tab-text"));
  await page.waitForFunction(() => /\[\[sensor\]\][^[]*position_m = \[/.test(document.querySelector("[data-test=text]").value));
  const text = page.locator(test$("text"));
  await write(page, (await text.inputValue()).replace(/(\[\[sensor\]\][^[]*?)position_m = \[[^\]]*\]\n?/, "$1"));
  await page.waitForFunction(() => document.querySelector("[data-test=problems]").hidden);
  await page.click(test$("tab-form"));
});

test("another sensor is chosen, scanned and compared", async () => {
  await page.click(test$("sensor"));
  await page.getByPlaceholder("Which sensor?").fill("hdl-32e");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /HDL-32E/i.test(document.querySelector("[data-test=sensor]").textContent));
  await page.click(test$("scan"));
  const points = await scanned(page, 2);
  assert.ok(points > returns().length, `${points} points of an HDL-32E`);
  await page.click(test$("tab-compare"));
  await page.click(test$("compare-side"));
  assert.equal(await page.locator(".pane-name:visible").count(), 2);
  await page.click(test$("compare-figures"));
  await page.waitForSelector(`${test$("figures")} .figure`, { timeout: 60_000 * PATIENCE });
  assert.ok((await page.locator(`${test$("compare")} svg.plot`).count()) >= 1);
  const side = await picture(page);
  await page.click(test$("compare-swipe"));
  assert.ok((await changed(page, side, await picture(page))) > 0.05);
  const border = page.locator(test$("swipe"));
  await border.focus();
  await border.press("ArrowLeft");
  await page.click(test$("compare-difference"));
  await page.waitForFunction(() => document.querySelector("[data-test=legend]")?.textContent.includes("difference"));
  await page.click(test$("compare-off"));
});

test("a distance is measured", async () => {
  await page.click(test$("measure"));
  const box = await page.locator("canvas.stage").boundingBox();
  await page.mouse.click(box.x + box.width * 0.45, box.y + box.height * 0.55);
  await page.mouse.click(box.x + box.width * 0.6, box.y + box.height * 0.55);
  await page.waitForFunction(() => /\d m/.test(document.querySelector("[data-test=tape]").textContent));
  await page.click(test$("measure"));
});

test("views, clipping box and keys work", async () => {
  await page.locator("canvas.stage").focus();
  const start = await picture(page);
  await page.keyboard.press("2");
  await page.waitForTimeout(600 * PATIENCE);
  const above = await picture(page);
  assert.ok((await changed(page, start, above)) > 0.05, "from above");
  await page.keyboard.press("1");
  await page.waitForTimeout(600 * PATIENCE);
  await page.keyboard.press("c");
  assert.equal(await page.locator(test$("clip")).getAttribute("aria-pressed"), "true");
  await page.keyboard.press("c");
  await page.keyboard.down("w");
  await page.waitForTimeout(400 * PATIENCE);
  await page.keyboard.up("w");
  await page.keyboard.press("f");
  await page.keyboard.press("t");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
  await page.keyboard.press("t");
});

test("LAZ is exported, and laspy reads as many points", async () => {
  await page.locator(".layer").first().click();
  await page.locator(".layer").first().locator(test$("layer-menu")).click();
  const waiting = page.waitForEvent("download", { timeout: 60_000 * PATIENCE });
  await page.locator(".menu .item", { hasText: /laz/i }).first().click();
  const file = join(here, "exported.laz");
  await (await waiting).saveAs(file);
  const python = process.env.UNDERSTORY_PYTHON ?? "python3";
  const read = spawnSync(python, ["-c", "import laspy, sys; print(len(laspy.read(sys.argv[1]).points))", file], { encoding: "utf8" });
  assert.equal(read.status, 0, `${read.stderr}\nUNDERSTORY_PYTHON must name a Python with laspy and lazrs`);
  assert.equal(Number(read.stdout), returns().length);
});

test("the link reproduces the view and never holds the token", async () => {
  await page.click(test$("save"));
  await page.locator(".menu .item", { hasText: "Link" }).click();
  await page.waitForFunction(() => location.hash.startsWith("#view="));
  const link = page.url();
  assert.ok(!link.includes(studio.token));
  const other = await context.newPage();
  await other.goto(link);
  await other.waitForFunction(() => document.querySelector(".scenario-button .name")?.textContent === "first-scan");
  await other.waitForFunction(() => document.querySelector("[data-test=colour-by]")?.value === "difference");
  await other.close();
});

test("the picture is saved", async () => {
  await page.click(test$("save"));
  const waiting = page.waitForEvent("download");
  await page.locator(".menu .item", { hasText: "Picture" }).click();
  const bytes = readFileSync(await (await waiting).path());
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  assert.ok(bytes.length > 10_000);
});

test("nothing went wrong in the page", () => assert.deepEqual(mistakes, []));
