import { readGltfRig, worldMatrices, writePosedGltf } from '@poise/formats';
import fc from 'fast-check';
import { createState, forwardKinematics } from 'poise/figure';
import { mat3, quat } from 'poise/math';
import { describe, expect, test } from 'vitest';
import { buildGlb, buildGltf, openGlb, type TestFile, type TestNode } from './support/build.js';
import { compareWithOracles, randomPose } from './support/compare.js';
import { seenByGltfTransform } from './support/oracles.js';
import * as rigs from './support/rigs.js';

const exact: Record<string, TestFile> = {
  'centimetre armature, z up': rigs.centimetreArmature,
  'nested uniform scales': rigs.nestedUniform,
  'mirrored scales': rigs.mirrored,
  'several roots, two skins that share a joint': rigs.severalRootsAndSkins,
  'no skin': rigs.noSkin,
  'matrix nodes, scaled and mirrored': rigs.matrixNodes,
  'a chain of 100': rigs.longChain,
  'non-uniform scale on leaves': rigs.nonUniformLeaf,
};

describe('where every scale above a bone is uniform or a mirror', () => {
  for (const [name, file] of Object.entries(exact)) {
    test(`${name}: both readers see the solved pose in the written file`, async () => {
      const rig = readGltfRig(buildGlb(file));
      expect(rig.warnings).toEqual([]);
      expect(rig.binding.bones.every((bone) => bone.exact)).toBe(true);
      for (const seed of [0, 1, 2, 3, 4]) {
        const pose = seed === 0 ? new Float64Array(rig.figure.dof) : randomPose(rig, seed);
        const seen = await compareWithOracles(rig, pose);
        expect(seen.gltfTransform).toBeLessThan(1e-13);
        expect(seen.three).toBeLessThan(1e-12);
        expect(seen.origins).toBeLessThan(1e-13);
        expect(seen.linear).toBeLessThan(1e-12);
      }
    });

    test(`${name}: as .gltf too`, async () => {
      const rig = readGltfRig(buildGltf(file));
      const pose = randomPose(rig, 9);
      const seen = await compareWithOracles(rig, pose);
      expect(seen.gltfTransform).toBeLessThan(1e-13);
      const again = readGltfRig(writePosedGltf(rig, pose));
      expect(again.document.kind).toBe('gltf');
      expect(Array.from(worldMatrices(again, new Float64Array(again.figure.dof)))).toEqual(
        Array.from(worldMatrices(rig, pose)),
      );
    });
  }

  test('any hierarchy with uniform and mirrored scales', async () => {
    await fc.assert(
      fc.asyncProperty(hierarchy(uniformScale), fc.nat(1e6), async (nodes, seed) => {
        const rig = readGltfRig(buildGlb({ nodes }));
        const seen = await compareWithOracles(rig, randomPose(rig, seed, 3));
        expect(Math.max(seen.gltfTransform, seen.three, seen.origins, seen.linear)).toBeLessThan(1e-11);
      }),
      { numRuns: 60 },
    );
  });

  test('bone frames stay right-handed and the scale is in the output matrix', () => {
    const rig = readGltfRig(buildGlb(rigs.mirrored));
    const state = createState(rig.figure);
    forwardKinematics(state, new Float64Array(rig.figure.dof));
    const wanted = [-1, -1, 8, 8, -1, -1];
    rig.binding.bones.forEach((bone, b) => {
      const rotation = state.worldFromBone.subarray(12 * b, 12 * b + 9);
      expect(mat3.determinant(rotation)).toBeCloseTo(1, 12);
      expect(mat3.determinant(bone.outputMatrix)).toBeCloseTo(wanted[b], 12);
    });
  });
});

describe('a centimetre armature', () => {
  const rig = readGltfRig(buildGlb(rigs.centimetreArmature));
  const bone = (name: string) => rig.figure.bones.find((entry) => entry.name === name);

  test('lengths are metres: 45 cm of spine are 0.45', () => {
    expect(Math.hypot(...(bone('Neck')?.rest.position ?? []))).toBeCloseTo(0.45, 15);
    // 100 cm up along the armature's z, which is the world's y.
    const state = createState(rig.figure);
    forwardKinematics(state, new Float64Array(rig.figure.dof));
    const hips = Array.from(state.worldFromBone.subarray(12 + 9, 12 + 12));
    expect(hips[0]).toBeCloseTo(0, 15);
    expect(hips[1]).toBeCloseTo(1, 15);
    expect(hips[2]).toBeCloseTo(0, 15);
  });

  test('the rotations of the figure are those of the nodes', () => {
    for (const { name, rotation } of rigs.centimetreArmature.nodes) {
      expect(quat.angleBetween(bone(name ?? '')?.rest.rotation ?? [], rotation ?? [0, 0, 0, 1])).toBeLessThan(
        1e-15,
      );
    }
  });

  test('a metre of root motion is a hundred units in the file, and no other node changes', () => {
    const pose = new Float64Array(rig.figure.dof);
    const hips = bone('Hips')?.coordinate ?? -1;
    pose[hips] = 1; // along the rest axes of the joint: the armature's axes turned by the hips' rest rotation
    const before = rig.document.json.nodes as TestNode[];
    const after = openGlb(writePosedGltf(rig, pose)).json.nodes as TestNode[];
    after.forEach((node, i) => {
      if (i !== 1) expect(node).toEqual(before[i]);
    });
    // Rest rotation of the hips: 90 degrees about z, so their x axis is the armature's y.
    const [x, y, z] = after[1].translation as number[];
    expect(x).toBeCloseTo(0, 12);
    expect(y).toBeCloseTo(100, 12);
    expect(z).toBeCloseTo(100, 12);
    expect(quat.angleBetween(after[1].rotation ?? [], before[1].rotation ?? [])).toBeLessThan(1e-15);
  });

  test('turning a joint by J writes R J: a quarter turn of the neck about its own x', () => {
    const pose = new Float64Array(rig.figure.dof);
    pose[bone('Neck')?.coordinate ?? -1] = Math.PI / 2;
    const before = rig.document.json.nodes as TestNode[];
    const after = openGlb(writePosedGltf(rig, pose)).json.nodes as TestNode[];
    const wanted = quat.multiply(before[3].rotation as number[], rigs.rotationAbout([1, 0, 0], 90));
    expect(quat.angleBetween(after[3].rotation as number[], wanted)).toBeLessThan(1e-15);
    expect(Object.keys(after[3])).toEqual(Object.keys(before[3]));
    expect(after[3].translation).toEqual(before[3].translation);
    expect(after.filter((node, i) => JSON.stringify(node) !== JSON.stringify(before[i]))).toHaveLength(1);
  });
});

describe('below non-uniform scale', () => {
  for (const [name, file, node] of [
    ['an armature', rigs.nonUniformArmature, 0],
    ['a spine that is mirrored too', rigs.nonUniformSpine, 2],
  ] as const) {
    test(`${name}: rest is exact, a pose keeps every bone origin, and a warning names the node`, async () => {
      const rig = readGltfRig(buildGlb(file), { source: 'rig.glb' });
      expect(rig.warnings).toHaveLength(1);
      expect(rig.warnings[0]).toContain(`rig.glb#/nodes/${node}: has non-uniform scale`);
      const rest = await compareWithOracles(rig, new Float64Array(rig.figure.dof));
      expect(Math.max(rest.gltfTransform, rest.three, rest.origins, rest.linear)).toBeLessThan(1e-12);
      for (const seed of [1, 2, 3, 4]) {
        const seen = await compareWithOracles(rig, randomPose(rig, seed));
        expect(seen.gltfTransform).toBeLessThan(1e-13);
        expect(seen.three).toBeLessThan(1e-12);
        expect(seen.origins).toBeLessThan(1e-12);
        // What glTF cannot say: the shear. If this were small, the claim "approximate" would be false modesty.
        expect(seen.linear).toBeGreaterThan(1e-3);
        expect(seen.linear).toBeLessThan(2);
      }
    });
  }

  test('any hierarchy with any scale: matrices as stated, origins as solved', async () => {
    await fc.assert(
      fc.asyncProperty(hierarchy(anyScale), fc.nat(1e6), async (nodes, seed) => {
        const rig = readGltfRig(buildGlb({ nodes }));
        const seen = await compareWithOracles(rig, randomPose(rig, seed, 3));
        expect(Math.max(seen.gltfTransform, seen.three)).toBeLessThan(1e-11);
        expect(seen.origins).toBeLessThan(1e-9);
      }),
      { numRuns: 60 },
    );
  });

  test('bones that do not move keep their nodes, bones below a moved one make up for the shear', () => {
    const rig = readGltfRig(buildGlb(rigs.nonUniformSpine));
    const pose = new Float64Array(rig.figure.dof);
    const neck = rig.figure.bones.find((bone) => bone.name === 'Neck');
    pose[neck?.coordinate ?? -1] = 0.7;
    const before = rig.document.json.nodes as TestNode[];
    const after = openGlb(writePosedGltf(rig, pose)).json.nodes as TestNode[];
    const changed = after.flatMap((node, i) =>
      JSON.stringify(node) === JSON.stringify(before[i]) ? [] : [node.name],
    );
    expect(changed).toEqual(['Neck', 'Head']);
    // The neck is a child of the scaled spine itself: its origin is unchanged, to the bit.
    expect(after[3].translation).toEqual(before[3].translation);
  });

  test('the written rotation is the nearest: no small turn of it comes closer to the wanted matrix', async () => {
    const rig = readGltfRig(buildGlb(rigs.nonUniformSpine));
    const pose = new Float64Array(rig.figure.dof);
    const neck = rig.figure.bones.findIndex((bone) => bone.name === 'Neck');
    pose[rig.figure.bones[neck].coordinate] = 0.7;
    pose[rig.figure.bones[neck].coordinate + 2] = -0.9;
    const written = (openGlb(writePosedGltf(rig, pose)).json.nodes as TestNode[])[3].rotation as number[];
    const state = createState(rig.figure);
    forwardKinematics(state, pose);
    // L^-1 R_F A, with L the world linear part of the spine, from the oracle.
    const spine = (await seenByGltfTransform(writePosedGltf(rig, pose))).worlds[2] as number[];
    const l = [0, 4, 8, 1, 5, 9, 2, 6, 10].map((k) => spine[k]);
    const frame = state.worldFromBone.subarray(12 * neck, 12 * neck + 9);
    const wanted = mat3.multiply(mat3.inverse(l), mat3.multiply(frame, rig.binding.bones[neck].outputMatrix));
    const distance = (q: number[]) => mat3.frobeniusNorm(mat3.subtract(quat.toMatrix(q), wanted));
    const best = distance(written);
    expect(best).toBeGreaterThan(1e-3);
    for (const axis of [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [1, 1, 1],
    ]) {
      for (const degrees of [-5, -0.1, 0.1, 5]) {
        expect(distance(quat.multiply(written, rigs.rotationAbout(axis, degrees)))).toBeGreaterThan(best);
      }
    }
  });

  test('bone frames change little where a scale changes little, mirrors below it included', () => {
    const restOf = (scale: number[]) =>
      readGltfRig(
        buildGlb({ nodes: rigs.mirrored.nodes.map((node, i) => (i === 1 ? { ...node, scale } : node)) }),
      );
    const [uniform, almost] = [restOf([1, 1, 1]), restOf([1, 1 + 1e-5, 1 - 1e-5])];
    expect(almost.binding.bones.some((bone) => !bone.exact)).toBe(true);
    uniform.figure.bones.forEach(({ rest }, b) => {
      expect(quat.angleBetween(rest.rotation, almost.figure.bones[b].rest.rotation)).toBeLessThan(1e-4);
    });
  });

  test('a sheared matrix node is read as it stands', () => {
    const shear = [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0.2, 1.5, 0, 1, 2, 3, 1];
    const rig = readGltfRig(
      buildGlb({
        nodes: rigs.chain([{ matrix: shear }, { translation: [0, 1, 0] }, { translation: [1, 0, 1] }]),
      }),
    );
    expect(rig.warnings).toHaveLength(1);
    const pose = randomPose(rig, 4);
    const state = createState(rig.figure);
    forwardKinematics(state, pose);
    const worlds = worldMatrices(rig, pose);
    for (let b = 0; b < 3; b++) {
      for (let k = 0; k < 3; k++) {
        expect(worlds[16 * rig.binding.bones[b].node + 12 + k]).toBeCloseTo(
          state.worldFromBone[12 * b + 9 + k],
          12,
        );
      }
    }
    const rest = worldMatrices(rig, new Float64Array(rig.figure.dof));
    expect(Array.from(rest.subarray(0, 16))).toEqual(shear);
  });
});

const size = fc.double({ min: 0.3, max: 3, noNaN: true });
const sign = fc.constantFrom(-1, 1);
const uniformScale = fc.tuple(size, sign, sign, sign).map(([s, a, b, c]) => [a * s, b * s, c * s]);
const anyScale = fc
  .tuple(size, size, size, sign, sign, sign)
  .map(([x, y, z, a, b, c]) => [a * x, b * y, c * z]);

/** Trees of up to nine nodes, any parent among the earlier ones (or none). */
function hierarchy(scale: fc.Arbitrary<number[]>): fc.Arbitrary<TestNode[]> {
  const unit = fc.double({ min: -1, max: 1, noNaN: true });
  const node = fc.record({
    parent: fc.nat(20),
    translation: fc.tuple(unit, unit, unit),
    rotation: fc.tuple(unit, unit, unit, unit).filter((q) => quat.norm(q) > 0.1),
    scale: fc.option(scale, { nil: undefined }),
  });
  return fc.array(node, { minLength: 1, maxLength: 9 }).map((entries) => {
    const nodes: TestNode[] = entries.map((entry) => ({
      translation: [...entry.translation],
      rotation: quat.normalize(entry.rotation),
      ...(entry.scale && { scale: entry.scale }),
    }));
    entries.forEach(({ parent }, i) => {
      if (i === 0 || parent % (i + 1) === i) return;
      const above = nodes[parent % (i + 1)];
      above.children = [...(above.children ?? []), i];
    });
    return nodes;
  });
}
