import { quat } from 'poise/math';
import {
  cardinalCurve,
  cubicSpline,
  cumulativeBSplineCurve,
  evaluateCurve,
  minimumAccelerationCurve,
  type RotationCurve,
  type RotationKeys,
  rotationSpline,
  rotationVectorCurve,
  rotationVectorHermite,
  rotationVectorTangents,
  slerpCurve,
  uniformKnots,
} from 'poise/motion';
import { eulerCurve, normalizedHermiteCurve, squadCurve } from 'poise/motion/alternatives';
import { rotationVectorFromQuat, unwrapRotationVectors } from 'poise/rotation';
import { eulerFromQuat, nearestEulerAngles } from 'poise/rotation/alternatives';

/** A kind of rotation curve through keys. */
export interface Kind {
  readonly name: string;
  readonly color: string;
  readonly through: (keys: RotationKeys) => RotationCurve;
}

const each = ({ times, quaternions }: RotationKeys): number[][] =>
  Array.from(times, (_, i) => Array.from(quaternions).slice(4 * i, 4 * i + 4));

/** Rotation vectors, each nearest to the one before it. */
const vectorKeys = (keys: RotationKeys) => ({
  times: keys.times,
  values: unwrapRotationVectors(each(keys).flatMap((q) => rotationVectorFromQuat(q))),
});

/** Quaternions, each in the hemisphere of the one before it. */
function alignedKeys(keys: RotationKeys): RotationKeys {
  const all = each(keys);
  for (let i = 1; i < all.length; i++) {
    if (quat.dot(all[i - 1], all[i]) < 0) all[i] = quat.negate(all[i]);
  }
  return { times: keys.times, quaternions: all.flat() };
}

export const REFERENCE = 'C2 rotation spline';

export const kinds: readonly Kind[] = [
  { name: REFERENCE, color: '#2f9e44', through: (keys) => rotationSpline(keys) },
  { name: 'slerp', color: '#868e96', through: (keys) => slerpCurve(keys) },
  { name: 'squad', color: '#e8590c', through: (keys) => squadCurve(keys) },
  { name: 'minimum acceleration', color: '#f2b600', through: (keys) => minimumAccelerationCurve(keys) },
  {
    name: 'rotation vectors, natural spline',
    color: '#1971c2',
    through: (keys) => rotationVectorCurve(cubicSpline(vectorKeys(keys)), { anyChart: true }),
  },
  {
    name: 'rotation vectors, Catmull-Rom',
    color: '#22b8cf',
    through(keys) {
      const vectors = vectorKeys(keys);
      const curve = rotationVectorHermite({ ...vectors, ...rotationVectorTangents(vectors) });
      return rotationVectorCurve(curve, { anyChart: true });
    },
  },
  {
    name: 'Euler angles YXZ, natural spline',
    color: '#c2255c',
    through(keys) {
      let near = [0, 0, 0];
      const values = each(keys).flatMap((q) => {
        near = nearestEulerAngles(eulerFromQuat(q, 'YXZ'), 'YXZ', near);
        return near;
      });
      return eulerCurve(cubicSpline({ times: keys.times, values }), 'YXZ');
    },
  },
  {
    name: 'four numbers, normalized (glTF)',
    color: '#a9603a',
    through(keys) {
      const { times, quaternions } = alignedKeys(keys);
      const plain = cardinalCurve({ times, values: quaternions });
      const tangents = Array.from(times, (t) => Array.from(evaluateCurve(plain, t).first)).flat();
      return normalizedHermiteCurve({ times, quaternions, tangents });
    },
  },
  {
    name: 'cumulative B-spline',
    color: '#9c36b5',
    through: ({ times, quaternions }) =>
      cumulativeBSplineCurve({
        quaternions,
        knots: uniformKnots(times.length, times[0], times[times.length - 1]),
      }),
  },
];
