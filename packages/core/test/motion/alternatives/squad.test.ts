import { expect, it } from 'vitest';
import { squadCurve } from '../../../src/motion/alternatives/index.js';
import { sampleRotation } from '../../../src/motion/alternatives/rotation-deviation.js';
import { quatFromRotationVector } from '../../../src/rotation/index.js';

const times = [0, 1, 2, 3];
const half = Math.PI;

it.each([
  ['z', [0, 0, half]],
  ['y', [0, half, 0]],
])('refuses keyframes that alternate by 180 degrees about %s, where squad is undefined', (_, rotation) => {
  const quaternions = [0, 1, 2, 3].flatMap((i) =>
    i % 2 === 0 ? [0, 0, 0, 1] : quatFromRotationVector(rotation),
  );
  expect(() => squadCurve({ times, quaternions })).toThrow(
    /keys\.quaternions\[\d\]: has an inner quaternion.*rotationSpline/,
  );
});

it('takes keyframes that alternate by 120 degrees', () => {
  const quaternions = [0, 1, 2, 3].flatMap((i) => quatFromRotationVector([0, 0, i % 2 === 0 ? 0 : 2]));
  const { angularAccelerations } = sampleRotation(squadCurve({ times, quaternions }), 301);
  for (const x of angularAccelerations) expect(Number.isFinite(x)).toBe(true);
});
