import { requireFields } from '../../checks.js';
import { MotionError } from '../../errors.js';
import { angularVelocityFromRate } from '../../rotation/rotation-vector/rates.js';
import { type KeyShape, keyTangents, perKey } from '../curves/kochanek-bartels.js';
import { checkedKeys, type Keys } from '../representation/keyframes.js';
import { commonChart, createChartKey, inChart } from './chart-key.js';

/**
 * Kochanek-Bartels tangents (cardinal ones, with tension alone) for {@link rotationVectorHermite}: computed at each keyframe from
 * it and its neighbours in one chart, and given as angular velocities, which are independent of the chart (docs/errata.md,
 * erratum 9). Where nothing is longer than pi they are those of the plain curve of three numbers.
 *
 * @param keys - Rotation vectors of any length, three numbers each.
 * @throws MotionError
 */
export function rotationVectorTangents(
  keys: Keys,
  shape: Omit<KeyShape, 'closed'> = {},
): { tangents: Float64Array; arriving: Float64Array; tangentsAs: 'body' } {
  requireFields(shape, { tension: true, continuity: true, bias: true }, 'shape', MotionError);
  const { count, size, times, values } = checkedKeys(keys);
  const tension = perKey(shape.tension, count, 'tension');
  const continuity = perKey(shape.continuity, count, 'continuity');
  const bias = perKey(shape.bias, count, 'bias');
  const tangents = new Float64Array(values.length);
  const arriving = new Float64Array(values.length);
  const none = [0, 0, 0];
  const all = Array.from({ length: count }, (_, i) =>
    createChartKey(times[i], values.subarray(3 * i, 3 * i + 3), none, none),
  );
  for (let i = 0; i < count; i++) {
    const first = Math.max(0, i - 1);
    const near = all.slice(first, i + 2);
    const chart = commonChart(near);
    const local = Float64Array.from(near.flatMap((key) => inChart(key, chart)));
    const range = [first, first + near.length] as const;
    const both = keyTangents(
      { count: near.length, size, times: times.subarray(...range), values: local },
      {
        tension: tension.subarray(...range),
        continuity: continuity.subarray(...range),
        bias: bias.subarray(...range),
      },
    );
    const o = 3 * (i - first);
    const at = local.subarray(o, o + 3);
    tangents.set(angularVelocityFromRate(at, both.tangents.subarray(o, o + 3), 'body'), 3 * i);
    arriving.set(angularVelocityFromRate(at, both.arriving.subarray(o, o + 3), 'body'), 3 * i);
  }
  return { tangents, arriving, tangentsAs: 'body' };
}
