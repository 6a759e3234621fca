import { createHumanFigure } from 'poise/humanoid';
import type { SpacetimeExample } from './example.js';
import { feetOfJump } from './feet.js';
import { standingPose } from './human-stance.js';

const DURATION = 2;
/** s; multiples of 0.05, the knots of 40 intervals. */
const jump = { heelsLeave: 0.65, ballsLeave: 0.8, ballsLand: 1.2, heelsLand: 1.35, end: DURATION };

/**
 * A human jumps up from rest and lands where it stood: 0.4 s in the air, so 0.2 m high. The initial guess stands still.
 *
 * @param intervals - Knot intervals.
 */
export function standingJump(intervals = 40): SpacetimeExample {
  const figure = createHumanFigure();
  const pose = standingPose(figure);
  return {
    name: 'standing-jump',
    title: 'Standing jump',
    figure,
    about: 'A human jumps from rest to rest with the least effort: heels off first and balls last.',
    options: { tolerance: 1e-5, gain: 1e-3 },
    traced: 'hips',
    view: { yaw: 90, apart: 1, height: 2.15, middle: 0.05 },
    data: {
      duration: DURATION,
      intervals,
      reference: pose,
      locked: ['leftToes', 'rightToes', 'leftHand', 'rightHand'],
      terms: [
        { type: 'pose', name: 'stands', at: 0 },
        { type: 'velocity', name: 'at rest', at: 0 },
        { type: 'pose', name: 'stands again', at: DURATION },
        { type: 'velocity', name: 'at rest again', at: DURATION },
        ...feetOfJump(figure, jump, pose),
        { type: 'physics' },
        { type: 'effort', weight: 1e-3 },
        { type: 'smoothness', weight: 1e-3 },
      ],
    },
  };
}
