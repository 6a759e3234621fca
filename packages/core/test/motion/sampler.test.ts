import fc from 'fast-check';
import {
  createFigure,
  createPose,
  createState,
  type Figure,
  forwardKinematics,
  velocityFromRates,
} from 'poise/figure';
import {
  bezierCurve,
  type Curve,
  createMotion,
  createMotionSampler,
  cubicSpline,
  type Extrapolation,
  evaluateCurve,
  evaluateRotation,
  hermiteCurve,
  linearCurve,
  type MotionData,
  minimumJerkCurve,
  quinticCurve,
  rotationVectorCurve,
  rotationVectorHermite,
  samplePose,
  sampleQuaternions,
  type TrackData,
} from 'poise/motion';
import { describe, expect, test } from 'vitest';
import { randomFigure, testRandom } from '../support/random-figure.js';

const free = createFigure({
  bones: [
    { name: 'root', parent: null, joint: { type: 'free' } },
    { name: 'ball', parent: 'root', joint: { type: 'ball' } },
    { name: 'hinge', parent: 'ball', joint: { type: 'hinge', axis: [0, 1, 0] } },
  ],
});

/** A curve of a random kind with `count` keys at random or common times. */
function randomCurve(random: () => number, size: number, times: number[]): Curve {
  const numbers = (n: number, scale = 1) => Array.from({ length: n }, () => scale * (2 * random() - 1));
  const keys = { times, values: numbers(times.length * size) };
  switch (Math.floor(6 * random())) {
    case 0:
      return linearCurve(keys);
    case 1:
      return hermiteCurve({ ...keys, tangents: numbers(times.length * size) });
    case 2:
      return cubicSpline(keys, { outside: 'linear' });
    case 3:
      return bezierCurve({ times, points: numbers((3 * times.length - 2) * size) });
    case 4:
      return quinticCurve(keys, { outside: { after: 'loop' } });
    default:
      return minimumJerkCurve(keys, { outside: 'mirror' });
  }
}

function randomTimes(random: () => number, count: number): number[] {
  let t = 3 * random() - 2;
  return Array.from({ length: count }, () => {
    t += 0.05 + random();
    return t;
  });
}

/** Tracks for some bones of a figure, some of them with common times; what each coordinate should follow. */
function randomTracks(
  figure: Figure,
  random: () => number,
): { tracks: TrackData[]; expected: Map<number, [Curve, number]> } {
  const common = randomTimes(random, 4);
  const expected = new Map<number, [Curve, number]>();
  const tracks: TrackData[] = [];
  for (const { index, dof, coordinate } of figure.bones) {
    if (dof === 0 || random() < 0.25) continue;
    const curve = randomCurve(
      random,
      dof,
      random() < 0.6 ? common : randomTimes(random, 2 + Math.floor(4 * random())),
    );
    tracks.push({ bone: index, curve });
    for (let c = 0; c < dof; c++) expected.set(coordinate + c, [curve, c]);
  }
  return { tracks, expected };
}

describe('sampling', () => {
  test('agrees with each curve to the last bit, in any order of times', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e9 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 30 }),
        fc.boolean(),
        (seed, moments, forwards) => {
          const random = testRandom(seed);
          const figure = randomFigure(random, 12, false);
          const { tracks, expected } = randomTracks(figure, random);
          if (tracks.length === 0) return;
          const motion = createMotion(figure, { tracks });
          const sampler = createMotionSampler(figure, motion);
          const [pose, rates, seconds, alone] = Array.from({ length: 4 }, () => new Float64Array(figure.dof));
          const times = [
            ...(motion.tracks[0].curve.knots as Float64Array),
            ...moments.map((u) => motion.start + u * (motion.end - motion.start)),
          ];
          if (forwards) times.sort((a, b) => a - b);
          for (const t of times) {
            samplePose(sampler, t, pose, rates, seconds);
            samplePose(sampler, t, alone);
            expect(alone).toEqual(pose);
            for (let i = 0; i < figure.dof; i++) {
              const [curve, c] = expected.get(i) ?? [];
              if (curve === undefined || c === undefined) {
                expect([pose[i], rates[i], seconds[i]]).toEqual([motion.base[i], 0, 0]);
                continue;
              }
              // A motion clamps outside its own range, and only there.
              const { value, first, second } = evaluateCurve(curve, t);
              expect([pose[i], rates[i], seconds[i]]).toEqual([value[c], first[c], second[c]]);
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('finds the piece after any jump', () => {
    const times = Array.from({ length: 50 }, (_, i) => i);
    const curve = cubicSpline({ times, values: times.map((t) => Math.sin(1.3 * t)) });
    const sampler = createMotionSampler(free, createMotion(free, { tracks: [{ bone: 'hinge', curve }] }));
    const pose = createPose(free);
    const random = testRandom(5);
    for (let n = 0; n < 2000; n++) {
      // Steps of every kind: forwards, far, back, onto a key, onto the last.
      const kind = n % 5;
      const t = kind === 0 ? 49 : kind === 1 ? Math.floor(50 * random()) : 49 * random();
      expect(samplePose(sampler, t, pose)[9]).toBe(evaluateCurve(curve, t).value[0]);
    }
  });

  test('takes as long at the end of a clip of 200,000 keyframes as at its start', () => {
    const count = 200_000;
    const keys = {
      times: Array.from({ length: count }, (_, i) => i),
      values: Array(count).fill(0) as number[],
    };
    let reads = 0;
    const curve = linearCurve(keys);
    const motion = createMotion(free, { tracks: [{ bone: 'hinge', curve }] });
    const sampler = createMotionSampler(free, motion);
    // Knots looked at are counted, so that no clock is needed.
    const line = sampler.timelines[0];
    const knots = new Proxy(line.curve.knots as Float64Array, {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
        return Reflect.get(target, key, target);
      },
    });
    Object.assign(line.curve, { knots });
    const pose = createPose(free);
    samplePose(sampler, 150_000.5, pose);
    reads = 0;
    for (let n = 0; n < 100; n++) samplePose(sampler, 150_000.5 + 0.3 * n, pose);
    expect(reads).toBeLessThan(100 * 6);
  });

  test('is deterministic to the last bit, in one sampler and in two', () => {
    const random = testRandom(77);
    const figure = randomFigure(random, 15, false);
    const motion = createMotion(figure, { tracks: randomTracks(figure, random).tracks, outside: 'offset' });
    const times = Array.from({ length: 200 }, () => 30 * random() - 15);
    const run = (sampler = createMotionSampler(figure, motion)) =>
      times.map((t) => Array.from(samplePose(sampler, t, new Float64Array(figure.dof))));
    const one = createMotionSampler(figure, motion);
    const first = run(one);
    expect(run(one)).toEqual(first);
    expect(run()).toEqual(first);
    expect(run(createMotionSampler(figure, structuredClone(motion)))).toEqual(first);
  });

  test.each(['clamp', 'loop', 'mirror', 'offset', 'linear'] as const)(
    'rates and second rates are differences of the pose, %s',
    (outside) => {
      const random = testRandom(9);
      const figure = createFigure({
        bones: [
          { name: 'a', parent: null, joint: { type: 'free' } },
          { name: 'b', parent: 'a', joint: { type: 'ball' } },
          { name: 'c', parent: 'b', joint: { type: 'ball-and-socket', axis: [0, 1, 0] } },
        ],
      });
      const times = [0, 0.7, 1.5, 2];
      const values = Array.from({ length: 4 * figure.dof }, () => 0.5 * (2 * random() - 1));
      const curve = cubicSpline({ times, values });
      const sampler = createMotionSampler(
        figure,
        createMotion(figure, { tracks: [{ coordinate: 0, curve }], outside }),
      );
      const at = (t: number) => samplePose(sampler, t, new Float64Array(figure.dof));
      const [rates, seconds] = [new Float64Array(figure.dof), new Float64Array(figure.dof)];
      const h = 1e-3;
      let compared = 0;
      for (const t of [-4.3, -1.9, -0.35, 0.3, 1.1, 1.9, 2.2, 3.8, 5.3, 8.9]) {
        samplePose(sampler, t, new Float64Array(figure.dof), rates, seconds);
        const p = [-2, -1, 0, 1, 2].map((k) => at(t + k * h));
        for (let i = 0; i < figure.dof; i++) {
          // Where the chart changes between two of the five, nothing can be said of coordinates.
          if (p.some((pose) => Math.abs(pose[i] - p[2][i]) > 0.1)) continue;
          compared++;
          const first = (p[0][i] - 8 * p[1][i] + 8 * p[3][i] - p[4][i]) / (12 * h);
          const second = (-p[0][i] + 16 * p[1][i] - 30 * p[2][i] + 16 * p[3][i] - p[4][i]) / (12 * h * h);
          expect(Math.abs(first - rates[i])).toBeLessThan(1e-9 * (1 + Math.abs(first)));
          expect(Math.abs(second - seconds[i])).toBeLessThan(1e-6 * (1 + Math.abs(second)));
        }
      }
      expect(compared).toBeGreaterThan(100);
    },
  );
});

describe('tangents given as joint velocities', () => {
  test('are the joint velocities of the motion at its keyframes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), (seed) => {
        const random = testRandom(seed);
        const figure = randomFigure(random, 8, false);
        const state = createState(figure);
        const times = [0, 0.5, 2];
        const numbers = () => Array.from({ length: 3 * figure.dof }, () => 2.5 * (2 * random() - 1));
        const keys = { times, values: numbers(), tangents: numbers(), arriving: numbers() };
        const motion = createMotion(figure, {
          tracks: [{ coordinate: 0, keys: { ...keys, tangentsAs: 'joint-velocity' } }],
        });
        const sampler = createMotionSampler(figure, motion);
        const [pose, rates, velocity] = Array.from({ length: 3 }, () => new Float64Array(figure.dof));
        times.forEach((t, i) => {
          samplePose(sampler, t, pose, rates);
          velocityFromRates(state, pose, rates, velocity);
          const given = (i === 2 ? keys.arriving : keys.tangents).slice(i * figure.dof, (i + 1) * figure.dof);
          // |v| stays below 4.4, well off a whole turn, where N grows.
          given.forEach((wanted, c) => {
            expect(Math.abs(velocity[c] - wanted)).toBeLessThan(1e-12);
          });
        });
      }),
      { numRuns: 40 },
    );
  });

  test('are angular velocities of a ball in its own axes', () => {
    const values = [0.3, -1, 0.4, 1.2, 0.1, -0.7];
    const tangents = [1, 2, -1, 0.5, 0.5, 3];
    const motion = createMotion(free, {
      tracks: [{ bone: 'ball', keys: { times: [0, 1], values, tangents, tangentsAs: 'joint-velocity' } }],
    });
    const rotationCurve = rotationVectorCurve(motion.tracks[0].curve);
    for (const [i, t] of [0, 1].entries()) {
      evaluateRotation(rotationCurve, t).angularVelocity;
      for (let k = 0; k < 3; k++) {
        expect(evaluateRotation(rotationCurve, t).angularVelocity[k]).toBeCloseTo(tangents[3 * i + k], 13);
      }
    }
  });
});

test('a track that changes chart plays continuously', () => {
  // Constant spin through five turns: the coordinates jump, the rotation does not.
  const times = Array.from({ length: 21 }, (_, i) => 0.5 * i);
  const axis = [0.6, 0, 0.8];
  const curve = rotationVectorHermite({
    times,
    values: times.flatMap((t) => axis.map((a) => a * Math.PI * t)),
    tangents: times.flatMap(() => axis.map((a) => a * Math.PI)),
    tangentsAs: 'body',
  });
  const motion = createMotion(free, { tracks: [{ bone: 'ball', curve }] });
  const sampler = createMotionSampler(free, motion);
  const out = new Float64Array(12);
  for (let n = 0; n <= 1000; n++) {
    const t = 0.01 * n;
    sampleQuaternions(sampler, t, out);
    const half = (Math.PI * t) / 2;
    const wanted = [...axis.map((a) => a * Math.sin(half)), Math.cos(half)];
    const side = wanted.reduce((sum, x, k) => sum + x * out[4 + k], 0) < 0 ? -1 : 1;
    for (let k = 0; k < 4; k++) expect(Math.abs(side * out[4 + k] - wanted[k])).toBeLessThan(1e-13);
  }
});

describe('outside its range', () => {
  const times = [1, 1.6, 2.5];
  const values = [0.2, -0.4, 0.1, 1.1, 0.3, -0.8, 2, 1, 0.5];
  const curve = (outside?: Extrapolation) =>
    cubicSpline({ times, values }, outside === undefined ? {} : { outside });
  const samplerOf = (data: Omit<MotionData, 'tracks'>, tracks: TrackData[]) =>
    createMotionSampler(free, createMotion(free, { tracks, ...data }));

  test.each(['clamp', 'loop', 'offset', 'mirror', 'linear'] as const)(
    'a ball goes on as its rotation curve does, %s',
    (outside) => {
      const sampler = samplerOf({ outside }, [{ bone: 'ball', curve: curve() }]);
      const rotationCurve = rotationVectorCurve(curve(outside));
      const state = createState(free);
      const [pose, rates, velocity] = Array.from({ length: 3 }, () => new Float64Array(free.dof));
      const out = new Float64Array(12);
      for (let t = -8.05; t < 12; t += 0.31) {
        const wanted = evaluateRotation(rotationCurve, t);
        sampleQuaternions(sampler, t, out);
        const q = out.subarray(4, 8);
        const side = q.reduce((sum, x, k) => sum + x * wanted.quaternion[k], 0) < 0 ? -1 : 1;
        for (let k = 0; k < 4; k++) expect(Math.abs(side * q[k] - wanted.quaternion[k])).toBeLessThan(1e-13);
        samplePose(sampler, t, pose, rates);
        velocityFromRates(state, pose, rates, velocity);
        for (let k = 0; k < 3; k++)
          expect(Math.abs(velocity[6 + k] - wanted.angularVelocity[k])).toBeLessThan(1e-12);
      }
    },
  );

  test('a free joint repeats the rigid motion from start to end in every cycle', () => {
    const random = testRandom(21);
    const keys = { times, values: Array.from({ length: 18 }, () => 2 * random() - 1) };
    const sampler = samplerOf({ outside: 'offset' }, [{ bone: 'root', curve: cubicSpline(keys) }]);
    const state = createState(free);
    const at = (t: number): number[] => {
      forwardKinematics(state, samplePose(sampler, t, createPose(free)));
      return Array.from(state.worldFromBone.subarray(0, 12));
    };
    const compose = (a: number[], b: number[]): number[] => {
      const out = Array<number>(12).fill(0);
      for (let r = 0; r < 3; r++) {
        for (let c = 0; c < 3; c++) for (let k = 0; k < 3; k++) out[3 * r + c] += a[3 * r + k] * b[3 * k + c];
        out[9 + r] = a[9 + r];
        for (let k = 0; k < 3; k++) out[9 + r] += a[3 * r + k] * b[9 + k];
      }
      return out;
    };
    const invert = (m: number[]): number[] => {
      const out = [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8], 0, 0, 0];
      for (let r = 0; r < 3; r++) for (let k = 0; k < 3; k++) out[9 + r] -= m[3 * k + r] * m[9 + k];
      return out;
    };
    const step = compose(at(2.5), invert(at(1)));
    for (const t of [1.1, 1.7, 2.4]) {
      let there = at(t);
      let back = at(t);
      for (let n = 1; n <= 7; n++) {
        there = compose(step, there);
        back = compose(invert(step), back);
        at(t + 1.5 * n).forEach((x, k) => {
          expect(Math.abs(x - there[k])).toBeLessThan(1e-12);
        });
        at(t - 1.5 * n).forEach((x, k) => {
          expect(Math.abs(x - back[k])).toBeLessThan(1e-12);
        });
      }
    }
  });

  test('a hinge adds its displacement in every cycle, and a coordinate without a track is constant', () => {
    const sampler = samplerOf({ outside: 'offset' }, [
      { bone: 'hinge', curve: linearCurve({ times: [0, 1], values: [1, 3] }) },
    ]);
    const pose = samplePose(sampler, 4.25, createPose(free));
    expect(pose[9]).toBeCloseTo(9.5, 13);
    expect(Array.from(pose.subarray(0, 9))).toEqual(Array(9).fill(0));
  });

  test('a shorter track is extrapolated by its own curve within the clip', () => {
    const sampler = samplerOf({}, [
      { bone: 'hinge', curve: linearCurve({ times: [0, 1], values: [0, 1] }, { outside: 'linear' }) },
      { bone: 'ball', curve: linearCurve({ times: [0, 3], values: [0, 0, 0, 1, 0, 0] }) },
    ]);
    expect(samplePose(sampler, 2.5, createPose(free))[9]).toBe(2.5);
    expect(samplePose(sampler, 9, createPose(free))[9]).toBe(3);
  });

  test('an invalid time is refused', () => {
    const sampler = samplerOf({}, [{ bone: 'ball', curve: curve() }]);
    for (const t of [Number.NaN, Infinity, -Infinity]) {
      expect(() => samplePose(sampler, t, createPose(free))).toThrow('time');
    }
  });
});
