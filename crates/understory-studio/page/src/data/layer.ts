// A layer as the page holds it: what the program says of it, its points and its columns.

import { Group, Vector3, type ShaderMaterial } from "three";
import { sortedSample } from "../colour/percentiles";
import type { Layer as Card, LayerNames, PointsExtra, StartScan } from "../protocol";
import { Cloud } from "../view/cloud";
import { call, get, Refusal } from "./api";
import { blocks, type Block, type Numbers } from "./blocks";
import { Growing } from "./growing";

/** Points that the page holds of all layers together: more would end the tab. */
export const HELD_MOST = 16_000_000;

/** Columns that come with the points; the others are fetched when they are looked at. */
const FIRST_COLUMNS = ["range_m", "intensity"];

export class Layer {
  card: Card;
  visible = true;
  /** Number in the list since the page opened, for its colour. */
  readonly number: number;
  readonly cloud: Cloud;
  readonly group = new Group();
  readonly #columns = new Map<string, Growing>();
  readonly #samples = new Map<string, { length: number; sorted: Float32Array }>();
  readonly #pending = new Map<string, Promise<void>>();
  readonly #grew: (layer: Layer) => void;
  /** Points that the page still has room for. */
  readonly #room: () => number;
  readonly #abort = new AbortController();
  /** Why its points stopped coming, if they did. */
  trouble: string | null = null;
  /** Whether the page has no room for the rest of its points. */
  cut = false;
  streaming = false;
  /** When the first points came, by the clock of the page. */
  firstPoints = 0;
  /** Whether it was opened in this page, just now. */
  fresh = false;
  /** How it was asked for, if it was in this page. */
  made: Partial<StartScan> | null = null;
  /** What the card was given last, so that the same is not given again. */
  painted: { what: string; length: number; times: number; count: number } | null = null;
  /** How many points there were when a column was last asked for. */
  readonly #asked = new Map<string, number>();
  readonly #versions = new Map<string, number>();

  constructor(card: Card, number: number, material: ShaderMaterial, grew: (layer: Layer) => void, room: () => number = () => Infinity) {
    this.#room = room;
    this.card = card;
    this.number = number;
    this.cloud = new Cloud(material);
    this.group.add(this.cloud.group);
    this.#grew = grew;
  }

  /** What times are told from: recordings count seconds since 1970, which single precision cannot hold. */
  get timeBase(): number {
    return Math.abs(this.card.interval_s[0]) > 1e5 ? this.card.interval_s[0] : 0;
  }

  get id(): number {
    return this.card.id;
  }

  /** Puts the layer where it belongs in a picture whose origin is at `origin`. */
  place(origin: readonly number[]): void {
    this.group.position.copy(this.offset(origin));
    this.group.updateMatrixWorld(true);
  }

  offset(origin: readonly number[]): Vector3 {
    const { offset_m } = this.card;
    return new Vector3(offset_m[0] - origin[0], offset_m[1] - origin[1], offset_m[2] - origin[2]);
  }

  /** Reads points as they are made, until the last. */
  async stream(): Promise<void> {
    if (this.streaming) return;
    this.streaming = true;
    this.cut = false;
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          const answer = await call("GET", `layers/${this.id}/stream`, { query: { columns: FIRST_COLUMNS.join(","), from: this.cloud.count }, signal: this.#abort.signal });
          for await (const block of blocks(answer)) {
            if (this.#room() <= 0) {
              this.cut = true;
              break;
            }
            if (block.header.kind === "points") this.#take(block);
            else if (block.header.kind === "end") this.card = block.header.extra as Card;
          }
          this.trouble = this.cut ? `the page holds ${HELD_MOST / 1e6} million points: the rest of this layer is not shown; figures and exports have all of it. Remove layers to see more` : null;
          break;
        } catch (error) {
          if (this.#abort.signal.aborted) return;
          if (error instanceof Refusal && error.status < 500) throw error;
          if (attempt >= 8) throw error;
          await new Promise((resolve) => setTimeout(resolve, 500 * (attempt + 1)));
        }
      }
    } catch (error) {
      this.trouble = error instanceof Error ? error.message : String(error);
    } finally {
      this.streaming = false;
      this.#grew(this);
    }
  }

  /** Goes on reading where there was no room before. */
  resume(): void {
    if (this.cut && this.#room() > 0) void this.stream();
  }

  #take(block: Block): void {
    const { first } = block.header.extra as PointsExtra;
    const xyz = block.column("xyz") as Float32Array;
    if (first !== this.cloud.count) throw new Error(`points ${first} came after point ${this.cloud.count}`);
    if (this.cloud.count === 0 && xyz.length > 0) this.firstPoints = performance.now();
    this.card = { ...this.card, offset_m: block.header.offset_m };
    this.cloud.append(xyz);
    for (const { name } of block.header.columns) {
      if (name !== "xyz" && name !== "row") this.#put(name, first, block.column(name));
    }
    this.#grew(this);
  }

  #put(name: string, first: number, numbers: Numbers): void {
    const base = name === "time_s" ? this.timeBase : 0;
    this.#column(name).put(first, base === 0 ? numbers : Float64Array.from(numbers, (time) => time - base));
  }

  #column(name: string): Growing {
    let column = this.#columns.get(name);
    if (!column) {
      column = new Growing();
      this.#columns.set(name, column);
    }
    return column;
  }

  /** A column as far as it is here. Height and layer come of what is known. */
  column(name: string): Growing | null {
    return this.#columns.get(name) ?? null;
  }

  /** Rises when a column was replaced. */
  version(name: string): number {
    return this.#versions.get(name) ?? 0;
  }

  set(name: string, values: Float32Array): void {
    this.#versions.set(name, this.version(name) + 1);
    const column = new Growing();
    column.put(0, values);
    this.#columns.set(name, column);
    this.#samples.delete(name);
  }

  /** Names of its objects and materials, once they are here; number 1 is the first. */
  names: LayerNames | null = null;

  async #loadNames(): Promise<void> {
    if (this.names || ["waiting", "building"].includes(this.card.state)) return;
    this.names = await get<LayerNames>(`layers/${this.id}/names`);
    this.#grew(this);
  }

  /** Makes sure that a column reaches as far as the points do. */
  async need(name: string): Promise<void> {
    if (DERIVED.has(name) || name.startsWith("difference")) return;
    if (!this.card.columns.includes(name)) return;
    if (name === "object" || name === "material") await this.#loadNames().catch(() => {});
    if (this.#column(name).length >= this.cloud.count || this.#asked.get(name) === this.cloud.count) return;
    const pending = this.#pending.get(name);
    if (pending) return pending;
    this.#asked.set(name, this.cloud.count);
    const work = this.#fetch(name).finally(() => this.#pending.delete(name));
    this.#pending.set(name, work);
    return work;
  }

  async #fetch(name: string): Promise<void> {
    const answer = await call("GET", `layers/${this.id}/columns`, { query: { columns: name, from: this.#column(name).length }, signal: this.#abort.signal });
    for await (const block of blocks(answer)) {
      const { first } = block.header.extra as PointsExtra;
      if (block.has(name)) this.#put(name, first, block.column(name));
    }
    this.#grew(this);
  }

  /** Values of a column for some points, as the picture shows them. */
  values(name: string): (first: number, out: Float32Array) => void {
    if (name === "height_m") {
      const up = this.card.offset_m[2];
      return (first, out) => {
        for (let i = 0; i < out.length; i++) out[i] = (this.cloud.position(first + i)?.[2] ?? Number.NaN) + up;
      };
    }
    if (name === "layer") return (_, out) => out.fill(this.number);
    const column = this.#columns.get(name);
    return (first, out) => (column ? column.copy(first, out) : out.fill(Number.NaN));
  }

  /** The value of a column at a point; NaN where it is not known. */
  value(name: string): (index: number) => number {
    if (name === "height_m") {
      const up = this.card.offset_m[2];
      return (index) => (this.cloud.height(index) ?? Number.NaN) + up;
    }
    if (name === "layer") return () => this.number;
    const column = this.#columns.get(name);
    return (index) => (column ? column.get(index) : Number.NaN);
  }

  /** A sorted sample of a column, for limits and legends. */
  sample(name: string): Float32Array {
    const known = this.#samples.get(name);
    const length = DERIVED.has(name) ? this.cloud.count : (this.#columns.get(name)?.length ?? 0);
    // While points come the sample follows in steps.
    if (known && (known.length === length || (this.streaming && length > known.length && length < known.length * 1.1))) return known.sorted;
    const sorted = sortedSample(length, this.value(name));
    this.#samples.set(name, { length, sorted });
    return sorted;
  }

  dispose(): void {
    this.#abort.abort();
    this.cloud.dispose();
    this.group.removeFromParent();
  }
}

/** Columns that the page works out itself. */
export const DERIVED = new Set(["height_m", "layer"]);
