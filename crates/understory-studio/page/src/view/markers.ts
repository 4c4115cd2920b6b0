// Handles over the picture: sensors, waypoints and the chosen object can be dragged along the ground
// (with Shift: up and down), or moved by arrow keys. What was moved goes into the scenario's text.

import { Plane, Vector3 } from "three";
import { h } from "../base/dom";
import { short } from "../base/format";
import { icon } from "../base/icons";
import type { Studio } from "../data/studio";
import type { Edit, Step } from "../protocol";
import type { Viewport } from "./viewport";

interface Handle {
  element: HTMLElement;
  place: Vector3;
  /** The edit that puts it elsewhere by this much in the world. */
  move: (by: Vector3) => Edit[];
}

export class Markers {
  readonly #studio: Studio;
  readonly #viewport: Viewport;
  readonly #overlay: HTMLElement;
  #handles: Handle[] = [];
  readonly #tip = h("div", { class: "tip", hidden: true });

  constructor(studio: Studio, viewport: Viewport, overlay: HTMLElement) {
    this.#studio = studio;
    this.#viewport = viewport;
    this.#overlay = overlay;
    overlay.append(this.#tip);
    studio.world.on(() => this.build());
    studio.document.on((document_, before) => {
      if (!before && document_) this.build();
    });
    studio.chosenObject.on((object) => {
      viewport.world.shared.chosen.value = object;
      this.build();
    });
    studio.look.on((look, before) => {
      if (look.sensors !== before.sensors || look.path !== before.path) this.build();
    });
    viewport.onDrawn.push(() => this.#place());
  }

  build(): void {
    const focused = this.#handles.find(({ element }) => element === document.activeElement)?.element.title;
    this.#build();
    if (focused) this.#handles.find(({ element }) => element.title === focused)?.element.focus();
  }

  #build(): void {
    for (const { element } of this.#handles) element.remove();
    this.#handles = [];
    const world = this.#studio.world.value;
    const value = this.#studio.document.value?.value as Record<string, unknown> | null | undefined;
    if (!world || !value) return;
    const look = this.#studio.look.value;
    if (look.sensors) {
      const entries = Array.isArray(value.sensor) ? (value.sensor as Record<string, unknown>[]) : [];
      for (const sensor of world.sensors) {
        const m = sensor.world_from_sensor;
        const mount = vector(entries[sensor.index]?.position_m);
        this.#add("sensor", sensor.name, `${sensor.title || sensor.preset}: drag to move it`, new Vector3(m[12], m[13], m[14]), (by) => [
          { path: ["sensor", sensor.index, "position_m"], value: sum(mount, this.#toPlatform(by)) },
        ]);
      }
    }
    const platform = value.platform as Record<string, unknown> | undefined;
    if (look.path && Array.isArray(platform?.waypoints) && world.platform.moving) {
      (platform.waypoints as Record<string, unknown>[]).forEach((waypoint, at) => {
        const position = vector(waypoint.position_m);
        const time = typeof waypoint.time_s === "number" ? waypoint.time_s : null;
        const pose = time === null ? null : nearest(world.platform.path, time);
        const place = pose ? new Vector3(...pose.position_m) : new Vector3(position[0] - world.offset_m[0], position[1] - world.offset_m[1], position[2] - world.offset_m[2]);
        this.#add("waypoint", `waypoint ${at + 1}`, `waypoint ${at + 1}${time === null ? "" : ` at ${short(time)} s`}: drag to move it`, place, (by) => [
          { path: ["platform", "waypoints", at, "position_m"], value: sum(position, by) },
        ]);
      });
    }
    const object = world.objects[this.#studio.chosenObject.value - 1];
    if (object?.table) {
      const table: Step[] = object.table;
      const position = vector(at(value, [...table, "position_m"]));
      this.#add("object", object.name, `${object.name}: drag to move it`, new Vector3(...object.position_m), (by) => [{ path: [...table, "position_m"], value: sum(position, by) }]);
    }
    this.#place();
  }

  /** A way in the world as one on the platform at time 0. */
  #toPlatform(by: Vector3): Vector3 {
    const pose = this.#studio.world.value?.platform.path[0];
    if (!pose) return by;
    const [x, y, z, w] = pose.quaternion;
    return by.clone().applyQuaternion({ x: -x, y: -y, z: -z, w } as never);
  }

  #add(kind: "sensor" | "waypoint" | "object", name: string, title: string, place: Vector3, move: Handle["move"]): void {
    const element = h("button", { class: `marker ${kind}`, title, "data-test": `marker-${kind}` }, kind === "sensor" ? icon("sensor", 13) : kind === "object" ? icon("clip", 13) : null, h("span", null, name));
    const handle: Handle = { element, place, move };
    element.addEventListener("pointerdown", (event) => this.#drag(handle, event));
    element.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? 1 : 0.1;
      const ways: Record<string, [number, number, number]> = { ArrowLeft: [-step, 0, 0], ArrowRight: [step, 0, 0], ArrowUp: [0, step, 0], ArrowDown: [0, -step, 0], PageUp: [0, 0, step], PageDown: [0, 0, -step] };
      const way = ways[event.key];
      if (!way) return;
      event.preventDefault();
      event.stopPropagation();
      void this.#studio.edit(move(new Vector3(...way)));
    });
    this.#overlay.append(element);
    this.#handles.push(handle);
  }

  #drag(handle: Handle, event: PointerEvent): void {
    event.preventDefault();
    event.stopPropagation();
    const { element } = handle;
    const start = handle.place.clone();
    const box = this.#viewport.canvas.getBoundingClientRect();
    const along = (moved: PointerEvent): Vector3 | null => {
      const x = moved.clientX - box.left;
      const y = moved.clientY - box.top;
      if (!moved.shiftKey) return this.#viewport.onPlane(x, y, new Plane(new Vector3(0, 0, 1), -start.z));
      const facing = this.#viewport.rig.direction().setZ(0).normalize();
      const hit = this.#viewport.onPlane(x, y, new Plane().setFromNormalAndCoplanarPoint(facing, start));
      return hit ? new Vector3(start.x, start.y, hit.z) : null;
    };
    const grip = along(event);
    element.setPointerCapture(event.pointerId);
    element.classList.add("dragging");
    const moving = (moved: PointerEvent) => {
      const to = along(moved);
      if (!to || !grip) return;
      const by = moved.shiftKey ? new Vector3(0, 0, to.z - start.z) : to.sub(grip);
      if (by.length() > this.#viewport.rig.view.distance * 20) return;
      handle.place.copy(start).add(by);
      this.#place();
      this.#tip.hidden = false;
      this.#tip.textContent = `${short(by.x, 3)}, ${short(by.y, 3)}, ${short(by.z, 3)} m`;
      this.#tip.style.transform = `translate(${moved.clientX - box.left + 16}px, ${moved.clientY - box.top + 12}px)`;
    };
    const end = () => {
      element.removeEventListener("pointermove", moving);
      element.classList.remove("dragging");
      this.#tip.hidden = true;
      const by = handle.place.clone().sub(start);
      if (by.length() < 1e-4) return;
      void this.#studio.edit(handle.move(by)).then((document_) => {
        if (!document_ || document_.problems.length > 0) handle.place.copy(start);
        this.#place();
      });
    };
    element.addEventListener("pointermove", moving);
    element.addEventListener("pointerup", end, { once: true });
    element.addEventListener("pointercancel", end, { once: true });
  }

  /** Sensors where they are at a moment. */
  moveSensor(index: number, place: Vector3): void {
    const handle = this.#handles.filter(({ element }) => element.classList.contains("sensor"))[index];
    if (handle) handle.place.copy(place);
  }

  #place(): void {
    for (const { element, place } of this.#handles) {
      const at = this.#viewport.project(place);
      const inside = at !== null && at.x >= 0 && at.y >= 0 && at.x <= this.#viewport.width && at.y <= this.#viewport.height;
      element.style.visibility = inside || element.classList.contains("dragging") ? "visible" : "hidden";
      if (at) element.style.transform = `translate(${at.x.toFixed(1)}px, ${at.y.toFixed(1)}px)`;
    }
  }
}

function vector(value: unknown): number[] {
  return Array.isArray(value) && value.length === 3 ? value.map(Number) : [0, 0, 0];
}

/** To millimetres, which is what a mouse can mean. */
function sum(position: readonly number[], by: Vector3): number[] {
  return [position[0] + by.x, position[1] + by.y, position[2] + by.z].map((value) => Math.round(value * 1000) / 1000);
}

function at(value: unknown, path: Step[]): unknown {
  return path.reduce<unknown>((inner, step) => (typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[String(step)] : undefined), value);
}

function nearest<T extends { time_s: number }>(poses: readonly T[], time: number): T | null {
  let best: T | null = null;
  for (const pose of poses) if (!best || Math.abs(pose.time_s - time) < Math.abs(best.time_s - time)) best = pose;
  return best;
}
