/** The humanoid of a figure as VRM normalizes it: a node for each human bone, world axes in T-pose, +Y up, facing +Z. */
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { DETAIL_BONES, findHumanoid, HUMAN_BONES, type HumanBoneMap, type Humanoid } from 'poise/humanoid';
import { type Numbers, vec3 } from 'poise/math';
import { fail } from '../../text/json-checks.js';

export type AnyHumanBone = keyof HumanBoneMap<unknown>;

/** A node of the tree. */
export interface NormalizedNode {
  readonly human: AnyHumanBone;
  /** Bone of the figure. */
  readonly bone: number;
  /** Index of the parent node, always smaller; -1 for the hips. */
  readonly parent: number;
  /** From the parent node in T-pose, axes of the file, m. */
  readonly offset: readonly number[];
}

export interface NormalizedTree {
  /** Parents first. */
  readonly nodes: readonly NormalizedNode[];
  /** File axes from the figure's world axes, nine numbers. */
  readonly fileFromWorld: readonly number[];
  /** Frames of the bones in T-pose, twelve numbers a bone. */
  readonly tPose: Numbers;
}

/** Largest angle between a limb and its direction in T-pose, rad. Characters that are made in T-pose are within 11 degrees (their legs stand apart), CMU's skeletons at 20. */
const MAX_DEVIATION = (15 * Math.PI) / 180;
/** Height of the lowest point of the legs, in heights of the hips over it, up to which a pose stands on the ground. */
const MAX_STANDING_HEIGHT = 0.15;
/** Cosine between a direction of the body and an axis of the world from which the body stands along that axis: limbs are not quite symmetric. */
const ALIGNED = Math.cos(Math.PI / 90);

/**
 * @param pose - The figure in T-pose.
 * @throws FormatError `unsupported` for a figure that is not a humanoid, is not in T-pose, or whose human bones do not hang on the hips.
 */
export function normalizedTree(
  figure: Figure,
  pose: Numbers,
  bones: Readonly<HumanBoneMap<string | number | null>> | undefined,
): NormalizedTree {
  const humanoid = findHumanoid(figure, bones && { bones });
  if (humanoid === undefined) {
    return fail(
      'unsupported',
      `figure ${figure.name}`,
      'is not a humanoid: hips, a spine, two arms and two legs were not found.',
      'Give a clip of a humanoid. Its bones can be named in the option bones.',
    );
  }
  const state = createState(figure);
  forwardKinematics(state, pose);
  const tPose = state.worldFromBone;
  const fileFromWorld = fileAxes(figure, humanoid);
  const originOf = (bone: number): number[] => {
    const p = tPose.subarray(12 * bone + 9, 12 * bone + 12);
    return [0, 3, 6].map((row) => vec3.dot(fileFromWorld.slice(row, row + 3), p));
  };
  requireTPose(figure, humanoid, originOf);
  const ground = groundOf(figure, humanoid, tPose);
  const nodes: NormalizedNode[] = [];
  // The format has a gaze in place of eyes.
  const names = [...HUMAN_BONES, ...DETAIL_BONES].filter(
    (human) => humanoid.bones[human] !== undefined && !human.endsWith('Eye'),
  );
  for (const human of names) {
    const bone = humanoid.bones[human] as number;
    const above = parentOf(human, humanoid);
    const parent = nodes.findIndex((node) => node.human === above);
    if (above !== undefined && !isAncestor(figure, nodes[parent].bone, bone)) {
      fail(
        'unsupported',
        `figure ${figure.name}`,
        `has its ${human} '${figure.bones[bone].name}' not below its ${above} '${figure.bones[nodes[parent].bone].name}'.`,
        'Retarget the motion to the built-in human, which has the bones of a VRM.',
      );
    }
    const offset = originOf(bone);
    if (parent >= 0) vec3.subtract(offset, originOf(nodes[parent].bone), offset);
    else offset[1] -= ground;
    nodes.push({ human, bone, parent, offset });
  }
  return { nodes, fileFromWorld, tPose };
}

/** The human bone that VRM has above another, among those of the humanoid. */
function parentOf(human: AnyHumanBone, { bones }: Humanoid): AnyHumanBone | undefined {
  let above = vrmParent(human);
  while (above !== undefined && bones[above] === undefined) above = vrmParent(above);
  return above;
}

/** The parent of a human bone in VRM 1.0. */
function vrmParent(human: AnyHumanBone): AnyHumanBone | undefined {
  if (human === 'hips') return undefined;
  if (human === 'jaw') return 'head';
  if (human.endsWith('Shoulder')) return 'upperChest';
  if (human.endsWith('UpperLeg')) return 'hips';
  const finger = /^(left|right)(Thumb|Index|Middle|Ring|Little)(\w+)$/.exec(human);
  if (finger === null) return HUMAN_BONES[(HUMAN_BONES as readonly string[]).indexOf(human) - 1];
  const [, side, name, part] = finger;
  const parts = name === 'Thumb' ? THUMB : PHALANGES;
  const k = parts.indexOf(part);
  return (k === 0 ? `${side}Hand` : `${side}${name}${parts[k - 1]}`) as AnyHumanBone;
}

const THUMB = ['Metacarpal', 'Proximal', 'Distal'];
const PHALANGES = ['Proximal', 'Intermediate', 'Distal'];

function isAncestor({ parents }: Figure, ancestor: number, bone: number): boolean {
  let b = parents[bone];
  while (b >= 0 && b !== ancestor) b = parents[b];
  return b === ancestor;
}

/** Rows: left, up, forward of the body at rest, on axes of the world where it stands along them. */
function fileAxes({ up }: Figure, { forward }: Humanoid): number[] {
  const level = vec3.normalize(vec3.addScaled(forward, up, -vec3.dot(forward, up)));
  const k = level.findIndex((x) => Math.abs(x) > ALIGNED);
  const z = k < 0 ? level : level.map((x, i) => (i === k ? Math.sign(x) : 0));
  const ahead = Math.abs(vec3.dot(z, up)) < 1e-9 ? z : level;
  return [...vec3.cross(up, ahead), ...up, ...ahead];
}

/** Directions of limbs in T-pose: bone, the bone at its end, direction in file axes. */
const LIMBS: readonly (readonly [AnyHumanBone, AnyHumanBone, readonly number[]])[] = /* @__PURE__ */ (
  ['left', 'right'] as const
).flatMap((side) => {
  const outward = [side === 'left' ? 1 : -1, 0, 0];
  const down = [0, -1, 0];
  return [
    [`${side}UpperArm`, `${side}LowerArm`, outward],
    [`${side}LowerArm`, `${side}Hand`, outward],
    [`${side}UpperLeg`, `${side}LowerLeg`, down],
    [`${side}LowerLeg`, `${side}Foot`, down],
  ] as const;
});

function requireTPose(figure: Figure, { bones }: Humanoid, originOf: (bone: number) => number[]): void {
  for (const [from, to, wanted] of LIMBS) {
    const [start, end] = [bones[from], bones[to]];
    if (start === undefined || end === undefined) continue;
    const direction = vec3.subtract(originOf(end), originOf(start));
    const length = vec3.norm(direction);
    const angle = length > 0 ? Math.acos(Math.min(1, vec3.dot(direction, wanted) / length)) : 0;
    if (angle <= MAX_DEVIATION) continue;
    fail(
      'unsupported',
      `figure ${figure.name}`,
      `is not in T-pose, from which a VRM animation rotates: its ${from} is ${Math.round((180 * angle) / Math.PI)} degrees off.`,
      'Retarget the motion to the built-in human, which stands in T-pose. Or give the option tPose.',
    );
  }
}

/** Height in file axes of the ground that the figure stands on in T-pose: that of its world, or its soles where they are far from that. */
function groundOf({ up, bones: all }: Figure, { bones }: Humanoid, tPose: Numbers): number {
  let lowest = Infinity;
  for (const human of HUMAN_BONES) {
    const bone = bones[human];
    if (bone === undefined || !/LowerLeg|Foot|Toes/.test(human)) continue;
    for (const [x, y, z] of [[0, 0, 0], all[bone].tip ?? [0, 0, 0]]) {
      const o = 12 * bone;
      const point = [0, 1, 2].map(
        (row) =>
          tPose[o + 3 * row] * x +
          tPose[o + 3 * row + 1] * y +
          tPose[o + 3 * row + 2] * z +
          tPose[o + 9 + row],
      );
      lowest = Math.min(lowest, vec3.dot(point, up));
    }
  }
  const o = 12 * (bones.hips as number) + 9;
  const height = tPose[o] * up[0] + tPose[o + 1] * up[1] + tPose[o + 2] * up[2] - lowest;
  return Math.abs(lowest) <= MAX_STANDING_HEIGHT * height ? 0 : lowest;
}
