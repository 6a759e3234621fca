import { Quaternion, Vector3 } from 'three';
import { describe, expect, test } from 'vitest';
import { createDynamics, inverseDynamics } from '../../src/dynamics/index.js';
import { SpacetimeError } from '../../src/errors.js';
import { createFigure, type Figure } from '../../src/figure/index.js';
import { rotationVectors } from '../../src/figure/model/regularize.js';
import type { Numbers } from '../../src/math/linear/types.js';
import { bSplineCurve, uniformKnots } from '../../src/motion/curves/index.js';
import { createMotion, type Motion } from '../../src/motion/motion.js';
import { evaluateCurve } from '../../src/motion/representation/curve.js';
import { createMotionSampler, samplePose } from '../../src/motion/sampler.js';
import { createSpacetimeProblem, type SpacetimeProblem } from '../../src/spacetime/problem.js';
import { collocationPointAt } from '../../src/spacetime/system/collocation-points.js';
import { createTrajectory, sampleTrajectory, trajectoryMotion } from '../../src/spacetime/trajectory.js';
import { createStateSample, evaluateStateSample } from '../../src/spacetime/transcription/state-sample.js';
import { createRandom, derivative, expectClose } from '../figure/support.js';
import { crane, DURATION, FORMS, randomUnknowns, sweeping, swimmer } from './support-problems.js';

const INTERVALS = 6;

function quaternion(v: Numbers, i = 0): Quaternion {
  const axis = new Vector3(v[i], v[i + 1], v[i + 2]);
  const angle = axis.length();
  return angle === 0 ? new Quaternion() : new Quaternion().setFromAxisAngle(axis.divideScalar(angle), angle);
}

/** From one pose to another as joint velocities would go there in a second: differences, of rotation vectors log(R^-1 R'). */
function displacement(figure: Figure, from: Numbers, to: Numbers): Float64Array {
  const out = Float64Array.from(from, (q, i) => to[i] - q);
  for (const i of rotationVectors(figure)) {
    const rotation = quaternion(from, i).invert().multiply(quaternion(to, i));
    const { x, y, z, w } = rotation;
    const length = Math.hypot(x, y, z);
    const scale = length === 0 ? 2 : (2 * Math.atan2(length, Math.abs(w))) / (w < 0 ? -length : length);
    out.set([scale * x, scale * y, scale * z], i);
  }
  return out;
}

/** State at a nominal time, as the rows of a problem evaluate it. */
function realTime(problem: SpacetimeProblem, unknowns: Float64Array, nominal: number) {
  const { system, reference, contacts } = problem;
  const points = contacts.reduce((sum, contact) => sum + contact.points.length, 0);
  const sample = createStateSample(system.parameterization, points);
  evaluateStateSample(
    sample,
    collocationPointAt({ parameterization: system.parameterization, reference, contacts }, nominal),
    system.indices,
    unknowns,
  );
  return sample;
}

function cases() {
  return FORMS.map((form, n) => {
    const random = createRandom(9200 + n);
    const figure = n % 2 === 0 ? swimmer(random, n % 4 === 0) : crane(random, n % 4 === 1);
    const problem = createSpacetimeProblem(figure, {
      ...form.data,
      intervals: INTERVALS,
      reference: sweeping(figure, DURATION, random),
      terms: [
        { type: 'smoothness' },
        { type: 'contact', bone: 'bone2', points: [[0.1, 0, 0]], over: [0.2, 0.7] },
      ],
    });
    return [form.name, { problem, unknowns: randomUnknowns(problem, random), random }] as const;
  });
}

/** Nominal times in all knot intervals, away from their ends. */
const MOMENTS = Array.from({ length: 2 * INTERVALS }, (_, k) => ((k + 0.45) * DURATION) / (2 * INTERVALS));

describe('a trajectory', () => {
  test.each(cases())('evaluates its splines: %s', (_, { problem, unknowns }) => {
    const { figure, system, reference } = problem;
    const { free, basis, rotations } = system.parameterization;
    const trajectory = createTrajectory(problem, unknowns);
    const curve = bSplineCurve({
      size: free.length,
      points: Array.from(system.indices.motion, (id) => unknowns[id]),
      knots: Array.from(basis.knots),
      degree: basis.degree,
    });
    for (const nominal of MOMENTS) {
      const { time } = realTime(problem, unknowns, nominal);
      const { pose } = sampleTrajectory(trajectory, time);
      const { value } = evaluateCurve(curve, nominal);
      const expected = new Float64Array(figure.dof);
      const { pose: base, rotations: origins } = reference(nominal);
      free.forEach((i, c) => {
        expected[i] = value[c] + (problem.data.unknowns === 'displacement' ? base[i] : 0);
      });
      for (const [b, { coordinate: i, displaced }] of rotations.entries()) {
        const d = value.slice(free.indexOf(i), free.indexOf(i) + 3);
        const origin = new Quaternion().fromArray(Array.from(origins[b].quaternion));
        const rotated = {
          bone: () => origin.multiply(quaternion(d)),
          parent: () => origin.premultiply(quaternion(d)),
          none: () => quaternion(d),
        }[displaced ?? 'none']();
        expect(rotated.angleTo(quaternion(pose, i))).toBeLessThan(1e-7);
        for (let k = 0; k < 3; k++) expected[i + k] = pose[i + k];
      }
      expectClose(pose, expected, 1e-11, 'pose');
    }
  });

  test.each(cases())('has velocities of its poses in real time: %s', (_, { problem, unknowns }) => {
    const { figure } = problem;
    const trajectory = createTrajectory(problem, unknowns);
    const step = 1e-3 * trajectory.duration;
    for (const nominal of MOMENTS) {
      const { time } = realTime(problem, unknowns, nominal);
      const { pose, velocity, acceleration } = sampleTrajectory(trajectory, time);
      const moved = derivative(
        (h) => displacement(figure, pose, sampleTrajectory(trajectory, time + h).pose),
        step,
      );
      const scale = Math.max(1, ...velocity.map(Math.abs));
      expectClose(velocity, moved, 1e-9 * scale, 'velocity');
      const changed = derivative((h) => sampleTrajectory(trajectory, time + h).velocity, step);
      const max = Math.max(1, ...acceleration.map(Math.abs));
      expectClose(acceleration, changed, 1e-8 * max, 'acceleration');
    }
  });

  test.each(cases())('agrees with the time of its rows: %s', (_, { problem, unknowns }) => {
    const trajectory = createTrajectory(problem, unknowns);
    const timeScaling = Array.from(problem.system.indices.timeScaling, (id) => unknowns[id]);
    const max = Math.max(1, ...timeScaling) * DURATION;
    const min = Math.min(1, ...timeScaling) * DURATION;
    expect(trajectory.duration).toBeGreaterThanOrEqual(min * (1 - 1e-14));
    expect(trajectory.duration).toBeLessThanOrEqual(max * (1 + 1e-14));
    if (timeScaling.length < 2) expect(trajectory.duration).toBeCloseTo((timeScaling[0] ?? 1) * DURATION, 13);
    let before = 0;
    for (const nominal of [...MOMENTS, DURATION]) {
      const sample = realTime(problem, unknowns, nominal);
      expect(sample.time).toBeGreaterThan(before);
      before = sample.time;
      const found = sampleTrajectory(trajectory, sample.time);
      expectClose(found.pose, sample.pose, 1e-12, 'pose');
      expectClose(
        found.forces,
        sample.forces,
        1e-12 * (1 + Math.max(...sample.forces.map(Math.abs))),
        'forces',
      );
    }
    expect(before).toBe(trajectory.duration);
  });

  test('has the torques of inverse dynamics', () => {
    const random = createRandom(9300);
    const figure = crane(random);
    const gravity = [1, -9, 0.5] as const;
    const problem = createSpacetimeProblem(figure, {
      duration: DURATION,
      gravity,
      terms: [{ type: 'smoothness' }],
    });
    const trajectory = createTrajectory(problem, randomUnknowns(problem, random));
    const dynamics = createDynamics(figure, { gravity });
    for (const time of MOMENTS) {
      const { pose, velocity, acceleration, torques, forces } = sampleTrajectory(trajectory, time);
      const expected = inverseDynamics(dynamics, pose, velocity, acceleration);
      expectClose(torques, expected, 1e-12 * Math.max(...expected.map(Math.abs)), 'torques');
      expect(forces.length).toBe(0);
    }
  });

  test('rejects times outside it', () => {
    const problem = createSpacetimeProblem(crane(createRandom(9301)), {
      duration: DURATION,
      terms: [{ type: 'smoothness' }],
    });
    const trajectory = createTrajectory(problem, new Float64Array(problem.system.size));
    for (const [time, code] of [
      [-0.1, 'out-of-range'],
      [1.1 * DURATION, 'out-of-range'],
      [Number.NaN, 'not-finite'],
    ] as const) {
      let thrown: unknown;
      try {
        sampleTrajectory(trajectory, time);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(SpacetimeError);
      expect(thrown).toMatchObject({ code, path: 'time' });
    }
  });
});

/** Largest difference between a clip and its trajectory: m and rad. */
function farthest(problem: SpacetimeProblem, unknowns: Float64Array): number {
  const { figure } = problem;
  const trajectory = createTrajectory(problem, unknowns);
  const motion = trajectoryMotion(trajectory);
  expect(motion.start).toBe(0);
  expect(motion.end).toBeCloseTo(trajectory.duration, 12);
  const sampler = createMotionSampler(figure, motion);
  const pose = new Float64Array(figure.dof);
  let worst = 0;
  for (let k = 0; k <= 500; k++) {
    const time = (k / 500) * trajectory.duration;
    samplePose(sampler, time, pose);
    const off = displacement(figure, pose, sampleTrajectory(trajectory, time).pose);
    worst = Math.max(worst, ...off.map(Math.abs));
  }
  return worst;
}

/** A flip: a body that turns by 2.3 pi about a skew axis and rises and falls, an arm on a ball that swings along. */
const flyer = createFigure({
  bones: [
    { name: 'body', joint: { type: 'free' }, mass: 2 },
    {
      name: 'arm',
      parent: 'body',
      rest: { position: [0, 0.3, 0] },
      joint: { type: 'ball' },
      limit: { type: 'angle', max: 2 },
    },
    {
      name: 'hand',
      parent: 'arm',
      rest: { position: [0, 0.3, 0] },
      joint: { type: 'hinge', axis: [1, 0, 0] },
    },
  ],
});

function flip(duration: number): Motion {
  const points = 12;
  const degree = 5;
  const angle = 2.3 * Math.PI;
  const controls = Array.from({ length: points }, (_, k) => {
    const u = k / (points - 1);
    return [0.5 * u, 4 * u * (1 - u), 0, 0.6 * angle * u, 0, 0.8 * angle * u, 0.3 * u, 0, 0.2, u];
  });
  const knots = uniformKnots(points, 0, duration, { degree });
  const curve = bSplineCurve({ size: 10, degree, points: controls.flat(), knots });
  return createMotion(flyer, { tracks: [{ coordinate: 0, curve }] });
}

/** Unknowns that follow smooth functions, whatever the number of control points. */
function smoothUnknowns({ system, duration }: SpacetimeProblem): Float64Array {
  const { parameterization, indices, size } = system;
  const unknowns = new Float64Array(size);
  parameterization.basis.centers.forEach((time, k) => {
    parameterization.free.forEach((_, c) => {
      unknowns[indices.motion[k * parameterization.free.length + c]] =
        0.4 * Math.sin((3 * time) / duration + c);
    });
  });
  indices.timeScaling.forEach((id, m) => {
    unknowns[id] = 1 + 0.3 * Math.sin(m);
  });
  return unknowns;
}

describe('a clip of a trajectory', () => {
  function errors(duration: SpacetimeProblem['data']['duration']): number[] {
    return [6, 12, 24, 48].map((intervals) => {
      const problem = createSpacetimeProblem(flyer, {
        duration,
        intervals,
        reference: flip(0.8),
        // The flip itself, whatever the knots.
        unknowns: 'displacement',
        terms: [{ type: 'smoothness' }],
      });
      return farthest(problem, smoothUnknowns(problem));
    });
  }

  test('plays a rotation by more than 2 pi, with sixth order in the length of its pieces', () => {
    const problem = createSpacetimeProblem(flyer, {
      duration: 0.8,
      reference: flip(0.8),
      terms: [{ type: 'smoothness' }],
    });
    const trajectory = createTrajectory(problem, smoothUnknowns(problem));
    let angle = 0;
    let before = sampleTrajectory(trajectory, 0).pose;
    for (let k = 1; k <= 100; k++) {
      const { pose } = sampleTrajectory(trajectory, 0.008 * k);
      angle += Math.hypot(...displacement(flyer, before, pose).subarray(3, 6));
      before = pose;
    }
    expect(angle).toBeGreaterThan(2 * Math.PI);
    const [a, b, c, d] = errors(0.8);
    expect(a / b).toBeGreaterThan(2 ** 4);
    expect(b / c).toBeGreaterThan(2 ** 5);
    expect(c / d).toBeGreaterThan(2 ** 5.5);
    // 30 pieces a second, rad and m; of an arm's length a hundredth of a millimetre.
    expect(b).toBeLessThan(1e-5);
    expect(d).toBeLessThan(1e-8);
  });

  test.each([1, 2, 3, 5, 8])('follows a time scaling of %i control points', (pieces) => {
    const found = errors({ min: 0.5, max: 2, start: 0.8, pieces });
    expect(found[1]).toBeLessThan(1e-4);
    expect(found[3]).toBeLessThan(1e-7);
  });

  test('reproduces a spline in real time to rounding', () => {
    const own = cases().filter(
      ([name]) => name === 'direct rotations, fixed time' || name === 'direct rotations, one free time',
    );
    expect(own.length).toBe(2);
    for (const [, { problem, unknowns }] of own) expect(farthest(problem, unknowns)).toBeLessThan(1e-13);
  });

  // Random control points give the wildest motions.
  test.each(cases())(
    'plays wild motions with pieces of 75 ms to 3 cm or 30 mrad: %s',
    (_, { problem, unknowns }) => {
      expect(farthest(problem, unknowns)).toBeLessThan(0.03);
    },
  );
});
