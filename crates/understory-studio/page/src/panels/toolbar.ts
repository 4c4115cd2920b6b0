// Tools over the picture: how to move, where to look from, clipping, measuring.

import { Box3, Vector3 } from "three";
import { h } from "../base/dom";
import { icon, type IconName } from "../base/icons";
import type { Studio } from "../data/studio";
import type { Measure } from "../view/measure";
import type { Viewport } from "../view/viewport";

const boxOf = (corners: readonly (readonly number[])[]): Box3 => new Box3(new Vector3().fromArray(corners[0]), new Vector3().fromArray(corners[1]));

export class Toolbar {
  readonly element: HTMLElement;
  readonly #studio: Studio;
  readonly #viewport: Viewport;
  readonly #measure: Measure;
  readonly #orbit: HTMLButtonElement;
  readonly #fly: HTMLButtonElement;
  readonly #tape: HTMLButtonElement;
  readonly #clip: HTMLButtonElement;

  constructor(studio: Studio, viewport: Viewport, measure: Measure) {
    this.#studio = studio;
    this.#viewport = viewport;
    this.#measure = measure;
    const tool = (glyph: IconName, title: string, act: () => void, test = "") => h("button", { title, "aria-label": title, "data-test": test || null, onclick: act }, icon(glyph));
    this.#orbit = tool("orbit", "Turn about what is looked at", () => this.fly(false));
    this.#fly = tool("fly", "Fly: drag to look about, W A S D Q E to move", () => this.fly(true), "fly");
    this.#tape = tool("measure", "Measure a distance: click two places (M)", () => this.measure(), "measure");
    this.#clip = tool("clip", "Clipping box (C)", () => this.clip(), "clip");
    this.element = h(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "View" },
      h("div", { class: "tool-group" }, this.#orbit, this.#fly),
      h("div", { class: "tool-group" },
        tool("fit", "Fit everything into the picture (F)", () => this.fit(), "fit"),
        tool("perspective", "From above at an angle (1)", () => this.corner()),
        tool("top", "From above (2)", () => this.top(), "top"),
        tool("side", "From the side (3)", () => this.side(), "side")),
      h("div", { class: "tool-group" }, this.#clip, this.#tape),
    );
    studio.look.watch((look) => this.#clip.setAttribute("aria-pressed", String(look.clip.on)));
    this.fly(false);
  }

  fly(on: boolean): void {
    this.#viewport.steering.flying = on;
    this.#fly.setAttribute("aria-pressed", String(on));
    this.#orbit.setAttribute("aria-pressed", String(!on));
  }

  measure(): void {
    this.#measure.toggle();
    this.#tape.setAttribute("aria-pressed", String(this.#measure.on));
    this.#viewport.canvas.style.cursor = this.#measure.on ? "crosshair" : "";
  }

  clip(): void {
    const { clip } = this.#studio.look.value;
    if (clip.on) return this.#studio.look.patch({ clip: { ...clip, on: false } });
    // A box about what is in the middle of the picture.
    const { target, distance } = this.#viewport.rig.view;
    const half = distance * 0.22;
    const round = (value: number) => Number(value.toPrecision(3));
    this.#studio.look.patch({
      clip: { on: true, low: [round(target[0] - half), round(target[1] - half), round(target[2] - half)], high: [round(target[0] + half), round(target[1] + half), round(target[2] + half)] },
    });
  }

  /** The box of what is worth looking at. */
  bounds(): Box3 {
    const box = new Box3();
    const world = this.#studio.world.value;
    for (const layer of this.#studio.layers.value) {
      const own = layer.visible ? layer.cloud.bounds() : null;
      if (!own) continue;
      const shift = layer.offset(this.#studio.origin);
      box.expandByPoint(new Vector3(...own.low).add(shift));
      box.expandByPoint(new Vector3(...own.high).add(shift));
    }
    if (box.isEmpty() && world) {
      box.expandByPoint(new Vector3(...world.bounds_m[0]));
      box.expandByPoint(new Vector3(...world.bounds_m[1]));
    }
    return box;
  }

  /** The first look at a world: over the shoulder of what moves, else from a corner. */
  first(): void {
    const platform = this.#studio.world.value?.platform;
    const start = platform?.path[0];
    const [x, y, z, w] = start?.quaternion ?? [0, 0, 0, 1];
    const heading = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
    this.#viewport.rig.set({ azimuth: platform?.moving ? heading + Math.PI - 0.5 : -2.1, elevation: 0.42, flat: false });
    this.fit(false);
  }

  /** Tells the camera how large everything is. */
  extent(): void {
    const box = this.bounds();
    const world = this.#studio.world.value;
    if (world) {
      box.expandByPoint(new Vector3(...world.bounds_m[0]));
      box.expandByPoint(new Vector3(...world.bounds_m[1]));
    }
    if (box.isEmpty()) return;
    this.#viewport.rig.extent = { centre: box.getCenter(new Vector3()), radius: Math.max(1, box.getSize(new Vector3()).length() / 2) };
  }

  /** Fits what is about the sensors; once more: everything. Far points push nothing into a corner. */
  fit(animated = true): void {
    this.extent();
    const world = this.#studio.world.value;
    const box = new Box3();
    if (world && this.#studio.look.value.world > 0) {
      const near = boxOf(world.closed ? world.bounds_m : world.focus_m);
      const { target, distance } = this.#viewport.rig.view;
      const there = near.getCenter(new Vector3()).distanceTo(new Vector3(...target)) < distance * 0.01;
      box.copy(animated && there ? boxOf(world.bounds_m) : near);
    } else box.copy(this.bounds());
    if (box.isEmpty()) return;
    const size = box.getSize(new Vector3());
    const radius = Math.max(0.5, Math.hypot(size.x, size.y, size.z) / 2);
    const sensors = (world?.sensors ?? []).map(({ world_from_sensor: m }) => new Vector3(m[12], m[13], m[14])).filter((place) => box.containsPoint(place));
    this.#viewport.rig.fit(box.getCenter(new Vector3()), radius * 0.72, this.#viewport.width / this.#viewport.height, sensors, animated);
  }

  corner(): void {
    this.#viewport.rig.travel({ azimuth: -2.1, elevation: 0.42, flat: false });
  }

  top(): void {
    this.#viewport.rig.travel({ azimuth: -Math.PI / 2, elevation: Math.PI / 2, flat: true });
  }

  side(): void {
    const turned = this.#viewport.rig.view.flat && Math.abs(this.#viewport.rig.view.elevation) < 0.01;
    this.#viewport.rig.travel({ azimuth: turned ? this.#viewport.rig.view.azimuth + Math.PI / 2 : -Math.PI / 2, elevation: 0, flat: true });
  }
}
