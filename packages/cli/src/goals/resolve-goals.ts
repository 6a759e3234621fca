/** Converts parsed goals to solver goals: bone names to indices, relative targets to world targets. */
import { GoalError } from 'poise';
import { createState, type FigureState, forwardKinematics, type Triple } from 'poise/figure';
import type { OrientationGoal, PointsAtGoal, PositionGoal } from 'poise/ik';
import { type Numbers, quat, rigid } from 'poise/math';
import { quatFromRotationVector } from 'poise/rotation';
import { type BoneNames, findBone } from '../io/bone-names.js';
import type { GoalBones } from './locked-bones.js';
import type { AimSpec, GoalSpec, OrientSpec, PinSpec, PositionSpec, TargetSpec } from './parse-goals.js';

/** Solver goals for one option. */
export interface ResolvedGoal {
  readonly spec: GoalSpec;
  readonly goal: PositionGoal | OrientationGoal | PointsAtGoal;
  readonly dependsOn: GoalBones;
}

/** Tolerances; the defaults are those of the solver. */
export interface Tolerances {
  /** Of positions, m. */
  readonly position?: number;
  /** Of angles, rad. */
  readonly angle?: number;
}

/**
 * Resolves the goals at a starting pose. `--pin BONE:pose` gives two goals, the others one each.
 *
 * @param names - Bones of the figure by name.
 * @param pose - Starting pose, the reference of relative targets and pins.
 * @throws GoalError `unknown-name` suggesting the nearest bone, `unsupported` for a bone without a tip.
 */
export function resolveGoals(
  names: BoneNames,
  pose: Numbers,
  specs: readonly GoalSpec[],
  tolerances: Tolerances = {},
): ResolvedGoal[] {
  const state = createState(names.figure);
  forwardKinematics(state, pose);
  return specs.flatMap((spec): ResolvedGoal[] => {
    switch (spec.option) {
      case 'goal':
        return [positionGoal(names, state, spec, tolerances)];
      case 'orient':
        return [orientationGoal(names, state, spec, tolerances)];
      case 'aim':
        return [pointsAtGoal(names, state, spec, tolerances)];
      default:
        return pinGoals(names, state, spec, tolerances);
    }
  });
}

/** `NAME`, or `NAME.tip` unless a bone has exactly this name. */
function findPoint(names: BoneNames, name: string, path: string): { bone: number; point?: Triple } {
  const isExact = names.find(name) !== undefined;
  if (isExact || !name.endsWith('.tip')) return { bone: findBone(names, name, path) };
  const bone = findBone(names, name.slice(0, -4), path);
  const { tip } = names.figure.bones[bone];
  if (tip !== undefined) return { bone, point: tip };
  throw new GoalError('unsupported', `the bone '${name.slice(0, -4)}' has no tip in the file.`, {
    path,
    remedy: 'Use the bone without .tip: its origin.',
  });
}

function positionGoal(
  names: BoneNames,
  state: FigureState,
  spec: PositionSpec,
  tolerances: Tolerances,
): ResolvedGoal {
  const { bone, point } = findPoint(names, spec.bone, spec.text);
  const target = resolveTarget(names, state, spec.target, bone, point, spec.text);
  return {
    spec,
    goal: {
      type: 'position',
      bone,
      target: target.value,
      ...(point && { point }),
      ...(tolerances.position !== undefined && { tolerance: tolerances.position }),
    },
    dependsOn: { bone, usesRotation: point !== undefined, targetBone: target.bone },
  };
}

function pointsAtGoal(
  names: BoneNames,
  state: FigureState,
  spec: AimSpec,
  tolerances: Tolerances,
): ResolvedGoal {
  const bone = findBone(names, spec.bone, spec.text);
  const target = resolveTarget(names, state, spec.target, bone, undefined, spec.text);
  return {
    spec,
    goal: {
      type: 'points-at',
      bone,
      axis: spec.axis,
      target: target.value,
      ...(tolerances.angle !== undefined && { tolerance: tolerances.angle }),
    },
    dependsOn: { bone, usesRotation: true, targetBone: target.bone },
  };
}

function orientationGoal(
  names: BoneNames,
  state: FigureState,
  spec: OrientSpec,
  tolerances: Tolerances,
): ResolvedGoal {
  const bone = findBone(names, spec.bone, spec.text);
  const rotation =
    spec.rotation.kind === 'quaternion'
      ? spec.rotation.value
      : quatFromRotationVector(Array.from(spec.rotation.value));
  // In world axes: multiplied from the left.
  const target = spec.relative ? quat.multiply(rotation, orientationOf(state, bone)) : rotation;
  return { spec, ...orientationAt(bone, quat.normalize(target), tolerances) };
}

function pinGoals(
  names: BoneNames,
  state: FigureState,
  spec: PinSpec,
  tolerances: Tolerances,
): ResolvedGoal[] {
  const withOrientation = names.find(spec.bone) === undefined && spec.bone.endsWith(':pose');
  const { bone, point } = findPoint(names, withOrientation ? spec.bone.slice(0, -5) : spec.bone, spec.text);
  const positionPin: ResolvedGoal = {
    spec,
    goal: {
      type: 'position',
      bone,
      target: pointOf(state, bone, point),
      ...(point && { point }),
      ...(tolerances.position !== undefined && { tolerance: tolerances.position }),
    },
    dependsOn: { bone, usesRotation: point !== undefined, targetBone: -1 },
  };
  if (!withOrientation) return [positionPin];
  return [positionPin, { spec, ...orientationAt(bone, orientationOf(state, bone), tolerances) }];
}

function orientationAt(
  bone: number,
  target: number[],
  { angle }: Tolerances,
): Pick<ResolvedGoal, 'goal' | 'dependsOn'> {
  return {
    goal: { type: 'orientation', bone, target, ...(angle !== undefined && { tolerance: angle }) },
    dependsOn: { bone, usesRotation: true, targetBone: -1 },
  };
}

function resolveTarget(
  names: BoneNames,
  state: FigureState,
  target: TargetSpec,
  bone: number,
  point: Triple | undefined,
  path: string,
): { value: Triple | { bone: number; point?: Triple }; bone: number } {
  if (target.kind === 'point') return { value: target.at, bone: -1 };
  if (target.kind === 'bone') {
    const value = findPoint(names, target.name, path);
    return { value, bone: value.bone };
  }
  const [x, y, z] = pointOf(state, bone, point);
  const [dx, dy, dz] = target.by;
  return { value: [x + dx, y + dy, z + dz], bone: -1 };
}

/** World position of a point of a bone. */
function pointOf(state: FigureState, bone: number, point: Triple = [0, 0, 0]): Triple {
  const [x, y, z] = rigid.transformPoint(frameOf(state, bone), point);
  return [x, y, z];
}

function orientationOf(state: FigureState, bone: number): number[] {
  return quat.normalize(quat.fromMatrix(frameOf(state, bone)));
}

function frameOf({ worldFromBone }: FigureState, bone: number): Float64Array {
  return worldFromBone.subarray(12 * bone, 12 * bone + 12);
}
