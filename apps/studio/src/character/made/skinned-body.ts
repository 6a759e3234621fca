import { bindFigure, type FigureBinding } from '@poise/three';
import type { Figure, Triple } from 'poise/figure';
import type { Numbers } from 'poise/math';
import {
  Bone,
  BufferGeometry,
  Color,
  Float32BufferAttribute,
  Group,
  Mesh,
  MeshStandardMaterial,
  Skeleton,
  SkinnedMesh,
  SphereGeometry,
  Uint16BufferAttribute,
} from 'three';
import type { CharacterModel } from '../model.js';
import { type Cone, distanceTo, meshOf } from './rounded-solid.js';

/** A part of a body: where it is at rest, m, and the bone that carries it. */
export interface Piece {
  readonly bone: number;
  readonly color: string;
  readonly cone: Cone;
}

/** In the frame of the head, m. */
export interface Eye {
  readonly at: Triple;
  readonly size: Triple;
}

/** Blended into the skin of a bone whose limit is touched or blocks a goal. */
const BLOCKED = new Color('#f08a58');
/** Bones that move a point of the skin, and the distance over which they share it, m. */
const MOST_BONES = 4;
const SHARED = 0.022;

/** A figure with one skin over its bones, meshed from its pieces and weighted by their distances. */
export class SkinnedBody implements CharacterModel {
  readonly root = new Group();
  readonly binding: FigureBinding;
  readonly #geometry = new BufferGeometry();
  readonly #skin = new MeshStandardMaterial({ vertexColors: true, roughness: 0.75 });
  readonly #eyes = new MeshStandardMaterial({ color: '#22262c', roughness: 0.25 });
  readonly #eye = new SphereGeometry(1, 20, 14);
  readonly #wanted: number[];
  readonly #shown: number[];
  /** Without the colours of limits, linear. */
  readonly #plain: Float32Array;

  constructor(
    figure: Figure,
    pieces: readonly Piece[],
    options: {
      readonly blend: number;
      readonly cell: number;
      readonly eyes: readonly Eye[];
      readonly head: string;
    },
  ) {
    const bones = figure.bones.map(({ name, rest }) => {
      const bone = new Bone();
      bone.name = name;
      bone.position.set(...rest.position);
      bone.quaternion.set(...rest.rotation);
      return bone;
    });
    for (const { parent, index } of figure.bones) (parent < 0 ? this.root : bones[parent]).add(bones[index]);
    this.root.updateMatrixWorld(true);

    const { positions, indices } = meshOf(
      pieces.map(({ cone }) => cone),
      options.blend,
      options.cell,
    );
    const count = positions.length / 3;
    this.#plain = new Float32Array(3 * count);
    const skinIndex = new Uint16Array(4 * count);
    const skinWeight = new Float32Array(4 * count);
    const color = new Color();
    for (let v = 0; v < count; v++) {
      const [x, y, z] = positions.subarray(3 * v, 3 * v + 3);
      const { piece, weights } = skinAt(figure, pieces, x, y, z);
      color.set(piece.color).toArray(this.#plain, 3 * v);
      weights.forEach(([bone, weight], n) => {
        skinIndex[4 * v + n] = bone;
        skinWeight[4 * v + n] = weight;
      });
    }
    this.#geometry
      .setAttribute('position', new Float32BufferAttribute(positions, 3))
      .setAttribute('color', new Float32BufferAttribute(this.#plain.slice(), 3))
      .setAttribute('skinIndex', new Uint16BufferAttribute(skinIndex, 4))
      .setAttribute('skinWeight', new Float32BufferAttribute(skinWeight, 4))
      .setIndex(indices)
      .computeVertexNormals();
    const mesh = new SkinnedMesh(this.#geometry, this.#skin);
    mesh.name = 'skin';
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    // A body that is bent leaves the bounds of that at rest.
    mesh.frustumCulled = false;
    this.root.add(mesh);
    mesh.bind(new Skeleton(bones));
    const head = bones.find(({ name }) => name === options.head);
    for (const { at, size } of options.eyes) {
      const eye = new Mesh(this.#eye, this.#eyes);
      eye.position.set(...at);
      eye.scale.set(...size);
      head?.add(eye);
    }
    this.#wanted = figure.bones.map(() => 0);
    this.#shown = figure.bones.map(() => 0);
    this.binding = bindFigure(figure, this.root, {
      objects: new Map(bones.map((bone) => [bone.name, bone])),
    });
  }

  update(pose: Numbers): void {
    this.binding.writePose(pose);
  }

  setBlocked(bone: number, share: number): void {
    this.#wanted[bone] = share;
  }

  fade(seconds: number): boolean {
    const share = 1 - Math.exp(-seconds / 0.08);
    let moving = false;
    this.#wanted.forEach((wanted, b) => {
      const gap = wanted - this.#shown[b];
      if (gap === 0) return;
      this.#shown[b] = Math.abs(gap) < 0.01 ? wanted : this.#shown[b] + share * gap;
      moving = true;
    });
    if (moving) this.#paint();
    return moving;
  }

  dispose(): void {
    this.#geometry.dispose();
    this.#eye.dispose();
    for (const material of [this.#skin, this.#eyes]) material.dispose();
  }

  #paint(): void {
    const { color, skinIndex, skinWeight } = this.#geometry.attributes;
    const blocked = BLOCKED.toArray();
    for (let v = 0; v < color.count; v++) {
      let share = 0;
      for (let n = 0; n < MOST_BONES; n++)
        share += skinWeight.array[4 * v + n] * this.#shown[skinIndex.array[4 * v + n]];
      for (let k = 0; k < 3; k++) {
        const plain = this.#plain[3 * v + k];
        color.array[3 * v + k] = plain + 0.75 * share * (blocked[k] - plain);
      }
    }
    color.needsUpdate = true;
  }
}

/** The nearest piece to a point, and the bones that move it: that of the piece, the one above and those below, by their distances. */
function skinAt(
  figure: Figure,
  pieces: readonly Piece[],
  x: number,
  y: number,
  z: number,
): { readonly piece: Piece; readonly weights: readonly (readonly [bone: number, weight: number])[] } {
  const distances = figure.bones.map(() => Number.POSITIVE_INFINITY);
  let piece = pieces[0];
  let least = Number.POSITIVE_INFINITY;
  for (const each of pieces) {
    const distance = distanceTo(each.cone, x, y, z);
    distances[each.bone] = Math.min(distances[each.bone], distance);
    if (distance < least) {
      least = distance;
      piece = each;
    }
  }
  const { parents } = figure;
  const near = distances
    .map((distance, bone) => [bone, Math.exp(-(((distance - least) / SHARED) ** 2))] as const)
    .filter(([b]) => b === piece.bone || b === parents[piece.bone] || parents[b] === piece.bone)
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_BONES);
  const sum = near.reduce((total, [, weight]) => total + weight, 0);
  return { piece, weights: near.map(([bone, weight]) => [bone, weight / sum] as const) };
}
