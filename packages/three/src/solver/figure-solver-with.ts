import { GoalError } from 'poise';
import { createPose, createState, type Figure, type FigureState, forwardKinematics } from 'poise/figure';
import { type createIk, type Ik, type IkResult, solveIk } from 'poise/ik';
import { AnimationLayers } from '../binding/animation-layers.js';
import type { FigureBinding } from '../binding/bind-figure.js';
import { checkFields, type FieldsOf } from '../binding/validate-options.js';
import { type BoundGoal, bindGoals, blendTarget, readGoal, setTarget, share } from './goal-binding.js';
import { type Correction, startFrom } from './initial-correction.js';
import { boneOf } from './resolve-goal.js';
import type { SceneBone, SceneGoal } from './scene-goals.js';

/** Options of {@link FigureSolver}. */
export interface FigureSolverOptions {
  /** How much of the solution is written over the animation: 0 the animation alone, 1 (default) the solution alone. */
  readonly weight?: number;
  /**
   * Seconds over which the last correction is remembered as the start of the next solve. It keeps the solver on the way it has taken
   * from frame to frame; fading, it lets joints that no goal needs any more return to the animation. 0: each frame starts from the
   * animation, and the answer depends on nothing but animation and targets. Infinity: nothing is forgotten. Default 0.25.
   */
  readonly memory?: number;
  /** Bones whose joints stay as the animation has them. */
  readonly locked?: readonly SceneBone[];
  /** Poses tried at most in one descent. Default 100. */
  readonly maxIterations?: number;
  /** Descents from other starts when the goals are not met. Default 0: stay near the animation. */
  readonly restarts?: number;
  readonly seed?: number;
}

const FIELDS: FieldsOf<FigureSolverOptions> = {
  weight: true,
  memory: true,
  locked: true,
  maxIterations: true,
  restarts: true,
  seed: true,
};

/** A solver for some of the goals: blends at 0 leave the others out. */
interface Part {
  /** Which goals: '1' or '0' for each. */
  readonly key: string;
  readonly ik: Ik;
  /** Index of each of its goals among all. */
  readonly indices: readonly number[];
  /** 1 for the bones that its goals may move, and all above them. */
  readonly touched: Uint8Array;
}

/** A correction, and for which goals it was made. */
interface Memory extends Correction {
  key: string;
}

const DEFAULT_MEMORY = 0.25;
const FRAME = 1 / 60;

/**
 * {@link FigureSolver} with the goal types of your choice, for bundles that keep only those:
 *
 *     new FigureSolverWith(createIkWith({ position: positionGoal }), binding, goals)
 */
export class FigureSolverWith {
  readonly binding: FigureBinding;
  readonly figure: Figure;
  /**
   * The goals: the list given, or another that you put here. It is read at each solve, so goals may be added, taken out and changed at
   * any time. What is no more than a number or a place that moves costs nothing; for anything else the solver is made anew. Without goals
   * the animation stays as it is.
   */
  goals: readonly SceneGoal[];
  /** 0 to 1: how much of the solution is written over the animation. */
  weight: number;
  /** Seconds over which the last correction is remembered; see {@link FigureSolverOptions}. */
  memory: number;
  /** The animation's pose, as last read; length `figure.dof`. */
  readonly animatedPose: Float64Array;
  /** The solution, as last solved; length `figure.dof`. */
  readonly pose: Float64Array;
  /** What the last solve said. It speaks of the solution, {@link pose}, whatever the weight. */
  result: IkResult | undefined;

  readonly #options: { maxIterations: number; restarts: number; seed: number; locked: readonly number[] };
  readonly #state: FigureState;
  readonly #layers: AnimationLayers;
  /** Bones that have an object, in the order of the layers. */
  readonly #bones: readonly number[];
  #bound: readonly BoundGoal[] = [];
  readonly #parts = new Map<string, Part>();
  /** What the goals in full made of the animation, and what the goals in part made of that. */
  readonly #first: Memory;
  readonly #second: Memory;
  /** Both together, for when the goals in part come to be in full. */
  readonly #both: Memory;
  #inputs = new Float64Array(0);
  readonly #none: Uint8Array;
  /** Bones that are written. */
  #touched: Uint8Array;
  #isSettled = false;
  #isDisposed = false;

  readonly #createIk: typeof createIk;

  /**
   * @param create - What `createIkWith` gives.
   * @param binding - From `bindFigure`.
   * @throws GoalError, FigureError for goals that make no sense on the figure; names come with the nearest.
   */
  constructor(
    create: typeof createIk,
    binding: FigureBinding,
    goals: readonly SceneGoal[],
    options: FigureSolverOptions = {},
  ) {
    checkFields(options, FIELDS, 'options', GoalError);
    const { figure } = binding;
    this.#createIk = create;
    this.binding = binding;
    this.figure = figure;
    this.goals = goals;
    this.weight = options.weight ?? 1;
    this.memory = options.memory ?? DEFAULT_MEMORY;
    this.#options = {
      maxIterations: options.maxIterations ?? 100,
      restarts: options.restarts ?? 0,
      seed: options.seed ?? 1,
      locked: (options.locked ?? []).map((bone, n) => boneOf(binding, bone, `options.locked[${n}]`)),
    };
    this.animatedPose = createPose(figure);
    this.pose = createPose(figure);
    this.#state = createState(figure);
    const memory = () => ({ key: NEVER, from: createPose(figure), to: createPose(figure) });
    this.#first = memory();
    this.#second = memory();
    this.#both = memory();
    this.#none = new Uint8Array(figure.bones.length);
    this.#bones = figure.bones.flatMap(({ index }) => (binding.objects[index] === undefined ? [] : [index]));
    this.#layers = new AnimationLayers(binding.objects.filter((object) => object !== undefined));
    this.#layers.unwind();
    try {
      binding.readPose(this.animatedPose);
      // All of them at once, so that whatever is wrong with one is said now.
      this.#bindGoals();
    } catch (error) {
      this.#layers.rewind();
      this.#layers.remove();
      throw error;
    }
    this.#layers.rewind();
    this.pose.set(this.animatedPose);
    this.#touched = this.#none;
  }

  /**
   * Solves and writes: the call of each frame, after `mixer.update(seconds)` and before the renderer.
   *
   * @param seconds - Time since the last call, of either sign, for {@link memory}. Default 1/60.
   * @returns what the solver says of the solution, before the blend with {@link weight}.
   * @throws GoalError for a target, weight or blend that is none.
   */
  update(seconds: number = FRAME): IkResult {
    const result = this.#solve(seconds);
    const weight = share(this.weight, 'weight');
    if (weight > 0) {
      this.binding.writePose(this.pose);
      this.#bones.forEach((bone, n) => {
        if (this.#touched[bone] === 0 && this.binding.hangsOnParent(bone)) this.#layers.undo(n);
        else if (weight < 1) this.#layers.fade(n, weight);
      });
    }
    this.#layers.commit();
    return result;
  }

  /** As {@link update}, but leaves the objects as they are: the solution is in {@link pose}. */
  solve(seconds: number = FRAME): IkResult {
    const result = this.#solve(seconds);
    this.#layers.rewind();
    return result;
  }

  /**
   * Puts the objects where the animation has them, until the next {@link update}. Call it before `action.play()` on a mixer that is to
   * fade the action in: the mixer takes what it finds as the pose to fade from.
   */
  restore(): void {
    if (!this.#isDisposed) this.#layers.restore();
  }

  /** Forgets the last solution: after a jump of the character or its targets. */
  reset(): void {
    for (const memory of [this.#first, this.#second, this.#both]) memory.key = NEVER;
    this.#isSettled = false;
  }

  /** Gives the objects back to the animation, and ends the solver. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#layers.unwind();
    this.#layers.remove();
    this.#isDisposed = true;
  }

  /** @internal The goals as the solver has them, for {@link GoalHelper}. */
  get bound(): readonly BoundGoal[] {
    return this.#bound;
  }

  #solve(seconds: number): IkResult {
    if (this.#isDisposed) {
      throw new GoalError('unsupported', 'has been disposed of.', {
        path: 'solver',
        remedy: 'Make a new FigureSolver.',
      });
    }
    const forget = this.#forgetting(seconds);
    this.#layers.unwind();
    this.binding.readPose(this.animatedPose);
    this.#bindGoals();
    this.#bound.forEach((goal, n) => {
      readGoal(this.binding, goal, `goals[${n}]`);
    });
    // A settled answer to the same question stands, to the bit.
    const isNew = this.#noteInputs();
    if (!isNew && this.#isSettled && this.result !== undefined) return this.result;

    const full = this.#part((n) => this.#bound[n].blend === 1);
    // Where all that was in part is in full now, the first descent goes on from what both made of it.
    if (full !== undefined && full.key !== this.#first.key && full.key === this.#both.key) {
      remember(this.#first, full.key, this.#both.from, this.#both.to);
    }
    const isPartial = this.#bound.some(({ blend }) => blend > 0 && blend < 1);
    this.#bound.forEach(setTarget);
    let result = this.#descend(full, this.#first, this.animatedPose, forget);
    let part = full;
    this.#isSettled = isFinal(result);
    if (isPartial) {
      part = this.#part((n) => this.#bound[n].blend > 0);
      forwardKinematics(this.#state, this.pose);
      for (const bound of this.#bound) {
        if (bound.blend > 0 && bound.blend < 1) blendTarget(this.figure, this.#state, bound);
      }
      result = this.#descend(part, this.#second, this.#first.to, forget);
      this.#isSettled &&= isFinal(result);
    }
    remember(this.#both, part?.key, this.animatedPose, this.pose);
    this.#touched = part?.touched ?? this.#none;
    this.#leaveUntouched();
    this.result = result;
    return result;
  }

  /** Solves some of the goals from `from`, with what is left of the last correction, to `pose`. */
  #descend(part: Part | undefined, memory: Memory, from: Float64Array, forget: number): IkResult {
    const { pose } = this;
    if (part === undefined) {
      pose.set(from);
      remember(memory, NEVER, from, pose);
      return NOTHING_TO_DO;
    }
    startFrom(this.figure, from, memory, memory.key === part.key ? forget : 0, pose);
    const result = solveIk(part.ik, pose);
    remember(memory, part.key, from, pose);
    if (part.indices.length === this.#bound.length) return result;
    return {
      ...result,
      residuals: result.residuals.map((residual) => ({ ...residual, index: part.indices[residual.index] })),
    };
  }

  /** Brings the solver up to the goals as they are now. Nothing changes where one is at fault. @throws GoalError, FigureError */
  #bindGoals(): void {
    const before = this.#bound;
    const next = bindGoals(this.binding, this.goals, before, this.animatedPose);
    if (next === before) return;
    const key = '1'.repeat(next.length);
    const all = next.length === 0 ? undefined : this.#makePart(key, next);
    this.#bound = next;
    this.#parts.clear();
    if (all !== undefined) this.#parts.set(key, all);
    const numbers = next.reduce((sum, { wanted }) => sum + wanted.reduce((n, a) => n + a.length, 5), 0);
    this.#inputs = new Float64Array(this.figure.dof + numbers).fill(Number.NaN);
    // The way that was found for these goals as they were is where the search begins for what they are.
    const old = '1'.repeat(before.length);
    for (const memory of [this.#first, this.#second, this.#both]) {
      memory.key = memory.key === old && memory.key !== NEVER ? key : NEVER;
    }
  }

  /** Share of the last correction that is remembered after `seconds`. */
  #forgetting(seconds: number): number {
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
    // Backwards, as a mixer may run, is as far away as forwards. Without an end to both, nothing is forgotten.
    return this.memory === Number.POSITIVE_INFINITY ? 1 : Math.exp(-Math.abs(seconds) / this.memory);
  }

  /** Notes all that the solution depends on. @returns whether any of it is new. */
  #noteInputs(): boolean {
    const inputs = this.#inputs;
    let next = 0;
    let isNew = false;
    const note = (value: number) => {
      if (inputs[next] !== value) isNew = true;
      inputs[next++] = value;
    };
    for (let i = 0; i < this.animatedPose.length; i++) note(this.animatedPose[i]);
    for (const { wanted, blend, live } of this.#bound) {
      note(blend);
      for (const array of [live, ...wanted]) for (let k = 0; k < array.length; k++) note(array[k]);
    }
    return isNew;
  }

  /** Bones that no goal can move keep what was read, within their limits or not. */
  #leaveUntouched(): void {
    for (const { index, coordinate, dof } of this.figure.bones) {
      if (this.#touched[index] === 1) continue;
      for (let i = coordinate; i < coordinate + dof; i++) this.pose[i] = this.animatedPose[i];
    }
  }

  /** The solver for the goals that `has` says; none where it says none. */
  #part(has: (n: number) => boolean): Part | undefined {
    let key = '';
    for (let n = 0; n < this.#bound.length; n++) key += has(n) ? '1' : '0';
    if (!key.includes('1')) return undefined;
    let part = this.#parts.get(key);
    if (part === undefined) {
      part = this.#makePart(key, this.#bound);
      this.#parts.set(key, part);
    }
    return part;
  }

  #makePart(key: string, bound: readonly BoundGoal[]): Part {
    const { figure } = this;
    const indices = bound.flatMap((_, n) => (key[n] === '1' ? [n] : []));
    const goals = indices.map((n) => bound[n].goal);
    const ik = this.#createIk(figure, goals, this.#options);
    const touched = new Uint8Array(figure.bones.length);
    const touch = (bone: number) => {
      for (let b = bone; b >= 0 && touched[b] === 0; b = figure.parents[b]) touched[b] = 1;
    };
    const moved = new Set(ik.problem.coordinates);
    for (const i of moved) touch(figure.boneOfCoordinate[i]);
    for (const { bone, coordinate } of figure.mimicJoints) if (moved.has(coordinate)) touch(bone);
    return { key, ik, indices, touched };
  }
}

/** Key of a memory of nothing: no part has it. */
const NEVER = '';

function remember(memory: Memory, key: string | undefined, from: Float64Array, to: Float64Array): void {
  memory.key = key ?? NEVER;
  memory.from.set(from);
  memory.to.set(to);
}

function isFinal({ status }: IkResult): boolean {
  return status === 'converged' || status === 'out-of-reach' || status === 'limit-blocked';
}

/** The answer where no goal is on. */
const NOTHING_TO_DO: IkResult = {
  status: 'converged',
  residuals: [],
  activeLimits: [],
  objective: 0,
  lengthScale: 1,
  iterations: 0,
  restarts: 0,
};
