import { DEFAULT_SEED, seedFromEnvironment } from './seed.js';

/** Runs before all tests, once for each vitest project: settles the seed of the property tests, prints it once. */
export default function announceSeed(): void {
  if (process.env.POISE_SEED_ANNOUNCED) return;
  const seed = seedFromEnvironment(process.env.POISE_SEED);
  // Workers inherit the environment, so every test file uses the seed printed here.
  process.env.POISE_SEED = String(seed);
  process.env.POISE_SEED_ANNOUNCED = '1';
  const hint = seed === DEFAULT_SEED ? 'POISE_SEED=random draws one' : `repeat with POISE_SEED=${seed}`;
  console.log(`property tests: seed ${seed} (${hint})`);
}
