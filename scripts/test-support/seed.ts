/** Seed of the property tests when nobody asks for another: a run repeats bit for bit. */
export const DEFAULT_SEED = 19970301;

/**
 * The seed that `POISE_SEED` asks for: unset gives the default, `random` draws one, an integer is taken as it is.
 *
 * @throws Error on anything else.
 */
export function seedFromEnvironment(value: string | undefined): number {
  if (value === undefined || value === '') return DEFAULT_SEED;
  if (value === 'random') return Math.floor(Math.random() * 0x7fffffff);
  const seed = Number(value);
  if (Number.isInteger(seed)) return seed | 0;
  throw new Error(`POISE_SEED=${value} is neither an integer nor "random".`);
}
