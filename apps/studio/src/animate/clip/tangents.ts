import { nearestRotationVector } from 'poise/rotation';
import type { ClipKey, Interpolation } from './clip.js';

/** Part of the values of a group's keys that has a curve of its own. */
export interface CurvePart {
  /** Index of its first value, and how many they are. */
  readonly start: number;
  readonly size: number;
  /** Whether it is a rotation vector: of those that are one rotation it stands for the nearest. */
  readonly isRotation: boolean;
}

/** Rates at a key, per s: as it is arrived at and left. */
export interface KeyRates {
  readonly arriving: readonly number[];
  readonly leaving: readonly number[];
}

/** Whether curves continue smoothly from such a key to the next. */
export function isCurved(interpolation: Interpolation): boolean {
  return interpolation !== 'linear' && interpolation !== 'step';
}

/** The values of a part of a key; of a rotation those nearest to others. */
export function partOf(
  { values }: ClipKey,
  { start, size, isRotation }: CurvePart,
  near?: readonly number[],
): number[] {
  const own = values.slice(start, start + size);
  if (!isRotation || near === undefined) return own;
  return Array.from(nearestRotationVector(own, near));
}

/** The rates of a part at a key of a group, of the values as they stand in it. */
export function ratesAt(keys: readonly ClipKey[], k: number, part: CurvePart): KeyRates {
  const key = keys[k];
  const own = partOf(key, part);
  const none = own.map(() => 0);
  const [before, after] = [keys[k - 1], keys[k + 1]];
  const chord = (other: ClipKey | undefined): number[] =>
    other === undefined
      ? none
      : partOf(other, part, own).map((value, n) => (value - own[n]) / (other.time - key.time));
  const [arriving, leaving] = [chord(before), chord(after)];
  const both = (rates: readonly number[]): KeyRates => ({ arriving: rates, leaving: rates });
  switch (key.interpolation) {
    case 'linear':
      return { arriving, leaving };
    case 'step':
      return { arriving, leaving: none };
    case 'flat':
      return both(none);
    case 'free':
      return both(key.tangent?.slice(part.start, part.start + part.size) ?? none);
    case 'auto': {
      if (before === undefined || after === undefined || before.interpolation === 'step') return both(none);
      return both(
        own.map((_, n) => monotone(arriving[n], leaving[n], key.time - before.time, after.time - key.time)),
      );
    }
    case 'smooth': {
      if (after === undefined) return both(arriving);
      if (before === undefined || !isCurved(before.interpolation)) return both(leaving);
      const [from, to] = [partOf(before, part, own), partOf(after, part, own)];
      return both(own.map((_, n) => (to[n] - from[n]) / (after.time - before.time)));
    }
  }
}

/**
 * Rate between two slopes, with which the cubic passes neither neighbour: their weighted harmonic mean, zero where they differ in sign.
 * Fritsch and Butland, *A Method for Constructing Local Monotone Piecewise Cubic Interpolants*, 1984, with the weights of PCHIP.
 */
function monotone(before: number, after: number, past: number, next: number): number {
  if (!(before * after > 0)) return 0;
  const [a, b] = [2 * next + past, next + 2 * past];
  return (a + b) / (a / before + b / after);
}
