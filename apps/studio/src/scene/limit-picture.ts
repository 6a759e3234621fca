import {
  createFigure,
  createState,
  type Figure,
  forwardKinematics,
  type LimitPart,
  limitShapes,
} from 'poise/figure';
import { quat, vec3 } from 'poise/math';

/** The boundary of a limit as directions of a marker on the bone, in the frame that the joint starts from. */
export interface LimitPicture {
  /** Unit directions, three numbers each. A closed loop for a swing; from least to greatest for an angle. */
  readonly boundary: Float32Array;
  readonly closed: boolean;
  /** Where the marker is now. */
  readonly current: readonly [number, number, number];
}

const LOOP = 72;
const ARC = 40;
/** A coordinate that moves the marker by less than this, rad per rad, turns about it: another marker shows more. */
const ALONG = 0.2;

/**
 * Draws a limit from the very object that the clamp and the solver use: points of its boundary are found on the set itself,
 * put through the joint, and shown as directions of the limb.
 *
 * @returns undefined where there is nothing to draw: an interval that is open on a side, a distance, a ball's angle.
 */
export function limitPicture(
  figure: Figure,
  part: LimitPart,
  pose: ArrayLike<number>,
): LimitPicture | undefined {
  const { bone: index, coordinate, size, kind, parameters, role } = part;
  if (size > 2 || role === 'distance' || role === 'position') return undefined;
  const { joint, coordinate: start, dof, tip } = figure.bones[index];
  const single = createFigure({ bones: [{ name: 'bone', joint }] });
  const state = createState(single);
  const at = coordinate - start;
  const q = Float64Array.from({ length: dof }, (_, n) => pose[start + n]);
  const now = q.slice();
  const turned = (marker: readonly number[]): number[] => {
    forwardKinematics(state, q);
    return quat.rotate(quat.fromMatrix(state.worldFromBone), marker);
  };
  const marker = markerOf(tip, (m) => {
    q.set(now);
    const before = turned(m);
    q[at] += 1e-3;
    const moved = vec3.distance(turned(m), before) / 1e-3;
    q.set(now);
    return moved;
  });
  const current = turned(marker);
  const boundary: number[] = [];
  if (size === 1) {
    const [least, greatest] = parameters;
    if (!Number.isFinite(least) || !Number.isFinite(greatest)) return undefined;
    for (let k = 0; k <= ARC; k++) {
      q[at] = least + (k / ARC) * (greatest - least);
      boundary.push(...turned(marker));
    }
  } else {
    const { value } = limitShapes[kind];
    for (let k = 0; k < LOOP; k++) {
      const angle = (2 * Math.PI * k) / LOOP;
      const radius = boundaryRadius((r) => {
        q[at] = r * Math.cos(angle);
        q[at + 1] = r * Math.sin(angle);
        return value(parameters, q, at, size);
      });
      q[at] = radius * Math.cos(angle);
      q[at + 1] = radius * Math.sin(angle);
      boundary.push(...turned(marker));
    }
  }
  return {
    boundary: Float32Array.from(boundary),
    closed: size === 2,
    current: [current[0], current[1], current[2]],
  };
}

/** The limb's direction, or one across it where the coordinate turns about the limb. */
function markerOf(
  tip: readonly number[] | undefined,
  motion: (marker: readonly number[]) => number,
): readonly number[] {
  const limb = tip === undefined ? [0, 1, 0] : vec3.normalize(tip);
  if (motion(limb) > ALONG) return limb;
  const across = [
    [0, 0, 1],
    [0, 1, 0],
    [1, 0, 0],
  ].map((axis) => vec3.addScaled(axis, limb, -vec3.dot(axis, limb)));
  return vec3.normalize(across.find((axis) => vec3.norm(axis) > 0.5) ?? across[0]);
}

/** The radius r in (0, pi) where g changes sign along a ray from inside, by bisection to rounding. */
function boundaryRadius(g: (radius: number) => number): number {
  let inside = 0;
  let outside = Math.PI;
  for (let k = 0; k < 50; k++) {
    const middle = (inside + outside) / 2;
    if (g(middle) <= 0) inside = middle;
    else outside = middle;
  }
  return inside;
}
