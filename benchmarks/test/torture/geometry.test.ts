import { describe, expect, test } from 'vitest';
import { depthOf, floorDepth, type Placed, place } from '../../src/torture/judge/geometry.js';
import type { Form, Triple } from '../../src/torture/scene.js';
import { rotationBy } from '../../src/torture/scenes/draw.js';
import { boxForm, NONE, UPRIGHT } from '../../src/torture/scenes/parts.js';

const ball = (radius: number): Form => ({ type: 'sphere', center: NONE, radius });
const capsule: Form = { type: 'capsule', from: [-1, 0, 0], to: [1, 0, 0], radius: 0.2 };
const cube = boxForm([0.5, 0.5, 0.5]);
const at = (form: Form, ...position: Triple): Placed => place(form, position, UPRIGHT);

describe('depth of two shapes', () => {
  test.each([
    ['balls', at(ball(1), 0, 0, 0), at(ball(0.5), 1.2, 0, 0), 0.3],
    ['balls apart', at(ball(1), 0, 0, 0), at(ball(0.5), 1.6, 0, 0), 0],
    ['a ball beside the middle of a capsule', at(capsule, 0, 0, 0), at(ball(0.5), 0.7, 0.6, 0), 0.1],
    ['a ball beyond the end of a capsule', at(capsule, 0, 0, 0), at(ball(0.5), 1.6, 0, 0), 0.1],
    ['a ball on a face', at(cube, 0, 0, 0), at(ball(0.3), 0.2, 0.7, 0.1), 0.1],
    ['a ball at a corner', at(cube, 0, 0, 0), at(ball(0.3), 0.6, 0.6, 0.6), 0.3 - Math.sqrt(0.03)],
    ['a ball with its centre inside', at(cube, 0, 0, 0), at(ball(0.3), 0.4, 0, 0), 0.4],
    ['a capsule through a box', at(capsule, 0, 0.4, 0), at(cube, 0, 0, 0), 0.3],
    ['boxes side by side', at(cube, 0, 0, 0), at(cube, 0.9, 0.3, 0.2), 0.1],
  ])('%s', (_, a, b, depth) => {
    expect(depthOf(a, b)).toBeCloseTo(depth, 7);
    expect(depthOf(b, a)).toBeCloseTo(depth, 7);
  });

  test('boxes at 45 degrees, edge on a face', () => {
    const tilted = place(cube, [0, 0.5 + Math.SQRT1_2 - 0.05, 0], rotationBy([0, 0, 1], Math.PI / 4));
    expect(depthOf(at(cube, 0, 0, 0), tilted)).toBeCloseTo(0.05, 10);
  });

  test('crossed edges', () => {
    const low = place(cube, [0, 0, 0], rotationBy([1, 0, 0], Math.PI / 4));
    const high = place(cube, [0, 2 * Math.SQRT1_2 - 0.05, 0], rotationBy([0, 0, 1], Math.PI / 4));
    expect(depthOf(low, high)).toBeCloseTo(0.05, 10);
  });

  test('in the floor', () => {
    expect(floorDepth(at(capsule, 0, 0.15, 0))).toBeCloseTo(0.05, 12);
    expect(floorDepth(at(cube, 0, 0.6, 0))).toBeCloseTo(-0.1, 12);
  });
});
