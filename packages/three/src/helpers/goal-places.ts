/** Where a goal has its ends, in the figure's world: what {@link GoalHelper} draws. */
import { boneIndex, createState, type Figure, type FigureState, forwardKinematics } from 'poise/figure';
import { centerOfMassGoal, type Goal, type GoalType, mirrorGoal, type UpAxis } from 'poise/ik';
import { type Numbers, quat, rigid, vec3 } from 'poise/math';
import { leafTip } from './leaf-tip.js';
import { boneFrame } from './source.js';

/** What is drawn of a goal. Points and directions are of the figure's world, m. */
export interface GoalPlaces {
  /** Where something is to be: large marks. */
  readonly targets: readonly (readonly number[])[];
  /** What is to be there, as it is: small marks. */
  readonly ends: readonly (readonly number[])[];
  /** Pairs of points. */
  readonly segments: readonly (readonly [readonly number[], readonly number[]])[];
  /** A wanted orientation, drawn as three axes. */
  readonly axes?: { readonly at: readonly number[]; readonly turn: readonly number[] };
  /** A plane, drawn as a square about a point of it. */
  readonly sheet?: { readonly at: readonly number[]; readonly normal: readonly number[] };
}

/** A figure in a pose, and memory to try others. */
export interface GoalStage {
  readonly figure: Figure;
  readonly pose: Float64Array;
  readonly state: FigureState;
  /** Length of what is drawn about a joint, m. */
  readonly size: number;
}

type Point = readonly number[];
type Part = ReturnType<GoalType['components']>[number];

const ORIGIN: Point = [0, 0, 0];
const UP: Point = [0, 1, 0];
const NOTHING: GoalPlaces = { targets: [], ends: [], segments: [] };

/** The places of a goal at the pose of a stage. */
export function placesOf(goal: Goal, stage: GoalStage): GoalPlaces {
  const frameOf = (bone: string | number) => boneFrame(stage.state, boneIndex(stage.figure, bone));
  switch (goal.type) {
    case 'position':
      return joined(pointOf(frameOf(goal.bone), goal.point), placeOf(goal.target, frameOf));
    case 'distance': {
      const end = pointOf(frameOf(goal.bone), goal.point);
      const center = placeOf(goal.target, frameOf);
      const away = vec3.subtract(end, center);
      const direction = vec3.norm(away) > 0 ? vec3.normalize(away) : UP;
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
      const at = placeOf(goal.target, frameOf);
      const isTurned = goal.orientationMask?.every((share) => share === 0) !== true;
      return {
        ...joined(pointOf(frameOf(goal.bone), goal.point), at),
        ...(isTurned && { axes: { at, turn: orientationOf(goal.target, frameOf) } }),
      };
    }
    case 'orientation':
      return {
        ...NOTHING,
        axes: { at: pointOf(frameOf(goal.bone)), turn: orientationOf(goal.target, frameOf) },
      };
    case 'points-at':
    case 'look-at': {
      const target = placeOf(goal.target, frameOf);
      const lookers = [goal.bone].flat().map(frameOf);
      return together(
        lookers.flatMap((frame) => {
          const end = pointOf(frame, goal.origin);
          const sight = joined(end, target);
          return goal.up === undefined
            ? [sight]
            : [sight, upPlaces(goal.up, goal.axis, frame, end, stage.size)];
        }),
      );
    }
    case 'pole': {
      const middle = goal.middle ?? stage.figure.parents[boneIndex(stage.figure, goal.bone)];
      return joined(pointOf(frameOf(middle)), placeOf(goal.target, frameOf));
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
      // On its own side of a half-space a point is wanted nowhere.
      if (goal.type === 'half-space' && height >= 0) return { ...NOTHING, ends: [end], sheet };
      return { ...joined(end, foot), sheet };
    }
    case 'center-of-mass': {
      const center = centerOfMass(stage);
      if (goal.support === undefined) return joined(center, Array.from(goal.target ?? center));
      return supportPlaces(stage, goal, center);
    }
    case 'mirror': {
      const of = pointOf(frameOf(goal.of));
      return together(
        mirrorGoal.components(stage.figure, goal, 'goal').map((part, n) => {
          const end = pointOf(frameOf(goal.bone), goal.points?.[n]);
          const off = residualOf(part, stage);
          const turned = part.targetBone < 0 ? off : rigid.transformVector(frameOf(part.targetBone), off);
          const target = vec3.add(end, turned);
          const places = joined(end, target);
          return { ...places, ends: [...places.ends, of], segments: [...places.segments, [of, target]] };
        }),
      );
    }
    case 'joint-value':
      return valuePlaces(stage, boneIndex(stage.figure, goal.bone), goal.coordinate ?? 0, goal.value);
    case 'posture':
      return posturePlaces(stage, goal.bones, goal.reference);
  }
}

function joined(end: Point, target: Point): GoalPlaces {
  return { targets: [target], ends: [end], segments: [[end, target]] };
}

function together(all: readonly GoalPlaces[]): GoalPlaces {
  return {
    targets: all.flatMap(({ targets }) => targets),
    ends: all.flatMap(({ ends }) => ends),
    segments: all.flatMap(({ segments }) => segments),
  };
}

/** The bone's up axis as it is and as it is wanted, both across the axis that points. */
function upPlaces(up: UpAxis, axis: Numbers, frame: Float64Array, end: Point, size: number): GoalPlaces {
  const sight = vec3.normalize(rigid.transformVector(frame, axis));
  const across = (v: Numbers): number[] | undefined => {
    const left = vec3.addScaled(v, sight, -vec3.dot(sight, v));
    return vec3.norm(left) > 1e-9 ? vec3.addScaled(end, vec3.normalize(left), size) : undefined;
  };
  const is = across(rigid.transformVector(frame, up.axis));
  const wanted = across(vec3.normalize(up.direction ?? UP));
  // Along up there is no roll.
  if (is === undefined || wanted === undefined) return NOTHING;
  return {
    targets: [wanted],
    ends: [is],
    segments: [
      [end, is],
      [is, wanted],
      [wanted, end],
    ],
  };
}

function centerOfMass(stage: GoalStage): number[] {
  const [part] = centerOfMassGoal.components(stage.figure, { type: 'center-of-mass', target: [0, 0, 0] }, 'goal');
  return residualOf(part, stage);
}

/** The outline of a support, the centre of mass above it, and the nearest place of the support. */
function supportPlaces(
  stage: GoalStage,
  goal: Goal & { readonly type: 'center-of-mass' },
  center: Point,
): GoalPlaces {
  const [part] = centerOfMassGoal.components(stage.figure, goal, 'goal');
  part.residualFunction.check?.(part.data, 'goal');
  const off = residualOf(part, stage);
  const up = vec3.normalize(goal.up ?? UP);
  const hull = hullAlong(
    (goal.support ?? []).map((point) => Array.from(point)),
    up,
  );
  const height = hull.reduce((sum, point) => sum + vec3.dot(up, point), 0) / hull.length;
  const foot = vec3.addScaled(center, up, height - vec3.dot(up, center));
  const target = vec3.subtract(foot, off);
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

/** Corners of the convex hull of points as seen along a direction, in order (Andrew 1979). */
function hullAlong(points: readonly Point[], up: Point): Point[] {
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

/** How many chords make an arc. */
const CHORDS = 16;
/** A marker that moves by less than this over its distance from the joint shows nothing, per rad. */
const SHOWS = 0.2;

/** The way of a marker on the bone from where a coordinate is to where it is wanted; of a slider, that of the bone's origin. */
function valuePlaces(
  { figure, pose, size }: GoalStage,
  bone: number,
  coordinate: number,
  value: number,
): GoalPlaces {
  const at = figure.bones[bone].coordinate + coordinate;
  const tried = pose.slice();
  const state = createState(figure);
  const placed = (q: number, marker: Point): number[] => {
    tried[at] = q;
    forwardKinematics(state, tried);
    return pointOf(boneFrame(state, bone), marker);
  };
  const now = pose[at];
  const limb = vec3.normalize(leafTip(figure, bone, size) ?? UP);
  const markers: Point[] = [ORIGIN, limb, [1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const step = 1e-3;
  const marker =
    markers.find((one) => vec3.distance(placed(now + step, one), placed(now, one)) > SHOWS * step) ?? limb;
  const arm = vec3.scale(marker, size);
  const way = Array.from({ length: CHORDS + 1 }, (_, k) => placed(now + (k / CHORDS) * (value - now), arm));
  const [is, wanted] = [way[0], way[CHORDS]];
  const segments = way.slice(1).map((place, k) => [way[k], place] as const);
  if (marker === ORIGIN) return { targets: [wanted], ends: [is], segments };
  // The joint's place does not change with a coordinate that turns it.
  const joint = placed(now, ORIGIN);
  return { targets: [wanted], ends: [is], segments: [[joint, is], ...segments, [wanted, joint]] };
}

/** The bones that a posture draws, as they would stand in it. */
function posturePlaces(
  { figure, pose, size }: GoalStage,
  bones: readonly (string | number)[] | undefined,
  reference: Numbers | undefined,
): GoalPlaces {
  const drawn = bones?.map((bone) => boneIndex(figure, bone)) ?? figure.bones.map(({ index }) => index);
  const wanted = pose.slice();
  for (const bone of drawn) {
    const { coordinate, dof } = figure.bones[bone];
    for (let i = coordinate; i < coordinate + dof; i++) wanted[i] = reference?.[i] ?? 0;
  }
  const state = createState(figure);
  forwardKinematics(state, wanted);
  const segments = drawn.flatMap((bone) => {
    const start = pointOf(boneFrame(state, bone));
    const children = figure.bones.filter(({ parent }) => parent === bone);
    const tip = children.length > 0 ? undefined : leafTip(figure, bone, size);
    const ends = children.map(({ index }) => pointOf(boneFrame(state, index)));
    if (tip !== undefined) ends.push(pointOf(boneFrame(state, bone), tip));
    return ends.map((end) => [start, end] as const);
  });
  return { ...NOTHING, segments };
}

/** What the solver makes of a part of a goal: three numbers. */
function residualOf(part: Part, { state, pose }: GoalStage): number[] {
  const out = [0, 0, 0];
  // Only the solver's own arrangement of rows is missing of a compiled part, and no residual reads that.
  part.residualFunction.evaluate(state, part as Parameters<Part['residualFunction']['evaluate']>[1], out, 0, pose);
  return out;
}

function pointOf(frame: Float64Array, point: Numbers = ORIGIN): number[] {
  return rigid.transformPoint(frame, point);
}

type Target = Numbers | { readonly bone: string | number; readonly point?: Numbers };

function placeOf(target: Target, frameOf: (bone: string | number) => Float64Array): number[] {
  return 'bone' in target ? pointOf(frameOf(target.bone), target.point) : Array.from(target);
}

type Orientation = Numbers | { readonly bone: string | number; readonly offset?: Numbers };

function orientationOf(target: Orientation, frameOf: (bone: string | number) => Float64Array): number[] {
  if (!('bone' in target)) return quat.normalize(target);
  const turn = rigid.toQuat(frameOf(target.bone));
  return target.offset === undefined ? turn : quat.multiply(turn, quat.normalize(target.offset));
}
