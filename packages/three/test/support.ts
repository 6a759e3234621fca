import { createState, type Figure, forwardKinematics, type JointData } from 'poise/figure';
import {
  Bone,
  BufferGeometry,
  Group,
  Matrix4,
  Object3D,
  Quaternion,
  Skeleton,
  SkinnedMesh,
  Vector3,
} from 'three';
import { expect } from 'vitest';
import type { FigureBinding } from '../src/index.js';

/** Seed of the run's property tests. */
const RUN_SEED = Number(process.env.POISE_SEED ?? 19970301);

/** Numbers in [0, 1): mulberry32 on the run's seed and a salt of the test's own. */
export function createRandom(salt: number): () => number {
  let state = (RUN_SEED ^ Math.imul(salt + 1, 0x9e3779b1)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function within(random: () => number, size: number): number {
  return (2 * random() - 1) * size;
}

export function randomVector(random: () => number, size = 1): Vector3 {
  return new Vector3(within(random, size), within(random, size), within(random, size));
}

export function randomQuaternion(random: () => number): Quaternion {
  const q = new Quaternion(within(random, 1), within(random, 1), within(random, 1), within(random, 1));
  return q.length() > 0.1 ? q.normalize() : randomQuaternion(random);
}

/** A random tree of `count` named objects under a group; each gets the scale that `scaleOf` says. */
export function randomTree(
  random: () => number,
  count: number,
  scaleOf: (index: number) => Vector3 = () => new Vector3(1, 1, 1),
): { root: Group; objects: Object3D[] } {
  const root = new Group();
  root.name = 'root';
  const objects: Object3D[] = [];
  for (let i = 0; i < count; i++) {
    const object = new Object3D();
    object.name = `part${i}`;
    object.position.copy(randomVector(random));
    object.quaternion.copy(randomQuaternion(random));
    object.scale.copy(scaleOf(i));
    (i === 0 ? root : objects[Math.floor(random() * i)]).add(object);
    objects.push(object);
  }
  return { root, objects };
}

/** Turns, moves and scales a root inside a scene that is turned and moved itself. */
export function placeInScene(root: Object3D, random: () => number, scale: number): Object3D {
  const scene = new Object3D();
  scene.position.copy(randomVector(random, 5));
  scene.quaternion.copy(randomQuaternion(random));
  root.position.copy(randomVector(random, 3));
  root.quaternion.copy(randomQuaternion(random));
  root.scale.setScalar(scale);
  scene.add(root);
  scene.updateMatrixWorld(true);
  return scene;
}

/** One joint of each type in turn, with oblique axes. */
export function jointNumber(i: number, random: () => number): JointData {
  const axis = randomVector(random).addScalar(0.01).normalize().toArray();
  const all: JointData[] = [
    { type: 'ball' },
    { type: 'hinge', axis },
    { type: 'ball-and-socket', axis },
    { type: 'swing', axis },
    { type: 'free' },
    { type: 'euler', order: 'ZXY' },
    { type: 'slider', axis },
    { type: 'fixed' },
  ];
  return all[i % all.length];
}

/** A pose with angles up to `max` rad and positions up to 0.5 m. */
export function randomPose(figure: Figure, random: () => number, max = 1.6): Float64Array {
  const pose = Float64Array.from({ length: figure.dof }, () => within(random, max / Math.sqrt(3)));
  for (const { joint, coordinate } of figure.bones) {
    if (joint.type === 'free') for (let n = 0; n < 3; n++) pose[coordinate + n] = within(random, 0.5);
  }
  return pose;
}

/** Twelve numbers, rotation row by row and then position, in three's own matrix. */
export function matrixOf(m: ArrayLike<number>): Matrix4 {
  return new Matrix4().set(
    m[0],
    m[1],
    m[2],
    m[9],
    m[3],
    m[4],
    m[5],
    m[10],
    m[6],
    m[7],
    m[8],
    m[11],
    0,
    0,
    0,
    1,
  );
}

/** worldFromBone of a bone as the solver has it, in three's own matrix. */
export function solverMatrices(figure: Figure, pose: Float64Array): Matrix4[] {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return figure.bones.map(({ index }) => matrixOf(state.worldFromBone.subarray(12 * index)));
}

/** Largest difference of two matrices, entry by entry; NaN stays NaN. */
export function matrixGap(a: Matrix4, b: Matrix4): number {
  return gap(a.elements, b.elements);
}

export function gap(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let largest = 0;
  for (let i = 0; i < a.length; i++) {
    const d = Math.abs(a[i] - b[i]);
    if (!(d <= largest)) largest = d;
  }
  return largest;
}

/** A skinned mesh made in code: a spine of three bones with an arm of three on it, as a loader would build it. */
export function skinnedMesh(): {
  mesh: SkinnedMesh;
  bones: Record<string, Bone>;
  armature: Group;
  scene: Group;
} {
  const bones: Record<string, Bone> = {};
  const add = (name: string, parent: Object3D, position: [number, number, number]) => {
    const bone = new Bone();
    bone.name = name;
    bone.position.set(...position);
    bone.rotation.set(0.1, -0.2, 0.3);
    parent.add(bone);
    bones[name] = bone;
    return bone;
  };
  const scene = new Group();
  const armature = new Group();
  armature.name = 'Armature';
  scene.add(armature);
  const hips = add('Hips', armature, [0, 90, 0]);
  const spine = add('Spine', hips, [0, 20, 0]);
  const chest = add('Chest', spine, [0, 25, 2]);
  const shoulder = add('Shoulder', chest, [10, 15, 0]);
  const elbow = add('Elbow', shoulder, [28, 0, 0]);
  add('Hand', elbow, [26, 0, 0]);
  scene.updateMatrixWorld(true);
  const mesh = new SkinnedMesh(new BufferGeometry());
  mesh.name = 'Body';
  armature.add(mesh);
  mesh.bind(new Skeleton(Object.values(bones)), new Matrix4());
  return { mesh, bones, armature, scene };
}

/** World matrix that an object is to have: frame, in metres, then bone, then scale `output` on the diagonal. */
export function expectedWorld(binding: FigureBinding, worldFromBone: Matrix4, output: Vector3): Matrix4 {
  const frame = binding.frame?.matrixWorld ?? new Matrix4();
  const metres = new Matrix4().makeScale(1 / binding.unit, 1 / binding.unit, 1 / binding.unit);
  return frame.clone().multiply(metres).multiply(worldFromBone).scale(output);
}

/** Product of the scales of an object and all above it up to the frame, times the unit. */
export function outputScale(object: Object3D, binding: FigureBinding): Vector3 {
  const scale = new Vector3(1, 1, 1).multiplyScalar(binding.unit);
  for (let one: Object3D | null = object; one && one !== binding.frame; one = one.parent)
    scale.multiply(one.scale);
  return scale;
}

/** Writes a pose and compares every bound object's world matrix with the solver's, by way of the frame. */
export function expectWritten(
  binding: FigureBinding,
  scene: Object3D,
  pose: Float64Array,
  tolerance: number,
): void {
  binding.writePose(pose);
  scene.updateMatrixWorld(true);
  const wanted = solverMatrices(binding.figure, pose);
  binding.objects.forEach((object, b) => {
    if (!object) return;
    const expected = expectedWorld(binding, wanted[b], outputScale(object, binding));
    expect(matrixGap(object.matrixWorld, expected), object.name).toBeLessThan(tolerance);
  });
}

/** Bones made in code for a figure, at rest, under a group. */
export function bonesOf(figure: Figure, scale = 1): { root: Group; bones: Record<string, Bone> } {
  const root = new Group();
  root.name = 'character';
  root.scale.setScalar(scale);
  const bones: Record<string, Bone> = {};
  for (const { name, parent, rest } of figure.bones) {
    const bone = new Bone();
    bone.name = name;
    bone.position.set(...rest.position);
    bone.quaternion.set(...rest.rotation);
    (parent < 0 ? root : bones[figure.bones[parent].name]).add(bone);
    bones[name] = bone;
  }
  root.updateMatrixWorld(true);
  return { root, bones };
}

/** Position and quaternion of objects as they stand, to the bit. */
export function placements(objects: Iterable<Object3D>): number[] {
  return [...objects].flatMap(({ position, quaternion }) => [...position.toArray(), ...quaternion.toArray()]);
}
