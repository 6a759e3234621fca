/** What a piece of the soak is, and the checks that all pieces share. They read limits from joint data, by the oracles' own code. */
import { PoiseError } from 'poise';
import { createState, type Figure, figureToData, forwardKinematics } from 'poise/figure';
import { type LimitSet, limitExcess, limitSets } from '../../../scripts/oracles/ik/limits.js';
import { type Bone, coordinateStarts, isLength } from '../../../scripts/oracles/ik/types.js';

/** One problem or scene: drawn, run and judged. */
export interface Piece {
  /** What it counts in its part: 1 for a problem; for a scene its steps, one for each figure that moved. */
  count: number;
  /** How it ended, for the table. */
  outcome: string;
  /** What is wrong. */
  readonly faults: string[];
  /** Of the bits of all results. */
  digest: number;
  /** Largest excess of a limit, rad or length scales. */
  excess: number;
}

/** Pieces of one kind, by number. */
export interface Stream {
  readonly part: string;
  readonly name: string;
  /** Of its part's count. */
  readonly share: number;
  /** Pieces that a thread runs before its results are kept: some ten seconds. */
  readonly block: number;
  /** Processor time that a piece may take, ms. */
  readonly most: number;
  readonly run: (seed: number, number: number) => Piece;
}

export function createPiece(): Piece {
  return { count: 1, outcome: '', faults: [], digest: 0x811c9dc5, excess: 0 };
}

/** Faults kept of a piece: the first say what is wrong. */
const MOST_FAULTS = 5;

export function fail(piece: Piece, text: string): void {
  if (piece.faults.length < MOST_FAULTS) piece.faults.push(text);
}

const number = new Float64Array(1);
const bits = new Uint32Array(number.buffer);

/** Takes the bits of results into the digest (FNV-1a by words): two runs agree to the bit, or the digests differ. */
export function digest(piece: Piece, numbers: ArrayLike<number>): void {
  let hash = piece.digest;
  for (let i = 0; i < numbers.length; i++) {
    number[0] = numbers[i];
    hash = Math.imul(hash ^ bits[0], 0x01000193);
    hash = Math.imul(hash ^ bits[1], 0x01000193);
  }
  piece.digest = hash;
}

/** @returns Whether all are finite; the first that is not is a fault. */
export function requireFinite(piece: Piece, numbers: ArrayLike<number>, what: string): boolean {
  for (let i = 0; i < numbers.length; i++) {
    if (Number.isFinite(numbers[i])) continue;
    fail(piece, `${what}[${i}] is ${numbers[i]}`);
    return false;
  }
  return true;
}

/** The outcome of what refuses its input with an error of the library. @throws All other errors. */
export function refusal(piece: Piece, error: unknown): Piece {
  if (!(error instanceof PoiseError)) throw error;
  piece.outcome = `refused: ${error.code}`;
  return piece;
}

/** Limits of a figure as its joint data say, for poses of it. */
export interface Limits {
  readonly sets: readonly LimitSet[];
  /** A length of the figure for coordinates that are lengths, 1 for angles. */
  readonly scales: readonly number[];
}

/** Limits of bones as data. @param length - That a length is measured by, m. */
export function limitsOf(bones: readonly Bone[], length: number): Limits {
  const starts = coordinateStarts(bones);
  const scales = bones.flatMap(({ joint }, b) =>
    Array.from({ length: starts[b + 1] - starts[b] }, (_, k) => (isLength(joint, k) ? length : 1)),
  );
  return { sets: limitSets(bones), scales };
}

/** Limits of a figure of the library, by the data that it gives. Mimic joints have no oracle. */
export function figureLimits(figure: Figure, length: number): Limits {
  return limitsOf(figureToData(figure).bones as unknown as Bone[], length);
}

/** A pose is finite and within its limits, by code that is not the library's. @param most - Largest excess, rad or length scales. */
export function checkPose(
  piece: Piece,
  { sets, scales }: Limits,
  pose: ArrayLike<number>,
  most: number,
  where: string,
): void {
  if (!requireFinite(piece, pose, where)) return;
  for (const set of sets) {
    const over = limitExcess([set], pose) / scales[set.coordinate];
    piece.excess = Math.max(piece.excess, over);
    if (!(over <= most)) fail(piece, `${where}: the limit of ${set.bone} is exceeded by ${over}`);
  }
}

/** Rotations are rotations to this: their quaternions have length 1. */
const UNIT = 1e-9;

/** The frames of all bones are finite and their axes orthonormal. */
export function checkFrames(piece: Piece, figure: Figure, pose: Float64Array, where: string): void {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const { worldFromBone: m } = state;
  if (!requireFinite(piece, m, `${where}, frames`)) return;
  for (let o = 0; o < m.length; o += 12) {
    for (let i = 0; i < 3; i++) {
      for (let j = i; j < 3; j++) {
        const [a, b] = [o + 3 * i, o + 3 * j];
        const dot = m[a] * m[b] + m[a + 1] * m[b + 1] + m[a + 2] * m[b + 2];
        if (Math.abs(dot - (i === j ? 1 : 0)) > UNIT) fail(piece, `${where}: bone ${o / 12} is no rotation`);
      }
    }
  }
}

/** Quaternions have length 1. */
export function checkQuaternions(piece: Piece, quaternions: ArrayLike<number>, where: string): void {
  for (let i = 0; i + 3 < quaternions.length; i += 4) {
    const size = Math.hypot(quaternions[i], quaternions[i + 1], quaternions[i + 2], quaternions[i + 3]);
    if (!(Math.abs(size - 1) <= UNIT)) fail(piece, `${where}: quaternion ${i / 4} has length ${size}`);
  }
}
