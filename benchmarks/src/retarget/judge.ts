/**
 * Judges a retargeted clip by sampled world positions alone: it imports nothing of Poise, finds the contacts of the source for itself and measures points
 * on the sole of the target's mesh.
 */

/** Positions of a point over the frames, three numbers each, m. */
export type Path = Float64Array;

/** What the judge is given. */
export interface Samples {
  /** Frame distance, s. */
  readonly step: number;
  /** Of the source, +Y up: the joint of the ankle and that of the toes (or the end of the foot), left and right. */
  readonly sourceAnkles: readonly Path[];
  readonly sourceToes: readonly Path[];
  /** Length of a leg of the source, and of the target, m. */
  readonly sourceLeg: number;
  readonly targetLeg: number;
  /** Of the target, +Y up, ground at 0: middle of the heel and of the ball on the sole. */
  readonly heels: readonly Path[];
  readonly balls: readonly Path[];
  /** Lowest point of the soles in each frame. */
  readonly lowest: Float64Array;
  /** {@link JOINTS} of both, for the jerk. */
  readonly sourceJoints: Readonly<Record<string, Path>>;
  readonly targetJoints: Readonly<Record<string, Path>>;
}

export interface Verdict {
  /** Contacts of the source, heels and balls. */
  readonly contacts: number;
  /** Largest distance from its first position in a contact, mm: the largest of all contacts, and the median. */
  readonly maxSliding: number;
  readonly medianSliding: number;
  /** mm. */
  readonly maxPenetration: number;
  /** Share of the source's contact frames in which the target's point is within 10 mm of the ground and slower than 0.15 m/s, for legs of 0.87 m. */
  readonly kept: number;
  /** Root mean square jerk of the joints over that of the source's, for a body of the source's size. */
  readonly jerk: number;
}

/** Joints whose jerk is measured, and the joint that they are measured relative to; none: the world. The hips are the middle of the hip joints: bones of that name lie anywhere. */
export const JOINTS = [
  ['hips'],
  ['leftFoot'],
  ['rightFoot'],
  ['head', 'hips'],
  ['leftUpperArm', 'hips'],
  ['rightUpperArm', 'hips'],
  ['leftHand', 'leftUpperArm'],
  ['rightHand', 'rightUpperArm'],
] as const;

/** Contact of a joint of the source, for legs of 0.87 m: height over where it is lowest, and speed. */
const HEIGHT = 0.025;
const SPEED = 0.12;
const MIN_TIME = 0.1;
const LEG = 0.87;
const KEPT_HEIGHT = 0.01;
const KEPT_SPEED = 0.15;

export function judge(samples: Samples): Verdict {
  const { step, sourceLeg, targetLeg } = samples;
  const size = targetLeg / LEG;
  const slides: number[] = [];
  let frames = 0;
  let kept = 0;
  // A ball is down while the joint of the toes is, a heel while that and the ankle are: the foot is flat.
  const pairs = [
    { sources: [samples.sourceToes], targets: samples.balls },
    { sources: [samples.sourceToes, samples.sourceAnkles], targets: samples.heels },
  ];
  for (const { sources, targets } of pairs) {
    targets.forEach((target, side) => {
      const speeds = speedsOf(target, step);
      for (const [from, to] of contactsOf(
        sources.map((paths) => paths[side]),
        step,
        sourceLeg / LEG,
      )) {
        let slide = 0;
        for (let f = from; f <= to; f++) {
          slide = Math.max(
            slide,
            Math.hypot(target[3 * f] - target[3 * from], target[3 * f + 2] - target[3 * from + 2]),
          );
          frames++;
          if (Math.abs(target[3 * f + 1]) <= KEPT_HEIGHT * size && speeds[f] <= KEPT_SPEED * size) kept++;
        }
        slides.push(1000 * slide);
      }
    });
  }
  slides.sort((a, b) => a - b);
  return {
    contacts: slides.length,
    maxSliding: slides[slides.length - 1] ?? 0,
    medianSliding: slides[slides.length >> 1] ?? 0,
    maxPenetration: -1000 * samples.lowest.reduce((low, height) => Math.min(low, height), 0),
    kept: frames > 0 ? kept / frames : 1,
    jerk: jerkRatio(samples),
  };
}

/** Median height of the contact points of a target, m: what its clip would have to be lowered by. */
export function contactHeight(samples: Samples): number {
  const heights: number[] = [];
  samples.sourceToes.forEach((source, side) => {
    for (const [from, to] of contactsOf([source], samples.step, samples.sourceLeg / LEG)) {
      for (let f = from; f <= to; f++) heights.push(samples.balls[side][3 * f + 1]);
    }
  });
  heights.sort((a, b) => a - b);
  return heights[heights.length >> 1] ?? 0;
}

/** Spans in which all of the joints are low and slow: first and last frame. */
function contactsOf(paths: readonly Path[], step: number, scale: number): [number, number][] {
  const count = paths[0].length / 3;
  const flags = paths.map((path) => downOf(path, step, scale));
  const spans: [number, number][] = [];
  let from = -1;
  for (let f = 0; f <= count; f++) {
    const isDown = f < count && flags.every((down) => down[f] === 1);
    if (isDown && from < 0) from = f;
    if (isDown || from < 0) continue;
    if ((f - from) * step >= MIN_TIME) spans.push([from, f - 1]);
    from = -1;
  }
  return spans;
}

function downOf(path: Path, step: number, scale: number): Uint8Array {
  const speeds = speedsOf(path, step);
  const slow: number[] = [];
  for (let f = 0; f < speeds.length; f++) if (speeds[f] <= SPEED * scale) slow.push(path[3 * f + 1]);
  slow.sort((a, b) => a - b);
  const ground = slow[Math.floor(slow.length / 4)] ?? 0;
  return Uint8Array.from(speeds, (speed, f) =>
    speed <= SPEED * scale && Math.abs(path[3 * f + 1] - ground) <= HEIGHT * scale ? 1 : 0,
  );
}

/** Over a fifteenth of a second, centred. */
function speedsOf(path: Path, step: number): Float64Array {
  const count = path.length / 3;
  const half = Math.max(1, Math.round(1 / 30 / step));
  return Float64Array.from({ length: count }, (_, f) => {
    const a = Math.max(0, f - half);
    const b = Math.min(count - 1, f + half);
    const distance = Math.hypot(
      path[3 * b] - path[3 * a],
      path[3 * b + 1] - path[3 * a + 1],
      path[3 * b + 2] - path[3 * a + 2],
    );
    return distance / ((b - a) * step);
  });
}

/**
 * Of hips and feet by the size of the legs; of head, shoulders and hands relative to the joint that carries them, by their mean distance from it: the
 * same rotations of a body with other proportions have a ratio of 1.
 */
function jerkRatio(samples: Samples): number {
  const jerks = jointJerks(samples);
  const source = jerks.reduce((sum, { source }) => sum + source, 0);
  const target = jerks.reduce((sum, { target }) => sum + target, 0);
  return source > 0 ? Math.sqrt(target / source) : 1;
}

/** Sums of squared jerks, those of the target by the size of the source. */
function jointJerks({ sourceJoints, targetJoints, sourceLeg, targetLeg }: Samples) {
  const legs = (targetLeg / sourceLeg) ** 2;
  return JOINTS.map(([name, carrier]) => {
    const [own, given] = [targetJoints[name], sourceJoints[name]];
    if (carrier === undefined) return { name, source: squaredJerk(given), target: squaredJerk(own) / legs };
    const path = relative(own, targetJoints[carrier]);
    const from = relative(given, sourceJoints[carrier]);
    return {
      name,
      source: squaredJerk(from),
      target: squaredJerk(path) * (squaredSize(from) / squaredSize(path)),
    };
  });
}

function squaredJerk(path: Path): number {
  let sum = 0;
  for (let i = 0; i + 9 < path.length; i++) {
    sum += (path[i + 9] - 3 * path[i + 6] + 3 * path[i + 3] - path[i]) ** 2;
  }
  return sum;
}

function relative(path: Path, to: Path): Path {
  return path.map((x, i) => x - to[i]);
}

function squaredSize(path: Path): number {
  return path.reduce((sum, x) => sum + x * x, 0);
}
