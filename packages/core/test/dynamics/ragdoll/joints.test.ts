import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRagdoll } from '../../../src/dynamics/index.js';
import {
  createFigure,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
  limitViolation,
  poseFromLocalTransforms,
} from '../../../src/figure/index.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import { quat } from '../../../src/math/index.js';
import { randomPose, testRandom } from '../../support/random-figure.js';
import { plainHuman, rotatedFrames } from './support.js';

const jointOf = (figure: Figure, name: string) => {
  const bone = figure.bones.find((other) => other.name === name);
  if (!bone) throw new Error(name);
  return bone;
};

/** Plain data with the same words and the same numbers to rounding. */
function expectAlike(is: object | undefined, wanted: object): void {
  const shape = (data: object | undefined): string => JSON.stringify(data).replace(/-?[0-9][-+.e0-9]*/g, '#');
  const numbers = (data: object | undefined): number[] =>
    (JSON.stringify(data).match(/-?[0-9][-+.e0-9]*/g) ?? []).map(Number);
  expect(shape(is)).toBe(shape(wanted));
  numbers(is).forEach((x, k) => {
    expect(x).toBeCloseTo(numbers(wanted)[k], 12);
  });
}

/** World place of a bone's origin with one coordinate of a joint set. */
function placeWith(
  figure: Figure,
  name: string,
  coordinate: number,
  angle: number,
  watched: string,
): number[] {
  const pose = new Float64Array(figure.dof);
  pose[jointOf(figure, name).coordinate + coordinate] = angle;
  const state = createState(figure);
  forwardKinematics(state, pose);
  const { index } = jointOf(figure, watched);
  return Array.from(state.worldFromBone.subarray(12 * index + 9, 12 * index + 12));
}

describe('joints as given', () => {
  test('keep their coordinates; balls of a humanoid get the largest angle of the human joint', () => {
    const { figure } = createRagdoll(plainHuman());
    const degrees = (name: string): number => {
      const { limit } = jointOf(figure, name);
      return limit?.type === 'angle' ? (limit.max * 180) / Math.PI : Number.NaN;
    };
    // Greatest of the AAOS ranges of docs/figure.md.
    expect(degrees('leftLowerArm')).toBeCloseTo(150, 9);
    expect(degrees('rightLowerLeg')).toBeCloseTo(140, 9);
    expect(degrees('leftUpperLeg')).toBeCloseTo(125, 9);
    expect(degrees('spine')).toBeCloseTo(45, 9);
    expect(degrees('head')).toBeCloseTo(35, 9);
    expect(jointOf(figure, 'hips').limit).toBeUndefined();
  });

  test('given limits are kept, and none are added with limits: given', () => {
    const human = createHumanFigure();
    expect(createRagdoll(human).figure.limitComponents).toEqual(human.limitComponents);
    expect(createRagdoll(plainHuman(), { limits: 'given' }).figure.limitComponents).toEqual([]);
  });

  test('joints of other types get limits of their types', () => {
    const data = figureToData(createHumanFigure());
    const bare = createFigure({ bones: data.bones.map(({ limit: _limit, ...bone }) => bone) });
    const { figure } = createRagdoll(bare);
    const elbow = jointOf(figure, 'leftLowerArm').limit;
    expect(elbow).toEqual(jointOf(createHumanFigure(), 'leftLowerArm').limit);
    for (const { joint, limit } of figure.bones) expect(limit !== undefined).toBe(joint.type !== 'free');
    const pose = new Float64Array(bare.dof);
    expect(limitViolation(figure, pose)).toBe(0);
  });
});

describe('free joints that carry no shape', () => {
  const data = figureToData(plainHuman());
  const rig = createFigure({
    ...data,
    bones: [
      ...data.bones,
      { name: 'control', parent: null, joint: { type: 'free' } },
      { name: 'below', parent: 'control', joint: { type: 'ball' }, rest: { position: [0, 0.01, 0] } },
      { name: 'socket', parent: 'leftHand', joint: { type: 'free' }, rest: { position: [0, 0.01, 0] } },
    ],
  });
  const typesOf = (figure: Figure): (string | undefined)[] =>
    ['hips', 'control', 'socket'].map((name) => jointOf(figure, name).joint.type);

  test.each(['given', 'anatomical'] as const)('are fixed, with joints: %s', (joints) => {
    const { figure, shapes } = createRagdoll(rig, { joints });
    expect(typesOf(figure)).toEqual(['free', 'fixed', 'fixed']);
    expect(figure.bones.map(({ name }) => name)).toEqual(rig.bones.map(({ name }) => name));
    for (const name of ['control', 'socket']) expect(jointOf(figure, name).mass ?? 0).toBe(0);
    expect(shapes.map(({ bone }) => bone)).not.toContain('socket');
    // All that is left stays at rest where it was.
    const [was, is] = [rig, figure].map((each) => {
      const state = createState(each);
      forwardKinematics(state, new Float64Array(each.dof));
      return Array.from(state.worldFromBone);
    });
    expect(is).toEqual(was);
  });

  test('are kept where joints and limits are given: poses and clips of the rig are those of the ragdoll', () => {
    const { figure } = createRagdoll(rig, { joints: 'given', limits: 'given' });
    expect(typesOf(figure)).toEqual(['free', 'free', 'free']);
    expect(figure.dof).toBe(rig.dof);
  });
});

describe('anatomical joints', () => {
  test('of the human as a file has it are those of the built-in human', () => {
    const human = createHumanFigure();
    const { figure } = createRagdoll(plainHuman(), { joints: 'anatomical' });
    for (const { name, joint, limit } of human.bones) {
      if (name.endsWith('Hand')) continue;
      expectAlike(jointOf(figure, name).joint, joint);
      if (limit) expectAlike(jointOf(figure, name).limit, limit);
    }
    expect(figure.dof).toBe(human.dof);
  });

  test('bend anatomically for any bone axes', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const { figure } = createRagdoll(rotatedFrames(plainHuman(), testRandom(seed)), {
          joints: 'anatomical',
        });
        for (const side of ['left', 'right']) {
          // Flexed knees take the foot back, elbows the hand ahead (the figure faces +Z).
          expect(placeWith(figure, `${side}LowerLeg`, 0, 1, `${side}Foot`)[2]).toBeLessThan(-0.3);
          expect(placeWith(figure, `${side}LowerArm`, 0, 1, `${side}Hand`)[2]).toBeGreaterThan(0.2);
          // Hips flex ahead, and abduct outwards; shoulders come ahead and up.
          expect(placeWith(figure, `${side}UpperLeg`, 0, 1, `${side}Foot`)[2]).toBeGreaterThan(0.5);
          expect(Math.abs(placeWith(figure, `${side}UpperLeg`, 1, 0.5, `${side}Foot`)[0])).toBeGreaterThan(
            0.3,
          );
          expect(placeWith(figure, `${side}UpperArm`, 0, 1, `${side}Hand`)[2]).toBeGreaterThan(0.3);
          expect(placeWith(figure, `${side}UpperArm`, 1, 0.5, `${side}Hand`)[1]).toBeGreaterThan(1.6);
          // The wrist extends upwards, palm down.
        }
        expect(placeWith(figure, 'spine', 0, 0.5, 'head')[2]).toBeGreaterThan(0.1);
      }),
      { numRuns: 20 },
    );
  });

  test('shift limits for arms that hang at rest: from the T-pose elbow and shoulder have the same ranges', () => {
    // The arms a quarter turn down at rest, elbows bent by 40 degrees ahead.
    const data = figureToData(plainHuman());
    const down = quat.fromAxisAngle([0, 0, 1], -Math.PI / 4);
    const bent = quat.fromAxisAngle([0, -1, 0], (40 * Math.PI) / 180);
    const rest = (name: string, rotation: number[]) => (bone: (typeof data.bones)[number]) =>
      bone.name === name
        ? {
            ...bone,
            rest: { ...bone.rest, rotation: [rotation[0], rotation[1], rotation[2], rotation[3]] as const },
          }
        : bone;
    const hanging = createFigure({
      ...data,
      bones: data.bones.map(rest('leftUpperArm', down)).map(rest('leftLowerArm', bent)),
    });
    const { figure } = createRagdoll(hanging, { joints: 'anatomical' });
    const elbow = jointOf(figure, 'leftLowerArm').limit;
    if (elbow?.type !== 'interval') throw new Error('no hinge');
    expect(((elbow.min ?? 0) * 180) / Math.PI).toBeCloseTo(-40, 6);
    expect(((elbow.max ?? 0) * 180) / Math.PI).toBeCloseTo(110, 6);
    const shoulder = jointOf(figure, 'leftUpperArm').limit;
    if (shoulder?.type !== 'swing-twist' || shoulder.swing?.type !== 'quad-ellipse')
      throw new Error('no socket');
    // Up: [-110, 60] from the T-pose.
    expect(shoulder.swing.t.map((x) => (x * 180) / Math.PI)[0]).toBeCloseTo(-65, 6);
    expect(shoulder.swing.t.map((x) => (x * 180) / Math.PI)[1]).toBeCloseTo(105, 6);
  });

  test('a pose of the ragdoll is a pose of the figure', () => {
    const given = rotatedFrames(plainHuman(), testRandom(3));
    const { figure } = createRagdoll(given, { joints: 'anatomical' });
    const state = createState(figure);
    forwardKinematics(state, randomPose(figure, testRandom(4), 0.5));
    const pose = poseFromLocalTransforms(
      createState(given),
      state.parentFromBone,
      new Float64Array(given.dof),
    );
    const back = createState(given);
    forwardKinematics(back, pose);
    back.worldFromBone.forEach((x, k) => {
      expect(x).toBeCloseTo(state.worldFromBone[k], 9);
    });
  });

  test('fix bones that the human lacks', () => {
    const data = figureToData(plainHuman());
    const tail = { name: 'tail', parent: 'hips', joint: { type: 'ball' } as const };
    const { figure } = createRagdoll(createFigure({ ...data, bones: [...data.bones, tail] }), {
      joints: 'anatomical',
    });
    expect(jointOf(figure, 'tail').joint.type).toBe('fixed');
    expect(figure.dof).toBe(createHumanFigure().dof);
  });
});
