/** Rotation vectors that are unknowns themselves must stay clear of the shell at 2 pi and in one chart (Grassia 1997, section 4.3). */
import { SpacetimeError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import type { Reference } from './reference.js';
import type { SplineBasis } from './spline-basis.js';

/** Largest angle of a rotation vector, rad: a margin inside the first shell at 2 pi. */
export const MAX_ROTATION = 2 * Math.PI - 0.75;

const SAMPLES_PER_INTERVAL = 4;

/** @throws SpacetimeError `singular` where the reference takes the rotation vector at coordinate i near the shell, or changes chart. */
export function requireAwayFromShell(
  figure: Figure,
  i: number,
  { intervals, start, end }: SplineBasis,
  reference: Reference,
): void {
  const bone = figure.bones[figure.boneOfCoordinate[i]].name;
  const count = SAMPLES_PER_INTERVAL * intervals;
  let before: Float64Array | undefined;
  for (let k = 0; k <= count; k++) {
    const time = start + ((end - start) * k) / count;
    const { pose } = reference(time);
    const angle = Math.hypot(pose[i], pose[i + 1], pose[i + 2]);
    if (angle > MAX_ROTATION) {
      throw refusal(
        bone,
        `takes to ${angle.toFixed(2)} rad at ${time.toFixed(3)} s: at 2 pi is a shell where its derivatives vanish, and a curve cannot change chart during a solve.`,
      );
    }
    const jump =
      before === undefined
        ? 0
        : Math.hypot(pose[i] - before[i], pose[i + 1] - before[i + 1], pose[i + 2] - before[i + 2]);
    if (jump > Math.PI) {
      throw refusal(
        bone,
        `moves from one chart to another at ${time.toFixed(3)} s: its components jump where the rotation does not, and a spline cannot follow.`,
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
      remedy: "Use rotations: 'displacement', which solves for a rotation relative to the reference.",
    },
  );
}
