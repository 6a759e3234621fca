import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readAsf, readBvh, readGltfRig, readMjcf, readUrdf } from '@poise/formats';
import { describeWithData, sharedDataFolder } from '@poise/test-support/shared-data';
import {
  createFigure,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
  type Triple,
} from 'poise/figure';
import { findHumanoid, HUMAN_BONES, type HumanBone, type HumanBoneMap } from 'poise/humanoid';
import { expect, test } from 'vitest';
import { mhskelBones, poseNodes } from './bodies.js';
import { EXPECTED, OTHERS } from './maps.js';

const cache = new Map<string, Figure>();

function figureOf(file: string): Figure {
  const known = cache.get(file);
  if (known !== undefined) return known;
  const path = join(sharedDataFolder, file);
  const text = (): string => readFileSync(path, 'utf8');
  const read = (): Figure => {
    if (file.endsWith('.bvh')) return readBvh(text()).figure;
    if (file.endsWith('.urdf')) return readUrdf(text()).figure;
    if (file.endsWith('.xml')) return readMjcf(text()).figure;
    if (file.endsWith('.asf')) return readAsf(text()).figure;
    if (file.endsWith('.json')) return poseNodes(text());
    if (file.endsWith('.mhskel'))
      return mhskelBones(text(), readFileSync(join(dirname(path), 'base.obj'), 'utf8'));
    const resource = (uri: string): Uint8Array => new Uint8Array(readFileSync(join(dirname(path), uri)));
    return readGltfRig(new Uint8Array(readFileSync(path)), { resource }).figure;
  };
  const figure = read();
  cache.set(file, figure);
  return figure;
}

/** The names of the bones found. */
function namesOf(figure: Figure, bones: HumanBoneMap<number> | undefined): HumanBoneMap<string> {
  return Object.fromEntries(
    Object.entries(bones ?? {}).map(([human, bone]) => [human, figure.bones[bone].name]),
  );
}

interface Change {
  readonly rename?: (name: string, index: number) => string;
  readonly scale?: number;
  /** About the up axis of the figure, rad. */
  readonly turn?: number;
  readonly isReversed?: boolean;
}

/** The same skeleton with other names, size, heading or order of children. Names are by bone of the result. */
function changed(
  figure: Figure,
  { rename = (name) => name, scale = 1, turn = 0, isReversed = false }: Change,
): Figure {
  const name = (bone: number): string => rename(figure.bones[bone].name, bone);
  const [s, c] = [Math.sin(turn / 2), Math.cos(turn / 2)];
  const [ux, uy, uz] = figure.up;
  const bones = figureToData(figure).bones.map((bone, index) => {
    const { mimic: _m, limit, ...data } = bone;
    const position = (bone.rest?.position ?? [0, 0, 0]).map((x) => scale * x) as unknown as Triple;
    const { parent } = figure.bones[index];
    return {
      ...data,
      ...(limit && data.joint?.type === 'hinge' ? { limit } : {}),
      name: name(index),
      parent: parent < 0 ? 'turned' : name(parent),
      rest: { ...bone.rest, position },
    };
  });
  const root = { name: 'turned', parent: null, rest: { rotation: [s * ux, s * uy, s * uz, c] as const } };
  return createFigure({ up: figure.up, bones: [root, ...(isReversed ? bones.reverse() : bones)] });
}

const LIMBS_AND_TRUNK = HUMAN_BONES.filter((bone) => !/Toes|Shoulder|neck|head/i.test(bone));

describeWithData('human bones of', 'bvh', () => {
  test.each(Object.entries(EXPECTED))('%s', (file, expected) => {
    const figure = figureOf(file);
    const humanoid = findHumanoid(figure);
    expect(namesOf(figure, humanoid?.bones)).toMatchObject(expected);
    // No core bone beyond those written down.
    const core = HUMAN_BONES.filter((bone) => humanoid?.bones[bone] !== undefined && !bone.endsWith('Toes'));
    expect(core).toEqual(
      HUMAN_BONES.filter((bone) => expected[bone] !== undefined && !bone.endsWith('Toes')),
    );
    // Left and right agree between legs and arms, and with the toes.
    const state = createState(figure);
    forwardKinematics(state, new Float64Array(figure.dof));
    const at = (bone: HumanBone): number[] => {
      const index = humanoid?.bones[bone] as number;
      return Array.from(state.worldFromBone.subarray(12 * index + 9, 12 * index + 12));
    };
    const along = (a: HumanBone, b: HumanBone, axis: Triple = [0, 0, 0]): number =>
      at(a).reduce((sum, x, k) => sum + (x - at(b)[k]) * axis[k], 0);
    expect(along('leftLowerLeg', 'rightLowerLeg', humanoid?.left)).toBeGreaterThan(0);
    expect(along('leftLowerArm', 'rightLowerArm', humanoid?.left)).toBeGreaterThan(0);
    for (const bone of Object.keys(humanoid?.bones ?? {}) as HumanBone[]) {
      expect(humanoid?.confidence[bone], bone).toBeGreaterThan(0);
      expect(humanoid?.reasons[bone]?.length, bone).toBeGreaterThan(0);
      expect(humanoid?.joints[bone]?.length, bone).toBeGreaterThan(0);
    }
  });

  test.each(OTHERS)('%s: none', (file) => {
    expect(findHumanoid(figureOf(file))).toBeUndefined();
  });

  test.each(Object.keys(EXPECTED))('%s by form alone', (file) => {
    const figure = figureOf(file);
    const bare = changed(figure, { rename: (_, index) => `b${index}` });
    const found = findHumanoid(bare)?.bones ?? {};
    const names = Object.fromEntries(
      Object.entries(found).map(([human, bone]) => [
        human,
        figure.bones[Number(bare.bones[bone].name.slice(1))].name,
      ]),
    );
    const expected = EXPECTED[file];
    const wanted = LIMBS_AND_TRUNK.filter((bone) => expected[bone] !== undefined && !isAmbiguous(file, bone));
    expect(pick(names, wanted)).toEqual(pick(expected, wanted));
  });

  test.each(Object.keys(EXPECTED))('%s of other size, heading, order', (file) => {
    const figure = figureOf(file);
    const plain = namesOf(figure, findHumanoid(figure)?.bones);
    for (const change of [
      { scale: 0.01 },
      { scale: 100 },
      ...[1, 2, 3, 4, 5].map((turn) => ({ turn })),
      { isReversed: true },
      { rename: (name: string) => `Rig:${name}` },
      { rename: (name: string) => `Armature|${name}` },
      { rename: (name: string) => name.toLowerCase() },
    ] satisfies Change[]) {
      // A heading that is not along the axes of the file takes the body out of the reach of another up.
      const other = changed(figure, change);
      const found = namesOf(other, findHumanoid(other)?.bones);
      const wanted = HUMAN_BONES.filter(
        (bone) => plain[bone] !== undefined && !bone.endsWith('Toes') && !isAmbiguous(file, bone),
      );
      const name = 'rename' in change ? change.rename : (given: string) => given;
      if ('turn' in change && stands(file) === false) continue;
      const same = Object.fromEntries(wanted.map((bone) => [bone, name(plain[bone] as string)]));
      expect(pick(found, wanted), JSON.stringify(change)).toEqual(same);
    }
  });
});

function stands(file: string): boolean {
  const { up } = figureOf(file);
  return findHumanoid(figureOf(file))?.up.every((x, k) => Math.abs(x - up[k]) < 1e-9) ?? false;
}

/** Where the form alone cannot tell: palms side by side, a control that carries hips and legs, a twist bone before the wrist. */
function isAmbiguous(file: string, bone: HumanBone): boolean {
  if (/asf$|humanoid_CMU/.test(file)) return bone.endsWith('Hand');
  return file.includes('RobotExpressive') && /Hand|hips|spine|[cC]hest/.test(bone);
}

function pick(names: HumanBoneMap<string>, wanted: readonly HumanBone[]): HumanBoneMap<string> {
  return Object.fromEntries(wanted.map((bone) => [bone, names[bone]]));
}
