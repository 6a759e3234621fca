import type { Figure } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createMotion, type Motion } from 'poise/motion';
import type { SpacetimeExample } from './example.js';
import { feetOfJump } from './feet.js';
import { coordinateOf, standingPose } from './human-stance.js';

const DURATION = 2.3;
/** s; multiples of 0.05, the knots of 46 intervals. */
const jump = { heelsLeave: 0.6, ballsLeave: 0.75, ballsLand: 1.45, heelsLand: 1.55, end: DURATION };
/** Landing distance backwards, m, and height of the hips in the initial guess. */
const BACK = 0.35;
const UP = 0.55;

/**
 * A human jumps up and back in one somersault. The initial guess rotates its hips by -2 pi about x, through the shell of the rotation vector;
 * the unknown is the displacement from it.
 *
 * @param intervals - Knot intervals.
 */
export function backflip(intervals = 46): SpacetimeExample {
  const figure = createHumanFigure();
  return {
    name: 'backflip',
    title: 'Backflip',
    figure,
    about: `A human turns over backwards in ${(jump.ballsLand - jump.ballsLeave).toFixed(2)} s of flight, tucked, and lands on its feet.`,
    options: { tolerance: 1e-5, gain: 1e-3 },
    traced: 'hips',
    view: { yaw: 90, apart: 1.35, height: 2.5, middle: -0.1 },
    data: {
      duration: DURATION,
      intervals,
      reference: turnOver(figure),
      locked: ['leftToes', 'rightToes', 'leftHand', 'rightHand'],
      terms: [
        { type: 'pose', name: 'stands', at: 0 },
        { type: 'velocity', name: 'at rest', at: 0 },
        { type: 'pose', name: 'stands again', at: DURATION },
        { type: 'velocity', name: 'at rest again', at: DURATION },
        ...feetOfJump(figure, jump, standingPose(figure), -BACK),
        { type: 'physics' },
        {
          type: 'tracking',
          name: 'tuck',
          weight: 20,
          bones: { leftUpperLeg: 1, leftLowerLeg: 1, rightUpperLeg: 1, rightLowerLeg: 1 },
          over: [jump.ballsLeave + 0.15, jump.ballsLand - 0.15],
        },
        { type: 'effort', weight: 1e-3 },
        { type: 'smoothness', weight: 1e-3 },
      ],
    },
  };
}

/** Stance, tucked somersault, stance behind. */
function turnOver(figure: Figure): Motion {
  const stand = standingPose(figure);
  const tuck = stand.slice();
  for (const side of ['left', 'right']) {
    tuck[coordinateOf(figure, `${side}UpperLeg`)] = 1.9;
    tuck[coordinateOf(figure, `${side}LowerLeg`)] = 2.1;
    tuck[coordinateOf(figure, `${side}Foot`)] = 0;
  }
  const root = coordinateOf(figure, 'hips');
  const at = (pose: Float64Array, revolutions: number, up: number): Float64Array => {
    const found = pose.slice();
    found[root + 1] += up;
    found[root + 2] -= revolutions * BACK;
    found[root + 3] -= 2 * Math.PI * revolutions;
    return found;
  };
  const { ballsLeave, ballsLand } = jump;
  const air = ballsLand - ballsLeave;
  // It leans about x alone up to rounding, so multiples of 2 pi stay about x.
  for (const pose of [stand, tuck]) pose.fill(0, root + 4, root + 6);
  const keys: (readonly [number, Float64Array])[] = [
    [0, stand],
    [ballsLeave - 0.05, at(stand, 0, 0)],
    [ballsLeave + 0.25 * air, at(tuck, 0.2, 0.75 * UP)],
    [ballsLeave + 0.5 * air, at(tuck, 0.5, UP)],
    [ballsLeave + 0.75 * air, at(tuck, 0.8, 0.75 * UP)],
    [ballsLand + 0.05, at(stand, 1, 0)],
    [DURATION, at(stand, 1, 0)],
  ];
  const times = keys.map(([time]) => time);
  const values = keys.flatMap(([, pose]) => Array.from(pose));
  return createMotion(figure, { name: 'turn over', tracks: [{ coordinate: 0, keys: { times, values } }] });
}
