/** Arrays that functions make are of doubles from the start, not of integers: V8 stores slowly where arrays of integers and typed arrays meet. */
import { setFlagsFromString } from 'node:v8';
import { expect, test } from 'vitest';
import { mat3, quat, rigid, vec3 } from '../../src/math/index.js';
import { unset3, unset4, unset9, unset12 } from '../../src/math/linear/unset.js';

setFlagsFromString('--allow-natives-syntax');
const isNotOfIntegers = new Function('array', 'return !%HasSmiElements(array)') as (
  array: readonly number[],
) => boolean;

test('arrays that are written later are fresh, and not of integers', () => {
  for (const [n, unset] of [
    [3, unset3],
    [4, unset4],
    [9, unset9],
    [12, unset12],
  ] as const) {
    const made = unset();
    expect(made.length).toBe(n);
    expect(isNotOfIntegers(made)).toBe(true);
    expect(unset()).not.toBe(made);
  }
});

test('nor is an output that is not given', () => {
  const made = [
    vec3.add([1, 0, 0], [0, 1, 0]),
    quat.identity(),
    quat.multiply(quat.identity(), quat.identity()),
    mat3.identity(),
    mat3.multiplyVector(mat3.identity(), [1, 2, 3]),
    rigid.identity(),
  ];
  for (const [k, out] of made.entries()) expect(isNotOfIntegers(out), String(k)).toBe(true);
});
