// The picture: draws the scene when something changed, and only then. Two layers can be shown side
// by side with one camera, or one over the other with a border that can be dragged.

import { ColorManagement, Group, LinearSRGBColorSpace, Plane, Raycaster, Scene, type ShaderMaterial, Vector2, Vector3, WebGLRenderer } from "three";
import type { Layer } from "../data/layer";
import { EyeDome } from "./eye-dome";
import { pickPoint, SurfacePicker, type Limits, type PickedPoint, type PickedSurface } from "./pick";
import { Rig } from "./rig";
import { Steering } from "./steering";
import { WorldView } from "./world";

export type Split = { mode: "one" } | { mode: "side" | "swipe"; left: Layer; right: Layer; at: number };

ColorManagement.enabled = false;

export class Viewport {
  readonly canvas: HTMLCanvasElement;
  readonly renderer: WebGLRenderer;
  readonly rig: Rig;
  readonly steering: Steering;
  readonly scene = new Scene();
  readonly world = new WorldView();
  readonly notes = new Group();
  readonly points: ShaderMaterial;
  /** Whether the card is a program on the processor. */
  readonly software: boolean;
  layers: readonly Layer[] = [];
  split: Split = { mode: "one" };
  eyeDome = 1;
  /** Whether points are drawn over surfaces that hide them. */
  through = false;
  /** Called after each picture, to move what lies over it. */
  onDrawn: (() => void)[] = [];
  /** Milliseconds of the last pictures. */
  readonly frames: number[] = [];
  readonly #clouds: Group;
  readonly #dome: EyeDome;
  readonly #surfaces = new SurfacePicker();
  #wanted = 0;
  #share = 1;
  #before = 0;
  #settle = 0;
  #width = 1;
  #height = 1;

  /** Throws where there is no WebGL. */
  constructor(holder: HTMLElement, points: ShaderMaterial, clouds: Group) {
    this.points = points;
    this.#clouds = clouds;
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.className = "stage";
    this.canvas.setAttribute("aria-label", "The scene. Drag to turn, right-drag to move, wheel to zoom, W A S D Q E to fly.");
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: false, alpha: false, preserveDrawingBuffer: true, powerPreference: "high-performance" });
    this.renderer.outputColorSpace = LinearSRGBColorSpace;
    this.renderer.autoClear = false;
    this.renderer.setClearColor(0x000000, 0);
    const gl = this.renderer.getContext();
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
    this.software = /swiftshader|llvmpipe|software|basic render/i.test(name);
    this.renderer.setPixelRatio(this.software ? 1 : Math.min(devicePixelRatio, 2));
    this.#dome = new EyeDome(this.software ? 0 : 4);
    this.rig = new Rig(() => this.redraw());
    this.steering = new Steering(this.canvas, this.rig);
    this.scene.add(this.world.group, clouds, this.notes);
    holder.append(this.canvas);
    new ResizeObserver(() => this.#resize(holder)).observe(holder);
    this.canvas.addEventListener("webglcontextrestored", () => this.redraw());
    this.#resize(holder);
  }

  get width(): number {
    return this.#width;
  }

  get height(): number {
    return this.#height;
  }

  sky(top: string, low: string): void {
    this.#dome.sky(top, low);
    this.redraw();
  }

  /** Asks for a new picture. */
  redraw(): void {
    if (this.#wanted === 0) this.#wanted = requestAnimationFrame((now) => this.#frame(now));
  }

  #resize(holder: HTMLElement): void {
    const width = Math.max(1, Math.round(holder.clientWidth));
    const height = Math.max(1, Math.round(holder.clientHeight));
    if (width === this.#width && height === this.#height) return;
    this.#width = width;
    this.#height = height;
    this.renderer.setSize(width, height, false);
    const ratio = this.renderer.getPixelRatio();
    this.#dome.resize(Math.round(width * ratio), Math.round(height * ratio));
    // At once, because a resized canvas is empty until it is drawn.
    this.draw();
  }

  #frame(now: number): void {
    this.#wanted = 0;
    const busy = this.steering.busy;
    if (busy) {
      const spent = now - this.#before;
      if (this.#before > 0 && spent < 1500) {
        if (spent > 70) this.#share = Math.max(0.02, this.#share * 0.75);
        else if (spent < 25) this.#share = Math.min(1, this.#share * 1.15);
      }
      this.#before = now;
      clearTimeout(this.#settle);
      this.#settle = setTimeout(() => this.redraw(), 160);
    } else this.#before = 0;
    this.draw(busy ? this.#share : 1);
  }

  /** Draws now. */
  draw(share = 1): void {
    const start = performance.now();
    const { renderer } = this;
    const ratio = renderer.getPixelRatio();
    const { target } = this.#dome;
    this.points.uniforms.pixels.value = target.height / 2;
    for (const layer of this.layers) {
      layer.group.visible = layer.visible;
      if (!layer.visible) continue;
      layer.cloud.flush();
      layer.cloud.thin(share);
    }
    target.scissorTest = false;
    target.scissor.set(0, 0, target.width, target.height);
    target.viewport.set(0, 0, target.width, target.height);
    renderer.setRenderTarget(target);
    renderer.clear();
    const { split } = this;
    let camera = this.rig.camera;
    if (split.mode === "one") {
      camera = this.rig.update(this.#width / this.#height);
      this.#render(camera);
    } else {
      const middle = Math.round(target.width * (split.mode === "side" ? 0.5 : split.at));
      const show = (layer: Layer, from: number, to: number) => {
        for (const other of this.layers) other.group.visible = other === layer;
        target.scissorTest = true;
        target.scissor.set(from, 0, to - from, target.height);
        if (split.mode === "side") target.viewport.set(from, 0, to - from, target.height);
        renderer.setRenderTarget(target);
        camera = this.rig.update(split.mode === "side" ? (to - from) / target.height : target.width / target.height);
        this.#render(camera);
      };
      for (const layer of [split.left, split.right]) {
        layer.cloud.flush();
        layer.cloud.thin(share);
      }
      show(split.left, 0, middle);
      show(split.right, middle, target.width);
      target.scissorTest = false;
    }
    this.#dome.compose(renderer, camera, this.eyeDome, ratio, this.rig.view.distance);
    for (const done of this.onDrawn) done();
    this.frames.push(performance.now() - start);
    if (this.frames.length > 240) this.frames.shift();
  }

  #render(camera: Rig["camera"]): void {
    const { renderer, scene } = this;
    if (!this.through) return renderer.render(scene, camera);
    const { visible } = this.world.group;
    this.#clouds.visible = false;
    this.notes.visible = false;
    renderer.render(scene, camera);
    renderer.clearDepth();
    this.#clouds.visible = true;
    this.notes.visible = true;
    this.world.group.visible = false;
    renderer.render(scene, camera);
    this.world.group.visible = visible;
  }

  /** The half of the picture in which a pixel lies when layers are side by side. */
  pane(x: number): { left: number; width: number; layers: readonly Layer[] } {
    const { split } = this;
    if (split.mode === "one") return { left: 0, width: this.#width, layers: this.layers.filter((layer) => layer.visible) };
    const border = this.#width * (split.mode === "side" ? 0.5 : split.at);
    const layers = [x < border ? split.left : split.right];
    if (split.mode === "swipe") return { left: 0, width: this.#width, layers };
    return x < border ? { left: 0, width: border, layers } : { left: border, width: this.#width - border, layers };
  }

  /** The point at a pixel of the picture. */
  pointAt(x: number, y: number, radius: number, limits: Limits): PickedPoint | null {
    const pane = this.pane(x);
    const camera = this.rig.update(pane.width / this.#height);
    return pickPoint(pane.layers, camera, pane.width, this.#height, x - pane.left, y, radius, limits);
  }

  /** The surface at a pixel of the picture. */
  surfaceAt(x: number, y: number): PickedSurface | null {
    const pane = this.pane(x);
    const camera = this.rig.update(pane.width / this.#height);
    return this.#surfaces.pick(this.renderer, this.world.group, this.world.shared, camera, pane.width, this.#height, x - pane.left, y);
  }

  /** Where a place is in the picture, in pixels; `null` behind the eye. With layers side by side: in the left one. */
  project(place: Vector3, out = new Vector2()): Vector2 | null {
    const pane = this.pane(0);
    const camera = this.rig.update(pane.width / this.#height);
    const at = place.clone().applyMatrix4(camera.matrixWorldInverse);
    if (at.z > -camera.near) return null;
    at.applyMatrix4(camera.projectionMatrix);
    return out.set((at.x + 1) * 0.5 * pane.width, (1 - at.y) * 0.5 * this.#height);
  }

  /** Where the line of sight through a pixel meets a plane. */
  onPlane(x: number, y: number, plane: Plane): Vector3 | null {
    const pane = this.pane(x);
    const camera = this.rig.update(pane.width / this.#height);
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2(((x - pane.left) / pane.width) * 2 - 1, 1 - (y / this.#height) * 2), camera);
    return caster.ray.intersectPlane(plane, new Vector3());
  }
}
