/** Files whose OFFSETs all go one way: a rest pose from a frame of the clip. */
import { readBvh, writeBvh } from '@poise/formats';
import { createPose, createState, type Figure, forwardKinematics } from 'poise/figure';
import { createHumanFigure, findHumanoid } from 'poise/humanoid';
import { mat3, quat, vec3 } from 'poise/math';
import { createMotionSampler, type Motion, motionFromPoses, samplePose } from 'poise/motion';
import { createRetargeter, retargetMotion } from 'poise/retarget';
import { describe, expect, test } from 'vitest';

const human = createHumanFigure({ height: 1.75 });
const coordinateOf = (name: string): number =>
  human.bones.find((bone) => bone.name === name)?.coordinate as number;

/** Bent, then upright, then bent again, rotated to the left by 90 degrees. */
const poses = Array.from({ length: 41 }, (_, f) => {
  const pose = createPose(human);
  const bend = Math.abs(f - 20) / 20;
  pose[1] = -0.1 * bend;
  pose[4] = Math.PI / 2;
  for (const side of ['left', 'right']) {
    pose[coordinateOf(`${side}UpperLeg`)] = 0.7 * bend;
    pose[coordinateOf(`${side}LowerLeg`)] = 1.4 * bend;
    pose[coordinateOf(`${side}Foot`)] = 0.3 * bend;
    pose[coordinateOf(`${side}UpperArm`) + 1] = -1.1;
  }
  pose[coordinateOf('spine')] = 0.4 * bend;
  return pose;
});

const times = poses.map((_, f) => f * 0.0333333333);

/** World transforms of the bones, twelve numbers each. */
function worldsOf(figure: Figure, pose: Float64Array): Float64Array {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return state.worldFromBone.slice();
}

/** A BVH of the poses whose bones all go along +X of their parents at rest, in cm, up along an axis. */
function lineBvh(up: 'y' | 'z'): string {
  const rest = worldsOf(human, new Float64Array(human.dof));
  const origin = (world: Float64Array, b: number): number[] => [...world.subarray(12 * b + 9, 12 * b + 12)];
  // World axes at rest of frames with X along the first child.
  const axes = human.bones.map(({ index }) => {
    const child = human.bones.find(({ parent }) => parent === index);
    if (child === undefined) return mat3.identity();
    const x = vec3.normalize(vec3.subtract(origin(rest, child.index), origin(rest, index)));
    // A little off the axes of the world, where the Euler angles of a file are singular.
    const y = vec3.normalize(vec3.cross(Math.abs(x[2]) < 0.9 ? [0.2, 0.4, 1] : [0.2, 1, 0.4], x));
    const z = vec3.cross(x, y);
    return [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];
  });
  const toFile = up === 'y' ? mat3.identity() : [1, 0, 0, 0, 0, -1, 0, 1, 0];
  const inFrame = (b: number, v: readonly number[]): number[] =>
    mat3.transposeMultiplyVector(axes[b], v).map((x) => 100 * x);
  const lines: string[] = ['HIERARCHY'];
  const order: number[] = [];
  const write = (b: number): void => {
    const { name, parent, tip } = human.bones[b];
    order.push(b);
    const offset =
      parent < 0 ? [0, 0, 0] : inFrame(parent, vec3.subtract(origin(rest, b), origin(rest, parent)));
    const channels =
      parent < 0
        ? 'CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation'
        : 'CHANNELS 3 Zrotation Xrotation Yrotation';
    lines.push(`${parent < 0 ? 'ROOT' : 'JOINT'} ${name}`, '{', `OFFSET ${offset.join(' ')}`, channels);
    const children = human.bones.filter((bone) => bone.parent === b);
    for (const child of children) write(child.index);
    if (children.length === 0) {
      lines.push('End Site', '{', `OFFSET ${inFrame(b, tip ?? [0, 0.1, 0]).join(' ')}`, '}');
    }
    lines.push('}');
  };
  write(0);
  lines.push('MOTION', `Frames: ${poses.length}`, 'Frame Time: 0.0333333333');
  for (const pose of poses) {
    const world = worldsOf(human, pose);
    // The frames turn with their bones.
    const rotated = human.bones.map((_, b) =>
      mat3.multiply(
        toFile,
        mat3.multiply(
          mat3.multiply(
            [...world.subarray(12 * b, 12 * b + 9)],
            mat3.transpose([...rest.subarray(12 * b, 12 * b + 9)]),
          ),
          axes[b],
        ),
      ),
    );
    const numbers = order.flatMap((b) => {
      const { parent } = human.bones[b];
      const m = parent < 0 ? rotated[b] : mat3.multiply(mat3.transpose(rotated[parent]), rotated[b]);
      const degrees = [Math.atan2(-m[1], m[4]), Math.asin(m[7]), Math.atan2(-m[6], m[8])].map(
        (angle) => (180 / Math.PI) * angle,
      );
      const place = mat3.multiplyVector(toFile, origin(world, b)).map((x) => 100 * x);
      return parent < 0 ? [...place, ...degrees] : degrees;
    });
    lines.push(numbers.join(' '));
  }
  return `${lines.join('\n')}\n`;
}

/** Origins of bones in a frame. */
function originsIn(figure: Figure, motion: Motion, time: number): Map<string, number[]> {
  const pose = samplePose(createMotionSampler(figure, motion), time, new Float64Array(figure.dof));
  const world = worldsOf(figure, pose);
  return new Map(figure.bones.map(({ name }, b) => [name, [...world.subarray(12 * b + 9, 12 * b + 12)]]));
}

describe.each(['y', 'z'] as const)('a BVH with +%s up whose OFFSETs go one way', (up) => {
  const text = lineBvh(up);
  const read = readBvh(text, { rest: 'auto', scale: 'auto', fileUpAxis: 'auto', source: 'line.bvh' });

  test('is no human by its OFFSETs, and one by the frame that stands', () => {
    expect(findHumanoid(readBvh(text, { scale: 0.01, fileUpAxis: up }).figure)).toBeUndefined();
    expect(read.restFrame).toBe(20);
    expect(read.scale).toBe(0.01);
    expect(read.fileUpAxis).toBe(up);
    expect(read.warnings).toContain(
      'line.bvh: its OFFSETs do not stand; frame 21 is the rest pose (the option rest sets another).',
    );
    const found = findHumanoid(read.figure);
    expect(Object.keys(found?.bones ?? {})).toHaveLength(22);
    // It faces forward, whatever the heading of the clip.
    expect(vec3.distance(found?.forward ?? [], [0, 0, 1])).toBeLessThan(0.02);
  });

  test('moves as the file says', () => {
    for (const f of [0, 7, 20, 40]) {
      const wanted = worldsOf(human, poses[f]);
      for (const [name, origin] of originsIn(read.figure, read.motion, f * read.frameTime)) {
        const b = human.bones.findIndex((bone) => bone.name === name);
        expect(vec3.distance(origin, [...wanted.subarray(12 * b + 9, 12 * b + 12)])).toBeLessThan(1e-6);
      }
    }
  });

  test('is put on another body as the clip of the body itself', () => {
    const small = createHumanFigure({ height: 1.2 });
    const own = retargetMotion(createRetargeter(human, small), motionFromPoses(human, times, poses));
    const { motion, report } = retargetMotion(createRetargeter(read.figure, small), read.motion);
    expect(report.summary.contactsKept).toBe(1);
    for (const time of [0, 0.4, 1.2]) {
      const wanted = originsIn(small, own.motion, time);
      for (const [name, origin] of originsIn(small, motion, time))
        expect([name, vec3.distance(origin, wanted.get(name) as number[]) < 0.02]).toEqual([name, true]);
    }
  });

  test('takes any frame, and is written with that rest pose', () => {
    const other = readBvh(text, { rest: 15, scale: 0.01, fileUpAxis: up });
    expect(other.restFrame).toBe(15);
    const again = readBvh(writeBvh(other.figure, other.motion, { like: other }), {
      scale: 0.01,
      fileUpAxis: up,
    });
    for (const f of [0, 33]) {
      const wanted = originsIn(other.figure, other.motion, f * other.frameTime);
      for (const [name, origin] of originsIn(again.figure, again.motion, f * again.frameTime))
        expect(vec3.distance(origin, wanted.get(name) as number[])).toBeLessThan(1e-5);
    }
    expect(quat.norm(other.figure.bones[3].rest.rotation)).toBeCloseTo(1, 12);
  });
});

test('OFFSETs that stand stay the rest pose', () => {
  const text = writeBvh(human, retargetMotion(createRetargeter(human, human), readMotion()).motion);
  expect(readBvh(text, { rest: 'auto' }).restFrame).toBeUndefined();
});

function readMotion(): Motion {
  const { figure, motion } = readBvh(lineBvh('y'), { rest: 'auto', scale: 0.01 });
  return retargetMotion(createRetargeter(figure, human), motion).motion;
}

test.each([
  [-1, /is -1, which is no frame of the clip.*from 0 to 40/],
  [41, /is 41/],
  [1.5, /is 1.5/],
  ['first', /is first.*'auto' or 'offsets'/],
])('rest %s is refused', (rest, message) => {
  expect(() => readBvh(lineBvh('y'), { rest: rest as 'auto' })).toThrow(message);
});
