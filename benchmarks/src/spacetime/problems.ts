/** What is timed: motions of the built-in human that grow in length, and its jump. */

import { findFootPoints } from 'poise/dynamics';
import {
  createFigure,
  createPose,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
} from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createIk, type Goal, solveIk } from 'poise/ik';
import type { SpacetimeData, SpacetimeTerm } from 'poise/spacetime';

export interface TimedProblem {
  readonly name: string;
  readonly figure: Figure;
  readonly data: SpacetimeData;
}

const FEET = ['leftFoot', 'rightFoot'] as const;
/** They change nothing of how the body moves. */
const LOCKED = ['leftToes', 'rightToes', 'leftHand', 'rightHand'];
/** Knot intervals a second: with the ends 60 control points in two seconds. */
const INTERVALS = 22;

/** The human with ankles that bend up by 20 degrees, as when these problems were first timed: times are of one problem. */
function timedHuman(): Figure {
  const data = figureToData(createHumanFigure());
  return createFigure({
    ...data,
    bones: data.bones.map((bone) => {
      const { limit } = bone;
      if (!FEET.some((name) => name === bone.name) || limit?.type !== 'quad-ellipse') return bone;
      return { ...bone, limit: { ...limit, s: [limit.s[0], (20 * Math.PI) / 180] } };
    }),
  });
}

/** The human with bent knees, feet where they are at rest, hips lower by `depth` m, its centre of mass above its feet. */
function crouch(figure: Figure, depth: number): Float64Array {
  const pose = createPose(figure);
  const state = createState(figure);
  forwardKinematics(state, pose);
  const place = (name: string): [number, number, number] => {
    const o = 12 * figure.bones.findIndex((bone) => bone.name === name) + 9;
    const [x, y, z] = state.worldFromBone.slice(o, o + 3);
    return [x, y, z];
  };
  const [, height] = place('hips');
  const goals: Goal[] = FEET.flatMap((bone): Goal[] => [
    { type: 'position', bone, target: place(bone) },
    { type: 'orientation', bone, target: [0, 0, 0, 1] },
  ]);
  goals.push(
    { type: 'position', bone: 'hips', target: [0, height - depth, 0], mask: [0, 1, 0] },
    { type: 'center-of-mass', target: [0, 1, 0.03], mask: [1, 0, 1] },
    { type: 'posture' },
  );
  solveIk(createIk(figure, goals), pose);
  return pose;
}

/** Balls and heels of both feet on the ground over a span. */
function standing(
  figure: Figure,
  over: readonly [number, number],
  which: 'heels' | 'balls' | 'soles',
): SpacetimeTerm[] {
  return FEET.map((bone) => {
    const points = findFootPoints(figure, bone);
    const chosen = which === 'heels' ? points.slice(0, 2) : which === 'balls' ? points.slice(2) : points;
    return { type: 'contact', bone, points: chosen, over };
  });
}

const restAt = (at: number): SpacetimeTerm[] => [
  { type: 'pose', at },
  { type: 'velocity', at },
];

/** Stands and lowers and raises its hips once a second, on its feet, by its own forces. */
export function kneeBends(seconds: number): TimedProblem {
  const figure = timedHuman();
  const low = crouch(figure, 0.2);
  return {
    name: `knee bends, ${seconds} s`,
    figure,
    data: {
      duration: seconds,
      intervals: Math.round(INTERVALS * seconds),
      reference: crouch(figure, 0.08),
      locked: LOCKED,
      terms: [
        ...restAt(0),
        ...restAt(seconds),
        ...standing(figure, [0, seconds], 'soles'),
        ...Array.from(
          { length: seconds },
          (_, k): SpacetimeTerm => ({
            type: 'pose',
            at: k + 0.5,
            pose: low,
            bones: ['leftLowerLeg', 'rightLowerLeg'],
            weight: 10,
          }),
        ),
        { type: 'physics' },
        { type: 'effort', weight: 1e-3 },
        { type: 'smoothness', order: 2, weight: 1e-3 },
      ],
    },
  };
}

/** Two seconds: from a stance up and back into it, 0.4 s off the ground; begins at the stance itself. */
export function jump(): TimedProblem {
  const figure = timedHuman();
  // At knots, as the other ends of contacts.
  const heelsOff = (18 * 2) / 55;
  const off = 0.8;
  const on = 1.2;
  const duration = 2;
  return {
    name: 'standing jump, 2 s',
    figure,
    data: {
      duration,
      intervals: Math.round(INTERVALS * duration),
      reference: crouch(figure, 0.08),
      locked: LOCKED,
      terms: [
        ...restAt(0),
        ...restAt(duration),
        ...standing(figure, [0, heelsOff], 'heels'),
        ...standing(figure, [0, off], 'balls'),
        ...standing(figure, [on, duration], 'balls'),
        ...standing(figure, [duration - heelsOff, duration], 'heels'),
        { type: 'physics' },
        { type: 'effort', weight: 1e-3 },
        { type: 'smoothness', order: 2, weight: 1e-3 },
      ],
    },
  };
}
