import {
  createLimitPicture,
  createState,
  type Figure,
  forwardKinematics,
  type LimitComponent,
  type LimitData,
  limitShapes,
  type SwingLimit,
  updateLimitPicture,
} from 'poise/figure';
import { type Numbers, quat, rigid, type Vec3, vec3 } from 'poise/math';

const DEGREE = Math.PI / 180;
/** Ends that can be set: a swing has its gimbal lock at half a turn, and a joint that is narrower than this is locked. */
export const OPENING = { min: DEGREE, max: 179 * DEGREE } as const;
/** Largest angle of a hinge or twist that a drag sets, rad. */
const MOST_ANGLE = Math.PI;
/** Samples of a direction along which a rim is dragged. */
const SAMPLES = 96;
/** Pixels for a radian away from where the rim was: of two places as near, it takes the one that it comes from. */
const STAY = 8;

/** The boundary of one limit of a joint, as it is drawn: in the world of the figure, m. */
export interface Rim {
  readonly component: LimitComponent;
  /** A loop for a swing; from the least to the most for an angle. */
  readonly points: readonly Vec3[];
  readonly isLoop: boolean;
  /** Where the joint is, of those. */
  readonly current: Vec3;
  /** What is left to the nearest end, rad or m, and which of the points that is. */
  readonly room: number;
  readonly nearest: number;
}

/** Where a rim is held: a point of its loop, or one of the two ends of an angle. */
export type RimGrip = { readonly angle: number } | { readonly end: 'min' | 'max' };

/**
 * The rims of a joint in a pose.
 *
 * @param radiusOf - At which each is drawn, m.
 */
export function rimsOf(
  figure: Figure,
  pose: Numbers,
  bone: number,
  radiusOf: (component: LimitComponent) => number | undefined,
): Rim[] {
  return figure.limitComponents
    .filter((component) => component.bone === bone)
    .flatMap((component) => {
      const picture = createLimitPicture(figure, component);
      const radius = radiusOf(component);
      if (picture === undefined || radius === undefined) return [];
      updateLimitPicture(picture, pose);
      const frame = restFrame(figure, pose, bone);
      const factor = picture.shape === 'positions' ? 1 : radius;
      const at = (numbers: Float32Array, n: number): Vec3 =>
        rigid.transformPoint(
          frame,
          [0, 1, 2].map((k) => factor * numbers[3 * n + k]),
        );
      const count = picture.boundary.length / 3;
      const points = Array.from({ length: count }, (_, n) => at(picture.boundary, n));
      const { room, share } = roomOf(component, pose);
      const nearest = Math.round(share * (picture.closed ? count : count - 1)) % count;
      return [{ component, points, isLoop: picture.closed, current: at(picture.current, 0), room, nearest }];
    });
}

/** What is left to the nearest end, rad or m, and how far along the boundary that end is, 0 to 1. */
export function roomOf(
  { kind, parameters, coordinate, size }: LimitComponent,
  pose: Numbers,
): { readonly room: number; readonly share: number } {
  if (size === 1) {
    const [below, above] = [pose[coordinate] - parameters[0], parameters[1] - pose[coordinate]];
    return { room: Math.max(0, Math.min(below, above)), share: below < above ? 0 : 1 };
  }
  if (size === 3) {
    const rotated = Math.hypot(pose[coordinate], pose[coordinate + 1], pose[coordinate + 2]);
    return { room: Math.max(0, parameters[0] - rotated), share: 0 };
  }
  let room = Number.POSITIVE_INFINITY;
  let share = 0;
  const trial = Float64Array.from(pose);
  for (let n = 0; n < SAMPLES; n++) {
    const angle = (2 * Math.PI * n) / SAMPLES;
    const radius = boundaryAt(kind, parameters, angle);
    trial[coordinate] = radius * Math.cos(angle);
    trial[coordinate + 1] = radius * Math.sin(angle);
    const left = Math.hypot(
      trial[coordinate] - pose[coordinate],
      trial[coordinate + 1] - pose[coordinate + 1],
    );
    if (left < room) {
      room = left;
      share = n / SAMPLES;
    }
  }
  const isOut = limitShapes[kind].value(parameters, pose, coordinate, size) >= 0;
  return { room: isOut ? 0 : room, share };
}

/** Opening of a swing in a direction of its plane, rad. */
function boundaryAt(kind: LimitComponent['kind'], parameters: Numbers, angle: number): number {
  const [a, b] = radiiOf(kind, parameters, angle);
  return 1 / Math.hypot(Math.cos(angle) / a, Math.sin(angle) / b);
}

/** The half-axes of the quarter of a swing's ellipse that a direction is in. */
function radiiOf(kind: LimitComponent['kind'], parameters: Numbers, angle: number): [number, number] {
  if (kind === 'disk') return [parameters[0], parameters[0]];
  if (kind === 'ellipse') return [parameters[0], parameters[1]];
  return [
    Math.cos(angle) < 0 ? -parameters[0] : parameters[1],
    Math.sin(angle) < 0 ? -parameters[2] : parameters[3],
  ];
}

/**
 * The limit of a joint whose rim is dragged to a place on the screen: what the rim is held at moves along its own
 * direction, a swing's opening or an angle's end, as near to the pointer as it comes.
 *
 * @param radius - At which it is drawn, m.
 * @param toScreen - Of a point in the world of the figure, px; undefined for one that is not seen.
 * @returns undefined for a limit that is not of this component.
 */
export function limitDraggedTo(
  figure: Figure,
  pose: Numbers,
  component: LimitComponent,
  grip: RimGrip,
  radius: number,
  pointer: { readonly x: number; readonly y: number },
  toScreen: (point: Vec3) => { readonly x: number; readonly y: number } | undefined,
): LimitData | undefined {
  const { limit, joint, coordinate: first } = figure.bones[component.bone];
  if (limit === undefined) return undefined;
  const place = placeOf(figure, pose, component, radius);
  const { parameters, coordinate, size, kind } = component;
  const near = (from: number, to: number, before: number, at: (x: number) => Vec3 | undefined): number => {
    let best = before;
    // Once over all, once about the best.
    let [low, high] = [from, to];
    for (let pass = 0; pass < 2; pass++) {
      let least = Number.POSITIVE_INFINITY;
      for (let n = 0; n <= SAMPLES; n++) {
        const x = low + (n / SAMPLES) * (high - low);
        const point = at(x);
        const seen = point && toScreen(point);
        if (seen === undefined) continue;
        const off =
          Math.hypot(seen.x - pointer.x, seen.y - pointer.y) +
          (STAY * Math.abs(x - before)) / (joint.type === 'slider' ? radius : 1);
        if (off < least) [best, least] = [x, off];
      }
      const step = (to - from) / SAMPLES;
      [low, high] = [Math.max(from, best - step), Math.min(to, best + step)];
    }
    return best;
  };
  if ('end' in grip) {
    const [min, max] = parameters;
    const most = joint.type === 'slider' ? 4 * radius : MOST_ANGLE;
    const gap = joint.type === 'slider' ? 0.01 * radius : OPENING.min;
    const [from, to] =
      grip.end === 'min' ? [Math.min(min, -most), max - gap] : [min + gap, Math.max(max, most)];
    const value = near(from, to, grip.end === 'min' ? min : max, (x) => place([x]));
    return withEnd(limit, coordinate - first, grip.end, value);
  }
  const [u, w] =
    size === 3
      ? planeOf(figure, component.bone)
      : [
          [1, 0],
          [0, 1],
        ];
  const [cos, sin] = [Math.cos(grip.angle), Math.sin(grip.angle)];
  const before = size === 3 ? parameters[0] : boundaryAt(kind, parameters, grip.angle);
  const opening = near(OPENING.min, OPENING.max, before, (r) =>
    place(u.map((x, k) => r * (cos * x + sin * w[k]))),
  );
  return withOpening(limit, grip.angle, opening);
}

/** A joint's limit with an end of one of its coordinates set, rad or m, within the other end. */
export function withEnd(
  limit: LimitData,
  coordinate: number,
  end: 'min' | 'max',
  value: number,
): LimitData | undefined {
  const set = <T extends { readonly min: number | null; readonly max: number | null }>(range: T): T => ({
    ...range,
    [end]: end === 'min' ? Math.min(value, range.max ?? Infinity) : Math.max(value, range.min ?? -Infinity),
  });
  switch (limit.type) {
    case 'interval':
      return set(limit);
    case 'box': {
      const { min, max } = set({ min: limit.min[coordinate], max: limit.max[coordinate] });
      return {
        type: 'box',
        min: limit.min.map((each, k) => (k === coordinate ? min : each)),
        max: limit.max.map((each, k) => (k === coordinate ? max : each)),
      };
    }
    case 'swing-twist':
      return limit.twist === undefined ? undefined : { ...limit, twist: set(limit.twist) };
    default:
      return undefined;
  }
}

/**
 * A joint's limit with its swing opened up to an angle in a direction. Of an ellipse the half-axis that the direction is along changes, of a
 * direction between two both do, each by its part.
 */
export function withOpening(limit: LimitData, angle: number, opening: number): LimitData | undefined {
  const clamped = Math.min(OPENING.max, Math.max(OPENING.min, opening));
  switch (limit.type) {
    case 'angle':
      return { type: 'angle', max: clamped };
    case 'swing-twist':
      return limit.swing && { ...limit, swing: opened(limit.swing, angle, clamped) };
    case 'cone':
    case 'ellipse':
    case 'quad-ellipse':
      return opened(limit, angle, clamped);
    default:
      return undefined;
  }
}

function opened(limit: SwingLimit, angle: number, opening: number): SwingLimit {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  switch (limit.type) {
    case 'cone':
      return { type: 'cone', halfAngle: opening };
    case 'ellipse':
      return { type: 'ellipse', halfAngles: grown(limit.halfAngles, cos, sin, opening) };
    case 'quad-ellipse': {
      const { s, t } = limit;
      const [a, b] = grown([cos < 0 ? -s[0] : s[1], sin < 0 ? -t[0] : t[1]], cos, sin, opening);
      return {
        type: 'quad-ellipse',
        s: cos < 0 ? [-a, s[1]] : [s[0], a],
        t: sin < 0 ? [-b, t[1]] : [t[0], b],
      };
    }
  }
}

/** Half-axes a f^(cos^2), b f^(sin^2) of an ellipse through a point. */
function grown(
  [a, b]: readonly [number, number],
  cos: number,
  sin: number,
  opening: number,
): [number, number] {
  const within = (x: number) => Math.min(OPENING.max, Math.max(OPENING.min, x));
  const radii = (f: number): [number, number] => [within(a * f ** (cos * cos)), within(b * f ** (sin * sin))];
  let [low, high] = [1e-3, 1e3];
  for (let n = 0; n < 60; n++) {
    const f = Math.sqrt(low * high);
    const [x, y] = radii(f);
    if (Math.hypot((opening * cos) / x, (opening * sin) / y) > 1) low = f;
    else high = f;
  }
  return radii(high);
}

/** Where the marker of a rim is, of the coordinates of its component: in the world of the figure, m. */
function placeOf(
  figure: Figure,
  pose: Numbers,
  component: LimitComponent,
  radius: number,
): (values: Numbers) => Vec3 | undefined {
  const { bone, coordinate } = component;
  const picture = createLimitPicture(figure, component);
  if (picture === undefined) return () => undefined;
  updateLimitPicture(picture, pose);
  const frame = restFrame(figure, pose, bone);
  const state = createState(figure);
  const trial = Float64Array.from(pose);
  const rotation = (): Numbers => {
    forwardKinematics(state, trial);
    return rigid.toQuat(frameOf(state.worldFromBone, bone));
  };
  const isSlider = picture.shape === 'positions';
  const now = quat.rotate(rigid.toQuat(frame), picture.current);
  const marker = quat.rotate(quat.conjugate(rotation()), now);
  return (values) => {
    trial.set(values, coordinate);
    const rotated = rotation();
    const { worldFromBone } = state;
    if (isSlider) return rigid.toPosition(frameOf(worldFromBone, bone));
    return vec3.addScaled(rigid.toPosition(frame), quat.rotate(rotated, marker), radius);
  };
}

/** The directions in which the boundary of a ball's angle is drawn. */
function planeOf({ bones }: Figure, bone: number): number[][] {
  const { tip } = bones[bone];
  const limb = tip === undefined || vec3.norm(tip) === 0 ? [0, 1, 0] : vec3.normalize(tip);
  const u = vec3.perpendicular(limb);
  return [u, vec3.cross(limb, u)];
}

/** World of the figure from the rest frame of a joint. */
function restFrame(figure: Figure, pose: Numbers, bone: number): Float64Array {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const { parent, rest } = figure.bones[bone];
  const local = rigid.fromQuatPosition(rest.rotation, rest.position);
  return Float64Array.from(parent < 0 ? local : rigid.compose(frameOf(state.worldFromBone, parent), local));
}

function frameOf(frames: Float64Array, bone: number): Float64Array {
  return frames.subarray(12 * bone, 12 * bone + 12);
}
