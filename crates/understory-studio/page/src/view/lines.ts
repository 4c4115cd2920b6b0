// Lines in the picture: many segments, each end with a colour and an opacity.

import { BufferAttribute, BufferGeometry, GLSL3, LineSegments, ShaderMaterial } from "three";

const VERTEX = /* glsl */ `
in vec4 tint;
out vec4 shade;
void main() {
  shade = tint;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}
`;
const FRAGMENT = /* glsl */ `
precision highp float;
in vec4 shade;
out vec4 pixel;
void main() { pixel = shade; }
`;

export type Rgba = readonly [number, number, number, number];

/** `#rrggbb` with an opacity. */
export function rgba(hex: string, opacity = 1): Rgba {
  const number = parseInt(hex.slice(1), 16);
  return [(number >> 16) / 255, ((number >> 8) & 255) / 255, (number & 255) / 255, opacity];
}

export class LineBuilder {
  readonly #places: number[] = [];
  readonly #tints: number[] = [];

  segment(a: ArrayLike<number>, b: ArrayLike<number>, colour: Rgba, end: Rgba = colour): void {
    this.#places.push(a[0], a[1], a[2], b[0], b[1], b[2]);
    this.#tints.push(...colour, ...end);
  }

  strip(places: ArrayLike<number>[], colour: Rgba, closed = false): void {
    for (let i = 1; i < places.length; i++) this.segment(places[i - 1], places[i], colour);
    if (closed && places.length > 2) this.segment(places[places.length - 1], places[0], colour);
  }

  box(low: ArrayLike<number>, high: ArrayLike<number>, colour: Rgba): void {
    const corner = (n: number) => [n & 1 ? high[0] : low[0], n & 2 ? high[1] : low[1], n & 4 ? high[2] : low[2]];
    for (let n = 0; n < 8; n++) for (const bit of [1, 2, 4]) if (!(n & bit)) this.segment(corner(n), corner(n | bit), colour);
  }

  build(onTop = false): LineSegments {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(this.#places), 3));
    geometry.setAttribute("tint", new BufferAttribute(new Float32Array(this.#tints), 4));
    const lines = new LineSegments(geometry, material(onTop));
    lines.frustumCulled = false;
    lines.renderOrder = 10;
    return lines;
  }
}

const materials = new Map<boolean, ShaderMaterial>();

function material(onTop: boolean): ShaderMaterial {
  let known = materials.get(onTop);
  if (!known) {
    known = new ShaderMaterial({ glslVersion: GLSL3, vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false, depthTest: !onTop });
    materials.set(onTop, known);
  }
  return known;
}
