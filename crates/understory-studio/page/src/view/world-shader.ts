// The shader of surfaces: the material's colour under a sky and a sun, faces lit by their own plane.
// The same shader tells, for one pixel, which object is there and how far it is.

import { Color, DoubleSide, GLSL3, ShaderMaterial, Vector3, Vector4 } from "three";

const VERTEX = /* glsl */ `
precision highp float;
in float object;
out vec3 seen;
out vec3 world;
flat out float owner;

void main() {
  vec4 at = vec4(position, 1.0);
  #ifdef USE_INSTANCING
  at = instanceMatrix * at;
  #endif
  at = modelMatrix * at;
  world = at.xyz;
  vec4 eye = viewMatrix * at;
  seen = eye.xyz;
  owner = object;
  gl_Position = projectionMatrix * eye;
}
`;

const FRAGMENT = /* glsl */ `
precision highp float;
uniform vec3 tint;
uniform float opacity;
uniform float mode;
uniform float chosen;
uniform float faded;
uniform vec3 low;
uniform vec3 high;
uniform vec3 sun;
uniform vec3 quiet;
uniform vec3 viewer;
uniform float cutaway;
uniform vec4 ground;
in vec3 seen;
in vec3 world;
flat in float owner;
out vec4 pixel;

void main() {
  vec3 normal = normalize(cross(dFdx(world), dFdy(world)));
  float front = dot(normal, cameraPosition - world);
  // Cut away: what turns another side to the eye than to the sensor stands between them.
  if (cutaway > 0.5 && front * dot(normal, viewer - world) < 0.0) discard;
  if (any(lessThan(world, low)) || any(greaterThan(world, high))) discard;
  if (mode > 1.5) {
    pixel = vec4(world, 1.0);
    return;
  }
  if (mode > 0.5) {
    float number = owner + 1.0;
    pixel = vec4(mod(number, 256.0), mod(floor(number / 256.0), 256.0), floor(number / 65536.0), 255.0) / 255.0;
    return;
  }
  if (front < 0.0 && opacity > 0.99) normal = -normal;
  float sky = 0.5 + 0.5 * normal.z;
  float light = mix(0.40, 0.64, sky) + 0.38 * max(dot(normal, sun), 0.0);
  vec3 colour = tint * light;
  if (chosen > 0.5 && abs(owner - chosen) < 0.5) colour = mix(colour, vec3(1.0, 0.72, 0.25), 0.45);
  float grey = dot(colour, vec3(0.3, 0.59, 0.11));
  colour = mix(colour, vec3(grey) * quiet, faded * 0.72);
  if (opacity < 0.99) {
    pixel = vec4(min(colour, 1.0), opacity);
    return;
  }
  // Level ground fades towards the edge of the world. Surfaces are a little less than opaque: the
  // pass that lights points knows them by it.
  vec2 out_there = abs(world.xy - ground.xy) / ground.zw;
  float left = 1.0 - step(0.9, normal.z) * smoothstep(0.6, 1.0, max(out_there.x, out_there.y));
  pixel = vec4(min(colour, 1.0) * left, 0.985 * left);
}
`;

const FAR = 1e30;

/** What all materials of a world share. */
export function sharedUniforms() {
  return {
    mode: { value: 0 },
    chosen: { value: 0 },
    faded: { value: 0 },
    low: { value: new Vector3(-FAR, -FAR, -FAR) },
    high: { value: new Vector3(FAR, FAR, FAR) },
    sun: { value: new Vector3(0.45, -0.35, 0.82).normalize() },
    quiet: { value: new Vector3(0.5, 0.56, 0.53) },
    /** Where the sensor is, and whether what hides it from the eye is left out. */
    viewer: { value: new Vector3() },
    cutaway: { value: 0 },
    /** Middle and half the size of the world, level. */
    ground: { value: new Vector4(0, 0, FAR, FAR) },
  };
}

export type SharedUniforms = ReturnType<typeof sharedUniforms>;

/** A material of the world, with its colour (sRGB 0…255); volumes let light through. */
export function worldMaterial(colour: readonly number[], opacity: number, shared: SharedUniforms): ShaderMaterial {
  const clear = opacity < 0.995;
  return new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    side: DoubleSide,
    transparent: clear,
    depthWrite: !clear,
    uniforms: { ...shared, tint: { value: new Color(colour[0] / 255, colour[1] / 255, colour[2] / 255) }, opacity: { value: opacity } },
  });
}
