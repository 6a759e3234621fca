import { expect, it } from 'vitest';
import { mirrorBone, parseBoneName } from '../../src/figure/model/bone-name.js';

it('pairs sides of names in any script', () => {
  const names = ['指.L', '指.R', '足.L', '足.R', 'Hüfte_L', 'Hüfte_R', 'hand.l', 'handRight'].map(
    parseBoneName,
  );
  expect(names.map((_, n) => mirrorBone(names, n))).toEqual([1, 0, 3, 2, 5, 4, 7, 6]);
});
