import { GoalError } from '../../../errors.js';
import { jointTypes } from '../../../figure/joints/joint-types.js';
import { worldPoint } from '../../../figure/kinematics/points.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import type { FigureState } from '../../../figure/model/state.js';
import * as quat from '../../../math/geometry/quat.js';
import { addScaled, cross, dot, norm } from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { targetPoint } from '../residuals/point-jacobian.js';
import { addRelativePointsHessian, addRelativePointsRows } from '../residuals/relative-points.js';
import { type SwivelScale, swivelChord, writeSwivel, writeSwivelDerivatives } from '../residuals/swivel.js';
import { BONE_POINT, checkWorldPoint, resolveTarget, toleranceOf } from '../types/checks.js';
import { type BonePoint, isCarried, type PoleGoal } from '../types/goal.js';
import {
  type ColumnMap,
  type CompiledComponent,
  componentOf,
  type GoalComponent,
  type GoalHessian,
  type GoalType,
  type ResidualFunction,
} from '../types/goal-type.js';

interface PoleData extends SwivelScale {
  /** The bones at whose origins the limb starts and bends. */
  readonly start: number;
  readonly middle: number;
  readonly target: Vec3 | BonePoint;
  /** Of a planar limb: its middle moved out to the side that it bends to, in the frame of the start bone. */
  readonly outside: Vec3 | undefined;
  /** Of the clearance: the least distance of the pole from the line, m, and whether r is 0 beyond it. */
  readonly least?: number;
  readonly oneSided?: boolean;
}

/**
 * Weight of the swivel: a radian counts as much as 0.03 length scales (1.4 cm of a human). Where the limits do not allow hand and swivel together the
 * hand is off by millimetres; with a weight of 0.1 it was off by up to 0.2 m, and arms were straightened.
 */
const WEIGHT = 1e-3;
/** Distance of the middle from the line, relative to the limb's length, within which the residual fades out. */
const FADE_LENGTH = 1e-3;
/** The least distance of the pole from the line, relative to the limb's length: 1 cm for an arm. */
const MIN_DISTANCE = 0.02;
/** The least distance of the middle from the line that lower priorities keep, relative to the limb's length: nearer by, rounding turns the swivel by 1e-12. */
const LEAST_BEND = 2e-3;
/** Length relative to the limb's below which middle or pole counts as on its line: there the swivel is undefined. */
const MIN_LENGTH = 1e-9;
/** Distance relative to the limb's length by which the middle of a planar limb is moved out. */
const OUTSIDE = 0.01;
/** Largest cosine between the axis of a planar limb's hinge and its bones: that of axes with the seven digits of a file. */
const PLANAR = 1e-6;
/** Sine of the mid bend below which a hinge bends to both sides alike. */
const MIN_BEND = 1e-3;

/** World positions: start, end, middle, pole. */
const positions = /* @__PURE__ */ new Float64Array(12);
/** From the start to the others. */
const vectors = /* @__PURE__ */ new Float64Array(9);
/** u, v, w, l of `writeSwivel`. */
const scalars = /* @__PURE__ */ new Float64Array(4);
/** Of a row, or of f. */
const force = /* @__PURE__ */ new Float64Array(9);
const curvature = /* @__PURE__ */ new Float64Array(81);

/**
 * Pole vector goal, in two components (`residuals/swivel.ts`). The swivel: r is its chord, the norm the swivel itself. Neither depends on how far the
 * limb is bent. A limb that bends in a plane has a side also where it is straight: its middle is moved out to that side, which leaves the swivel as it is.
 *
 * The clearance: r = min(0, |p| - least), m, as an inequality without the minimum. It keeps the line of the limb off the pole, where the swivel turns
 * by any angle within any distance: a goal that pulls the line across it would end at the pole, which is no minimum. For lower priorities there is a second
 * row, |e| less its least: it keeps the limb bent, because a straight limb has no swivel. A limb that has a side goes without.
 */
export const poleResidual: ResidualFunction<PoleData> = {
  evaluate(state, component, out, o) {
    const { least, length, oneSided, outside } = component.data;
    writeVectors(state, component, outside);
    if (least === undefined) {
      out[o] = swivelChord(vectors, component.data);
      return measuredSwivel(state, component);
    }
    writeSwivel(vectors, scalars);
    const r = Math.sqrt(scalars[2]) - least;
    out[o] = oneSided ? Math.min(0, r) : r;
    if (component.rows > 1) out[o + 1] = Math.sqrt(scalars[0]) - LEAST_BEND * length;
    return Math.abs(out[o]);
  },
  jacobian(state, component, residual, out) {
    const { data, rowScale, firstRow, rows } = component;
    if (data.oneSided && residual[firstRow] >= 0) return;
    writeVectors(state, component, data.outside);
    for (let r = 0; r < rows; r++) {
      if (writeSwivelDerivatives(vectors, data, termOf(data) - r, undefined, 1, force))
        addRelativePointsRows(state, carriers(component), positions, force, 1, rowScale, firstRow + r, out);
    }
  },
  check: ({ target }, path) => checkWorldPoint(target, `${path}.target`),
  generic: (data, random) => ({
    ...data,
    oneSided: false,
    target: isCarried(data.target) ? data.target : [2 + random(), random(), random()],
  }),
};

const poleHessian: GoalHessian<PoleData> = {
  residualFunction: poleResidual,
  add(state, component, residual, columns, out) {
    const { data, rowScale, firstRow } = component;
    if (data.oneSided && residual[firstRow] >= 0) return;
    addCurvature(state, component, 0, data.least ?? 0, rowScale ** 2, columns, out);
  },
  addConstraint(state, component, multipliers, columns, out) {
    const { rowScale, firstRow, rows } = component;
    for (let r = 0; r < rows; r++)
      addCurvature(state, component, r, undefined, rowScale ** 2 * multipliers[firstRow + r], columns, out);
  },
};

/** Adds the second derivative of row r, or of its term of f where `least` is given. */
function addCurvature(
  state: FigureState,
  component: CompiledComponent<PoleData>,
  r: number,
  least: number | undefined,
  factor: number,
  columns: ColumnMap,
  out: Float64Array,
): void {
  const { data } = component;
  writeVectors(state, component, data.outside);
  if (writeSwivelDerivatives(vectors, data, termOf(data) - r, least, factor, force, curvature))
    addRelativePointsHessian(state, carriers(component), positions, force, curvature, columns, out);
}

/** The term of the first row in `writeSwivelDerivatives`. */
function termOf({ least }: PoleData): number {
  return least === undefined ? 0 : 2;
}

/** The bones that carry start, end, middle and pole. */
function carriers({ bone, targetBone, data }: CompiledComponent<PoleData>): readonly number[] {
  return [data.start, bone, data.outside === undefined ? data.middle : data.start, targetBone];
}

/** Writes the points and the vectors between them; `middle` in the frame of the start bone, the middle itself by default. */
function writeVectors(
  state: FigureState,
  { bone, targetBone, data }: CompiledComponent<PoleData>,
  middle: Vec3 | undefined,
): void {
  worldPoint(state, data.start, undefined, positions.subarray(0, 3));
  worldPoint(state, bone, undefined, positions.subarray(3, 6));
  worldPoint(state, middle === undefined ? data.middle : data.start, middle, positions.subarray(6, 9));
  targetPoint(state, targetBone, data.target, positions.subarray(9, 12));
  for (let i = 0; i < 9; i++) vectors[i] = positions[i + 3] - positions[i % 3];
}

/**
 * The swivel from 0 to pi; of a planar limb that of the side that it bends to, unless it is bent to the other. pi where there is none: a limb
 * that is straight and has no side, a pole on the line, ends that coincide.
 */
function measuredSwivel(state: FigureState, component: CompiledComponent<PoleData>): number {
  const { length, outside } = component.data;
  const least = (length * MIN_LENGTH) ** 2;
  let phi = writeSwivel(vectors, scalars);
  if (outside !== undefined) {
    const toSide = phi;
    writeVectors(state, component, undefined);
    phi = writeSwivel(vectors, scalars);
    // Of a nearly straight limb that of the middle itself is rounding.
    if (scalars[0] <= least || Math.cos(phi - toSide) > 0) {
      phi = toSide;
      scalars[0] = Number.POSITIVE_INFINITY;
    }
  }
  return Math.min(scalars[0], scalars[2], scalars[3]) > least ? Math.abs(phi) : Math.PI;
}

/** The Hessians of pole goals. */
export const poleHessians: readonly GoalHessian[] = [poleHessian];

export const poleGoal: GoalType<PoleGoal> = {
  fields: { bone: true, middle: true, start: true, target: BONE_POINT, tolerance: true },
  components(figure, goal, path) {
    const bone = boneIndex(figure, goal.bone, `${path}.bone`);
    const middle =
      goal.middle === undefined
        ? parentOf(figure, bone, `${path}.bone`)
        : boneIndex(figure, goal.middle, `${path}.middle`);
    const start =
      goal.start === undefined
        ? parentOf(figure, middle, `${path}.middle`)
        : boneIndex(figure, goal.start, `${path}.start`);
    if (new Set([bone, middle, start]).size < 3) {
      throw new GoalError('unsupported', 'names one bone twice.', {
        path,
        remedy: 'Give three joints of a limb: start, middle and bone.',
      });
    }
    const { target, targetBone } = resolveTarget(figure, goal.target, `${path}.target`);
    const { length, outside } = shapeOf(figure, start, middle, bone);
    const data: PoleData = {
      start,
      middle,
      target,
      length,
      outside,
      // A limb with a side has one where it is straight.
      fade: ((outside === undefined ? FADE_LENGTH : MIN_LENGTH) * length) ** 2,
    };
    const common = {
      rows: 1,
      bone,
      targetBone,
      otherBones: [middle, start],
      keptBones: bendingBones(figure, start, bone),
    };
    const distance: GoalComponent<PoleData> = {
      ...common,
      name: 'clearance',
      residualFunction: poleResidual,
      data: { ...data, least: MIN_DISTANCE * length, oneSided: true },
      unit: 'length',
      tolerance: 1e-4 * length,
    };
    return [
      componentOf({
        ...common,
        name: 'swivel',
        residualFunction: poleResidual,
        data,
        unit: 'angle',
        weightFactor: WEIGHT,
        tolerance: toleranceOf(goal.tolerance, path, 1e-3),
      }),
      componentOf({
        ...distance,
        inequality: componentOf({
          ...distance,
          rows: outside === undefined ? 2 : 1,
          data: { ...distance.data, oneSided: false },
          // A limb that is straighter is bent, not frozen.
          tolerance: LEAST_BEND * length,
        }),
      }),
    ];
  },
};

/** The bones between start and end, whose joints bend the limb. */
function bendingBones({ parents }: Figure, start: number, bone: number): number[] {
  const bones: number[] = [];
  for (let b = parents[bone]; b >= 0 && b !== start; b = parents[b]) bones.push(b);
  return bones;
}

/** The limb's length at rest, and the side that it bends to: that of a hinge normal to both of its bones. */
function shapeOf(
  figure: Figure,
  start: number,
  middle: number,
  bone: number,
): Pick<PoleData, 'length' | 'outside'> {
  const { parents, bones } = figure;
  let length = 0;
  for (let b = bone; b >= 0 && b !== start; b = parents[b]) length += norm(bones[b].rest.position);
  length ||= 1;
  const { joint, rest, limit } = bones[middle];
  const isHinge = joint.type === 'hinge' && limit?.type === 'interval';
  const isLimb = parents[middle] === start && parents[bone] === middle;
  if (!isHinge || !isLimb || jointTypes[bones[bone].joint.type].translations > 0) {
    return { length, outside: undefined };
  }
  const axis = quat.rotate(rest.rotation, joint.axis);
  const upper = rest.position;
  const lower = quat.rotate(rest.rotation, bones[bone].rest.position);
  const isNormal = (v: Vec3): boolean => Math.abs(dot(axis, v)) <= PLANAR * norm(v);
  // Straight at the angle that rotates the lower bone onto the line of the upper; bent from there about the axis, its middle moves along -(axis x upper).
  const straight = Math.atan2(dot(axis, cross(lower, upper)), dot(lower, upper));
  const bend = Math.sin(0.5 * ((limit.min ?? Number.NaN) + (limit.max ?? Number.NaN)) - straight);
  if (!isNormal(upper) || !isNormal(lower) || !(Math.abs(bend) > MIN_BEND)) {
    return { length, outside: undefined };
  }
  const normal = cross(axis, upper);
  const outside = addScaled(upper, normal, (-Math.sign(bend) * OUTSIDE * length) / norm(normal));
  return { length, outside };
}

function parentOf(figure: Figure, bone: number, path: string): number {
  const { parent, name } = figure.bones[bone];
  if (parent >= 0) return parent;
  throw new GoalError('unsupported', `'${name}' has no parent for the limb to start from.`, {
    path,
    remedy: 'Name the bones of the limb: start, middle and bone.',
  });
}
