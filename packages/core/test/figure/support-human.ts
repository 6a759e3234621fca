import {
  boneIndex,
  clampToLimits,
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
} from '../../src/figure/index.js';
import * as rigid from '../../src/math/geometry/rigid-transform.js';
import type { Numbers } from '../../src/math/linear/types.js';

export const DEGREE: number = Math.PI / 180;

/** A pose of a human in degrees by bone; bones left out are at rest. */
export type HumanPose = Readonly<Record<string, readonly number[]>>;

/** The named coordinates in degrees (metres for the position of the hips) as a pose, limits not applied. */
export function poseOf(figure: Figure, named: HumanPose): Float64Array {
  const pose = new Float64Array(figure.dof);
  for (const [name, values] of Object.entries(named)) {
    const { coordinate, joint } = figure.bones[boneIndex(figure, name)];
    values.forEach((value, k) => {
      pose[coordinate + k] = joint.type === 'free' && k < 3 ? value : value * DEGREE;
    });
  }
  return pose;
}

/** The same for both sides: names without their `left` or `right`. Signs as the human documents them. */
export function bothSides(named: HumanPose): HumanPose {
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, values]) => [
      [`left${name}`, values],
      [`right${name}`, name === 'Hand' ? [values[0], -values[1], -values[2]] : values],
    ]),
  );
}

/** The mirrored pose: sides swapped, x reversed. */
export function mirroredPose(figure: Figure, pose: Numbers): Float64Array {
  const out = new Float64Array(figure.dof);
  for (const { name, coordinate, dof, joint } of figure.bones) {
    const other = name.startsWith('left')
      ? name.replace('left', 'right')
      : name.startsWith('right')
        ? name.replace('right', 'left')
        : name;
    const to = figure.bones[boneIndex(figure, other)].coordinate;
    const signs =
      joint.type === 'free'
        ? [-1, 1, 1, 1, -1, -1]
        : other === name || joint.type === 'euler'
          ? [1, -1, -1]
          : [1, 1, 1];
    for (let k = 0; k < dof; k++) out[to + k] = signs[k] * pose[coordinate + k];
  }
  return out;
}

/** World frame of a bone, 12 numbers. */
export function frameOf(state: FigureState, name: string): Float64Array {
  const o = 12 * boneIndex(state.figure, name);
  return state.worldFromBone.slice(o, o + 12);
}

/** World position of a point of a bone; its tip when none is given. */
export function pointOf(state: FigureState, name: string, local?: Numbers): number[] {
  const { tip } = state.figure.bones[boneIndex(state.figure, name)];
  return rigid.transformPoint(frameOf(state, name), local ?? (tip as Numbers));
}

/** World direction of a bone-frame direction. */
export function directionOf(state: FigureState, name: string, local: Numbers): number[] {
  return rigid.transformVector(frameOf(state, name), local);
}

/** Drives the named coordinates (degrees, any size), clamps, and gives the state there. */
export function driven(figure: Figure, named: HumanPose): FigureState {
  const pose = poseOf(figure, named);
  clampToLimits(figure, pose);
  const state = createState(figure);
  forwardKinematics(state, pose);
  return state;
}

/** Angle from a to b in degrees, seen against `axis`: positive right-handed about it. */
export function angleAbout(axis: Numbers, a: Numbers, b: Numbers): number {
  const cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const sine = cross[0] * axis[0] + cross[1] * axis[1] + cross[2] * axis[2];
  return Math.atan2(sine, a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / DEGREE;
}
