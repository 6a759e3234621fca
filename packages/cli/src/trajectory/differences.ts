/** How two clips of the same skeleton differ, in degrees and millimetres. */
import { createState, type Figure, type FigureState, forwardKinematics } from 'poise/figure';
import type { HumanBone, Humanoid } from 'poise/humanoid';
import { mat3, type Vec3, vec3 } from 'poise/math';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';

/** A clip and its figure. */
export interface ComparedClip {
  readonly figure: Figure;
  readonly motion: Motion;
  readonly humanoid?: Humanoid | undefined;
}

export interface BoneDifference {
  readonly bone: string;
  /** By sample: between the orientations away from rest, degrees, and between the origins, mm. */
  readonly degrees: readonly number[];
  readonly millimetres: readonly number[];
}

export interface Differences {
  /** From the start of the first clip, s. */
  readonly times: readonly number[];
  readonly bones: readonly BoneDifference[];
  /** Bones that move in the first clip and have none in the second. */
  readonly lost: readonly string[];
}

const DEGREES = 180 / Math.PI;

/** @param times - From the start of both. */
export function differencesOf(from: ComparedClip, to: ComparedClip, times: readonly number[]): Differences {
  const pairs: { readonly bone: number; readonly other: number }[] = [];
  const lost: string[] = [];
  const byName = new Map(to.figure.bones.map(({ name, index }) => [name, index]));
  const humanOf = new Map(Object.entries(from.humanoid?.bones ?? {}).map(([human, bone]) => [bone, human]));
  const animated = new Set(
    from.motion.tracks.map(({ coordinate }) => from.figure.boneOfCoordinate[coordinate]),
  );
  for (const { name, index } of from.figure.bones) {
    const human = humanOf.get(index) as HumanBone | undefined;
    const other = byName.get(name) ?? (human && (byName.get(human) ?? to.humanoid?.bones[human]));
    if (other !== undefined) pairs.push({ bone: index, other });
    else if (animated.has(index)) lost.push(name);
  }
  const [a, b] = [from, to].map(createPlayer);
  const axes = axesBetween(a.state, b.state, pairs, from.figure, to.figure);
  const rest = [a, b].map(({ state }) => Float64Array.from(state.worldFromBone));
  const bones = pairs.map(({ bone }) => ({
    bone: from.figure.bones[bone].name,
    degrees: [] as number[],
    millimetres: [] as number[],
  }));
  for (const time of times) {
    a.show(time);
    b.show(time);
    pairs.forEach(({ bone, other }, k) => {
      const first = turnOf(a.state.worldFromBone, rest[0], bone);
      const second = turnOf(b.state.worldFromBone, rest[1], other);
      // In the axes of the first.
      const rotated = mat3.multiply(mat3.multiply(axes, second), mat3.transpose(axes));
      const sum = first.reduce((so, x, i) => so + (x - rotated[i]) ** 2, 0);
      bones[k].degrees.push(2 * DEGREES * Math.asin(Math.min(1, Math.sqrt(sum / 8))));
      const point = mat3.multiplyVector(axes, originOf(b.state, other));
      bones[k].millimetres.push(1000 * vec3.distance(originOf(a.state, bone), point));
    });
  }
  return { times, bones, lost };
}

function createPlayer({ figure, motion }: ComparedClip): {
  readonly state: FigureState;
  readonly show: (time: number) => void;
} {
  const state = createState(figure);
  const sampler = createMotionSampler(figure, motion);
  const pose = new Float64Array(figure.dof);
  forwardKinematics(state, pose);
  return {
    state,
    show: (time) => forwardKinematics(state, samplePose(sampler, motion.start + time, pose)),
  };
}

function originOf({ worldFromBone }: FigureState, bone: number): Vec3 {
  return worldFromBone.subarray(12 * bone + 9, 12 * bone + 12);
}

/** Rotation of a bone away from rest, in the world. */
function turnOf(world: Float64Array, rest: Float64Array, bone: number): number[] {
  const part = (all: Float64Array) => all.subarray(12 * bone, 12 * bone + 9);
  return mat3.multiply(part(world), mat3.transpose(part(rest)));
}

/** The rotation from the second figure's world to the first's: none, or the one that turns up to up, whichever fits the rest poses. */
function axesBetween(
  a: FigureState,
  b: FigureState,
  pairs: readonly { readonly bone: number; readonly other: number }[],
  from: Figure,
  to: Figure,
): number[] {
  const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const [up, other] = [from.up, to.up].map((axis) => axis.findIndex((x) => x > 0.5));
  const steps = up < 0 || other < 0 ? 0 : (up - other + 3) % 3;
  if (steps === 0) return identity;
  // A cyclic exchange of the axes is a rotation.
  const cycled = Array.from({ length: 9 }, (_, i) =>
    (Math.floor(i / 3) - (i % 3) + 3) % 3 === steps ? 1 : 0,
  );
  const off = (axes: number[]): number =>
    pairs.reduce((sum, pair) => {
      return sum + vec3.distance(originOf(a, pair.bone), mat3.multiplyVector(axes, originOf(b, pair.other)));
    }, 0);
  return off(identity) <= off(cycled) ? identity : cycled;
}
