import { GoalError } from 'poise';
import {
  createPose,
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  restTransforms,
  setRestTransforms,
} from 'poise/figure';
import { createIkWith, type Ik, type IkResult, type IkWithOptions, solveIk } from 'poise/ik';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import { AnimationLayers } from '../binding/animation-layers.js';
import type { FigureBinding } from '../binding/bind-figure.js';
import { type BoundGoal, bindGoals, blendTarget, readGoal, setTarget, unitFraction } from './goal-binding.js';
import { applyCorrection, type Correction } from './initial-correction.js';
import { boneOf } from './resolve-goal.js';
import type { SceneBone, SceneGoal } from './scene-goals.js';

/** Options of {@link FigureSolver}. */
export interface FigureSolverOptions {
  /** How much of the solution is written over the animation: 0 the animation alone, 1 (default) the solution alone. */
  readonly weight?: number;
  /**
   * Time constant, s, of the warm start: the last correction starts the next solve and decays exponentially. It keeps the
   * solution continuous from frame to frame; the decay lets joints that no goal needs return to the animation. 0: each frame
   * starts from the animation, and the solution depends on animation and targets alone. Infinity: no decay. Default 0.25.
   */
  readonly memory?: number;
  /** Bones whose joints keep the animation. */
  readonly locked?: readonly SceneBone[];
  /** Most iterations of one descent. Default 100. */
  readonly maxIterations?: number;
  /** Most restarts from random poses if the goals are not met. Default 0: stay near the animation. */
  readonly restarts?: number;
  readonly seed?: number;
}

/** {@link FigureSolverOptions} of a solver made of the given goal types and stages of `poise/ik`. */
export interface FigureSolverWithOptions
  extends FigureSolverOptions,
    Pick<IkWithOptions, 'goalTypes' | 'stages'> {}

/** The fields of {@link FigureSolverOptions}. */
export const FIELDS: FieldsOf<FigureSolverOptions> = {
  weight: true,
  memory: true,
  locked: true,
  maxIterations: true,
  restarts: true,
  seed: true,
};

/** A solver for a subset of the goals, selected by their blends. */
interface SubsetSolver {
  /** The subset: '1' or '0' for each goal. */
  readonly key: string;
  readonly ik: Ik;
  /** Index of each of its goals among all. */
  readonly indices: readonly number[];
  /** 1 for the bones that its goals may move, and their ancestors. */
  readonly affected: Uint8Array;
}

/** The last correction, and the subset of goals that it belongs to. */
interface Memory extends Correction {
  key: string;
}

const DEFAULT_MEMORY = 0.25;
const DEFAULT_FRAME_TIME = 1 / 60;

/**
 * {@link FigureSolver} with the goal types and stages of your choice, for bundles that keep only those:
 *
 *     new FigureSolverWith(binding, goals, { goalTypes: { position: positionGoal } })
 */
export class FigureSolverWith {
  readonly binding: FigureBinding;
  readonly figure: Figure;
  /**
   * The goals: the list given, or another assigned here. It is read at each solve, so goals may be added, removed and changed
   * at any time. A changed number or target position costs nothing; for any other change the solver is created anew. Without
   * goals the animation is unchanged.
   */
  goals: readonly SceneGoal[];
  /** 0 to 1: how much of the solution is written over the animation. */
  weight: number;
  /** Time constant of the warm start, s; see {@link FigureSolverOptions}. */
  memory: number;
  /** The animation's pose last read; length `figure.dof`. */
  readonly animatedPose: Float64Array;
  /** The last solution; length `figure.dof`. */
  readonly pose: Float64Array;
  /** Rest transforms of the animation last read, 12 numbers a bone: what it does to bones whose joints cannot. See `binding.rests`. */
  readonly rests: Float64Array;
  /** Result of the last solve, for the solution in {@link pose} before the blend with {@link weight}. */
  result: IkResult | undefined;

  readonly #options: IkWithOptions;
  readonly #state: FigureState;
  readonly #layers: AnimationLayers;
  /** Bones that have an object, in the order of the layers. */
  readonly #bones: readonly number[];
  #bound: readonly BoundGoal[] = [];
  readonly #subsetSolvers = new Map<string, SubsetSolver>();
  /** Corrections of the goals with blend 1, and then of all goals with their blends. */
  readonly #fullCorrection: Memory;
  readonly #partialCorrection: Memory;
  /** Both together: the warm start once a partial goal reaches blend 1. */
  readonly #combinedCorrection: Memory;
  #inputs = new Float64Array(0);
  readonly #noBones: Uint8Array;
  /** 1 for bones that are written. */
  #affected: Uint8Array;
  #isFinal = false;
  #isDisposed = false;

  /**
   * @param binding - From `bindFigure`.
   * @throws GoalError, FigureError for goals that are invalid for the figure, with the nearest name for unknown ones.
   */
  constructor(binding: FigureBinding, goals: readonly SceneGoal[], options: FigureSolverWithOptions) {
    requireFields(options, { ...FIELDS, goalTypes: true, stages: true }, 'options', GoalError);
    if (typeof binding?.readPose !== 'function') {
      throw new GoalError('unsupported', 'is not a binding.', {
        path: 'binding',
        remedy: 'Give bindFigure(figure, character).',
      });
    }
    const { figure } = binding;
    this.binding = binding;
    this.figure = figure;
    this.goals = goals;
    this.weight = options.weight ?? 1;
    this.memory = options.memory ?? DEFAULT_MEMORY;
    this.#options = {
      goalTypes: options.goalTypes,
      stages: options.stages ?? {},
      maxIterations: options.maxIterations ?? 100,
      restarts: options.restarts ?? 0,
      seed: options.seed ?? 1,
      locked: (options.locked ?? []).map((bone, n) => boneOf(binding, bone, `options.locked[${n}]`)),
    };
    this.animatedPose = createPose(figure);
    this.pose = createPose(figure);
    this.#state = createState(figure);
    this.rests = restTransforms(figure);
    const memory = () => ({ key: NO_GOALS, from: createPose(figure), to: createPose(figure) });
    this.#fullCorrection = memory();
    this.#partialCorrection = memory();
    this.#combinedCorrection = memory();
    this.#noBones = new Uint8Array(figure.bones.length);
    this.#bones = figure.bones.flatMap(({ index }) => (binding.objects[index] === undefined ? [] : [index]));
    this.#layers = new AnimationLayers(binding.objects.filter((object) => object !== undefined));
    this.#layers.unwind();
    try {
      binding.readPose(this.animatedPose);
      // Binds all goals now, so that the constructor throws for an invalid one.
      this.#bindGoals();
    } catch (error) {
      this.#layers.rewind();
      this.#layers.remove();
      throw error;
    }
    this.#layers.rewind();
    this.pose.set(this.animatedPose);
    this.#affected = this.#noBones;
  }

  /**
   * Solves and writes. Call it each frame, after `mixer.update(seconds)` and before the renderer.
   *
   * @param seconds - Time since the last call, of either sign, for {@link memory}. Default 1/60.
   * @returns the result for the solution, before the blend with {@link weight}.
   * @throws GoalError for an invalid target, weight or blend.
   */
  update(seconds: number = DEFAULT_FRAME_TIME): IkResult {
    const result = this.#solve(seconds);
    const weight = unitFraction(this.weight, 'weight');
    if (weight > 0) {
      this.binding.writePose(this.pose, this.rests);
      this.#bones.forEach((bone, n) => {
        if (this.#affected[bone] === 0 && this.binding.isBelowParentObject(bone))
          this.#layers.resetToInput(n);
        else if (weight < 1) this.#layers.blend(n, weight);
      });
    }
    this.#layers.commit();
    return result;
  }

  /** As {@link update}, without writing the objects: the solution is in {@link pose}. */
  solve(seconds: number = DEFAULT_FRAME_TIME): IkResult {
    const result = this.#solve(seconds);
    this.#layers.rewind();
    return result;
  }

  /**
   * Resets the objects to the animation until the next {@link update}. Call it before `action.play()` on a mixer that fades
   * the action in: the mixer fades from the pose that it finds.
   */
  restore(): void {
    if (!this.#isDisposed) this.#layers.restore();
  }

  /** Discards the warm start: after a jump of the character or its targets. */
  reset(): void {
    for (const memory of [this.#fullCorrection, this.#partialCorrection, this.#combinedCorrection])
      memory.key = NO_GOALS;
    this.#isFinal = false;
  }

  /** Returns the objects to the animation, and ends the solver. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#layers.unwind();
    this.#layers.remove();
    this.#isDisposed = true;
  }

  /** @internal The goals of the solver, for {@link GoalHelper}. */
  get bound(): readonly BoundGoal[] {
    return this.#bound;
  }

  #solve(seconds: number): IkResult {
    if (this.#isDisposed) {
      throw new GoalError('unsupported', 'has been disposed of.', {
        path: 'solver',
        remedy: 'Create a new FigureSolver.',
      });
    }
    const retention = this.#retention(seconds);
    this.#layers.unwind();
    this.binding.readPose(this.animatedPose);
    this.rests.set(this.binding.rests);
    setRestTransforms(this.#state, this.rests);
    this.#bindGoals();
    this.#bound.forEach((goal, n) => {
      readGoal(this.binding, goal, `goals[${n}]`);
    });
    // Same inputs and a final result: the solution is kept, bit for bit.
    const isNew = this.#storeInputs();
    if (!isNew && this.#isFinal && this.result !== undefined) return this.result;

    const full = this.#solverFor((n) => this.#bound[n].blend === 1);
    // If all partial goals have reached blend 1, the first descent starts from the combined correction.
    if (
      full !== undefined &&
      full.key !== this.#fullCorrection.key &&
      full.key === this.#combinedCorrection.key
    ) {
      storeCorrection(
        this.#fullCorrection,
        full.key,
        this.#combinedCorrection.from,
        this.#combinedCorrection.to,
      );
    }
    const isPartial = this.#bound.some(({ blend }) => blend > 0 && blend < 1);
    this.#bound.forEach(setTarget);
    let result = this.#descend(full, this.#fullCorrection, this.animatedPose, retention);
    let subset = full;
    this.#isFinal = isFinal(result);
    if (isPartial) {
      subset = this.#solverFor((n) => this.#bound[n].blend > 0);
      forwardKinematics(this.#state, this.pose);
      for (const bound of this.#bound) {
        if (bound.blend > 0 && bound.blend < 1) blendTarget(this.figure, this.#state, bound);
      }
      result = this.#descend(subset, this.#partialCorrection, this.#fullCorrection.to, retention);
      this.#isFinal &&= isFinal(result);
    }
    storeCorrection(this.#combinedCorrection, subset?.key, this.animatedPose, this.pose);
    this.#affected = subset?.affected ?? this.#noBones;
    this.#restoreUnaffected();
    this.result = result;
    return result;
  }

  /** Solves a subset of the goals from `from` plus the retained fraction of the last correction, to `pose`. */
  #descend(
    subset: SubsetSolver | undefined,
    memory: Memory,
    from: Float64Array,
    retention: number,
  ): IkResult {
    const { pose } = this;
    if (subset === undefined) {
      pose.set(from);
      storeCorrection(memory, NO_GOALS, from, pose);
      return NO_GOALS_RESULT;
    }
    applyCorrection(this.figure, from, memory, memory.key === subset.key ? retention : 0, pose);
    setRestTransforms(subset.ik.problem.state, this.rests);
    const result = solveIk(subset.ik, pose);
    storeCorrection(memory, subset.key, from, pose);
    if (subset.indices.length === this.#bound.length) return result;
    return {
      ...result,
      residuals: result.residuals.map((residual) => ({ ...residual, index: subset.indices[residual.index] })),
    };
  }

  /** Binds the current goals. If one is invalid nothing changes. @throws GoalError, FigureError */
  #bindGoals(): void {
    const before = this.#bound;
    const next = bindGoals(this.binding, this.goals, this.#options.goalTypes, before, this.animatedPose);
    if (next === before) return;
    const key = '1'.repeat(next.length);
    const all = next.length === 0 ? undefined : this.#createSolver(key, next);
    this.#bound = next;
    this.#subsetSolvers.clear();
    if (all !== undefined) this.#subsetSolvers.set(key, all);
    const numbers = next.reduce(
      (sum, { targetValues }) => sum + targetValues.reduce((n, a) => n + a.length, 5),
      0,
    );
    this.#inputs = new Float64Array(this.figure.dof + this.rests.length + numbers).fill(Number.NaN);
    // The corrections of the previous goals are the warm start of the new ones.
    const old = '1'.repeat(before.length);
    for (const memory of [this.#fullCorrection, this.#partialCorrection, this.#combinedCorrection]) {
      memory.key = memory.key === old && memory.key !== NO_GOALS ? key : NO_GOALS;
    }
  }

  /** Fraction of the last correction retained after `seconds`. */
  #retention(seconds: number): number {
    if (Number.isNaN(seconds) || typeof seconds !== 'number') {
      throw new GoalError('out-of-range', `is ${seconds}.`, {
        path: 'update(seconds)',
        remedy: 'Give the seconds since the last frame, or nothing.',
      });
    }
    if (!(this.memory >= 0)) {
      throw new GoalError('out-of-range', `is ${this.memory}.`, {
        path: 'solver.memory',
        remedy: 'Give seconds, 0 or more.',
      });
    }
    if (this.memory === 0) return 0;
    // A mixer may run backwards, so the time's absolute value counts. An infinite time constant retains everything.
    return this.memory === Number.POSITIVE_INFINITY ? 1 : Math.exp(-Math.abs(seconds) / this.memory);
  }

  /** Stores all inputs of the solution. @returns whether any has changed. */
  #storeInputs(): boolean {
    const inputs = this.#inputs;
    let next = 0;
    let isNew = false;
    const store = (value: number) => {
      if (inputs[next] !== value) isNew = true;
      inputs[next++] = value;
    };
    for (let i = 0; i < this.animatedPose.length; i++) store(this.animatedPose[i]);
    for (let i = 0; i < this.rests.length; i++) store(this.rests[i]);
    for (const { targetValues, blend, live } of this.#bound) {
      store(blend);
      for (const array of [live, ...targetValues]) for (let k = 0; k < array.length; k++) store(array[k]);
    }
    return isNew;
  }

  /** Bones that no goal can move keep the animation, even beyond their limits. */
  #restoreUnaffected(): void {
    for (const { index, coordinate, dof } of this.figure.bones) {
      if (this.#affected[index] === 1) continue;
      for (let i = coordinate; i < coordinate + dof; i++) this.pose[i] = this.animatedPose[i];
    }
  }

  /** The solver for the goals selected by `has`; undefined for an empty subset. */
  #solverFor(has: (n: number) => boolean): SubsetSolver | undefined {
    let key = '';
    for (let n = 0; n < this.#bound.length; n++) key += has(n) ? '1' : '0';
    if (!key.includes('1')) return undefined;
    let subset = this.#subsetSolvers.get(key);
    if (subset === undefined) {
      subset = this.#createSolver(key, this.#bound);
      this.#subsetSolvers.set(key, subset);
    }
    return subset;
  }

  #createSolver(key: string, bound: readonly BoundGoal[]): SubsetSolver {
    const { figure } = this;
    const indices = bound.flatMap((_, n) => (key[n] === '1' ? [n] : []));
    const goals = indices.map((n) => bound[n].goal);
    const ik = createIkWith(figure, goals, this.#options);
    const affected = new Uint8Array(figure.bones.length);
    const markAncestors = (bone: number) => {
      for (let b = bone; b >= 0 && affected[b] === 0; b = figure.parents[b]) affected[b] = 1;
    };
    const moved = new Set(ik.problem.coordinates);
    for (const i of moved) markAncestors(figure.boneOfCoordinate[i]);
    for (const { bone, coordinate } of figure.mimicJoints) if (moved.has(coordinate)) markAncestors(bone);
    return { key, ik, indices, affected };
  }
}

/** Key of an empty subset. */
const NO_GOALS = '';

function storeCorrection(
  memory: Memory,
  key: string | undefined,
  from: Float64Array,
  to: Float64Array,
): void {
  memory.key = key ?? NO_GOALS;
  memory.from.set(from);
  memory.to.set(to);
}

function isFinal({ status }: IkResult): boolean {
  return status === 'converged' || status === 'out-of-reach' || status === 'limit-blocked';
}

/** The result without active goals. */
const NO_GOALS_RESULT: IkResult = {
  status: 'converged',
  residuals: [],
  activeLimits: [],
  objective: 0,
  lengthScale: 1,
  iterations: 0,
  restarts: 0,
};
