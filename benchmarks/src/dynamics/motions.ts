import type { Figure } from 'poise/figure';
import type { Row } from '../kinematics/row.js';
import { createPrng } from '../prng.js';

/** One state with given accelerations (inverse dynamics) and given joint forces (forward dynamics). */
export interface Motion {
  readonly pose: Float64Array;
  readonly velocity: Float64Array;
  readonly accelerations: Float64Array;
  readonly forces: Float64Array;
}

/**
 * `count` motions: roots within a metre, rotation vectors uniform in the ball of radius pi, other angles within 1.2 rad (where no chart is
 * singular), joint velocities within 3, accelerations within 5, forces within 20. Cycled through in every timing, so that nothing can be
 * computed once.
 */
export function randomMotions({ bones, dof }: Figure, count: number, seed: number): Motion[] {
  const prng = createPrng(seed);
  const within = (x: number): number => x * (2 * prng.uniform() - 1);
  const vector = (x: number): Float64Array => Float64Array.from({ length: dof }, () => within(x));
  return Array.from({ length: count }, () => {
    const pose = vector(1.2);
    for (const { joint, coordinate } of bones) {
      if (joint.type !== 'free' && joint.type !== 'ball') continue;
      const v = [prng.normal(), prng.normal(), prng.normal()];
      const s = (Math.PI * Math.cbrt(prng.uniform())) / Math.hypot(...v);
      const o = coordinate + (joint.type === 'free' ? 3 : 0);
      for (let k = 0; k < 3; k++) pose[o + k] = s * v[k];
    }
    return { pose, velocity: vector(3), accelerations: vector(5), forces: vector(20) };
  });
}

/** Largest difference against the largest number of what is expected; infinite for NaN or another size. */
export function relativeGap(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (found.length !== expected.length) return Infinity;
  let [scale, gap] = [0, 0];
  for (let i = 0; i < expected.length; i++) {
    scale = Math.max(scale, Math.abs(expected[i]));
    const off = Math.abs(found[i] - expected[i]);
    if (!(off <= gap)) gap = Number.isNaN(off) ? Infinity : off;
  }
  return gap / scale;
}

/** A row that cycles over `count` motions and continues at the next one. */
export function cycle(name: string, count: number, call: (k: number) => void): Row {
  let k = 0;
  return {
    name,
    loop(calls) {
      for (let i = 0; i < calls; i++) {
        call(k);
        k = k + 1 < count ? k + 1 : 0;
      }
    },
  };
}
