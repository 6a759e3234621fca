/** How much a file may ask for: with more the page no longer answers. */
import { FormatError } from 'poise';

/** For the readers; vertices are those that are drawn. */
export const BUDGET = { bones: 1024, vertices: 5_000_000 } as const;
/** Bones below each other: all of them move with a handle at their end, and three.js calls itself for each. */
const MAX_DEPTH = 256;

/** Of a clip. */
export const MAX_SECONDS = 600;

/** @throws Error for a clip that is too long to be opened: its frames alone are too many. */
export function requireShort(name: string, duration: number): void {
  const seconds = Math.round(duration);
  if (seconds > MAX_SECONDS)
    throw new Error(`${name} lasts ${seconds} s: at most ${MAX_SECONDS} s can be opened.`);
}

/** @throws FormatError `over-budget` */
export function requireAtMost(most: number, count: number, what: string, path: string): void {
  if (count <= most) return;
  const [asked, budget] = [count, most].map((number) => number.toLocaleString('en'));
  throw new FormatError('over-budget', `asks for more ${what} than a file may: ${asked}, budget ${budget}.`, {
    path,
    remedy: 'Give a smaller file.',
  });
}

/**
 * @param parents - Negative for roots.
 * @param order - Of them, parents first.
 * @throws FormatError `over-budget`
 */
export function requireDepth(parents: readonly number[], order: Iterable<number>, path: string): void {
  const depths = new Int32Array(parents.length);
  for (const index of order) depths[index] = 1 + (depths[parents[index]] ?? 0);
  const deepest = depths.reduce((a, b) => Math.max(a, b), 0);
  requireAtMost(MAX_DEPTH, deepest, 'bones below each other', path);
}
