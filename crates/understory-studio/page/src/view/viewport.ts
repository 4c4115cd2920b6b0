// The picture: draws the scene when something changed, and only then, one picture at a time and each
// with as many points as the card can draw while the page still answers. Two layers can be shown side by
// side with one camera, or one over the other with a border that can be dragged.

import { ColorManagement, Group, LinearSRGBColorSpace, Plane, Raycaster, Scene, type ShaderMaterial, Vector2, Vector3, WebGLRenderer } from "three";
import type { Layer } from "../data/layer";
import { Budget, type Kind } from "./budget";
import { CHUNK, Cloud } from "./cloud";
import { EyeDome } from "./eye-dome";
import { pickPoint, SurfacePicker, type Limits, type PickedPoint, type PickedSurface } from "./pick";
import { Rig, type View } from "./rig";
import { Steering } from "./steering";
import { WorldView } from "./world";

export type Split = { mode: "one" } | { mode: "side" | "swipe"; left: Layer; right: Layer; at: number };

ColorManagement.enabled = false;

/** Chunks of points that are given to the card before one picture. */
const CHUNKS = 12;
/** When a picture counts as done although no fence says so, milliseconds. */
const LONGEST = 20_000;
/** How long a view must rest before it is drawn with more points. */
const REST = 160;
/** How long new points are drawn over the picture before it is drawn anew, milliseconds. */
const GROWING = 400;
/** How long a canvas may stay larger than its place. */
const SMALLER = 600;

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
  /** Called when the card is done with a picture. */
  onShown: (() => void)[] = [];
  /** Milliseconds that the card took for the last pictures. */
  readonly frames: number[] = [];
  /** Points of the visible layers, and how many of them are in the picture. */
  shown = { points: 0, of: 0, world: false };
  readonly #clouds: Group;
  readonly #dome: EyeDome;
  readonly #surfaces = new SurfacePicker();
  readonly #budget: Budget;
  #wanted = 0;
  /** The picture that the card is busy with. */
  #busy = false;
  /** Whether something changed meanwhile. */
  #changed = false;
  /** Which share of the points is drawn. */
  #share = 1;
  #more = 0;
  #view: View | null = null;
  /** Whether points came that can be drawn over the picture. */
  #grown = false;
  #anew = 0;
  #settled: (() => void)[] = [];
  #width = 1;
  #height = 1;
  readonly #holder: HTMLElement;
  #smaller = 0;
  /** When its place changed last. */
  #shrunk = 0;

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
    // Asking whether a program is right waits until it is made; the tests look at every one of them.
    this.renderer.debug.checkShaderErrors = false;
    this.renderer.setClearColor(0x000000, 0);
    const gl = this.renderer.getContext();
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
    this.software = /swiftshader|llvmpipe|software|basic render/i.test(name);
    this.renderer.setPixelRatio(this.software ? 1 : Math.min(devicePixelRatio, 2));
    this.#dome = new EyeDome(this.software ? 0 : 4);
    this.#budget = new Budget(this.software);
    this.rig = new Rig(() => this.redraw());
    this.steering = new Steering(this.canvas, this.rig);
    this.scene.add(this.world.group, clouds, this.notes);
    holder.append(this.canvas);
    // A canvas that is resized waits for the card. One that is too large is cut off by what is around it,
    // and is made smaller when there is time.
    new ResizeObserver(() => {
      clearTimeout(this.#smaller);
      this.#shrunk = performance.now();
      if (holder.clientWidth > this.#width || holder.clientHeight > this.#height) this.redraw();
      else this.#smaller = window.setTimeout(() => this.redraw(), SMALLER + 20);
    }).observe(holder);
    this.canvas.addEventListener("webglcontextrestored", () => this.redraw());
    this.#holder = holder;
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
    this.#changed = true;
    this.#ask();
  }

  /** Asks for points that came to be drawn over the picture, which is cheaper; soon after it is drawn anew. */
  grow(): void {
    if (this.split.mode !== "one" || this.#view === null) return this.redraw();
    this.#grown = true;
    this.#anew ||= window.setTimeout(() => this.redraw(), GROWING);
    this.#ask();
  }

  #ask(): void {
    this.canvas.dataset.shown = "part";
    clearTimeout(this.#more);
    if (this.#wanted === 0 && !this.#busy) this.#wanted = requestAnimationFrame(() => this.#frame());
  }

  /** Waits until every point is in the picture. */
  settled(): Promise<void> {
    return new Promise((done) => {
      this.#settled.push(done);
      this.redraw();
    });
  }

  #resize(): void {
    const width = Math.max(1, Math.round(this.#holder.clientWidth));
    const height = Math.max(1, Math.round(this.#holder.clientHeight));
    const larger = width > this.#width || height > this.#height;
    if (width === this.#width && height === this.#height) return;
    if (!larger && performance.now() - this.#shrunk < SMALLER) return;
    this.#width = width;
    this.#height = height;
    this.renderer.setSize(width, height);
    const ratio = this.renderer.getPixelRatio();
    this.#dome.resize(Math.round(width * ratio), Math.round(height * ratio));
  }

  /** The next picture, or the next part of this one. */
  #frame(): void {
    cancelAnimationFrame(this.#wanted);
    this.#wanted = 0;
    clearTimeout(this.#more);
    if (this.#changed) this.#resize();
    const moving = this.#changed && this.#view !== null && this.#view !== this.rig.view;
    const kind: Kind = moving ? "moving" : this.#changed ? "still" : "more";
    const fresh = kind === "more" && this.#grown;
    if (kind !== "more") {
      clearTimeout(this.#anew);
      this.#anew = 0;
    }
    const layers = this.split.mode === "one" ? this.layers.filter((layer) => layer.visible) : [this.split.left, this.split.right];
    let chunks = fresh ? Math.max(1, Math.floor(this.#budget.points("more") / CHUNK)) : CHUNKS;
    // What comes while a part is drawn waits for the next picture.
    if (kind !== "more" || fresh) for (const layer of layers) chunks -= layer.cloud.flush(chunks);
    const late = layers.some((layer) => layer.cloud.stale);
    this.#grown = fresh && late;
    const all = layers.reduce((sum, layer) => sum + layer.cloud.count, 0);
    const share = Math.min(1, this.#budget.points(kind) / Math.max(1, all));
    const from = kind === "more" ? this.#share : 0;
    const to = fresh ? from : from + share > 0.97 ? 1 : from + share;
    this.#view = this.rig.view;
    this.#changed = false;
    this.#share = to;
    const start = performance.now();
    const drawn = this.#draw(layers, from, to, fresh);
    this.shown = { points: Math.min(all, kind === "more" ? this.shown.points + drawn : drawn), of: all, world: this.world.extra !== null };
    for (const done of this.onDrawn) done();
    this.#busy = true;
    this.#fence(start, (took) => {
      this.#busy = false;
      this.#budget.learn(kind, drawn, all, took);
      for (const done of this.onShown) done();
      this.frames.push(took);
      if (this.frames.length > 240) this.frames.shift();
      if (this.#changed || (late && !fresh)) return this.redraw();
      if (fresh || this.#grown) return this.#grown ? this.#ask() : undefined;
      if (to >= 1) return this.#rest();
      // A processor that draws has other things to do as well.
      const pause = kind === "moving" ? REST : this.software ? took : 0;
      this.#more = window.setTimeout(() => {
        if (kind === "moving") this.redraw();
        else this.#wanted ||= requestAnimationFrame(() => this.#frame());
      }, pause);
    });
  }

  /** Calls with the milliseconds when the card has done all that it was asked for. */
  #fence(start: number, done: (took: number) => void): void {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    if (this.software) {
      // Fences of cards that are programs are reached before their pictures are made; a pixel is not.
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      const took = performance.now() - start;
      setTimeout(() => done(took), 0);
      return;
    }
    const sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    const look = () => {
      const over = !sync || gl.isContextLost() || gl.getSyncParameter(sync, gl.SYNC_STATUS) === gl.SIGNALED;
      if (!over && performance.now() - start < LONGEST) return void setTimeout(look, 3);
      if (sync) gl.deleteSync(sync);
      done(performance.now() - start);
    };
    setTimeout(look, 0);
  }

  #rest(): void {
    this.canvas.dataset.shown = "all";
    const waiting = this.#settled;
    this.#settled = [];
    for (const done of waiting) done();
  }

  /** Draws the points between two shares of the card's order, from 0 on with everything else, or those that are fresh; else over what is there. */
  #draw(layers: readonly Layer[], from: number, to: number, fresh: boolean): number {
    const { renderer, split } = this;
    const ratio = renderer.getPixelRatio();
    const { target } = this.#dome;
    this.points.uniforms.pixels.value = target.height / 2;
    let drawn = 0;
    for (const layer of this.layers) layer.group.visible = false;
    for (const layer of layers) {
      layer.group.visible = true;
      drawn += fresh ? layer.cloud.drawFresh() : layer.cloud.draw(from, to);
    }
    target.scissorTest = false;
    target.scissor.set(0, 0, target.width, target.height);
    target.viewport.set(0, 0, target.width, target.height);
    renderer.setRenderTarget(target);
    const over = fresh || from > 0;
    if (!over) renderer.clear();
    let camera = this.rig.camera;
    if (split.mode === "one") {
      camera = this.rig.update(this.#width / this.#height);
      this.#render(camera, over, to >= 1);
    } else {
      const middle = Math.round(target.width * (split.mode === "side" ? 0.5 : split.at));
      const show = (layer: Layer, left: number, right: number) => {
        for (const other of this.layers) other.group.visible = other === layer;
        target.scissorTest = true;
        target.scissor.set(left, 0, right - left, target.height);
        if (split.mode === "side") target.viewport.set(left, 0, right - left, target.height);
        renderer.setRenderTarget(target);
        camera = this.rig.update(split.mode === "side" ? (right - left) / target.height : target.width / target.height);
        this.#render(camera, over, to >= 1);
      };
      show(split.left, 0, middle);
      show(split.right, middle, target.width);
      target.scissorTest = false;
    }
    this.#dome.compose(renderer, camera, this.eyeDome, ratio, this.rig.view.distance);
    return drawn;
  }

  /** `over`: only points, over what is there; `last`: nothing comes over them. */
  #render(camera: Rig["camera"], over: boolean, last: boolean): void {
    const { renderer, scene } = this;
    if (!this.through && !over) return renderer.render(scene, camera);
    const { visible } = this.world.group;
    if (!over) {
      this.#clouds.visible = false;
      this.notes.visible = false;
      renderer.render(scene, camera);
      renderer.clearDepth();
    }
    this.#clouds.visible = true;
    // Points that come later may lie over lines: the last part draws these once more.
    this.notes.visible = !over || last;
    this.world.group.visible = false;
    renderer.render(scene, camera);
    this.notes.visible = true;
    this.world.group.visible = visible;
  }

  /** Makes the card's programs ready before they are needed: the first points need not wait for them. */
  warm(): void {
    const cloud = new Cloud(this.points);
    cloud.append(new Float32Array(3));
    cloud.flush(1);
    cloud.draw(0, 1);
    const scene = new Scene();
    scene.add(cloud.group);
    const { target } = this.#dome;
    // One pixel in a corner, which the next picture clears.
    target.scissorTest = true;
    target.scissor.set(0, 0, 1, 1);
    this.renderer.setRenderTarget(target);
    this.renderer.render(scene, this.rig.camera);
    target.scissorTest = false;
    this.renderer.setRenderTarget(null);
    cloud.dispose();
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
  pointAt(x: number, y: number, radius: number, limits: Limits, most?: number): PickedPoint | null {
    const pane = this.pane(x);
    const camera = this.rig.update(pane.width / this.#height);
    return pickPoint(pane.layers, camera, pane.width, this.#height, x - pane.left, y, radius, limits, most);
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
