import { describe, test } from 'vitest';
import { diskShape } from '../../../src/figure/limits/disk.js';
import { createRandom, direction, expectClose } from '../support.js';

describe('disk limit', () => {
  test('the nearest point lies on the ray to the origin at the radius, in two and three coordinates', () => {
    const random = createRandom(210);
    for (let n = 0; n < 1000; n++) {
      const size = 2 + (n % 2);
      const radius = 10 ** (-8 * random()) * 3;
      const ray = direction(random, size);
      const far = radius * (1 + 10 ** (20 * random() - 10));
      const point = ray.map((x) => x * far);
      diskShape.project([radius], point, 0, size);
      expectClose(
        point.map((x) => x / radius),
        ray,
        1e-15,
      );
    }
  });
});
