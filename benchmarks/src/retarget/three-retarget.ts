/** `SkeletonUtils.retargetClip` of three.js, given what helps it: rest poses aligned by offsets, scale, and the best height. */
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { mat3, quat } from 'poise/math';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import type { Retargeter } from 'poise/retarget';
import {
  AnimationClip,
  AnimationMixer,
  Bone,
  BufferGeometry,
  Matrix4,
  Quaternion,
  QuaternionKeyframeTrack,
  Skeleton,
  SkinnedMesh,
  VectorKeyframeTrack,
} from 'three';
import { retargetClip } from 'three/addons/utils/SkeletonUtils.js';
import { throughput } from '../throughput.js';

interface Rig {
  readonly mesh: SkinnedMesh;
  readonly bones: readonly Bone[];
}

function rigOf(figure: Figure): Rig {
  const bones = figure.bones.map(({ index, rest }) => {
    const bone = new Bone();
    bone.name = `b${index}`;
    bone.position.set(...(rest.position as [number, number, number]));
    bone.quaternion.set(...(rest.rotation as [number, number, number, number]));
    return bone;
  });
  const mesh = new SkinnedMesh(new BufferGeometry());
  figure.bones.forEach(({ parent }, b) => {
    (parent < 0 ? mesh : bones[parent]).add(bones[b]);
  });
  mesh.updateMatrixWorld(true);
  mesh.bind(new Skeleton(bones));
  return { mesh, bones };
}

/** World transforms of the target's bones, twelve numbers each, of each frame, and frames a second of `retargetClip` alone. */
export interface ThreeResult {
  readonly frames: Float64Array[];
  readonly first: number;
  readonly warm: number;
}

export function retargetByThree(
  { source, target, bones, scale }: Retargeter,
  motion: Motion,
  times: Float64Array,
): ThreeResult {
  const from = rigOf(source);
  const to = rigOf(target);
  const names: Record<string, string> = {};
  const localOffsets: Record<string, Matrix4> = {};
  const [sourceRest, targetRest] = [restOf(source), restOf(target)];
  const forward = bones.find(({ human }) => human === 'hips') as (typeof bones)[number];
  for (const { source: s, target: t } of bones) {
    if (names[`b${t}`] !== undefined) continue;
    names[`b${t}`] = `b${s}`;
    // R_target = R_source R_source,rest^-1 R_target,rest.
    localOffsets[`b${t}`] = matrixOf(
      mat3.multiply(
        mat3.transpose(sourceRest.subarray(12 * s, 12 * s + 9)),
        targetRest.subarray(12 * t, 12 * t + 9),
      ),
    );
  }
  const clip = clipOf(source, motion, times);
  const options = {
    names: names as never,
    localOffsets,
    hip: `b${forward.source}`,
    scale,
    fps: (times.length - 1) / (times[times.length - 1] - times[0]),
  } as never;
  const { result, first, warm } = throughput(
    () => retargetClip(to.mesh, from.mesh, clip, options),
    () => times.length,
  );
  const mixer = new AnimationMixer(to.mesh);
  mixer.clipAction(result).play();
  const frames = Array.from(times, (time) => {
    mixer.setTime(Math.min(time - times[0], result.duration - 1e-6));
    to.mesh.updateMatrixWorld(true);
    return Float64Array.from(
      to.bones.flatMap(({ matrixWorld: { elements: e } }) => [
        e[0],
        e[4],
        e[8],
        e[1],
        e[5],
        e[9],
        e[2],
        e[6],
        e[10],
        e[12],
        e[13],
        e[14],
      ]),
    );
  });
  return { frames, first, warm };
}

function restOf(figure: Figure): Float64Array {
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  return state.worldFromBone;
}

function matrixOf(m: ArrayLike<number>): Matrix4 {
  return new Matrix4().makeRotationFromQuaternion(
    new Quaternion(...(quat.fromMatrix(Array.from(m)) as [number, number, number, number])),
  );
}

/** The clip as local transforms at the frames. */
function clipOf(figure: Figure, motion: Motion, times: Float64Array): AnimationClip {
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  const rotations: number[][] = figure.bones.map(() => []);
  const positions: number[][] = figure.bones.map(() => []);
  for (const time of times) {
    forwardKinematics(state, samplePose(sampler, time, pose));
    figure.bones.forEach((_, b) => {
      const local = state.parentFromBone.subarray(12 * b, 12 * b + 12);
      rotations[b].push(...quat.fromMatrix(local.subarray(0, 9)));
      positions[b].push(local[9], local[10], local[11]);
    });
  }
  const shifted = Array.from(times, (time) => time - times[0]);
  return new AnimationClip(
    'clip',
    -1,
    figure.bones.flatMap(({ joint }, b) => [
      new QuaternionKeyframeTrack(`.bones[b${b}].quaternion`, shifted, rotations[b]),
      ...(joint.type === 'free'
        ? [new VectorKeyframeTrack(`.bones[b${b}].position`, shifted, positions[b])]
        : []),
    ]),
  );
}
