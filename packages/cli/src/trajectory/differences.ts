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
  /** Number of samples that there are; `times` has as many, or evenly chosen ones of them. */
  readonly available: number;
  /** Lengths of the clips, s. */
  readonly lengths: readonly [from: number, to: number];
  readonly bones: readonly BoneDifference[];
  /** Rotation of the second figure's world with which it is compared, degrees. */
  readonly rotated: number;
  /** Bones that move in the first clip and have none in the second. */
  readonly lost: readonly string[];
}

const DEGREES = 180 / Math.PI;

/** Moments at which clips are compared, at most: some seconds of work for a hundred bones. */
const MAX_MOMENTS = 10_000;

/** Compares clips where both are: at each sample of the first and, where these are further apart, at least as often as `rate`, 1/s, says. */
export function differencesOf(from: ComparedClip, to: ComparedClip, rate: number): Differences {
  const lengths = [from.motion.end - from.motion.start, to.motion.end - to.motion.start] as const;
  const all = timesOf(from.motion, Math.min(...lengths), rate);
  const times =
    all.length <= MAX_MOMENTS
      ? all
      : Array.from(
          { length: MAX_MOMENTS },
          (_, k) => all[Math.round((k * (all.length - 1)) / (MAX_MOMENTS - 1))],
        );
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
  const axes = axesBetween(a.state, b.state, pairs, from, to);
  const axesTransposed = mat3.transpose(axes);
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
      writeTurn(a.state.worldFromBone, rest[0], bone, first);
      writeTurn(b.state.worldFromBone, rest[1], other, second);
      // In the axes of the first.
      mat3.multiply(mat3.multiply(axes, second, second), axesTransposed, second);
      let sum = 0;
      for (let i = 0; i < 9; i++) sum += (first[i] - second[i]) ** 2;
      bones[k].degrees.push(2 * DEGREES * Math.asin(Math.min(1, Math.sqrt(sum / 8))));
      mat3.multiplyVector(axes, originOf(b.state, other), point);
      bones[k].millimetres.push(1000 * vec3.distance(originOf(a.state, bone), point));
    });
  }
  const trace = axes[0] + axes[4] + axes[8];
  const rotated = DEGREES * Math.acos(Math.max(-1, Math.min(1, (trace - 1) / 2)));
  return { times, available: all.length, lengths, rotated, bones, lost };
}

const first = new Float64Array(9);
const second = new Float64Array(9);
const transposed = new Float64Array(9);
const point = new Float64Array(3);

/** Samples of a motion from its start to a length, and between them moments that are evenly apart by 1 / rate at most, s from the start. */
function timesOf({ tracks, start }: Motion, length: number, rate: number): number[] {
  const samples = new Set([0, length]);
  for (const { curve } of tracks) {
    for (let k = 0; k < curve.knots.length; k++) {
      const time = curve.knots[k] - start;
      if (time > 0 && time < length) samples.add(time);
    }
  }
  const sorted = [...samples].sort((x, y) => x - y);
  return sorted.flatMap((time, k) => {
    const next = sorted[k + 1];
    // A sample that rounding has beside 1 / rate adds none.
    const parts = next === undefined ? 1 : Math.max(1, Math.ceil((next - time) * rate - 1e-3));
    return Array.from({ length: parts }, (_, part) => time + (part * (next - time || 0)) / parts);
  });
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
function writeTurn(world: Float64Array, rest: Float64Array, bone: number, out: Float64Array): void {
  const part = (all: Float64Array) => all.subarray(12 * bone, 12 * bone + 9);
  mat3.multiply(part(world), mat3.transpose(part(rest), transposed), out);
}

/**
 * The rotation from the second figure's world to the first's that fits the rest poses best: none, the one that turns up to up, or that of the bodies, by their left, up
 * and forward.
 */
function axesBetween(
  a: FigureState,
  b: FigureState,
  pairs: readonly { readonly bone: number; readonly other: number }[],
  from: ComparedClip,
  to: ComparedClip,
): number[] {
  const candidates = [mat3.identity()];
  const [up, other] = [from, to].map(({ figure }) => figure.up.findIndex((x) => x > 0.5));
  const steps = up < 0 || other < 0 ? 0 : (up - other + 3) % 3;
  // A cyclic exchange of the axes is a rotation.
  if (steps !== 0)
    candidates.push(
      Array.from({ length: 9 }, (_, i) => ((Math.floor(i / 3) - (i % 3) + 3) % 3 === steps ? 1 : 0)),
    );
  if (from.humanoid && to.humanoid)
    candidates.push(mat3.multiply(mat3.transpose(bodyAxes(from.humanoid)), bodyAxes(to.humanoid)));
  const off = (axes: number[]): number =>
    pairs.reduce((sum, pair) => {
      return sum + vec3.distance(originOf(a, pair.bone), mat3.multiplyVector(axes, originOf(b, pair.other)));
    }, 0);
  return candidates.reduce((best, axes) => (off(axes) < off(best) ? axes : best));
}

/** Rows: left, up and forward. */
function bodyAxes({ left, up, forward }: Humanoid): number[] {
  return [...left, ...up, ...forward];
}
