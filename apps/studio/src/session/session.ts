import { type IkResult, solveIk } from 'poise';
import {
  clampToLimits,
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  limitShapes,
} from 'poise/figure';
import { quat, rigid, type Vec3, vec3 } from 'poise/math';
import { nearestRotationVector } from 'poise/rotation';
import type { Character } from '../character/character.js';
import type { Handle, Holds } from '../character/handles.js';
import { type Limb, swivelPoint } from '../character/limbs.js';
import { type Limits, withLimits } from '../character/limits.js';
import type { Pin, SessionState } from '../document/document.js';
import type { Drag, Grip } from './drag.js';
import type { Gaze } from './gaze.js';
import { createSolvers, nearGoalStrength, type Solvers } from './goals.js';
import type { NearGoal, SelfDistance } from './self-distance.js';

/** Frames of 1/60 s for which a body beside itself moves on after its last target; and depth from which hands are then kept out of it by other planes than before, over stature. */
const LAST_FRAMES = 45;
const STILL_DEPTH = 1e-3;
/** Gap between parts of the body at which they touch, over stature. */
const TOUCHES = 3e-3;
/**
 * Fraction by which a joint relaxes towards its pose at the start of the drag before each solve. The solver then distributes
 * the residual evenly, so that a joint with a larger fraction moves less: an arm is lifted before the
 * trunk bends. Per frame, not per time, because only the ratio of the fractions shapes the pose.
 */
const RECOVERY = 0.02;
const TRUNK_RECOVERY = 0.85;
/** Joints relax by half as much after a frame whose iterations did not lead back to the target, and by so much more after each that does. */
const RELAXATION_INCREASE = 1.02;

/** Decrease of the objective in a frame below which a target that rests counts as missed for good, as a fraction. */
const DECREASE = 1e-3;

/** Most solves in one slow frame, and the time in which a further one must end, ms. */
const MAX_REPEATS = 8;
const SOLVE_BUDGET = 3;
/** Value of a limit's function above which it counts as touched: zero up to rounding. */
const TOUCHING = -1e-7;
/** Largest distance of a target from the start of the drag, over stature: always out of reach. */
const FARTHEST = 1.25;
/** Largest angle of a turn from its start, rad: beyond half a turn the shorter way is the other one. */
const MOST_TURN = 0.95 * Math.PI;
/** Smallest height of a handle over the floor, fractions of stature. */
const FLOOR = 0.02;

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

  #ground = false;
  #balance = false;
  #apart = false;
  #apartOf: ((character: Character) => SelfDistance | undefined) | undefined;
  #selfDistance: SelfDistance | undefined;
  /** Its goals at the last pose. */
  #near: readonly NearGoal[] = [];
  /** Since a target or goal changed. */
  #stillFrames = 0;
  #gazeOf: ((character: Character) => Gaze | undefined) | undefined;
  #look: Gaze | undefined;
  /** What it looks at. */
  #gaze: readonly number[] | undefined;
  /** While that is dragged, the pose and the target at the start. */
  #gazeDrag: { readonly from: Float64Array; readonly target: readonly number[] | undefined } | undefined;
  /** What was there before limits are dragged. */
  #limitDrag: SessionState | undefined;
  /** Of the goals as they are; made when a frame needs them. */
  #solvers: Solvers | undefined;
  #isStale = true;
  /** Whether the next solve is for its result alone: the pose is one that was solved before. */
  #keepsPose = false;

  constructor(character: Character) {
    this.character = character;
    this.state = createState(character.figure);
    this.pose = Float64Array.from(character.pose);
    this.ground = true;
    this.balance = true;
    this.reset();
  }

  get figure(): Figure {
    return this.character.figure;
  }

  /** Whether feet, knees and hands of a human stay above the floor. At the start that of a human is on, and so is balance. */
  get ground(): boolean {
    return this.#ground && this.character.contacts !== undefined;
  }

  set ground(isOn: boolean) {
    this.#ground = isOn;
    this.#goalsChanged();
  }

  /** Whether the centre of mass of a human stays over what is pinned on the floor. */
  get balance(): boolean {
    return this.#balance && this.character.contacts?.massive !== undefined;
  }

  set balance(isOn: boolean) {
    this.#balance = isOn;
    this.#goalsChanged();
  }

  /** Whether hands and forearms stay outside trunk, head and each other, once {@link apartOf} is there. */
  get apart(): boolean {
    return this.#apart;
  }

  set apart(isOn: boolean) {
    this.#apart = isOn;
    this.#shaped();
    this.#goalsChanged();
    this.#keepsPose = true;
  }

  /** What keeps a character's hands off its body; undefined until it is loaded. */
  get apartOf(): ((character: Character) => SelfDistance | undefined) | undefined {
    return this.#apartOf;
  }

  set apartOf(apartOf: (character: Character) => SelfDistance | undefined) {
    this.#apartOf = apartOf;
    this.#shaped();
  }

  /** Whether it has arms and a trunk that can be kept apart. */
  get hasSelfDistance(): boolean {
    return this.#selfDistance !== undefined;
  }

  /** Whether what is kept apart touches. */
  get touchesItself(): boolean {
    const { size } = this.character;
    return this.#selfDistance !== undefined && this.#selfDistance.gap(this.state) < TOUCHES * size;
  }

  #shaped(): void {
    this.#selfDistance = this.#apart ? this.#apartOf?.(this.character) : undefined;
  }

  /** The gaze of a character; undefined until it is loaded. */
  get gazeOf(): ((character: Character) => Gaze | undefined) | undefined {
    return this.#gazeOf;
  }

  set gazeOf(gazeOf: (character: Character) => Gaze | undefined) {
    this.#gazeOf = gazeOf;
    this.#look = gazeOf(this.character);
  }

  /** Whether it has a head that can look at something, once {@link gazeOf} is there. */
  get canLook(): boolean {
    if (this.#gazeOf === undefined) return this.character.humanoid?.bones.head !== undefined;
    return this.#look !== undefined;
  }

  /** What it looks at, in the world of the figure, m; undefined where its gaze is free. */
  get gaze(): readonly number[] | undefined {
    return this.#gaze;
  }

  /** Whether what it looks at is being dragged. */
  get isGazing(): boolean {
    return this.#gazeDrag !== undefined;
  }

  /** Between the eyes, m; undefined for what has none. */
  eyes(): Vec3 | undefined {
    return this.#look?.eyes(this.state);
  }

  /** Angle that the head is short of what it looks at, rad. */
  gazeLeft(): number | undefined {
    return this.#gaze && this.#look?.off(this.state, this.#gaze);
  }

  /** Looks at a point, at what is ahead now, or at nothing. */
  look(at: readonly number[] | 'ahead' | undefined): void {
    this.#gaze = at === 'ahead' ? this.#look && Array.from(this.#look.ahead(this.state)) : at;
    // A goal keeps the target that it was made with.
    if (this.#headHolds() === 'place') this.#goalsChanged();
    this.#isStale = true;
  }

  beginGaze(): void {
    this.#gazeDrag = { from: Float64Array.from(this.pose), target: this.#gaze };
  }

  /** Moves what it looks at, m. */
  gazeTo(x: number, y: number, z: number): void {
    if (this.#gazeDrag === undefined || ![x, y, z].every(Number.isFinite)) return;
    this.look([x, y, z]);
    this.#keepsPose = false;
  }

  endGaze(): void {
    this.#gazeDrag = undefined;
  }

  /** Distance of the centre of mass from where it is over the support, m; undefined while balance asks for nothing. */
  get balanceLeft(): number | undefined {
    return this.result?.residuals.find(({ type }) => type === 'center-of-mass')?.value;
  }

  /** Resets to the pose that the character begins with, with its pins. */
  reset(): void {
    this.drag = undefined;
    this.#gaze = undefined;
    this.#gazeDrag = undefined;
    this.pose.set(this.character.pose);
    this.pins.clear();
    this.#moved();
    this.pinStart();
    // What a character begins with is kept as it is, even where nobody could stand so.
    this.#keepsPose = true;
  }

  /** Takes another character, as it begins. */
  setCharacter(character: Character): void {
    this.#setBody(character, character.pose);
    this.ground = true;
    this.balance = true;
    this.reset();
  }

  /** Sets a character, its pose, clamped to the limits, and pins; those without a word hold what they held. Nothing else moves the pose. */
  setPose(
    character: Character,
    pose: ArrayLike<number>,
    pins: readonly string[] | ReadonlyMap<string, Holds>,
    gaze = this.#gaze,
  ): void {
    this.#gaze = gaze;
    const prior = new Map(this.pins);
    this.#setBody(character, pose);
    this.pins.clear();
    if (pins instanceof Map) for (const [id, holds] of pins) this.#pin(id, holds);
    else for (const id of pins as readonly string[]) this.#pin(id, prior.get(id)?.holds);
    this.#goalsChanged();
    this.#keepsPose = true;
  }

  /** As {@link setLimits}, from the pose at the start of the drag, until {@link endLimitDrag} keeps them or {@link cancelDrag} puts back what was there. */
  dragLimits(limits: Limits): void {
    const start = this.#limitDrag ?? this.snapshot();
    this.setLimits(limits, start.pose);
    this.#limitDrag = start;
  }

  /** Whether limits are being dragged. */
  get dragsLimits(): boolean {
    return this.#limitDrag !== undefined;
  }

  endLimitDrag(): void {
    this.#limitDrag = undefined;
  }

  /** Sets limits in place of the character's own. Pins hold what they held. */
  setLimits(limits: Limits, pose: ArrayLike<number> = this.pose): void {
    const { pins } = this;
    const prior = new Map(pins);
    this.#setBody(withLimits(this.character, limits), pose);
    this.pins.clear();
    for (const [id, pin] of prior) this.pins.set(id, pin);
    this.#goalsChanged();
  }

  /** What undo keeps of the session. */
  snapshot(): SessionState {
    const { character, pose, pins } = this;
    return {
      character,
      pose: [...pose],
      pins: new Map(pins),
      gaze: this.#gaze,
      ground: this.#ground,
      balance: this.#balance,
      apart: this.#apart,
    };
  }

  /** Returns to a snapshot, to the bit. */
  restore({ character, pose, pins, gaze, ground, balance, apart }: SessionState): void {
    this.#ground = ground;
    this.#balance = balance;
    if (apart !== this.#apart) {
      this.#apart = apart;
      this.#shaped();
    }
    this.#setBody(character, pose);
    this.#gaze = gaze;
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

  /** Pins a handle, or changes what its pin holds. */
  pin(id: string, holds: Holds): void {
    this.#pin(id, holds);
    this.#goalsChanged();
  }

  /** Takes the same figure in another size: joint angles stay, the position of the root scales, pins move with the body. */
  resize(character: Character): void {
    const factor = character.size / this.character.size;
    const pose = Float64Array.from(this.pose);
    const root = character.figure.bones.find(({ joint }) => joint.type === 'free');
    for (let n = 0; n < 3 && root !== undefined; n++) pose[root.coordinate + n] *= factor;
    const gaze = this.#gaze?.map((x) => factor * x);
    this.setPose(character, pose, [...this.pins.keys()], gaze);
  }

  /** @throws Error for one that the character lacks. */
  handle(id: string): Handle {
    const handle = this.character.handles.find((each) => each.id === id);
    if (handle === undefined) throw new Error(`${id} is no handle`);
    return handle;
  }

  /** @param grip - A handle, or a point of the skin. The pin on the bone of that point moves with it. */
  beginDrag(grip: string | Grip): void {
    if (typeof grip === 'string') {
      this.#begin('move', grip, this.handle(grip));
      return;
    }
    const pinned = this.character.handles.find(({ id, bone }) => bone === grip.bone && this.pins.has(id));
    this.#begin('move', pinned?.id ?? '', grip);
  }

  /** Begins to turn the bone of a handle's rings about its joint. */
  beginTurn(id: string): void {
    const { bone: own, turns: bone = own } = this.handle(id);
    // Turned by hand, it looks where it is turned to.
    const prior = this.#gaze;
    if (this.#look?.bones.includes(bone)) this.#gaze = undefined;
    this.#begin('turn', bone === own ? id : '', { bone, point: [0, 0, 0] }, prior);
  }

  /** Begins to swivel a limb by a point off its middle joint. */
  beginSwivel(limb: Limb): void {
    const [x, y, z] = rigid.transformPoint(rigid.inverse(this.frameOf(limb.middle)), this.swivelAt(limb));
    this.#begin('swivel', '', { bone: limb.middle, point: [x, y, z] }, this.#gaze, limb);
  }

  /** Where the handle of a limb's swivel is, m: at the pointer while it is dragged. */
  swivelAt(limb: Limb): number[] {
    if (this.drag?.kind === 'swivel' && this.drag.limb?.id === limb.id) return [...this.drag.target];
    return Array.from(swivelPoint(this.state, limb, this.character.size));
  }

  /** The joint that it belongs to, m. */
  swivelFrom({ middle }: Limb): number[] {
    return this.#pointOf(middle, [0, 0, 0]);
  }

  #begin(
    kind: Drag['kind'],
    id: string,
    { bone, point }: Grip,
    gaze = this.#gaze,
    limb: Limb | undefined = undefined,
  ): void {
    const start = this.#pointOf(bone, point);
    const orientation = this.#orientation(bone);
    this.drag = {
      kind,
      id,
      bone,
      point,
      start,
      target: [...start],
      from: Float64Array.from(this.pose),
      relaxation: 1,
      orientation,
      rotated: [...orientation],
      gaze,
      limb,
    };
    // A character of a file has shapes once it is drawn.
    this.#shaped();
    this.#goalsChanged();
  }

  /** Turns the bone from where it was at the start, about an axis of the figure's world, rad. The angle is clamped to less than half a turn. */
  turnTo(axis: Vec3, angle: number): void {
    if (this.drag?.kind !== 'turn' || !Number.isFinite(angle)) return;
    const { orientation, rotated } = this.drag;
    const clamped = Math.min(MOST_TURN, Math.max(-MOST_TURN, angle));
    quat.multiply(quat.fromAxisAngle(axis, clamped), orientation, rotated);
    this.#isStale = true;
  }

  /** Moves the target of the drag, in the world of the figure, m. It is clamped to above the floor and to a largest distance. */
  dragTo(x: number, y: number, z: number): void {
    if (this.drag === undefined || this.drag.kind === 'turn' || ![x, y, z].every(Number.isFinite)) return;
    const { size, floor, figure } = this.character;
    const { start, target } = this.drag;
    const before = [...target];
    const pull = Math.hypot(x - start[0], y - start[1], z - start[2]);
    const share = Math.min(1, (FARTHEST * size) / pull);
    [x, y, z].forEach((to, i) => {
      target[i] = pull > 0 ? start[i] + share * (to - start[i]) : start[i];
    });
    const least = Math.min(floor + FLOOR * size, vec3.dot(start, figure.up));
    const below = least - vec3.dot(target, figure.up);
    if (below > 0) vec3.addScaled(target, figure.up, below, target);
    if (target.some((x, i) => x !== before[i])) this.#isStale = true;
  }

  /** Ends the drag: a pinned handle is pinned at its new position, and so are those of a limb that was swivelled. */
  endDrag(): void {
    if (this.drag === undefined) return;
    const { id, limb } = this.drag;
    this.drag = undefined;
    const moved = ({ id: other, bone }: Handle) => other === id || limb?.joints.has(bone);
    for (const handle of this.character.handles.filter(moved)) {
      const pin = this.pins.get(handle.id);
      if (pin !== undefined) this.#pin(handle.id, pin.holds);
    }
    this.#goalsChanged();
  }

  /** Ends the drag as if it had not begun. */
  cancelDrag(): boolean {
    const dragsLimits = this.#limitDrag !== undefined;
    if (this.#limitDrag !== undefined) this.restore(this.#limitDrag);
    const start = this.drag ?? (this.#gazeDrag && { from: this.#gazeDrag.from, gaze: this.#gazeDrag.target });
    if (start === undefined) return dragsLimits;
    this.pose.set(start.from);
    this.#gaze = start.gaze;
    this.drag = undefined;
    this.#gazeDrag = undefined;
    this.#moved();
    this.#goalsChanged();
    this.#keepsPose = true;
    return true;
  }

  /** World position of a handle, m. */
  handlePosition(id: string, out: number[] = [0, 0, 0]): number[] {
    const { bone, point } = this.handle(id);
    return this.#pointOf(bone, point, out);
  }

  /** World position of what is dragged, m. */
  dragPosition(out: number[] = [0, 0, 0]): number[] | undefined {
    return this.drag && this.#pointOf(this.drag.bone, this.drag.point, out);
  }

  /** Rotation and position of a bone in the world of the figure. */
  frameOf(bone: number): Float64Array {
    return this.state.worldFromBone.subarray(12 * bone, 12 * bone + 12);
  }

  /** Distance of a handle from its pin or drag target, m; undefined without either. */
  distanceLeft(id: string): number | undefined {
    const { drag } = this;
    if (drag?.kind === 'move' && drag.id === id)
      return vec3.distance(this.#pointOf(drag.bone, drag.point), drag.target);
    const pin = this.pins.get(id);
    return pin === undefined || pin.holds === 'rotation'
      ? undefined
      : vec3.distance(this.handlePosition(id), pin.target);
  }

  /** Angle of a handle's bone from the orientation of its pin, or to which it is rotated, rad; undefined without either. */
  angleLeft(id: string): number | undefined {
    const { drag } = this;
    const pin = this.pins.get(id);
    const target =
      drag?.kind === 'turn' && drag.id === id
        ? drag.rotated
        : pin?.holds === 'place'
          ? undefined
          : pin?.orientation;
    return target && quat.angleBetween(this.#orientation(this.handle(id).bone), target);
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
    const { status, objective = 0 } = this.result ?? {};
    // Of an unreachable target that rests: iterations continue from the last pose until it gets no nearer, and then nothing changes.
    const continues = !this.#isStale && status !== undefined && status !== 'converged';
    if (continues && status !== 'iteration-limit') return false;
    if (this.#isStale) this.#stillFrames = 0;
    this.#isStale = false;
    this.#solvers ??= this.#createSolvers();
    if (this.#solvers === undefined) {
      this.result = undefined;
      if (this.#gaze !== undefined && !this.#keepsPose) {
        this.#turnToGaze();
        this.#lookAtGaze();
        this.#moved();
      }
      this.#keepsPose = false;
      return true;
    }
    const repeats =
      this.drag === undefined ? 1 : Math.min(MAX_REPEATS, Math.max(1, Math.round(60 * seconds) || 1));
    const kept = this.#keepsPose && this.drag === undefined ? Float64Array.from(this.pose) : undefined;
    this.#keepsPose = false;
    const started = performance.now();
    for (let n = 0; n < repeats; n++) {
      const before = performance.now();
      const isStill = this.#near.length > 0 && this.#stillFrames++ > LAST_FRAMES;
      // Beside itself a body then does not recover, and keeps its planes: these and the pose would follow each other for ever.
      if (this.drag !== undefined && !isStill && !continues) this.#recover(this.drag);
      this.#turnToGaze();
      if (this.#selfDistance !== undefined) {
        // Where the body touches itself moves with it.
        forwardKinematics(this.state, this.pose);
        const { size } = this.character;
        if (!isStill || this.#selfDistance.gap(this.state) < -STILL_DEPTH * size) {
          const near = this.#apartGoals();
          if (!this.#selfDistance.areSame(near, this.#near)) {
            this.#near = near;
            this.#solvers = this.#createSolvers() ?? this.#solvers;
          }
        }
      }
      this.result = solveIk(this.#solvers.all, this.pose);
      const isReached = this.result.status === 'converged';
      if (this.drag !== undefined) {
        this.drag.relaxation = Math.min(1, (isReached ? RELAXATION_INCREASE : 0.5) * this.drag.relaxation);
      }
      const pins = isReached ? undefined : this.#solvers.pins?.();
      if (pins !== undefined) solveIk(pins, this.pose);
      this.#lookAtGaze();
      const now = performance.now();
      this.lastSolve = { milliseconds: now - before, iterations: this.result.iterations };
      if (now - started + this.lastSolve.milliseconds > SOLVE_BUDGET) break;
    }
    const { result } = this;
    if (continues && result?.status === 'iteration-limit' && result.objective > (1 - DECREASE) * objective) {
      this.result = { ...result, status: result.activeLimits.length > 0 ? 'limit-blocked' : 'out-of-reach' };
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
  #recover({ from, relaxation }: Drag): void {
    const { pose, figure, character } = this;
    for (const { index, coordinate, dof, joint } of figure.bones) {
      const share = relaxation * (character.trunk.has(index) ? TRUNK_RECOVERY : RECOVERY);
      const target = from.slice(coordinate, coordinate + dof);
      if (joint.type === 'free') {
        const now = pose.subarray(coordinate + 3, coordinate + 6);
        target.set(nearestRotationVector(target.subarray(3), now), 3);
      }
      for (let n = 0; n < dof; n++) pose[coordinate + n] += share * (target[n] - pose[coordinate + n]);
    }
  }

  /** Turns chest, neck and head to what it looks at, before the goals are solved. */
  #turnToGaze(): void {
    if (this.#gaze === undefined || this.#look === undefined || this.#headHolds() === 'rotation') return;
    if (this.#gazeDrag !== undefined) this.pose.set(this.#gazeDrag.from);
    clampToLimits(this.figure, this.pose);
    forwardKinematics(this.state, this.pose);
    this.#look.turn(this.state, this.pose, this.#gaze);
  }

  /** Turns head and eyes by what the goals have changed. */
  #lookAtGaze(): void {
    if (this.#gaze === undefined || this.#look === undefined) return;
    clampToLimits(this.figure, this.pose);
    forwardKinematics(this.state, this.pose);
    if (this.#headHolds() === undefined) this.#look.aimHead(this.state, this.pose, this.#gaze);
    this.#look.aimEyes(this.state, this.pose, this.#gaze);
  }

  /** What holds the head: its place by a pin or the drag, or its rotation. */
  #headHolds(): 'place' | 'rotation' | undefined {
    const head = this.#look?.head;
    const ids = this.character.handles.filter(({ bone }) => bone === head).map(({ id }) => id);
    const holds = ids.map((id) => this.pins.get(id)?.holds);
    if (holds.some((each) => each === 'rotation' || each === 'both')) return 'rotation';
    return holds.includes('place') || this.drag?.bone === head ? 'place' : undefined;
  }

  #createSolvers(): Solvers | undefined {
    const { character, state, pins, drag, ground, balance } = this;
    const sight = this.#gaze && this.#headHolds() === 'place' ? this.#look?.goal(this.#gaze) : undefined;
    return createSolvers({ character, state, pins, drag, ground, balance, near: this.#near, sight });
  }

  #apartGoals(): NearGoal[] {
    const { weight, tolerance } = nearGoalStrength(this.character.size);
    return this.#selfDistance?.goals(this.state, weight, tolerance) ?? [];
  }

  #setBody(character: Character, pose: ArrayLike<number>): void {
    this.drag = undefined;
    this.#limitDrag = undefined;
    this.#gazeDrag = undefined;
    if (character !== this.character) {
      this.character = character;
      this.state = createState(character.figure);
      this.pose = new Float64Array(character.figure.dof);
      this.#look = this.#gazeOf?.(character);
      this.#shaped();
      this.result = undefined;
    }
    this.pose.set(pose);
    this.#moved();
  }

  #pin(id: string, holds: Holds = this.handle(id).holds): void {
    const { bone } = this.handle(id);
    this.pins.set(id, { holds, target: this.handlePosition(id), orientation: this.#orientation(bone) });
  }

  #pointOf(bone: number, point: Vec3, out: number[] = [0, 0, 0]): number[] {
    return rigid.transformPoint(this.frameOf(bone), point, out);
  }

  #orientation(bone: number): [number, number, number, number] {
    return rigid.toQuat(this.frameOf(bone)) as [number, number, number, number];
  }

  #goalsChanged(): void {
    this.#selfDistance?.begin(this.state);
    this.#near = this.#apartGoals();
    this.#solvers = undefined;
    this.#isStale = true;
  }

  #moved(): void {
    clampToLimits(this.figure, this.pose);
    forwardKinematics(this.state, this.pose);
    this.version++;
  }
}
