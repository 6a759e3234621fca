/** The boundary of a limit, to draw it. */
import * as quat from '../math/geometry/quat.js';
import * as vec3 from '../math/geometry/vec3.js';
import type { Numbers } from '../math/linear/types.js';
import { forwardKinematics } from './kinematics/forward-kinematics.js';
import type { LimitComponent } from './limits/limit.js';
import { limitShapes } from './limits/shapes.js';
import { createFigure, type Figure } from './model/figure.js';
import { checkPose } from './model/pose.js';
import { createState, type FigureState } from './model/state.js';

/**
 * The boundary of a limit in the joint's rest frame (the parent's frame times the rest transform), as last computed by
 * {@link updateLimitPicture}.
 */
export interface LimitPicture {
  /**
   * - `directions`: unit directions of a marker on the bone. A closed loop for a swing; from minimum to maximum for an angle.
   * - `positions`: of the bone's origin, m, from minimum to maximum: a slider.
   */
  readonly shape: 'directions' | 'positions';
  /** Three numbers each. */
  readonly boundary: Float32Array;
  readonly closed: boolean;
  /** Current direction of the marker or position of the origin. */
  readonly current: Float32Array;
}

/** A picture and the data to update it. */
interface Drawing extends LimitPicture {
  readonly figure: Figure;
  readonly component: LimitComponent;
  readonly firstCoordinate: number;
  readonly limb: readonly number[];
  /** Coordinates of the limit at the points of its boundary, which the other coordinates of the joint do not change. */
  readonly bounds: Float64Array;
  readonly state: FigureState;
  /** Coordinates of the joint: current, and trial values. */
  readonly now: Float64Array;
  readonly q: Float64Array;
}

const LOOP_POINTS = 72;
const ARC_POINTS = 40;
/** A coordinate that moves the marker by less than this, rad per rad, rotates about it: another marker is used. */
const MIN_MARKER_SPEED = 0.2;

/**
 * Samples the boundary of a limit from the limit function that clamp and solver use, and maps it through the joint's forward
 * kinematics.
 *
 * @returns undefined for limits without a picture: an interval without one of its bounds, a box on a free joint's position.
 */
export function createLimitPicture(figure: Figure, component: LimitComponent): LimitPicture | undefined {
  const { size, parameters, role } = component;
  if (role === 'position') return undefined;
  if (size === 1 && !parameters.slice(0, 2).every(Number.isFinite)) return undefined;
  const { joint, coordinate, dof, tip } = figure.bones[component.bone];
  const limb = tip === undefined || vec3.norm(tip) === 0 ? [0, 1, 0] : vec3.normalize(tip);
  const drawing: Drawing = {
    figure,
    shape: role === 'distance' ? 'positions' : 'directions',
    boundary: new Float32Array(3 * (size === 1 ? ARC_POINTS + 1 : LOOP_POINTS)),
    closed: size > 1,
    current: new Float32Array(3),
    component: component,
    firstCoordinate: coordinate,
    limb,
    bounds: size === 1 ? intervalBounds(component) : loopBounds(component, limb),
    state: createState(createFigure({ bones: [{ name: 'bone', joint }] })),
    now: new Float64Array(dof),
    q: new Float64Array(dof),
  };
  updateLimitPicture(drawing, new Float64Array(figure.dof));
  return drawing;
}

/**
 * Updates a picture to a pose of its figure.
 *
 * @returns whether its joint has moved.
 * @throws FigureError as {@link checkPose}.
 */
export function updateLimitPicture(picture: LimitPicture, pose: Numbers): boolean {
  const drawing = picture as Drawing;
  checkPose(drawing.figure, pose);
  const { component, firstCoordinate, bounds, now, q, boundary, current, state } = drawing;
  let moved = current[0] === 0 && current[1] === 0 && current[2] === 0;
  for (let n = 0; n < now.length; n++) {
    if (now[n] !== pose[firstCoordinate + n]) moved = true;
    now[n] = pose[firstCoordinate + n];
    q[n] = now[n];
  }
  if (!moved) return false;
  const { size } = component;
  const at = component.coordinate - firstCoordinate;
  const marker =
    drawing.shape === 'positions' ? undefined : size === 3 ? drawing.limb : markerOf(drawing, at);
  writeMarker(state, q, marker, current, 0);
  for (let k = 0; 3 * k < boundary.length; k++) {
    for (let n = 0; n < size; n++) q[at + n] = bounds[size * k + n];
    writeMarker(state, q, marker, boundary, 3 * k);
  }
  return true;
}

/** Values from the minimum to the maximum of an angle or a length. */
function intervalBounds({ parameters: [min, max] }: LimitComponent): Float64Array {
  return Float64Array.from({ length: ARC_POINTS + 1 }, (_, k) => min + (k / ARC_POINTS) * (max - min));
}

/** Coordinates around a swing: both of a swing; of a ball, in the plane perpendicular to the limb. */
function loopBounds({ parameters, size, kind }: LimitComponent, limb: readonly number[]): Float64Array {
  const { value } = limitShapes[kind];
  const u = size === 3 ? vec3.perpendicular(limb) : [1, 0];
  const w = size === 3 ? vec3.cross(limb, u) : [0, 1];
  const bounds = new Float64Array(size * LOOP_POINTS);
  for (let k = 0; k < LOOP_POINTS; k++) {
    const cos = Math.cos((2 * Math.PI * k) / LOOP_POINTS);
    const sin = Math.sin((2 * Math.PI * k) / LOOP_POINTS);
    const setRadius = (r: number) => {
      for (let n = 0; n < size; n++) bounds[size * k + n] = r * (cos * u[n] + sin * w[n]);
    };
    const radius = boundaryRadius((r) => {
      setRadius(r);
      return value(parameters, bounds, size * k, size);
    });
    setRadius(radius);
  }
  return bounds;
}

/** Writes the direction of the marker, or the position of the bone's origin, in the joint's rest frame. */
function writeMarker(
  state: FigureState,
  q: Float64Array,
  marker: readonly number[] | undefined,
  out: Float32Array | Float64Array,
  o: number,
): void {
  forwardKinematics(state, q);
  const { worldFromBone } = state;
  const value =
    marker === undefined
      ? worldFromBone.subarray(9, 12)
      : quat.rotate(quat.fromMatrix(worldFromBone), marker);
  for (let n = 0; n < 3; n++) out[o + n] = value[n];
}

/** The limb's direction, or one perpendicular to it if the coordinate rotates about the limb. */
function markerOf({ limb, state, now, q }: Drawing, at: number): readonly number[] {
  const before = new Float64Array(3);
  const after = new Float64Array(3);
  writeMarker(state, q, limb, before, 0);
  q[at] += 1e-3;
  writeMarker(state, q, limb, after, 0);
  q.set(now);
  if (vec3.distance(after, before) / 1e-3 > MIN_MARKER_SPEED) return limb;
  const perpendicular = [
    [0, 0, 1],
    [0, 1, 0],
    [1, 0, 0],
  ].map((axis) => vec3.addScaled(axis, limb, -vec3.dot(axis, limb)));
  return vec3.normalize(perpendicular.find((axis) => vec3.norm(axis) > 0.5) ?? perpendicular[0]);
}

/** Radius r in (0, pi] at which g changes sign along a ray from inside, by bisection to rounding. */
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
