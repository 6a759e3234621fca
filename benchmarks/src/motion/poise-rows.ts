import {
  createFigure,
  createMotion,
  createMotionSampler,
  type Figure,
  type Motion,
  sampleQuaternions,
  type TrackData,
} from 'poise';
import { cubicSpline } from 'poise/motion';
import { rotationVectorFromQuat, unwrapRotationVectors } from 'poise/rotation';
import { BONES, type Keys, product } from './analytic.js';
import type { Row } from './row.js';

/** Poise's rows: rotation-vector curves through the keys, with the same tangents and without any. */
export function poiseRows({ times, quaternions, rates }: Keys): Row[] {
  const figure = createFigure({
    bones: Array.from({ length: BONES }, (_, b) => ({
      name: `bone${b}`,
      parent: b === 0 ? null : `bone${b - 1}`,
      joint: { type: 'ball' },
    })),
  });
  const values = quaternions.map((keys) =>
    unwrapRotationVectors(times.flatMap((_, i) => rotationVectorFromQuat(keys.slice(4 * i, 4 * i + 4)))),
  );
  const hermite = values.map(
    (vectors, bone): TrackData => ({
      bone,
      keys: {
        times,
        values: vectors,
        tangents: times.flatMap((_, i) => bodyVelocity(quaternions[bone], rates[bone], 4 * i)),
        tangentsAs: 'joint-velocity',
      },
    }),
  );
  const spline = values.map(
    (vectors, bone): TrackData => ({ bone, curve: cubicSpline({ times, values: vectors }) }),
  );
  return [
    row('poise: cubic Hermite', 'keys, rates', figure, createMotion(figure, { tracks: hermite })),
    row('poise: C2 cubic spline', 'keys', figure, createMotion(figure, { tracks: spline })),
  ];
}

function row(name: string, given: string, figure: Figure, motion: Motion): Row {
  const sampler = createMotionSampler(figure, motion);
  const out = new Float64Array(4 * BONES);
  return {
    name,
    given,
    play(times) {
      for (let i = 0; i < times.length; i++) sampleQuaternions(sampler, times[i], out);
    },
    read: (bone) => out.subarray(4 * bone, 4 * bone + 4),
  };
}

/** w = 2 Im (q^-1 q'). */
function bodyVelocity(q: readonly number[], rate: readonly number[], o: number): number[] {
  const back = [-q[o], -q[o + 1], -q[o + 2], q[o + 3]];
  return product(back, rate.slice(o, o + 4))
    .slice(0, 3)
    .map((x) => 2 * x);
}
