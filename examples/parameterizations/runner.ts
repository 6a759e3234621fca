/** One arm in one form, dragged frame by frame, with the numbers that its panel shows. */
import { type Arm, createArm, type Link, stepArm, type Target } from './model/arm.js';
import { largestRate, largestTurn, turningOf } from './model/drag.js';
import type { Form } from './model/forms.js';
import type { Motion } from './model/path.js';

export interface Runner {
  arm: Arm;
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

export function createRunner(form: Form, links: readonly Link[], motion: Motion, t: number): Runner {
  const arm = createArm(form, links, motion(t));
  return {
    arm,
    turn: 0,
    largestTurn: 0,
    largestChange: 0,
    distance: 0,
    angle: 0,
    turning: turningOf(arm),
    drift: 0,
  };
}

/** One step towards the target as it is, measured against where it is when the step is shown. */
export function advanceRunner(
  runner: Runner,
  target: Target,
  shown: Target,
  damping: number,
  dt: number,
): void {
  const { arm } = runner;
  const before = arm.rotations.slice();
  stepArm(arm, target, damping, dt);
  runner.turn = largestTurn(before, arm.rotations);
  runner.largestTurn = Math.max(runner.largestTurn, runner.turn);
  runner.largestChange = Math.max(runner.largestChange, dt * largestRate(arm));
  runner.turning = turningOf(arm);
  const { form, links, parameters, origins, rotations } = arm;
  runner.drift = Math.max(...links.map((_, n) => form.drift(parameters, n * form.parameters)));
  const hand = 3 * links.length;
  runner.distance = Math.hypot(...[0, 1, 2].map((k) => origins[hand + k] - shown.position[k]));
  const o = 9 * (links.length - 1);
  let square = 0;
  for (let k = 0; k < 9; k++) square += (rotations[o + k] - shown.rotation[k]) ** 2;
  runner.angle = 2 * Math.asin(Math.min(1, Math.sqrt(square / 8)));
}
