/** One arm in one parameterization, dragged frame by frame, with the numbers that its panel shows. */
import {
  type Arm,
  createArm,
  driftOf,
  largestRate,
  largestTurn,
  missOf,
  stepArm,
  turningOf,
} from './model/arm.js';
import type { DraggedFigure } from './model/figures.js';
import type { Parameterization } from './model/parameterizations.js';
import type { Motion, Target } from './model/path.js';

export interface Runner {
  readonly arm: Arm;
  /** Turn of the joints in the last frame and the largest since the start, rad. */
  turn: number;
  largestTurn: number;
  /** Largest change of a joint's coordinates in a frame since the start, as rad. */
  largestChange: number;
  /** Distance (m) and angle (rad) of the hand from its target. */
  distance: number;
  angle: number;
  /** Least singular value of a joint's turning, over its largest. */
  turning: number;
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
    turn: 0,
    largestTurn: 0,
    largestChange: 0,
    distance: 0,
    angle: 0,
    turning: 1,
    drift: 0,
  };
}

/** One step towards the target as it is, measured against where it is when the step is shown. */
export function advanceRunner(runner: Runner, target: Target, shown: Target, dt: number): void {
  const { arm } = runner;
  const before = arm.pose.slice();
  stepArm(arm, target, dt);
  runner.turn = largestTurn(before, arm.pose);
  runner.largestTurn = Math.max(runner.largestTurn, runner.turn);
  runner.largestChange = Math.max(runner.largestChange, dt * largestRate(arm));
  runner.turning = turningOf(arm);
  runner.drift = driftOf(arm);
  Object.assign(runner, missOf(arm, shown));
}
