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
import { LimitFade } from '../limit-fade.js';
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

/** A surface over the bones of a figure at rest, m, with its colours, linear, and what moves it. */
export interface Skin {
  readonly positions: Float32Array;
  readonly indices: number[];
  readonly colors: Float32Array;
  /** {@link MOST_BONES} a vertex. */
  readonly bones: Uint16Array;
  readonly weights: Float32Array;
}

/**
 * The skin over pieces of a body, weighted by their distances.
 *
 * @param blend - How far a joint of two pieces is filled, m.
 * @param cell - Of its mesh, m.
 */
export function skinOf(figure: Figure, pieces: readonly Piece[], blend: number, cell: number): Skin {
  const surface = meshOf(
    pieces.map(({ cone }) => cone),
    blend,
    cell,
  );
  const count = surface.positions.length / 3;
  const skin = {
    ...surface,
    colors: new Float32Array(3 * count),
    bones: new Uint16Array(MOST_BONES * count),
    weights: new Float32Array(MOST_BONES * count),
  };
  const color = new Color();
  for (let v = 0; v < count; v++) {
    const [x, y, z] = surface.positions.subarray(3 * v, 3 * v + 3);
    const { piece, weights } = skinAt(figure, pieces, x, y, z);
    color.set(piece.color).toArray(skin.colors, 3 * v);
    weights.forEach(([bone, weight], n) => {
      skin.bones[MOST_BONES * v + n] = bone;
      skin.weights[MOST_BONES * v + n] = weight;
    });
  }
  return skin;
}

/** A figure with one skin over its bones, and eyes in its head. */
export class SkinnedBody implements CharacterModel {
  readonly root = new Group();
  readonly binding: FigureBinding;
  readonly #geometry = new BufferGeometry();
  readonly #material = new MeshStandardMaterial({ vertexColors: true, roughness: 0.75 });
  readonly #eyes = new MeshStandardMaterial({ color: '#22262c', roughness: 0.25 });
  readonly #eye = new SphereGeometry(1, 20, 14);
  readonly #skeleton: Skeleton;
  readonly #skin: Skin;
  readonly #fade: LimitFade;

  constructor(figure: Figure, skin: Skin, eyes: readonly Eye[]) {
    this.#skin = skin;
    const bones = figure.bones.map(({ name, rest }) => {
      const bone = new Bone();
      bone.name = name;
      bone.position.set(...rest.position);
      bone.quaternion.set(...rest.rotation);
      return bone;
    });
    for (const { parent, index } of figure.bones) (parent < 0 ? this.root : bones[parent]).add(bones[index]);
    this.root.updateMatrixWorld(true);
    this.#geometry
      .setAttribute('position', new Float32BufferAttribute(skin.positions, 3))
      .setAttribute('color', new Float32BufferAttribute(skin.colors.slice(), 3))
      .setAttribute('skinIndex', new Uint16BufferAttribute(skin.bones, MOST_BONES))
      .setAttribute('skinWeight', new Float32BufferAttribute(skin.weights, MOST_BONES))
      .setIndex(skin.indices)
      .computeVertexNormals();
    const mesh = new SkinnedMesh(this.#geometry, this.#material);
    mesh.name = 'skin';
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    // A body that is bent leaves the bounds of that at rest.
    mesh.frustumCulled = false;
    this.root.add(mesh);
    this.#skeleton = new Skeleton(bones);
    mesh.bind(this.#skeleton);
    const head = bones.find(({ name }) => name === 'head');
    for (const { at, size } of eyes) {
      const eye = new Mesh(this.#eye, this.#eyes);
      eye.position.set(...at);
      eye.scale.set(...size);
      head?.add(eye);
    }
    this.#fade = new LimitFade(figure.bones.length);
    this.binding = bindFigure(figure, this.root, {
      objects: new Map(bones.map((bone) => [bone.name, bone])),
    });
  }

  update(pose: Numbers): void {
    this.binding.writePose(pose);
  }

  setBlocked(bone: number, share: number): void {
    this.#fade.set(bone, share);
  }

  fade(seconds: number): boolean {
    const isMoving = this.#fade.step(seconds).length > 0;
    if (isMoving) this.#paint();
    return isMoving;
  }

  dispose(): void {
    this.#geometry.dispose();
    this.#skeleton.dispose();
    this.#eye.dispose();
    for (const material of [this.#material, this.#eyes]) material.dispose();
  }

  #paint(): void {
    const { colors, bones, weights } = this.#skin;
    const { color } = this.#geometry.attributes;
    const blocked = BLOCKED.toArray();
    for (let v = 0; v < color.count; v++) {
      let share = 0;
      for (let n = MOST_BONES * v; n < MOST_BONES * (v + 1); n++)
        share += weights[n] * this.#fade.shares[bones[n]];
      for (let n = 3 * v; n < 3 * (v + 1); n++)
        color.array[n] = colors[n] + 0.75 * share * (blocked[n - 3 * v] - colors[n]);
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
