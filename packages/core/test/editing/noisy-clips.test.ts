/** Clips with noise, cleaned: what is measured between the samples of the solve by the law of momentum alone. */
import { expect, test } from 'vitest';
import { cleanMotion } from '../../src/editing/index.js';
import {
  centerOfMass,
  createPose,
  createState,
  forwardKinematics,
  worldPoint,
} from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { createIk, solveIk } from '../../src/ik/index.js';
import { createMotion, linearCurve } from '../../src/motion/index.js';
import { sampleTrajectory } from '../../src/spacetime/index.js';
import { testRandom } from '../support/random-figure.js';
import { distance, sampleTimes } from './support.js';

const human = createHumanFigure();
const FEET = ['leftFoot', 'rightFoot'];
const state = createState(human);
const mass = human.bones.reduce((sum, bone) => sum + (bone.mass ?? 0), 0);
const WEIGHT = 9.81 * mass;

/** Hips this far down on flat feet. */
function squat(depth: number): Float64Array {
  const pose = createPose(human);
  forwardKinematics(state, pose);
  const at = (bone: string): number[] => worldPoint(state, bone);
  const goals = FEET.flatMap((bone) => [
    { type: 'position', bone, target: at(bone) } as const,
    { type: 'orientation', bone, target: [0, 0, 0, 1] } as const,
  ]);
  const hips = {
    type: 'position',
    bone: 'hips',
    target: [0, at('hips')[1] - depth, 0],
    mask: [0, 1, 0],
  } as const;
  const balance = { type: 'center-of-mass', target: [0, 1, 0.03], mask: [1, 0, 1] } as const;
  solveIk(createIk(human, [...goals, hips, balance, { type: 'posture' }]), pose);
  return pose;
}

const [low, high] = [squat(0.2), squat(0.06)];

/** A squat of a second at 30 frames a second with noise in every coordinate, rad and m. */
function noisySquat(noise: number, seed: number) {
  const random = testRandom(seed);
  const times = sampleTimes(0, 1, 31);
  const values = times.flatMap((t) => {
    const w = 0.5 - 0.5 * Math.cos(2 * Math.PI * t);
    return Array.from(high, (x, i) => x + (low[i] - x) * w + noise * (2 * random() - 1));
  });
  return createMotion(human, { tracks: [{ coordinate: 0, curve: linearCurve({ times, values }) }] });
}

test.each([
  [0.1, 12],
  [0.57, 34],
  [1, 56],
])('%s degrees of noise: no force at the root, soles that stay, no fall', (degrees, seed) => {
  const clip = noisySquat((degrees * Math.PI) / 180, seed);
  const { solution, contacts } = cleanMotion(human, clip);
  expect(solution.status).toBe('converged');
  expect(contacts.map(({ over }) => over)).toEqual(
    FEET.flatMap(() => [
      [0, 1],
      [0, 1],
    ]),
  );
  const { trajectory } = solution;
  const centerAt = (time: number): number[] => {
    forwardKinematics(state, sampleTrajectory(trajectory, time).pose);
    return centerOfMass(state);
  };
  const h = 1e-3;
  const places = new Map<string, number[]>();
  let largest = 0;
  for (const time of sampleTimes(h, 1 - h, 241)) {
    // m a = m g + contact forces + what the root is pushed by.
    const [a, b, c] = [time - h, time, time + h].map(centerAt);
    const { pose, forces } = sampleTrajectory(trajectory, time);
    const push = [0, 1, 2].map((r) => {
      let force = mass * ((a[r] - 2 * b[r] + c[r]) / (h * h) + (r === 1 ? 9.81 : 0));
      for (let k = r; k < forces.length; k += 3) force -= forces[k];
      return force;
    });
    largest = Math.max(largest, Math.hypot(...push));
    expect(Math.hypot(...push)).toBeLessThan(0.05 * WEIGHT);
    const t = 0.5 - 0.5 * Math.cos(2 * Math.PI * time);
    expect(Math.abs(pose[1] - high[1] - (low[1] - high[1]) * t)).toBeLessThan(0.03);
    forwardKinematics(state, pose);
    contacts.forEach(({ bone, points }, n) => {
      points.forEach((point, k) => {
        const here = worldPoint(state, bone, point);
        const place = places.get(`${n} ${k}`) ?? here;
        places.set(`${n} ${k}`, place);
        expect(distance(here, place)).toBeLessThan(2e-3);
      });
    });
  }
  // The solution says as much, to the accuracy of the differences here.
  const said = solution.intersample.find(({ type, unit }) => type === 'physics' && unit === 'N');
  expect(said?.violation).toBeGreaterThan(0.8 * largest - 1e-3 * WEIGHT);
  expect(said?.violation).toBeLessThan(1.2 * largest + 1e-3 * WEIGHT);
  expect(solution.warnings).toEqual([]);
});

test('a solution with too few knots says by how much it is off between keys, and where', () => {
  const clip = noisySquat((3 * Math.PI) / 180, 78);
  const contacts = FEET.map((bone) => ({
    bone,
    points: [[0, -0.05, 0]] as const,
    over: [0.1, 0.9] as const,
  }));
  const options = { rate: 5, contacts, maxIterations: 20 } as const;
  const { solution } = cleanMotion(human, clip, { ...options, maxRefinements: 0 });
  const [worst] = solution.intersample;
  expect(solution.status).not.toBe('converged');
  expect(worst.violation).toBeGreaterThan(worst.tolerance);
  expect(solution.warnings[0]).toMatch(/^Between keys .* up to .*, at \d\.\d\d s\.$/);
});
