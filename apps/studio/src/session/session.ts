import { createIk, type Goal, type Ik, type IkResult, solveIk } from 'poise';
import {
  clampToLimits,
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  limitShapes,
} from 'poise/figure';
import { rigid, type Vec3, vec3 } from 'poise/math';
import { nearestRotationVector } from 'poise/rotation';
import type { Character } from '../character/character.js';
import type { Handle } from '../character/handles.js';
import type { Pin, SessionState } from '../document/document.js';

/**
 * A pin outweighs the drag: with equal weights feet slide by centimetres when a hand is dragged out of reach. The remaining
 * slide, some millimetres if the body is at its limits, is removed by a second solve for the pins alone.
 */
const PIN_WEIGHT = 1000;
/** Over stature. */
const POSITION_TOLERANCE = 6e-4;
const PIN_TOLERANCE = 1e-4;
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
  readonly id: string;
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
 * Model of the page: a character, its pins and the current drag, without user interface. Each {@link step} solves
 * once from the previous frame's pose.
 */
export class Session {
  character: Character;
  state: FigureState;
  pose: Float64Array;
  readonly pins = new Map<string, Pin>();
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

  constructor(character: Character) {
    this.character = character;
    this.state = createState(character.figure);
    this.pose = Float64Array.from(character.pose);
    this.reset();
  }

  get figure(): Figure {
    return this.character.figure;
  }

  /** Resets to the pose that the character begins with, with its pins. */
  reset(): void {
    this.drag = undefined;
    this.pose.set(this.character.pose);
    this.pins.clear();
    this.#moved();
    this.pinStart();
  }

  /** Takes another character, as it begins. */
  setCharacter(character: Character): void {
    this.#setBody(character, character.pose);
    this.reset();
  }

  /** Sets a character, its pose (clamped to the limits) and pins. */
  setPose(character: Character, pose: ArrayLike<number>, pins: readonly string[]): void {
    this.#setBody(character, pose);
    this.pins.clear();
    for (const id of pins) this.#pin(id);
    this.#goalsChanged();
  }

  /** What undo keeps of the session. */
  snapshot(): SessionState {
    return { character: this.character, pose: [...this.pose], pins: new Map(this.pins) };
  }

  /** Returns to a snapshot, to the bit. */
  restore({ character, pose, pins }: SessionState): void {
    this.#setBody(character, pose);
    this.pins.clear();
    for (const [id, pin] of pins) this.pins.set(id, pin);
    this.#goalsChanged();
    this.#keepsPose = true;
  }

  /** Pins what the character begins with: its feet. */
  pinStart(): void {
    for (const id of this.character.pins) this.#pin(id);
    this.#goalsChanged();
  }

  releasePins(): void {
    this.pins.clear();
    this.#goalsChanged();
  }

  togglePin(id: string): void {
    if (!this.pins.delete(id)) this.#pin(id);
    this.#goalsChanged();
  }

  /** Takes the same figure in another size: joint angles stay, the position of the root scales, pins move with the body. */
  resize(character: Character): void {
    const factor = character.size / this.character.size;
    const pose = Float64Array.from(this.pose);
    const root = character.figure.bones.find(({ joint }) => joint.type === 'free');
    for (let n = 0; n < 3 && root !== undefined; n++) pose[root.coordinate + n] *= factor;
    this.setPose(character, pose, [...this.pins.keys()]);
  }

  /** @throws Error for one that the character lacks. */
  handle(id: string): Handle {
    const handle = this.character.handles.find((each) => each.id === id);
    if (handle === undefined) throw new Error(`${id} is no handle`);
    return handle;
  }

  beginDrag(id: string): void {
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

  /** Moves the target of the drag, in the world of the figure, m. It is clamped to above the floor and to a largest distance. */
  dragTo(x: number, y: number, z: number): void {
    if (this.drag === undefined || ![x, y, z].every(Number.isFinite)) return;
    const { size, floor, figure } = this.character;
    const { start, target } = this.drag;
    const pull = Math.hypot(x - start[0], y - start[1], z - start[2]);
    const share = Math.min(1, (FARTHEST * size) / pull);
    [x, y, z].forEach((to, i) => {
      target[i] = pull > 0 ? start[i] + share * (to - start[i]) : start[i];
    });
    const below = floor + FLOOR * size - vec3.dot(target as unknown as Vec3, figure.up);
    if (below > 0) vec3.addScaled(target as unknown as Vec3, figure.up, below, target);
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
  handlePosition(id: string, out: number[] = [0, 0, 0]): number[] {
    const { bone, point } = this.handle(id);
    return rigid.transformPoint(this.state.worldFromBone.subarray(12 * bone, 12 * bone + 12), point, out);
  }

  /** Distance of a handle from its pin or drag target, m; undefined without either. */
  distanceLeft(id: string): number | undefined {
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

  /** Shows a pose that something else moves; nothing is solved. */
  follow(pose: ArrayLike<number>): void {
    this.pose.set(pose);
    this.result = undefined;
    this.#isStale = false;
    this.#moved();
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
    const { pose, figure, character } = this;
    for (const { index, coordinate, dof, joint } of figure.bones) {
      const share = character.trunk.has(index) ? TRUNK_RECOVERY : RECOVERY;
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
    const { size, handles } = this.character;
    for (const { id, bone, point, pinsOrientation, dragsUpright } of handles) {
      const drag = this.drag?.id === id ? this.drag : undefined;
      const pin = this.pins.get(id);
      const target = (drag ?? pin)?.target;
      if (target === undefined) continue;
      const own: Goal[] = [];
      const weight = drag ? 1 : PIN_WEIGHT;
      own.push({
        type: 'position',
        bone,
        point,
        target,
        weight,
        tolerance: size * (drag ? POSITION_TOLERANCE : PIN_TOLERANCE),
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

  #setBody(character: Character, pose: ArrayLike<number>): void {
    this.drag = undefined;
    if (character !== this.character) {
      this.character = character;
      this.state = createState(character.figure);
      this.pose = new Float64Array(character.figure.dof);
      this.result = undefined;
    }
    this.pose.set(pose);
    this.#moved();
  }

  #pin(id: string): void {
    this.pins.set(id, { target: this.handlePosition(id), orientation: this.#orientation(id) });
  }

  #orientation(id: string): number[] {
    const o = 12 * this.handle(id).bone;
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
