/**
 * Hinges that come to their limits and leave them without a kink: beside a kink their values become means over the frames around, which are within the
 * limits as these are convex.
 */
import {
  type Configuration,
  normalize,
  writeExponential,
  writeLogarithm,
  writeProduct,
} from '../../robot/tree/pose.js';
import type { RobotTree } from '../../robot/tree/tree.js';
import { fitDisplacement } from './smooth.js';

/** Half of the time over which the mean is taken at a kink, s, and time over which it narrows beside. */
const MEAN_TIME = 0.06;
const FADE_TIME = 0.12;
/** Time over which a displacement of the root fades, s. */
const ROOT_TIME = 0.1;
/** Change of a hinge's speed from frame to frame by which the mean is as wide, rad/s or m/s; less where it is smaller. */
const KINK = 0.5;

/**
 * @param frames - Within the limits, one a frame. In and out.
 * @param groups - Hinges and sliders that have their kinks together.
 * @param isInSeries - 1 for coordinates whose limits are looked at: those of a single hinge are in the body that it follows.
 * @returns of each coordinate how much it is eased in each frame, 0 to 1.
 */
export function easeHinges(
  tree: RobotTree,
  frames: readonly Configuration[],
  groups: readonly (readonly number[])[],
  isInSeries: Uint8Array,
  step: number,
): Float64Array[] {
  const widths = groups.map((group) =>
    widthsOf(
      tree,
      frames,
      group.filter((i) => isInSeries[i] === 1),
      step,
    ),
  );
  const eased = Array.from({ length: tree.size }, (_, i) =>
    widthsOf(tree, frames, isInSeries[i] === 1 ? [i] : [], step).map((width) => (width * step) / MEAN_TIME),
  );
  const before = frames.map(({ values }) => values.slice());
  groups.forEach((hinges, g) => {
    for (let f = 0; f < frames.length; f++) {
      const width = widths[g][f];
      if (!(width > 1)) continue;
      const { values } = frames[f];
      let sum = 0;
      for (const i of hinges) values[i] = 0;
      for (let n = Math.ceil(f - width); n <= f + width; n++) sum += weightOf((n - f) / width);
      for (let n = Math.ceil(f - width); n <= f + width; n++) {
        const share = weightOf((n - f) / width) / sum;
        for (const i of hinges) values[i] += share * before[n][i];
      }
      for (const i of hinges) values[i] = Math.min(Math.max(values[i], tree.min[i]), tree.max[i]);
    }
  });
  return eased;
}

const turn = /* @__PURE__ */ new Float64Array(4);
const inverse = /* @__PURE__ */ new Float64Array(4);
const vector = /* @__PURE__ */ new Float64Array(3);

/**
 * The root beside its path by the smoothest displacement nearest to the one that it has.
 *
 * @param frames - In and out.
 * @param path - Where the hips have the root: position and unit quaternion of each frame.
 */
export function easeRoot(
  { root }: RobotTree,
  frames: readonly Configuration[],
  path: { readonly positions: Float64Array; readonly rotations: Float64Array },
  step: number,
): void {
  const count = frames.length;
  const channels = Array.from({ length: 6 }, () => new Float64Array(count));
  frames.forEach(({ positions, rotations }, f) => {
    for (let k = 0; k < 3; k++) channels[k][f] = positions[3 * root + k] - path.positions[3 * f + k];
    for (let k = 0; k < 4; k++) inverse[k] = (k < 3 ? -1 : 1) * path.rotations[4 * f + k];
    writeProduct(rotations, 4 * root, inverse, 0, turn, 0);
    writeLogarithm(turn[0], turn[1], turn[2], turn[3], vector, 0);
    for (let k = 0; k < 3; k++) channels[3 + k][f] = vector[k];
  });
  const weights = new Float64Array(count).fill(1);
  for (const channel of channels) fitDisplacement(channel, weights, step, ROOT_TIME, 0);
  frames.forEach(({ positions, rotations }, f) => {
    for (let k = 0; k < 3; k++) positions[3 * root + k] = path.positions[3 * f + k] + channels[k][f];
    writeExponential(channels[3][f], channels[4][f], channels[5][f], turn);
    writeProduct(turn, 0, path.rotations, 4 * f, rotations, 4 * root);
    normalize(rotations, 4 * root);
  });
}

/** Of a frame at a distance in widths. */
function weightOf(x: number): number {
  const rest = 1 - x * x;
  return rest > 0 ? rest * rest : 0;
}

/** Half of the width of the mean in each frame, frames. */
function widthsOf(
  { min, max }: RobotTree,
  frames: readonly Configuration[],
  group: readonly number[],
  step: number,
): Float64Array {
  const count = frames.length;
  const kinks = new Float64Array(count);
  for (let f = 1; f + 1 < count; f++) {
    const [a, b, c] = [frames[f - 1].values, frames[f].values, frames[f + 1].values];
    let isChange = false;
    let kink = 0;
    for (const i of group) {
      const [x, y, z] = [
        sideOf(a[i], min[i], max[i]),
        sideOf(b[i], min[i], max[i]),
        sideOf(c[i], min[i], max[i]),
      ];
      if (x !== y || y !== z) isChange = true;
      kink = Math.max(kink, Math.abs(a[i] - 2 * b[i] + c[i]) / step);
    }
    if (isChange) kinks[f] = Math.min(1, kink / KINK);
  }
  const widths = new Float64Array(count);
  const reach = Math.floor(FADE_TIME / step);
  for (let f = 0; f < count; f++) {
    if (kinks[f] === 0) continue;
    for (let n = Math.max(0, f - reach); n <= Math.min(count - 1, f + reach); n++) {
      const width = (MEAN_TIME / step) * kinks[f] * weightOf((n - f) / (reach + 1));
      widths[n] = Math.max(widths[n], width);
    }
  }
  for (let f = 0; f < count; f++) widths[f] = Math.min(widths[f], f, count - 1 - f);
  return widths;
}

function sideOf(x: number, min: number, max: number): number {
  return x <= min ? -1 : x >= max ? 1 : 0;
}
