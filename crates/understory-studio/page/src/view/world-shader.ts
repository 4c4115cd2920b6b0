// The shader of surfaces: the material's colour under a sky and a sun, faces lit by their own plane.
// The same shader tells, for one pixel, which object is there and how far it is.

import { Color, DoubleSide, GLSL3, ShaderMaterial, Vector3 } from "three";

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
in vec3 seen;
in vec3 world;
flat in float owner;
out vec4 pixel;

void main() {
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
  vec3 normal = normalize(cross(dFdx(world), dFdy(world)));
  if (dot(normal, cameraPosition - world) < 0.0 && opacity > 0.99) normal = -normal;
  float sky = 0.5 + 0.5 * normal.z;
  float light = mix(0.42, 0.78, sky) + 0.42 * max(dot(normal, sun), 0.0);
  vec3 colour = tint * light;
  if (chosen > 0.5 && abs(owner - chosen) < 0.5) colour = mix(colour, vec3(1.0, 0.72, 0.25), 0.45);
  float grey = dot(colour, vec3(0.3, 0.59, 0.11));
  colour = mix(colour, vec3(grey) * quiet, faded * 0.72);
  pixel = vec4(min(colour, 1.0), opacity);
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
