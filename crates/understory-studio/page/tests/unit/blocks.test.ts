import assert from "node:assert/strict";
import { test } from "node:test";
import { blocks, readBlock } from "../../src/data/blocks";
import { Growing } from "../../src/data/growing";

/** A block as the protocol has it, made by hand. */
function block(kind: string, columns: [string, string, number, ArrayBufferView][], extra: unknown): Uint8Array {
  let at = 0;
  const heads = columns.map(([name, number, width, values]) => {
    const size = { u8: 1, u16: 2, u32: 4, f32: 4, f64: 8 }[number] as number;
    const head = { name, kind: number, width, rows: values.byteLength / size / width, offset: at };
    at += Math.ceil(values.byteLength / 8) * 8;
    return head;
  });
  let header = JSON.stringify({ kind, offset_m: [1, 2, 3], columns: heads, extra });
  header = header.padEnd(Math.ceil(header.length / 8) * 8, " ");
  const out = new Uint8Array(16 + header.length + at);
  const view = new DataView(out.buffer);
  out.set(new TextEncoder().encode("USB1"));
  view.setUint32(4, header.length, true);
  view.setBigUint64(8, BigInt(at), true);
  out.set(new TextEncoder().encode(header), 16);
  columns.forEach(([, , , values], i) => out.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), 16 + header.length + heads[i].offset));
  return out;
}

test("columns of all kinds are read where they lie", () => {
  const bytes = block("points", [
    ["a", "u8", 1, Uint8Array.of(1, 2, 255)],
    ["b", "u16", 1, Uint16Array.of(7, 65535)],
    ["c", "u32", 1, Uint32Array.of(4294967295)],
    ["xyz", "f32", 3, Float32Array.of(1.5, -2.25, NaN, 4, 5, 6)],
    ["d", "f64", 1, Float64Array.of(1e300)],
  ], { first: 0 });
  const read = readBlock(bytes.buffer as ArrayBuffer);
  assert.deepEqual([...read.column("a")], [1, 2, 255]);
  assert.deepEqual([...read.column("b")], [7, 65535]);
  assert.deepEqual([...read.column("c")], [4294967295]);
  assert.deepEqual([...read.column("xyz")], [1.5, -2.25, NaN, 4, 5, 6]);
  assert.deepEqual([...read.column("d")], [1e300]);
  assert.deepEqual(read.header.offset_m, [1, 2, 3]);
  assert.throws(() => read.column("e"), /no column e/);
});

test("a stream is the same however it is cut", async () => {
  const parts = [0, 1, 2].map((first) => block("points", [["v", "f32", 1, Float32Array.from({ length: first * 5 }, (_, i) => first * 100 + i)]], { first }));
  const all = Uint8Array.from(parts.flatMap((part) => [...part]));
  for (const size of [1, 3, 7, 16, 17, 64, 1000]) {
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < all.length; at += size) controller.enqueue(all.slice(at, at + size));
        controller.close();
      },
    });
    const seen: number[][] = [];
    for await (const read of blocks(new Response(stream as never))) seen.push([...read.column("v")]);
    assert.deepEqual(seen, [[], [100, 101, 102, 103, 104], [200, 201, 202, 203, 204, 205, 206, 207, 208, 209]], `in pieces of ${size}`);
  }
});

test("what ends too early or is no block is refused", async () => {
  const whole = block("points", [["v", "f32", 1, Float32Array.of(1)]], {});
  const read = async (bytes: Uint8Array) => {
    for await (const _ of blocks(new Response(bytes as never)));
  };
  await assert.rejects(read(whole.slice(0, whole.length - 4)), /middle of a block/);
  await assert.rejects(read(new TextEncoder().encode("not a block at all")), /no block/);
  assert.throws(() => readBlock(whole.slice(0, 20).buffer), /too early/);
});

test("a growing column keeps what it was given and says NaN for the rest", () => {
  const column = new Growing();
  column.put(0, Float32Array.of(1, 2));
  column.put(5000, Uint16Array.of(9));
  assert.equal(column.get(1), 2);
  assert.ok(Number.isNaN(column.get(100)));
  assert.equal(column.get(5000), 9);
  const out = new Float32Array(3);
  column.copy(4999, out);
  assert.deepEqual([...out], [NaN, 9, NaN]);
});
