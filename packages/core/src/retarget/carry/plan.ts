/** Which bone of the source moves each bone of the target, and the rotations between their axes. */

import {
  DETAIL_BONES,
  HUMAN_BONES,
  type HumanBone,
  type HumanBoneMap,
} from '../../humanoid/recognition/human-bones.js';
import * as mat3 from '../../math/geometry/mat3.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Body } from '../body/body.js';
import type { AnyHumanBone } from '../body/rest-axes.js';

/** A bone of the source whose orientation is carried. */
export interface SourceBone {
  readonly bone: number;
  /** Bone from the axes of the human bone at rest, nine numbers. */
  readonly boneFromHuman: readonly number[];
}

/** A bone of the target that is oriented. */
export interface Segment {
  readonly human: AnyHumanBone;
  readonly bone: number;
  /** Index of the source bone that it follows; `share` of the way from that of `below` (their rotation is interpolated). */
  readonly source: number;
  readonly below: number;
  readonly share: number;
  /** Human bone axes from the bone, nine numbers. */
  readonly humanFromBone: readonly number[];
}

export interface CarryPlan {
  readonly sources: readonly SourceBone[];
  /** In the order of the target's bones. */
  readonly segments: readonly Segment[];
  /** Segment of each human bone. */
  readonly segmentOf: Readonly<HumanBoneMap<number>>;
  /** World of the target from that of the source: up on up, forward on forward at rest; nine numbers. */
  readonly worldFromSource: readonly number[];
}

const TRUNK = ['spine', 'chest', 'upperChest'] as const;
const NECK = ['neck', 'head'] as const;

/**
 * Trunk and neck, which may have other numbers of bones, are matched by the fraction of their bones: the uppermost follows the uppermost, and between
 * two bones of the source the rotation is interpolated. Limbs, feet, fingers, eyes and jaw are matched by name.
 */
export function carryPlanOf(source: Body, target: Body): CarryPlan {
  const sources: SourceBone[] = [];
  const segments: Segment[] = [];
  const sourceIndex = new Map<AnyHumanBone, number>();
  const sourceOf = (human: AnyHumanBone, bone = source.humanoid.bones[human] as number): number => {
    const found = sourceIndex.get(human);
    if (found !== undefined) return found;
    sourceIndex.set(human, sources.length);
    const axes = source.restAxes[human] as readonly number[];
    return sources.push({ bone, boneFromHuman: axesInBone(source, bone, axes) }) - 1;
  };
  const add = (human: AnyHumanBone, bone: number, below: number, follows: number, share: number): void => {
    const humanFromBone = mat3.transpose(
      axesInBone(target, bone, target.restAxes[human] as readonly number[]),
    );
    segments.push({ human, bone, source: follows, below, share, humanFromBone });
  };
  const pelvis = sourceOf('hips', source.pelvis);
  add('hips', target.pelvis, pelvis, pelvis, 1);
  const top = addChain(TRUNK, pelvis);
  addChain(NECK, top);

  /** @returns index of the uppermost bone of the source's chain. */
  function addChain(chain: readonly HumanBone[], base: number): number {
    const own = chain.filter((human) => source.humanoid.bones[human] !== undefined);
    const other = chain.filter((human) => target.humanoid.bones[human] !== undefined);
    const steps = [base, ...own.map((human) => sourceOf(human))];
    if (own.length === 0) return base;
    other.forEach((human, k) => {
      const at = ((k + 1) / other.length) * own.length;
      const upper = Math.ceil(at - 1e-9);
      const bone = target.humanoid.bones[human] as number;
      add(human, bone, steps[upper - 1], steps[upper], 1 - (upper - at));
    });
    return steps[steps.length - 1];
  }

  for (const human of [...HUMAN_BONES, ...DETAIL_BONES]) {
    if (human === 'hips' || [...TRUNK, ...NECK].some((bone) => bone === human)) continue;
    const bone = target.humanoid.bones[human];
    if (bone === undefined || source.humanoid.bones[human] === undefined) continue;
    if (target.restAxes[human] === undefined || source.restAxes[human] === undefined) continue;
    const index = sourceOf(human);
    add(human, bone, index, index, 1);
  }
  segments.sort((a, b) => a.bone - b.bone);
  const segmentOf: HumanBoneMap<number> = {};
  segments.forEach(({ human }, k) => {
    segmentOf[human] = k;
  });
  return { sources, segments, segmentOf, worldFromSource: worldBetween(source, target) };
}

/** Up of the source on up of the target, and the body's forward at rest on the other's. */
function worldBetween(source: Body, target: Body): number[] {
  return mat3.multiply(uprightAxesOf(target), mat3.transpose(uprightAxesOf(source)));
}

/** Columns left, up, forward, with the figure's up. */
function uprightAxesOf({ figure, axes }: Body): number[] {
  const up = [axes[1], axes[4], axes[7]];
  const forward = [axes[2], axes[5], axes[8]];
  const y = vec3.normalize(figure.up);
  // Of a body that lies at rest the direction of its head.
  const ahead = Math.abs(vec3.dot(forward, y)) < 0.7 ? forward : up;
  const z = vec3.normalize(vec3.addScaled(ahead, y, -vec3.dot(ahead, y)));
  const x = vec3.cross(y, z);
  return [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];
}

/** World axes in the axes of a bone at rest. */
export function axesInBone(
  { rest: { worldFromBone } }: Body,
  bone: number,
  axes: readonly number[],
): number[] {
  return mat3.multiply(mat3.transpose(worldFromBone.subarray(12 * bone, 12 * bone + 9)), axes);
}
