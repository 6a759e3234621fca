import { readGltfRig, writeFigureGltf } from '@poise/formats';
import { createFigure, createPose, createState, type Figure, forwardKinematics } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { mat3, rigid } from 'poise/math';
import { describe, expect, test } from 'vitest';
import { openGlb } from './support/build.js';
import { multiply, seenByGltfTransform, seenByThree } from './support/oracles.js';

const human = createHumanFigure();
const bent = createPose(human);
for (let i = 0; i < human.dof; i++) bent[i] = 0.3 * Math.sin(7 * i + 1);

/** Two roots, a bone without length, names that repeat the figure's. */
const forest = createFigure({
  name: 'a',
  bones: [
    { name: 'a', parent: null, joint: { type: 'free' } },
    {
      name: 'b',
      parent: 'a',
      rest: { position: [0, 0.5, 0], rotation: [0.6, 0, 0, 0.8] },
      joint: { type: 'ball' },
    },
    { name: 'c', parent: null, rest: { position: [3, 0, 0] }, joint: { type: 'slider', axis: [0, 0, 1] } },
  ],
});
const forestPose = Float64Array.from({ length: forest.dof }, (_, i) => 0.4 * Math.cos(3 * i));

const framesOf = (figure: Figure, pose: Float64Array) => {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return figure.bones.map(({ index }) =>
    Array.from(state.worldFromBone.subarray(12 * index, 12 * index + 12)),
  );
};
const columnMajor = (m: readonly number[]) => [
  ...[0, 3, 6, NaN, 1, 4, 7, NaN, 2, 5, 8, NaN, 9, 10, 11].map((k) => (Number.isNaN(k) ? 0 : m[k])),
  1,
];
const difference = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Math.max(...Array.from(a, (value, k) => Math.abs(value - b[k])));

describe.each([
  ['the human', human, bent],
  ['two trees', forest, forestPose],
])('writeFigureGltf of %s', (_, figure, pose) => {
  const bytes = writeFigureGltf(figure, pose);

  test('both readers see each bone where forward kinematics has it, and joint matrices from the rest', async () => {
    const posed = framesOf(figure, pose);
    const rest = framesOf(figure, new Float64Array(figure.dof));
    for (const { worlds, joints } of [await seenByGltfTransform(bytes), await seenByThree(bytes)]) {
      figure.bones.forEach(({ index }) => {
        expect(difference(worlds[index] as number[], columnMajor(posed[index]))).toBeLessThan(1e-14);
        // Inverse binds are single precision in glTF.
        const expected = multiply(columnMajor(posed[index]), columnMajor(rigid.inverse(rest[index])));
        expect(difference(joints[0][index], expected)).toBeLessThan(3e-7);
      });
    }
  });

  test('read back it has the same bones, posed as its rest', () => {
    const rig = readGltfRig(bytes);
    expect(rig.warnings).toEqual([]);
    const again = framesOf(rig.figure, new Float64Array(rig.figure.dof));
    const posed = framesOf(figure, pose);
    for (const { name, index, parent } of figure.bones) {
      const bone = rig.figure.bones.find((candidate) => candidate.name === name);
      expect(difference(again[bone?.index ?? -1], posed[index])).toBeLessThan(1e-14);
      if (parent >= 0) {
        expect(rig.figure.bones[bone?.parent ?? -1].name).toBe(figure.bones[parent].name);
      }
    }
    expect(rig.binding.skins.map(({ joints }) => joints.length)).toEqual([figure.bones.length]);
  });

  test('every vertex hangs whole from one bone, every bone has some, bounds and ranges are right', () => {
    const { json, binary } = openGlb(bytes);
    const { accessors, bufferViews, meshes } = json as unknown as {
      accessors: { bufferView: number; count: number; min?: number[]; max?: number[] }[];
      bufferViews: { byteOffset: number; byteLength: number }[];
      meshes: { primitives: { attributes: Record<string, number>; indices: number }[] }[];
    };
    const [{ attributes, indices }] = meshes[0].primitives;
    const viewOf = (accessor: number) => {
      const { byteOffset, byteLength } = bufferViews[accessors[accessor].bufferView];
      const chunk = (binary as Buffer).subarray(byteOffset, byteOffset + byteLength);
      return chunk.buffer.slice(chunk.byteOffset, chunk.byteOffset + byteLength);
    };
    const joints = new Uint16Array(viewOf(attributes.JOINTS_0));
    const weights = new Float32Array(viewOf(attributes.WEIGHTS_0));
    const positions = new Float32Array(viewOf(attributes.POSITION));
    const { count, min, max } = accessors[attributes.POSITION];
    expect([joints.length, weights.length, positions.length]).toEqual([4 * count, 4 * count, 3 * count]);
    expect(new Set(joints.filter((__, i) => i % 4 === 0)).size).toBe(figure.bones.length);
    expect(weights.every((weight, i) => weight === (i % 4 === 0 ? 1 : 0))).toBe(true);
    for (let k = 0; k < 3; k++) {
      const along = positions.filter((__, i) => i % 3 === k);
      expect([min?.[k], max?.[k]]).toEqual([Math.min(...along), Math.max(...along)]);
    }
    expect(Math.max(...new Uint32Array(viewOf(indices)))).toBe(count - 1);
  });
});

test('the body is as high as the human and stands on the floor, whatever its height', () => {
  for (const height of [1.2, 1.75, 2.1]) {
    const figure = createHumanFigure({ height });
    const { accessors } = openGlb(writeFigureGltf(figure, createPose(figure))).json as unknown as {
      accessors: { min: number[]; max: number[] }[];
    };
    expect(accessors[0].max[1]).toBeCloseTo(height, 6);
    expect(accessors[0].min[1]).toBeGreaterThan(-0.03 * height);
    expect(accessors[0].min[1]).toBeLessThan(0.03 * height);
  }
});

test('the capsule of a bone has about its mass', () => {
  // A cylinder of the density of water: radius from mass and length.
  const figure = createFigure({ bones: [{ name: 'arm', tip: [0, 2, 0], mass: 0.01 * Math.PI * 2 * 1000 }] });
  const { accessors } = openGlb(writeFigureGltf(figure, [])).json as unknown as {
    accessors: { min: number[]; max: number[] }[];
  };
  expect(accessors[0].max[0]).toBeCloseTo(0.1, 6);
  expect(accessors[0].max[1]).toBeCloseTo(2, 6);
});

test('a pose that does not fit and a figure without bones are refused', () => {
  expect(() => writeFigureGltf(human, [1, 2])).toThrow(expect.objectContaining({ code: 'wrong-size' }));
  expect(() =>
    writeFigureGltf(
      human,
      bent.map(() => Number.NaN),
    ),
  ).toThrow(expect.objectContaining({ code: 'not-finite' }));
  expect(() => writeFigureGltf(createFigure({ bones: [] }), [])).toThrow(
    expect.objectContaining({ code: 'unsupported' }),
  );
});

test('rotations written are unit quaternions', () => {
  const { nodes } = openGlb(writeFigureGltf(human, bent)).json as unknown as {
    nodes: { rotation?: number[] }[];
  };
  for (const { rotation } of nodes) if (rotation) expect(Math.hypot(...rotation)).toBeCloseTo(1, 15);
  expect(mat3.determinant(framesOf(human, bent)[3])).toBeCloseTo(1, 12);
});
