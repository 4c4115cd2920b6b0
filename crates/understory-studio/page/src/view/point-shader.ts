// The shader of points: colour from a table by one column, size in pixels or metres, a box and a
// stretch of time outside of which nothing is drawn.

import { DataTexture, GLSL3, NearestFilter, RGBAFormat, ShaderMaterial, UnsignedByteType, Vector2, Vector3 } from "three";

const VERTEX = /* glsl */ `
precision highp float;
in float value;
in float time;
uniform vec2 limits;
uniform float categories;
uniform float size;
uniform float metres;
uniform float pixels;
uniform vec3 low;
uniform vec3 high;
uniform vec2 span;
uniform sampler2D colours;
out vec3 tint;

vec3 colour() {
  if (isnan(value)) return vec3(0.45);
  if (categories > 0.5) {
    float number = mod(floor(value + 0.5), 1024.0);
    return texture(colours, vec2((number + 0.5) / 1024.0, 0.5)).rgb;
  }
  float along = clamp((value - limits.x) / max(limits.y - limits.x, 1e-30), 0.0, 1.0);
  return texture(colours, vec2((along * 255.0 + 0.5) / 256.0, 0.5)).rgb;
}

void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  bool shown = all(greaterThanEqual(world.xyz, low)) && all(lessThanEqual(world.xyz, high));
  shown = shown && !(time < span.x) && !(time > span.y);
  tint = colour();
  vec4 eye = viewMatrix * world;
  gl_Position = shown ? projectionMatrix * eye : vec4(2.0, 2.0, 2.0, 1.0);
  // Points lie on surfaces, and leaves are drawn coarser than they are: a little nearer, to be seen.
  float away = length(eye.xyz);
  vec4 nearer = projectionMatrix * vec4(eye.xyz * (1.0 - min(0.012, 0.8 / away)), 1.0);
  if (shown) gl_Position.z = nearer.z / nearer.w * gl_Position.w;
  float real = metres * pixels * projectionMatrix[1][1] / gl_Position.w;
  gl_PointSize = clamp(metres > 0.0 ? max(real, 1.0) : size, 1.0, 64.0);
}
`;

const FRAGMENT = /* glsl */ `
precision highp float;
uniform float opacity;
uniform float round;
in vec3 tint;
out vec4 pixel;

void main() {
  vec2 offset = gl_PointCoord - 0.5;
  if (round > 0.5 && dot(offset, offset) > 0.25) discard;
  pixel = vec4(tint, opacity);
}
`;

const FAR = 1e30;

/** A material for points; its uniforms are what a look says. */
export function pointMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: {
      limits: { value: new Vector2(0, 1) },
      categories: { value: 0 },
      size: { value: 2 },
      metres: { value: 0 },
      pixels: { value: 500 },
      low: { value: new Vector3(-FAR, -FAR, -FAR) },
      high: { value: new Vector3(FAR, FAR, FAR) },
      span: { value: new Vector2(-FAR, FAR) },
      colours: { value: null },
      opacity: { value: 1 },
      round: { value: 0 },
    },
  });
}

/** A row of colours for the shader. */
export function colourTexture(rgba: Uint8Array): DataTexture {
  const texture = new DataTexture(rgba as Uint8Array<ArrayBuffer>, rgba.length / 4, 1, RGBAFormat, UnsignedByteType);
  texture.minFilter = NearestFilter;
  texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}
