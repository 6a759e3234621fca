import { GoalError } from '../../errors.js';
import { jointTypes } from '../../figure/joints/joint-types.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { markSupport } from '../../figure/kinematics/jacobians.js';
import { limitShapes } from '../../figure/limits/shapes.js';
import { boneIndex, type Figure } from '../../figure/model/figure.js';
import { freeRotationVectors } from '../../figure/model/regularize.js';
import { createState, type FigureState } from '../../figure/model/state.js';
import { seededRandom } from '../../math/random.js';
import type { GoalTypes } from '../goals/goal-types.js';
import type { Goal } from '../goals/types/goal.js';
import type { CompiledComponent, GoalComponent } from '../goals/types/goal-type.js';
import { compileGoals, readWeights, withRowOffsets } from './compile-goals.js';
import { lengthScaleOf } from './length-scale.js';
import { createMimicColumns } from './mimic-joints.js';

import { differentiate, evaluate, notFinite, type Problem } from './problem.js';

/** Derivative, per unit of residual and coordinate, that counts as zero. */
const NEGLIGIBLE_DERIVATIVE = 1e-12;

/**
 * Builds the problem of all goals, whatever their priority.
 *
 * @param locked - Bones whose joints keep their coordinates, once these are within the limits.
 * @throws GoalError, FigureError
 */
export function createProblem(
  types: GoalTypes,
  figure: Figure,
  goals: readonly Goal[],
  locked: readonly (string | number)[],
): Problem {
  const free = new Uint8Array(figure.dof).fill(1);
  locked.forEach((name, n) => {
    const bone = boneIndex(figure, name, `locked[${n}]`);
    // A mimic joint is locked by locking its source.
    for (const b of [bone, ...mimicSourcesOf(figure, bone)]) {
      free.fill(0, figure.coordinateStart[b], figure.coordinateStart[b + 1]);
    }
  });
  const state = createState(figure);
  const lengthScale = lengthScaleOf(figure);
  const components = compileGoals(figure, goals, types);
  const candidates = chainCoordinates(figure, components, free);
  const coordinates = affectingCoordinates(assemble(figure, state, components, candidates, lengthScale));
  readWeights(components, lengthScale);
  return assemble(figure, state, components, coordinates, lengthScale);
}

/** The problem split by priority, highest first; all with the same coordinates and state. */
export function problemsByPriority(problem: Problem): readonly Problem[] {
  const { figure, state, goals, coordinates, lengthScale } = problem;
  const priorities = Array.from(new Set(goals.map(({ priority }) => priority)));
  if (priorities.length === 1) return [problem];
  return priorities.map((priority) =>
    assemble(
      figure,
      state,
      withRowOffsets(goals.filter((component) => component.priority === priority)),
      coordinates,
      lengthScale,
    ),
  );
}

/** A problem whose first rows are the goals of higher priorities: equality constraints, then inequality constraints, then its own rows. */
export interface StackedProblem {
  readonly problem: Problem;
  readonly equalityRows: number;
  readonly inequalityRows: number;
}

/** Stacks the goals of higher priorities, as constraints, on those of a problem. */
export function stackProblems(higher: readonly Problem[], own: Problem): StackedProblem {
  const { figure, state, coordinates, lengthScale } = own;
  const constraints = higher.flatMap(({ goals }) => goals);
  const equalities = constraints.filter(({ inequality }) => inequality === undefined);
  const withRows = (component: CompiledComponent, rows?: GoalComponent): CompiledComponent[] =>
    rows === undefined ? [] : [{ ...component, ...rows }];
  const inequalities = constraints.flatMap((component) => withRows(component, component.inequality));
  // A clearance holds in the priority of its goal too.
  inequalities.push(...[...constraints, ...own.goals].flatMap((c) => withRows(c, c.clearance)));
  const rowsOf = (components: readonly { rows: number }[]): number =>
    components.reduce((sum, { rows }) => sum + rows, 0);
  const stacked = withRowOffsets([...equalities, ...inequalities, ...own.goals]);
  return {
    problem: assemble(figure, state, stacked, coordinates, lengthScale),
    equalityRows: rowsOf(equalities),
    inequalityRows: rowsOf(inequalities),
  };
}

/** The problem over the given coordinates. */
function assemble(
  figure: Figure,
  state: FigureState,
  goals: readonly CompiledComponent[],
  coordinates: Int32Array,
  lengthScale: number,
): Problem {
  const columnOf = new Int32Array(figure.dof).fill(-1);
  coordinates.forEach((i, column) => {
    columnOf[i] = column;
  });
  const translates = Uint8Array.from(coordinates, (i) => (isTranslation(figure, i) ? 1 : 0));
  const rows = goals.reduce((sum, goal) => sum + goal.rows, 0);
  const limits = figure.limitComponents.flatMap((limit) => {
    const column = columnOf[limit.coordinate];
    return column < 0 ? [] : [{ limit, shape: limitShapes[limit.kind], column }];
  });
  const jacobian = {
    values: new Float64Array(rows * coordinates.length),
    width: coordinates.length,
    columnOf,
    columnScale: Float64Array.from(translates, (is) => (is === 1 ? lengthScale : 1)),
  };
  return {
    figure,
    state,
    goals,
    rows,
    rowRanges: rowRangesOf(figure, goals, rows, coordinates),
    coordinates,
    translates,
    limits,
    jointColumns: jointColumnsOf(figure, coordinates),
    charts: chartsOf(figure, goals, columnOf),
    keptColumns: keptColumnsOf(figure, goals, coordinates),
    lengthScale,
    hasSoftGoals: goals.some(({ tolerance }) => tolerance === Number.POSITIVE_INFINITY),
    jacobian,
    mimicColumns: createMimicColumns(figure, rows, jacobian),
    unscaledResidual: new Float64Array(rows),
    norms: new Float64Array(goals.length),
    residual: new Float64Array(rows),
  };
}

/** Free coordinates on the chains of the goals' bones and targets, with the sources of mimic joints on them, ascending. */
function chainCoordinates(figure: Figure, goals: readonly CompiledComponent[], free: Uint8Array): Int32Array {
  const onChain = new Uint8Array(figure.dof);
  for (const component of goals) addSupport(figure, component, onChain);
  return Int32Array.from(onChain.keys()).filter((i) => onChain[i] === 1 && free[i] === 1);
}

/** Sets 1 for each coordinate that moves a component's bones or its target. */
function addSupport(
  figure: Figure,
  { bone, targetBone, otherBones = [] }: CompiledComponent,
  support: Uint8Array,
): void {
  for (const b of [bone, targetBone, ...otherBones]) markSupport(figure, b, support);
}

/**
 * The coordinates with a nonzero derivative of some goal at a generic pose: a joint whose axis runs through the goal's own point
 * has none, nor has an ancestor of both bone and target. A joint is taken with all its coordinates.
 *
 * @throws GoalError `immovable-goal` for a goal with no such coordinate.
 */
function affectingCoordinates(problem: Problem): Int32Array {
  const { figure, goals, coordinates, state } = problem;
  const { values, width } = problem.jacobian;
  const random = seededRandom(1);
  const pose = Float64Array.from({ length: figure.dof }, () => 2 * random() - 1);
  // Targets in the world are replaced by generic ones; the caller's may be reached already, or NaN.
  const genericGoals = goals.map((component) => ({
    ...component,
    data: component.residualFunction.generic?.(component.data, random) ?? component.data,
  }));
  const generic: Problem = { ...problem, goals: genericGoals };
  forwardKinematics(state, pose);
  evaluate(generic, pose);
  differentiate(generic, pose);
  const affecting = new Uint8Array(figure.bones.length);
  goals.forEach((compiled) => {
    // The gradient of this goal's term of f: the rows may change while the distance does not, where bone and target rotate together.
    let moved = false;
    let total = 0;
    for (let k = 0; k < width; k++) {
      let derivative = 0;
      let size = 0;
      for (let r = compiled.firstRow; r < compiled.firstRow + compiled.rows; r++) {
        derivative += generic.residual[r] * values[r * width + k];
        size += Math.abs(generic.residual[r]) * compiled.rowScale;
      }
      total += Math.abs(derivative);
      if (!(Math.abs(derivative) > NEGLIGIBLE_DERIVATIVE * size)) continue;
      const bone = figure.boneOfCoordinate[coordinates[k]];
      if (!isDriven(figure, compiled, bone)) continue;
      moved = true;
      affecting[bone] = 1;
    }
    if (!(total < Number.POSITIVE_INFINITY)) throw notFinite(total, `goals[${compiled.index}]`);
    if (!moved && compiled.tolerance < Number.POSITIVE_INFINITY) throw immovable(figure, compiled);
  });
  return coordinates.filter((i) => affecting[figure.boneOfCoordinate[i]] === 1);
}

function immovable(figure: Figure, { bone, targetBone, index }: CompiledComponent): GoalError {
  const name = figure.bones[bone].name;
  const what =
    targetBone < 0
      ? `no free joint moves it (bone '${name}').`
      : `no free joint moves '${name}' against '${figure.bones[targetBone].name}'.`;
  return new GoalError('immovable-goal', what, {
    path: `goals[${index}]`,
    remedy: 'Free a joint on its chain, or put the goal on another bone or point.',
  });
}

/** The column range of the nonzero entries of each triple of rows: the chains of its goals. */
function rowRangesOf(
  figure: Figure,
  goals: readonly CompiledComponent[],
  rows: number,
  coordinates: Int32Array,
): Int32Array {
  const support = new Uint8Array(figure.dof);
  const ranges = new Int32Array(2 * Math.ceil(rows / 3));
  for (let triple = 0; triple < ranges.length / 2; triple++) {
    support.fill(0);
    for (const goal of goals) {
      const isInside = goal.firstRow < 3 * triple + 3 && goal.firstRow + goal.rows > 3 * triple;
      if (isInside) addSupport(figure, goal, support);
    }
    coordinates.forEach((i, column) => {
      if (support[i] === 0) return;
      if (ranges[2 * triple + 1] === 0) ranges[2 * triple] = column;
      ranges[2 * triple + 1] = column + 1;
    });
  }
  return ranges;
}

/** Whether a component may move the joint of a bone: one of its driven bones, or the mimic source of one. */
function isDriven(figure: Figure, { drivenBones: own }: CompiledComponent, bone: number): boolean {
  return own === undefined || own.some((b) => b === bone || mimicSourcesOf(figure, b).includes(bone));
}

/** The source of a bone's mimic joint, if it has one. */
function mimicSourcesOf({ mimicJoints }: Figure, bone: number): number[] {
  return mimicJoints.flatMap((mimic) => (mimic.bone === bone ? [mimic.source] : []));
}

function jointColumnsOf(figure: Figure, coordinates: Int32Array): { first: number; end: number }[] {
  const blocks: { first: number; end: number }[] = [];
  let bone = -1;
  coordinates.forEach((i, column) => {
    if (figure.boneOfCoordinate[i] !== bone) blocks.push({ first: column, end: column });
    bone = figure.boneOfCoordinate[i];
    blocks[blocks.length - 1].end = column + 1;
  });
  return blocks;
}

function keptColumnsOf(
  { boneOfCoordinate }: Figure,
  goals: readonly CompiledComponent[],
  coordinates: Int32Array,
): Uint8Array | undefined {
  const kept = goals.flatMap(({ keptBones = [] }) => keptBones);
  if (kept.length === 0) return undefined;
  return Uint8Array.from(coordinates, (i) => (kept.includes(boneOfCoordinate[i]) ? 1 : 0));
}

/** The rotation vectors that may change chart: without a limit, and without a goal on one of their coordinates. */
function chartsOf(figure: Figure, goals: readonly CompiledComponent[], columnOf: Int32Array): Int32Array {
  const hasGoal = ({ scalarCoordinate = -1 }: CompiledComponent, i: number): boolean =>
    scalarCoordinate >= i && scalarCoordinate < i + 3;
  return freeRotationVectors(figure).filter(
    (i) => columnOf[i] >= 0 && !goals.some((goal) => hasGoal(goal, i)),
  );
}

function isTranslation(figure: Figure, coordinate: number): boolean {
  const bone = figure.bones[figure.boneOfCoordinate[coordinate]];
  return coordinate - bone.coordinate < jointTypes[bone.joint.type].translations;
}
