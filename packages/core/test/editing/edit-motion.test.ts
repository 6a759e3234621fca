import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editMotion } from '../../src/editing/index.js';
import { clampToLimits, createFigure, createPose, limitViolation } from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { createMotion, cubicSpline, linearCurve, type Motion } from '../../src/motion/index.js';
import { poseOf, sampleTimes } from './support.js';

const slide = createFigure({
  name: 'slide',
  bones: [{ name: 'cart', joint: { type: 'slider', axis: [1, 0, 0] } }],
});

/** A clip of the slide with a key every 20 ms and a wiggle that no displacement can hold. */
const wiggling = createMotion(slide, {
  tracks: [
    {
      bone: 'cart',
      keys: {
        times: sampleTimes(0, 6, 301),
        values: sampleTimes(0, 6, 301).map((t) => 0.3 * Math.sin(t) + 0.02 * Math.sin(37 * t)),
      },
    },
  ],
});

describe('on one slider', () => {
  test('the displacement minimizes the integral of d^2 + T^4 d"^2 through the goal', () => {
    // Of the whole line: d = h exp(-s) (cos s + sin s), s = |t| / (sqrt(2) T), which solves T^4 d'''' + d = 0 with d', d continuous at 0.
    const decay = 0.25;
    const { motion, solution } = editMotion(slide, wiggling, [{ at: 3, bone: 'cart', by: [0.2, 0, 0] }], {
      spacing: 0.05,
      decay,
      reach: 2.5,
    });
    expect(solution.status).toBe('converged');
    const before = poseOf(slide, wiggling);
    const after = poseOf(slide, motion);
    for (const t of sampleTimes(1, 5, 401)) {
      const s = Math.abs(t - 3) / (Math.SQRT2 * decay);
      const expected = 0.2 * Math.exp(-s) * (Math.cos(s) + Math.sin(s));
      expect(Math.abs(after(t)[0] - before(t)[0] - expected)).toBeLessThan(2e-4);
    }
  });

  test('long pieces are split, and the rest of the track is unchanged', () => {
    const sparse = createMotion(slide, {
      tracks: [{ bone: 'cart', curve: linearCurve({ times: [0, 4, 10], values: [0, 1, 0] }) }],
    });
    const { motion } = editMotion(slide, sparse, [{ at: 2, bone: 'cart', by: [0.1, 0, 0] }]);
    const before = poseOf(slide, sparse);
    const after = poseOf(slide, motion);
    expect(after(2)[0] - before(2)[0]).toBeCloseTo(0.1, 7);
    for (const t of [0, 0.5, 0.99, 3.01, 4, 7, 10]) expect(after(t)[0]).toBeCloseTo(before(t)[0], 14);
    // The displacement is a bump without a wiggle of its own.
    const change = sampleTimes(1, 2, 200).map((t) => after(t)[0] - before(t)[0]);
    for (let k = 1; k < change.length; k++) expect(change[k]).toBeGreaterThan(change[k - 1] - 5e-3);
  });

  test('coordinates without a track get one', () => {
    const two = createFigure({
      bones: [
        { name: 'x', joint: { type: 'slider', axis: [1, 0, 0] } },
        { name: 'y', parent: 'x', joint: { type: 'slider', axis: [0, 1, 0] } },
      ],
    });
    const clip = createMotion(two, {
      tracks: [{ bone: 'x', keys: { times: [0, 1, 2], values: [0, 1, 2] } }],
      base: [0, 0.5],
    });
    const { motion } = editMotion(two, clip, [{ at: 1, bone: 'y', by: [0, 0.25, 0] }], { spacing: 0.1 });
    expect(poseOf(two, motion)(1)[1]).toBeCloseTo(0.75, 7);
    expect(poseOf(two, motion)(0)).toEqual(poseOf(two, clip)(0));
  });

  test('an edit over a span shifts a point by a constant, and preserves its path', () => {
    const { motion, solution } = editMotion(slide, wiggling, [{ at: [2, 4], bone: 'cart', by: [0.1, 0, 0] }]);
    expect(solution.status).toBe('converged');
    const before = poseOf(slide, wiggling);
    const after = poseOf(slide, motion);
    for (const t of sampleTimes(2, 4, 101))
      expect(Math.abs(after(t)[0] - before(t)[0] - 0.1)).toBeLessThan(5e-3);
  });

  test('distant edits have separate windows, and the clip between is unchanged to the bit', () => {
    const { motion, windows } = editMotion(slide, wiggling, [
      { at: 5, bone: 'cart', by: [0.1, 0, 0] },
      { at: 1, bone: 'cart', by: [-0.1, 0, 0] },
    ]);
    expect(windows.map(({ from, to }) => [from, to])).toEqual([
      [0, 2],
      [4, 6],
    ]);
    const before = poseOf(slide, wiggling);
    const after = poseOf(slide, motion);
    for (const t of sampleTimes(2, 4, 57)) expect(after(t)[0]).toBe(before(t)[0]);
    expect(after(1)[0] - before(1)[0]).toBeCloseTo(-0.1, 7);
    expect(after(5)[0] - before(5)[0]).toBeCloseTo(0.1, 7);
  });

  test('at the end of the clip the displacement is free', () => {
    const { motion } = editMotion(slide, wiggling, [{ at: 6, bone: 'cart', by: [0.1, 0, 0] }]);
    expect(poseOf(slide, motion)(6)[0] - poseOf(slide, wiggling)(6)[0]).toBeCloseTo(0.1, 7);
    expect(motion.end).toBe(wiggling.end);
  });

  test.each([
    [[], 'edits'],
    [[{ at: 7, bone: 'cart', by: [1, 0, 0] }], 'edits[0].at'],
    [[{ at: Number.NaN, bone: 'cart', by: [1, 0, 0] }], 'edits[0].at'],
    [[{ at: [2, 1], bone: 'cart', by: [1, 0, 0] }], 'edits[0].at'],
    [[{ at: [2, 9], bone: 'cart', by: [1, 0, 0] }], 'edits[0].at[1]'],
  ] as const)('refuses %j', (edits, path) => {
    expect(() => editMotion(slide, wiggling, edits as never)).toThrow(
      expect.objectContaining({ name: 'MotionError', path }),
    );
  });

  test('rejects unknown bones and invalid times', () => {
    const edit = { at: 2, bone: 'cart', by: [0.1, 0, 0] } as const;
    expect(() => editMotion(slide, wiggling, [{ ...edit, bone: 'chart' }])).toThrow('cart');
    expect(() => editMotion(slide, wiggling, [edit], { spacing: 0 })).toThrow('options.spacing');
    expect(() => editMotion(slide, wiggling, [edit], { reach: -1 })).toThrow('options.reach');
    expect(() => editMotion(slide, wiggling, [edit], { bones: ['chart'] })).toThrow('cart');
    const goal = { type: 'position', bone: 'cart', target: [Number.NaN, 0, 0] } as const;
    expect(() => editMotion(slide, wiggling, [edit, { at: 2, goal }])).toThrow(
      expect.objectContaining({ name: 'GoalError', path: expect.stringContaining('edits[1].goal') }),
    );
    const aim = { type: 'aim', bone: 'cart' } as never;
    expect(() => editMotion(slide, wiggling, [{ at: 2, goal: aim }])).toThrow('edits[0].goal.type');
  });
});

test('a straight arm that twists about itself does not swing the offset of its hand', () => {
  const arm = createFigure({
    bones: [
      { name: 'upper arm', joint: { type: 'ball' } },
      {
        name: 'forearm',
        parent: 'upper arm',
        joint: { type: 'hinge', axis: [0, 0, 1] },
        rest: { position: [0.3, 0, 0] },
      },
      { name: 'hand', parent: 'forearm', rest: { position: [0.3, 0, 0] } },
    ],
  });
  // At 20 rad/s; the elbow, bent by 0.2 rad, makes it 1.2 m/s of the hand.
  const times = sampleTimes(0, 2, 81);
  const twisting = createMotion(arm, {
    tracks: [
      { bone: 'upper arm', keys: { times, values: times.flatMap((t) => [2 * Math.sin(10 * t), 0, 0]) } },
    ],
    base: [0, 0, 0, 0.2],
  });
  const { solution, velocityChange } = editMotion(arm, twisting, [
    { at: 1, bone: 'hand', by: [-0.05, 0.2, 0.1] },
  ]);
  expect(solution.status).toBe('converged');
  // 4.4 m/s where the offset turns with the arm. The displacement of 0.23 m alone takes 0.42 m/s.
  expect(velocityChange.change).toBeLessThan(1);
});

describe('within limits', () => {
  const human = createHumanFigure();
  const inside = createPose(human);
  const clipOf = (amplitude: number, phase: number): Motion => {
    const times = sampleTimes(0, 4, 121);
    const values = times.flatMap((t) => {
      const pose = Float64Array.from(inside, (x, i) => x + amplitude * Math.sin(1.5 * t + i + phase));
      clampToLimits(human, pose);
      return Array.from(pose);
    });
    return createMotion(human, { tracks: [{ coordinate: 0, curve: linearCurve({ times, values }) }] });
  };

  test('an edit keeps the limits at all times, whether its goals are met or not', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.05, max: 0.3, noNaN: true }),
        fc.double({ min: 0, max: 6, noNaN: true }),
        fc.array(fc.double({ min: -0.4, max: 0.4, noNaN: true }), { minLength: 3, maxLength: 3 }),
        (amplitude, phase, by) => {
          const clip = clipOf(amplitude, phase);
          const { motion } = editMotion(human, clip, [
            { at: 2, bone: 'rightHand', by: by as [number, number, number] },
          ]);
          const pose = poseOf(human, motion);
          for (const t of sampleTimes(0.9, 3.1, 700)) {
            expect(limitViolation(human, pose(t))).toBeLessThan(1e-9);
          }
        },
      ),
      { numRuns: 12 },
    );
  });

  test('a clip outside its limits violates them no farther', () => {
    const hinge = createFigure({
      bones: [
        {
          name: 'arm',
          joint: { type: 'hinge', axis: [0, 0, 1] },
          limit: { type: 'interval', min: -1, max: 1 },
          tip: [1, 0, 0],
        },
      ],
    });
    const times = sampleTimes(0, 4, 81);
    const clip = createMotion(hinge, {
      tracks: [{ bone: 'arm', curve: cubicSpline({ times, values: times.map((t) => 1.2 * Math.sin(t)) }) }],
    });
    const value = 0.95;
    const { motion, solution } = editMotion(hinge, clip, [
      { at: 2.4, goal: { type: 'joint-value', bone: 'arm', value } },
    ]);
    expect(solution.status).toBe('converged');
    const before = poseOf(hinge, clip);
    const after = poseOf(hinge, motion);
    expect(after(2.4)[0]).toBeCloseTo(value, 6);
    // Outside the limit it is the clip's Bezier points that say how far; those of a cubic lie this near to it.
    for (const t of sampleTimes(0, 4, 2001)) {
      expect(after(t)[0]).toBeLessThanOrEqual(Math.max(1, before(t)[0]) + 2e-3);
    }
  });
});
