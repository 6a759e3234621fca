/** Limits of the legs of a figure, over what a closed form without limits has written to the objects. */
import { clampToLimits, createPose, createState, type FigureState, forwardKinematics } from 'poise/figure';
import { mat3, quat } from 'poise/math';
import { Matrix4, type Object3D, Quaternion, Vector3 } from 'three';
import type { FigureBinding } from '../binding/bind-figure.js';
import { rotateInWorld } from './leg.js';

export class LegLimits {
  readonly #binding: FigureBinding;
  /** Bones of the legs, parents first. */
  readonly #bones: readonly number[];
  readonly #mine: ReadonlySet<number>;
  readonly #hasLimits: boolean;
  readonly #pose: Float64Array;
  readonly #clamped: Float64Array;
  readonly #state: FigureState;
  readonly #before: Float64Array;

  constructor(binding: FigureBinding, bones: readonly number[]) {
    const { figure } = binding;
    this.#binding = binding;
    this.#bones = bones;
    this.#mine = new Set(bones);
    this.#hasLimits = bones.some((bone) => figure.bones[bone].limit !== undefined);
    this.#pose = createPose(figure);
    this.#clamped = createPose(figure);
    this.#state = createState(figure);
    this.#before = new Float64Array(12 * figure.bones.length);
  }

  /** Rotates the objects of the legs to the nearest allowed rotation of each joint. @returns whether any was beyond its limits. */
  apply(): boolean {
    if (!this.#hasLimits) return false;
    const { figure, objects } = this.#binding;
    this.#binding.readPose(this.#pose);
    this.#clamped.set(this.#pose);
    clampToLimits(figure, this.#clamped);
    let isClamped = false;
    for (const { index, coordinate, dof } of figure.bones) {
      for (let i = coordinate; i < coordinate + dof; i++) {
        if (this.#mine.has(index)) isClamped ||= this.#clamped[i] !== this.#pose[i];
        else this.#clamped[i] = this.#pose[i];
      }
    }
    if (!isClamped) return false;
    const state = this.#state;
    forwardKinematics(state, this.#pose);
    this.#before.set(state.parentFromBone);
    forwardKinematics(state, this.#clamped);
    this.#binding.worldFromFigure(worldFromFigure);
    for (const bone of this.#bones) {
      const object = objects[bone] as Object3D;
      const o = 12 * bone;
      // R' = R D, with D = R^T R' in the axes of the bone, and so a rotation of the world about the axis that it has there.
      const change = mat3.multiply(
        mat3.transpose(this.#before.subarray(o, o + 9)),
        state.parentFromBone.subarray(o, o + 9),
      );
      const [x, y, z, w] = quat.fromMatrix(change);
      axis.set(x, y, z);
      const size = axis.length();
      if (size === 0) continue;
      const world = mat3.multiplyVector(state.worldFromBone.subarray(o, o + 9), [x, y, z]);
      axis.set(world[0], world[1], world[2]).transformDirection(worldFromFigure).multiplyScalar(size);
      object.parent?.updateWorldMatrix(true, false);
      rotateInWorld(object, rotation.set(axis.x, axis.y, axis.z, w));
    }
    return true;
  }
}

const axis = /* @__PURE__ */ new Vector3();
const rotation = /* @__PURE__ */ new Quaternion();
const worldFromFigure = /* @__PURE__ */ new Matrix4();
