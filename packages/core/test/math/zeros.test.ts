/** Arrays that functions make are of doubles from the start: V8 stores slowly where arrays of integers and typed arrays meet. */
import { setFlagsFromString } from 'node:v8';
import { expect, test } from 'vitest';
import { mat3, quat, rigid, vec3 } from '../../src/math/index.js';
import { zeros3, zeros4, zeros9, zeros12 } from '../../src/math/linear/zeros.js';

setFlagsFromString('--allow-natives-syntax');
const isOfDoubles = new Function('array', 'return %HasDoubleElements(array)') as (
  array: readonly number[],
) => boolean;

test('zeros are fresh, and of doubles', () => {
  for (const [n, zeros] of [
    [3, zeros3],
    [4, zeros4],
    [9, zeros9],
    [12, zeros12],
  ] as const) {
    const made = zeros();
    expect(made).toEqual(new Array(n).fill(0));
    expect(isOfDoubles(made)).toBe(true);
    expect(zeros()).not.toBe(made);
  }
});

test('so is an output that is not given, even of integers', () => {
  const made = [
    vec3.add([1, 0, 0], [0, 1, 0]),
    quat.identity(),
    quat.multiply(quat.identity(), quat.identity()),
    mat3.identity(),
    mat3.multiplyVector(mat3.identity(), [1, 2, 3]),
    rigid.identity(),
  ];
  for (const out of made) expect(isOfDoubles(out)).toBe(true);
});
