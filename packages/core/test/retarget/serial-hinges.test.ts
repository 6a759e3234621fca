import { describe, expect, test } from 'vitest';
import {
  type BoneData,
  createFigure,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
  limitViolation,
} from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { mat3, quat } from '../../src/math/index.js';
import { createMotionSampler, type Motion, motionFromPoses, samplePose } from '../../src/motion/index.js';
import {
  createLiveRetargeter,
  createRetargeter,
  retargetMotion,
  retargetPose,
} from '../../src/retarget/index.js';
import {
  chainPath,
  createAnswers,
  createHingeChain,
  findAnswers,
  type HingeChain,
  writeChainRotation,
} from '../../src/retarget/pose/hinge-chains.js';
import { matrixFromAxisAngle } from '../../src/rotation/index.js';
import { random } from '../robot/support.js';

const human = createHumanFigure({ height: 1.75 });

/** The built-in human with hinges in series for its joints, about the axes of the world, and knees and elbows as they are; `offset` m between them. */
function serialHuman(offset: number, range?: number): Figure {
  const data = figureToData(human);
  const bones = data.bones.flatMap((bone, b): BoneData[] => {
    const { limit, mass: _, centerOfMass: __, inertia: ___, ...rest } = bone;
    if (b === 0) return [{ ...rest, joint: { type: 'free' } }];
    if (bone.joint?.type === 'hinge') return [{ ...rest, ...(limit && { limit }) }];
    // A shoulder of three hinges, as robots have: pitch, roll, yaw.
    const axes = [
      [1, 0, 0],
      [0, 0, 1],
      [0, 1, 0],
    ] as const;
    const [x, y, z] = rest.rest?.position ?? [0, 0, 0];
    return axes.map((axis, k): BoneData => {
      const joint = { type: 'hinge', axis } as const;
      const limited =
        range === undefined ? {} : { limit: { type: 'interval', min: -range, max: range } as const };
      const along = axes[k].map((a) => offset * a) as [number, number, number];
      if (k === 0)
        return {
          name: `${bone.name}_pitch`,
          parent: bone.parent ?? null,
          rest: { position: [x, y, z] },
          joint,
          ...limited,
        };
      if (k === 1)
        return {
          name: `${bone.name}_roll`,
          parent: `${bone.name}_pitch`,
          rest: { position: along },
          joint,
          ...limited,
        };
      return { ...rest, parent: `${bone.name}_roll`, rest: { position: along }, joint, ...limited };
    });
  });
  return createFigure({ name: 'serial', up: human.up, bones });
}

/** The same with balls. */
function ballHuman(): Figure {
  const data = figureToData(human);
  return createFigure({
    ...data,
    bones: data.bones.map(({ limit, ...bone }, b): BoneData => {
      if (b === 0) return { ...bone, joint: { type: 'free' } };
      return bone.joint?.type === 'hinge'
        ? { ...bone, ...(limit && { limit }) }
        : { ...bone, joint: { type: 'ball' } };
    }),
  });
}

/** A squat with arms that swing by up to 100 degrees. */
function squat(): Motion {
  const of = (bone: string): number => human.bones.find((each) => each.name === bone)?.coordinate as number;
  const poses = Array.from({ length: 31 }, (_, f) => {
    const pose = new Float64Array(human.dof);
    const knee = 0.4 * (1 - Math.cos((2 * Math.PI * f) / 30));
    pose[1] = -0.12 * knee;
    for (const side of ['left', 'right']) {
      pose[of(`${side}UpperLeg`)] = 0.5 * knee;
      pose[of(`${side}LowerLeg`)] = knee;
      pose[of(`${side}Foot`)] = 0.5 * knee;
      pose[of(`${side}UpperArm`) + 1] = -1.2 + 0.9 * Math.sin((2 * Math.PI * f) / 30);
      pose[of(`${side}UpperArm`)] = 0.5 * Math.sin((4 * Math.PI * f) / 30);
    }
    pose[of('spine')] = 0.2 * knee;
    return pose;
  });
  return motionFromPoses(
    human,
    poses.map((_, f) => f / 30),
    poses,
    { name: 'squat' },
  );
}

/** World transforms of bones by name. */
function worldOf(figure: Figure, pose: Float64Array): (name: string) => Float64Array {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return (name) => {
    const b = figure.bones.findIndex((bone) => bone.name === name);
    return state.worldFromBone.slice(12 * b, 12 * b + 12);
  };
}

function posesOf(figure: Figure, motion: Motion, times: ArrayLike<number>): Float64Array[] {
  const sampler = createMotionSampler(figure, motion);
  return Array.from(times, (time) => samplePose(sampler, time, new Float64Array(figure.dof)));
}

describe('hinges in series', () => {
  const clip = squat();

  test('at one point are the same as a ball', () => {
    const serial = createRetargeter(human, serialHuman(0));
    const ball = createRetargeter(human, ballHuman());
    const { motion, report } = retargetMotion(serial, clip);
    const reference = retargetMotion(ball, clip);
    const times = reference.report.times;
    const own = posesOf(serial.target, motion, times);
    posesOf(ball.target, reference.motion, times).forEach((pose, f) => {
      const [a, b] = [worldOf(serial.target, own[f]), worldOf(ball.target, pose)];
      for (const { name } of human.bones) {
        a(name).forEach((x, k) => {
          expect(Math.abs(x - b(name)[k])).toBeLessThan(1e-5);
        });
      }
    });
    expect(report.summary.contactsKept).toBe(1);
    expect(report.bones).toEqual(reference.report.bones);
    expect(report.summary.meanOrientationError).toBeCloseTo(reference.report.summary.meanOrientationError, 3);
  });

  test('apart keep feet in contact, and the same call gives the same numbers', () => {
    const retargeter = createRetargeter(human, serialHuman(0.03));
    const { motion, report } = retargetMotion(retargeter, clip);
    expect(report.summary.contactsKept).toBe(1);
    expect(report.summary.maxSliding).toBeLessThan(1);
    expect(report.summary.meanOrientationError).toBeLessThan(5);
    const again = retargetMotion(createRetargeter(human, serialHuman(0.03)), clip);
    expect(posesOf(retargeter.target, again.motion, [0.3])).toEqual(
      posesOf(retargeter.target, motion, [0.3]),
    );
  });

  test('stay within their limits, and the report says where these are at work', () => {
    const retargeter = createRetargeter(human, serialHuman(0.02, 0.6));
    const { motion, report } = retargetMotion(retargeter, clip);
    const times = Array.from({ length: 97 }, (_, k) => (motion.end * k) / 96);
    for (const pose of posesOf(retargeter.target, motion, times))
      expect(limitViolation(retargeter.target, pose)).toBe(0);
    // Arms hang by 70 degrees from the T-pose.
    const arm = report.bones.indexOf('leftUpperArm');
    const active = Array.from(report.times, (_, f) => report.atLimit[report.bones.length * f + arm]);
    expect(active).toContain(1);
    expect(report.summary.limitedFrames).toBeGreaterThan(0.5);
  });

  test.each([
    ['one foot of the source', { sourceBones: { leftFoot: null } }],
    ['both feet of the source', { sourceBones: { leftFoot: null, rightFoot: null } }],
    ['one foot of the target', { targetBones: { leftFoot: null } }],
    ['both feet of the target', { targetBones: { leftFoot: null, rightFoot: null } }],
  ])('go without %s, offline and live', (_, options) => {
    const retargeter = createRetargeter(human, serialHuman(0.03), options);
    const times = [0, 0.1, 0.2];
    const { motion } = retargetMotion(retargeter, clip);
    const live = createLiveRetargeter(retargeter);
    const pose = new Float64Array(retargeter.target.dof);
    posesOf(human, clip, times).forEach((given, f) => {
      retargetPose(live, given, times[f], pose);
      expect(pose.every(Number.isFinite)).toBe(true);
    });
    for (const own of posesOf(retargeter.target, motion, times))
      expect(own.every(Number.isFinite)).toBe(true);
  });

  test('follow live', () => {
    const retargeter = createRetargeter(human, serialHuman(0.03));
    const live = createLiveRetargeter(retargeter);
    const out = new Float64Array(retargeter.target.dof);
    const sampler = createMotionSampler(human, clip);
    const pose = new Float64Array(human.dof);
    for (let f = 0; f <= 30; f++) {
      retargetPose(live, samplePose(sampler, f / 30, pose), f / 30, out);
      const [a, b] = [worldOf(human, pose), worldOf(retargeter.target, out)];
      for (const name of ['leftLowerArm', 'head', 'leftLowerLeg']) {
        const between = mat3.multiply(mat3.transpose(a(name).slice(0, 9)), b(name).slice(0, 9));
        const angle = Math.acos(Math.min(1, (between[0] + between[4] + between[8] - 1) / 2));
        expect([name, f, angle < 0.25]).toEqual([name, f, true]);
      }
    }
  });
});

describe('angles of a chain', () => {
  const chainOf = (axes: number[][], ranges: [number, number][], rest = mat3.identity()): HingeChain =>
    createHingeChain({
      part: 1,
      above: 0,
      coordinates: axes.map((_, k) => k),
      axes,
      limits: ranges,
      rest,
      restAbove: mat3.identity(),
    });
  const rotation = ({ axes }: HingeChain, angles: readonly number[]): number[] =>
    angles.reduce<number[]>(
      (r, angle, k) => mat3.multiply(r, matrixFromAxisAngle(axes.subarray(3 * k, 3 * k + 3), angle)),
      mat3.identity(),
    );
  const errorOf = (chain: HingeChain, angles: readonly number[], wanted: readonly number[]): number => {
    const left = mat3.multiply(mat3.transpose(wanted), rotation(chain, angles));
    return 3 - left[0] - left[4] - left[8];
  };
  const best = (chain: HingeChain, wanted: Float64Array): { angles: number[]; error: number } => {
    const out = createAnswers(chain);
    findAnswers(chain, wanted, createAnswers(chain), out);
    return { angles: [...out.angles.subarray(0, chain.trial.length)], error: out.errors[0] };
  };
  const bestOf = (chain: HingeChain, wanted: readonly number[]) =>
    best(chain, Float64Array.from(quat.fromMatrix(wanted)));

  test('give back a rotation within the limits, of any axes that are not coplanar', () => {
    const next = random(7);
    for (let n = 0; n < 60; n++) {
      const axes = [0, 1, 2].map((k) => [0, 1, 2].map((i) => (i === k ? 1 : 0.4 * next())));
      const chain = chainOf(axes, [
        [-2, 2],
        [-1.3, 1.3],
        [-2, 2],
      ]);
      const angles = [1.8 * next(), 1.2 * next(), 1.8 * next()];
      const { error } = bestOf(chain, rotation(chain, angles));
      expect(error).toBeLessThan(1e-4);
    }
  });

  test('are at least as near as any of a grid within the limits', () => {
    const next = random(11);
    for (let n = 0; n < 12; n++) {
      const axes = Array.from({ length: n % 2 === 0 ? 3 : 2 }, () => [next(), next(), next()]);
      const chain = chainOf(
        axes,
        axes.map(() => [-1 + 0.5 * next(), 1 + 0.5 * next()]),
      );
      const wanted = matrixFromAxisAngle([0.6, 0, 0.8], 2.5 * next());
      const { angles: found, error } = bestOf(chain, wanted);
      expect(error).toBeCloseTo(errorOf(chain, found, wanted), 9);
      found.forEach((angle, k) => {
        expect(angle >= chain.min[k] && angle <= chain.max[k]).toBe(true);
      });
      const steps = Array.from({ length: 15 }, (_, k) => k / 14);
      const at = (k: number, share: number): number => chain.min[k] + share * (chain.max[k] - chain.min[k]);
      let least = Infinity;
      for (const a of steps)
        for (const b of steps)
          for (const c of axes.length > 2 ? steps : [0]) {
            const angles = [at(0, a), at(1, b), ...(axes.length > 2 ? [at(2, c)] : [])];
            least = Math.min(least, errorOf(chain, angles, wanted));
          }
      expect(error).toBeLessThan(least + 1e-4);
    }
  });

  test('of a clip choose the answer that stays within the limits later', () => {
    // Two answers, a half turn of the outer hinges apart; the first of them leaves its limit after a second.
    const chain = chainOf(
      [
        [0, 1, 0],
        [1, 0, 0],
        [0, 1, 0],
      ],
      [
        [-3.2, 1.2],
        [-2, 2],
        [-3.2, 3.2],
      ],
    );
    const angle = (f: number): number => 0.5 + f / 30;
    const flat = chainPath(chain, 61, 1 / 30, (f, out) => {
      quat.fromMatrix(rotation(chain, [angle(f), 0.8, 0.2]), out);
    });
    const path = Array.from({ length: 61 }, (_, f) => [...flat.subarray(3 * f, 3 * f + 3)]);
    path.forEach((angles, f) => {
      expect(errorOf(chain, angles, rotation(chain, [angle(f), 0.8, 0.2]))).toBeLessThan(1e-3);
    });
    const steps = path.slice(1).map((angles, f) => angles.map((x, k) => Math.abs(x - path[f][k])));
    expect(Math.max(...steps.flat())).toBeLessThan(0.2);
  });

  test('are of the rotation between the parts', () => {
    const chain = chainOf([[1, 0, 0]], [[-3, 3]], matrixFromAxisAngle([0, 1, 0], 0.4));
    const above = matrixFromAxisAngle([0, 0, 1], 0.7);
    const part = mat3.multiply(
      mat3.multiply(above, matrixFromAxisAngle([1, 0, 0], 0.9)),
      matrixFromAxisAngle([0, 1, 0], 0.4),
    );
    const rotations = Float64Array.from([...quat.fromMatrix(above), ...quat.fromMatrix(part)]);
    const wanted = new Float64Array(4);
    writeChainRotation(chain, rotations, 0, wanted);
    expect(best(chain, wanted).angles[0]).toBeCloseTo(0.9, 6);
  });
});
