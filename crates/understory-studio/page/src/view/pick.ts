// What is under the mouse: the point nearest to the pointer in the picture, and the surface there.
//
// Points are searched on the processor: chunks whose box is far from the pointer are skipped, so a
// click among five million points takes some hundredths of a second and needs no second picture.

import { Matrix4, RGBAFormat, FloatType, UnsignedByteType, Vector3, Vector4, WebGLRenderTarget, type Group, type OrthographicCamera, type PerspectiveCamera, type WebGLRenderer } from "three";
import type { Layer } from "../data/layer";
import type { SharedUniforms } from "./world-shader";

export interface PickedPoint {
  layer: Layer;
  index: number;
  /** Distance in the picture, pixels. */
  away: number;
  /** Depth of the clip space, for who is in front. */
  depth: number;
  position: Vector3;
}

/** Bounds on what may be picked, as the shader of points has them. */
export interface Limits {
  low: Vector3;
  high: Vector3;
  span: [number, number];
}

/** The point of some layers nearest to (x, y), pixels from the corner, within `radius`; the nearest to the eye of
 * those as near. Of more points than `most` an even sample is searched. */
export function pickPoint(layers: readonly Layer[], camera: PerspectiveCamera | OrthographicCamera, width: number, height: number, x: number, y: number, radius: number, limits: Limits, most = Infinity): PickedPoint | null {
  let best: PickedPoint | null = null;
  let bestScore = Infinity;
  const step = Math.max(1, Math.ceil(layers.reduce((sum, layer) => sum + layer.cloud.count, 0) / most));
  const toClip = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
  for (const layer of layers) {
    const { position: shift } = layer.group;
    const m = toClip.clone().multiply(new Matrix4().makeTranslation(shift.x, shift.y, shift.z)).elements;
    const low = limits.low.clone().sub(shift);
    const high = limits.high.clone().sub(shift);
    layer.cloud.chunks.forEach((chunk, number) => {
      if (!near(m, chunk.low, chunk.high, width, height, x, y, radius)) return;
      const { positions, times } = chunk;
      for (let i = 0; i < chunk.count; i += step) {
        const px = positions[i * 3];
        const py = positions[i * 3 + 1];
        const pz = positions[i * 3 + 2];
        const w = m[3] * px + m[7] * py + m[11] * pz + m[15];
        if (w <= 0) continue;
        const dx = ((m[0] * px + m[4] * py + m[8] * pz + m[12]) / w + 1) * 0.5 * width - x;
        if (dx > radius || dx < -radius) continue;
        const dy = (1 - (m[1] * px + m[5] * py + m[9] * pz + m[13]) / w) * 0.5 * height - y;
        const away = Math.hypot(dx, dy);
        if (away > radius) continue;
        if (px < low.x || py < low.y || pz < low.z || px > high.x || py > high.y || pz > high.z) continue;
        if (times && (times[i] < limits.span[0] || times[i] > limits.span[1])) continue;
        const depth = (m[2] * px + m[6] * py + m[10] * pz + m[14]) / w;
        // A pixel away counts as much as a hundredth of the depth: what is in front wins among neighbours.
        const score = away * away * 0.02 + w * 0.01 * (camera.type === "PerspectiveCamera" ? 1 : 0) + (depth + 1) * 0.5;
        if (score < bestScore) {
          bestScore = score;
          best = { layer, index: number * 65_536 + i, away, depth, position: new Vector3(px, py, pz).add(shift) };
        }
      }
    });
  }
  return best;
}

/** Whether a box may have something within `radius` pixels of (x, y). */
function near(m: number[], low: readonly number[], high: readonly number[], width: number, height: number, x: number, y: number, radius: number): boolean {
  let left = Infinity;
  let right = -Infinity;
  let top = Infinity;
  let bottom = -Infinity;
  for (let corner = 0; corner < 8; corner++) {
    const px = corner & 1 ? high[0] : low[0];
    const py = corner & 2 ? high[1] : low[1];
    const pz = corner & 4 ? high[2] : low[2];
    const w = m[3] * px + m[7] * py + m[11] * pz + m[15];
    if (w <= 1e-6) return true;
    const sx = ((m[0] * px + m[4] * py + m[8] * pz + m[12]) / w + 1) * 0.5 * width;
    const sy = (1 - (m[1] * px + m[5] * py + m[9] * pz + m[13]) / w) * 0.5 * height;
    left = Math.min(left, sx);
    right = Math.max(right, sx);
    top = Math.min(top, sy);
    bottom = Math.max(bottom, sy);
  }
  return x > left - radius && x < right + radius && y > top - radius && y < bottom + radius;
}

export interface PickedSurface {
  /** Number of the object, from 1; 0: it has none. */
  object: number;
  position: Vector3;
}

/** The surface in the pixel at (x, y). */
export class SurfacePicker {
  readonly #ids = new WebGLRenderTarget(1, 1, { type: UnsignedByteType, format: RGBAFormat });
  readonly #places = new WebGLRenderTarget(1, 1, { type: FloatType, format: RGBAFormat });

  pick(renderer: WebGLRenderer, world: Group, shared: SharedUniforms, camera: PerspectiveCamera | OrthographicCamera, width: number, height: number, x: number, y: number): PickedSurface | null {
    if (!world.visible || world.children.length === 0) return null;
    camera.setViewOffset(width, height, Math.floor(x), Math.floor(y), 1, 1);
    camera.updateProjectionMatrix();
    const before = { clear: renderer.getClearAlpha(), target: renderer.getRenderTarget(), viewport: renderer.getViewport(new Vector4()), scissor: renderer.getScissorTest() };
    try {
      renderer.setScissorTest(false);
      renderer.setClearAlpha(0);
      shared.mode.value = 1;
      renderer.setRenderTarget(this.#ids);
      renderer.clear();
      renderer.render(world, camera);
      const id = new Uint8Array(4);
      renderer.readRenderTargetPixels(this.#ids, 0, 0, 1, 1, id);
      if (id[3] === 0) return null;
      shared.mode.value = 2;
      renderer.setRenderTarget(this.#places);
      renderer.clear();
      renderer.render(world, camera);
      const at = new Float32Array(4);
      renderer.readRenderTargetPixels(this.#places, 0, 0, 1, 1, at);
      return { object: id[0] + id[1] * 256 + id[2] * 65_536 - 1, position: new Vector3(at[0], at[1], at[2]) };
    } finally {
      shared.mode.value = 0;
      camera.clearViewOffset();
      camera.updateProjectionMatrix();
      renderer.setRenderTarget(before.target);
      renderer.setClearAlpha(before.clear);
      renderer.setScissorTest(before.scissor);
    }
  }
}
