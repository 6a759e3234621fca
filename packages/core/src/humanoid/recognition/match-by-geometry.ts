import type { Figure } from '../../figure/model/figure.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { HumanBoneMap } from './human-bones.js';
import { nameBones, type SideLimbs } from './limbs.js';
import { commonAncestor, isWithin, pathDown } from './tree.js';

/** Tolerance of equal heights and lengths, relative to the figure's height. */
const SYMMETRY_TOLERANCE = 0.06;

/**
 * Matches human bones by the geometry of the rest pose, for figures without known names. Upright; the legs are the two symmetric
 * chains with the lowest ends, the trunk is the chain to the highest end, the arms are the two symmetric chains from the trunk
 * with the largest horizontal reach. Left and right from the direction of the toes, otherwise assuming it faces +Z.
 *
 * @param origins - Origins of the bones at rest, world axes, 3 numbers each, m.
 */
export function matchByGeometry(
  figure: Figure,
  origins: Float64Array,
  up: readonly number[],
): HumanBoneMap<number> | undefined {
  const at = (bone: number): number[] => Array.from(origins.subarray(3 * bone, 3 * bone + 3));
  const height = (bone: number): number => vec3.dot(at(bone), up);
  const children: number[][] = figure.bones.map(() => []);
  for (const { index, parent } of figure.bones) if (parent >= 0) children[parent].push(index);
  const leaves = figure.bones.map(({ index }) => index).filter((bone) => children[bone].length === 0);
  if (leaves.length < 5) return undefined;
  const byHeight = leaves.slice().sort((a, b) => height(a) - height(b));
  const head = byHeight[byHeight.length - 1];
  const size = height(head) - height(byHeight[0]);
  const areEqual = (a: number, b: number): boolean => Math.abs(a - b) <= SYMMETRY_TOLERANCE * size;

  // The feet: the lowest two leaves at one height, on separate chains of one length.
  const lowest = byHeight[0];
  const other = byHeight.find((leaf) => {
    const meeting = commonAncestor(figure, [leaf, lowest]);
    if (leaf === lowest || meeting < 0 || !isWithin(figure, head, meeting)) return false;
    const paths = [leaf, lowest].map((end) => pathDown(figure, meeting, end));
    return (
      areEqual(height(leaf), height(lowest)) && paths[0].length === paths[1].length && paths[0].length >= 2
    );
  });
  if (other === undefined) return undefined;
  const hips = commonAncestor(figure, [lowest, other]);
  const legs = [lowest, other].map((end) => pathDown(figure, hips, end));
  if (height(hips) < height(lowest) + 0.25 * size) return undefined;

  const trunk = pathDown(figure, hips, head);
  const arms = armsOf(trunk, children, at, up);
  if (!arms) return undefined;
  const chest = trunk.indexOf(commonAncestor(figure, [arms[0][0], arms[1][0]]));
  const above = trunk.slice(chest + 1);

  const forward = forwardOf(legs, at, up);
  const left = vec3.cross(up, forward);
  const isLeft = (path: readonly number[]): number => vec3.dot(at(path[path.length - 1]), left);
  const [leftLeg, rightLeg] = isLeft(legs[0]) >= isLeft(legs[1]) ? legs : [legs[1], legs[0]];
  const [leftArm, rightArm] = isLeft(arms[0]) >= isLeft(arms[1]) ? arms : [arms[1], arms[0]];
  return nameBones(figure, {
    hips,
    left: sideOf(leftLeg, leftArm, at),
    right: sideOf(rightLeg, rightArm, at),
    head: above.length > 1 ? above[1] : above[0],
    neck: above.length > 1 ? above[0] : undefined,
  });
}

/** The two branches from one bone of the trunk with the largest horizontal reach, each down to its end or fork. */
function armsOf(
  trunk: readonly number[],
  children: readonly (readonly number[])[],
  at: (bone: number) => number[],
  up: readonly number[],
): [number[], number[]] | undefined {
  const horizontalDistance = (a: number, b: number): number => {
    const between = vec3.subtract(at(a), at(b));
    return vec3.norm(vec3.addScaled(between, up, -vec3.dot(between, up)));
  };
  const chainFrom = (bone: number): number[] => {
    const chain = [bone];
    for (let b = bone; children[b].length === 1; b = children[b][0]) chain.push(children[b][0]);
    return chain;
  };
  let best: [number[], number[]] | undefined;
  let furthest = 0;
  for (const bone of trunk) {
    const branches = children[bone]
      .filter((child) => !trunk.includes(child))
      .map(chainFrom)
      .filter((chain) => chain.length >= 2);
    if (branches.length < 2) continue;
    const reach = branches.map((chain) => horizontalDistance(chain[chain.length - 1], bone));
    const [a, b] = reach.map((_, k) => k).sort((j, k) => reach[k] - reach[j]);
    if (reach[b] < 0.5 * reach[a] || reach[b] <= furthest || branches[a].length !== branches[b].length)
      continue;
    furthest = reach[b];
    best = [branches[a], branches[b]];
  }
  return best;
}

/** Horizontal direction of the toes. */
function forwardOf(
  legs: readonly (readonly number[])[],
  at: (bone: number) => number[],
  up: readonly number[],
): number[] {
  const sum = [0, 0, 0];
  for (const leg of legs) {
    if (leg.length < 4) continue;
    vec3.add(sum, vec3.subtract(at(leg[3]), at(leg[2])), sum);
  }
  const horizontal = vec3.addScaled(sum, up, -vec3.dot(sum, up));
  if (vec3.norm(horizontal) > 0) return vec3.normalize(horizontal);
  const ahead = Math.abs(up[2]) > 0.9 ? [0, -1, 0] : [0, 0, 1];
  return vec3.normalize(vec3.addScaled(ahead, up, -vec3.dot(ahead, up)));
}

/** The bones of one side; an arm of four or more bones begins with a shoulder, unless its first bone is as long as the next two. */
function sideOf(leg: readonly number[], arm: readonly number[], at: (bone: number) => number[]): SideLimbs {
  const boneLength = (k: number): number =>
    k + 1 < arm.length ? vec3.distance(at(arm[k]), at(arm[k + 1])) : 0;
  const first = arm.length >= 4 && boneLength(0) < 0.75 * Math.min(boneLength(1), boneLength(2)) ? 1 : 0;
  return {
    ...(first === 1 ? { shoulder: arm[0] } : {}),
    upperArm: arm[first],
    lowerArm: arm[first + 1],
    hand: arm[first + 2],
    upperLeg: leg[0],
    lowerLeg: leg[1],
    foot: leg[2],
    toes: leg[3],
  };
}
