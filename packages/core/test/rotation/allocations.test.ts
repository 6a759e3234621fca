import { describe, expect, it } from 'vitest';
import { createFigure, createPose, regularizePose } from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import * as rotation from './all-forms.js';

/**
 * Bytes that a call allocates once the engine has compiled it: the least of many batches, without those in which memory was collected. Ends
 * early below `bound`.
 */
function bytesPerCall(call: () => void, bound: number): number {
  const calls = 2000;
  const start = performance.now();
  let least = Number.POSITIVE_INFINITY;
  while (least >= bound && performance.now() - start < 5000) {
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < calls; n++) call();
    const growth = (process.memoryUsage().heapUsed - before) / calls;
    if (growth >= 0) least = Math.min(least, growth);
  }
  return least;
}

/** Numbers that engines box when a function they do not inline takes them: no arrays, no objects. */
const BOXED = 400;

describe('with `out` given no arrays and no objects are made', () => {
  const v = Float64Array.of(0.3, -0.4, 0.5);
  const w = Float64Array.of(1, 2, 3);
  const three = new Float64Array(3);
  const nine = new Float64Array(9);
  const q = rotation.quatFromRotationVector(v, new Float64Array(4));
  const human = createHumanFigure();
  const chain = createFigure({ bones: [{ name: 'a', joint: { type: 'free' } }] });
  const poses = [human, chain].map((figure) => createPose(figure));
  const calls: Record<string, () => void> = {
    matrixFromEuler: () => rotation.matrixFromEuler(v, 'XYZ', 'extrinsic', nine),
    eulerFromQuat: () => rotation.eulerFromQuat(q, 'XYZ', 'extrinsic', three),
    eulerJacobian: () => rotation.eulerJacobian(v, 'ZXY', 'intrinsic', 'body', nine),
    eulerRateFromAngularVelocity: () =>
      rotation.eulerRateFromAngularVelocity(v, 'ZXY', 'extrinsic', w, 'world', three),
    rateFromAngularVelocity: () => rotation.rateFromAngularVelocity(v, w, 'body', three),
    composeRotationVectors: () => rotation.composeRotationVectors(v, w, v, three),
    'regularizePose, nothing to do': () => regularizePose(human, poses[0]),
    'regularizePose, with a tangent': () => {
      poses[1].fill(2.5);
      regularizePose(chain, poses[1], poses[1]);
    },
  };
  it.each(Object.keys(calls))('%s', (name) => {
    expect(bytesPerCall(calls[name], BOXED)).toBeLessThan(BOXED);
  });
});
