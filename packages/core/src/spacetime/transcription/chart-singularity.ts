/** Rotation vectors that are solved for themselves must stay away from the shell at 2 pi, and in one chart (paper, section 4.3). */
import { SpacetimeError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import type { Reference } from './reference.js';
import type { SplineBasis } from './spline-basis.js';

/** Rotation vectors stay this far inside the first shell, at 2 pi. */
export const MOST_TURN = 2 * Math.PI - 0.75;

/** Moments that are looked at in each knot interval. */
const LOOKS = 4;

/** @throws SpacetimeError `singular` where the reference takes the rotation vector from coordinate i on to the shell, or from chart to chart. */
export function refuseNearShell(
  figure: Figure,
  i: number,
  { intervals, start, end }: SplineBasis,
  reference: Reference,
): void {
  const bone = figure.bones[figure.boneOfCoordinate[i]].name;
  const count = LOOKS * intervals;
  let before: Float64Array | undefined;
  for (let k = 0; k <= count; k++) {
    const time = start + ((end - start) * k) / count;
    const { pose } = reference(time);
    const turn = Math.hypot(pose[i], pose[i + 1], pose[i + 2]);
    if (turn > MOST_TURN) {
      throw refusal(
        bone,
        `takes to ${turn.toFixed(2)} rad at ${time.toFixed(3)} s: at 2 pi it has a shell where its derivatives vanish, and the curve cannot change chart while it is solved for.`,
      );
    }
    const jump =
      before === undefined
        ? 0
        : Math.hypot(pose[i] - before[i], pose[i + 1] - before[i + 1], pose[i + 2] - before[i + 2]);
    if (jump > Math.PI) {
      throw refusal(
        bone,
        `takes from one chart to another at ${time.toFixed(3)} s: its numbers jump where the rotation does not, and no spline follows them.`,
      );
    }
    before = pose;
  }
}

function refusal(bone: string, what: string): SpacetimeError {
  return new SpacetimeError(
    'singular',
    `asks for the rotation vector of '${bone}' itself, which the reference ${what}`,
    {
      path: 'rotations',
      remedy: "Use rotations: 'displacement', which solves for a turn away from the reference.",
    },
  );
}
