// The world as rays meet it: instanced meshes in the colours of their materials.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, InstancedBufferAttribute, InstancedMesh, Matrix4, ShaderMaterial } from "three";
import type { Block } from "../data/blocks";
import type { GeometryExtra, MaterialCard } from "../protocol";
import { sharedUniforms, worldMaterial } from "./world-shader";

export class WorldView {
  readonly group = new Group();
  readonly shared = sharedUniforms();
  extra: GeometryExtra | null = null;
  /** For each instance of the block: its meshes, and its place in them. */
  #places: { meshes: InstancedMesh[]; at: number }[] = [];
  #materials: ShaderMaterial[] = [];
  readonly #opacities = new Map<ShaderMaterial, number>();

  /** Shows the geometry of a block in the place of what was there. */
  show(block: Block, materials: readonly MaterialCard[]): void {
    this.clear();
    const extra = block.header.extra as GeometryExtra;
    this.extra = extra;
    const positions = block.column("position") as Float32Array;
    const indices = block.column("index") as Uint32Array;
    const meshOf = block.column("instance_mesh") as Uint32Array;
    const objectOf = block.column("instance_object") as Uint32Array;
    const matrices = block.column("instance_matrix") as Float32Array;

    const members = new Map<number, number[]>();
    meshOf.forEach((mesh, instance) => {
      const list = members.get(mesh);
      if (list) list.push(instance);
      else members.set(mesh, [instance]);
    });
    this.#places = Array.from(meshOf, () => ({ meshes: [], at: 0 }));
    const byMaterial = new Map<number, ShaderMaterial>();
    extra.meshes.forEach((card, number) => {
      const instances = members.get(number);
      if (!instances) return;
      const position = new BufferAttribute(positions.slice(card.first_vertex * 3, (card.first_vertex + card.vertices) * 3), 3);
      const placed = new Float32Array(instances.length * 16);
      const owners = new Float32Array(instances.length);
      instances.forEach((instance, at) => {
        placed.set(matrices.subarray(instance * 16, instance * 16 + 16), at * 16);
        owners[at] = objectOf[instance];
      });
      for (const part of card.parts) {
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", position);
        geometry.setAttribute("object", new InstancedBufferAttribute(owners, 1));
        geometry.setIndex(new BufferAttribute(indices.slice(part.first_index, part.first_index + part.indices), 1));
        const mesh = new InstancedMesh(geometry, this.#material(byMaterial, materials, part.material), instances.length);
        mesh.instanceMatrix = new InstancedBufferAttribute(placed, 16);
        mesh.instanceMatrix.setUsage(DynamicDrawUsage);
        mesh.frustumCulled = false;
        mesh.renderOrder = (materials[part.material - 1]?.permeability ?? null) === null ? 0 : 5;
        this.group.add(mesh);
        instances.forEach((instance, at) => {
          this.#places[instance].meshes.push(mesh);
          this.#places[instance].at = at;
        });
      }
    });
  }

  #material(known: Map<number, ShaderMaterial>, materials: readonly MaterialCard[], number: number): ShaderMaterial {
    let material = known.get(number);
    if (!material) {
      const card = materials[number - 1];
      const permeability = card?.permeability ?? null;
      const opacity = permeability === null ? 1 : Math.max(0.03, Math.min(0.9, 1 - permeability));
      material = worldMaterial(card?.colour ?? [150, 150, 150], opacity, this.shared);
      this.#materials.push(material);
      this.#opacities.set(material, opacity);
      known.set(number, material);
    }
    return material;
  }

  /** Makes all surfaces see-through by a share (1: as they are). */
  fade(share: number): void {
    for (const material of this.#materials) {
      const opacity = (this.#opacities.get(material) ?? 1) * share;
      material.uniforms.opacity.value = opacity;
      material.transparent = opacity < 0.995;
      material.depthWrite = opacity >= 0.995;
    }
  }

  /** Moves instances to where they are at a moment. */
  moment(block: Block): void {
    const instances = block.column("instance") as Uint32Array;
    const matrices = block.column("matrix") as Float32Array;
    const matrix = new Matrix4();
    instances.forEach((instance, row) => {
      const place = this.#places[instance];
      if (!place) return;
      matrix.fromArray(matrices, row * 16);
      for (const mesh of place.meshes) {
        mesh.setMatrixAt(place.at, matrix);
        mesh.instanceMatrix.needsUpdate = true;
      }
    });
  }

  clear(): void {
    for (const child of this.group.children) (child as InstancedMesh).geometry.dispose();
    for (const material of this.#materials) material.dispose();
    this.group.clear();
    this.#materials = [];
    this.#opacities.clear();
    this.#places = [];
    this.extra = null;
  }
}
