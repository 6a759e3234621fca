/** One drag along a path, and what is measured on the way. */
import { quat } from 'poise/math';
import {
  createArm,
  driftOf,
  largestRate,
  largestRotation,
  missOf,
  reciprocalConditionOf,
  singularValues,
  stepArm,
} from './arm.js';
import type { DraggedFigure } from './figures.js';
import type { Parameterization } from './parameterizations.js';
import { DURATION, type Motion, type Target, targetAt } from './path.js';

export interface DragReport {
  /** Largest rotation of one joint in one frame, rad. */
  readonly jump: number;
  /** Largest change of a joint's coordinates in one frame, |p'| dt, as rad: quaternions count 2 / |q| a unit. */
  readonly coordinateJump: number;
  /** Largest distance of the hand from the target, m, and angle, rad; and their means. */
  readonly worstDistance: number;
  readonly meanDistance: number;
  readonly worstAngle: number;
  readonly meanAngle: number;
  /** Largest | |q| - 1 | after a step. */
  readonly drift: number;
  /** Smallest reciprocal condition number, over frames and joints, of the map B from a joint's rates to its angular velocity. */
  readonly minReciprocalCondition: number;
  /** Whether every step converged. */
  readonly exact: boolean;
}

/** Rotation per frame that counts as a jump, rad: 20 degrees at 60 frames a second. */
export const JUMP = (20 * Math.PI) / 180;

const DT = 1 / 60;
const FRAMES = Math.round(DURATION / DT);

/** The targets of a motion, frame by frame, and one more: the target at the time when the last frame is shown. */
export function targetsOf(dragged: DraggedFigure, motion: Motion): Target[] {
  return Array.from({ length: FRAMES + 1 }, (_, frame) => targetAt(dragged, motion, frame * DT));
}

/** Drags an arm along a motion. */
export function drag(
  dragged: DraggedFigure,
  parameterization: Parameterization,
  motion: Motion,
  region: number,
  targets: readonly Target[] = targetsOf(dragged, motion),
): DragReport {
  const arm = createArm(dragged, parameterization, motion(0), region);
  const before = arm.pose.slice();
  let jump = 0;
  let coordinateJump = 0;
  let worstDistance = 0;
  let sumDistance = 0;
  let worstAngle = 0;
  let sumAngle = 0;
  let drift = 0;
  let minReciprocalCondition = Number.POSITIVE_INFINITY;
  let exact = true;
  for (let frame = 0; frame < FRAMES; frame++) {
    stepArm(arm, targets[frame], DT);
    exact &&= arm.control.result.exact;
    jump = Math.max(jump, largestRotation(before, arm.pose));
    coordinateJump = Math.max(coordinateJump, DT * largestRate(arm));
    before.set(arm.pose);
    drift = Math.max(drift, driftOf(arm));
    minReciprocalCondition = Math.min(minReciprocalCondition, reciprocalConditionOf(arm));
    // Compared with the target at the time when the frame is shown.
    const { distance, angle } = missOf(arm, targets[frame + 1]);
    worstDistance = Math.max(worstDistance, distance);
    worstAngle = Math.max(worstAngle, angle);
    sumDistance += distance;
    sumAngle += angle;
  }
  return {
    jump,
    coordinateJump,
    worstDistance,
    meanDistance: sumDistance / FRAMES,
    worstAngle,
    meanAngle: sumAngle / FRAMES,
    drift,
    minReciprocalCondition,
    exact,
  };
}

/** The singular regions tried, doubling; 0.05 is the default of the control. */
export const REGIONS: readonly number[] = Array.from({ length: 9 }, (_, k) => 0.05 * 2 ** (k - 5));

/** The smallest of REGIONS from which on neither a joint nor its coordinates jump; undefined if none suffices. */
export function smallestRegion(
  dragged: DraggedFigure,
  parameterization: Parameterization,
  motion: Motion,
  targets: readonly Target[],
): number | undefined {
  let min: number | undefined;
  for (let k = REGIONS.length - 1; k >= 0; k--) {
    if (!isCalm(dragged, parameterization, motion, REGIONS[k], targets)) break;
    min = REGIONS[k];
  }
  return min;
}

/** Whether a drag is without jumps of joints and coordinates; ends at the first jump. */
function isCalm(
  dragged: DraggedFigure,
  parameterization: Parameterization,
  motion: Motion,
  region: number,
  targets: readonly Target[],
): boolean {
  const arm = createArm(dragged, parameterization, motion(0), region);
  const before = arm.pose.slice();
  for (let frame = 0; frame < FRAMES; frame++) {
    stepArm(arm, targets[frame], DT);
    if (DT * largestRate(arm) > JUMP || largestRotation(before, arm.pose) > JUMP) return false;
    before.set(arm.pose);
  }
  return true;
}

/** Redundant coordinates at a generic pose: number of rates minus the rank of B, summed over the joints. */
export function deadCoordinates(dragged: DraggedFigure, parameterization: Parameterization): number {
  const start = dragged.reaches.map((_, n) => quat.fromAxisAngle([0.6, 0.64, 0.48], 0.7 + 0.2 * n));
  const arm = createArm(dragged, parameterization, start);
  // The targets are the hand's own pose: nothing moves.
  const hand = {
    position: [0, 0, 0],
    rotation: [0, 0, 0, 1],
    velocity: [0, 0, 0],
    angularVelocity: [0, 0, 0],
  };
  stepArm(arm, hand, 0);
  const { parameterized, constraints } = arm.control.workspace.unknowns;
  if (parameterized === undefined) return 0;
  const rank = parameterized.joints.reduce((sum, { map }) => {
    const values = singularValues(map);
    return sum + values.filter((x) => x > 1e-9 * values[0]).length;
  }, 0);
  // An explicit constraint removes one redundant coordinate.
  return parameterized.rates.length - constraints.count - rank;
}

/** Number of unknowns and constraints of a step's quadratic program. */
export function unknownsOf(
  dragged: DraggedFigure,
  parameterization: Parameterization,
): { unknowns: number; constraints: number } {
  const { columns, constraints } = createArm(dragged, parameterization, []).control.workspace.unknowns;
  return { unknowns: columns, constraints: constraints.count };
}

/** Median time of a step, us, over rounds of a drag. */
export function timeSteps(
  dragged: DraggedFigure,
  parameterization: Parameterization,
  motion: Motion,
  targets: readonly Target[],
  rounds: number,
): number {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const arm = createArm(dragged, parameterization, motion(0));
    const started = performance.now();
    for (let frame = 0; frame < FRAMES; frame++) stepArm(arm, targets[frame], DT);
    times.push(((performance.now() - started) * 1000) / FRAMES);
  }
  return times.sort((a, b) => a - b)[rounds >> 1];
}
