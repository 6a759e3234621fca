import { createDynamics, type Dynamics } from '../../src/dynamics/index.js';
import type { BoneData, JointData } from '../../src/figure/data/types.js';
import {
  createFigure,
  createState,
  type Figure,
  type FigureData,
  forwardKinematics,
  ratesFromVelocity,
  updateMotionSubspaceV,
} from '../../src/figure/index.js';
import type { Numbers } from '../../src/math/linear/types.js';
import { createRandom, direction, randomFigureData, randomPose, within } from '../figure/support.js';
import { randomMimicPair } from '../figure/support-mimic.js';

/** The inertia of a few point masses about their centre: any body's, skew, never flat. */
export function randomInertia(random: () => number): [number, number, number, number, number, number] {
  const points = Array.from({ length: 5 }, () => [0, 1, 2].map(() => within(random, 0.3)));
  const center = [0, 1, 2].map((k) => points.reduce((sum, p) => sum + p[k], 0) / 5);
  const out: [number, number, number, number, number, number] = [0.01, 0.01, 0.01, 0, 0, 0];
  for (const point of points) {
    const [x, y, z] = point.map((p, k) => p - center[k]);
    out[0] += y * y + z * z;
    out[1] += x * x + z * z;
    out[2] += x * x + y * y;
    out[3] -= x * y;
    out[4] -= x * z;
    out[5] -= y * z;
  }
  return out;
}

/**
 * The same data with mass on its bones. A few inner ones go without, as the links of a chain of joints do: those whose joint leaves room for
 * that of a child with mass behind it, so that their motions are independent.
 */
export function withMass(data: FigureData, random: () => number): FigureData {
  const bare = new Set<string>();
  const single = (bone: BoneData) => ['fixed', 'hinge', 'slider'].includes(bone.joint?.type ?? 'fixed');
  for (const bone of data.bones) {
    const parent = data.bones.find(({ name }) => name === bone.parent);
    if (parent?.joint === undefined || parent.joint.type === 'free' || random() < 0.6) continue;
    if (single(bone) && !bare.has(bone.name) && !bare.has(parent.parent ?? '')) bare.add(parent.name);
  }
  const keepers = new Set<string>();
  for (const bone of data.bones) if (bare.has(bone.parent ?? '') && single(bone)) keepers.add(bone.name);
  return {
    bones: data.bones.map((bone): BoneData => {
      if (bare.has(bone.name) && !keepers.has(bone.name)) return bone;
      return {
        ...bone,
        mass: 0.2 + 2 * random(),
        centerOfMass: [within(random, 0.3), within(random, 0.3), within(random, 0.3)],
        inertia: randomInertia(random),
      };
    }),
  };
}

/** A figure and a state to try its dynamics at. */
export interface Trial {
  readonly figure: Figure;
  readonly dynamics: Dynamics;
  readonly pose: Float64Array;
  readonly velocity: Float64Array;
  /** v' */
  readonly acceleration: Float64Array;
  readonly tau: Float64Array;
  /** Forces on bones, 6 numbers each. */
  readonly external: Float64Array;
  readonly random: () => number;
}

/** A random forest of up to eleven bones of all joint types, masses, armature here and there, skew gravity. */
export function randomTrial(salt: number, { coupled = false, armature = true } = {}): Trial {
  const random = createRandom(salt);
  const count = 3 + Math.floor(9 * random());
  const bare = coupled ? undefined : randomFigureData(random, count);
  const data = bare ?? bonesOf(randomMimicPair(random, count + 4).figure);
  const figure = createFigure(withMass(data, random));
  const trial = {
    random,
    external: Float64Array.from({ length: 6 * figure.bones.length }, () => within(random, 5)),
  };
  return { ...trial, ...stateOf(figure, random, armature) };
}

function bonesOf({ bones }: Figure): FigureData {
  return {
    bones: bones.map(({ name, parent, rest, joint, mimic }) => ({
      name,
      parent: parent < 0 ? null : bones[parent].name,
      rest,
      joint,
      ...(mimic === undefined ? {} : { mimic }),
    })),
  };
}

/** A random state: swings up to 2 rad and Euler angles within 1 rad of the middle, away from where charts end; others up to 3. */
export function stateOf(figure: Figure, random: () => number, armature = true) {
  const vector = (size: number) => Float64Array.from({ length: figure.dof }, () => within(random, size));
  const pose = randomPose(figure, random, 3);
  for (const { joint, coordinate, dof } of figure.bones) {
    if (dof > 0) tame(joint, pose, coordinate, random);
  }
  // Followers by powers up to the fourth: within 1, so that they are not 100 times as fast as what leads them.
  for (const { coordinate } of figure.mimicJoints) pose[coordinate] = within(random, 1);
  return {
    figure,
    dynamics: createDynamics(figure, {
      gravity: [1.3, -9.81, 0.7],
      armature: Float64Array.from({ length: figure.dof }, () =>
        armature && random() < 0.3 ? 0.2 * random() : 0,
      ),
    }),
    pose,
    velocity: vector(2),
    acceleration: vector(4),
    tau: vector(10),
  };
}

function tame(joint: JointData, pose: Float64Array, i: number, random: () => number): void {
  if (joint.type === 'swing' || joint.type === 'ball-and-socket') {
    pose.set(
      direction(random, 2).map((x) => 2.4 * x * random()),
      i,
    );
  }
  if (joint.type !== 'euler') return;
  // Locked at +-pi/2 where the three axes differ, at 0 where the last repeats the first.
  pose[i + 1] = within(random, 1) + (joint.order[0] === joint.order[2] ? Math.PI / 2 : 0);
}

/** f(q + h q', v + h v') as a function of h: its derivative at 0 is that in time. */
export function alongMotion<T>(
  { figure, pose, velocity }: Pick<Trial, 'figure' | 'pose' | 'velocity'>,
  acceleration: Numbers,
  f: (pose: Float64Array, v: Float64Array) => T,
): (h: number) => T {
  const state = createState(figure);
  forwardKinematics(state, pose);
  updateMotionSubspaceV(state, pose);
  const rates = new Float64Array(figure.dof);
  ratesFromVelocity(state, pose, velocity, rates);
  return (h) =>
    f(
      pose.map((x, i) => x + h * rates[i]),
      velocity.map((x, i) => x + h * acceleration[i]),
    );
}

export function dot(a: Numbers, b: Numbers): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

export function largest(...vectors: Numbers[]): number {
  return Math.max(0, ...vectors.flatMap((v) => Array.from(v, Math.abs)));
}
