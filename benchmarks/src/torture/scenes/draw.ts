import { createPrng } from '../../prng.js';
import { quaternionOf } from '../../rigid/vectors.js';
import type { Quadruple, Triple } from '../scene.js';

/** Random choices of a scene. */
export interface Draw {
  between(low: number, high: number): number;
  /** Uniform in the logarithm. */
  log(low: number, high: number): number;
  whole(low: number, high: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
  direction(): Triple;
  /** Rotation by up to an angle about any axis. */
  rotation(max: number): Quadruple;
}

/** The same seed, kind and number draw the same scene. */
export function createDraw(kind: string, seed: number, number: number): Draw {
  let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35);
  for (const letter of kind) mixed = Math.imul(mixed ^ letter.charCodeAt(0), 0x01000193);
  const random = createPrng(mixed);
  const draw: Draw = {
    between: (low, high) => low + (high - low) * random.uniform(),
    log: (low, high) => low * (high / low) ** random.uniform(),
    whole: (low, high) => low + Math.floor((high - low + 1) * random.uniform()),
    chance: (share) => random.uniform() < share,
    pick: (from) => from[Math.floor(from.length * random.uniform())],
    direction() {
      const v = [random.normal(), random.normal(), random.normal()];
      const size = Math.hypot(...v);
      return [v[0] / size, v[1] / size, v[2] / size];
    },
    rotation: (max) => rotationBy(draw.direction(), draw.between(0, max)),
  };
  return draw;
}

/** Quaternion of a rotation about a unit axis. */
export function rotationBy(axis: Triple, angle: number): Quadruple {
  const [x, y, z, w] = quaternionOf(axis.map((each) => angle * each));
  return [x, y, z, w];
}
