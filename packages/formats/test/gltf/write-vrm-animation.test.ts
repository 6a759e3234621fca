/** VRM animations as another reader sees them: @pixiv/three-vrm-animation, on three's own readers of glTF and BVH. */
import { readFileSync } from 'node:fs';
import { type VRMAnimation, VRMAnimationLoaderPlugin } from '@pixiv/three-vrm-animation';
import { describeWithData } from '@poise/test-support/shared-data';
import {
  boneIndex,
  createFigure,
  createPose,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
  type Quadruple,
  type Triple,
} from 'poise/figure';
import { createHumanFigure, findHumanoid, HUMAN_BONES, type HumanBoneMap } from 'poise/humanoid';
import { type Numbers, quat, rigid, vec3 } from 'poise/math';
import { createMotion, createMotionSampler, type Motion, motionFromPoses, samplePose } from 'poise/motion';
import { type KeyframeTrack, Quaternion, Vector3 } from 'three';
import { BVHLoader } from 'three/examples/jsm/loaders/BVHLoader.js';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { describe, expect, test } from 'vitest';
import {
  readBvh,
  readGltfAnimation,
  readGltfRig,
  vrmHumanoid,
  writeFigureGltf,
  writeGltfAnimation,
  writeVrmAnimation,
} from '../../src/index.js';
import { openGlb } from './support/build.js';

/** Smallest tolerance, and what single precision adds to it over ten joints. */
const FINE = { interpolation: 'CUBICSPLINE', tolerance: { rotation: 1e-6, translation: 1e-6 } } as const;
const ROUNDING = 3e-6;

async function readByThreeVrm(bytes: Uint8Array): Promise<VRMAnimation> {
  const loader = new GLTFLoader();
  loader.register((parser) => new VRMAnimationLoaderPlugin(parser));
  const copy = bytes.slice().buffer as ArrayBuffer;
  const { userData } = await loader.parseAsync(copy, '');
  return (userData.vrmAnimations as VRMAnimation[])[0];
}

/** The value of a track of three at a time. */
function valueAt(track: KeyframeTrack | undefined, time: number): number[] | undefined {
  if (track === undefined) return undefined;
  // Typed as internal by three: the interpolant that the mixer uses.
  const { createInterpolant } = track as unknown as {
    createInterpolant: (out: Float32Array) => { evaluate: (t: number) => ArrayLike<number> };
  };
  return Array.from(createInterpolant.call(track, new Float32Array(track.getValueSize())).evaluate(time));
}

/** three's angleTo takes the arc cosine of a number near 1. */
function angleOf(a: Quaternion, b: Quaternion): number {
  return quat.angleBetween(quat.normalize(a.toArray()), quat.normalize(b.toArray()));
}

/** World rotations of the normalized bones, by the names and parents of VRM 1.0. */
function normalizedWorld({ humanoidTracks }: VRMAnimation, time: number): Map<string, Quaternion> {
  const parents: Record<string, string[]> = {
    spine: ['hips'],
    chest: ['spine'],
    neck: ['upperChest', 'chest', 'spine'],
    head: ['neck'],
  };
  for (const side of ['left', 'right']) {
    parents[`${side}Shoulder`] = ['upperChest', 'chest', 'spine'];
    parents[`${side}UpperArm`] = [`${side}Shoulder`, 'chest', 'spine'];
    parents[`${side}LowerArm`] = [`${side}UpperArm`];
    parents[`${side}Hand`] = [`${side}LowerArm`];
    parents[`${side}UpperLeg`] = ['hips'];
    parents[`${side}LowerLeg`] = [`${side}UpperLeg`];
    parents[`${side}Foot`] = [`${side}LowerLeg`];
    parents[`${side}Toes`] = [`${side}Foot`];
  }
  const tracks = humanoidTracks.rotation as Map<string, KeyframeTrack>;
  const local = (name: string) =>
    new Quaternion(
      ...((valueAt(tracks.get(name), time) ?? [0, 0, 0, 1]) as [number, number, number, number]),
    );
  const world = new Map<string, Quaternion>([['hips', local('hips')]]);
  const of = (name: string): Quaternion => {
    const known = world.get(name);
    if (known) return known;
    const parent = parents[name].find((above) => tracks.has(above)) ?? 'hips';
    const result = of(parent).clone().multiply(local(name));
    world.set(name, result);
    return result;
  };
  for (const name of Object.keys(parents)) if (tracks.has(name)) of(name);
  return world;
}

describeWithData('a recorded walk', 'bvh/walk01.bvh', (path) => {
  test("has the world rotations of three's BVH reader, and its hips where that has them", async () => {
    const text = readFileSync(path, 'utf8');
    // three adds position channels to OFFSETs, always.
    const { figure, motion, frameTime, frames } = readBvh(text, { scale: 0.01, positions: 'added' });
    const bones = findHumanoid(figure)?.bones as HumanBoneMap<number>;
    const animation = await readByThreeVrm(writeVrmAnimation(figure, motion, { ...FINE }));
    const { skeleton, clip } = new BVHLoader().parse(text);
    const theirs = skeleton.bones.filter(({ name }) => name !== 'ENDSITE');
    let compared = 0;
    for (const frame of [0, 7, Math.floor(frames / 2), frames - 1]) {
      for (const [b, bone] of theirs.entries()) {
        bone.position.fromArray(clip.tracks[2 * b].values, 3 * frame);
        bone.quaternion.fromArray(clip.tracks[2 * b + 1].values, 4 * frame);
      }
      theirs[0].updateMatrixWorld(true);
      for (const [human, rotation] of normalizedWorld(animation, frame * frameTime)) {
        const bone = theirs[bones[human as 'hips'] as number];
        const expected = bone.getWorldQuaternion(new Quaternion());
        expect(angleOf(rotation, expected), `${human} in frame ${frame}`).toBeLessThan(1e-5);
        compared++;
      }
      const hips = valueAt(animation.humanoidTracks.translation.get('hips'), frame * frameTime) as number[];
      const position = theirs[bones.hips as number].getWorldPosition(new Vector3()).toArray();
      expect(vec3.distance(hips, vec3.scale(position, 0.01))).toBeLessThan(1e-5);
    }
    expect(compared).toBeGreaterThan(60);
    expect(animation.restHipsPosition.y).toBeCloseTo(1.04, 2);
  });
});

describeWithData('a VRM animation', 'vrm/test.vrma', (path) => {
  test('that is written again is the same to three-vrm', async () => {
    const bytes = readFileSync(path);
    const rig = readGltfRig(bytes);
    const { motion } = readGltfAnimation(rig);
    const bones = vrmHumanoid(rig);
    const written = writeVrmAnimation(rig.figure, motion, { ...(bones && { bones }), ...FINE });
    const [before, after] = [await readByThreeVrm(new Uint8Array(bytes)), await readByThreeVrm(written)];
    expect([...after.humanoidTracks.rotation.keys()]).toEqual([...before.humanoidTracks.rotation.keys()]);
    expect(after.restHipsPosition.distanceTo(before.restHipsPosition)).toBeLessThan(1e-6);
    let moved = 0;
    for (const [name, track] of before.humanoidTracks.rotation) {
      for (const time of track.times) {
        const expected = new Quaternion(...(valueAt(track, time) as [number, number, number, number]));
        const value = valueAt(after.humanoidTracks.rotation.get(name), time) as [
          number,
          number,
          number,
          number,
        ];
        expect(angleOf(new Quaternion(...value), expected)).toBeLessThan(ROUNDING);
        moved = Math.max(moved, expected.angleTo(new Quaternion()));
      }
    }
    expect(moved).toBeGreaterThan(0.1);
  });
});

describeWithData('a VRM 0, which faces -Z', 'vrm/cryptovoxels.vrm', (path) => {
  test('faces +Z in its animation', () => {
    const rig = readGltfRig(readFileSync(path));
    const bones = vrmHumanoid(rig) as HumanBoneMap<string>;
    const motion = swayed(rig.figure, bones);
    const back = readBack(writeVrmAnimation(rig.figure, motion, { bones, ...FINE }));
    expect(findHumanoid(back.figure, { bones: back.bones })?.forward[2]).toBeCloseTo(1, 3);
    // By half a turn about +Y.
    expectSameMotion(rig.figure, bones, motion, back, [0, 1, 0, 0], ROUNDING);
  });
});

/** All that a file is read as by this library. */
function readBack(bytes: Uint8Array): { figure: Figure; motion: Motion; bones: HumanBoneMap<string> } {
  const rig = readGltfRig(bytes);
  return {
    figure: rig.figure,
    motion: readGltfAnimation(rig, 0, { tolerance: { rotation: 1e-7, translation: 1e-7 } }).motion,
    bones: vrmHumanoid(rig) as HumanBoneMap<string>,
  };
}

/** A motion of all joints, and of the hips over the ground. */
function swayed(figure: Figure, bones: HumanBoneMap<string>): Motion {
  const times = [0, 0.3, 0.7, 1];
  const free = figure.bones.find(({ name }) => name === bones.hips);
  const poses = times.map((time) =>
    Float64Array.from({ length: figure.dof }, (_, i) => {
      const own = i - (free?.coordinate ?? 0);
      return (own >= 0 && own < 3 ? 0.4 : 0.5) * Math.sin(3 * time + 1.7 * i);
    }),
  );
  return motionFromPoses(figure, times, poses, { name: 'sway' });
}

/** World rotations away from rest, and the hips, are those of the source rotated by a quaternion. */
function expectSameMotion(
  figure: Figure,
  bones: HumanBoneMap<string>,
  motion: Motion,
  back: ReturnType<typeof readBack>,
  rotated: readonly number[],
  bound: number,
): void {
  const frames = (of: Figure, pose: Numbers): Float64Array => {
    const state = createState(of);
    forwardKinematics(state, pose);
    return state.worldFromBone.slice();
  };
  const samplers = [
    createMotionSampler(figure, motion),
    createMotionSampler(back.figure, back.motion),
  ] as const;
  const rests = [frames(figure, createPose(figure)), frames(back.figure, createPose(back.figure))] as const;
  for (let k = 0; k <= 20; k++) {
    const time = motion.start + (k / 20) * (motion.end - motion.start);
    const [ours, theirs] = [figure, back.figure].map((of, n) =>
      frames(of, samplePose(samplers[n], time, createPose(of))),
    );
    for (const [human, name] of Object.entries(back.bones)) {
      if (bones[human as 'hips'] === undefined) continue; // recognised beside those given
      const i = boneIndex(figure, bones[human as 'hips'] as string);
      const j = boneIndex(back.figure, name);
      const away = (rest: Float64Array, now: Float64Array, b: number): number[] =>
        quat.multiply(
          rigid.toQuat(now.subarray(12 * b, 12 * b + 12)),
          quat.conjugate(rigid.toQuat(rest.subarray(12 * b, 12 * b + 12))),
        );
      const expected = quat.multiply(
        quat.multiply(rotated, away(rests[0], ours, i)),
        quat.conjugate(rotated),
      );
      expect(quat.angleBetween(away(rests[1], theirs, j), expected), `${human} at ${time} s`).toBeLessThan(
        bound,
      );
      if (human !== 'hips') continue;
      const position = quat.rotate(rotated, ours.subarray(12 * i + 9, 12 * i + 12));
      expect(vec3.distance(theirs.subarray(12 * j + 9, 12 * j + 12), position)).toBeLessThan(bound);
    }
  }
}

const stillHead = { bone: 'head', keys: { times: [0, 1], values: [0, 0, 0, 0.1, 0, 0] } };

function channelNames({ animations, nodes }: Record<string, unknown>): string[] {
  const [{ channels }] = animations as { channels: { target: { node: number; path: string } }[] }[];
  return channels.map(({ target }) => `${(nodes as { name: string }[])[target.node].name} ${target.path}`);
}

describe('the built-in human', () => {
  const figure = createHumanFigure();
  const bones = Object.fromEntries(HUMAN_BONES.map((name) => [name, name])) as HumanBoneMap<string>;
  const motion = swayed(figure, bones);

  test('moves in the file as it does', () => {
    const back = readBack(writeVrmAnimation(figure, motion, { ...FINE }));
    expect(Object.keys(back.bones).sort()).toEqual([...HUMAN_BONES].sort());
    expectSameMotion(figure, bones, motion, back, [0, 0, 0, 1], 1e-5);
  });

  test('within the tolerance asked for, by fewer keys', () => {
    const fine = writeVrmAnimation(figure, motion, { ...FINE });
    const coarse = writeVrmAnimation(figure, motion, { interpolation: 'CUBICSPLINE' });
    expect(coarse.length).toBeLessThan(0.5 * fine.length);
    // At most seven joints from the hips to a hand, 1e-3 rad each.
    expectSameMotion(figure, bones, motion, readBack(coarse), [0, 0, 0, 1], 7e-3);
  });

  test('with eyes and a jaw has the jaw alone: the format has a gaze in place of eyes', () => {
    const data = figureToData(figure);
    const parts = ['leftEye', 'rightEye', 'jaw'].map((name) => ({
      name,
      parent: 'head',
      rest: { position: [name === 'leftEye' ? 0.03 : -0.03, 0.1, 0.08] as const },
      joint: { type: 'ball' as const },
    }));
    const seeing = createFigure({ ...data, bones: [...data.bones, ...parts] });
    const own = { ...bones, leftEye: 'leftEye', rightEye: 'rightEye', jaw: 'jaw' };
    const back = readBack(writeVrmAnimation(seeing, swayed(seeing, own), { bones: own }));
    expect(Object.keys(back.bones).sort()).toEqual([...HUMAN_BONES, 'jaw'].sort());
  });

  test('keeps a pose that has no track', () => {
    const base = createPose(figure);
    base[figure.bones[boneIndex(figure, 'leftUpperArm')].coordinate + 2] = 0.4;
    const still = createMotion(figure, {
      base,
      tracks: [stillHead],
    });
    const { json } = openGlb(writeVrmAnimation(figure, still));
    expect(channelNames(json)).toEqual(['hips translation', 'head rotation', 'leftUpperArm rotation']);
    expectSameMotion(
      figure,
      bones,
      still,
      readBack(writeVrmAnimation(figure, still, { ...FINE })),
      [0, 0, 0, 1],
      1e-5,
    );
  });

  /** The human with other axes, another unit of order, a bone above the hips and one inside an arm, in A-pose at rest. */
  const changed = (): Figure => {
    const data = figureToData(figure);
    return createFigure({
      ...data,
      bones: [
        { name: 'top', parent: null, joint: { type: 'free' } },
        ...data.bones
          .map((bone, k) => {
            const q = quat.normalize([Math.sin(2 * k), Math.sin(3 * k + 1), Math.sin(5 * k + 2), 1.2]);
            return { ...bone, parent: bone.parent ?? 'top', joint: { type: 'ball' as const }, q };
          })
          .map(({ q, limit: _, tip: __, ...bone }, k, all) => {
            const above =
              k === 0 ? [0, 0, 0, 1] : (all.find(({ name }) => name === bone.parent)?.q ?? [0, 0, 0, 1]);
            const position = quat.rotate(
              quat.conjugate(above),
              bone.rest?.position ?? [0, 0, 0],
            ) as unknown as Triple;
            const rotation = quat.multiply(quat.conjugate(above), q) as unknown as Quadruple;
            return { ...bone, rest: { position, rotation } };
          }),
      ],
    });
  };

  test('with other axes at rest, and a bone above its hips, moves in the file as it does', () => {
    const other = changed();
    const own = swayed(other, { hips: 'top' });
    const back = readBack(writeVrmAnimation(other, own, { ...FINE }));
    expectSameMotion(other, bones, own, back, [0, 0, 0, 1], 1e-5);
  });

  test('that stands in A-pose is refused, and written from the T-pose that is given', () => {
    const data = figureToData(figure);
    const lowered = createFigure({
      ...data,
      bones: data.bones.map((bone) =>
        bone.name === 'leftUpperArm'
          ? {
              name: bone.name,
              parent: bone.parent as string,
              rest: { ...bone.rest, rotation: [0, 0, Math.sin(-0.3), Math.cos(0.3)] as Quadruple },
              joint: { type: 'ball' as const },
            }
          : bone,
      ),
    });
    expect(() => writeVrmAnimation(lowered, motion)).toThrow(
      expect.objectContaining({
        code: 'unsupported',
        what: expect.stringContaining('leftUpperArm is 34 degrees off'),
      }),
    );
    const tPose = createPose(lowered);
    const { coordinate } = lowered.bones[boneIndex(lowered, 'leftUpperArm')];
    tPose[coordinate + 2] = 0.6;
    const still = createMotion(lowered, { tracks: [stillHead], base: tPose });
    const { json } = openGlb(writeVrmAnimation(lowered, still, { tPose }));
    expect(channelNames(json)).toEqual(['hips translation', 'head rotation']);
  });
});

test('what is no humanoid, and a motion of another figure, is refused', () => {
  const lamp = createFigure({
    name: 'lamp',
    bones: [{ name: 'foot', parent: null, joint: { type: 'free' } }],
  });
  const still = createMotion(lamp, {
    tracks: [{ bone: 'foot', keys: { times: [0, 1], values: Array(12).fill(0) } }],
  });
  expect(() => writeVrmAnimation(lamp, still)).toThrow(
    expect.objectContaining({ code: 'unsupported', path: 'figure lamp' }),
  );
  expect(() => writeVrmAnimation(createHumanFigure(), still)).toThrow(
    expect.objectContaining({ code: 'wrong-size' }),
  );
});

test('a motion that travels without end is refused, in a GLB too', () => {
  const human = createHumanFigure();
  const keys = { times: [0, 1], values: [0, 0, 0, 0, 0, 0, 1e30, 0, 0, 0, 0, 0] };
  const wild = createMotion(human, { name: 'wild', tracks: [{ bone: 'hips', keys }] });
  const refusal = expect.objectContaining({
    code: 'out-of-range',
    path: 'wild',
    what: expect.stringContaining('1.00e+30 rad or m from 0 to 1 s'),
  });
  expect(() => writeVrmAnimation(human, wild)).toThrow(refusal);
  const rig = readGltfRig(writeFigureGltf(human, createPose(human)));
  expect(() => writeGltfAnimation({ ...rig, figure: human }, wild)).toThrow(refusal);
});
