/** Editing of figures of another size: the same up to scale. */
import { describe, expect, test } from 'vitest';
import {
  cleanMotion,
  createTransition,
  detectContacts,
  editMotion,
  loopMotion,
} from '../../src/editing/index.js';
import { createState, type Figure, forwardKinematics, worldPoint } from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { createMotion, cubicSpline, type Motion } from '../../src/motion/index.js';
import { poseOf, sampleTimes } from './support.js';

const HEIGHT = 1.75;
const FEET = ['leftToes', 'rightToes'];

/** Two steps with noise in all joints, feet near the ground. */
function clipOf(figure: Figure, scale: number, seed: number): Motion {
  const times = sampleTimes(0, 2, 49);
  const values = times.flatMap((t, n) =>
    Array.from({ length: figure.dof }, (_, i) => {
      const wave = 0.03 * Math.sin(3 * t + 1.7 * i + seed) + 0.003 * Math.sin(11.3 * n * (i + 1) + seed);
      if (i < 3) return scale * (0.3 * wave + (i === 2 ? 0.4 * t : 0));
      return wave;
    }),
  );
  return createMotion(figure, { tracks: [{ coordinate: 0, curve: cubicSpline({ times, values }) }] });
}

function places(figure: Figure, motion: Motion): number[][] {
  const pose = poseOf(figure, motion);
  const state = createState(figure);
  return sampleTimes(motion.start, motion.end, 101).map((time) => {
    forwardKinematics(state, pose(time));
    return figure.bones.flatMap(({ index }) => worldPoint(state, index));
  });
}

/** What each work gives on a figure of a size: places of bones and numbers in lengths, as they are on a person. */
const WORKS: Readonly<Record<string, (figure: Figure, scale: number) => number[][]>> = {
  'detected contacts': (figure, scale) =>
    detectContacts(
      figure,
      clipOf(figure, scale, 1),
      FEET.map((bone) => ({ bone })),
    ).map(({ over }) => over.map((time) => scale * time)),
  'a loop with feet': (figure, scale) => {
    const contactPoints = FEET.map((bone) => ({ bone }));
    const { motion, contactError, velocityChange } = loopMotion(figure, clipOf(figure, scale, 1), {
      from: 0.3,
      to: 1.7,
      contactPoints,
    });
    return [...places(figure, motion), [contactError, velocityChange.change, velocityChange.speed]];
  },
  'a transition with feet': (figure, scale) => {
    const contactPoints = FEET.map((bone) => ({ bone }));
    const [a, b] = [clipOf(figure, scale, 1), clipOf(figure, scale, 2)];
    const { motion, contactError, velocityChange } = createTransition(figure, a, b, { contactPoints });
    return [...places(figure, motion), [contactError, velocityChange.change, velocityChange.speed]];
  },
  'an edit with pinned feet': (figure, scale) => {
    const { motion, solution, velocityChange } = editMotion(
      figure,
      clipOf(figure, scale, 1),
      [
        { at: 1, bone: 'rightHand', by: [0, 0.15 * scale, 0.1 * scale] },
        {
          at: 1,
          goal: { type: 'position', bone: 'head', target: [0, 1.4 * scale, 0.3 * scale] },
          weight: 10,
        },
      ],
      { pinned: FEET.map((bone) => ({ bone })), tolerance: 1e-9 * Math.min(1, scale) },
    );
    expect(solution.status).toBe('converged');
    // As distances between two poses whose pinned points are brought back, each to a millionth of a radian.
    return [...places(figure, motion), [velocityChange.change / 24, velocityChange.speed / 24]];
  },
  'a cleaned clip without physics': (figure, scale) => {
    const { motion, solution, velocityChange } = cleanMotion(figure, clipOf(figure, scale, 1), {
      physics: false,
      rate: 6,
      tolerance: 1e-9 * Math.min(1, scale),
      gain: 1e-9,
      contacts: FEET.map((bone) => ({ bone, points: [[0, 0, 0]], over: [0.5, 1] as const })),
    });
    expect(solution.status).toBe('converged');
    return [...places(figure, motion), [velocityChange.change, velocityChange.speed]];
  },
};

/** An edit ends where a step would lower its cost by less than a thousandth, with what that leaves of a shift by 0.18 m: there is no option for it. */
const within = (work: string): number => (work.startsWith('an edit') ? 5e-4 : 1e-5);

describe.each(Object.entries(WORKS))('%s', (name, work) => {
  const person = work(createHumanFigure({ height: HEIGHT }), 1);
  test.each([0.01, 100])('of a figure %s times as large is the same up to scale', (scale) => {
    const scaled = work(createHumanFigure({ height: scale * HEIGHT }), scale);
    expect(scaled).toHaveLength(person.length);
    const off = scaled.map((row, k) => Math.max(0, ...row.map((x, i) => Math.abs(x / scale - person[k][i]))));
    expect(Math.max(...off)).toBeLessThan(within(name));
  });
});
