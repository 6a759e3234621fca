import { expect, it } from 'vitest';
import { sampleRotation } from '../../../src/motion/alternatives/compare.js';
import { squadCurve } from '../../../src/motion/alternatives/index.js';
import { quatFromRotationVector } from '../../../src/rotation/index.js';

const times = [0, 1, 2, 3];
const half = Math.PI;

it.each([
  ['z', [0, 0, half]],
  ['y', [0, half, 0]],
])(
  'refuses keys that turn half a turn to and fro about %s, for squad would go anywhere between them',
  (_, turn) => {
    const quaternions = [0, 1, 2, 3].flatMap((i) =>
      i % 2 === 0 ? [0, 0, 0, 1] : quatFromRotationVector(turn),
    );
    expect(() => squadCurve({ times, quaternions })).toThrow(
      /keys\.quaternions\[\d\]: bends the way.*rotationSpline/,
    );
  },
);

it('takes keys a third of a turn to and fro', () => {
  const quaternions = [0, 1, 2, 3].flatMap((i) => quatFromRotationVector([0, 0, i % 2 === 0 ? 0 : 2]));
  const { angularAccelerations } = sampleRotation(squadCurve({ times, quaternions }), 301);
  for (const x of angularAccelerations) expect(Number.isFinite(x)).toBe(true);
});
