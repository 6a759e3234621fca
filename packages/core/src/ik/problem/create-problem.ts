import { GoalError } from '../../errors.js';
import { jointTypes } from '../../figure/joints/joint-types.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { ancestorsOf } from '../../figure/kinematics/jacobians.js';
import { limitShapes } from '../../figure/limits/shapes.js';
import { boneIndex, type Figure } from '../../figure/model/figure.js';
import { createState, type FigureState } from '../../figure/model/state.js';
import { seededRandom } from '../../math/random.js';
import type { GoalTypes } from '../goals/goal-types.js';
import type { Goal } from '../goals/types/goal.js';
import type { CompiledPart } from '../goals/types/goal-type.js';
import { compileGoals, placed, readWeights } from './compile-goals.js';
import { lengthScaleOf } from './length-scale.js';
import { createFollowers } from './mimic-joints.js';

import { differentiate, evaluate, notFinite, type Problem } from './problem.js';

/** Derivative, per unit of residual and coordinate, that counts as none. */
const UNFELT = 1e-12;

/**
 * Builds the problem of all goals, whatever their priority.
 *
 * @param locked - Bones whose joints stay as they are, once within their limits.
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
    // A joint that follows another stays where its leader stays.
    for (const b of [bone, ...leadersOf(figure, bone)]) {
      free.fill(0, figure.coordinateStart[b], figure.coordinateStart[b + 1]);
    }
  });
  const state = createState(figure);
  const lengthScale = lengthScaleOf(figure);
  const parts = compileGoals(figure, goals, types);
  const candidates = supportOfGoals(figure, parts, free);
  const coordinates = feltCoordinates(assemble(figure, state, parts, candidates, lengthScale));
  readWeights(parts, lengthScale);
  return assemble(figure, state, parts, coordinates, lengthScale);
}

/** The problem split by priority, first things first; over the same coordinates, with the same state. */
export function problemsByPriority(problem: Problem): readonly Problem[] {
  const { figure, state, goals, coordinates, lengthScale } = problem;
  const priorities = Array.from(new Set(goals.map(({ priority }) => priority)));
  if (priorities.length === 1) return [problem];
  return priorities.map((priority) =>
    assemble(
      figure,
      state,
      placed(goals.filter((part) => part.priority === priority)),
      coordinates,
      lengthScale,
    ),
  );
}

/** A problem and how its rows are made up: held rows first, then walls, then its own. */
export interface Joined {
  readonly problem: Problem;
  readonly heldRows: number;
  readonly wallRows: number;
}

/** The goals of a problem behind those of earlier ones, which it must leave as they are. */
export function joined(earlier: readonly Problem[], own: Problem): Joined {
  const { figure, state, coordinates, lengthScale } = own;
  const before = earlier.flatMap(({ goals }) => goals);
  const held = before.filter(({ walls }) => walls === undefined);
  const walls = before.flatMap((part) => (part.walls === undefined ? [] : [{ ...part, ...part.walls }]));
  const rowsOf = (parts: readonly { rows: number }[]): number =>
    parts.reduce((sum, { rows }) => sum + rows, 0);
  return {
    problem: assemble(figure, state, placed([...held, ...walls, ...own.goals]), coordinates, lengthScale),
    heldRows: rowsOf(held),
    wallRows: rowsOf(walls),
  };
}

/** The problem over the coordinates given. */
function assemble(
  figure: Figure,
  state: FigureState,
  goals: readonly CompiledPart[],
  coordinates: Int32Array,
  lengthScale: number,
): Problem {
  const columnOf = new Int32Array(figure.dof).fill(-1);
  coordinates.forEach((i, column) => {
    columnOf[i] = column;
  });
  const translates = Uint8Array.from(coordinates, (i) => (isTranslation(figure, i) ? 1 : 0));
  const rows = goals.reduce((sum, goal) => sum + goal.rows, 0);
  const parts = figure.limitParts.flatMap((part) => {
    const column = columnOf[part.coordinate];
    return column < 0 ? [] : [{ part, shape: limitShapes[part.kind], column }];
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
    parts,
    blocks: blocksOf(figure, coordinates),
    charts: chartsOf(figure, goals, columnOf),
    lengthScale,
    wishes: goals.some(({ tolerance }) => tolerance === Number.POSITIVE_INFINITY),
    jacobian,
    followers: createFollowers(figure, rows, jacobian),
    natural: new Float64Array(rows),
    norms: new Float64Array(goals.length),
    residual: new Float64Array(rows),
  };
}

/** Free coordinates on the chains of the goals' bones and targets, and those that joints of the chains follow, ascending. */
function supportOfGoals(figure: Figure, goals: readonly CompiledPart[], free: Uint8Array): Int32Array {
  const support = new Uint8Array(figure.dof);
  for (const part of goals) {
    for (const start of movers(part)) {
      for (const i of start < 0 ? [] : ancestorsOf(figure, start)) support[i] = free[i];
    }
  }
  return Int32Array.from(Array.from(support.keys()).filter((i) => support[i] === 1));
}

/** The bones that move a part. */
function movers({ bone, targetBone, otherBones = [] }: CompiledPart): readonly number[] {
  return [bone, targetBone, ...otherBones];
}

/**
 * The coordinates that change some goal at a pose in general position: a joint whose axis runs through the goal's own
 * point moves it nowhere, and neither does an ancestor that carries bone and target alike. Joints are taken whole.
 *
 * @throws GoalError `immovable-goal` for a goal that no coordinate moves.
 */
function feltCoordinates(problem: Problem): Int32Array {
  const { figure, goals, coordinates, state } = problem;
  const { values, width } = problem.jacobian;
  const random = seededRandom(1);
  const pose = Float64Array.from({ length: figure.dof }, () => 2 * random() - 1);
  // Targets in the world are put in general position too; those given may be reached, or NaN, at this point.
  const general = goals.map((part) => ({
    ...part,
    data: part.math.general?.(part.data, random) ?? part.data,
  }));
  const generic: Problem = { ...problem, goals: general };
  forwardKinematics(state, pose);
  evaluate(generic, pose);
  differentiate(generic, pose);
  const felt = new Uint8Array(figure.bones.length);
  goals.forEach((compiled) => {
    // The gradient of this goal's share of f: rows may change without the distance changing, where bone and target turn
    // together.
    let moved = false;
    let slopes = 0;
    for (let k = 0; k < width; k++) {
      let slope = 0;
      let size = 0;
      for (let r = compiled.firstRow; r < compiled.firstRow + compiled.rows; r++) {
        slope += generic.residual[r] * values[r * width + k];
        size += Math.abs(generic.residual[r]) * compiled.scale;
      }
      slopes += Math.abs(slope);
      if (!(Math.abs(slope) > UNFELT * size)) continue;
      const bone = figure.boneOfCoordinate[coordinates[k]];
      if (!bringsIn(figure, compiled, bone)) continue;
      moved = true;
      felt[bone] = 1;
    }
    if (!(slopes < Number.POSITIVE_INFINITY)) throw notFinite(slopes, `goals[${compiled.index}]`);
    if (!moved && compiled.tolerance < Number.POSITIVE_INFINITY) throw immovable(figure, compiled);
  });
  return coordinates.filter((i) => felt[figure.boneOfCoordinate[i]] === 1);
}

function immovable(figure: Figure, { bone, targetBone, index }: CompiledPart): GoalError {
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

/** The columns between which each triple of rows has its entries: those of its goals' chains. */
function rowRangesOf(
  figure: Figure,
  goals: readonly CompiledPart[],
  rows: number,
  coordinates: Int32Array,
): Int32Array {
  const ranges = new Int32Array(2 * Math.ceil(rows / 3));
  for (let triple = 0; triple < ranges.length / 2; triple++) {
    const inside = goals.filter(
      (goal) => goal.firstRow < 3 * triple + 3 && goal.firstRow + goal.rows > 3 * triple,
    );
    const touched = new Set<number>();
    for (const part of inside) {
      for (const start of movers(part)) {
        for (let b = start; b >= 0; b = figure.parents[b]) {
          for (const moving of [b, ...leadersOf(figure, b)]) touched.add(moving);
        }
      }
    }
    const columns = Array.from(coordinates.keys()).filter((k) =>
      touched.has(figure.boneOfCoordinate[coordinates[k]]),
    );
    ranges[2 * triple] = columns[0] ?? 0;
    ranges[2 * triple + 1] = (columns.at(-1) ?? -1) + 1;
  }
  return ranges;
}

/** Whether a part may bring the joint of a bone into play, its own or as the leader of one of its own. */
function bringsIn(figure: Figure, { bringsIn: own }: CompiledPart, bone: number): boolean {
  return own === undefined || own.some((b) => b === bone || leadersOf(figure, b).includes(bone));
}

/** The bone whose joint that of a bone follows, if it follows one. */
function leadersOf({ mimicJoints }: Figure, bone: number): number[] {
  return mimicJoints.flatMap((mimic) => (mimic.bone === bone ? [mimic.source] : []));
}

function blocksOf(figure: Figure, coordinates: Int32Array): { first: number; end: number }[] {
  const blocks: { first: number; end: number }[] = [];
  let bone = -1;
  coordinates.forEach((i, column) => {
    if (figure.boneOfCoordinate[i] !== bone) blocks.push({ first: column, end: column });
    bone = figure.boneOfCoordinate[i];
    blocks[blocks.length - 1].end = column + 1;
  });
  return blocks;
}

/** The rotation vectors that no limit holds in one chart, and no goal on one of their coordinates. */
function chartsOf(figure: Figure, goals: readonly CompiledPart[], columnOf: Int32Array): Int32Array {
  const limited = new Set(figure.limitParts.map((part) => part.coordinate));
  const kept = ({ reads = -1 }: CompiledPart, i: number): boolean => reads >= i && reads < i + 3;
  const starts = figure.bones
    .filter((bone) => jointTypes[bone.joint.type].rotationVector >= 0)
    .map((bone) => bone.coordinate + jointTypes[bone.joint.type].rotationVector);
  return Int32Array.from(
    starts.filter((i) => columnOf[i] >= 0 && !limited.has(i) && !goals.some((part) => kept(part, i))),
  );
}

function isTranslation(figure: Figure, coordinate: number): boolean {
  const bone = figure.bones[figure.boneOfCoordinate[coordinate]];
  return coordinate - bone.coordinate < jointTypes[bone.joint.type].translations;
}
