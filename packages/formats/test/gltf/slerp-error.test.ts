/** The errors of a slerp at samples, all at once, are those of one after the other, to the bit. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type FileKey,
  interpolate,
  largestSlerpError,
  rotationError,
} from '../../src/gltf/animation/animation-player.js';

const component = fc.double({ min: -1, max: 1, noNaN: true });
const rotation = fc
  .tuple(component, component, component, component)
  .filter((q) => Math.hypot(...q) > 1e-3)
  .map((q) => Float64Array.from(q, (x) => Math.fround(x / Math.hypot(...q))));

test('the largest error of a slerp is that of its samples', () => {
  fc.assert(
    fc.property(rotation, rotation, fc.array(rotation, { minLength: 1, maxLength: 7 }), (p, q, values) => {
      const a: FileKey = { time: 0.25, value: p };
      const b: FileKey = { time: 1.5, value: q };
      const times = values.map((_, k) => 0.25 + (1.25 * (k + 1)) / (values.length + 1));
      const out = new Float64Array(4);
      const errors = values.map((expected, k) => {
        interpolate('rotation', 'LINEAR', a, b, times[k], out);
        return rotationError(out, expected);
      });
      const samples = [...times, ...values.flatMap((value) => [...value])];
      expect(largestSlerpError(a, b, samples, values.length)).toBe(Math.max(...errors));
    }),
  );
});
