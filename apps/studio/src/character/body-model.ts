import { bindFigure, type FigureBinding } from '@poise/three';
import type { Figure } from 'poise/figure';
import type { Numbers } from 'poise/math';
import { Color, Group, Mesh, MeshStandardMaterial, Object3D, SphereGeometry } from 'three';
import { type BoneShape, boneShape, JOINT_COLOR, SKIN_COLOR } from './body-shapes.js';
import { LimitFade } from './limit-fade.js';
import { loft } from './loft.js';
import type { CharacterModel } from './model.js';

const SKIN = new Color(SKIN_COLOR);
const JOINT = new Color(JOINT_COLOR);
/** Colours blended into a bone whose limit is touched or blocks a goal. */
const BLOCKED = new Color('#f08a58');

/**
 * A figure as a jointed mannequin: one object a bone, bound to the figure, with smooth shapes on it, those of the built-in human by
 * default. Created once for a figure; {@link update} poses it.
 */
export class BodyModel implements CharacterModel {
  readonly root = new Group();
  readonly binding: FigureBinding;
  readonly #skins: MeshStandardMaterial[] = [];
  readonly #joints = new MeshStandardMaterial({ color: JOINT, roughness: 0.7 });
  readonly #meshes: Mesh[] = [];
  readonly #fade: LimitFade;

  /** @param height - Of the body, m: its shapes are in fractions of it. */
  constructor(figure: Figure, height: number, shapeOf: (bone: string) => BoneShape = boneShape) {
    const objects = new Map<string, Object3D>();
    for (const bone of figure.bones) {
      const object = new Object3D();
      object.name = bone.name;
      object.position.set(...bone.rest.position);
      object.quaternion.set(...bone.rest.rotation);
      const parent = bone.parent < 0 ? this.root : objects.get(figure.bones[bone.parent].name);
      parent?.add(object);
      objects.set(bone.name, object);
      const skin = new MeshStandardMaterial({ color: SKIN, roughness: 0.62 });
      this.#skins.push(skin);
      this.#addShape(object, shapeOf(bone.name), skin, height);
    }
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
    for (const b of changed) this.#skins[b].color.copy(SKIN).lerp(BLOCKED, 0.75 * this.#fade.shares[b]);
    return changed.length > 0;
  }

  dispose(): void {
    for (const mesh of this.#meshes) mesh.geometry.dispose();
    for (const material of [...this.#skins, this.#joints]) material.dispose();
  }

  #addShape(
    object: Object3D,
    { parts = [], dark = [], balls = [] }: BoneShape,
    skin: MeshStandardMaterial,
    height: number,
  ): void {
    for (const [list, material] of [
      [parts, skin],
      [dark, this.#joints],
    ] as const) {
      for (const { stations, side, squareness, caps } of list) {
        this.#add(object, new Mesh(loft(stations, side, squareness, caps), material), height);
      }
    }
    for (const { at, radius } of balls) {
      const ball = new Mesh(new SphereGeometry(radius, 26, 16), this.#joints);
      this.#add(object, ball, height);
      ball.position.set(at[0] * height, at[1] * height, at[2] * height);
    }
  }

  #add(object: Object3D, mesh: Mesh, height: number): void {
    mesh.scale.setScalar(height);
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    object.add(mesh);
    this.#meshes.push(mesh);
  }
}
