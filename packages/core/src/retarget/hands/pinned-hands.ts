/** Palms held on the ground and in their relations, displaced smoothly in between, and the arms that reach for them. */
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { createState } from '../../figure/model/state.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { unset3 } from '../../math/linear/unset.js';
import type { Clip } from '../clip/clip.js';
import { spansOf } from '../contact/detect.js';
import { raiseAbove, smoothDisplacement } from '../displacement/smooth.js';
import { type ArmSolver, createArmSolver, placeArms, reachPalm, writePalm } from '../pose/arm-solver.js';
import type { JointWriter } from '../pose/joint-writer.js';
import { type RelationTrack, writeRelated } from './relations.js';

/** Time over which a displacement of a hand fades, s. Corrections of arms are as long as proportions differ: twice that of feet. */
const FADE_TIME = 0.2;
/** Rounds for hands whose places depend on the other arm. */
const MAX_ROUNDS = 3;
/** Displacement of a palm that is none, m. */
const STILL = 1e-6;
/** Distance of a palm from its place from which it does not reach it, m. */
const MISSED = 2e-4;

export interface PinnedHands {
  readonly solver: ArmSolver;
  /** Of each arm: 1 in the frames in which the palm is on the ground. */
  readonly inContact: readonly Uint8Array[];
  readonly tracks: readonly RelationTrack[];
  /** Where contacts are held, three numbers a frame: set in the first pass. */
  readonly pins: readonly Float64Array[];
  arePinsSet: boolean;
  /** What arms do not reach of places in the world, the mean of both hands, three numbers a frame; weights: the hands that miss. */
  readonly missing: Float64Array;
  readonly weights: Float64Array;
}

/** Relations come before contacts. @param inContact - Of each arm; cleared where the hand has a relation to the body or a point. */
export function createPinnedHands(
  { alignment, count }: Clip,
  inContact: readonly Uint8Array[],
  tracks: readonly RelationTrack[],
  joints: JointWriter,
): PinnedHands {
  for (const { arm, other, first, last } of tracks) if (other < 0) inContact[arm].fill(0, first, last + 1);
  return {
    solver: createArmSolver(joints, alignment.arms),
    inContact,
    tracks,
    pins: alignment.arms.map(() => new Float64Array(3 * count)),
    arePinsSet: false,
    missing: new Float64Array(3 * count),
    weights: new Float64Array(count),
  };
}

const palm = /* @__PURE__ */ unset3();
const point = /* @__PURE__ */ unset3();

/**
 * Moves the arms of all poses so that palms are where they are held.
 *
 * @param ground - Height along up.
 * @returns whether arms do not reach, as `missing` says.
 */
export function pinHands(
  hands: PinnedHands,
  clip: Clip,
  poses: readonly Float64Array[],
  ground: number,
): boolean {
  const { solver, inContact, tracks, pins, missing, weights } = hands;
  const { alignment, count, step } = clip;
  const { arms } = alignment;
  missing.fill(0);
  weights.fill(0);
  const { up } = alignment.target.figure;
  const isMoved = inContact.map(
    (flags, a) => flags.includes(1) || tracks.some(({ arm, other }) => arm === a || other === a),
  );
  if (!isMoved.includes(true)) return false;
  const path = (): Float64Array => new Float64Array(3 * count);
  const carried = arms.map(path);
  const reached = arms.map(path);
  for (let f = 0; f < count; f++) {
    placeArms(solver, poses[f]);
    arms.forEach((arm, a) => {
      writePalm(solver, arm, palm);
      carried[a].set(palm, 3 * f);
    });
  }
  if (!hands.arePinsSet) {
    hands.arePinsSet = true;
    arms.forEach((_, a) => {
      pinPalm(carried[a], inContact[a], up, ground, pins[a]);
    });
  }
  const coordinates = arms.map((arm) => poses.map((pose) => arm.coordinates.map((i) => pose[i])));
  // Frames in which a hand does not reach its share of a relation of hands: it stays where it came to, and the other hand takes the rest.
  const isShort = arms.map(() => new Uint8Array(count));
  const nearest = arms.map(path);
  const armBones = new Set(arms.flatMap((arm) => arm.path));
  const depends = tracks.some(({ other, bone }) => other >= 0 || armBones.has(bone));
  const targets = arms.map(path);
  for (let round = 0; round < (depends ? MAX_ROUNDS : 1); round++) {
    const fixed = writeTargets();
    let isMissed = false;
    arms.forEach((arm, a) => {
      if (!isMoved[a]) return;
      displace(a, fixed[a]);
      for (let f = 0; f < count; f++) {
        const pose = poses[f];
        arm.coordinates.forEach((i, c) => {
          pose[i] = coordinates[a][f][c];
        });
        for (let k = 0; k < 3; k++) point[k] = targets[a][3 * f + k];
        for (let k = 0; k < 3; k++) palm[k] = carried[a][3 * f + k];
        if (vec3.distance(point, palm) > STILL) {
          placeArms(solver, pose);
          reachPalm(solver, arm, point, pose);
          writePalm(solver, arm, palm);
        }
        reached[a].set(palm, 3 * f);
      }
    });
    for (const { arm, other, first, last } of tracks) {
      if (other < 0) continue;
      for (let f = first; f <= last; f++) {
        for (const a of [arm, other]) {
          if (isShort[a][f] === 1 || missOf(a, f) <= MISSED) continue;
          isShort[a][f] = 1;
          nearest[a].set(reached[a].subarray(3 * f, 3 * f + 3), 3 * f);
          isMissed = true;
        }
      }
    }
    if (!isMissed && !tracks.some(({ bone, other }) => other < 0 && armBones.has(bone))) break;
  }
  return writeMissing();

  /** Targets of the frames in which palms are held; returns them as flags. */
  function writeTargets(): Uint8Array[] {
    const fixed = arms.map((_, a) => inContact[a].slice());
    const state = createState(alignment.target.figure);
    const { worldFromBone: world } = state;
    arms.forEach((_, a) => {
      for (let f = 0; f < count; f++) {
        if (fixed[a][f] === 1) targets[a].set(pins[a].subarray(3 * f, 3 * f + 3), 3 * f);
      }
    });
    for (const track of tracks) {
      if (track.other >= 0) continue;
      for (let f = track.first; f <= track.last; f++) {
        if (track.bone >= 0) forwardKinematics(state, poses[f]);
        writeRelated(track, f, world, point);
        targets[track.arm].set(point, 3 * f);
        fixed[track.arm][f] = 1;
      }
    }
    for (const { arm, other, first, last, offsets } of tracks) {
      if (other < 0) continue;
      for (let f = first; f <= last; f++) {
        const pair = [arm, other];
        const isPlaced = pair.map((a) => fixed[a][f] === 1 || isShort[a][f] === 1);
        const at = pair.map((a) => {
          const from = isShort[a][f] === 1 ? nearest[a] : fixed[a][f] === 1 ? targets[a] : carried[a];
          return Array.from(from.subarray(3 * f, 3 * f + 3));
        });
        for (let k = 0; k < 3; k++) {
          const correction = offsets[3 * f + k] - (at[0][k] - at[1][k]);
          const share = isPlaced[0] ? 0 : isPlaced[1] ? 1 : 0.5;
          at[0][k] += share * correction;
          at[1][k] -= isPlaced[1] ? 0 : (1 - share) * correction;
        }
        pair.forEach((a, n) => {
          targets[a].set(at[n], 3 * f);
          fixed[a][f] = 1;
        });
      }
    }
    return fixed;
  }

  /** Targets of the other frames: the carried palm, displaced smoothly, above the ground of hands that touch it. */
  function displace(a: number, fixed: Uint8Array): void {
    const d = targets[a].map((x, i) => (fixed[Math.floor(i / 3)] === 1 ? x - carried[a][i] : 0));
    smoothDisplacement(d, 3, fixed, step, FADE_TIME);
    for (let i = 0; i < d.length; i++) targets[a][i] = carried[a][i] + d[i];
    if (!inContact[a].includes(1)) return;
    const needed = new Float64Array(count);
    const lift = new Float64Array(count);
    for (let f = 0; f < count; f++) {
      if (fixed[f] === 0) needed[f] = ground - vec3.dot(targets[a].subarray(3 * f, 3 * f + 3), up);
    }
    raiseAbove(lift, needed, fixed.slice(), step, FADE_TIME);
    for (let i = 0; i < d.length; i++) targets[a][i] += lift[Math.floor(i / 3)] * up[i % 3];
  }

  function missOf(a: number, f: number): number {
    return vec3.distance(targets[a].subarray(3 * f, 3 * f + 3), reached[a].subarray(3 * f, 3 * f + 3));
  }

  function writeMissing(): boolean {
    let isAny = false;
    arms.forEach((_, a) => {
      const ofWorld = inContact[a].slice();
      for (const { arm, other, bone, first, last } of tracks) {
        if (arm === a && bone < 0 && other < 0) ofWorld.fill(1, first, last + 1);
      }
      for (let f = 0; f < count; f++) {
        if (ofWorld[f] === 0 || missOf(a, f) <= MISSED) continue;
        isAny = true;
        weights[f]++;
        for (let i = 3 * f; i < 3 * f + 3; i++) missing[i] += targets[a][i] - reached[a][i];
      }
    });
    for (let i = 0; i < missing.length; i++) missing[i] /= Math.max(1, weights[Math.floor(i / 3)]);
    return isAny;
  }
}

/** Where each contact is held: on the ground, at the mean of the carried palm. */
function pinPalm(
  carried: Float64Array,
  inContact: Uint8Array,
  up: ArrayLike<number>,
  ground: number,
  out: Float64Array,
): void {
  for (const [first, last] of spansOf(inContact)) {
    const mean = new Float64Array(3);
    for (let i = 3 * first; i < 3 * last + 3; i++) mean[i % 3] += carried[i] / (last - first + 1);
    vec3.addScaled(mean, up, ground - vec3.dot(mean, up), mean);
    for (let f = first; f <= last; f++) out.set(mean, 3 * f);
  }
}
