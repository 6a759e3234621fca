/** Returns a uniform pseudo-random number in [0, 1). */
export type Random = () => number;

/**
 * Seeded pseudo-random numbers: Mulberry32 (Tommy Ettinger, public domain), 32 bits a draw, the same on every engine.
 *
 * @param seed - Any integer; its low 32 bits count.
 */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
