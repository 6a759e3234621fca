/** Points, lines and planes that {@link GoalHelper} draws for a goal, in the figure's world. */
import {
  boneIndex,
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  setRestTransforms,
} from 'poise/figure';
import { centerOfMassGoal, type Goal, type GoalType, mirrorGoal, type UpAxis } from 'poise/ik';
import { type Numbers, quat, rigid, vec3 } from 'poise/math';
import { leafTip } from './leaf-tip.js';
import { boneFrame } from './source.js';

/** Geometry drawn for a goal. Points and directions are in the figure's world, m. */
export interface GoalGeometry {
  /** Target positions: large spheres. */
  readonly targets: readonly (readonly number[])[];
  /** Current positions of the constrained points: small spheres. */
  readonly ends: readonly (readonly number[])[];
  /** Pairs of points. */
  readonly segments: readonly (readonly [readonly number[], readonly number[]])[];
  /** A target orientation, drawn as three axes. */
  readonly axes?: { readonly at: readonly number[]; readonly rotation: readonly number[] };
  /** A plane, drawn as a square about a point of it. */
  readonly plane?: { readonly at: readonly number[]; readonly normal: readonly number[] };
}

/** A figure in a pose, and a state for forward kinematics in other poses. */
export interface GoalDrawingState {
  readonly figure: Figure;
  readonly pose: Float64Array;
  readonly state: FigureState;
  /** Rest transforms of the state, if not those of the figure. */
  readonly rests?: Numbers;
  /** Length of lines drawn at a joint, m. */
  readonly size: number;
}

type Point = readonly number[];
type GoalComponent = ReturnType<GoalType['components']>[number];

const ORIGIN: Point = [0, 0, 0];
const Y: Point = [0, 1, 0];
const EMPTY: GoalGeometry = { targets: [], ends: [], segments: [] };

/** The geometry of a goal in a pose. */
export function goalGeometry(goal: Goal, drawing: GoalDrawingState): GoalGeometry {
  const frameOf = (bone: string | number) => boneFrame(drawing.state, boneIndex(drawing.figure, bone));
  switch (goal.type) {
    case 'position':
      return linkToTarget(pointOf(frameOf(goal.bone), goal.point), targetPoint(goal.target, frameOf));
    case 'distance': {
      const end = pointOf(frameOf(goal.bone), goal.point);
      const center = targetPoint(goal.target, frameOf);
      const away = vec3.subtract(end, center);
      const direction = vec3.norm(away) > 0 ? vec3.normalize(away) : Y;
      const target = vec3.addScaled(center, direction, goal.distance);
      return {
        targets: [target],
        ends: [end, center],
        segments: [
          [center, target],
          [target, end],
        ],
      };
    }
    case 'relative-pose': {
      const at = targetPoint(goal.target, frameOf);
      const hasOrientation = goal.orientationMask?.every((weight) => weight === 0) !== true;
      return {
        ...linkToTarget(pointOf(frameOf(goal.bone), goal.point), at),
        ...(hasOrientation && { axes: { at, rotation: targetOrientation(goal.target, frameOf) } }),
      };
    }
    case 'orientation':
      return {
        ...EMPTY,
        axes: { at: pointOf(frameOf(goal.bone)), rotation: targetOrientation(goal.target, frameOf) },
      };
    case 'points-at':
    case 'look-at': {
      const target = targetPoint(goal.target, frameOf);
      const aimingFrames = [goal.bone].flat().map(frameOf);
      return mergeGeometry(
        aimingFrames.flatMap((frame) => {
          const end = pointOf(frame, goal.origin);
          const sight = linkToTarget(end, target);
          return goal.up === undefined
            ? [sight]
            : [sight, upGeometry(goal.up, goal.axis, frame, end, drawing.size, drawing.figure.up)];
        }),
      );
    }
    case 'pole': {
      const middle = goal.middle ?? drawing.figure.parents[boneIndex(drawing.figure, goal.bone)];
      return linkToTarget(pointOf(frameOf(middle)), targetPoint(goal.target, frameOf));
    }
    case 'plane':
    case 'half-space': {
      const { bone, point, normal } = goal.target;
      const frame = bone === undefined ? undefined : frameOf(bone);
      const n = vec3.normalize(frame === undefined ? normal : rigid.transformVector(frame, normal));
      const end = pointOf(frameOf(goal.bone), goal.point);
      const origin = frame === undefined ? Array.from(point) : rigid.transformPoint(frame, point);
      const clearance = goal.type === 'half-space' ? (goal.clearance ?? 0) : 0;
      const height = vec3.dot(n, vec3.subtract(end, origin)) - clearance;
      const foot = vec3.addScaled(end, n, -height);
      const sheet = { at: foot, normal: n };
      // Inside the half-space the goal is met, so there is no target.
      if (goal.type === 'half-space' && height >= 0) return { ...EMPTY, ends: [end], plane: sheet };
      return { ...linkToTarget(end, foot), plane: sheet };
    }
    case 'center-of-mass': {
      const center = centerOfMass(drawing);
      if (goal.support === undefined) return linkToTarget(center, Array.from(goal.target ?? center));
      return supportGeometry(drawing, goal, center);
    }
    case 'mirror': {
      const of = pointOf(frameOf(goal.of));
      return mergeGeometry(
        mirrorGoal.components(drawing.figure, goal, 'goal').map((component, n) => {
          const end = pointOf(frameOf(goal.bone), goal.points?.[n]);
          const residual = residualOf(component, drawing);
          const displacement =
            component.targetBone < 0
              ? residual
              : rigid.transformVector(frameOf(component.targetBone), residual);
          const target = vec3.add(end, displacement);
          const geometry = linkToTarget(end, target);
          return {
            ...geometry,
            ends: [...geometry.ends, of],
            segments: [...geometry.segments, [of, target]],
          };
        }),
      );
    }
    case 'joint-value':
      return jointValueGeometry(
        drawing,
        boneIndex(drawing.figure, goal.bone),
        goal.coordinate ?? 0,
        goal.value,
      );
    case 'posture':
      return postureGeometry(drawing, goal.bones, goal.reference);
  }
}

function linkToTarget(end: Point, target: Point): GoalGeometry {
  return { targets: [target], ends: [end], segments: [[end, target]] };
}

function mergeGeometry(all: readonly GoalGeometry[]): GoalGeometry {
  return {
    targets: all.flatMap(({ targets }) => targets),
    ends: all.flatMap(({ ends }) => ends),
    segments: all.flatMap(({ segments }) => segments),
  };
}

/** Current and target direction of the bone's up axis, both projected perpendicular to the aiming axis. */
function upGeometry(
  up: UpAxis,
  axis: Numbers,
  frame: Float64Array,
  end: Point,
  size: number,
  figureUp: Point,
): GoalGeometry {
  const sight = vec3.normalize(rigid.transformVector(frame, axis));
  const projected = (v: Numbers): number[] | undefined => {
    const projection = vec3.addScaled(v, sight, -vec3.dot(sight, v));
    return vec3.norm(projection) > 1e-9 ? vec3.addScaled(end, vec3.normalize(projection), size) : undefined;
  };
  const current = projected(rigid.transformVector(frame, up.axis));
  const target = projected(vec3.normalize(up.direction ?? figureUp));
  // Roll is undefined if the aiming axis is parallel to up.
  if (current === undefined || target === undefined) return EMPTY;
  return {
    targets: [target],
    ends: [current],
    segments: [
      [end, current],
      [current, target],
      [target, end],
    ],
  };
}

function centerOfMass(drawing: GoalDrawingState): number[] {
  const [component] = centerOfMassGoal.components(
    drawing.figure,
    { type: 'center-of-mass', target: [0, 0, 0] },
    'goal',
  );
  return residualOf(component, drawing);
}

/** Outline of a support, plumb line of the centre of mass, and nearest point of the support. */
function supportGeometry(
  drawing: GoalDrawingState,
  goal: Goal & { readonly type: 'center-of-mass' },
  center: Point,
): GoalGeometry {
  const [component] = centerOfMassGoal.components(drawing.figure, goal, 'goal');
  component.residualFunction.check?.(component.data, 'goal');
  const residual = residualOf(component, drawing);
  const up = vec3.normalize(goal.up ?? drawing.figure.up);
  const hull = convexHull(
    (goal.support ?? []).map((point) => Array.from(point)),
    up,
  );
  const height = hull.reduce((sum, point) => sum + vec3.dot(up, point), 0) / hull.length;
  const foot = vec3.addScaled(center, up, height - vec3.dot(up, center));
  const target = vec3.subtract(foot, residual);
  return {
    targets: [target],
    ends: [center],
    segments: [
      ...hull.map((point, n) => [point, hull[(n + 1) % hull.length]] as const),
      [center, foot],
      [foot, target],
    ],
  };
}

/** Corners, in order, of the convex hull of points projected along a direction (Andrew 1979). */
function convexHull(points: readonly Point[], up: Point): Point[] {
  const e1 = vec3.perpendicular(up);
  const e2 = vec3.cross(up, e1);
  const flat = points
    .map((point) => ({ point, x: vec3.dot(e1, point), y: vec3.dot(e2, point) }))
    .sort((a, b) => a.x - b.x || a.y - b.y);
  const half = (ordered: typeof flat): typeof flat => {
    const chain: typeof flat = [];
    for (const next of ordered) {
      while (chain.length > 1) {
        const [a, b] = chain.slice(-2);
        if ((b.x - a.x) * (next.y - a.y) - (b.y - a.y) * (next.x - a.x) > 0) break;
        chain.pop();
      }
      chain.push(next);
    }
    return chain.slice(0, -1);
  };
  const hull = [...half(flat), ...half([...flat].reverse())].map(({ point }) => point);
  return hull.length > 0 ? hull : points.slice(0, 1);
}

/** Line segments of an arc. */
const ARC_SEGMENTS = 16;
/** Smallest speed of a marker for it to show a coordinate, distances from the joint per rad. */
const MIN_MARKER_SPEED = 0.2;

/** Path of a marker on the bone from a coordinate's current value to its target; of a slider, path of the bone's origin. */
function jointValueGeometry(
  { figure, pose, rests, size }: GoalDrawingState,
  bone: number,
  coordinate: number,
  value: number,
): GoalGeometry {
  const at = figure.bones[bone].coordinate + coordinate;
  const trial = pose.slice();
  const state = createState(figure);
  if (rests) setRestTransforms(state, rests);
  const positionAt = (q: number, marker: Point): number[] => {
    trial[at] = q;
    forwardKinematics(state, trial);
    return pointOf(boneFrame(state, bone), marker);
  };
  const currentValue = pose[at];
  const limb = vec3.normalize(leafTip(figure, bone, size) ?? Y);
  const markers: Point[] = [ORIGIN, limb, [1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const step = 1e-3;
  const marker =
    markers.find(
      (one) =>
        vec3.distance(positionAt(currentValue + step, one), positionAt(currentValue, one)) >
        MIN_MARKER_SPEED * step,
    ) ?? limb;
  const arm = vec3.scale(marker, size);
  const path = Array.from({ length: ARC_SEGMENTS + 1 }, (_, k) =>
    positionAt(currentValue + (k / ARC_SEGMENTS) * (value - currentValue), arm),
  );
  const [current, target] = [path[0], path[ARC_SEGMENTS]];
  const segments = path.slice(1).map((point, k) => [path[k], point] as const);
  if (marker === ORIGIN) return { targets: [target], ends: [current], segments };
  // A rotational coordinate does not move the joint's origin.
  const joint = positionAt(currentValue, ORIGIN);
  return { targets: [target], ends: [current], segments: [[joint, current], ...segments, [target, joint]] };
}

/** Bones of a posture goal in its reference pose. */
function postureGeometry(
  { figure, pose, rests, size }: GoalDrawingState,
  bones: readonly (string | number)[] | undefined,
  reference: Numbers | undefined,
): GoalGeometry {
  const drawn = bones?.map((bone) => boneIndex(figure, bone)) ?? figure.bones.map(({ index }) => index);
  const target = pose.slice();
  for (const bone of drawn) {
    const { coordinate, dof } = figure.bones[bone];
    for (let i = coordinate; i < coordinate + dof; i++) target[i] = reference?.[i] ?? 0;
  }
  const state = createState(figure);
  if (rests) setRestTransforms(state, rests);
  forwardKinematics(state, target);
  const segments = drawn.flatMap((bone) => {
    const start = pointOf(boneFrame(state, bone));
    const children = figure.bones.filter(({ parent }) => parent === bone);
    const tip = children.length > 0 ? undefined : leafTip(figure, bone, size);
    const ends = children.map(({ index }) => pointOf(boneFrame(state, index)));
    if (tip !== undefined) ends.push(pointOf(boneFrame(state, bone), tip));
    return ends.map((end) => [start, end] as const);
  });
  return { ...EMPTY, segments };
}

/** Residual of a goal's component, three numbers. */
function residualOf(component: GoalComponent, { state, pose }: GoalDrawingState): number[] {
  const out = [0, 0, 0];
  // A compiled component differs only by its row offsets, which no residual reads.
  component.residualFunction.evaluate(
    state,
    component as Parameters<GoalComponent['residualFunction']['evaluate']>[1],
    out,
    0,
    pose,
  );
  return out;
}

function pointOf(frame: Float64Array, point: Numbers = ORIGIN): number[] {
  return rigid.transformPoint(frame, point);
}

type Target = Numbers | { readonly bone: string | number; readonly point?: Numbers };

function targetPoint(target: Target, frameOf: (bone: string | number) => Float64Array): number[] {
  return 'bone' in target ? pointOf(frameOf(target.bone), target.point) : Array.from(target);
}

type Orientation = Numbers | { readonly bone: string | number; readonly offset?: Numbers };

function targetOrientation(target: Orientation, frameOf: (bone: string | number) => Float64Array): number[] {
  if (!('bone' in target)) return quat.normalize(target);
  const rotation = rigid.toQuat(frameOf(target.bone));
  return target.offset === undefined ? rotation : quat.multiply(rotation, quat.normalize(target.offset));
}
