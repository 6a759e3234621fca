import { quat, type Vec3 } from 'poise/math';
import type { Runner } from './runners.js';

/** Measurement of a body at one time, or the worst of several. */
export interface Seen {
  /** |E/E_0 - 1| and |L - L_0|/|L_0|. */
  energy: number;
  momentum: number;
  /** ||q| - 1| before normalization; NaN without a quaternion. */
  length: number;
  reciprocalCondition: number;
  /** |rate of the coordinates| per angular velocity, doubled for a unit quaternion, so that 1 is ideal. */
  rate: number;
  /** Angle from the reference, rad. */
  error: number;
}

export const nothingSeen = (): Seen => ({
  energy: 0,
  momentum: 0,
  length: 0,
  reciprocalCondition: 1,
  rate: 0,
  error: 0,
});

/** The worse of both values, in place. */
export function worsen(worst: Seen, now: Seen): void {
  worst.energy = Math.max(worst.energy, now.energy);
  worst.momentum = Math.max(worst.momentum, now.momentum);
  worst.length = Math.max(worst.length, now.length);
  worst.rate = Math.max(worst.rate, now.rate);
  worst.error = Math.max(worst.error, now.error);
  worst.reciprocalCondition = Math.min(worst.reciprocalCondition, now.reciprocalCondition);
}

/** Measures one runner against the energy and momentum at `begin`. */
export interface Watch {
  /** Unit quaternion x, y, z, w, and angular momentum in world axes, of the last measurement. */
  readonly attitude: Float64Array;
  readonly momentum: Float64Array;
  readonly seen: Seen;
  begin(): void;
  measure(repaired: number, reference: ArrayLike<number>): Seen;
}

export function watch({ state, y }: Runner, inertia: Vec3): Watch {
  const out = new Float64Array(7);
  const slope = new Float64Array(state.size);
  const attitude = new Float64Array(4);
  const momentum = new Float64Array(3);
  const first = new Float64Array(3);
  const inside = [0, 0, 0];
  const seen = nothingSeen();
  let firstEnergy = 1;
  let length = 1;

  function read(): number {
    state.read(y, out);
    length = Math.hypot(out[0], out[1], out[2], out[3]);
    for (let k = 0; k < 4; k++) attitude[k] = out[k] / length;
    let energy = 0;
    for (let k = 0; k < 3; k++) {
      inside[k] = inertia[k] * out[4 + k];
      energy += 0.5 * inside[k] * out[4 + k];
    }
    momentum.set(quat.rotate(attitude, inside));
    return energy;
  }

  return {
    attitude,
    momentum,
    seen,
    begin() {
      firstEnergy = read();
      first.set(momentum);
    },
    measure(repaired, reference) {
      seen.energy = Math.abs(read() / firstEnergy - 1);
      const off = Math.hypot(momentum[0] - first[0], momentum[1] - first[1], momentum[2] - first[2]);
      seen.momentum = off / Math.hypot(first[0], first[1], first[2]);
      seen.length = state.coordinates === 4 ? Math.abs(length - 1 + repaired) : Number.NaN;
      seen.reciprocalCondition = state.reciprocalCondition(y);
      state.slope(y, slope);
      let square = 0;
      for (let k = 0; k < state.coordinates; k++) square += slope[k] * slope[k];
      const spin = Math.hypot(out[4], out[5], out[6]);
      seen.rate = (Math.sqrt(square) * (state.coordinates === 4 ? 2 / length : 1)) / spin;
      seen.error = angleBetween(attitude, reference);
      return seen;
    },
  };
}

/** Angle between unit quaternions, rad, without cancellation for small angles. */
function angleBetween(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
  const chord = Math.hypot(a[0] - sign * b[0], a[1] - sign * b[1], a[2] - sign * b[2], a[3] - sign * b[3]);
  return 4 * Math.asin(Math.min(1, chord / 2));
}
