import assert from "node:assert/strict";
import { test } from "node:test";
import { PerspectiveCamera, Vector3 } from "three";
import { Layer } from "../../src/data/layer";
import type { Layer as Card } from "../../src/protocol";
import { Budget } from "../../src/view/budget";
import { CHUNK, Cloud, pointAt, stride } from "../../src/view/cloud";
import { pickPoint } from "../../src/view/pick";
import { pointMaterial } from "../../src/view/point-shader";

const FAR = { low: new Vector3(-1e30, -1e30, -1e30), high: new Vector3(1e30, 1e30, 1e30), span: [-1e30, 1e30] as [number, number] };

/** Numbers from 0 to 1 that are the same each time. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test("the card's order has every point once, and every stretch is an even sample", () => {
  for (const count of [CHUNK, 1, 2, 3, 7, 1000, 28_944, 65_535]) {
    const step = stride(count);
    const seen = new Uint8Array(count);
    for (let slot = 0; slot < count; slot++) seen[pointAt(slot, count, step)]++;
    assert.ok(seen.every((times) => times === 1), `${count}`);
    if (count < 1000) continue;
    for (const [from, share] of [[0, 0.02], [0, 0.1], [0.3, 0.2], [0.5, 0.5]]) {
      const bins = new Array<number>(16).fill(0);
      const drawn = Math.round(count * share);
      const first = Math.round(count * from);
      for (let slot = first; slot < first + drawn; slot++) bins[Math.floor((pointAt(slot, count, step) / count) * 16)]++;
      for (const bin of bins) assert.ok(Math.abs(bin - drawn / 16) <= 8, `${count}: ${bin} of about ${drawn / 16}`);
    }
  }
});

test("parts of a cloud are drawn once each, and what only grew is given once", () => {
  const cloud = new Cloud(pointMaterial());
  cloud.append(new Float32Array(3 * (CHUNK + 1234)));
  assert.equal(cloud.draw(0, 1), 0, "nothing was given yet");
  assert.equal(cloud.flush(1), 1);
  assert.ok(cloud.stale);
  assert.equal(cloud.flush(9), 1);
  let drawn = 0;
  for (let part = 0; part < 7; part++) drawn += cloud.draw(part / 7, (part + 1) / 7);
  assert.equal(drawn, CHUNK + 1234);
  cloud.append(new Float32Array(3 * 10));
  cloud.use((_, out) => out.fill(2), null, CHUNK + 1234);
  assert.equal(cloud.flush(9), 1, "the first chunk stays");
});

test("a budget follows what pictures take", () => {
  const budget = new Budget(true);
  // A card that draws 500 points in a millisecond, and takes 20 ms for anything.
  for (let i = 0; i < 60; i++) {
    const points = Math.min(5_000_000, budget.points("moving"));
    budget.learn("moving", points, 5_000_000, 20 + points / 500);
  }
  const settled = budget.points("moving");
  assert.ok(settled >= 12_000 && settled <= 25_000, `${settled}`);
  // A fast one draws all of them after some pictures.
  for (let i = 0; i < 60; i++) budget.learn("still", Math.min(5_000_000, budget.points("still")), 5_000_000, 8);
  assert.ok(budget.points("still") >= 5_000_000);
});

test("a cloud keeps points across chunks and knows its box", () => {
  const cloud = new Cloud(pointMaterial());
  const next = numbers(1);
  const all = Float32Array.from({ length: 3 * (CHUNK + 1000) }, () => next() * 100 - 50);
  for (let at = 0; at < all.length; at += 3 * 7001) cloud.append(all.subarray(at, Math.min(all.length, at + 3 * 7001)));
  assert.equal(cloud.count, CHUNK + 1000);
  for (const index of [0, CHUNK - 1, CHUNK, CHUNK + 999]) assert.deepEqual(cloud.position(index), [...all.subarray(index * 3, index * 3 + 3)]);
  assert.equal(cloud.position(CHUNK + 1000), null);
  const box = cloud.bounds();
  for (let axis = 0; axis < 3; axis++) {
    const values = all.filter((_, i) => i % 3 === axis);
    assert.equal(box?.low[axis], values.reduce((a, b) => Math.min(a, b)));
    assert.equal(box?.high[axis], values.reduce((a, b) => Math.max(a, b)));
  }
});

test("a click finds the point that brute force finds", () => {
  const camera = new PerspectiveCamera(50, 16 / 9, 0.1, 1000);
  camera.up.set(0, 0, 1);
  camera.position.set(30, -20, 15);
  camera.lookAt(0, 0, 0);
  camera.updateMatrixWorld();
  camera.updateProjectionMatrix();
  const next = numbers(7);
  const count = 3 * CHUNK;
  const positions = Float32Array.from({ length: count * 3 }, (_, i) => (next() - 0.5) * (i % 3 === 2 ? 4 : 40));
  const card = { id: 1, offset_m: [0, 0, 0], columns: [] } as unknown as Card;
  const layer = new Layer(card, 0, pointMaterial(), () => {});
  layer.cloud.append(positions);
  layer.place([-2, 3, 1]);
  const [width, height] = [1280, 720];
  let found = 0;
  for (let click = 0; click < 40; click++) {
    const x = next() * width;
    const y = next() * height;
    const picked = pickPoint([layer], camera, width, height, x, y, 3, FAR);
    const near: number[] = [];
    const place = new Vector3();
    for (let i = 0; i < count; i++) {
      place.set(positions[i * 3] + 2, positions[i * 3 + 1] - 3, positions[i * 3 + 2] - 1).project(camera);
      if (place.z > 1) continue;
      if (Math.hypot(((place.x + 1) / 2) * width - x, ((1 - place.y) / 2) * height - y) <= 3) near.push(i);
    }
    if (near.length === 0) assert.equal(picked, null);
    else {
      found++;
      assert.ok(picked && near.includes(picked.index), `click ${click}`);
    }
  }
  assert.ok(found > 10, `${found} clicks met points`);
});
