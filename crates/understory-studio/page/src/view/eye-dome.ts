// Eye-dome lighting (Boucheny 2009): a pixel is darkened by how much nearer its neighbours are, in
// the logarithm of depth, so that clouds without normals show their shape. The same pass lays the
// picture over the sky. Depth is made linear for both kinds of cameras, so flat views have it too.

import { Color, DepthTexture, GLSL3, Mesh, NearestFilter, OrthographicCamera, PerspectiveCamera, PlaneGeometry, Scene, ShaderMaterial, UnsignedIntType, Vector2, WebGLRenderTarget, type WebGLRenderer } from "three";

const VERTEX = /* glsl */ `
out vec2 place;
void main() {
  place = uv;
  gl_Position = vec4(position.xy, 0.0, 1.0);
}
`;

const FRAGMENT = /* glsl */ `
precision highp float;
uniform sampler2D picture;
uniform sampler2D depths;
uniform vec2 texel;
uniform vec2 planes;
uniform float flatView;
uniform float strength;
uniform float radius;
uniform float scale;
uniform vec3 skyTop;
uniform vec3 skyLow;
in vec2 place;
out vec4 pixel;

float depth(vec2 at) {
  float raw = texture(depths, at).r;
  if (raw >= 1.0) return -1.0;
  float metres = flatView > 0.5
    ? scale + raw * (planes.y - planes.x)
    : planes.x * planes.y / (planes.y - raw * (planes.y - planes.x));
  return log2(metres);
}

void main() {
  vec4 own = texture(picture, place);
  vec3 sky = mix(skyLow, skyTop, smoothstep(0.0, 1.0, place.y));
  vec3 colour = own.rgb + sky * (1.0 - own.a);
  if (strength > 0.0) {
    float here = depth(place);
    if (here >= -0.5) {
      float sum = 0.0;
      for (int i = 0; i < 8; i++) {
        float angle = float(i) * 0.7853981634;
        float there = depth(place + vec2(cos(angle), sin(angle)) * radius * texel);
        if (there >= -0.5) sum += max(0.0, here - there);
      }
      // Surfaces have their own light; points have nothing else.
      float share = own.a > 0.993 ? 1.0 : 0.2;
      colour *= max(0.2, exp(-sum / 8.0 * 40.0 * strength * share));
    }
  }
  pixel = vec4(colour, 1.0);
}
`;

export class EyeDome {
  readonly target: WebGLRenderTarget;
  readonly #material: ShaderMaterial;
  readonly #scene = new Scene();
  readonly #camera = new OrthographicCamera(-1, 1, 1, -1, 0, 1);

  constructor(samples: number) {
    this.target = new WebGLRenderTarget(4, 4, { samples, magFilter: NearestFilter, minFilter: NearestFilter });
    this.target.depthTexture = new DepthTexture(4, 4, UnsignedIntType);
    this.#material = new ShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      depthTest: false,
      depthWrite: false,
      uniforms: {
        picture: { value: this.target.texture },
        depths: { value: this.target.depthTexture },
        texel: { value: new Vector2() },
        planes: { value: new Vector2() },
        flatView: { value: 0 },
        strength: { value: 1 },
        radius: { value: 1.4 },
        scale: { value: 1 },
        skyTop: { value: new Color() },
        skyLow: { value: new Color() },
      },
    });
    const plane = new Mesh(new PlaneGeometry(2, 2), this.#material);
    plane.frustumCulled = false;
    this.#scene.add(plane);
  }

  resize(width: number, height: number): void {
    this.target.setSize(width, height);
    this.#material.uniforms.texel.value.set(1 / width, 1 / height);
  }

  sky(top: string, low: string): void {
    this.#material.uniforms.skyTop.value.setStyle(top);
    this.#material.uniforms.skyLow.value.setStyle(low);
  }

  /** Lays the picture in `target` on the canvas, darkened by `strength`; `distance`: to what is looked at. */
  compose(renderer: WebGLRenderer, camera: PerspectiveCamera | OrthographicCamera, strength: number, ratio: number, distance: number): void {
    const { uniforms } = this.#material;
    uniforms.planes.value.set(camera.near, camera.far);
    uniforms.flatView.value = camera instanceof OrthographicCamera ? 1 : 0;
    uniforms.strength.value = strength;
    uniforms.radius.value = 1.4 * ratio;
    uniforms.scale.value = distance;
    renderer.setRenderTarget(null);
    renderer.render(this.#scene, this.#camera);
  }
}
