import { clampToLimits, createPose, type Figure } from 'poise';
import { createPrng } from '../prng.js';

type Three = [number, number, number];
type Four = [number, number, number, number];

/** Random inputs of a seed. */
export interface Draw {
  between(low: number, high: number): number;
  normal(): number;
  /** Normal in each coordinate. */
  vector(scale?: number): Three;
  direction(): Three;
  quaternion(): Four;
  numbers(count: number, scale?: number): Float64Array;
  /** Within the limits, coordinates normal with this spread. */
  pose(figure: Figure, spread?: number): Float64Array;
}

export function createDraw(seed: number): Draw {
  const { uniform, normal } = createPrng(seed);
  const unit = (of: number[]): number[] => {
    const size = Math.sqrt(of.reduce((sum, x) => sum + x * x, 0));
    return of.map((x) => x / size);
  };
  const vector = (scale = 1): Three => [scale * normal(), scale * normal(), scale * normal()];
  const numbers = (count: number, scale = 1): Float64Array =>
    Float64Array.from({ length: count }, () => scale * normal());
  return {
    between: (low, high) => low + (high - low) * uniform(),
    normal,
    vector,
    numbers,
    direction: () => unit(vector()) as Three,
    quaternion: () => unit([normal(), normal(), normal(), normal()]) as Four,
    pose(figure, spread = 0.4) {
      const pose = createPose(figure);
      pose.set(numbers(figure.dof, spread));
      clampToLimits(figure, pose);
      return pose;
    },
  };
}

/** Calls with 0, 1, ... count - 1. */
export function times(count: number, call: (k: number) => void): void {
  for (let k = 0; k < count; k++) call(k);
}
