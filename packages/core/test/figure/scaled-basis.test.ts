import { Matrix3, Matrix4, Object3D, Vector3 } from 'three';
import { describe, expect, test } from 'vitest';
import { convertDirection, convertNormal, scaledBasisBetween } from '../../src/figure/index.js';
import * as affine from '../../src/math/geometry/affine.js';
import { createRandom, direction, expectClose, rowsOf, within } from './support.js';

/** A random tree with unequal and mirroring scales, ours and three.js' side by side. */
function randomTree(random: () => number, count: number) {
  const nodes: Object3D[] = [];
  const parents: number[] = [];
  const scene = new Object3D();
  const transforms: number[] = [];
  for (let n = 0; n < count; n++) {
    const parent = n === 0 ? -1 : Math.floor(random() * (n + 1)) - 1;
    const position = [within(random, 1), within(random, 1), within(random, 1)];
    const rotation = direction(random, 4);
    const scale = [0, 1, 2].map(() => (0.5 + random()) * (random() < 0.1 ? -1 : 1));
    const node = new Object3D();
    node.position.fromArray(position);
    node.quaternion.fromArray(rotation);
    node.scale.fromArray(scale);
    (parent < 0 ? scene : nodes[parent]).add(node);
    nodes.push(node);
    parents.push(parent);
    transforms.push(...affine.fromTranslationRotationScale(position, rotation, scale));
  }
  scene.updateMatrixWorld(true);
  const world = (node: number) => (node < 0 ? new Matrix4() : nodes[node].matrixWorld.clone());
  return { parents, transforms, world };
}

describe('bases with scale', () => {
  test('scaledBasisBetween is three.js` inverse(world target) times world source, for all pairs', () => {
    const random = createRandom(310);
    const { parents, transforms, world } = randomTree(random, 15);
    for (let target = -1; target < 15; target++) {
      for (let source = -1; source < 15; source++) {
        const expected = rowsOf(world(target).invert().multiply(world(source)));
        const size = Math.max(1, ...expected.map(Math.abs));
        const ours = scaledBasisBetween(parents, transforms, target, source);
        expectClose(
          Array.from(ours, (x) => x / size),
          expected.map((x) => x / size),
          1e-12,
        );
      }
    }
  });

  test('there and back is the identity, for points and for vectors', () => {
    const random = createRandom(311);
    const { parents, transforms } = randomTree(random, 15);
    for (let n = 0; n < 100; n++) {
      const [a, b] = [Math.floor(random() * 15), Math.floor(random() * 15)];
      const aFromB = scaledBasisBetween(parents, transforms, a, b);
      const bFromA = scaledBasisBetween(parents, transforms, b, a);
      const point = [within(random, 1), within(random, 1), within(random, 1)];
      expectClose(affine.transformPoint(bFromA, affine.transformPoint(aFromB, point)), point, 1e-11);
      expectClose(affine.transformVector(bFromA, affine.transformVector(aFromB, point)), point, 1e-11);
    }
  });

  test('the common ancestors cancel, also where they are singular', () => {
    const flat = affine.fromTranslationRotationScale([1e6, 0, 0], [0, 0, 0, 1], [0, 1, 1]);
    const left = affine.fromTranslationRotationScale([1, 2, 3], [0, 0, 0, 1], [2, 2, 2]);
    const right = affine.fromTranslationRotationScale([-1, 2, 3], [0, 0, 0, 1], [1, 4, 1]);
    const tree = [...flat, ...left, ...right];
    const ours = scaledBasisBetween([-1, 0, 0], tree, 1, 2);
    expect(Array.from(ours)).toEqual([0.5, 0, 0, 0, 2, 0, 0, 0, 0.5, -1, 0, 0]);
  });

  test('a scale of zero on the way to the target is singular; on the way from the source it is not', () => {
    const flat = affine.fromTranslationRotationScale([0, 0, 0], [0, 0, 0, 1], [1, 0, 1]);
    expect(() => scaledBasisBetween([-1], flat, 0, -1)).toThrow(
      expect.objectContaining({ name: 'DomainError', code: 'singular' }),
    );
    expect(Array.from(scaledBasisBetween([-1], flat, -1, 0))).toEqual(flat);
  });

  test('unit directions and normals under unequal scale are three.js` transformDirection and normal matrix', () => {
    const random = createRandom(312);
    for (let n = 0; n < 100; n++) {
      const m = affine.fromTranslationRotationScale([1, 2, 3], direction(random, 4), [
        0.2 + random(),
        -0.2 - random(),
        0.2 + random(),
      ]);
      const matrix = new Matrix4().fromArray(affine.toColumnMajor4(m));
      const d = direction(random);
      expectClose(convertDirection(m, d), new Vector3(...d).transformDirection(matrix).toArray(), 1e-14);
      const normalMatrix = new Matrix3().getNormalMatrix(matrix);
      expectClose(
        convertNormal(m, d),
        new Vector3(...d).applyMatrix3(normalMatrix).normalize().toArray(),
        1e-13,
      );
      // A normal stays normal to what it was normal to.
      const across = new Vector3(...d).cross(new Vector3(...direction(random))).toArray();
      const moved = affine.transformVector(m, across);
      const normal = convertNormal(m, d);
      expect(normal.reduce((sum, x, k) => sum + x * moved[k], 0)).toBeCloseTo(0, 13);
    }
  });

  test('throws for a direction mapped to zero, and for an unknown node', () => {
    const flat = affine.fromTranslationRotationScale([0, 0, 0], [0, 0, 0, 1], [1, 0, 1]);
    expect(() => convertDirection(flat, [0, 1, 0])).toThrow(expect.objectContaining({ code: 'singular' }));
    expect(() => convertNormal(flat, [0, 1, 0])).toThrow(expect.objectContaining({ code: 'singular' }));
    expect(() => scaledBasisBetween([-1], flat, 1, 0)).toThrow(
      expect.objectContaining({ code: 'out-of-range', path: 'target' }),
    );
  });

  test('worked example of the lecture notes: the office in the door`s basis, forwards and backwards', () => {
    const doorFromOffice = affine.fromRowMajor4([0, 0, 1, 9, 0, 1, 0, 4, -1, 0, 0, 28, 0, 0, 0, 1]);
    const toDoor = scaledBasisBetween([-1], doorFromOffice, -1, 0);
    expect(affine.transformPoint(toDoor, [-2, -4, -10])).toEqual([-1, 0, 30]);
    const toOffice = scaledBasisBetween([-1], doorFromOffice, 0, -1);
    expectClose(affine.transformPoint(toOffice, [-1, 0, 30]), [-2, -4, -10], 0);
  });
});
