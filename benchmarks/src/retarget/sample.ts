/** World positions of source and target for the judge. */
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { findHumanoid } from 'poise/humanoid';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import type { Retargeter } from 'poise/retarget';
import { JOINTS, type Path, type Samples } from './judge.js';
import type { Character } from './pairs.js';

/** World transforms of all bones, twelve numbers each, of each frame. */
export function worldFrames(figure: Figure, motion: Motion, times: Float64Array): Float64Array[] {
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  return Array.from(times, (time) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    return state.worldFromBone.slice();
  });
}

/** Points on the sole of a foot at rest: of the mesh within 2 % of a leg of its lowest vertex, in bones. */
interface Sole {
  readonly heel: BonePoint;
  readonly ball: BonePoint;
  readonly points: readonly BonePoint[];
}

interface BonePoint {
  readonly bone: number;
  readonly point: readonly number[];
}

/** Soles of a character, by its mesh, or by the height of its rest pose over the origin. */
export function solesOf({ figure, vertices }: Character): Sole[] {
  const humanoid = findHumanoid(figure);
  if (humanoid === undefined) throw new Error(`${figure.name} is no humanoid`);
  const { bones, forward } = humanoid;
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const { worldFromBone: world } = state;
  return (['left', 'right'] as const).map((side): Sole => {
    const foot = bones[`${side}Foot`] as number;
    const toes = bones[`${side}Toes`];
    const own = toes === undefined ? [foot] : [foot, toes];
    const at = (bone: number, p: ArrayLike<number>): number[] => transform(world, bone, p);
    const ahead = (p: ArrayLike<number>): number => p[0] * forward[0] + p[1] * forward[1] + p[2] * forward[2];
    const inBone = (bone: number, p: readonly number[]): BonePoint => ({
      bone,
      point: inverse(world, bone, p),
    });
    if (vertices === undefined) {
      // The built-in human stands on y = 0: its heel behind the ankle, its ball below the joint of the toes, its tip where the bone ends.
      const ankle = at(foot, [0, 0, 0]);
      const ball = at(toes as number, [0, 0, 0]);
      const tip = at(toes as number, figure.bones[toes as number].tip as readonly number[]);
      const heel = inBone(foot, [ankle[0], 0, ankle[2] - 0.5 * ankle[1]]);
      const below = inBone(foot, [ball[0], 0, ball[2]]);
      return { heel, ball: below, points: [heel, below, inBone(toes as number, [tip[0], 0, tip[2]])] };
    }
    const all = own.flatMap((bone) => {
      const list = vertices[figure.bones[bone].name] ?? new Float64Array(0);
      return Array.from({ length: list.length / 3 }, (_, v) => {
        const point = list.subarray(3 * v, 3 * v + 3);
        return { bone, point, world: at(bone, point) };
      });
    });
    const lowest = Math.min(...all.map((each) => each.world[1]));
    const reach = Math.max(...all.map((each) => each.world[1])) - lowest;
    const sole = all.filter((each) => each.world[1] - lowest < 0.05 * reach);
    const back = Math.min(...sole.map((each) => ahead(each.world)));
    const front = Math.max(...sole.map((each) => ahead(each.world)));
    const mean = (points: readonly { readonly world: readonly number[] }[]): number[] =>
      [0, 1, 2].map((k) => points.reduce((sum, each) => sum + each.world[k], 0) / points.length);
    const heel = mean(sole.filter((each) => ahead(each.world) < back + 0.15 * (front - back)));
    // Below the joint of the toes; without one the front of the sole.
    const isFront = (p: readonly number[]): boolean => ahead(p) > front - 0.15 * (front - back);
    const ball = toes === undefined ? mean(sole.filter((each) => isFront(each.world))) : at(toes, [0, 0, 0]);
    ball[1] = lowest;
    return {
      heel: inBone(foot, heel),
      ball: inBone(foot, ball),
      points: sole.map(({ bone, point }) => ({ bone, point: Array.from(point) })),
    };
  });
}

export function samplesOf(
  retargeter: Retargeter,
  character: Character,
  step: number,
  source: readonly Float64Array[],
  target: readonly Float64Array[],
): Samples {
  const from = findHumanoid(retargeter.source)?.bones ?? {};
  const to = findHumanoid(character.figure)?.bones ?? {};
  const origin = [0, 0, 0];
  const path = (frames: readonly Float64Array[], { bone, point }: BonePoint): Path =>
    Float64Array.from(frames.flatMap((world) => transform(world, bone, point)));
  const jointPaths = (
    frames: readonly Float64Array[],
    bones: Readonly<Partial<Record<string, number>>>,
  ): Record<string, Path> => {
    const at = (name: string): Path => path(frames, { bone: bones[name] as number, point: origin });
    const [left, right] = [at('leftUpperLeg'), at('rightUpperLeg')];
    return Object.fromEntries(
      JOINTS.map(([name]) => [name, name === 'hips' ? left.map((x, i) => (x + right[i]) / 2) : at(name)]),
    );
  };
  const soles = solesOf(character);
  const lowest = Float64Array.from(target, (world) => {
    let low = Number.POSITIVE_INFINITY;
    for (const { points } of soles) {
      for (const { bone, point } of points) low = Math.min(low, heightOf(world, bone, point));
    }
    return low;
  });
  const sides = ['left', 'right'] as const;
  const { scale } = retargeter;
  const leg = legLength(retargeter.source);
  return {
    step,
    sourceAnkles: sides.map((side) => path(source, { bone: from[`${side}Foot`] as number, point: origin })),
    // A foot without toes ends where its bone does: its ankle says when the heel is down, not the ball.
    sourceToes: sides.map((side) => {
      const toes = from[`${side}Toes`];
      if (toes !== undefined) return path(source, { bone: toes, point: origin });
      const foot = from[`${side}Foot`] as number;
      return path(source, { bone: foot, point: retargeter.source.bones[foot].tip ?? origin });
    }),
    sourceLeg: leg,
    targetLeg: scale * leg,
    heels: soles.map(({ heel }) => path(target, heel)),
    balls: soles.map(({ ball }) => path(target, ball)),
    lowest,
    sourceJoints: jointPaths(source, from),
    targetJoints: jointPaths(target, to),
  };
}

function legLength(figure: Figure): number {
  const bones = findHumanoid(figure)?.bones ?? {};
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const at = (bone: number): number[] => transform(state.worldFromBone, bone, [0, 0, 0]);
  const [hip, knee, ankle] = [bones.leftUpperLeg, bones.leftLowerLeg, bones.leftFoot].map((bone) =>
    at(bone as number),
  );
  return Math.hypot(...hip.map((x, k) => x - knee[k])) + Math.hypot(...knee.map((x, k) => x - ankle[k]));
}

function heightOf(w: Float64Array, bone: number, p: ArrayLike<number>): number {
  const o = 12 * bone;
  return w[o + 3] * p[0] + w[o + 4] * p[1] + w[o + 5] * p[2] + w[o + 10];
}

function transform(w: Float64Array, bone: number, p: ArrayLike<number>): number[] {
  const o = 12 * bone;
  return [0, 1, 2].map(
    (r) => w[o + 3 * r] * p[0] + w[o + 3 * r + 1] * p[1] + w[o + 3 * r + 2] * p[2] + w[o + 9 + r],
  );
}

function inverse(w: Float64Array, bone: number, p: readonly number[]): number[] {
  const o = 12 * bone;
  const d = [0, 1, 2].map((r) => p[r] - w[o + 9 + r]);
  return [0, 1, 2].map((c) => w[o + c] * d[0] + w[o + 3 + c] * d[1] + w[o + 6 + c] * d[2]);
}
