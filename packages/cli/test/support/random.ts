/** Numbers in [0, 1) from a seed and the run's own seed (POISE_SEED; `random` draws one): Park and Miller's generator. */
export function testRandom(seed: number): () => number {
  const run = Math.abs(Number(process.env.POISE_SEED)) || 1;
  let state = 1 + ((((seed * 48271) % 2147483647) + run) % 2147483646);
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}
