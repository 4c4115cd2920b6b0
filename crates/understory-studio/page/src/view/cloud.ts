// The points of a layer: columns that grow while a scan runs, and what the graphics card draws of
// them. Points lie in chunks of 65 536. A full chunk is given to the card in an order of which every
// beginning is an even sample (multiples of an odd number modulo the chunk's size), so that drawing
// fewer points while the camera moves thins all of them alike.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, Points, type ShaderMaterial } from "three";

export const CHUNK = 65_536;
/** CHUNK divided by the golden ratio, made odd. */
const STRIDE = 40_503;

/** The point of a full chunk that stands at a place of the card's order. */
export const pointAt = (slot: number): number => Math.imul(slot, STRIDE) & (CHUNK - 1);

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

  /** Gives what changed to the card; to be called before drawing. */
  flush(): void {
    this.chunks.forEach((chunk, number) => {
      if (chunk.drawn.userData.stale !== true) return;
      chunk.drawn.userData.stale = false;
      this.#upload(chunk, number);
    });
  }

  /** Colours points by other values, and hides them by other times. */
  use(values: Fill, times: Fill | null): void {
    this.#values = values;
    this.#times = times;
    for (const chunk of this.chunks) chunk.drawn.userData.stale = true;
  }

  /** Draws about this share of the points. */
  thin(share: number): void {
    for (const chunk of this.chunks) {
      const count = chunk.count === CHUNK ? Math.max(1, Math.round(CHUNK * share)) : chunk.count;
      chunk.drawn.geometry.setDrawRange(0, count);
    }
  }

  /** Where a point is, in the layer's frame. */
  position(index: number): [number, number, number] | null {
    const chunk = this.chunks[Math.floor(index / CHUNK)];
    const at = index % CHUNK;
    if (!chunk || at >= chunk.count) return null;
    return [chunk.positions[at * 3], chunk.positions[at * 3 + 1], chunk.positions[at * 3 + 2]];
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
    const full = chunk.count === CHUNK;
    const values = new Float32Array(chunk.count);
    this.#values(number * CHUNK, values);
    chunk.values.set(values);
    set(geometry, "value", shuffled(values, 1, full), 1);
    const drawn = geometry.getAttribute("position")?.count ?? 0;
    if (drawn !== chunk.count || chunk.drawn.userData.shuffled !== full) {
      set(geometry, "position", shuffled(chunk.positions.subarray(0, chunk.count * 3), 3, full), 3);
      chunk.drawn.userData.shuffled = full;
    }
    const times = new Float32Array(chunk.count);
    if (this.#times) this.#times(number * CHUNK, times);
    if (this.#times || !geometry.getAttribute("time") || drawn !== chunk.count) set(geometry, "time", shuffled(times, 1, full), 1);
    chunk.times = this.#times ? times : null;
    geometry.setDrawRange(0, chunk.count);
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

/** The values in the card's order; those of a chunk that still grows stay as they are. */
function shuffled(values: Float32Array, size: number, full: boolean): Float32Array {
  if (!full) return values.slice();
  const out = new Float32Array(values.length);
  for (let slot = 0; slot < CHUNK; slot++) {
    const from = pointAt(slot) * size;
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
