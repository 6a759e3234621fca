import type { BoneShape, WorldShape } from '../../../src/dynamics/collide/index.js';
import {
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  ratesFromVelocity,
  updateMotionSubspaceV,
} from '../../../src/figure/index.js';
import * as rigid from '../../../src/math/geometry/rigid-transform.js';
import type { Numbers } from '../../../src/math/linear/types.js';
import {
  type Clearance,
  writeClearanceGradients,
  writeClearances,
} from '../../../src/spacetime/clearance/index.js';
import { type Solid, STILL } from '../../dynamics/collide/support.js';
import { derivative } from '../../figure/support.js';

/** A clearance at one pose after another. */
export interface Probe {
  readonly state: FigureState;
  distances(pose: Numbers): Float64Array;
  /** rows x dof */
  gradients(pose: Numbers): Float64Array;
  /** The same by differences of order 6 along N e_i, the coordinate rates of one joint velocity at a time. */
  differences(pose: Numbers, step: number): Float64Array;
}

export function probe(clearance: Clearance): Probe {
  const { figure, rows } = clearance;
  const { dof } = figure;
  const state = createState(figure);
  const distances = (pose: Numbers): Float64Array => {
    const out = new Float64Array(rows.length);
    forwardKinematics(state, pose);
    writeClearances(clearance, state, out);
    return out;
  };
  return {
    state,
    distances,
    gradients(pose) {
      const out = new Float64Array(rows.length * dof);
      distances(pose);
      updateMotionSubspaceV(state, pose);
      writeClearanceGradients(clearance, state, out);
      return out;
    },
    differences(pose, step) {
      const out = new Float64Array(rows.length * dof);
      for (let i = 0; i < dof; i++) {
        const rates = new Float64Array(dof);
        forwardKinematics(state, pose);
        ratesFromVelocity(
          state,
          pose,
          rates.map((_, k) => (k === i ? 1 : 0)),
          rates,
        );
        const along = (t: number) => distances(Float64Array.from(pose, (p, k) => p + t * rates[k]));
        derivative(along, step).forEach((slope, row) => {
          out[row * dof + i] = slope;
        });
      }
      return out;
    },
  };
}

export function frameOf({ worldFromBone }: FigureState, bone: number): readonly number[] {
  return bone < 0 ? STILL : Array.from(worldFromBone.subarray(12 * bone, 12 * bone + 12));
}

/** The shape that a row names by number. */
export function shapeAt(
  shapes: readonly BoneShape[],
  world: readonly WorldShape[],
  number: number,
): WorldShape {
  return number < shapes.length ? shapes[number] : world[number - shapes.length];
}

/** A shape less what the support function of the tests does not read: where a box stands in its bone. */
export function upright(shape: Solid, frame: readonly number[]): readonly number[] {
  if (shape.type !== 'box' || shape.placement === undefined) return frame;
  const { rotation = [0, 0, 0, 1], position = [0, 0, 0] } = shape.placement;
  return rigid.compose(frame, rigid.fromQuatPosition(rotation, position));
}

/** A figure's shapes, one for each of its bones, of the three types in turn. */
export function shapesOf(figure: Figure, make: (bone: number) => Solid): BoneShape[] {
  return figure.bones.map(({ index }) => ({ ...make(index), bone: index }));
}
