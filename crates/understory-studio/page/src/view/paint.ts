// Makes the picture what the look says: columns as values of points, limits, tables of colours, clipping.

import type { DataTexture } from "three";
import { categoryTable, layerColour, scaleTable } from "../colour/maps";
import { percentile } from "../colour/percentiles";
import { Signal } from "../base/signal";
import type { Look } from "../data/look";
import type { Studio } from "../data/studio";
import { colourTexture } from "./point-shader";
import type { Viewport } from "./viewport";

const FAR = 1e30;
/** Numbers that have an order although they are names: colours along a scale tell more. */
const ORDERED = new Set(["channel", "column", "scan"]);

export interface Scale {
  column: string;
  categories: boolean;
  low: number;
  high: number;
  /** Sorted samples of what is shown. */
  sample: Float32Array;
}

export class Paint {
  /** What colours mean right now. */
  readonly scale = new Signal<Scale>({ column: "", categories: false, low: 0, high: 1, sample: new Float32Array(0) });
  readonly #studio: Studio;
  readonly #viewport: Viewport;
  #texture: { key: string; texture: DataTexture } | null = null;
  #used = "";
  /** What the last picture was asked for with. */
  #drawn = { asked: "", limits: "", layers: new Map<number, { sort: string; points: string }>() };
  #again = 0;

  constructor(studio: Studio, viewport: Viewport) {
    this.#studio = studio;
    this.#viewport = viewport;
    studio.look.on((look, before) => {
      if (look.colourBy !== before.colourBy) void this.columns();
      this.apply();
    });
    studio.grew.on(() => void this.columns());
    studio.layers.on(() => void this.columns());
    studio.comparing.on(() => this.apply());
    studio.time.on((time, before) => {
      if ((time.at === null) !== (before.at === null)) void this.columns();
      this.apply();
    });
  }

  /** Sees to it that the layers have the columns that are looked at. */
  async columns(): Promise<void> {
    const { colourBy } = this.#studio.look.value;
    const timed = this.#studio.time.value.at !== null;
    this.refresh();
    const layers = this.#studio.layers.value;
    await Promise.all(
      layers.flatMap((layer) => [layer.need(colourBy), timed ? layer.need("time_s") : null]).map((work) => work?.catch(() => {})),
    );
  }

  /** Gives values to the card: soon, and once for many changes. */
  refresh(): void {
    if (this.#again) return;
    this.#again = requestAnimationFrame(() => {
      this.#again = 0;
      this.#values();
      this.apply();
    });
  }

  #values(): void {
    const { colourBy } = this.#studio.look.value;
    const timed = this.#studio.time.value.at !== null;
    for (const layer of this.#studio.layers.value) {
      const length = colourBy === "height_m" || colourBy === "layer" ? layer.cloud.count : (layer.column(colourBy)?.length ?? 0);
      const times = timed ? (layer.column("time_s")?.length ?? 0) : -1;
      const now = { what: `${colourBy} ${timed} ${layer.version(colourBy)}`, length, times, count: layer.cloud.count };
      const { painted } = layer;
      if (painted?.what === now.what && painted.length === length && painted.times === times && painted.count === now.count) continue;
      layer.painted = now;
      // Of a column that only grew, what was there stays.
      const same = painted?.what === now.what ? Math.min(painted.length, timed ? painted.times : painted.length) : 0;
      layer.cloud.use(layer.values(colourBy), timed ? layer.values("time_s") : null, same);
    }
    this.#used = colourBy;
  }

  /** Limits, sizes and boxes. */
  apply(): void {
    const { look, time } = this.#studio;
    const viewport = this.#viewport;
    const { uniforms } = viewport.points;
    const scale = this.#scale(look.value);
    this.scale.value = scale;
    uniforms.limits.value.set(scale.low, scale.high);
    uniforms.categories.value = scale.categories ? 1 : 0;
    uniforms.colours.value = this.#colours(look.value, scale);
    uniforms.size.value = look.value.size * viewport.renderer.getPixelRatio();
    uniforms.metres.value = look.value.metric ? look.value.size / 100 : 0;
    uniforms.opacity.value = look.value.opacity;
    uniforms.round.value = look.value.round ? 1 : 0;
    viewport.points.transparent = look.value.opacity < 1;
    viewport.points.depthWrite = look.value.opacity >= 1;
    const { at, window } = time.value;
    uniforms.span.value.set(at === null ? -FAR : at - window, at === null ? FAR : at);
    const { clip } = look.value;
    const low = clip.on ? clip.low : [-FAR, -FAR, -FAR];
    const high = clip.on ? clip.high : [FAR, FAR, FAR];
    uniforms.low.value.set(...low);
    uniforms.high.value.set(...high);
    viewport.world.shared.low.value.set(low[0], low[1], low[2]);
    viewport.world.shared.high.value.set(high[0], high[1], high[2]);
    viewport.world.group.visible = look.value.world > 0;
    viewport.world.fade(look.value.world);
    // Surfaces step back where there are points to look at.
    viewport.world.shared.faded.value = this.#studio.layers.value.some((layer) => layer.visible && layer.cloud.count > 0) ? 1 : 0;
    viewport.eyeDome = look.value.eyeDome;
    viewport.through = look.value.through;
    viewport.world.shared.cutaway.value = look.value.cutaway ? 1 : 0;
    viewport.layers = this.#studio.layers.value;
    const { mode, a, b, at: border } = this.#studio.comparing.value;
    const left = this.#studio.layer(a);
    const right = this.#studio.layer(b);
    viewport.split = mode !== "off" && left && right ? { mode, left, right, at: border } : { mode: "one" };
    this.#redraw(JSON.stringify([look.value, time.value, scale.column, scale.categories, mode, a, b, border]), JSON.stringify([scale.low, scale.high]));
  }

  /** Asks for a new picture where one is needed: news of a scan come ten times a second, and often nothing is to be seen of them. */
  #redraw(asked: string, limits: string): void {
    const layers = new Map<number, { sort: string; points: string }>();
    for (const { id, visible, painted, group, cloud } of this.#studio.layers.value) {
      if (cloud.count > 0) layers.set(id, { sort: JSON.stringify([visible, painted?.what, group.position]), points: JSON.stringify(painted) });
    }
    const before = this.#drawn;
    this.#drawn = { asked, limits, layers };
    const stays = before.asked === asked && [...before.layers].every(([id, { sort }]) => layers.get(id)?.sort === sort);
    if (!stays) this.#viewport.redraw();
    else if (before.limits !== limits || [...layers].some(([id, { points }]) => before.layers.get(id)?.points !== points)) this.#viewport.grow();
  }

  #scale(look: Look): Scale {
    const column = this.#used || look.colourBy;
    const card = this.#studio.library.value?.columns.find((known) => known.name === column);
    const categories = column === "layer" || ((card?.categories ?? false) && !ORDERED.has(column));
    const layers = this.#studio.layers.value.filter((layer) => layer.visible && layer.cloud.count > 0);
    const samples = layers.map((layer) => layer.sample(column)).filter((sample) => sample.length > 0);
    const sample = samples.length === 1 ? samples[0] : merge(samples);
    if (categories) return { column, categories, low: 0, high: 1, sample };
    let [low, high] = look.limits ?? [percentile(sample, look.percentiles[0]), percentile(sample, look.percentiles[1])];
    if (!Number.isFinite(low) || !Number.isFinite(high)) [low, high] = [0, 1];
    if (!(high > low)) high = low + Math.max(1e-6, Math.abs(low) * 1e-6);
    return { column, categories, low, high, sample };
  }

  #colours(look: Look, scale: Scale): DataTexture {
    const key = scale.categories ? `categories ${scale.column}` : `${look.scale} ${look.reversed}`;
    if (this.#texture?.key === key) return this.#texture.texture;
    this.#texture?.texture.dispose();
    let table: Uint8Array;
    if (scale.column === "layer") {
      table = new Uint8Array(4096);
      for (let i = 0; i < 1024; i++) {
        const hex = parseInt(layerColour(i).slice(1), 16);
        table.set([hex >> 16, (hex >> 8) & 255, hex & 255, 255], i * 4);
      }
    } else table = scale.categories ? categoryTable(scale.column) : scaleTable(look.scale, look.reversed);
    this.#texture = { key, texture: colourTexture(table) };
    return this.#texture.texture;
  }
}

function merge(samples: Float32Array[]): Float32Array {
  const all = new Float32Array(samples.reduce((sum, sample) => sum + sample.length, 0));
  let at = 0;
  for (const sample of samples) {
    all.set(sample, at);
    at += sample.length;
  }
  return all.sort();
}
