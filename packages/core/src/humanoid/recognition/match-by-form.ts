import type { Figure } from '../../figure/model/figure.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import type { HumanBoneMap } from './human-bones.js';
import { nameBones, type SideLimbs } from './limbs.js';
import { COINCIDENT, type RestForm } from './rest-form.js';
import { commonAncestor } from './tree.js';

/** Tolerance of equal heights and lengths of a pair of limbs, relative to the height of the body. */
const SYMMETRY_TOLERANCE = 0.06;
/** Least drop of a leg and least length of an arm, relative to the height of the body. */
const MIN_LEG = 0.25;
const MIN_ARM = 0.15;
/** More bones make a rope, not a limb. */
const MAX_LIMB_BONES = 24;

/** The same limb of both sides: the bones of each from the trunk (exclusive) to its end. */
type Pair = readonly [readonly number[], readonly number[]];

/** Positions along a limb: the upper bone, the bone of knee or elbow, the bone of ankle or wrist if there is one. */
interface Split {
  readonly upper: number;
  readonly middle: number;
  readonly end: number | undefined;
}

/**
 * Matches human bones by the form of the rest pose, names aside. The legs are the two chains of one length from one bone with the lowest ends,
 * the arms the longest such pair above them, the head is the highest chain where the arms meet. Knees and elbows are where they divide a
 * limb about in half; hinges about the direction of a limb are none.
 *
 * @param sideOf - +1 for a bone whose name says left, -1 for right, 0 for none.
 */
export function matchByForm(
  figure: Figure,
  form: RestForm,
  up: Vec3,
  sideOf: (bone: number) => number,
): HumanBoneMap<number> | undefined {
  const { at, children } = form;
  const height = (bone: number): number => vec3.dot(at(bone), up);
  const size = form.extent(up);
  if (!(size > 0)) return undefined;

  const legs = legsOf(form, up, height, size);
  if (legs === undefined) return undefined;
  const pelvis = commonAncestor(figure, [legs[0][0], legs[1][0]]);
  const legTop = Math.max(height(legs[0][0]), height(legs[1][0]));
  const across = lateralOf(legs, at, up);
  const arms = armsOf(form, pelvis, across, legTop + 0.1 * size, height, size);
  if (arms === undefined) return undefined;
  const chest = commonAncestor(figure, [arms[0][0], arms[1][0]]);
  if (height(chest) < height(pelvis)) return undefined;

  // The head: the chain from the arms' bone with the highest end, above the arms and near the middle.
  const isTaken = (bone: number): boolean =>
    arms.some((arm) => arm[0] === bone) || legs.some((leg) => leg[0] === bone);
  let top: number[] = [];
  let highest = 0.01 * size;
  for (const child of children[chest]) {
    if (isTaken(child)) continue;
    const chain = form.chainFrom(child);
    const end = chain[chain.length - 1];
    const aside = vec3.dot(vec3.subtract(at(end), at(chest)), across);
    const rise = height(end) - height(chest) - 2 * Math.abs(aside);
    if (rise <= highest) continue;
    highest = rise;
    top = chain;
  }
  const chain = top.slice(0, MAX_LIMB_BONES);
  const above = distinct(chain, at, COINCIDENT * size).map((bone) => {
    // Of hinges in series the last.
    let k = chain.indexOf(bone);
    while (k + 1 < chain.length && isHingeAt(figure, form, chain[k + 1], COINCIDENT * size)) k++;
    return chain[k];
  });

  // Of several neck bones the head is that from which the face fans out.
  const face = above.find((bone) => children[bone].length >= 3);
  const head = face ?? above[Math.min(1, above.length - 1)];

  const legSplits = splitsOf(figure, form, legs, 'leg', up, size);
  const armSplits = splitsOf(figure, form, arms, 'arm', up, size);
  if (legSplits === undefined || armSplits === undefined) return undefined;
  const forward = forwardOf(figure, form, legs, legSplits, across, up, sideOf);
  const left = vec3.cross(up, forward);
  const isLeft = (limb: readonly number[]): number => vec3.dot(at(limb[limb.length - 1]), left);
  const l = isLeft(legs[0]) >= isLeft(legs[1]) ? 0 : 1;
  const a = isLeft(arms[0]) >= isLeft(arms[1]) ? 0 : 1;
  const side = (leg: number, arm: number): SideLimbs => ({
    ...legBones(figure, form, legs[leg], legSplits[leg], size),
    ...armBones(figure, form, arms[arm], armSplits[arm]),
  });
  return nameBones(
    figure,
    {
      pelvis,
      left: side(l, a),
      right: side(1 - l, 1 - a),
      head,
      neck: above[0] === head ? undefined : above[0],
    },
    form,
    up,
  );
}

/** Whether a bone is a hinge at the place of its parent. */
function isHingeAt(figure: Figure, form: RestForm, bone: number, coincident: number): boolean {
  return figure.bones[bone].joint.type === 'hinge' && form.length[bone] <= coincident;
}

/** The two chains from one bone with the lowest ends, of at least two joints; undefined where more than two go down as far: a quadruped. */
function legsOf(form: RestForm, up: Vec3, height: (bone: number) => number, size: number): Pair | undefined {
  let best: Pair | undefined;
  let lowest = Number.POSITIVE_INFINITY;
  for (let bone = 0; bone < form.children.length; bone++) {
    if (form.children[bone].length < 2) continue;
    const ends = form.children[bone]
      .filter((child) => form.reach[child] + form.length[child] > 0.5 * MIN_LEG * size)
      .map((child) => form.chainFrom(child))
      .filter(
        (chain) => chain.length <= MAX_LIMB_BONES && distinct(chain, form.at, COINCIDENT * size).length >= 2,
      )
      .map((chain) => ({ chain, end: lowestOf(form, chain, up, size), start: height(bone) }))
      .filter(({ start, end }) => start - end > MIN_LEG * size)
      .sort((p, q) => p.end - q.end);
    if (ends.length < 2) continue;
    const isEqual = (k: number): boolean => Math.abs(ends[k].end - ends[0].end) <= SYMMETRY_TOLERANCE * size;
    const lengthOf = (k: number): number => form.reach[ends[k].chain[0]];
    if (!isEqual(1) || (ends.length > 2 && isEqual(2)) || ends[0].end >= lowest - 1e-9 * size) continue;
    if (Math.abs(lengthOf(0) - lengthOf(1)) > SYMMETRY_TOLERANCE * size) continue;
    lowest = ends[0].end;
    best = [ends[0].chain, ends[1].chain];
  }
  return best;
}

/** Height of the lower end of a leg; of a thigh and a shank alone, that of a foot that hangs elsewhere. */
function lowestOf(form: RestForm, chain: readonly number[], up: Vec3, size: number): number {
  const joints = distinct(chain, form.at, COINCIDENT * size);
  const foot = joints.length === 2 ? footAside(form, joints[0], joints[1], up, new Set(joints)) : undefined;
  let lowest = Number.POSITIVE_INFINITY;
  for (const bone of foot === undefined ? chain : [...chain, foot])
    lowest = Math.min(lowest, vec3.dot(form.at(bone), up));
  return lowest;
}

/** The bone nearest below a knee, at about the length of a shank: a foot that hangs on a control. */
export function footAside(
  { at, children }: RestForm,
  hip: number,
  knee: number,
  up: Vec3,
  taken: ReadonlySet<number>,
): number | undefined {
  const thigh = vec3.distance(at(hip), at(knee));
  let best: number | undefined;
  let least = 0.35 * thigh;
  for (let bone = 0; bone < children.length; bone++) {
    if (taken.has(bone)) continue;
    const drop = vec3.subtract(at(bone), at(knee));
    const fall = -vec3.dot(drop, up);
    const aside = vec3.norm(vec3.addScaled(drop, up, fall));
    if (fall < 0.6 * thigh || fall > 2 * thigh || aside >= least) continue;
    least = aside;
    best = bone;
  }
  return best;
}

/** The pair of chains of one length with the longest reach, from a bone above the legs, apart across the body. */
function armsOf(
  form: RestForm,
  pelvis: number,
  across: Vec3,
  minHeight: number,
  height: (bone: number) => number,
  size: number,
): Pair | undefined {
  let best: Pair | undefined;
  let longest = MIN_ARM * size;
  for (let bone = 0; bone < form.children.length; bone++) {
    if (form.children[bone].length < 2 || (bone === pelvis && form.children[bone].length < 4)) continue;
    const chains = form.children[bone]
      .filter((child) => form.reach[child] + form.length[child] > longest)
      .map((child) => form.chainFrom(child))
      .filter((chain) => chain.length <= MAX_LIMB_BONES && height(chain[0]) > minHeight);
    for (let i = 0; i < chains.length; i++) {
      for (let k = 0; k < i; k++) {
        const [p, q] = [chains[i], chains[k]];
        if (
          distinct(p, form.at, COINCIDENT * size).length < 2 ||
          distinct(q, form.at, COINCIDENT * size).length < 2
        )
          continue;
        const lengths = [p, q].map((chain) => form.reach[chain[0]] + form.length[chain[0]]);
        const ends = vec3.subtract(form.at(p[p.length - 1]), form.at(q[q.length - 1]));
        const apart = Math.abs(vec3.dot(ends, across));
        const reach = Math.min(...lengths);
        if (reach <= longest || Math.max(...lengths) > 1.2 * reach || apart < 0.8 * vec3.norm(ends)) continue;
        if (apart < 0.1 * size) continue;
        longest = reach;
        best = [p, q];
      }
    }
  }
  return best;
}

/** Horizontal unit direction from one leg to the other. */
function lateralOf(legs: Pair, at: (bone: number) => Vec3, up: Vec3): number[] {
  const sum = new Float64Array(3);
  const n = Math.min(legs[0].length, legs[1].length);
  for (let k = 0; k < n; k++) vec3.add(sum, vec3.subtract(at(legs[0][k]), at(legs[1][k])), sum);
  const horizontal = vec3.addScaled(sum, up, -vec3.dot(sum, up));
  return vec3.norm(horizontal) > 0 ? vec3.normalize(horizontal) : vec3.perpendicular(up);
}

/**
 * Where knee and ankle (elbow, wrist) are along a limb: the two parts between them are about equal, straight, and begin near its start. A hinge
 * about the direction of what follows turns the part before it.
 */
function splitOf(
  figure: Figure,
  form: RestForm,
  whole: readonly number[],
  kind: 'leg' | 'arm',
  up: Vec3,
  size: number,
): Split | undefined {
  const { at } = form;
  const limb = kind === 'arm' ? toHand(form, whole) : whole;
  const weight = kind === 'arm' ? { before: 0.7, after: 1.2, fork: 0.3 } : { before: 2, after: 0, fork: 0 };
  const n = limb.length;
  const places = limb.map(at);
  const arc = [0];
  for (let k = 1; k < n; k++) arc.push(arc[k - 1] + vec3.distance(places[k], places[k - 1]));
  const total = arc[n - 1];
  const coincident = COINCIDENT * size;
  // Bones that a part would have beside its first: twist bones. Hinges are a robot's.
  const between = (i: number, k: number): number => {
    let count = 0;
    for (let b = i + 1; b < k; b++) {
      const isApart = arc[b] - arc[b - 1] > coincident && arc[k] - arc[b] > coincident;
      if (isApart && figure.bones[limb[b]].joint.type !== 'hinge') count++;
    }
    return count;
  };
  // A limb of few bones has no twist bones.
  const skipped = distinct(limb, at, coincident).length <= 6 ? 0.4 : 0.05;
  const heights = places.map((place) => vec3.dot(place, up));
  const lowest = Math.min(...heights);
  let best: Split | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let h = 0; h < n; h++) {
    for (let m = h + 1; m < n; m++) {
      const upper = vec3.distance(places[h], places[m]);
      if (upper < 0.03 * size) continue;
      for (let e = m + 1; e < n; e++) {
        const lower = vec3.distance(places[m], places[e]);
        if (lower < 0.03 * size || arc[e] - arc[e - 1] < coincident) continue;
        const cost =
          Math.abs(Math.log(upper / lower)) +
          3 * ((arc[m] - arc[h]) / upper + (arc[e] - arc[m]) / lower - 2) +
          (weight.before * arc[h] + weight.after * (total - arc[e])) / total -
          (form.children[limb[e]].length >= 2 ? weight.fork : 0) +
          skipped * (between(h, m) + between(m, e)) +
          (kind === 'leg' ? 4 * Math.max(0, (heights[e] - lowest) / total - 0.35) : 0) +
          (isTwist(figure, form, limb, m, coincident) ? 1 : 0);
        if (cost < least - 1e-9) {
          least = cost;
          best = { upper: h, middle: m, end: e };
        }
      }
    }
  }
  if (best === undefined) {
    // Two joints alone: thigh and shank.
    const joints = distinct(limb, at, coincident);
    if (joints.length !== 2) return undefined;
    return { upper: limb.indexOf(joints[0]), middle: limb.indexOf(joints[1]), end: undefined };
  }
  const { end } = best as { end: number };
  // Coincident bones at the knee: the last one moves with the shank.
  let middle = best.middle;
  while (middle + 1 < end && (arc[middle + 1] - arc[middle] < coincident || form.isJointAlone(limb[middle])))
    middle++;
  let first = middle;
  while (first > 0 && (arc[first] - arc[first - 1] < coincident || form.isJointAlone(limb[first - 1])))
    first--;
  let upper = first - 1;
  if (upper < 0) return undefined;
  if (figure.bones[limb[upper]].joint.type !== 'hinge') {
    // The bone before the knee, unless it is a twist bone within the thigh.
    const below = vec3.distance(places[middle], places[end]);
    const ratioAt = (k: number): number =>
      Math.abs(Math.log(vec3.distance(places[k], places[middle]) / below));
    // A clavicle may go straight on into the arm; nothing does into a thigh.
    const gain = kind === 'leg' ? 0.05 : -0.17;
    while (
      upper > 0 &&
      ratioAt(upper - 1) < ratioAt(upper) + gain &&
      arc[middle] - arc[upper - 1] < 1.02 * vec3.distance(places[upper - 1], places[middle])
    ) {
      upper--;
    }
  }
  return { upper, middle, end };
}

function splitsOf(
  figure: Figure,
  form: RestForm,
  limbs: Pair,
  kind: 'leg' | 'arm',
  up: Vec3,
  size: number,
): readonly [Split, Split] | undefined {
  const [a, b] = limbs.map((limb) => splitOf(figure, form, limb, kind, up, size));
  return a === undefined || b === undefined ? undefined : [a, b];
}

/** An arm down to the bone from which short chains of fingers fan out. */
function toHand(form: RestForm, arm: readonly number[]): readonly number[] {
  let incoming = 0;
  const hand = arm.findIndex((bone, k) => {
    incoming = form.length[bone] > 0.1 * incoming ? form.length[bone] : incoming;
    if (k < 2 || form.children[bone].length < 3) return false;
    return form.children[bone].every((child) => form.length[child] < 0.6 * incoming);
  });
  return hand < 0 ? arm : arm.slice(0, hand + 1);
}

/** Whether the bone's joint is a hinge about the direction of the limb that follows. */
function isTwist(
  figure: Figure,
  form: RestForm,
  limb: readonly number[],
  k: number,
  coincident: number,
): boolean {
  const { joint } = figure.bones[limb[k]];
  if (joint.type !== 'hinge') return false;
  for (let next = k + 1; next < limb.length; next++) {
    const along = vec3.subtract(form.at(limb[next]), form.at(limb[k]));
    if (vec3.norm(along) <= coincident) continue;
    return Math.abs(vec3.dot(form.hingeAxis(limb[k]), along)) > 0.85 * vec3.norm(along);
  }
  return false;
}

function legBones(
  figure: Figure,
  form: RestForm,
  leg: readonly number[],
  split: Split,
  size: number,
): SideLimbs {
  const { at } = form;
  const foot = split.end === undefined ? undefined : lastHinge(figure, form, leg, split);
  const toes =
    foot === undefined
      ? undefined
      : leg.slice(foot + 1).find((bone) => vec3.distance(at(bone), at(leg[foot])) > COINCIDENT * size);
  return {
    upperLeg: leg[split.upper],
    lowerLeg: leg[split.middle],
    foot: foot === undefined ? undefined : leg[foot],
    toes,
  };
}

function armBones(figure: Figure, form: RestForm, whole: readonly number[], split: Split): SideLimbs {
  const arm = toHand(form, whole);
  const isHinge = figure.bones[arm[split.upper]].joint.type === 'hinge';
  const hand = split.end === undefined ? undefined : lastHinge(figure, form, arm, split);
  return {
    // The hinges of a robot's shoulder move its upper arm.
    shoulder: split.upper > 0 && !isHinge ? arm[0] : undefined,
    upperArm: arm[split.upper],
    lowerArm: arm[split.middle],
    hand: hand === undefined ? undefined : arm[hand],
  };
}

/** The last of the hinges in series from a position along a limb: those of a wrist or an ankle, near each other. */
function lastHinge(
  figure: Figure,
  form: RestForm,
  limb: readonly number[],
  { upper, end = 0 }: Split,
): number {
  let k = end;
  const near = 0.14 * (form.reach[limb[upper]] - form.reach[limb[end]]);
  const isHinge = (bone: number): boolean => figure.bones[bone].joint.type === 'hinge';
  while (k + 1 < limb.length && isHinge(limb[k]) && isHinge(limb[k + 1]) && form.length[limb[k + 1]] <= near)
    k++;
  return k;
}

/** Bones of a chain without those at the place of the one before. */
function distinct(chain: readonly number[], at: (bone: number) => Vec3, tolerance: number): number[] {
  const apart: number[] = [];
  for (const [k, bone] of chain.entries()) {
    if (k === 0 || vec3.distance(at(bone), at(chain[k - 1])) > tolerance) apart.push(bone);
  }
  return apart;
}

/** Horizontal direction that the body faces: by the sides in the names, else by toes, else by the way knees bend, else +Z, or +X for +Z up. */
function forwardOf(
  figure: Figure,
  form: RestForm,
  legs: Pair,
  splits: readonly Split[],
  across: Vec3,
  up: Vec3,
  sideOf: (bone: number) => number,
): number[] {
  const ahead = vec3.cross(across, up);
  const named = [0, 1].reduce(
    (sum, k) => sum + (k === 0 ? 1 : -1) * legs[k].reduce((s, bone) => s + sideOf(bone), 0),
    0,
  );
  // `across` points from the second leg to the first.
  if (named !== 0) return named > 0 ? ahead : vec3.scale(ahead, -1);
  let cue = 0;
  legs.forEach((leg, k) => {
    const { end, middle } = splits[k];
    if (end !== undefined && end + 1 < leg.length) {
      cue += vec3.dot(vec3.subtract(form.at(leg[leg.length - 1]), form.at(leg[end])), ahead);
    }
    if (cue === 0 && end !== undefined) cue += kneeCue(figure, form, leg[middle], leg[end], ahead);
  });
  if (cue !== 0) return cue > 0 ? ahead : vec3.scale(ahead, -1);
  const usual =
    Math.abs(up[2]) < 0.9 ? [0, 0, 1] : Math.abs(across[1]) > Math.abs(across[0]) ? [1, 0, 0] : [0, -1, 0];
  return vec3.dot(usual, ahead) >= 0 ? ahead : vec3.scale(ahead, -1);
}

/** Positive where the range of a knee's hinge takes the foot back. */
function kneeCue(figure: Figure, form: RestForm, knee: number, foot: number, ahead: Vec3): number {
  const { joint, limit } = figure.bones[knee];
  if (joint.type !== 'hinge' || limit?.type !== 'interval') return 0;
  const range = (limit.min ?? -Math.PI) + (limit.max ?? Math.PI);
  const motion = vec3.cross(form.hingeAxis(knee), vec3.subtract(form.at(foot), form.at(knee)));
  return Math.abs(range) < 0.5 ? 0 : -Math.sign(range) * vec3.dot(motion, ahead);
}
