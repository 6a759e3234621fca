/** One arm in one parameterization, dragged frame by frame, with the values of its panel. */
import {
  type Arm,
  createArm,
  driftOf,
  largestRate,
  largestRotation,
  missOf,
  reciprocalConditionOf,
  stepArm,
} from './model/arm.js';
import type { DraggedFigure } from './model/figures.js';
import type { Parameterization } from './model/parameterizations.js';
import type { Motion, Target } from './model/path.js';

export interface Runner {
  readonly arm: Arm;
  /** Rotation of the joints in the last frame and the largest since the start, rad. */
  rotationAngle: number;
  largestRotation: number;
  /** Largest change of a joint's coordinates in a frame since the start, as rad. */
  largestChange: number;
  /** Distance (m) and angle (rad) of the hand from its target. */
  distance: number;
  angle: number;
  /** Reciprocal condition number of B. */
  reciprocalCondition: number;
  drift: number;
}

export function createRunner(
  dragged: DraggedFigure,
  parameterization: Parameterization,
  motion: Motion,
  t: number,
  region: number,
): Runner {
  return {
    arm: createArm(dragged, parameterization, motion(t), region),
    rotationAngle: 0,
    largestRotation: 0,
    largestChange: 0,
    distance: 0,
    angle: 0,
    reciprocalCondition: 1,
    drift: 0,
  };
}

/** One step towards the current target, compared with the target at the time when the step is shown. */
export function advanceRunner(runner: Runner, target: Target, shown: Target, dt: number): void {
  const { arm } = runner;
  const before = arm.pose.slice();
  stepArm(arm, target, dt);
  runner.rotationAngle = largestRotation(before, arm.pose);
  runner.largestRotation = Math.max(runner.largestRotation, runner.rotationAngle);
  runner.largestChange = Math.max(runner.largestChange, dt * largestRate(arm));
  runner.reciprocalCondition = reciprocalConditionOf(arm);
  runner.drift = driftOf(arm);
  Object.assign(runner, missOf(arm, shown));
}
