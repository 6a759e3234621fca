/** The bands of rotation angle that accuracy is stated for, and directions in them. Imports nothing of the library. */

const EPSILON = Number.EPSILON;

/** Name and angle (rad) of each band. */
export const ACCURACY_BANDS: readonly { readonly name: string; readonly angle: number }[] = [
  { name: '0', angle: 0 },
  { name: '1e-300', angle: 1e-300 },
  { name: '1e-160', angle: 1e-160 },
  { name: '1e-8', angle: 1e-8 },
  { name: 'sqrt(eps)', angle: Math.sqrt(EPSILON) },
  { name: 'eps^(1/4)', angle: Math.sqrt(Math.sqrt(EPSILON)) },
  { name: '0.1', angle: 0.1 },
  { name: '1', angle: 1 },
  { name: 'pi-1e-8', angle: Math.PI - 1e-8 },
  { name: 'pi', angle: Math.PI },
  { name: '4', angle: 4 },
  { name: '6.28', angle: 6.28 },
];

/** mulberry32: a small seeded generator, uniform on [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * `count` rotation vectors of the given angle: even directions on the sphere, every fourth with its entries spread over
 * many magnitudes, and the coordinate axes.
 */
export function directionsAt(angle: number, count: number, random: () => number): number[][] {
  const vectors = [
    [angle, 0, 0],
    [0, -angle, 0],
    [0, 0, angle],
  ];
  while (vectors.length < count) {
    const skewed = vectors.length % 4 === 0;
    const d = [0, 1, 2].map(() => (random() - 0.5) * (skewed ? 10 ** (-8 * random()) : 1));
    const size = Math.hypot(d[0], d[1], d[2]);
    if (size > 0.5 && !skewed) continue;
    if (size < 1e-12) continue;
    vectors.push(d.map((c) => (c / size) * angle));
  }
  return vectors;
}
