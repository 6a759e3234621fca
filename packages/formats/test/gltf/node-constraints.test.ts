/** Node constraints as @pixiv/three-vrm-node-constraint updates them. */
import {
  VRMNodeConstraintLoaderPlugin,
  type VRMNodeConstraintManager,
} from '@pixiv/three-vrm-node-constraint';
import fc from 'fast-check';
import { createPose } from 'poise/figure';
import { quat } from 'poise/math';
import { quatFromRotationVector } from 'poise/rotation';
import type { Object3D } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { describe, expect, test } from 'vitest';
import { applyVrmConstraints, readGltfRig, vrmConstraints, writePosedGltf } from '../../src/index.js';
import { glb, openGlb } from './support/build.js';

type Constraint = Record<string, Record<string, unknown>>;

interface Node {
  name: string;
  children?: number[];
  translation?: number[];
  rotation?: number[];
  scale?: number[];
  extensions?: unknown;
}

function constrained(constraint: Constraint): { extensions: unknown } {
  return { extensions: { VRMC_node_constraint: { specVersion: '1.0', constraint } } };
}

function fileOf(nodes: readonly Node[]): Uint8Array {
  return glb(
    {
      asset: { version: '2.0' },
      scene: 0,
      scenes: [{ nodes: [0] }],
      nodes,
      extensionsUsed: ['VRMC_node_constraint'],
    },
    new Uint8Array(),
  );
}

const unit = fc
  .tuple(...[0, 1, 2, 3].map(() => fc.double({ min: -1, max: 1, noNaN: true })))
  .filter((q) => Math.hypot(...q) > 0.1)
  .map((q) => quat.normalize(q));
const axis = fc.constantFrom('X', 'Y', 'Z');
const weight = fc.double({ min: 0, max: 1, noNaN: true });
const side = fc.constantFrom('Positive', 'Negative');

/** An arm of upper arm, lower arm and hand, with a twist bone beside the hand, an eye, and two bones that follow each other in chains. */
const files = fc
  .record({
    rests: fc.array(unit, { minLength: 8, maxLength: 8 }),
    axis,
    weight,
    side,
    scale: fc.constantFrom(1, 0.01, 3),
  })
  .map(({ rests, axis: letter, weight: share, side: sign, scale }) =>
    fileOf([
      { name: 'root', children: [1, 5], rotation: rests[0], scale: [scale, scale, scale] },
      { name: 'upper', children: [2], translation: [0.1, 0.2, 0.3], rotation: rests[1] },
      { name: 'lower', children: [3, 4], translation: [0, 0.3, 0.1], rotation: rests[2] },
      { name: 'hand', translation: [0.2, 0.1, 0], rotation: rests[3] },
      {
        name: 'twist',
        translation: [0.1, 0.1, 0],
        rotation: rests[4],
        ...constrained({ roll: { source: 3, rollAxis: letter, weight: share } }),
      },
      {
        name: 'neck',
        children: [6],
        translation: [0, 0.5, 0],
        rotation: rests[5],
        ...constrained({ rotation: { source: 4, weight: share } }),
      },
      {
        name: 'eye',
        children: [7],
        translation: [0.02, 0.1, 0.1],
        rotation: rests[6],
        ...constrained({ aim: { source: 4, aimAxis: `${sign}${letter}`, weight: share } }),
      },
      {
        name: 'lid',
        translation: [0, 0.01, 0.1],
        rotation: rests[7],
        ...constrained({ roll: { source: 6, rollAxis: letter } }),
      },
    ]),
  ); // prettier-ignore

describe('constrained bones', () => {
  test('rotate as those of three-vrm', async () => {
    await fc.assert(
      fc.asyncProperty(
        files,
        fc.array(fc.double({ min: -1.7, max: 1.7, noNaN: true }), { minLength: 27, maxLength: 27 }),
        async (bytes, angles) => {
          const rig = readGltfRig(bytes);
          const constraints = vrmConstraints(rig);
          expect(constraints.map(({ type }) => type).sort()).toEqual(['aim', 'roll', 'roll', 'rotation']);
          const pose = createPose(rig.figure);
          for (let k = 0; k < pose.length; k++) pose[k] = angles[k % 27];
          const loader = new GLTFLoader();
          loader.register((parser) => new VRMNodeConstraintLoaderPlugin(parser));
          const gltf = await loader.parseAsync(bytes.slice().buffer as ArrayBuffer, '');
          const objects = new Map<string, Object3D>();
          gltf.scene.traverse((object) => objects.set(object.name, object));
          // The pose, as it is written, on the objects of three.
          const { json } = openGlb(writePosedGltf(rig, pose));
          for (const { name, rotation = [0, 0, 0, 1], translation = [0, 0, 0] } of json.nodes as Node[]) {
            objects.get(name)?.quaternion.fromArray(rotation);
            objects.get(name)?.position.fromArray(translation);
          }
          gltf.scene.updateMatrixWorld(true);
          (gltf.userData.vrmNodeConstraintManager as VRMNodeConstraintManager).update();

          applyVrmConstraints(rig.figure, constraints, pose);
          const written = openGlb(writePosedGltf(rig, pose)).json.nodes as Node[];
          for (const { name, rotation = [0, 0, 0, 1] } of written) {
            const theirs = (objects.get(name) as Object3D).quaternion;
            const angle = quat.angleBetween(rotation, quat.normalize(theirs.toArray()));
            expect(angle, name).toBeLessThan(1e-6);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('take a twist of the hand by the half', () => {
    const rig = readGltfRig(
      fileOf([
        { name: 'lower', children: [1, 2] },
        { name: 'hand', translation: [0.3, 0, 0] },
        {
          name: 'twist',
          translation: [0.15, 0, 0],
          ...constrained({ roll: { source: 1, rollAxis: 'X', weight: 0.5 } }),
        },
      ]), // prettier-ignore
    );
    const pose = createPose(rig.figure);
    const [, hand, twist] = ['lower', 'hand', 'twist'].map(
      (name) => rig.figure.bones.find((bone) => bone.name === name)?.coordinate as number,
    );
    pose[hand] = 0.8;
    applyVrmConstraints(rig.figure, vrmConstraints(rig), pose);
    expect(
      quat.angleBetween(
        quatFromRotationVector(pose.slice(twist, twist + 3)),
        quatFromRotationVector([0.4, 0, 0]),
      ),
    ).toBeLessThan(1e-12);
  });
});

describe('a constraint that is refused', () => {
  const of = (constraint: Constraint, more: Partial<Node> = {}): Uint8Array =>
    fileOf([
      { name: 'a', children: [1, 2], ...more },
      { name: 'b' },
      { name: 'c', ...constrained(constraint) },
    ]);

  test.each<[string, Uint8Array, string, RegExp]>([
    ['of no kind', of({}), 'invalid-file', /constraint$/],
    ['without a source', of({ roll: { rollAxis: 'X' } }), 'invalid-file', /roll\/source$/],
    [
      'of a node that is not there',
      of({ roll: { source: 9, rollAxis: 'X' } }),
      'out-of-range',
      /roll\/source$/,
    ],
    ['about no axis', of({ roll: { source: 1, rollAxis: 'PositiveX' } }), 'invalid-file', /roll\/rollAxis$/],
    ['that aims along no axis', of({ aim: { source: 1, aimAxis: 'X' } }), 'invalid-file', /aim\/aimAxis$/],
    ['of a weight over 1', of({ rotation: { source: 1, weight: 2 } }), 'out-of-range', /rotation\/weight$/],
    ['of itself', of({ rotation: { source: 2 } }), 'cycle', /constraint$/],
    [
      'below mirrored scale',
      of({ rotation: { source: 1 } }, { scale: [-1, 1, 1] }),
      'unsupported',
      /constraint$/,
    ],
  ])('%s', (_, bytes, code, path) => {
    expect(() => vrmConstraints(readGltfRig(bytes, { source: 'a.vrm' }))).toThrow(
      expect.objectContaining({ code, path: expect.stringMatching(path) }),
    );
  });

  test('of a hinge', () => {
    const rig = readGltfRig(of({ rotation: { source: 1 } }), {
      joints: (name) => (name === 'c' ? { type: 'hinge', axis: [1, 0, 0] } : undefined),
    });
    expect(() => vrmConstraints(rig)).toThrow(expect.objectContaining({ code: 'unsupported' }));
  });
});

test('thousands in a chain are ordered', () => {
  const count = 4000;
  const nodes = Array.from(
    { length: count },
    (_, k): Node => ({
      name: `n${k}`,
      ...(k === 0 && { children: Array.from({ length: count - 1 }, (_, c) => c + 1) }),
      ...(k > 0 && k < count - 1 && constrained({ rotation: { source: k + 1 } })),
    }),
  );
  const constraints = vrmConstraints(readGltfRig(fileOf(nodes)));
  expect(constraints).toHaveLength(count - 2);
  expect(constraints[0].source).toBe(count - 1);
});
