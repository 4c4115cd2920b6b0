// A tape between two places: their distance, and how much of it is level and how much is height.

import type { Group, LineSegments, Vector3 } from "three";
import { h } from "../base/dom";
import { short } from "../base/format";
import { LineBuilder, rgba } from "./lines";
import type { Viewport } from "./viewport";

export class Measure {
  on = false;
  readonly #viewport: Viewport;
  readonly #label = h("div", { class: "tape", hidden: true, "data-test": "tape" });
  readonly #group: Group;
  #ends: Vector3[] = [];
  #lines: LineSegments | null = null;

  constructor(viewport: Viewport, overlay: HTMLElement) {
    this.#viewport = viewport;
    this.#group = viewport.notes;
    overlay.append(this.#label);
    viewport.onDrawn.push(() => this.#place());
  }

  toggle(): void {
    this.on = !this.on;
    if (!this.on) this.clear();
  }

  clear(): void {
    this.#ends = [];
    this.#draw();
  }

  add(place: Vector3): void {
    if (this.#ends.length === 2) this.#ends = [];
    this.#ends.push(place);
    this.#draw();
  }

  #draw(): void {
    this.#lines?.geometry.dispose();
    this.#lines?.removeFromParent();
    this.#lines = null;
    const lines = new LineBuilder();
    const white = rgba("#ffffff");
    const size = this.#viewport.rig.view.distance * 0.012;
    for (const { x, y, z } of this.#ends) {
      lines.segment([x - size, y, z], [x + size, y, z], white);
      lines.segment([x, y - size, z], [x, y + size, z], white);
      lines.segment([x, y, z - size], [x, y, z + size], white);
    }
    const [a, b] = this.#ends;
    this.#label.hidden = !b;
    if (b) {
      lines.segment(a.toArray(), b.toArray(), white);
      const corner = [b.x, b.y, a.z];
      lines.segment(a.toArray(), corner, rgba("#ffffff", 0.35));
      lines.segment(corner, b.toArray(), rgba("#ffffff", 0.35));
      const level = Math.hypot(b.x - a.x, b.y - a.y);
      this.#label.replaceChildren(`${short(a.distanceTo(b), 5)} m`, h("small", null, `level ${short(level, 4)} m, height ${short(b.z - a.z, 4)} m`));
    }
    if (this.#ends.length > 0) {
      this.#lines = lines.build(true);
      this.#group.add(this.#lines);
    }
    this.#viewport.redraw();
  }

  #place(): void {
    const [a, b] = this.#ends;
    if (!b) return;
    const at = this.#viewport.project(a.clone().add(b).multiplyScalar(0.5));
    this.#label.style.visibility = at ? "visible" : "hidden";
    if (at) this.#label.style.transform = `translate(${at.x.toFixed(1)}px, ${at.y.toFixed(1)}px) translate(-50%, -140%)`;
  }
}
