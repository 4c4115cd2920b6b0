// The range image of the active layer, linked with the picture: what is under the mouse in one is
// marked in the other. Its colours are those of the points.

import { fill, h } from "../base/dom";
import { icon } from "../base/icons";
import { scaleTable, categoryTable, layerColour } from "../colour/maps";
import { call } from "../data/api";
import { readBlock } from "../data/blocks";
import type { Layer } from "../data/layer";
import type { Studio } from "../data/studio";
import type { ImageExtra } from "../protocol";
import type { Paint } from "../view/paint";

const NONE = 0xffffffff;

export class RangeImage {
  readonly element: HTMLElement;
  readonly #studio: Studio;
  readonly #paint: Paint;
  readonly #canvas = h("canvas", { "data-test": "range-image", "aria-label": "Range image" });
  readonly #cross = h("div", { class: "cross", hidden: true });
  readonly #picked = h("div", { class: "cross", hidden: true });
  readonly #title = h("span", { class: "soft cut" });
  readonly #sensor = h("select", { "aria-label": "Sensor of the range image", onchange: () => this.#load() });
  readonly #scan = h("select", { "aria-label": "Scan of the range image", onchange: () => this.#load() });
  readonly #toggle: HTMLButtonElement;
  readonly #holder: HTMLElement;
  #open = true;
  #image: { layer: Layer; extra: ImageExtra; points: Uint32Array; ranges: Float32Array; where: Map<number, number> | null } | null = null;
  #asked = "";

  constructor(studio: Studio, paint: Paint) {
    this.#studio = studio;
    this.#paint = paint;
    this.#toggle = h("button", { class: "plain small square", title: "Show or hide the range image (R)", "aria-label": "Show or hide the range image", onclick: () => this.toggle() }, icon("down", 15));
    this.#sensor.style.width = "auto";
    this.#scan.style.width = "auto";
    this.#holder = h("div", { class: "range-image" }, this.#canvas, this.#cross, this.#picked);
    this.#picked.style.borderColor = "var(--amber)";
    this.element = h("div", null, h("div", { class: "bar" }, icon("image", 16), h("span", { class: "title" }, "Range image"), this.#title, h("span", { class: "grow" }), this.#sensor, this.#scan, this.#toggle), this.#holder);
    this.#canvas.addEventListener("pointermove", (event) => {
      const at = this.#at(event);
      studio.hover.value = at === null || !this.#image ? null : { layer: this.#image.layer, point: at };
    });
    this.#canvas.addEventListener("pointerleave", () => (studio.hover.value = null));
    this.#canvas.addEventListener("click", (event) => {
      const at = this.#at(event);
      if (at !== null && this.#image) studio.picked.value = { layer: this.#image.layer, point: at };
    });
    studio.active.on(() => this.#choices());
    studio.grew.on(() => this.#choices());
    studio.layers.on(() => this.#choices());
    paint.scale.on(() => this.#draw());
    studio.hover.on(() => this.#mark(this.#cross, studio.hover.value));
    studio.picked.on(() => this.#mark(this.#picked, studio.picked.value));
    new ResizeObserver(() => this.#size()).observe(this.#holder);
    this.#choices();
  }

  toggle(): void {
    this.#open = !this.#open;
    this.#choices();
  }

  #choices(): void {
    const layer = this.#studio.activeLayer;
    const ready = layer !== null && layer.cloud.count > 0;
    this.element.hidden = !ready;
    this.#holder.hidden = !this.#open || !ready;
    fill(this.#toggle, icon(this.#open ? "down" : "right", 15));
    if (!ready || !this.#open) return;
    if (this.#sensor.dataset.of !== `${layer.id} ${layer.card.scans.join()}`) {
      this.#sensor.dataset.of = `${layer.id} ${layer.card.scans.join()}`;
      fill(this.#sensor, layer.card.sensors.map((name, at) => h("option", { value: at }, name)));
      this.#sensor.hidden = layer.card.sensors.length < 2;
      const last = layer.card.scans[Number(this.#sensor.value) || 0] ?? 0;
      fill(this.#scan, h("option", { value: "" }, "all scans"), Array.from({ length: Math.min(last + 1, 500) }, (_, at) => h("option", { value: at }, `scan ${at}`)));
      this.#scan.hidden = last === 0;
    }
    this.#load();
  }

  #load(): void {
    const layer = this.#studio.activeLayer;
    if (!layer) return;
    const working = ["waiting", "building", "running"].includes(layer.card.state) || layer.streaming;
    // While points come the image follows in steps, since each is a whole one.
    const size = working ? Math.floor(Math.log2(layer.cloud.count + 1)) : `all ${layer.cloud.count}`;
    const key = `${layer.id} ${this.#sensor.value} ${this.#scan.value} ${size}`;
    if (key === this.#asked) return;
    this.#asked = key;
    const query = { sensor: this.#sensor.value || 0, scan: this.#scan.value === "" ? null : this.#scan.value };
    void call("GET", `layers/${layer.id}/image`, { query })
      .then((answer) => answer.arrayBuffer())
      .then((buffer) => {
        if (key !== this.#asked) return;
        const block = readBlock(buffer);
        const extra = block.header.extra as ImageExtra;
        this.#image = { layer, extra, points: block.column("point") as Uint32Array, ranges: block.column("range_m") as Float32Array, where: null };
        this.#title.textContent = `${extra.width} × ${extra.height}, azimuth ${extra.azimuth_deg[0].toFixed(0)}° … ${extra.azimuth_deg[1].toFixed(0)}°`;
        this.#size();
        this.#draw();
      })
      .catch((error: unknown) => {
        if (key !== this.#asked) return;
        this.#image = null;
        this.#title.textContent = error instanceof Error ? error.message : "";
        this.#holder.hidden = true;
      });
  }

  #size(): void {
    if (!this.#image) return;
    const { width, height } = this.#image.extra;
    const wide = this.#holder.clientWidth - 20;
    const tall = Math.max(40, Math.min(innerHeight * 0.2, Math.max((wide * height) / width, height < 20 ? height * 4 : 64)));
    this.#canvas.style.height = `${Math.round(tall)}px`;
    this.#mark(this.#picked, this.#studio.picked.value);
  }

  #draw(): void {
    const image = this.#image;
    if (!image || this.#holder.hidden) return;
    const { width, height } = image.extra;
    if (width * height === 0) return;
    this.#canvas.width = width;
    this.#canvas.height = height;
    const context = this.#canvas.getContext("2d");
    if (!context) return;
    const picture = context.createImageData(width, height);
    const scale = this.#paint.scale.value;
    const table = scale.categories ? categoryTable(scale.column) : scaleTable(this.#studio.look.value.scale, this.#studio.look.value.reversed);
    const whole = parseInt(layerColour(image.layer.number).slice(1), 16);
    const known = image.layer.cloud.count;
    const valueOf = image.layer.value(scale.column);
    const span = scale.high - scale.low || 1;
    for (let i = 0; i < image.points.length; i++) {
      const point = image.points[i];
      const out = i * 4;
      picture.data[out + 3] = 255;
      if (point === NONE || point >= known) {
        const empty = image.ranges[i] === -1 ? 0 : 16;
        picture.data.fill(empty, out, out + 3);
        continue;
      }
      const value = valueOf(point);
      if (scale.column === "layer") {
        picture.data[out] = whole >> 16;
        picture.data[out + 1] = (whole >> 8) & 255;
        picture.data[out + 2] = whole & 255;
      } else if (Number.isNaN(value)) picture.data.fill(110, out, out + 3);
      else {
        const at = scale.categories ? (Math.round(value) % 1024) * 4 : Math.round(Math.max(0, Math.min(1, (value - scale.low) / span)) * 255) * 4;
        picture.data[out] = table[at];
        picture.data[out + 1] = table[at + 1];
        picture.data[out + 2] = table[at + 2];
      }
    }
    context.putImageData(picture, 0, 0);
  }

  /** The point in the cell under the mouse, or in the nearest one within two cells. */
  #at(event: MouseEvent): number | null {
    const image = this.#image;
    if (!image) return null;
    const box = this.#canvas.getBoundingClientRect();
    const { width, height } = image.extra;
    const column = Math.floor(((event.clientX - box.left) / box.width) * width);
    const row = Math.floor(((event.clientY - box.top) / box.height) * height);
    for (const [dx, dy] of [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [2, 0], [-2, 0]]) {
      const x = column + dx;
      const y = row + dy;
      if (x < 0 || y < 0 || x >= width || y >= height) continue;
      const point = image.points[y * width + x];
      if (point !== NONE) return point;
    }
    return null;
  }

  #mark(cross: HTMLElement, focus: { layer: Layer; point: number } | null): void {
    const image = this.#image;
    cross.hidden = true;
    if (!image || !focus || focus.layer !== image.layer || this.#holder.hidden) return;
    if (!image.where) {
      image.where = new Map();
      for (let i = 0; i < image.points.length; i++) if (image.points[i] !== NONE) image.where.set(image.points[i], i);
    }
    const cell = image.where.get(focus.point);
    if (cell === undefined) return;
    const { width, height } = image.extra;
    cross.hidden = false;
    cross.style.left = `${10 + (((cell % width) + 0.5) / width) * this.#canvas.clientWidth}px`;
    cross.style.top = `${((Math.floor(cell / width) + 0.5) / height) * this.#canvas.clientHeight}px`;
  }
}
