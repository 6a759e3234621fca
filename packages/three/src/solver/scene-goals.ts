/** Goal types of a scene: bones and targets may be objects. */

import type { BoneOrientation, BonePoint, Goal } from 'poise/ik';
import type { Numbers } from 'poise/math';
import type { Object3D } from 'three';

/** A bone: its name in the figure, its index, its object or the object's name. */
export type SceneBone = string | number | Object3D;

/** `{ x, y, z }`: a Vector3, or an object with the same fields. */
export interface Xyz {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** `{ x, y, z, w }`: a Quaternion, or an object with the same fields. */
export interface Xyzw extends Xyz {
  readonly w: number;
}

/**
 * A point of the scene's world, in scene units: the origin of an object anywhere in the hierarchy, a `Vector3`, `{ position }`
 * or three numbers. An object below a bone of the solver's own figure is a point of that bone.
 */
export type PointTarget = Object3D | Xyz | { readonly position: Xyz } | Numbers;

/** An orientation in the scene's world: of an object, a `Quaternion`, `{ quaternion }` or four numbers x, y, z, w. */
export type OrientationTarget = Object3D | Xyzw | { readonly quaternion: Xyzw } | Numbers;

/**
 * A plane of the scene's world: an object's own x-y plane, whose normal is its +Z (as of a `PlaneGeometry`), a three.js
 * `Plane`, or a point and a normal.
 */
export type PlaneTarget =
  | Object3D
  | { readonly normal: Xyz; readonly constant: number }
  | { readonly point: PointTarget; readonly normal: Xyz | Numbers };

/** A bone of the figure by its object too. */
type WithSceneBone<T extends { readonly bone: unknown }> = Omit<T, 'bone'> & { readonly bone: SceneBone };

type SceneTarget<Type extends Goal['type'], Target> = Type extends 'orientation'
  ? OrientationTarget | WithSceneBone<BoneOrientation>
  : Type extends 'plane' | 'half-space'
    ? PlaneTarget | CarriedPlane<Target>
    : Type extends 'relative-pose'
      ? WithSceneBone<BonePoint & BoneOrientation>
      : Type extends 'center-of-mass'
        ? PointTarget
        : PointTarget | WithSceneBone<BonePoint>;

type CarriedPlane<Target> = Omit<Extract<Target, { readonly normal: unknown }>, 'bone'> & {
  readonly bone: SceneBone;
};

type SceneField<Type extends Goal['type'], Key, Value> = Key extends 'target'
  ? SceneTarget<Type, Value>
  : Key extends 'bone'
    ? SceneBone | (Type extends 'look-at' ? readonly SceneBone[] : never)
    : Key extends 'middle' | 'start' | 'of'
      ? SceneBone
      : Key extends 'bones'
        ? readonly SceneBone[]
        : Key extends 'chain'
          ? readonly { readonly bone: SceneBone; readonly share: number }[]
          : Key extends 'support'
            ? readonly PointTarget[]
            : Value;

type InScene<G extends Goal> = G extends Goal
  ? { -readonly [Key in keyof G]: SceneField<G['type'], Key, G[Key]> }
  : never;

/**
 * A goal of {@link FigureSolver}: any goal of `poise/ik`, with bones and targets as the scene has them. Targets are in the
 * scene's world and its units; all other lengths and directions are the figure's (metres, the frame of `binding.frame`).
 * Any field may be changed at any time: `target`, `weight`, `blend`, `value`, `distance` and `clearance` are read at each
 * solve; a change of any other field creates a new solver. `SceneGoal<'position'>` is a goal of one type. The reference of a
 * posture without `reference` is the objects' pose when the solver first reads the goal.
 */
export type SceneGoal<Type extends Goal['type'] = Goal['type']> = InScene<
  Extract<Goal, { readonly type: Type }>
> & {
  /**
   * How much of the goal is applied, 0 to 1, default 1: 0 is off; between, the target is interpolated from the bone's pose
   * without this goal. For `position`, `orientation` and `points-at` with a target in the world. (`weight` is something else:
   * how much a goal counts against other goals.)
   */
  blend?: number;
};
