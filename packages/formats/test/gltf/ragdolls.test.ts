import { boneVertices, type ReadGltfRigOptions } from '@poise/formats';
import { readGltfRigFile } from '@poise/formats/node';
import { describeWithData } from '@poise/test-support/shared-data';
import {
  type BoneShape,
  createDynamics,
  createRagdoll,
  createSimulation,
  forwardDynamics,
  type Ragdoll,
  stepSimulation,
} from 'poise/dynamics';
import { createState, forwardKinematics } from 'poise/figure';
import { HUMAN_BONES } from 'poise/humanoid';
import { quat, rigid } from 'poise/math';
import { expect, test } from 'vitest';

interface Wanted {
  /** Share of the mesh's vertices that lie in a shape or within 2 cm of one, for a height of 1.75 m. */
  readonly covered: number;
  readonly humanBones: number;
  readonly anatomicalDof: number;
  readonly read?: ReadGltfRigOptions;
}

/** The feet of this rig are children of the root, animated there; below the shins they follow the legs. */
const underShins: ReadGltfRigOptions = {
  parents: (name) => (/^Foot\.[LR]$/.test(name) ? name.replace('Foot', 'LowerLeg') : undefined),
};

const RIGS: Readonly<Record<string, Wanted>> = {
  'gltf/CesiumMan.gltf': { covered: 0.97, humanBones: 19, anatomicalDof: 46 },
  'gltf/KayKit_Knight.glb': { covered: 0.8, humanBones: 18, anatomicalDof: 43 },
  'gltf/RobotExpressive.glb': { covered: 0.92, humanBones: 19, anatomicalDof: 48, read: underShins },
  'vrm/cryptovoxels.vrm': { covered: 0.98, humanBones: 21, anatomicalDof: 50 },
};

for (const [file, wanted] of Object.entries(RIGS)) {
  describeWithData(file, file, (path) => {
    const made = async (anatomical = false, mesh = true) => {
      const rig = await readGltfRigFile(path, wanted.read);
      const vertices = boneVertices(rig);
      const ragdoll = createRagdoll(rig.figure, {
        ...(mesh && { vertices }),
        joints: anatomical ? 'anatomical' : 'given',
      });
      return { rig, vertices, ragdoll };
    };

    test('is recognised, with the coordinates of the rig and all of its mass', async () => {
      const { rig, ragdoll } = await made();
      // Fingers, which some have, are beside them.
      const found = HUMAN_BONES.filter((name) => ragdoll.humanoid?.bones[name] !== undefined);
      expect(found.length).toBe(wanted.humanBones);
      expect(ragdoll.figure.bones.map(({ name, dof }) => [name, dof])).toEqual(
        rig.figure.bones.map(({ name, dof }) => [name, dof]),
      );
      expect(ragdoll.figure.bones.reduce((sum, { mass = 0 }) => sum + mass, 0)).toBe(ragdoll.mass);
      expect(ragdoll.shapes.length).toBeGreaterThanOrEqual(15);
      expect(ragdoll.shapes.length).toBeLessThanOrEqual(20);
    });

    test('has shapes that contain the mesh, and soles at those of the mesh', async () => {
      const { vertices, ragdoll } = await made();
      const { share, lowestPoint, lowestShape } = coverage(ragdoll, vertices);
      expect(share).toBeGreaterThan(wanted.covered);
      expect(Math.abs(lowestShape - lowestPoint)).toBeLessThan(0.01 * ragdoll.height);
    });

    test('is symmetric: shapes of left and right limbs have equal radii', async () => {
      const { ragdoll } = await made();
      const bones = ragdoll.humanoid?.bones ?? {};
      const radius = (bone: number | undefined): number => {
        const shape = ragdoll.shapes.find(
          ({ bone: name }) => name === ragdoll.figure.bones[bone ?? -1]?.name,
        );
        return shape && shape.type !== 'box' ? shape.radius : Number.NaN;
      };
      for (const suffix of ['UpperLeg', 'LowerLeg', 'UpperArm', 'LowerArm', 'Hand'] as const) {
        // The voxel rig's hands differ by a finger, the robot's by its joints.
        const ratio = radius(bones[`left${suffix}`]) / radius(bones[`right${suffix}`]);
        expect(ratio).toBeGreaterThan(0.8);
        expect(ratio).toBeLessThan(1.25);
      }
    });

    test.each([
      ['its own joints', false, true],
      ['anatomical joints', true, true],
      ['its own joints and no mesh', false, false],
    ])('with %s lies in no contact with itself, and forces make it move', async (_, anatomical, mesh) => {
      const { ragdoll } = await made(anatomical, mesh);
      if (anatomical) expect(ragdoll.figure.dof).toBe(wanted.anatomicalDof);
      const { figure } = ragdoll;
      const zero = new Float64Array(figure.dof);
      const dynamics = createDynamics(figure);
      expect(Array.from(forwardDynamics(dynamics, zero, zero, zero)).every(Number.isFinite)).toBe(true);
      expect(ownContacts(ragdoll)).toBe(0);
    });
  });
}

describeWithData('gltf/greenman.glb', 'gltf/greenman.glb', (path) => {
  test('is not a humanoid, and has a ragdoll bone by bone', async () => {
    const rig = await readGltfRigFile(path);
    const ragdoll = createRagdoll(rig.figure, { vertices: boneVertices(rig), mass: 60 });
    expect(ragdoll.humanoid).toBeUndefined();
    expect(ragdoll.shapes.map(({ bone }) => bone).sort()).toEqual(
      ['body_low', 'body_up', 'hand_L', 'hand_R', 'leg_L', 'leg_R'].sort(),
    );
    expect(ragdoll.figure.bones.reduce((sum, { mass = 0 }) => sum + mass, 0)).toBe(60);
    expect(ownContacts(ragdoll)).toBe(0);
  });
});

/** Contacts of a ragdoll with itself at rest: those of a first step without gravity that overlap. */
function ownContacts({ figure, shapes, exclude, damping }: Ragdoll): number {
  const options = { gravity: [0, 0, 0], collide: { exclude } };
  const simulation = createSimulation([{ figure, shapes, damping }], options);
  stepSimulation(simulation, 1 / 240);
  const { count, separation } = simulation.contacts;
  return Array.from(separation.subarray(0, count)).filter((distance) => distance < 0).length;
}

function coverage(
  { figure, shapes, height }: Ragdoll,
  vertices: Readonly<Record<string, Float64Array>>,
): { share: number; lowestPoint: number; lowestShape: number } {
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const frameOf = (name: string | number): Float64Array => {
    const b = figure.bones.findIndex((bone) => bone.name === name);
    return state.worldFromBone.subarray(12 * b, 12 * b + 12);
  };
  const placed = shapes.map((shape) => ({ shape, frame: frameOf(shape.bone) }));
  let [count, inside, lowestPoint, lowestShape] = [0, 0, Infinity, Infinity];
  for (const { shape, frame } of placed) lowestShape = Math.min(lowestShape, lowestOf(shape, frame));
  for (const [name, points] of Object.entries(vertices)) {
    for (let i = 0; i < points.length; i += 3) {
      const world = rigid.transformPoint(frameOf(name), points.subarray(i, i + 3));
      const distance = Math.min(
        ...placed.map(({ shape, frame }) => distanceTo(shape, rigid.inverseTransformPoint(frame, world))),
      );
      count++;
      if (distance <= (0.02 / 1.75) * height) inside++;
      lowestPoint = Math.min(lowestPoint, world[1]);
    }
  }
  return { share: inside / count, lowestPoint, lowestShape };
}

/** Distance of a point in the frame of the bone from a shape, 0 or less inside. */
function distanceTo(shape: BoneShape, point: readonly number[]): number {
  if (shape.type === 'box') {
    const { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = shape.placement ?? {};
    const own = quat.rotate(
      quat.conjugate(rotation),
      point.map((x, k) => x - position[k]),
    );
    return Math.hypot(...own.map((x, k) => Math.max(0, Math.abs(x) - shape.halfSizes[k])));
  }
  const from = shape.type === 'sphere' ? (shape.center ?? [0, 0, 0]) : shape.from;
  const to = shape.type === 'sphere' ? from : shape.to;
  const along = to.map((x, k) => x - from[k]);
  const square = along.reduce((sum, x) => sum + x * x, 0);
  const t = square > 0 ? along.reduce((sum, x, k) => sum + x * (point[k] - from[k]), 0) / square : 0;
  const on = Math.min(Math.max(t, 0), 1);
  return Math.hypot(...point.map((x, k) => x - from[k] - on * along[k])) - shape.radius;
}

function lowestOf(shape: BoneShape, frame: Float64Array): number {
  if (shape.type === 'box') {
    const { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = shape.placement ?? {};
    const heights = Array.from({ length: 8 }, (_, corner) => {
      const half = shape.halfSizes.map((size, k) => ((corner >> k) & 1 ? size : -size));
      return rigid.transformPoint(
        frame,
        quat.rotate(rotation, half).map((x, k) => x + position[k]),
      )[1];
    });
    return Math.min(...heights);
  }
  const ends = shape.type === 'sphere' ? [shape.center ?? [0, 0, 0]] : [shape.from, shape.to];
  return Math.min(...ends.map((end) => rigid.transformPoint(frame, end)[1])) - shape.radius;
}
