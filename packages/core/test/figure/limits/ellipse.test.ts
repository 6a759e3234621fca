import { describe, expect, test } from 'vitest';
import { ellipseShape, quadEllipseShape } from '../../../src/figure/limits/ellipse.js';
import { createRandom, direction, expectClose, within } from '../support.js';

/**
 * Nearest boundary point by another route: the boundary by angle, (a cos p, b sin p) with the radii of each quarter,
 * sampled densely, then the sign change of d|x - point|^2/dp bisected to the last bit.
 */
function nearestByAngle([s0, s1, t0, t1]: readonly number[], x: number, y: number): [number, number] {
  const at = (p: number): [number, number, number, number] => {
    const [c, s] = [Math.cos(p), Math.sin(p)];
    const a = c < 0 ? -s0 : s1;
    const b = s < 0 ? -t0 : t1;
    return [a * c, b * s, a, b];
  };
  const slope = (p: number) => {
    const [px, py, a, b] = at(p);
    return (px - x) * -a * Math.sin(p) + (py - y) * b * Math.cos(p);
  };
  const distance = (p: number) => Math.hypot(at(p)[0] - x, at(p)[1] - y);
  const steps = 2000;
  let best = 0;
  for (let n = 1; n < steps; n++) {
    if (distance((2 * Math.PI * n) / steps) < distance((2 * Math.PI * best) / steps)) best = n;
  }
  let low = (2 * Math.PI * (best - 1)) / steps;
  let high = (2 * Math.PI * (best + 1)) / steps;
  for (let n = 0; n < 100; n++) {
    const middle = (low + high) / 2;
    if (slope(middle) > 0) high = middle;
    else low = middle;
  }
  const [px, py] = at((low + high) / 2);
  return [px, py];
}

const randomRadii = (random: () => number) => [
  -(0.1 + 3 * random()),
  0.1 + 3 * random(),
  -(0.1 + 3 * random()),
  0.1 + 3 * random(),
];

describe('ellipse and quad-ellipse limits', () => {
  test('the projection is the nearest boundary point found by sampling and bisection, 1e-12', () => {
    const random = createRandom(220);
    for (let n = 0; n < 400; n++) {
      const radii = randomRadii(random);
      const [x, y] = direction(random, 2).map((c) => c * 8 * random());
      if (quadEllipseShape.value(radii, [x, y], 0, 2) <= 0) continue;
      const point = [x, y];
      quadEllipseShape.project(radii, point, 0, 2);
      expectClose(point, nearestByAngle(radii, x, y), 1e-12);
      const [a, b] = [radii[1], radii[3]];
      const onEllipse = [x, y];
      if (!ellipseShape.project([a, b], onEllipse, 0, 2)) continue;
      expectClose(onEllipse, nearestByAngle([-a, a, -b, b], x, y), 1e-12);
    }
  });

  test('KKT: x - p is along the outward normal, 1e-12, radii up to 1000 : 1', () => {
    const random = createRandom(221);
    let worst = 0;
    for (let n = 0; n < 5000; n++) {
      const parameters = [10 ** (-3 * random()), 10 ** (-3 * random())];
      const [x, y] = direction(random, 2).map((c) => c * 10 ** within(random, 3));
      const p = [x, y];
      if (!ellipseShape.project(parameters, p, 0, 2)) continue;
      const normal = [0, 0];
      ellipseShape.gradient(parameters, p, 0, 2, normal, 0);
      const length = Math.hypot(...normal);
      const [nx, ny] = normal.map((c) => c / length);
      const [dx, dy] = [x - p[0], y - p[1]];
      const scale = Math.max(1, Math.hypot(x, y));
      worst = Math.max(worst, Math.abs(nx * dy - ny * dx) / scale);
      expect(nx * dx + ny * dy).toBeGreaterThanOrEqual(-1e-15 * scale);
    }
    expect(worst).toBeLessThan(1e-12);
  });

  test('points on the axes go to the end of the axis, or slide off it when they lie deep inside the other way', () => {
    const p = [5, 0];
    ellipseShape.project([1.2, 0.4], p, 0, 2);
    expect(p).toEqual([1.2, 0]);
    const q = [0, -5];
    quadEllipseShape.project([-1, 2, -0.3, 0.7], q, 0, 2);
    expect(q[0]).toBe(0);
    expect(q[1]).toBe(-0.3);
  });

  test('quarters join without a step: g, its gradient and the projection are continuous across both axes', () => {
    const random = createRandom(222);
    for (let n = 0; n < 500; n++) {
      const radii = randomRadii(random);
      const far = within(random, 5);
      for (const axis of [0, 1]) {
        const sides = [-1e-13, 1e-13].map((offset) => {
          const x = axis === 0 ? [offset, far] : [far, offset];
          const gradient = [0, 0];
          quadEllipseShape.gradient(radii, x, 0, 2, gradient, 0);
          const p = [...x];
          quadEllipseShape.project(radii, p, 0, 2);
          return { value: quadEllipseShape.value(radii, x, 0, 2), gradient, p };
        });
        expect(sides[0].value).toBeCloseTo(sides[1].value, 12);
        // Gradient across the axis is 2 offset / r^2, r at least 0.1.
        expectClose(sides[0].gradient, sides[1].gradient, 1e-10);
        expectClose(sides[0].p, sides[1].p, 1e-12);
      }
    }
  });

  test('a quad-ellipse with equal opposite radii is the ellipse', () => {
    const random = createRandom(223);
    for (let n = 0; n < 500; n++) {
      const [a, b] = [0.1 + random(), 0.1 + 2 * random()];
      const x = [within(random, 4), within(random, 4)];
      const y = [...x];
      ellipseShape.project([a, b], x, 0, 2);
      quadEllipseShape.project([-a, a, -b, b], y, 0, 2);
      expect(y).toEqual(x);
    }
  });

  test('radial scaling would be up to 0.69 rad off for radii 1.2 and 0.4 and |r| <= pi', () => {
    const [a, b] = [1.2, 0.4];
    let worst = 0;
    for (let i = 0; i <= 400; i++) {
      for (let j = 0; j <= 100; j++) {
        const phi = (Math.PI / 2) * (i / 400);
        const r = Math.PI * (j / 100);
        const [x, y] = [r * Math.cos(phi), r * Math.sin(phi)];
        const g = ellipseShape.value([a, b], [x, y], 0, 2);
        if (g <= 0) continue;
        const p = [x, y];
        ellipseShape.project([a, b], p, 0, 2);
        const k = 1 / Math.sqrt(1 + g);
        worst = Math.max(worst, Math.hypot(k * x - p[0], k * y - p[1]));
      }
    }
    expect(worst).toBeGreaterThan(0.68);
    expect(worst).toBeLessThan(0.7);
  });
});
