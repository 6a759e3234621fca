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
import type { Document, Pin } from '../document/document.js';
import { HANDLES, type HandleId, handleOf } from './handles.js';
import { standingPose } from './standing-pose.js';

export const HEIGHTS = { min: 1.4, max: 2.1, usual: 1.75 } as const;

/**
 * A pin outweighs the drag: with equal weights feet slide by centimetres when a hand is dragged out of reach. The remaining
 * slide, some millimetres if the body is at its limits, is removed by a second solve for the pins alone.
 */
const PIN_WEIGHT = 1000;
const POSITION_TOLERANCE = 1e-3;
const PIN_TOLERANCE = 2e-4;
const ORIENTATION_TOLERANCE = 5e-3;
/** A soft goal: it shapes the pose but is always met, since no rotation error exceeds its tolerance, pi. */
const POSTURE_WEIGHT = 0.1;
/** Most iterations in a frame. From the previous frame's pose a few suffice. */
const ITERATIONS = 60;
/**
 * Fraction by which a joint relaxes towards its pose at the start of the drag before each solve. The solver then distributes
 * the residual evenly, so that a joint with a larger fraction moves less: an arm is lifted before the
 * trunk bends. Per frame, not per time, because only the ratio of the fractions shapes the pose.
 */
const RECOVERY = 0.02;
const TRUNK_RECOVERY = 0.85;
const TRUNK: ReadonlySet<string> = new Set(
  'hips spine chest upperChest neck head leftShoulder rightShoulder'.split(' '),
);

/** Most solves in one slow frame, and the time after which no further one starts, ms. */
const MAX_REPEATS = 8;
const SOLVE_BUDGET = 4;
/** Value of a limit's function above which it counts as touched: zero up to rounding. */
const TOUCHING = -1e-7;
/** Largest distance of a target from the start of the drag, over stature: always out of reach. */
const FARTHEST = 1.25;
/** Smallest height of a handle over the floor, fractions of stature. */
const FLOOR = 0.02;

interface Drag {
  readonly id: HandleId;
  readonly target: number[];
  /** Position of the handle at the start of the drag. */
  readonly start: readonly number[];
  /** Pose at the start of the drag. */
  readonly from: Float64Array;
  readonly orientation: readonly number[];
}

/** Number of variables and residuals of the last solve. */
export interface SolveSample {
  readonly milliseconds: number;
  readonly iterations: number;
}

/**
 * Model of the page: a figure, its pins and the current drag, without user interface. Each {@link step} solves
 * once from the previous frame's pose.
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
  /** Version of the pose: incremented with every change. */
  version = 0;

  #ik: Ik | undefined;
  /** The pins alone. */
  #pinSolver: Ik | undefined;
  #isStale = true;
  /** Whether the next solve is for its result alone: the pose is one that was solved before. */
  #keepsPose = false;

  constructor(height: number = HEIGHTS.usual) {
    this.height = height;
    this.figure = createHumanFigure({ height });
    this.state = createState(this.figure);
    this.pose = standingPose(this.figure, height);
    this.reset();
  }

  /** Resets to standing at ease with both feet pinned. */
  reset(): void {
    this.drag = undefined;
    this.pose.set(standingPose(this.figure, this.height));
    this.pins.clear();
    this.#moved();
    this.pinFeet();
  }

  /** Sets height, pose (clamped to the limits) and pins. */
  setPose(height: number, pose: ArrayLike<number>, pins: readonly HandleId[]): void {
    this.#setBody(height, pose);
    this.pins.clear();
    for (const id of pins) this.#pin(id);
    this.#goalsChanged();
  }

  /** What undo keeps of the session. */
  snapshot(): Document {
    return { height: this.height, pose: [...this.pose], pins: new Map(this.pins) };
  }

  /** Returns to a snapshot, to the bit. */
  restore({ height, pose, pins }: Document): void {
    this.#setBody(height, pose);
    this.pins.clear();
    for (const [id, pin] of pins) this.pins.set(id, pin);
    this.#goalsChanged();
    this.#keepsPose = true;
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

  /** Changes the height: joint angles stay, the position of the hips scales, pins move with the body. */
  setHeight(height: number): void {
    const clamped = Math.min(HEIGHTS.max, Math.max(HEIGHTS.min, height));
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

  /** Moves the target of the drag: world, m. It is clamped to above the floor and to a largest distance. */
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

  /** Ends the drag: a pinned handle is pinned at its new position. */
  endDrag(): void {
    if (this.drag === undefined) return;
    const { id } = this.drag;
    this.drag = undefined;
    if (this.pins.has(id)) this.#pin(id);
    this.#goalsChanged();
  }

  /** Ends the drag as if it had not begun. */
  cancelDrag(): void {
    if (this.drag === undefined) return;
    this.pose.set(this.drag.from);
    this.drag = undefined;
    this.#moved();
    this.#goalsChanged();
    this.#keepsPose = true;
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

  /** Distance of a handle from its pin or drag target, m; undefined without either. */
  distanceLeft(id: HandleId): number | undefined {
    const target = this.drag?.id === id ? this.drag.target : this.pins.get(id)?.target;
    return target && vec3.distance(this.handlePosition(id), target);
  }

  /**
   * One frame: solves if a target or goal has changed, or during a drag. A slow frame counts as several of 1/60 s, so that
   * the body converges at the same speed on any machine.
   *
   * @param seconds - Since the previous frame.
   * @returns whether it has solved.
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
      this.drag === undefined ? 1 : Math.min(MAX_REPEATS, Math.max(1, Math.round(60 * seconds) || 1));
    const kept = this.#keepsPose && this.drag === undefined ? Float64Array.from(this.pose) : undefined;
    this.#keepsPose = false;
    const started = performance.now();
    for (let n = 0; n < repeats; n++) {
      if (this.drag !== undefined) this.#recover(this.drag.from);
      const before = performance.now();
      this.result = solveIk(this.#ik, this.pose);
      if (this.#pinSolver !== undefined && this.result.status !== 'converged')
        solveIk(this.#pinSolver, this.pose);
      const now = performance.now();
      this.lastSolve = { milliseconds: now - before, iterations: this.result.iterations };
      if (now - started > SOLVE_BUDGET) break;
    }
    if (kept !== undefined) this.pose.set(kept);
    this.#moved();
    return true;
  }

  /** Indices of the limit components that the pose touches or that block a goal. */
  touchedLimits(): number[] {
    const blocking = new Set(this.result?.activeLimits.map(({ coordinate }) => coordinate));
    return this.figure.limitComponents.flatMap(({ kind, parameters, coordinate, size }, n) => {
      const touches = limitShapes[kind].value(parameters, this.pose, coordinate, size) > TOUCHING;
      return touches || blocking.has(coordinate) ? [n] : [];
    });
  }

  /**
   * Relaxes every joint towards the pose at the start of the drag, the hips along the shortest arc. Coordinates that the goals
   * leave free thus keep their values, and the pose does not depend on the path of the drag.
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

  /** Goals of all pins and the drag, and of the pins without the dragged handle. */
  #createIk(): Ik | undefined {
    const goals: Goal[] = [];
    const pinGoals: Goal[] = [];
    const { height } = this;
    for (const { id, bone, point, pinsOrientation, dragsUpright } of HANDLES) {
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
        own.push({
          type: 'orientation',
          bone,
          target: orientation,
          weight: POSTURE_WEIGHT,
          tolerance: Math.PI,
        });
      }
      if (pinsOrientation && pin !== undefined) {
        own.push({
          type: 'orientation',
          bone,
          target: pin.orientation,
          weight: weight / 4,
          tolerance: ORIENTATION_TOLERANCE,
        });
      }
      goals.push(...own);
      if (drag === undefined) pinGoals.push(...own);
    }
    const create = (list: readonly Goal[]) =>
      list.length === 0 ? undefined : createIk(this.figure, list, { restarts: 0, maxIterations: ITERATIONS });
    this.#pinSolver = this.drag === undefined ? undefined : create(pinGoals);
    return create(goals);
  }

  #setBody(height: number, pose: ArrayLike<number>): void {
    this.drag = undefined;
    if (height !== this.height) {
      this.height = height;
      this.figure = createHumanFigure({ height });
      this.state = createState(this.figure);
    }
    this.pose.set(pose);
    this.#moved();
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
