/**
 * sfc32, a small fast counting generator (C. Doty-Humphrey, PractRand), seeded by splitmix32. The same seed
 * gives the same problems on every engine: integer arithmetic and one division only.
 */
export interface Prng {
  /** Uniform in [0, 1), 53 bits. */
  uniform(): number;
  /** Standard normal (Box and Muller). */
  normal(): number;
}

export function createPrng(seed: number): Prng {
  let mix = seed >>> 0;
  const splitmix = (): number => {
    mix = (mix + 0x9e3779b9) | 0;
    let z = mix ^ (mix >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    z = Math.imul(z, 0x735a2d97);
    return z ^ (z >>> 15);
  };
  let a = splitmix();
  let b = splitmix();
  let c = splitmix();
  let d = 1;
  const next = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 15; i++) next();

  const uniform = (): number => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992;
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

/** A random seed. */
export function drawSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0];
}
