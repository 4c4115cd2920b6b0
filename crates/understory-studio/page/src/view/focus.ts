// Rings about the point under the mouse and the picked one, and the sub-rays of the picked pulse.

import { Vector3, type LineSegments } from "three";
import { h } from "../base/dom";
import { Signal } from "../base/signal";
import type { Focus, Studio } from "../data/studio";
import type { PulseAccount } from "../protocol";
import { LineBuilder, rgba } from "./lines";
import type { Viewport } from "./viewport";

export class FocusView {
  /** The account of the picked pulse, where there is one. */
  readonly pulse = new Signal<PulseAccount | null>(null);
  readonly #studio: Studio;
  readonly #viewport: Viewport;
  readonly #hover = h("div", { class: "ring", hidden: true });
  readonly #picked = h("div", { class: "ring picked", hidden: true, "data-test": "picked-ring" });
  #rays: LineSegments | null = null;

  constructor(studio: Studio, viewport: Viewport, overlay: HTMLElement) {
    this.#studio = studio;
    this.#viewport = viewport;
    overlay.append(this.#hover, this.#picked);
    viewport.onDrawn.push(() => this.place());
    studio.hover.on(() => this.place());
    studio.picked.on(() => this.place());
    this.pulse.on((pulse) => this.#draw(pulse));
  }

  /** Where a point is in the picture's frame. */
  position(focus: Focus): Vector3 | null {
    const at = focus.layer.cloud.position(focus.point);
    return at ? new Vector3(...at).add(focus.layer.offset(this.#studio.origin)) : null;
  }

  place(): void {
    this.#put(this.#hover, this.#studio.hover.value);
    this.#put(this.#picked, this.#studio.picked.value);
  }

  #put(ring: HTMLElement, focus: Focus | null): void {
    const position = focus && this.position(focus);
    const at = position && this.#viewport.project(position);
    ring.hidden = !at;
    if (!at || !focus) return;
    const { split } = this.#viewport;
    const x = split.mode === "side" && split.right === focus.layer ? at.x + this.#viewport.width / 2 : at.x;
    ring.style.transform = `translate(${x.toFixed(1)}px, ${at.y.toFixed(1)}px)`;
  }

  #draw(pulse: PulseAccount | null): void {
    this.#rays?.geometry.dispose();
    this.#rays?.removeFromParent();
    this.#rays = null;
    if (pulse) {
      const origin = this.#studio.origin;
      const local = (place: readonly number[]) => [place[0] - origin[0], place[1] - origin[1], place[2] - origin[2]];
      const from = local(pulse.origin_m);
      const lines = new LineBuilder();
      const far = Math.min(pulse.range_m[1], 60, ...pulse.sub_rays.flatMap((ray) => ray.hits.map((hit) => hit.distance_m * 1.6)).concat(60));
      for (const ray of pulse.sub_rays) {
        if (ray.hits.length === 0) {
          const end = ray.direction.map((part, axis) => from[axis] + part * far);
          lines.segment(from, end, rgba("#ff9e6b", 0.35), rgba("#ff9e6b", 0));
          continue;
        }
        for (const hit of ray.hits) {
          const end = local(hit.xyz_m);
          lines.segment(from, end, rgba("#ffd27a", hit.counts ? 0.9 : 0.3));
          const size = 0.004 * hit.distance_m ** 0.5 + 0.006;
          for (let axis = 0; axis < 3; axis++) {
            const a = [...end];
            const b = [...end];
            a[axis] -= size;
            b[axis] += size;
            lines.segment(a, b, rgba(hit.counts ? "#ffffff" : "#ff7a70"));
          }
        }
      }
      this.#rays = lines.build(true);
      this.#viewport.notes.add(this.#rays);
    }
    this.#viewport.redraw();
  }
}
