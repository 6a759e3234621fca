import { createIk, type Goal, type Ik, type IkResult, solveIk } from 'poise';
import {
  boneIndex,
  clampToLimits,
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  limitShapes,
} from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { rigid, vec3 } from 'poise/math';
import { nearestRotationVector } from 'poise/rotation';
import { HANDLES, type HandleId, handleOf } from './handles.js';
import { standingPose } from './standing-pose.js';

export const HEIGHTS = { least: 1.4, greatest: 2.1, usual: 1.75 } as const;

/**
 * A pin outweighs the hand that pulls: with equal weights feet slide by centimetres when a hand is pulled out of reach. What
 * slides even so, some millimetres where the body is jammed, a second solve for the pins alone puts back.
 */
const PIN_WEIGHT = 1000;
const POSITION_TOLERANCE = 1e-3;
const PIN_TOLERANCE = 2e-4;
const ORIENTATION_TOLERANCE = 5e-3;
/** A wish: it shapes the pose and counts for nothing, since no rotation is further off than its tolerance, pi. */
const WISH_WEIGHT = 0.1;
/** Poses tried at most in a frame. From the frame before, a handful is usual. */
const ITERATIONS = 60;
/**
 * Share of the way back to where it was when the drag began that a joint goes before each solve. The solver then spreads
 * what is missing evenly, so that in the end a joint moves as little as its share is large: an arm is lifted before the
 * trunk bends for it. By frame and not by time, for it is the ratio of the two that shapes the pose.
 */
const RECOVERY = 0.02;
const TRUNK_RECOVERY = 0.85;
const TRUNK: ReadonlySet<string> = new Set(
  'hips spine chest upperChest neck head leftShoulder rightShoulder'.split(' '),
);

/** Solves in one slow frame at most, and the time after which no further one begins, ms. */
const MOST_REPEATS = 8;
const SOLVE_BUDGET = 4;
/** g of a limit above which it counts as touched: zero, but for rounding. */
const TOUCHING = -1e-7;
/** How far a target may be from where the drag began: out of reach in any case, over stature. */
const FARTHEST = 1.25;
/** A body part below this height over the floor would be in it: fractions of stature. */
const FLOOR = 0.02;

/** Where something is held. */
interface Pin {
  readonly target: number[];
  readonly orientation: readonly number[];
}

interface Drag {
  readonly id: HandleId;
  readonly target: number[];
  /** Where the handle was when the drag began. */
  readonly start: readonly number[];
  /** The pose when the drag began. */
  readonly from: Float64Array;
  readonly orientation: readonly number[];
}

/** The size of one solve. */
export interface SolveSample {
  readonly milliseconds: number;
  readonly iterations: number;
}

/**
 * A figure, the pins on it and the drag in progress: everything the page does, without the page. Each {@link step} solves
 * once from the pose of the frame before.
 */
export class Session {
  figure: Figure;
  state: FigureState;
  pose: Float64Array;
  height: number = HEIGHTS.usual;
  readonly pins = new Map<HandleId, Pin>();
  drag: Drag | undefined;
  result: IkResult | undefined;
  lastSolve: SolveSample | undefined;
  /** Counts up with every change of the pose. */
  version = 0;

  #ik: Ik | undefined;
  /** The pins alone. */
  #hold: Ik | undefined;
  #isStale = true;

  constructor(height: number = HEIGHTS.usual) {
    this.height = height;
    this.figure = createHumanFigure({ height });
    this.state = createState(this.figure);
    this.pose = standingPose(this.figure, height);
    this.reset();
  }

  /** Back to standing at ease with both feet pinned. */
  reset(): void {
    this.drag = undefined;
    this.pose.set(standingPose(this.figure, this.height));
    this.pins.clear();
    this.#moved();
    this.pinFeet();
  }

  /** A body of some height in some pose, moved within its limits, held by some handles. */
  setPose(height: number, pose: ArrayLike<number>, pins: readonly HandleId[]): void {
    this.drag = undefined;
    if (height !== this.height) {
      this.height = height;
      this.figure = createHumanFigure({ height });
      this.state = createState(this.figure);
    }
    this.pose.set(pose);
    this.#moved();
    this.pins.clear();
    for (const id of pins) this.#pin(id);
    this.#goalsChanged();
  }

  pinFeet(): void {
    for (const id of ['leftFoot', 'rightFoot'] as const) this.#pin(id);
    this.#goalsChanged();
  }

  releasePins(): void {
    this.pins.clear();
    this.#goalsChanged();
  }

  togglePin(id: HandleId): void {
    if (!this.pins.delete(id)) this.#pin(id);
    this.#goalsChanged();
  }

  /** A body of another height in the same pose: angles stay, the place of the hips scales, pins move along. */
  setHeight(height: number): void {
    const clamped = Math.min(HEIGHTS.greatest, Math.max(HEIGHTS.least, height));
    if (!Number.isFinite(clamped) || clamped === this.height) return;
    const factor = clamped / this.height;
    this.height = clamped;
    this.figure = createHumanFigure({ height: clamped });
    this.state = createState(this.figure);
    const { coordinate } = this.figure.bones[boneIndex(this.figure, 'hips')];
    for (let n = 0; n < 3; n++) this.pose[coordinate + n] *= factor;
    this.drag = undefined;
    this.#moved();
    for (const id of [...this.pins.keys()]) this.#pin(id);
    this.#goalsChanged();
  }

  beginDrag(id: HandleId): void {
    const start = this.handlePosition(id);
    this.drag = {
      id,
      start,
      target: [...start],
      from: Float64Array.from(this.pose),
      orientation: this.#orientation(id),
    };
    this.#goalsChanged();
  }

  /** Moves the target of the drag: world, m. It stays above the floor, and no further off than it makes a difference. */
  dragTo(x: number, y: number, z: number): void {
    if (this.drag === undefined || ![x, y, z].every(Number.isFinite)) return;
    const { start, target } = this.drag;
    const pull = Math.hypot(x - start[0], y - start[1], z - start[2]);
    const share = Math.min(1, (FARTHEST * this.height) / pull);
    [x, y, z].forEach((to, i) => {
      target[i] = pull > 0 ? start[i] + share * (to - start[i]) : start[i];
    });
    target[1] = Math.max(FLOOR * this.height, target[1]);
    this.#isStale = true;
  }

  /** Lets go: what was pinned is pinned where it got to, anything else stays as it is. */
  endDrag(): void {
    if (this.drag === undefined) return;
    const { id } = this.drag;
    this.drag = undefined;
    if (this.pins.has(id)) this.#pin(id);
    this.#goalsChanged();
  }

  /** World position of a handle, m. */
  handlePosition(id: HandleId, out: number[] = [0, 0, 0]): number[] {
    const { bone, point } = handleOf(id);
    const o = 12 * boneIndex(this.figure, bone);
    const [x, y, z] = point;
    const { height } = this;
    return rigid.transformPoint(
      this.state.worldFromBone.subarray(o, o + 12),
      [x * height, y * height, z * height],
      out,
    );
  }

  /** Distance of a handle to where it is pinned or pulled, m; undefined where it is neither. */
  distanceLeft(id: HandleId): number | undefined {
    const target = this.drag?.id === id ? this.drag.target : this.pins.get(id)?.target;
    return target && vec3.distance(this.handlePosition(id), target);
  }

  /**
   * One frame: solves if a target or goal has changed, or a drag is on. A slow frame stands for several of 1/60 s, so that
   * the body settles at the same speed on any machine.
   *
   * @param seconds - Since the frame before.
   * @returns whether anything was solved.
   */
  step(seconds: number): boolean {
    if (this.drag === undefined && !this.#isStale) return false;
    this.#isStale = false;
    this.#ik ??= this.#createIk();
    if (this.#ik === undefined) {
      this.result = undefined;
      return true;
    }
    const repeats =
      this.drag === undefined ? 1 : Math.min(MOST_REPEATS, Math.max(1, Math.round(60 * seconds) || 1));
    const started = performance.now();
    for (let n = 0; n < repeats; n++) {
      if (this.drag !== undefined) this.#recover(this.drag.from);
      const before = performance.now();
      this.result = solveIk(this.#ik, this.pose);
      if (this.#hold !== undefined && this.result.status !== 'converged') solveIk(this.#hold, this.pose);
      const now = performance.now();
      this.lastSolve = { milliseconds: now - before, iterations: this.result.iterations };
      if (now - started > SOLVE_BUDGET) break;
    }
    this.#moved();
    return true;
  }

  /** Indices of the limit parts that the pose touches or that hold a goal off. */
  touchedLimits(): number[] {
    const blocking = new Set(this.result?.activeLimits.map(({ coordinate }) => coordinate));
    return this.figure.limitComponents.flatMap(({ kind, parameters, coordinate, size }, n) => {
      const touches = limitShapes[kind].value(parameters, this.pose, coordinate, size) > TOUCHING;
      return touches || blocking.has(coordinate) ? [n] : [];
    });
  }

  /**
   * Moves every joint back towards the pose in which the drag began, the hips by the shorter way round. What the goals
   * leave open so stays where it was, and the way there leaves no trace.
   */
  #recover(from: Float64Array): void {
    const { pose, figure } = this;
    for (const { name, coordinate, dof, joint } of figure.bones) {
      const share = TRUNK.has(name) ? TRUNK_RECOVERY : RECOVERY;
      const target = from.slice(coordinate, coordinate + dof);
      if (joint.type === 'free') {
        const now = pose.subarray(coordinate + 3, coordinate + 6);
        target.set(nearestRotationVector(target.subarray(3), now), 3);
      }
      for (let n = 0; n < dof; n++) pose[coordinate + n] += share * (target[n] - pose[coordinate + n]);
    }
  }

  /** Goals of all pins and the drag, and of the pins but for what is dragged. */
  #createIk(): Ik | undefined {
    const goals: Goal[] = [];
    const held: Goal[] = [];
    const { height } = this;
    for (const { id, bone, point, holdsOrientation, dragsUpright } of HANDLES) {
      const drag = this.drag?.id === id ? this.drag : undefined;
      const pin = this.pins.get(id);
      const target = (drag ?? pin)?.target;
      if (target === undefined) continue;
      const own: Goal[] = [];
      const weight = drag ? 1 : PIN_WEIGHT;
      const [x, y, z] = point;
      own.push({
        type: 'position',
        bone,
        point: [x * height, y * height, z * height],
        target,
        weight,
        tolerance: drag ? POSITION_TOLERANCE : PIN_TOLERANCE,
      });
      if (drag !== undefined && dragsUpright) {
        const { orientation } = drag;
        own.push({ type: 'orientation', bone, target: orientation, weight: WISH_WEIGHT, tolerance: Math.PI });
      }
      if (holdsOrientation && pin !== undefined) {
        own.push({
          type: 'orientation',
          bone,
          target: pin.orientation,
          weight: weight / 4,
          tolerance: ORIENTATION_TOLERANCE,
        });
      }
      goals.push(...own);
      if (drag === undefined) held.push(...own);
    }
    const create = (list: readonly Goal[]) =>
      list.length === 0 ? undefined : createIk(this.figure, list, { restarts: 0, maxIterations: ITERATIONS });
    this.#hold = this.drag === undefined ? undefined : create(held);
    return create(goals);
  }

  #pin(id: HandleId): void {
    this.pins.set(id, { target: this.handlePosition(id), orientation: this.#orientation(id) });
  }

  #orientation(id: HandleId): number[] {
    const o = 12 * boneIndex(this.figure, handleOf(id).bone);
    return rigid.toQuat(this.state.worldFromBone.subarray(o, o + 12));
  }

  #goalsChanged(): void {
    this.#ik = undefined;
    this.#isStale = true;
  }

  #moved(): void {
    clampToLimits(this.figure, this.pose);
    forwardKinematics(this.state, this.pose);
    this.version++;
  }
}
