/** Poses of the result as frames of the target's bones. */
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import type { LimitComponent } from '../../figure/limits/limit.js';
import { limitShapes } from '../../figure/limits/shapes.js';
import type { FigureState } from '../../figure/model/state.js';
import { unset3 } from '../../math/linear/unset.js';
import type { Alignment } from '../clip/clip.js';
import { createSerialReader, readSerialPose } from '../pose/serial-writer.js';

/** What is read of the poses of the result. */
export interface TargetFrames {
  /** World from the bones of `alignment.target`, twelve numbers each; overwritten by the next frame. */
  worldAt(f: number): Float64Array;
  /** Limits of each segment's joint; of a robot those of all its hinges. */
  readonly limits: readonly (readonly LimitComponent[])[];
  isActive(f: number, limits: readonly LimitComponent[]): boolean;
}

/**
 * @param poses - Of the figure of the results: `retargeter.target`.
 * @param state - Of the target body, overwritten.
 */
export function targetFrames(
  { plan, serial }: Alignment,
  poses: readonly Float64Array[],
  state: FigureState,
): TargetFrames {
  const isActive = (f: number, limits: readonly LimitComponent[]): boolean => isAtLimit(limits, poses[f]);
  if (serial === undefined) {
    return {
      worldAt(f) {
        forwardKinematics(state, poses[f]);
        return state.worldFromBone;
      },
      limits: plan.segments.map(({ bone }) => state.limitsOfBone[bone]),
      isActive,
    };
  }
  const reader = createSerialReader(serial);
  return {
    worldAt: (f) => readSerialPose(reader, poses[f]),
    limits: plan.segments.map(({ bone }) => limitsOfPart(reader.state, serial.parts[bone].joints)),
    isActive,
  };
}

function limitsOfPart({ limitsOfBone }: FigureState, joints: readonly number[]): LimitComponent[] {
  return joints.flatMap((bone) => [...limitsOfBone[bone]]);
}

/** Distance from a limit at which it is active. */
const ACTIVE = 1e-9;

const touched = /* @__PURE__ */ unset3();

function isAtLimit(limits: readonly LimitComponent[], pose: Float64Array): boolean {
  for (let n = 0; n < limits.length; n++) {
    const { kind, parameters, coordinate, size } = limits[n];
    for (let k = 0; k < size; k++) touched[k] = pose[coordinate + k];
    if (limitShapes[kind].value(parameters, touched, 0, size) > -ACTIVE) return true;
  }
  return false;
}
