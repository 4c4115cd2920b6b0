// The camera: where it looks, from where, in perspective or without it. z is up, metres.
//
// A view is a target, a distance, an azimuth and an elevation. Orbiting turns about the target,
// flying moves eye and target together, and looking about turns about the eye.

import { OrthographicCamera, PerspectiveCamera, Vector3 } from "three";

export interface View {
  target: [number, number, number];
  distance: number;
  /** Direction from target to eye, counter-clockwise from x, radians. */
  azimuth: number;
  /** Height of the eye over the horizon of the target, radians. */
  elevation: number;
  /** Without perspective. */
  flat: boolean;
}

const FIELD_DEG = 50;
const LIMIT = Math.PI / 2 - 1e-3;

export class Rig {
  readonly perspective = new PerspectiveCamera(FIELD_DEG, 1, 0.05, 5000);
  readonly flat = new OrthographicCamera(-1, 1, 1, -1, 0.05, 5000);
  view: View = { target: [0, 0, 1], distance: 40, azimuth: -2.1, elevation: 0.42, flat: false };
  /** What the view should hold, for near and far planes: centre and radius. */
  extent = { centre: new Vector3(), radius: 100 };
  readonly #change: () => void;
  #journey = 0;

  constructor(change: () => void) {
    this.#change = change;
    this.perspective.up.set(0, 0, 1);
    this.flat.up.set(0, 0, 1);
  }

  get camera(): PerspectiveCamera | OrthographicCamera {
    return this.view.flat ? this.flat : this.perspective;
  }

  /** Towards the eye from the target. */
  direction(): Vector3 {
    const { azimuth, elevation } = this.view;
    const level = Math.cos(elevation);
    return new Vector3(level * Math.cos(azimuth), level * Math.sin(azimuth), Math.sin(elevation));
  }

  eye(): Vector3 {
    return new Vector3(...this.view.target).addScaledVector(this.direction(), this.view.distance);
  }

  /** Metres that a pixel spans at the target. */
  metresPerPixel(height: number): number {
    return (2 * this.view.distance * Math.tan((FIELD_DEG * Math.PI) / 360)) / height;
  }

  set(view: Partial<View>): void {
    cancelAnimationFrame(this.#journey);
    this.#put({ ...this.view, ...view });
  }

  #put(view: View): void {
    const top = view.flat ? Math.PI / 2 - 1e-6 : LIMIT;
    this.view = { ...view, elevation: Math.max(-LIMIT, Math.min(top, view.elevation)), distance: Math.max(0.02, Math.min(1e6, view.distance)) };
    this.#change();
  }

  /** Goes to a view in a third of a second. */
  travel(view: Partial<View>): void {
    cancelAnimationFrame(this.#journey);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.set(view);
    const from = this.view;
    const to = { ...from, ...view };
    const turn = Math.atan2(Math.sin(to.azimuth - from.azimuth), Math.cos(to.azimuth - from.azimuth));
    const start = performance.now();
    const step = (now: number) => {
      const t = Math.min(1, Math.max(0, (now - start) / 330));
      const s = t * t * (3 - 2 * t);
      const mix = (a: number, b: number) => a + (b - a) * s;
      this.#put({
        target: [mix(from.target[0], to.target[0]), mix(from.target[1], to.target[1]), mix(from.target[2], to.target[2])],
        distance: Math.exp(mix(Math.log(from.distance), Math.log(to.distance))),
        azimuth: from.azimuth + turn * s,
        elevation: mix(from.elevation, to.elevation),
        flat: t < 1 ? from.flat && to.flat : to.flat,
      });
      if (t < 1) this.#journey = requestAnimationFrame(step);
    };
    this.#journey = requestAnimationFrame(step);
  }

  orbit(dx: number, dy: number): void {
    this.set({ azimuth: this.view.azimuth - dx * 0.006, elevation: this.view.elevation + dy * 0.006, flat: this.view.flat && dx === 0 && dy === 0 });
  }

  /** Turns about the eye. */
  look(dx: number, dy: number): void {
    const eye = this.eye();
    this.view = { ...this.view, azimuth: this.view.azimuth - dx * 0.004, elevation: Math.max(-LIMIT, Math.min(LIMIT, this.view.elevation + dy * 0.004)), flat: false };
    const target = eye.addScaledVector(this.direction(), -this.view.distance);
    this.set({ target: [target.x, target.y, target.z] });
  }

  /** Moves target and eye along the picture: pixels to the right and down. */
  pan(dx: number, dy: number, height: number): void {
    const scale = this.metresPerPixel(height);
    const { right, up } = this.axes();
    const target = new Vector3(...this.view.target).addScaledVector(right, -dx * scale).addScaledVector(up, dy * scale);
    this.set({ target: [target.x, target.y, target.z] });
  }

  /** Moves by metres forward, right and up (the world's up). */
  move(forward: number, right: number, up: number): void {
    const axes = this.axes();
    const target = new Vector3(...this.view.target).addScaledVector(axes.forward, forward).addScaledVector(axes.right, right);
    target.z += up;
    this.set({ target: [target.x, target.y, target.z] });
  }

  axes(): { right: Vector3; up: Vector3; forward: Vector3 } {
    const forward = this.direction().negate();
    const { azimuth } = this.view;
    const right = new Vector3(-Math.sin(azimuth), Math.cos(azimuth), 0);
    return { right, up: new Vector3().crossVectors(right, forward), forward };
  }

  /** Comes nearer by a factor, keeping what is under the mouse there; x and y from −1 to 1. */
  zoom(factor: number, x: number, y: number, aspect: number): void {
    const before = this.view.distance;
    const half = before * Math.tan((FIELD_DEG * Math.PI) / 360);
    const shift = 1 - factor;
    const { right, up } = this.axes();
    const target = new Vector3(...this.view.target).addScaledVector(right, x * aspect * half * shift).addScaledVector(up, y * half * shift);
    this.set({ target: [target.x, target.y, target.z], distance: before * factor });
  }

  /** Looks at a ball so that it fills a picture of this width to its height, from so far that some places are in it. */
  fit(centre: Vector3, radius: number, aspect: number, places: readonly Vector3[] = [], animated = true): void {
    const half = Math.tan((FIELD_DEG * Math.PI) / 360);
    let distance = ((Math.max(radius, 0.1) / Math.sin((FIELD_DEG * Math.PI) / 360)) * 0.82) / Math.min(1, aspect);
    const { right, up, forward } = this.axes();
    const outside = (place: Vector3) => {
      const from = place.clone().sub(centre);
      const depth = Math.max(1e-3, from.dot(forward) + distance) * half;
      return Math.abs(from.dot(right)) > 0.88 * depth * aspect || Math.abs(from.dot(up)) > 0.88 * depth;
    };
    for (let i = 0; i < 30 && places.some(outside); i++) distance *= 1.08;
    const view: Partial<View> = { target: [centre.x, centre.y, centre.z], distance };
    if (animated) this.travel(view);
    else this.set(view);
  }

  /** Makes the cameras what the view says, for a picture of this aspect. */
  update(aspect: number): PerspectiveCamera | OrthographicCamera {
    const eye = this.eye();
    const target = new Vector3(...this.view.target);
    const far = Math.max(eye.distanceTo(this.extent.centre) + this.extent.radius * 1.5, this.view.distance * 2);
    const near = Math.max(0.02, Math.min(this.view.distance / 60, far / 200), far / 60_000);
    const { camera } = this;
    camera.near = this.view.flat ? 0 : near;
    camera.far = far;
    if (camera instanceof PerspectiveCamera) camera.aspect = aspect;
    else {
      const half = this.view.distance * Math.tan((FIELD_DEG * Math.PI) / 360);
      camera.left = -half * aspect;
      camera.right = half * aspect;
      camera.top = half;
      camera.bottom = -half;
      // A flat view shows what lies before the eye and behind it: its eye stands outside of everything.
      eye.copy(target).addScaledVector(this.direction(), this.extent.radius * 2 + target.distanceTo(this.extent.centre));
      camera.far = this.extent.radius * 4 + 2 * target.distanceTo(this.extent.centre);
    }
    camera.position.copy(eye);
    // Straight down, "up" in the picture is away from the eye's azimuth.
    if (Math.abs(this.view.elevation) > LIMIT - 1e-4) camera.up.set(-Math.cos(this.view.azimuth), -Math.sin(this.view.azimuth), 0);
    else camera.up.set(0, 0, 1);
    camera.lookAt(target);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    return camera;
  }
}
