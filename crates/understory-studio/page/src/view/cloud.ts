// The points of a layer: columns that grow while a scan runs, and what the graphics card draws of
// them. Points lie in chunks of 65 536. A chunk is given to the card in an order of which every stretch
// is an even sample (multiples of a number modulo that of its points), so that drawing a part of the
// points thins all of them alike.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, Points, type ShaderMaterial } from "three";

export const CHUNK = 65_536;

/** The step of the card's order of `count` points: about the golden section of them, without a common divisor. */
export function stride(count: number): number {
  const common = (a: number, b: number): number => (b === 0 ? a : common(b, a % b));
  let step = Math.max(1, Math.round(count * 0.6180339887));
  while (common(count, step) !== 1) step++;
  return step;
}

/** The point that stands at a place of the card's order of `count` points. */
export const pointAt = (slot: number, count: number, step: number): number => (slot * step) % count;

interface Chunk {
  count: number;
  /** x, y, z of each point. */
  positions: Float32Array;
  low: [number, number, number];
  high: [number, number, number];
  drawn: Points<BufferGeometry, ShaderMaterial>;
  values: Float32Array;
  times: Float32Array | null;
}

/** Gives the values of a column for points `first..first + out.length`. */
export type Fill = (first: number, out: Float32Array) => void;

export class Cloud {
  readonly group = new Group();
  readonly chunks: Chunk[] = [];
  count = 0;
  readonly #material: ShaderMaterial;
  #values: Fill = (_, out) => out.fill(0);
  #times: Fill | null = null;

  constructor(material: ShaderMaterial) {
    this.#material = material;
  }

  /** Adds points, as x, y, z of each. */
  append(positions: Float32Array): void {
    let from = 0;
    const total = positions.length / 3;
    while (from < total) {
      let chunk = this.chunks[this.chunks.length - 1];
      if (!chunk || chunk.count === CHUNK) chunk = this.#begin();
      const count = Math.min(CHUNK - chunk.count, total - from);
      const part = positions.subarray(from * 3, (from + count) * 3);
      chunk.positions.set(part, chunk.count * 3);
      widen(chunk, part);
      chunk.count += count;
      this.count += count;
      from += count;
      chunk.drawn.userData.stale = true;
    }
  }

  /** Gives what changed to the card, at most so many chunks; gives how many. To be called before drawing. */
  flush(most: number): number {
    let given = 0;
    for (const chunk of this.chunks) chunk.drawn.userData.fresh = false;
    for (let number = 0; number < this.chunks.length && given < most; number++) {
      const chunk = this.chunks[number];
      if (chunk.drawn.userData.stale !== true) continue;
      chunk.drawn.userData.stale = false;
      chunk.drawn.userData.fresh = true;
      this.#upload(chunk, number);
      given++;
    }
    return given;
  }

  /** Whether there is something that the card was not given yet. */
  get stale(): boolean {
    return this.chunks.some((chunk) => chunk.drawn.userData.stale === true);
  }

  /** Colours points by other values, and hides them by other times; points before `from` have the same as before. */
  use(values: Fill, times: Fill | null, from = 0): void {
    this.#values = values;
    this.#times = times;
    for (let number = Math.floor(from / CHUNK); number < this.chunks.length; number++) this.chunks[number].drawn.userData.stale = true;
  }

  /** Draws the chunks that were given last, and nothing else. Gives how many points. */
  drawFresh(): number {
    let drawn = 0;
    for (const chunk of this.chunks) {
      chunk.drawn.visible = chunk.drawn.userData.fresh === true;
      if (!chunk.drawn.visible) continue;
      chunk.drawn.geometry.setDrawRange(0, chunk.count);
      drawn += chunk.count;
    }
    return drawn;
  }

  /** Draws the points between two shares of the card's order: 0 to 1 are all. Gives how many. */
  draw(from: number, to: number): number {
    let drawn = 0;
    for (const chunk of this.chunks) {
      const count = chunk.drawn.geometry.getAttribute("position")?.count ?? 0;
      const first = Math.round(count * from);
      const last = Math.round(count * to);
      chunk.drawn.visible = last > first;
      chunk.drawn.geometry.setDrawRange(first, last - first);
      drawn += last - first;
    }
    return drawn;
  }

  /** Where a point is, in the layer's frame. */
  position(index: number): [number, number, number] | null {
    const chunk = this.chunks[Math.floor(index / CHUNK)];
    const at = index % CHUNK;
    if (!chunk || at >= chunk.count) return null;
    return [chunk.positions[at * 3], chunk.positions[at * 3 + 1], chunk.positions[at * 3 + 2]];
  }

  /** Its height alone, for those who ask for many. */
  height(index: number): number | null {
    const chunk = this.chunks[Math.floor(index / CHUNK)];
    const at = index % CHUNK;
    return chunk && at < chunk.count ? chunk.positions[at * 3 + 2] : null;
  }

  /** The box of all points, or none where there are none. */
  bounds(): { low: [number, number, number]; high: [number, number, number] } | null {
    if (this.count === 0) return null;
    const low: [number, number, number] = [Infinity, Infinity, Infinity];
    const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
    for (const chunk of this.chunks) {
      for (let axis = 0; axis < 3; axis++) {
        low[axis] = Math.min(low[axis], chunk.low[axis]);
        high[axis] = Math.max(high[axis], chunk.high[axis]);
      }
    }
    return { low, high };
  }

  /** Memory of the columns here, in bytes, without what the card holds. */
  bytes(): number {
    return this.chunks.length * CHUNK * 16;
  }

  dispose(): void {
    for (const chunk of this.chunks) chunk.drawn.geometry.dispose();
    this.group.removeFromParent();
  }

  #begin(): Chunk {
    const geometry = new BufferGeometry();
    const drawn = new Points(geometry, this.#material);
    drawn.frustumCulled = false;
    drawn.visible = false;
    const chunk: Chunk = {
      count: 0,
      positions: new Float32Array(CHUNK * 3),
      low: [Infinity, Infinity, Infinity],
      high: [-Infinity, -Infinity, -Infinity],
      drawn,
      values: new Float32Array(CHUNK),
      times: null,
    };
    this.chunks.push(chunk);
    this.group.add(drawn);
    return chunk;
  }

  #upload(chunk: Chunk, number: number): void {
    const { geometry } = chunk.drawn;
    const step = stride(chunk.count);
    const values = chunk.values.subarray(0, chunk.count);
    this.#values(number * CHUNK, values);
    set(geometry, "value", shuffled(values, 1, step), 1);
    const drawn = geometry.getAttribute("position")?.count ?? 0;
    if (drawn !== chunk.count) set(geometry, "position", shuffled(chunk.positions.subarray(0, chunk.count * 3), 3, step), 3);
    const times = new Float32Array(chunk.count);
    if (this.#times) this.#times(number * CHUNK, times);
    if (this.#times || chunk.times || drawn !== chunk.count) set(geometry, "time", this.#times ? shuffled(times, 1, step) : times, 1);
    chunk.times = this.#times ? times : null;
  }
}

function set(geometry: BufferGeometry, name: string, values: Float32Array, size: number): void {
  const old = geometry.getAttribute(name) as BufferAttribute | undefined;
  if (old && old.array.length === values.length) {
    (old.array as Float32Array).set(values);
    old.needsUpdate = true;
    return;
  }
  if (old) geometry.dispose();
  const attribute = new BufferAttribute(values, size);
  attribute.setUsage(DynamicDrawUsage);
  geometry.setAttribute(name, attribute);
}

/** The values in the card's order. */
function shuffled(values: Float32Array, size: number, step: number): Float32Array {
  const out = new Float32Array(values.length);
  const count = values.length / size;
  for (let slot = 0; slot < count; slot++) {
    const from = pointAt(slot, count, step) * size;
    for (let axis = 0; axis < size; axis++) out[slot * size + axis] = values[from + axis];
  }
  return out;
}

function widen(chunk: Chunk, positions: Float32Array): void {
  for (let i = 0; i < positions.length; i += 3) {
    for (let axis = 0; axis < 3; axis++) {
      const value = positions[i + axis];
      if (value < chunk.low[axis]) chunk.low[axis] = value;
      if (value > chunk.high[axis]) chunk.high[axis] = value;
    }
  }
}
