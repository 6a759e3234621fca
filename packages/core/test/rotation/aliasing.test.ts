import { describe, expect, it } from 'vitest';
import type { MutableNumbers } from '../../src/math/linear/types.js';
import * as rotation from './all-forms.js';

const axes = rotation.createSwingAxes([0.3, -1, 0.2]);
const V = [0.4, -1.2, 2.1];
const W = [1, -0.5, 0.25];
const Q = [0.1, 0.5, -0.7, 0.5];
const M = rotation.matrixFromRotationVector(V);

/** Functions with the inputs that are arrays, any of which may also be the output. */
const CASES: readonly [string, number[][], (inputs: number[][], out?: MutableNumbers) => MutableNumbers][] = [
  ['quatFromRotationVector', [V], ([v], out) => rotation.quatFromRotationVector(v, out)],
  ['matrixFromRotationVector', [V], ([v], out) => rotation.matrixFromRotationVector(v, out)],
  ['quatSecondPartials', [V], ([v], out) => rotation.quatSecondPartials(v, out)],
  ['matrixPartials', [V], ([v], out) => rotation.matrixPartials(v, out)],
  ['matrixSecondPartials', [V], ([v], out) => rotation.matrixSecondPartials(v, out)],
  ['leftJacobian', [V], ([v], out) => rotation.leftJacobian(v, out)],
  ['rightJacobianInverse', [V], ([v], out) => rotation.rightJacobianInverse(v, out)],
  [
    'leftJacobianProductDerivative',
    [V, W],
    ([v, y], out) => rotation.leftJacobianProductDerivative(v, y, out),
  ],
  ['rateFromAngularVelocity', [V, W], ([v, w], out) => rotation.rateFromAngularVelocity(v, w, 'body', out)],
  ['angularVelocityFromRate', [V, W], ([v, w], out) => rotation.angularVelocityFromRate(v, w, 'world', out)],
  [
    'angularAccelerationFromRates',
    [V, W, [2, 0, 1]],
    ([v, r, s], out) => rotation.angularAccelerationFromRates(v, r, s, 'world', out),
  ],
  [
    'secondRateFromAngularAcceleration',
    [V, W, [2, 0, 1]],
    ([v, r, s], out) => rotation.secondRateFromAngularAcceleration(v, r, s, 'body', out),
  ],
  ['rotationVectorFromQuat', [Q, [0, 9, -9]], ([q, r], out) => rotation.rotationVectorFromQuat(q, r, out)],
  [
    'rotationVectorFromMatrix',
    [M, [0, 9, -9]],
    ([m, r], out) => rotation.rotationVectorFromMatrix(m, r, out),
  ],
  ['nearestRotationVector', [V, [0, 9, -9]], ([v, r], out) => rotation.nearestRotationVector(v, r, out)],
  ['regularize', [[1, 5, 2]], ([v], out) => rotation.regularize(v, out)],
  ['reparameterizeTangent', [V, W], ([v, m], out) => rotation.reparameterizeTangent(v, m, 1, out)],
  [
    'composeRotationVectors',
    [V, W, [0, 9, 0]],
    ([b, a, r], out) => rotation.composeRotationVectors(b, a, r, out),
  ],
  [
    'differenceOfRotationVectors',
    [V, W],
    ([a, b], out) => rotation.differenceOfRotationVectors(a, b, 'world', out),
  ],
  ['swingVector', [[0.5, 1]], ([r], out) => rotation.swingVector(r, axes, out)],
  ['swingFromVector', [V], ([v], out) => rotation.swingFromVector(v, axes, out)],
  ['swingMatrixSecondPartials', [[0.5, 1]], ([r], out) => rotation.swingMatrixSecondPartials(r, axes, out)],
  ['swingMetric', [[0.5, 1]], ([r], out) => rotation.swingMetric(r, axes, out)],
  [
    'swingRateFromAngularVelocity',
    [[0.5, 1], W],
    ([r, w], out) => rotation.swingRateFromAngularVelocity(r, axes, w, 'body', out),
  ],
  [
    'angularVelocityFromSwingRate',
    [
      [0.5, 1],
      [2, -1],
    ],
    ([r, rate], out) => rotation.angularVelocityFromSwingRate(r, axes, rate, 'body', out),
  ],
  ['quatFromSwingTwist', [[0.5, 1]], ([r], out) => rotation.quatFromSwingTwist(r, 0.3, axes, out)],
  ['matrixFromBallAndSocket', [[0.5, 1, 2]], ([c], out) => rotation.matrixFromBallAndSocket(c, axes, out)],
  [
    'ballAndSocketMatrixPartials',
    [[0.5, 1, 2]],
    ([c], out) => rotation.ballAndSocketMatrixPartials(c, axes, out),
  ],
  [
    'ballAndSocketMatrixSecondPartials',
    [[0.5, 1, 2]],
    ([c], out) => rotation.ballAndSocketMatrixSecondPartials(c, axes, out),
  ],
  [
    'ballAndSocketJacobian',
    [[0.5, 1, 2]],
    ([c], out) => rotation.ballAndSocketJacobian(c, axes, 'body', out),
  ],
  [
    'ballAndSocketRateFromAngularVelocity',
    [[0.5, 1, 2], W],
    ([c, w], out) => rotation.ballAndSocketRateFromAngularVelocity(c, axes, w, 'world', out),
  ],
  ['twistMatrixSecondPartial', [[0, 0.6, 0.8]], ([a], out) => rotation.twistMatrixSecondPartial(a, 1, out)],
  ['twistQuatPartial', [[0, 0.6, 0.8]], ([a], out) => rotation.twistQuatPartial(a, 1, out)],
  ['matrixFromAxisAngle', [V], ([a], out) => rotation.matrixFromAxisAngle(a, 1, out)],
  ['matrixFromEuler', [V], ([a], out) => rotation.matrixFromEuler(a, 'YXZ', 'extrinsic', out)],
  ['eulerMatrixPartials', [V], ([a], out) => rotation.eulerMatrixPartials(a, 'ZXZ', 'extrinsic', out)],
  ['eulerFromMatrix', [M], ([m], out) => rotation.eulerFromMatrix(m, 'ZYX', 'intrinsic', out)],
  ['eulerJacobian', [V], ([a], out) => rotation.eulerJacobian(a, 'XYZ', 'intrinsic', 'body', out)],
  ['cayleyFromQuat', [Q], ([q], out) => rotation.cayleyFromQuat(q, out)],
  ['composeCayley', [V, W], ([b, a], out) => rotation.composeCayley(b, a, out)],
  [
    'cayleyRateFromAngularVelocity',
    [V, W],
    ([g, w], out) => rotation.cayleyRateFromAngularVelocity(g, w, 'body', out),
  ],
  ['anyQuatMatrixPartials', [Q], ([q], out) => rotation.anyQuatMatrixPartials(q, out)],
  ['quatMatrixPartials', [Q], ([q], out) => rotation.quatMatrixPartials(q, out)],
  [
    'quatRateFromAngularVelocity',
    [Q, W],
    ([q, w], out) => rotation.quatRateFromAngularVelocity(q, w, 'body', out),
  ],
  [
    'angularVelocityFromQuatRate',
    [Q, [0.3, 0.1, 0.2, -0.4]],
    ([q, r], out) => rotation.angularVelocityFromQuatRate(q, r, 'world', out),
  ],
  ['matrixRates', [M], ([m], out) => rotation.matrixRates(m, 'body', out)],
];

describe('out may be any of the inputs', () => {
  for (const [name, inputs, call] of CASES) {
    it(name, () => {
      const expected = Array.from(call(inputs.map((a) => [...a])));
      expect(expected.every(Number.isFinite)).toBe(true);
      for (let k = 0; k < inputs.length; k++) {
        const copies = inputs.map((a) => [...a]);
        const result = call(copies, copies[k]);
        expect(result).toBe(copies[k]);
        expect(Array.from(result).slice(0, expected.length)).toEqual(expected);
      }
      // And an out that is given is filled completely: what stood there before does not matter.
      const dirty = new Float64Array(expected.length).fill(7);
      expect(Array.from(call(inputs, dirty))).toEqual(expected);
    });
  }
});
