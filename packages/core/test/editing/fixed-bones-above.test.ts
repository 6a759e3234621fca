/** Rigs from files have fixed bones above their free joint (`Armature`): the answers are those of the same figure without them. */
import { describe, expect, test } from 'vitest';
import { createDynamics, createIntegrator, createRagdoll, stepIntegrator } from '../../src/dynamics/index.js';
import { cleanMotion, createTransition, loopMotion, makePhysical } from '../../src/editing/index.js';
import { boneIndex, createFigure, createPose, type Figure } from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { createMarkerTracker, initializeMarkers } from '../../src/ik/index.js';
import { createMotion, cubicSpline, type Motion } from '../../src/motion/index.js';
import { createSpacetimeProblem, sampleTrajectory, solveSpacetime } from '../../src/spacetime/index.js';
import { laboratoryMarkers, positionsOf } from '../ik/markers/support.js';
import { belowFixedBones, pointOf, poseOf, sampleTimes } from './support.js';

const human = createHumanFigure();
/** Without a frame of its own: the same to the last bit. Placed and rotated as by exporters with +Z up: to rounding. */
const IDENTITY = [
  [0, 0, 0],
  [0, 0, 0],
] as const;
const PLACED = [
  [-Math.PI / 2, 0, 0],
  [0.3, 0.1, -0.2],
] as const;
const UNDER = belowFixedBones(human, IDENTITY);
const PLACED_UNDER = belowFixedBones(human, PLACED);
const SIDES = ['left', 'right'] as const;

function squat(knees: number): Float64Array {
  const pose = createPose(human);
  const set = (bone: string, angle: number, axis = 0): void => {
    pose[human.bones[boneIndex(human, bone)].coordinate + axis] = angle;
  };
  for (const side of SIDES) {
    set(`${side}UpperArm`, -1.3, 1);
    set(`${side}LowerLeg`, knees);
    set(`${side}UpperLeg`, 0.6 * knees);
    set(`${side}Foot`, 0.4 * knees);
  }
  pose[1] = -0.12 * knees * knees;
  return pose;
}

const keys = { times: [0, 0.4, 0.8], poses: [squat(0), squat(0.7), squat(0)] };
const clip = (figure: Figure): Motion =>
  createMotion(figure, {
    name: 'squat',
    tracks: [
      {
        coordinate: 0,
        curve: cubicSpline({ times: keys.times, values: keys.poses.flatMap((pose) => Array.from(pose)) }),
      },
    ],
  });

function posesOf(figure: Figure, motion: Motion): number[][] {
  const pose = poseOf(figure, motion);
  return sampleTimes(motion.start, motion.end, 13).map((time) => Array.from(pose(time)));
}

function farthest(a: readonly number[][], b: readonly number[][]): number {
  return Math.max(...a.map((row, k) => Math.max(...row.map((x, i) => Math.abs(x - b[k][i])))));
}

const brief = { rate: 8, maxIterations: 4 };

describe('a free joint below fixed bones is the free root', () => {
  // In a flight the moments of momentum are about another origin, and costs are flat: stiff constraints
  // amplify rounding to 1.0e-7, and to 1.3e-7 with frames of their own, in four steps. Else the same bits come out, and 5e-11 with frames of their own.
  test.each([
    ['makePhysical', 0, 1e-9, (figure: Figure) => makePhysical(figure, keys, brief)],
    [
      'makePhysical, a flight',
      2e-7,
      2e-7,
      (figure: Figure) => makePhysical(figure, keys, { ...brief, contacts: [] }),
    ],
    ['cleanMotion', 0, 1e-9, (figure: Figure) => cleanMotion(figure, clip(figure), brief)],
  ])('%s', (_, tolerance, placedTolerance, run) => {
    const wanted = run(human);
    const found = run(UNDER);
    expect(found.contacts).toEqual(wanted.contacts);
    expect(farthest(posesOf(UNDER, found.motion), posesOf(human, wanted.motion))).toBeLessThanOrEqual(
      tolerance,
    );
    // Rounding of the frames, through a few steps.
    const placed = run(PLACED_UNDER);
    expect(placed.contacts.map(({ bone, over }) => [bone, over])).toEqual(
      wanted.contacts.map(({ bone, over }) => [bone, over]),
    );
    expect(farthest(posesOf(PLACED_UNDER, placed.motion), posesOf(human, wanted.motion))).toBeLessThan(
      placedTolerance,
    );
  });

  test('nothing holds the root of a solved motion', () => {
    const still = { times: [0, 0.5], poses: [squat(0), squat(0)] };
    const { solution, contacts } = makePhysical(PLACED_UNDER, still, { rate: 10 });
    expect(solution.status).toBe('converged');
    expect(contacts).toHaveLength(4);
    for (const time of sampleTimes(0, 0.5, 6)) {
      const { torques } = sampleTrajectory(solution.trajectory, time);
      // N and N m of 724 N of weight.
      expect(Math.max(...torques.subarray(0, 6).map(Math.abs))).toBeLessThan(0.5);
    }
  });

  test('a transition and a loop move it along the ground', () => {
    const walk = (figure: Figure, heading: number): Motion => {
      const times = sampleTimes(0, 2, 9);
      const values = times.flatMap((t) =>
        Array.from(
          squat(0.2 * Math.sin(3 * t)),
          (x, i) => x + (i === 2 ? t : i === 4 ? heading + 0.1 * t : 0),
        ),
      );
      return createMotion(figure, { tracks: [{ coordinate: 0, curve: cubicSpline({ times, values }) }] });
    };
    const run = (figure: Figure) => [
      createTransition(figure, walk(figure, 0), walk(figure, 0.7), { duration: 0.5 }),
      loopMotion(figure, walk(figure, 0.4)),
    ];
    const wanted = run(human);
    run(UNDER).forEach(({ motion, transform }, k) => {
      expect(transform).toEqual(wanted[k].transform);
      expect(posesOf(UNDER, motion)).toEqual(posesOf(human, wanted[k].motion));
    });
    run(PLACED_UNDER).forEach(({ motion, transform }, k) => {
      expect(transform.angle).toBeCloseTo(wanted[k].transform.angle, 12);
      expect(
        farthest(
          sampleTimes(motion.start, motion.end, 9).map(pointOf(PLACED_UNDER, motion, 'leftHand')),
          sampleTimes(motion.start, motion.end, 9).map(pointOf(human, wanted[k].motion, 'leftHand')),
        ),
      ).toBeLessThan(1e-12);
    });
  });

  test('a periodic motion travels by it', () => {
    const box = createFigure({
      bones: [{ name: 'box', joint: { type: 'free' }, mass: 3, inertia: [0.1, 0.1, 0.1, 0, 0, 0] }],
    });
    const run = (figure: Figure) =>
      solveSpacetime(
        createSpacetimeProblem(figure, {
          duration: 1,
          intervals: 6,
          terms: [
            { type: 'periodic', travel: [0.5, 0, 0] },
            { type: 'pose', at: 0, pose: new Float64Array(6) },
            { type: 'smoothness' },
          ],
        }),
      ).trajectory;
    expect(Array.from(sampleTrajectory(run(belowFixedBones(box, IDENTITY)), 0.3).pose)).toEqual(
      Array.from(sampleTrajectory(run(box), 0.3).pose),
    );
  });

  test('the passive damping of a ragdoll counts the rest of the body', () => {
    const wanted = createRagdoll(human).damping;
    expect(createRagdoll(UNDER).damping).toEqual(wanted);
    createRagdoll(PLACED_UNDER).damping.forEach((x, i) => {
      expect(x).toBeCloseTo(wanted[i], 10);
    });
  });

  test('the implicit midpoint rule keeps its momentum', () => {
    const run = (figure: Figure) => {
      const state = {
        time: 0,
        pose: squat(0.5),
        velocity: Float64Array.from(squat(0), (_, i) => Math.sin(i)),
      };
      const integrator = createIntegrator(createDynamics(figure), {
        method: 'midpoint',
        step: 0.01,
      });
      for (let k = 0; k < 20; k++) stepIntegrator(integrator, state, 0.01);
      return Array.from(state.pose);
    };
    expect(run(UNDER)).toEqual(run(human));
  });

  test('markers find it anywhere', () => {
    const pose = squat(0.4);
    pose.set([3, 0.2, -2, 0.3, 2.6, -0.4]);
    const positions = positionsOf(human, laboratoryMarkers, pose);
    for (const figure of [human, UNDER, PLACED_UNDER]) {
      const found = createPose(figure);
      const { rms } = initializeMarkers(createMarkerTracker(figure, laboratoryMarkers), positions, found);
      expect(rms).toBeLessThan(1e-9);
      expect(farthest([Array.from(found)], [Array.from(pose)])).toBeLessThan(1e-6);
    }
  });
});
