// Time of runs that move: a line to drag along, play, speed, and how much of the past stays.

import { Matrix4, Vector3 } from "three";
import { fill, h } from "../base/dom";
import { short } from "../base/format";
import { icon } from "../base/icons";
import { call } from "../data/api";
import { readBlock } from "../data/blocks";
import type { Studio } from "../data/studio";
import type { MomentExtra } from "../protocol";
import type { Markers } from "../view/markers";
import type { Scenery } from "../view/scenery";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Timeline {
  readonly element: HTMLElement;
  readonly #studio: Studio;
  readonly #scenery: Scenery;
  readonly #markers: Markers;
  readonly #slider = h("input", { type: "range", min: 0, max: 1, step: "any", "aria-label": "Time", "data-test": "time", oninput: () => this.seek(Number(this.#slider.value)) });
  readonly #output = h("output", null);
  readonly #play = h("button", { class: "square", "data-test": "play", title: "Play (Space)", "aria-label": "Play", onclick: () => this.toggle() }, icon("play"));
  readonly #speed = h("select", { "aria-label": "Speed", title: "Speed" }, SPEEDS.map((speed) => h("option", { value: speed, selected: speed === 1 }, `${speed} ×`)));
  readonly #trail = h("select", { "aria-label": "How much stays", title: "How much of the past stays", onchange: () => this.seek(this.#at ?? this.#range[1]) });
  readonly #all = h("button", { class: "small", "data-test": "all-time", title: "Show all of it", onclick: () => this.all() }, "all");
  #range: [number, number] = [0, 0];
  #at: number | null = null;
  #frame = 0;
  #last = 0;
  #asking = false;
  #wanted: number | null = null;

  constructor(studio: Studio, scenery: Scenery, markers: Markers) {
    this.#studio = studio;
    this.#scenery = scenery;
    this.#markers = markers;
    this.#speed.style.width = "auto";
    this.#trail.style.width = "auto";
    this.element = h("div", { class: "time-line", "data-test": "timeline" }, this.#play, this.#speed, this.#slider, this.#output, h("div", { class: "row" }, this.#trail, this.#all));
    for (const signal of [studio.layers, studio.world, studio.active] as { on(listener: () => void): unknown }[]) signal.on(() => this.#update());
    this.#update();
  }

  get playing(): boolean {
    return this.#frame !== 0;
  }

  #update(): void {
    const layer = this.#studio.activeLayer;
    const platform = this.#studio.world.value?.platform;
    const base = layer?.timeBase ?? 0;
    const [from, to] = layer ? layer.card.interval_s : [0, platform?.duration_s ?? 0];
    const [first, last] = this.#range;
    this.#range = [from - base, Math.max(to, from) - base];
    // Another run has another time; a moment of the one before means nothing in it.
    if (this.#at !== null && (first !== this.#range[0] || last !== this.#range[1])) this.all();
    const span = this.#range[1] - this.#range[0];
    const moves = layer?.card.moving || platform?.moving || platform?.things_move || (layer?.card.scans.some((last) => last > 0) ?? false);
    this.element.hidden = !(span > 0) || !moves;
    if (this.element.hidden && this.#at !== null) this.all();
    this.#slider.min = String(this.#range[0]);
    this.#slider.max = String(this.#range[1]);
    if (this.#trail.dataset.span !== String(span)) {
      this.#trail.dataset.span = String(span);
      const scan = this.#studio.world.value?.sensors[0]?.scan_duration_s ?? 0.1;
      const choices = [...new Set([scan, span / 50, span / 10].filter((value) => value > 0 && value < span).map((value) => Number(value.toPrecision(2))))].sort((a, b) => a - b);
      fill(this.#trail, choices.map((value) => h("option", { value, selected: value === Number(scan.toPrecision(2)) }, `${short(value, 2)} s trail`)), h("option", { value: span, selected: scan >= span }, "all before"));
    }
    this.#words();
  }

  #words(): void {
    this.#slider.value = String(this.#at ?? this.#range[1]);
    this.#output.textContent = this.#at === null ? `${short(this.#range[1] - this.#range[0], 3)} s` : `${this.#at.toFixed(3)} s`;
    this.#all.setAttribute("aria-pressed", String(this.#at === null));
    fill(this.#play, icon(this.playing ? "pause" : "play"));
    this.#play.setAttribute("aria-label", this.playing ? "Pause" : "Play");
  }

  toggle(): void {
    if (this.element.hidden) return;
    if (this.playing) {
      cancelAnimationFrame(this.#frame);
      this.#frame = 0;
      this.#words();
      return;
    }
    if (this.#at === null || this.#at >= this.#range[1] - 1e-9) this.#at = this.#range[0];
    this.#last = performance.now();
    const step = (now: number) => {
      this.#frame = requestAnimationFrame(step);
      const next = (this.#at ?? this.#range[0]) + (Math.min(0.25, (now - this.#last) / 1000)) * Number(this.#speed.value);
      this.#last = now;
      if (next >= this.#range[1]) {
        cancelAnimationFrame(this.#frame);
        this.#frame = 0;
        this.seek(this.#range[1]);
      } else this.seek(next);
    };
    this.#frame = requestAnimationFrame(step);
    this.#words();
  }

  seek(time: number): void {
    this.#at = Math.max(this.#range[0], Math.min(this.#range[1], time));
    this.#studio.time.value = { at: this.#at, window: Number(this.#trail.value) || 0.1 };
    this.#words();
    void this.#moment(this.#at);
  }

  all(): void {
    if (this.playing) this.toggle();
    this.#at = null;
    this.#studio.time.value = { ...this.#studio.time.value, at: null };
    this.#words();
    void this.#moment(0);
  }

  /** Moves what moves to where it is; the newest moment wins. */
  async #moment(time: number): Promise<void> {
    const platform = this.#studio.world.value?.platform;
    if (!platform || (!platform.moving && !platform.things_move)) return;
    this.#wanted = time;
    if (this.#asking) return;
    this.#asking = true;
    try {
      while (this.#wanted !== null) {
        const now: number = this.#wanted;
        this.#wanted = null;
        const answer = await call("GET", "world/moment", { query: { time_s: Math.max(0, Math.min(platform.duration_s, now)) } });
        const block = readBlock(await answer.arrayBuffer());
        const extra = block.header.extra as MomentExtra;
        this.#studio.viewport?.world.moment(block);
        this.#scenery.moment(extra);
        extra.world_from_sensor.forEach((matrix, index) => this.#markers.moveSensor(index, new Vector3().setFromMatrixPosition(new Matrix4().fromArray(matrix))));
        this.#studio.viewport?.redraw();
      }
    } catch {
      // The picture stays as it was; the connection tells of itself.
    } finally {
      this.#asking = false;
    }
  }
}
