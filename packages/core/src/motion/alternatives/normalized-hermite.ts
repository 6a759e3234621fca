import { MotionError } from '../../errors.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Numbers } from '../../math/linear/types.js';
import { hermiteCurve } from '../curves/hermite.js';
import { type CurveOptions, createCurvePoint, evaluateCurve } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import { checkedRotationKeys, type RotationKeys } from '../representation/rotation-keys.js';

export interface NormalizedHermiteKeys extends RotationKeys {
  /** Leaving tangents of the four numbers, per s; also the arriving ones unless `arriving` is given. */
  readonly tangents: Numbers;
  readonly arriving?: Numbers;
}

/**
 * A normalized cubic Hermite curve of four numbers: glTF's CUBICSPLINE for rotations. Signs are not normalized. With p the four
 * numbers and m = p^-1 p', w = 2 Im m, w' = 2 Im (p^-1 p'' - m m).
 * @throws MotionError; on evaluation `singular` where the four numbers pass zero.
 */
export function normalizedHermiteCurve(
  keys: NormalizedHermiteKeys,
  options: CurveOptions = {},
): RotationCurve {
  const { times, quaternions } = checkedRotationKeys(keys);
  const { tangents, arriving } = keys;
  const curve = hermiteCurve(
    { times, values: quaternions, tangents, ...(arriving === undefined ? {} : { arriving }) },
    options,
  );
  const point = createCurvePoint(4);
  const inverse: number[] = [0, 0, 0, 1];
  const m: number[] = [0, 0, 0, 1];
  const square: number[] = [0, 0, 0, 1];
  return {
    kind: 'normalized Hermite',
    knots: times,
    outside: curve.outside,
    evaluateInside(time, out) {
      const { value, first, second } = evaluateCurve(curve, time, point);
      const length = quat.norm(value);
      if (!(length > 1e-9)) {
        throw new MotionError('singular', `is zero at ${time} s and cannot be normalized.`, {
          path: 'tangents',
          remedy: 'Put keyframes closer together, or give tangents of unit quaternions.',
        });
      }
      for (let k = 0; k < 4; k++) inverse[k] = value[k] / (length * length);
      quat.conjugate(inverse, inverse);
      quat.multiply(inverse, first, m);
      quat.multiply(m, m, square);
      quat.multiply(inverse, second, inverse);
      vec3.scale(m, 2, out.angularVelocity);
      for (let k = 0; k < 3; k++) out.angularAcceleration[k] = 2 * (inverse[k] - square[k]);
      quat.normalize(value, out.quaternion);
      return out;
    },
  };
}
