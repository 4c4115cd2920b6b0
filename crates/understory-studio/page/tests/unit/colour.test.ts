import assert from "node:assert/strict";
import { test } from "node:test";
import { categoryColour, scaleTable, SCALES } from "../../src/colour/maps";
import { histogram, percentile, sortedSample, ticks } from "../../src/colour/percentiles";

test("percentiles are those of the sorted numbers, without what is no number", () => {
  const values = Float32Array.from({ length: 1001 }, (_, i) => (i * 617) % 1001);
  values[3] = NaN;
  const kept = [...values].filter(Number.isFinite).sort((a, b) => a - b);
  const sorted = sortedSample(values.length, (i) => values[i]);
  assert.equal(sorted.length, 1000);
  for (const percent of [0, 1, 25, 50, 99, 100]) {
    const along = (percent / 100) * (kept.length - 1);
    const expected = kept[Math.floor(along)] + (kept[Math.ceil(along)] - kept[Math.floor(along)]) * (along % 1);
    assert.ok(Math.abs(percentile(sorted, percent) - expected) < 1e-3, `${percent} %`);
  }
  assert.ok(Number.isNaN(percentile(new Float32Array(0), 50)));
});

test("histograms count each number once", () => {
  const sorted = Float32Array.from({ length: 500 }, (_, i) => i / 100);
  const counts = histogram(sorted, 0, 5, 10);
  assert.deepEqual(counts, new Array(10).fill(50));
  assert.equal(histogram(Float32Array.of(1, 2, 3), 1, 3, 2).reduce((a, b) => a + b), 3);
});

test("ticks are round and inside", () => {
  assert.deepEqual(ticks(0, 10, 4), [0, 2.5, 5, 7.5, 10]);
  for (const [low, high] of [[-3.2, 17.9], [1e-6, 3e-6], [1234.5, 1234.9]]) for (const tick of ticks(low, high, 4)) assert.ok(tick >= low && tick <= high * (1 + 1e-6) + 1e-12);
  assert.deepEqual(ticks(1, 1, 4), []);
});

test("scales go from end to end, and back when reversed", () => {
  for (const name of SCALES) {
    const table = scaleTable(name);
    const back = scaleTable(name, true);
    assert.equal(table.length, 1024);
    for (let i = 0; i < 256; i++) for (let c = 0; c < 4; c++) assert.equal(back[(255 - i) * 4 + c], table[i * 4 + c]);
  }
  assert.deepEqual([...scaleTable("viridis").slice(0, 3)], [0x44, 0x01, 0x54]);
  assert.deepEqual([...scaleTable("viridis").slice(1020, 1023)], [0xfd, 0xe7, 0x25]);
  assert.match(categoryColour("label", 70), /^#[0-9a-f]{6}$/);
  assert.notEqual(categoryColour("object", 1), categoryColour("object", 2));
});
