import { bindFigure, type FigureBinding } from '@poise/three';
import type { Figure } from 'poise/figure';
import type { Numbers } from 'poise/math';
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  Float32BufferAttribute,
  Group,
  Mesh,
  MeshStandardMaterial,
  Object3D,
  SphereGeometry,
} from 'three';
import { type BoneShape, boneShape, JOINT_COLOR, type Part, SKIN_COLOR } from './body-shapes.js';
import { LimitFade } from './limit-fade.js';
import { loft } from './loft.js';
import type { CharacterModel } from './model.js';

const SKIN = new Color(SKIN_COLOR);
/** Colours of vertices, over that of the material, which programs show that have none for vertices. */
const PLAIN = new Color(1, 1, 1);
const JOINT = overSkin(JOINT_COLOR);
/** Blended into a bone whose limit is touched or blocks a goal. */
const BLOCKED = overSkin('#f08a58');

/**
 * A figure as a jointed mannequin: one object a bone, bound to the figure, with a smooth mesh on it, of the shapes of the built-in human
 * by default. All meshes share a material, which the colours of their vertices tint. Created once for a figure; {@link update} poses it.
 */
export class BodyModel implements CharacterModel {
  readonly root = new Group();
  readonly binding: FigureBinding;
  readonly #material = new MeshStandardMaterial({ color: SKIN, vertexColors: true, roughness: 0.64 });
  /** By bone. */
  readonly #skins: (Skin | undefined)[];
  readonly #fade: LimitFade;

  /** @param height - Of the body, m: its shapes are in fractions of it. */
  constructor(figure: Figure, height: number, shapeOf: (bone: string) => BoneShape = boneShape) {
    const objects = new Map<string, Object3D>();
    this.#skins = figure.bones.map((bone) => {
      const object = new Object3D();
      object.name = bone.name;
      object.position.set(...bone.rest.position);
      object.quaternion.set(...bone.rest.rotation);
      const parent = bone.parent < 0 ? this.root : objects.get(figure.bones[bone.parent].name);
      parent?.add(object);
      objects.set(bone.name, object);
      const skin = skinOf(shapeOf(bone.name), height);
      if (skin === undefined) return undefined;
      const mesh = new Mesh(skin.geometry, this.#material);
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      object.add(mesh);
      return skin;
    });
    this.#fade = new LimitFade(figure.bones.length);
    this.binding = bindFigure(figure, this.root, { objects });
  }

  update(pose: Numbers): void {
    this.binding.writePose(pose);
  }

  setBlocked(bone: number, share: number): void {
    this.#fade.set(bone, share);
  }

  fade(seconds: number): boolean {
    const changed = this.#fade.step(seconds);
    for (const b of changed) {
      const skin = this.#skins[b];
      if (skin !== undefined) {
        paint(skin.colors, skin.first, COLOR.copy(PLAIN).lerp(BLOCKED, 0.75 * this.#fade.shares[b]));
      }
    }
    return changed.length > 0;
  }

  dispose(): void {
    for (const skin of this.#skins) skin?.geometry.dispose();
    this.#material.dispose();
  }
}

const COLOR = new Color();

function overSkin(of: string): Color {
  const { r, g, b } = new Color(of);
  return new Color(r / SKIN.r, g / SKIN.g, b / SKIN.b);
}

/** The mesh of a bone: the vertices of its joints, then those that show the colour of its limit. */
interface Skin {
  readonly geometry: BufferGeometry;
  readonly colors: BufferAttribute;
  readonly first: number;
}

function skinOf({ parts = [], dark = [], balls = [] }: BoneShape, height: number): Skin | undefined {
  const solid = ({ stations, side, squareness, caps }: Part) => loft(stations, side, squareness, caps);
  const joints = [
    ...dark.map(solid),
    ...balls.map(({ at, radius }) => new SphereGeometry(radius, 26, 16).translate(...at)),
  ];
  const positions: number[] = [];
  const normals: number[] = [];
  const indices: number[] = [];
  const add = ({ attributes, index }: BufferGeometry) => {
    const start = positions.length / 3;
    positions.push(...attributes.position.array);
    normals.push(...attributes.normal.array);
    for (const corner of index?.array ?? []) indices.push(start + corner);
  };
  joints.forEach(add);
  const first = positions.length / 3;
  parts.map(solid).forEach(add);
  if (indices.length === 0) return undefined;
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new Float32BufferAttribute(normals, 3));
  geometry.setIndex(indices);
  geometry.scale(height, height, height);
  const colors = new BufferAttribute(new Float32Array(positions.length), 3);
  geometry.setAttribute('color', colors);
  paint(colors, 0, JOINT);
  paint(colors, first, PLAIN);
  return { geometry, colors, first };
}

/** Colours all vertices from one on. */
function paint(colors: BufferAttribute, first: number, { r, g, b }: Color): void {
  for (let v = first; v < colors.count; v++) colors.setXYZ(v, r, g, b);
  colors.needsUpdate = true;
}
