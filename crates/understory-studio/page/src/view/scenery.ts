// What is drawn beside surfaces and points: sensors with what they see and how they sweep it, the
// platform's path, weather, the clipping box.

import { Group, type LineSegments, Matrix4, Vector3 } from "three";
import { call } from "../data/api";
import { readBlock } from "../data/blocks";
import type { Studio } from "../data/studio";
import type { MomentExtra, SensorView } from "../protocol";
import { LineBuilder, rgba } from "./lines";
import type { Viewport } from "./viewport";

const BEAMS = 900;
const COLOURS = ["#54c98b", "#6db3ff", "#f2b455", "#d58cf0", "#ff8f70"];

export class Scenery {
  readonly #studio: Studio;
  readonly #viewport: Viewport;
  readonly #sensors = new Group();
  readonly #beams = new Group();
  readonly #fixed = new Group();
  readonly #clip = new Group();
  #revision = -1;

  constructor(studio: Studio, viewport: Viewport) {
    this.#studio = studio;
    this.#viewport = viewport;
    viewport.notes.add(this.#sensors, this.#beams, this.#fixed, this.#clip);
    studio.world.on(() => this.#build());
    studio.look.on(() => this.#shown());
  }

  #build(): void {
    const { value: world } = this.#studio.world;
    empty(this.#sensors);
    empty(this.#beams);
    empty(this.#fixed);
    if (!world) return;
    for (const sensor of world.sensors) {
      const cone = view(sensor);
      cone.matrixAutoUpdate = false;
      cone.matrix.fromArray(sensor.world_from_sensor);
      cone.userData.sensor = sensor.index;
      this.#sensors.add(cone);
    }
    const path = new LineBuilder();
    const { path: poses, lines_s } = world.platform;
    for (let i = 1; i < poses.length; i++) {
      const fires = lines_s.length === 0 || lines_s.some(([from, to]) => poses[i].time_s >= from && poses[i].time_s <= to + 1e-9);
      path.segment(poses[i - 1].position_m, poses[i].position_m, rgba("#6db3ff", fires ? 1 : 0.3));
    }
    // How the platform is turned, now and then.
    const every = Math.max(1, Math.floor(poses.length / 12));
    const size = Math.max(0.4, this.#viewport.rig.extent.radius * 0.015);
    for (let i = 0; i < poses.length; i += every) {
      const [x, y, z, w] = poses[i].quaternion;
      const ahead = new Vector3(1, 0, 0).applyQuaternion({ x, y, z, w } as never);
      const at = new Vector3(...poses[i].position_m);
      path.segment(at.toArray(), at.clone().addScaledVector(ahead, size).toArray(), rgba("#6db3ff", 1), rgba("#6db3ff", 0.2));
    }
    const lines = path.build();
    lines.userData.layer = "path";
    this.#fixed.add(lines);
    const weather = new LineBuilder();
    for (const { box_m } of world.weather) if (box_m) weather.box(box_m[0], box_m[1], rgba("#c9d4e8", 0.65));
    const boxes = weather.build();
    boxes.userData.layer = "weather";
    this.#fixed.add(boxes);
    this.#shown();
  }

  #shown(): void {
    const { value: look } = this.#studio.look;
    this.#sensors.visible = look.sensors;
    this.#beams.visible = look.beams;
    for (const child of this.#fixed.children) child.visible = child.userData.layer === "path" ? look.path : look.weather;
    if (look.beams) void this.#loadBeams();
    empty(this.#clip);
    if (look.clip.on) {
      const box = new LineBuilder();
      box.box(look.clip.low, look.clip.high, rgba("#f2b455", 0.8));
      this.#clip.add(box.build());
    }
    this.#viewport.redraw();
  }

  /** One frame of each sensor's beams, as lines that fade. */
  async #loadBeams(): Promise<void> {
    const { value: world } = this.#studio.world;
    if (!world || this.#revision === world.revision) return;
    this.#revision = world.revision;
    for (const sensor of world.sensors) {
      try {
        const answer = await call("GET", "world/beams", { query: { sensor: sensor.index, limit: BEAMS } });
        const block = readBlock(await answer.arrayBuffer());
        if (this.#studio.world.value !== world) return;
        const directions = block.column("direction") as Float32Array;
        const length = reach(sensor);
        const lines = new LineBuilder();
        const colour = COLOURS[sensor.index % COLOURS.length];
        for (let i = 0; i < directions.length; i += 3) lines.segment([0, 0, 0], [directions[i] * length, directions[i + 1] * length, directions[i + 2] * length], rgba(colour, 0.5), rgba(colour, 0.03));
        const drawn = lines.build();
        drawn.matrixAutoUpdate = false;
        drawn.matrix.fromArray(sensor.world_from_sensor);
        drawn.userData.sensor = sensor.index;
        this.#beams.add(drawn);
      } catch {
        // Beams are an ornament: without them everything else is there.
      }
    }
    this.#viewport.redraw();
  }

  /** Puts sensors where they are at a moment. */
  moment(extra: MomentExtra): void {
    for (const group of [this.#sensors, this.#beams]) {
      for (const child of group.children) {
        const matrix = extra.world_from_sensor[child.userData.sensor as number];
        if (matrix) child.matrix.copy(new Matrix4().fromArray(matrix));
        child.matrixWorldNeedsUpdate = true;
      }
    }
  }
}

function empty(group: Group): void {
  for (const child of group.children) (child as LineSegments).geometry.dispose();
  group.clear();
}

/** How far what a sensor sees is drawn. */
function reach(sensor: SensorView): number {
  return Math.min(sensor.range_m[1], 12);
}

/** The outline of what a sensor sees, in its own frame. */
function view(sensor: SensorView): LineSegments {
  const lines = new LineBuilder();
  const colour = COLOURS[sensor.index % COLOURS.length];
  const length = Math.min(reach(sensor), 6);
  const [a0, a1] = sensor.azimuth_deg.map((deg) => (deg * Math.PI) / 180);
  const [e0, e1] = sensor.elevation_deg.map((deg) => (deg * Math.PI) / 180);
  const round = a1 - a0 > 6.2;
  const at = (azimuth: number, elevation: number, far = length) => [far * Math.cos(elevation) * Math.cos(azimuth), far * Math.cos(elevation) * Math.sin(azimuth), far * Math.sin(elevation)];
  const arc = (elevation: number, opacity: number) => lines.strip(Array.from({ length: 49 }, (_, i) => at(a0 + ((a1 - a0) * i) / 48, elevation)), rgba(colour, opacity));
  arc(e0, 0.85);
  arc(e1, 0.85);
  if (e1 - e0 > 0.35) arc((e0 + e1) / 2, 0.3);
  const sides = round ? Array.from({ length: 8 }, (_, i) => (i * Math.PI) / 4) : [a0, a1, (a0 + a1) / 2];
  for (const azimuth of sides) {
    const near = 0.15;
    lines.segment(at(azimuth, e0, near), at(azimuth, e0), rgba(colour, 0.7), rgba(colour, 0.25));
    lines.segment(at(azimuth, e1, near), at(azimuth, e1), rgba(colour, 0.7), rgba(colour, 0.25));
    lines.strip(Array.from({ length: 9 }, (_, i) => at(azimuth, e0 + ((e1 - e0) * i) / 8)), rgba(colour, 0.3));
  }
  // The head itself, as a small drum.
  for (const z of [-0.06, 0.06]) lines.strip(Array.from({ length: 17 }, (_, i) => [0.07 * Math.cos((i * Math.PI) / 8), 0.07 * Math.sin((i * Math.PI) / 8), z]), rgba(colour, 1));
  return lines.build();
}
