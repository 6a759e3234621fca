import { threadTime } from '@poise/test-support/thread-time';
import { describe, expect, test } from 'vitest';
import { createFigure, type Figure, figureToData } from '../../src/figure/index.js';
import {
  createHumanFigure,
  DETAIL_BONES,
  findHumanoid,
  HUMAN_BONES,
  type HumanBone,
  type HumanBoneMap,
  requireHumanoid,
} from '../../src/humanoid/index.js';

/** The built-in human with other names; bones without one are left out, their children hung one up. */
function renamed(names: HumanBoneMap<string>): Figure {
  const data = figureToData(createHumanFigure());
  const nameOf = new Map<string, string>();
  const up = new Map(data.bones.map(({ name, parent }) => [name, parent ?? null]));
  for (const { name } of data.bones) {
    const given = names[name as HumanBone];
    if (given !== undefined) nameOf.set(name, given);
  }
  const offset = (name: string): number[] => {
    const bone = data.bones.find((other) => other.name === name);
    return Array.from(bone?.rest?.position ?? [0, 0, 0]);
  };
  return createFigure({
    bones: data.bones.flatMap(({ name, parent }) => {
      const own = nameOf.get(name);
      if (own === undefined) return [];
      let position = offset(name);
      let above = parent ?? null;
      while (above !== null && !nameOf.has(above)) {
        position = offset(above).map((x, k) => x + position[k]);
        above = up.get(above) ?? null;
      }
      return [
        {
          name: own,
          parent: above === null ? null : (nameOf.get(above) as string),
          rest: { position: [position[0], position[1], position[2]] as const },
          joint: { type: above === null ? 'free' : 'ball' } as const,
        },
      ];
    }),
  });
}

/** Names of both sides, L or R in place of the hash sign. */
function sided(names: HumanBoneMap<string>, left: string, right: string): HumanBoneMap<string> {
  const out: HumanBoneMap<string> = {};
  for (const [bone, name] of Object.entries(names)) {
    if (!bone.startsWith('left')) out[bone as HumanBone] = name;
    else {
      out[bone as HumanBone] = name.replace('#', left);
      out[bone.replace('left', 'right') as HumanBone] = name.replace('#', right);
    }
  }
  return out;
}

const SCHEMES: Record<string, HumanBoneMap<string>> = {
  Unity: sided(
    {
      hips: 'Hips',
      spine: 'Spine',
      chest: 'Chest',
      upperChest: 'UpperChest',
      neck: 'Neck',
      head: 'Head',
      leftShoulder: '#_Shoulder',
      leftUpperArm: '#_UpperArm',
      leftLowerArm: '#_LowerArm',
      leftHand: '#_Hand',
      leftUpperLeg: '#_UpperLeg',
      leftLowerLeg: '#_LowerLeg',
      leftFoot: '#_Foot',
      leftToes: '#_Toes',
    },
    'Left',
    'Right',
  ),
  'Kinect of 2010, without a neck': sided(
    {
      hips: 'HipCenter',
      spine: 'Spine',
      chest: 'ShoulderCenter',
      head: 'Head',
      leftUpperArm: 'Shoulder#',
      leftLowerArm: 'Elbow#',
      leftHand: 'Wrist#',
      leftUpperLeg: 'Hip#',
      leftLowerLeg: 'Knee#',
      leftFoot: 'Ankle#',
      leftToes: 'Foot#',
    },
    'Left',
    'Right',
  ),
  'Azure Kinect': sided(
    {
      hips: 'PELVIS',
      spine: 'SPINE_NAVEL',
      chest: 'SPINE_CHEST',
      neck: 'NECK',
      head: 'HEAD',
      leftShoulder: 'CLAVICLE_#',
      leftUpperArm: 'SHOULDER_#',
      leftLowerArm: 'ELBOW_#',
      leftHand: 'WRIST_#',
      leftUpperLeg: 'HIP_#',
      leftLowerLeg: 'KNEE_#',
      leftFoot: 'ANKLE_#',
      leftToes: 'FOOT_#',
    },
    'LEFT',
    'RIGHT',
  ),
  Mixamo: sided(
    {
      hips: 'mixamorig:Hips',
      spine: 'mixamorig:Spine',
      chest: 'mixamorig:Spine1',
      upperChest: 'mixamorig:Spine2',
      neck: 'mixamorig:Neck',
      head: 'mixamorig:Head',
      leftShoulder: 'mixamorig:#Shoulder',
      leftUpperArm: 'mixamorig:#Arm',
      leftLowerArm: 'mixamorig:#ForeArm',
      leftHand: 'mixamorig:#Hand',
      leftUpperLeg: 'mixamorig:#UpLeg',
      leftLowerLeg: 'mixamorig:#Leg',
      leftFoot: 'mixamorig:#Foot',
      leftToes: 'mixamorig:#ToeBase',
    },
    'Left',
    'Right',
  ),
  Unreal: sided(
    {
      hips: 'pelvis',
      spine: 'spine_01',
      chest: 'spine_02',
      upperChest: 'spine_03',
      neck: 'neck_01',
      head: 'head',
      leftShoulder: 'clavicle_#',
      leftUpperArm: 'upperarm_#',
      leftLowerArm: 'lowerarm_#',
      leftHand: 'hand_#',
      leftUpperLeg: 'thigh_#',
      leftLowerLeg: 'calf_#',
      leftFoot: 'foot_#',
      leftToes: 'ball_#',
    },
    'l',
    'r',
  ),
  Biped: sided(
    {
      hips: 'Bip01 Pelvis',
      spine: 'Bip01 Spine',
      chest: 'Bip01 Spine1',
      neck: 'Bip01 Neck',
      head: 'Bip01 Head',
      leftShoulder: 'Bip01 # Clavicle',
      leftUpperArm: 'Bip01 # UpperArm',
      leftLowerArm: 'Bip01 # Forearm',
      leftHand: 'Bip01 # Hand',
      leftUpperLeg: 'Bip01 # Thigh',
      leftLowerLeg: 'Bip01 # Calf',
      leftFoot: 'Bip01 # Foot',
      leftToes: 'Bip01 # Toe0',
    },
    'L',
    'R',
  ),
  'VRoid Studio': sided(
    {
      hips: 'J_Bip_C_Hips',
      spine: 'J_Bip_C_Spine',
      chest: 'J_Bip_C_Chest',
      upperChest: 'J_Bip_C_UpperChest',
      neck: 'J_Bip_C_Neck',
      head: 'J_Bip_C_Head',
      leftShoulder: 'J_Bip_#_Shoulder',
      leftUpperArm: 'J_Bip_#_UpperArm',
      leftLowerArm: 'J_Bip_#_LowerArm',
      leftHand: 'J_Bip_#_Hand',
      leftUpperLeg: 'J_Bip_#_UpperLeg',
      leftLowerLeg: 'J_Bip_#_LowerLeg',
      leftFoot: 'J_Bip_#_Foot',
      leftToes: 'J_Bip_#_ToeBase',
    },
    'L',
    'R',
  ),
  'Daz, one bone for neck and head': sided(
    {
      hips: 'hip',
      spine: 'abdomenLower',
      chest: 'chestLower',
      head: 'head',
      leftShoulder: '#Collar',
      leftUpperArm: '#ShldrBend',
      leftLowerArm: '#ForearmBend',
      leftHand: '#Hand',
      leftUpperLeg: '#ThighBend',
      leftLowerLeg: '#Shin',
      leftFoot: '#Foot',
      leftToes: '#Toe',
    },
    'l',
    'r',
  ),
  'CMU and Poser words: collar, shoulder, hip, knee': sided(
    {
      hips: 'Hips',
      spine: 'Chest',
      head: 'Head',
      leftShoulder: '#Collar',
      leftUpperArm: '#Shoulder',
      leftLowerArm: '#Elbow',
      leftHand: '#Wrist',
      leftUpperLeg: '#Hip',
      leftLowerLeg: '#Knee',
      leftFoot: '#Ankle',
    },
    'Left',
    'Right',
  ),
  'Rigify, whose neck and head are of the spine': sided(
    {
      hips: 'DEF-spine',
      spine: 'DEF-spine.001',
      chest: 'DEF-spine.002',
      upperChest: 'DEF-spine.003',
      neck: 'DEF-spine.004',
      head: 'DEF-spine.006',
      leftShoulder: 'DEF-shoulder.#',
      leftUpperArm: 'DEF-upper_arm.#',
      leftLowerArm: 'DEF-forearm.#',
      leftHand: 'DEF-hand.#',
      leftUpperLeg: 'DEF-thigh.#',
      leftLowerLeg: 'DEF-shin.#',
      leftFoot: 'DEF-foot.#',
      leftToes: 'DEF-toe.#',
    },
    'L',
    'R',
  ),
  'Character Creator, whose neck is named as a twist bone': sided(
    {
      hips: 'CC_Base_Hip',
      spine: 'CC_Base_Waist',
      chest: 'CC_Base_Spine01',
      upperChest: 'CC_Base_Spine02',
      neck: 'CC_Base_NeckTwist01',
      head: 'CC_Base_Head',
      leftShoulder: 'CC_Base_#_Clavicle',
      leftUpperArm: 'CC_Base_#_Upperarm',
      leftLowerArm: 'CC_Base_#_Forearm',
      leftHand: 'CC_Base_#_Hand',
      leftUpperLeg: 'CC_Base_#_Thigh',
      leftLowerLeg: 'CC_Base_#_Calf',
      leftFoot: 'CC_Base_#_Foot',
      leftToes: 'CC_Base_#_ToeBase',
    },
    'L',
    'R',
  ),
  OptiTrack: sided(
    {
      hips: 'Skeleton_Hip',
      spine: 'Skeleton_Ab',
      chest: 'Skeleton_Chest',
      neck: 'Skeleton_Neck',
      head: 'Skeleton_Head',
      leftShoulder: 'Skeleton_#Shoulder',
      leftUpperArm: 'Skeleton_#UArm',
      leftLowerArm: 'Skeleton_#FArm',
      leftHand: 'Skeleton_#Hand',
      leftUpperLeg: 'Skeleton_#Thigh',
      leftLowerLeg: 'Skeleton_#Shin',
      leftFoot: 'Skeleton_#Foot',
      leftToes: 'Skeleton_#Toe',
    },
    'L',
    'R',
  ),
  'the landmarks of MediaPipe, without a neck': sided(
    {
      hips: 'mid_hip',
      spine: 'mid_spine',
      chest: 'mid_shoulder',
      head: 'nose',
      leftUpperArm: '#_shoulder',
      leftLowerArm: '#_elbow',
      leftHand: '#_wrist',
      leftUpperLeg: '#_hip',
      leftLowerLeg: '#_knee',
      leftFoot: '#_ankle',
      leftToes: '#_foot_index',
    },
    'left',
    'right',
  ),
};

function foundNames(figure: Figure): HumanBoneMap<string> {
  const humanoid = findHumanoid(figure);
  const entries = Object.entries(humanoid?.bones ?? {}).map(([bone, index]) => [
    bone,
    figure.bones[index].name,
  ]);
  return Object.fromEntries(entries);
}

describe('findHumanoid', () => {
  test('finds all bones of the built-in human, and where it faces', () => {
    const humanoid = findHumanoid(createHumanFigure());
    expect(Object.keys(humanoid?.bones ?? {}).sort()).toEqual([...HUMAN_BONES].sort());
    expect([humanoid?.left, humanoid?.up, humanoid?.forward]).toEqual([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]);
  });

  test.each(Object.entries(SCHEMES))('knows the names of %s', (_, names) => {
    expect(foundNames(renamed(names))).toEqual(names);
  });

  test('the head of Rigify is the last of its spine, above two bones of the neck', () => {
    const data = figureToData(renamed(SCHEMES['Rigify, whose neck and head are of the spine']));
    const figure = createFigure({
      bones: data.bones.flatMap((bone) => {
        if (bone.name !== 'DEF-spine.006') return [bone];
        const half = [0, 0.5 * (bone.rest?.position?.[1] ?? 0), 0] as const;
        const second = { ...bone, name: 'DEF-spine.005', rest: { position: half } };
        return [second, { ...bone, parent: 'DEF-spine.005', rest: { position: half } }];
      }),
    });
    expect(foundNames(figure)).toMatchObject({ neck: 'DEF-spine.004', head: 'DEF-spine.006' });
  });

  test('ignores twist bones, helpers and targets', () => {
    const data = figureToData(renamed(SCHEMES.Mixamo));
    const ball = { type: 'ball' } as const;
    const more = [
      { name: 'LeftForeArmTwist', parent: 'mixamorig:LeftArm', joint: ball },
      { name: 'LeftHandIK', parent: null, joint: ball },
      { name: 'Head_End', parent: 'mixamorig:Head', joint: ball },
      { name: 'RightFoot_target', parent: null, joint: ball },
    ];
    const figure = createFigure({
      bones: [
        ...more.filter(({ parent }) => parent === null),
        ...data.bones,
        ...more.filter(({ parent }) => parent !== null),
      ],
    });
    expect(foundNames(figure)).toEqual(SCHEMES.Mixamo);
  });

  test('finds a body by geometry where names are unknown', () => {
    const names: HumanBoneMap<string> = {};
    HUMAN_BONES.forEach((bone, k) => {
      names[bone] = `node_${k}`;
    });
    const found = foundNames(renamed(names));
    // Of a head without a tip the highest leaf is the head itself.
    expect(found).toEqual(names);
  });

  test('finds no human in a chain, a quadruped or a figure without knees', () => {
    const chain = createFigure({
      bones: Array.from({ length: 8 }, (_, i) => ({
        name: `b${i}`,
        parent: i === 0 ? null : `b${i - 1}`,
        rest: { position: [0, 0.1, 0] as const },
      })),
    });
    expect(findHumanoid(chain)).toBeUndefined();
    // Lying on its belly: a trunk that goes ahead, as on four legs.
    expect(findHumanoid(createHumanFigure(), { up: [0, 0, 1] })).toBeUndefined();
    const {
      leftLowerLeg: _l,
      rightLowerLeg: _r,
      leftFoot: _a,
      rightFoot: _b,
      leftToes: _c,
      rightToes: _d,
      ...legless
    } = SCHEMES.Mixamo;
    expect(findHumanoid(renamed(legless))).toBeUndefined();
  });
});

test('an empty map of corrections is as none, of a human and of a chain', () => {
  const chain = createFigure({
    bones: [
      { name: 'a', joint: { type: 'free' } },
      { name: 'b', parent: 'a', rest: { position: [0, 1, 0] }, joint: { type: 'ball' } },
    ],
  });
  expect(findHumanoid(chain, { bones: {} })).toBeUndefined();
  const human = createHumanFigure();
  expect(findHumanoid(human, { bones: {} })).toEqual(findHumanoid(human));
  expect(() => findHumanoid(chain, { bones: { hips: 'a' } })).toThrow('lacks spine');
});

describe('fingers', () => {
  const chain = (parent: string, names: readonly string[]) =>
    names.map((name, k) => ({
      name,
      parent: k === 0 ? parent : names[k - 1],
      rest: { position: [0.03, 0, 0] as const },
    }));
  const withBones = (bones: ReturnType<typeof chain>): Figure => {
    const data = figureToData(createHumanFigure());
    return createFigure({ ...data, bones: [...data.bones, ...bones] });
  };
  const numbered = (name: string, to: number) => Array.from({ length: to }, (_, k) => `${name}${k + 1}`);

  test('are found by the names of Mixamo and others below the lower arm, ends and metacarpals left out', () => {
    const figure = withBones([
      ...chain('leftHand', numbered('mixamorig:LeftHandThumb', 4)),
      ...chain('leftHand', numbered('mixamorig:LeftHandIndex', 4)),
      ...chain('leftHand', ['middle_metacarpal_l', 'middle_01_l', 'middle_02_l', 'middle_03_l']),
      ...chain('leftHand', ['f_ring.01.L', 'f_ring.02.L']),
      ...chain('leftLowerArm', ['LeftPinky1', 'LeftPinky2', 'LeftPinkyEnd']),
      ...chain('rightHand', ['Thumb.R', 'Thumb2.R']),
      ...chain('rightHand', ['bowstring.01.R']),
    ]);
    const bones = findHumanoid(figure)?.bones ?? {};
    const named = Object.fromEntries(
      DETAIL_BONES.flatMap((name) => {
        const bone = bones[name];
        return bone === undefined ? [] : [[name, figure.bones[bone].name]];
      }),
    );
    expect(named).toEqual({
      leftThumbMetacarpal: 'mixamorig:LeftHandThumb1',
      leftThumbProximal: 'mixamorig:LeftHandThumb2',
      leftThumbDistal: 'mixamorig:LeftHandThumb3',
      leftIndexProximal: 'mixamorig:LeftHandIndex1',
      leftIndexIntermediate: 'mixamorig:LeftHandIndex2',
      leftIndexDistal: 'mixamorig:LeftHandIndex3',
      leftMiddleProximal: 'middle_01_l',
      leftMiddleIntermediate: 'middle_02_l',
      leftMiddleDistal: 'middle_03_l',
      leftRingProximal: 'f_ring.01.L',
      leftRingIntermediate: 'f_ring.02.L',
      leftLittleProximal: 'LeftPinky1',
      leftLittleIntermediate: 'LeftPinky2',
      rightThumbProximal: 'Thumb.R',
      rightThumbDistal: 'Thumb2.R',
    });
  });

  test('are taken as given, by their VRM 1.0 names', () => {
    const figure = withBones(chain('leftHand', ['a', 'b']));
    const body = findHumanoid(figure)?.bones;
    const bones = { ...body, leftIndexProximal: 'a', leftEye: 'b' };
    expect(findHumanoid(figure, { bones })?.bones).toMatchObject({
      leftIndexProximal: figure.bones.length - 2,
      leftEye: figure.bones.length - 1,
    });
    expect(() => findHumanoid(figure, { bones: { ...bones, leftIndexFirst: 'a' } as never })).toThrow(
      /leftIndexFirst/,
    );
    expect(() => findHumanoid(figure, { bones: { ...bones, jaw: 'a' } })).toThrow(
      /leftIndexProximal already/,
    );
  });
});

describe('recognition', () => {
  const human = renamed(SCHEMES.Mixamo);
  const named = (figure: Figure, human: HumanBone): string | undefined => {
    const bone = findHumanoid(figure)?.bones[human];
    return bone === undefined ? undefined : figure.bones[bone].name;
  };

  test('says how sure it is of each bone, and why', () => {
    const humanoid = findHumanoid(human);
    expect(humanoid?.confidence.leftUpperLeg).toBe(0.95);
    expect(humanoid?.reasons.leftUpperLeg).toEqual([
      "name 'mixamorig:LeftUpLeg'",
      'of the pair of chains with the lowest ends',
    ]);
    expect(humanoid?.joints.leftLowerLeg).toEqual([humanoid?.bones.leftLowerLeg]);
  });

  test('takes some bones as given and finds the others around them; null is none', () => {
    const bones = { leftLowerLeg: 'mixamorig:LeftFoot', leftToes: null, neck: null };
    const found = findHumanoid(human, { bones });
    const name = (bone: HumanBone): string | undefined => {
      const index = found?.bones[bone];
      return index === undefined ? undefined : human.bones[index].name;
    };
    expect(name('leftLowerLeg')).toBe('mixamorig:LeftFoot');
    expect(name('leftUpperLeg')).toBe('mixamorig:LeftUpLeg');
    expect(name('rightLowerLeg')).toBe('mixamorig:RightLeg');
    expect([name('leftFoot'), name('leftToes'), name('neck')]).toEqual([undefined, undefined, undefined]);
    expect([found?.confidence.leftLowerLeg, found?.reasons.leftLowerLeg]).toEqual([1, ['as given']]);
    expect(found?.confidence.leftToes).toBeUndefined();
    expect(() => findHumanoid(human, { bones: { leftUpperLeg: null } })).toThrow('lacks leftUpperLeg');
  });

  test('knows the words of Kinect, SMPL and robots', () => {
    const kinect = sided(
      {
        hips: 'SpineBase',
        spine: 'SpineMid',
        chest: 'SpineShoulder',
        neck: 'Neck',
        head: 'Head',
        leftUpperArm: 'Shoulder#',
        leftLowerArm: 'Elbow#',
        leftHand: 'Wrist#',
        leftUpperLeg: 'Hip#',
        leftLowerLeg: 'Knee#',
        leftFoot: 'Ankle#',
        leftToes: 'Foot#',
      },
      'Left',
      'Right',
    );
    const smpl = sided(
      {
        hips: 'Pelvis',
        spine: 'Spine1',
        chest: 'Spine2',
        upperChest: 'Spine3',
        neck: 'Neck',
        head: 'Head',
        leftShoulder: '#_Collar',
        leftUpperArm: '#_Shoulder',
        leftLowerArm: '#_Elbow',
        leftHand: '#_Wrist',
        leftUpperLeg: '#_Hip',
        leftLowerLeg: '#_Knee',
        leftFoot: '#_Ankle',
        leftToes: '#_Foot',
      },
      'L',
      'R',
    );
    for (const names of [kinect, smpl]) expect(foundNames(renamed(names))).toEqual(names);
  });

  test('a control named head before the face is not the head', () => {
    const data = figureToData(human);
    const control = {
      name: 'HEAD',
      parent: 'mixamorig:Spine2',
      rest: { position: [0, 0.1, 1] as const },
      joint: { type: 'ball' } as const,
    };
    const at = data.bones.findIndex(({ name }) => name === 'mixamorig:Neck');
    const figure = createFigure({
      ...data,
      bones: [...data.bones.slice(0, at), control, ...data.bones.slice(at)],
    });
    expect(named(figure, 'head')).toBe('mixamorig:Head');
  });

  test('names with left and right swapped are followed, and the toes object', () => {
    const names = sided(
      Object.fromEntries(
        Object.entries(SCHEMES.Mixamo)
          .filter(([bone]) => !bone.startsWith('right'))
          .map(([bone, name]) => [bone, name.replace('Left', '#')]),
      ),
      'Right',
      'Left',
    );
    const humanoid = findHumanoid(renamed(names));
    expect(humanoid?.forward[2]).toBeCloseTo(-1, 9);
    expect(humanoid?.confidence.leftToes).toBe(0.4);
    expect(humanoid?.reasons.leftToes).toContain('the toes point backwards: left and right may be swapped');
  });

  test('offsets that all go one way are no rest pose of a human: arms are not taken for legs', () => {
    // As in the BVHs of LAFAN1, where rotations make the body: lengths along X, m.
    const lengths: Readonly<Record<string, number>> = {
      Leg: 0.43,
      Foot: 0.42,
      ToeBase: 0.17,
      Spine: 0.07,
      Spine1: 0.13,
      Spine2: 0.12,
      Neck: 0.26,
      Head: 0.12,
      Arm: 0.11,
      ForeArm: 0.33,
      Hand: 0.25,
      Shoulder: 0.2,
    };
    const aside: Readonly<Record<string, number>> = { UpLeg: 0.1, Shoulder: 0.06 };
    const figure = createFigure({
      bones: figureToData(human).bones.map((bone) => {
        const [, side, part] = /^mixamorig:(Left|Right)?(.*)$/.exec(bone.name) as RegExpExecArray;
        const z = (aside[part] ?? 0) * (side === 'Left' ? 1 : -1);
        return { ...bone, rest: { position: [lengths[part] ?? 0, 0, z] as const } };
      }),
    });
    expect(findHumanoid(figure)).toBeUndefined();
    expect(() => requireHumanoid(figure, {}, 'is no human.', 'Give one.')).toThrow(
      'has the bones of a human, but its trunk is not upright in this pose',
    );
  });

  test.each([
    ['a chain', (k: number) => k - 1, () => [0, 0.01, 0]],
    [
      'chains of two bones',
      (k: number) => (k % 2 === 0 ? k - 1 : 0),
      (k: number) => [Math.sin(k), -1, Math.cos(k)],
    ],
    ['a tree', (k: number) => Math.floor((k - 1) / 2), (k: number) => [k % 2 ? 1 : -1, 0.1, 0]],
  ] as const)('8192 bones more: %s', (_, parentOf, offset) => {
    const data = figureToData(human);
    const figure = createFigure({
      bones: [
        ...data.bones,
        ...Array.from({ length: 8192 }, (_bone, k) => ({
          name: `leg${k}.L`,
          parent: k === 0 ? 'mixamorig:Head' : `leg${parentOf(k)}.L`,
          rest: { position: offset(k).map((x) => 0.01 * x) as unknown as readonly [number, number, number] },
          joint: { type: 'ball' } as const,
        })),
      ],
    });
    findHumanoid(figure);
    const times = Array.from({ length: 8 }, () => {
      const before = threadTime();
      findHumanoid(figure);
      return threadTime() - before;
    });
    // 50 ms of processor time on a machine at rest.
    expect(Math.min(...times)).toBeLessThan(200);
  });
});
