import { describe, expect, test } from 'vitest';
import type { BoneShape } from '../../../src/dynamics/collide/index.js';
import { createFigure } from '../../../src/figure/index.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import { createClearance, createSelfClearance } from '../../../src/spacetime/clearance/index.js';
import { loose, type Solid } from '../../dynamics/collide/support.js';
import { probe, shapesOf } from './support.js';

const DOF = 12;
const ROD: Solid = { type: 'capsule', from: [0, -0.5, 0], to: [0, 0.5, 0], radius: 0.1 };

/** Distance and gradient of two solids on free bones. */
function measure(a: Solid, b: Solid, pose: readonly number[]) {
  const figure = loose(2);
  const clearance = createClearance(
    figure,
    shapesOf(figure, (bone) => [a, b][bone]),
    { pairs: [[0, 1]] },
  );
  const { distances, gradients } = probe(clearance);
  const full = Float64Array.from({ length: DOF }, (_, k) => pose[k] ?? 0);
  return { distance: distances(full)[0], gradient: [...gradients(full)], clearance };
}

/** b pushed by d and a by -d: as every gradient of a distance is under moves of both. */
function expectPush(gradient: readonly number[], x: number, y: number, z: number): void {
  const expected = [x, y, z];
  for (let k = 0; k < 3; k++) {
    expect(gradient[k]).toBeCloseTo(expected[k], 12);
    expect(gradient[6 + k]).toBeCloseTo(-expected[k], 12);
  }
}

describe('two parallel capsules', () => {
  test('side by side have their witness in the middle of the overlap, so that a rotation does not separate them', () => {
    const { distance, gradient, clearance } = measure(ROD, ROD, [0.5, 0.2, 0]);
    expect(distance).toBeCloseTo(0.3, 14);
    expectPush(gradient, 1, 0, 0);
    // From y = -0.3 to 0.5: the middle is 0.1 over the second's and 0.1 under the first's centre, which is at 0.2.
    expect([...clearance.point]).toEqual([0.1, 0.1, 0].map((x) => expect.closeTo(x, 12)));
    expect(gradient.slice(3, 6)).toEqual([0, 0, 0.1].map((x) => expect.closeTo(x, 12)));
    expect(gradient.slice(9, 12)).toEqual([0, 0, 0.1].map((x) => expect.closeTo(x, 12)));
  });

  test('overlapping have the same formula', () => {
    const { distance, gradient } = measure(ROD, ROD, [0, 0, 0.05]);
    expect(distance).toBeCloseTo(-0.15, 14);
    expectPush(gradient, 0, 0, 1);
    expect(gradient.slice(3, 6)).toEqual([0, 0, 0].map((x) => expect.closeTo(x, 12)));
  });

  test('end to end are as far apart as their ends', () => {
    const { distance, gradient } = measure(ROD, ROD, [0, 1.5, 0]);
    expect(distance).toBeCloseTo(0.3, 14);
    expectPush(gradient, 0, 1, 0);
  });

  test('in one line overlap by both radii, with a perpendicular normal', () => {
    for (const y of [0, 0.3, -0.7]) {
      const { distance, gradient } = measure(ROD, ROD, [0, y, 0]);
      expect(distance).toBeCloseTo(-0.2, 14);
      expect(gradient[1]).toBeCloseTo(0, 12);
      expect(Math.hypot(gradient[0], gradient[2])).toBeCloseTo(1, 12);
      expectPush(gradient, gradient[0], gradient[1], gradient[2]);
    }
  });

  test('rotated slightly have a slightly smaller distance', () => {
    const { distance: level } = measure(ROD, ROD, [0.5, 0.2, 0]);
    for (let e = 1; e < 15; e++) {
      const angle = 10 ** -e;
      for (const axis of [3, 5]) {
        const pose = [0.5, 0.2, 0, 0, 0, 0];
        pose[axis] = angle;
        const { distance, gradient } = measure(ROD, ROD, pose);
        expect(Math.abs(distance - level)).toBeLessThan(0.8 * angle + 1e-15);
        expect(gradient.every(Number.isFinite)).toBe(true);
        expect(Math.hypot(...gradient.slice(0, 3))).toBeCloseTo(1, 12);
      }
    }
  });
});

test('crossing axes of two capsules: both radii deep, along the common normal', () => {
  const across: Solid = { type: 'capsule', from: [-0.4, 0, 0], to: [0.4, 0, 0], radius: 0.05 };
  for (const z of [0, 1e-14, -1e-14, 1e-9, -1e-9, 1e-3, -1e-3]) {
    const { distance, gradient } = measure(ROD, across, [0, 0, z]);
    expect(distance).toBeCloseTo(Math.abs(z) - 0.15, 14);
    expect(Math.abs(gradient[2])).toBeCloseTo(1, 12);
    if (z !== 0) expect(gradient[2]).toBeCloseTo(Math.sign(z), 12);
    expectPush(gradient, 0, 0, gradient[2]);
  }
});

test('concentric spheres are both radii deep, with an upward normal', () => {
  const ball: Solid = { type: 'sphere', radius: 0.3 };
  const { distance, gradient } = measure(ball, ball, [0, 0, 0]);
  expect(distance).toBeCloseTo(-0.6, 14);
  expectPush(gradient, 0, 1, 0);
});

test('a sphere in a box has the normal of the nearest face, and depth in proportion', () => {
  const ball: Solid = { type: 'sphere', radius: 0.1 };
  const box: Solid = { type: 'box', halfSizes: [0.5, 0.4, 0.3] };
  for (const [p, distance, out] of [
    [[0.45, 0, 0], -0.15, [1, 0, 0]],
    [[-0.45, 0.1, 0.1], -0.15, [-1, 0, 0]],
    [[0, -0.35, 0], -0.15, [0, -1, 0]],
    [[0, 0, 0.3], -0.1, [0, 0, 1]],
    [[0.53, 0.44, 0], -0.05, [0.6, 0.8, 0]],
  ] as const) {
    const found = measure(ball, box, p);
    expect(found.distance).toBeCloseTo(distance, 12);
    expectPush(found.gradient, out[0], out[1], out[2]);
    const swapped = measure(box, ball, [0, 0, 0, 0, 0, 0, ...p]);
    expect(swapped.distance).toBe(found.distance);
    expectPush(swapped.gradient, -out[0], -out[1], -out[2]);
    expect([...swapped.clearance.normal]).toEqual(out.map((x) => expect.closeTo(-x, 12)));
  }
});

test('parallel shins have a straight normal', () => {
  const figure = createHumanFigure();
  const clearance = createSelfClearance(figure);
  const nameOf = (bone: number) => figure.bones[bone].name;
  const row = clearance.rows.findIndex(
    ({ bone, otherBone }) => nameOf(bone) === 'leftLowerLeg' && nameOf(otherBone) === 'rightLowerLeg',
  );
  const { gradients } = probe(clearance);
  const gradient = gradients(new Float64Array(figure.dof)).subarray(row * figure.dof, (row + 1) * figure.dof);
  const of = (name: string) => {
    const { coordinate, dof } = figure.bones.find((bone) => bone.name === name) as (typeof figure.bones)[0];
    return [...gradient.subarray(coordinate, coordinate + dof)];
  };
  // Mirrored joints: the same numbers on both sides.
  expect(of('leftUpperLeg')).toEqual(of('rightUpperLeg').map((x) => expect.closeTo(x, 12)));
  expect(Math.max(...of('leftUpperLeg').map(Math.abs))).toBeGreaterThan(0.3);
});

test('coordinates that move both bones as one have no column; the source of a mimic joint on each side has', () => {
  const hinge = { type: 'hinge', axis: [0, 0, 1] } as const;
  const figure = createFigure({
    bones: [
      { name: 'root', joint: { type: 'free' } },
      { name: 'left', parent: 'root', rest: { position: [-1, 0, 0] }, joint: hinge },
      {
        name: 'right',
        parent: 'root',
        rest: { position: [1, 0, 0] },
        joint: hinge,
        mimic: { bone: 'left', polynomial: [0, -1] },
      },
    ],
  });
  const ball = { type: 'sphere', center: [0, 1, 0], radius: 0.1 } as const;
  const shapes: BoneShape[] = [
    { ...ball, bone: 'left' },
    { ...ball, bone: 'right' },
  ];
  const clearance = createClearance(figure, shapes);
  expect(clearance.rows.map(({ columns }) => [...columns])).toEqual([[6]]);
  const { distances, gradients } = probe(clearance);
  const pose = [0.3, 0.1, -0.2, 0.5, 0.4, 0.3, 0.2];
  // The balls stand at -+(1 + sin a): they move together as the angle grows below zero.
  expect(distances(pose)[0]).toBeCloseTo(1.8 + 2 * Math.sin(0.2), 12);
  expect(gradients(pose)[6]).toBeCloseTo(2 * Math.cos(0.2), 12);
});
