import {
  createFigure,
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  type LimitComponent,
  limitShapes,
} from 'poise/figure';
import { type Numbers, quat, vec3 } from 'poise/math';

/**
 * The boundary of a limit in the frame that the joint starts from (the parent's, then the rest transform), as
 * {@link updateLimitPicture} last found it.
 */
export interface LimitPicture {
  /**
   * - `directions`: unit directions of a marker on the bone. A closed loop for a swing; from least to greatest for an angle.
   * - `places`: of the bone's origin, m, from least to greatest: a slider.
   */
  readonly shape: 'directions' | 'places';
  /** Three numbers each. */
  readonly boundary: Float32Array;
  readonly closed: boolean;
  /** Where the marker or the origin is now. */
  readonly current: Float32Array;
}

/** A picture with what it takes to update it. */
interface Drawing extends LimitPicture {
  readonly part: LimitComponent;
  readonly start: number;
  readonly limb: readonly number[];
  readonly state: FigureState;
  /** Coordinates of the joint: as they are, and as they are tried. */
  readonly now: Float64Array;
  readonly q: Float64Array;
}

const LOOP = 72;
const ARC = 40;
/** A coordinate that moves the marker by less than this, rad per rad, turns about it: another marker shows more. */
const ALONG = 0.2;

/**
 * A picture of a limit from the very object that the clamp and the solver use: points of its boundary are found on the set itself
 * and put through the joint.
 *
 * @returns undefined where there is nothing to draw: an interval that is open on a side, a box about a free position.
 */
export function createLimitPicture(figure: Figure, part: LimitComponent): LimitPicture | undefined {
  const { size, parameters, role } = part;
  if (role === 'position') return undefined;
  if (size === 1 && !parameters.slice(0, 2).every(Number.isFinite)) return undefined;
  const { joint, coordinate, dof, tip } = figure.bones[part.bone];
  const drawing: Drawing = {
    shape: role === 'distance' ? 'places' : 'directions',
    boundary: new Float32Array(3 * (size === 1 ? ARC + 1 : LOOP)),
    closed: size > 1,
    current: new Float32Array(3),
    part,
    start: coordinate,
    limb: tip === undefined || vec3.norm(tip) === 0 ? [0, 1, 0] : vec3.normalize(tip),
    state: createState(createFigure({ bones: [{ name: 'bone', joint }] })),
    now: new Float64Array(dof),
    q: new Float64Array(dof),
  };
  updateLimitPicture(drawing, new Float64Array(figure.dof));
  return drawing;
}

/** Brings a picture to a pose of its figure. @returns whether its joint had moved. */
export function updateLimitPicture(picture: LimitPicture, pose: Numbers): boolean {
  const drawing = picture as Drawing;
  const { part, start, now, q, boundary, current, state } = drawing;
  let moved = current[0] === 0 && current[1] === 0 && current[2] === 0;
  for (let n = 0; n < now.length; n++) {
    if (now[n] !== pose[start + n]) moved = true;
    now[n] = pose[start + n];
    q[n] = now[n];
  }
  if (!moved) return false;
  const { parameters, size, kind } = part;
  const at = part.coordinate - start;
  const marker = drawing.shape === 'places' ? undefined : size === 3 ? drawing.limb : markerOf(drawing, at);
  write(state, q, marker, current, 0);
  if (size === 1) {
    for (let k = 0; k <= ARC; k++) {
      q[at] = parameters[0] + (k / ARC) * (parameters[1] - parameters[0]);
      write(state, q, marker, boundary, 3 * k);
    }
    return true;
  }
  const { value } = limitShapes[kind];
  // Directions of coordinates that the limit is drawn over: both of a swing; of a ball, those that turn the limb and not about it.
  const u = size === 3 ? vec3.perpendicular(drawing.limb) : [1, 0];
  const w = size === 3 ? vec3.cross(drawing.limb, u) : [0, 1];
  for (let k = 0; k < LOOP; k++) {
    const cos = Math.cos((2 * Math.PI * k) / LOOP);
    const sin = Math.sin((2 * Math.PI * k) / LOOP);
    const put = (r: number) => {
      for (let n = 0; n < size; n++) q[at + n] = r * (cos * u[n] + sin * w[n]);
    };
    put(
      boundaryRadius((r) => {
        put(r);
        return value(parameters, q, at, size);
      }),
    );
    write(state, q, marker, boundary, 3 * k);
  }
  return true;
}

/** Writes where the joint takes the marker (a direction), or the bone's origin. */
function write(
  state: FigureState,
  q: Float64Array,
  marker: readonly number[] | undefined,
  out: Float32Array | Float64Array,
  o: number,
): void {
  forwardKinematics(state, q);
  const { worldFromBone } = state;
  const place =
    marker === undefined
      ? worldFromBone.subarray(9, 12)
      : quat.rotate(quat.fromMatrix(worldFromBone), marker);
  for (let n = 0; n < 3; n++) out[o + n] = place[n];
}

/** The limb's direction, or one across it where the coordinate turns about the limb. */
function markerOf({ limb, state, now, q }: Drawing, at: number): readonly number[] {
  const before = new Float64Array(3);
  const after = new Float64Array(3);
  write(state, q, limb, before, 0);
  q[at] += 1e-3;
  write(state, q, limb, after, 0);
  q.set(now);
  if (vec3.distance(after, before) / 1e-3 > ALONG) return limb;
  const across = [
    [0, 0, 1],
    [0, 1, 0],
    [1, 0, 0],
  ].map((axis) => vec3.addScaled(axis, limb, -vec3.dot(axis, limb)));
  return vec3.normalize(across.find((axis) => vec3.norm(axis) > 0.5) ?? across[0]);
}

/** The radius r in (0, pi] where g changes sign along a ray from inside, by bisection to rounding. */
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
