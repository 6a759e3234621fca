import { createHumanFigure } from 'poise/humanoid';
import type { SpacetimeExample } from './example.js';
import { standingPose } from './human-stance.js';

/** Release point of the hand, m, and its velocity there, m/s. */
const RELEASE = [-0.45, 1.42, 0.34] as const;
const VELOCITY = [0.8, 1, 3.5] as const;
/** Release time, s, and time to come to rest afterwards, s. */
const AT = 0.7;
const DURATION = 1.2;
/** Time between the two position goals that define the velocity, s. */
const APART = 0.02;

/**
 * Trunk and right arm of a human throw: the hand passes a point with a velocity. There is no term for the velocity of a point, so the hand is constrained
 * to two points, half of 0.02 s of that velocity before and after: of a motion four times differentiable the difference is the velocity to
 * within 0.02^2 / 24 of its second derivative. Hips and legs are fixed.
 */
export function throwing(intervals = 30): SpacetimeExample {
  const figure = createHumanFigure();
  const pose = standingPose(figure);
  const arm = ['rightShoulder', 'rightUpperArm', 'rightLowerArm', 'rightHand'];
  const trunk = ['spine', 'chest', 'upperChest'];
  const moving = new Set([...trunk, ...arm]);
  const pointAt = (share: number): [number, number, number] => [
    RELEASE[0] + share * APART * VELOCITY[0],
    RELEASE[1] + share * APART * VELOCITY[1],
    RELEASE[2] + share * APART * VELOCITY[2],
  ];
  return {
    name: 'throw',
    title: 'Throw',
    figure,
    about: `A human throws: its right hand passes a point at ${Math.hypot(...VELOCITY).toFixed(1)} m/s with the least effort of trunk and arm.`,
    options: { tolerance: 1e-6, gain: 1e-4 },
    traced: 'rightHand',
    view: { yaw: 90, apart: 1.3, height: 1.95, middle: 0.1 },
    marks: [[RELEASE[0], RELEASE[1], RELEASE[2]]],
    data: {
      duration: DURATION,
      intervals,
      reference: pose,
      locked: figure.bones.map(({ name }) => name).filter((name) => !moving.has(name)),
      terms: [
        { type: 'pose', name: 'stands', at: 0 },
        { type: 'velocity', name: 'at rest', at: 0 },
        {
          type: 'goal',
          name: 'release',
          at: AT - APART / 2,
          goal: { type: 'position', bone: 'rightHand', target: pointAt(-0.5) },
        },
        {
          type: 'goal',
          name: 'velocity',
          at: AT + APART / 2,
          goal: { type: 'position', bone: 'rightHand', target: pointAt(0.5) },
        },
        // A soft goal, so that the arm may swing on within its limits.
        { type: 'velocity', name: 'nearly at rest', at: DURATION, weight: 1 },
        { type: 'effort', weight: 1e-2 },
        { type: 'smoothness', weight: 1e-3 },
      ],
    },
  };
}
