/** Seeded random choices of the fuzz tests. */

/** The next number in [0, 1). */
export type Random = () => number;

/** Numbers from a text: the same text gives the same numbers (FNV-1a, then mulberry32). */
export function randomOf(text: string): Random {
  let state = 2166136261;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 16777619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A whole number below `count`. */
export function below(random: Random, count: number): number {
  return Math.floor(random() * count);
}

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[below(random, list.length)];
}
