import {
  applyImpulse,
  attachConnection,
  blendPoses,
  type Connection,
  createDynamics,
  createMotionTracker,
  createMotorGains,
  createSimulation,
  type MotionTracker,
  potentialEnergy,
  type Simulation,
  standardGravity,
  stepSimulation,
  trackPose,
  wakeActor,
} from 'poise/dynamics';
import {
  createState,
  type Figure,
  type FigureState,
  findRootJoints,
  forwardKinematics,
  type Triple,
} from 'poise/figure';
import { rigid, vec3 } from 'poise/math';
import { type Motion, motionFromPoses } from 'poise/motion';
import { shownAxes } from '../character/character.js';
import { shiftPose } from '../character/shift-pose.js';
import { GROUNDS, type Ground } from '../scene/ground.js';
import { bonesBelow, type FallBody, type FallFigure, figureInPose } from './fall-body.js';
import { worldOf } from './ground-shapes.js';
import { type Hit, pickShape } from './pick.js';

/** Step, s, most steps of a frame, and their time, ms: a slow machine shows slow motion. */
const STEP = 1 / 120;
const MAX_STEPS = 12;
const BUDGET = 24;
/** Steps between two poses of the record, and the most of these: a minute. */
const RECORD_EVERY = 2;
const MOST_RECORDED = 3600;
/** Poses of the record a second. */
export const RECORDED_RATE = 1 / (RECORD_EVERY * STEP);
/** Largest force of a grab, in weights, and impulse of a push over the mass, m/s, where a body is 1.75 m high. */
const PULL = 3;
const PUSH = 1.6;
/**
 * Blow at the start, in pushes: over the edge of a height; elsewhere that of nobody standing quite still, without which limbs fold into a
 * heap that stays upright.
 */
const OVER_EDGE = { direction: [1, 0, 0], share: 0.7 } as const;
const SWAY = { direction: [0.5, 0, -1], share: 0.2 } as const;
/** Drag while it is held, 1/s: else it swings for minutes. And the radius of gyration about the long axis, in heights. */
const GRAB_DRAG = 1;
const GYRATION = 0.12;
/** By which a press may miss a limb, over the size. */
const SLACK = 0.012;
const GRAVITY = 9.81;

/** A pose that changes with time: what drives follow, from the start of the fall on; they hold its end. */
export interface Followed {
  readonly start: number;
  readonly end: number;
  /** Of the character. @param time - s. */
  poseAt(time: number): ArrayLike<number>;
}

export interface FallOptions {
  readonly ground: Ground;
  /** Only the bones from this one on fall. Default: all. */
  readonly below?: number | undefined;
  /** Of the drives that hold the pose, or follow `motion`, 0 to 1. Default 0: limp. */
  readonly strength?: number;
  /** Whether drives keep the body upright too. Default false. */
  readonly balances?: boolean;
  readonly motion?: Followed | undefined;
}

/** Energies after a step, J, and when, s. */
export interface Energy {
  readonly time: number;
  readonly kinetic: number;
  readonly potential: number;
}

/** A body that falls from a pose. Poses are of the character, points and directions of the scene. */
export class Fall {
  /** What is shown. */
  readonly pose: Float64Array;
  /** Of the last step. */
  energy: Energy;
  /** Factor of time. */
  speed = 1;

  /** What it falls on: what hangs in the air has the flat floor alone. */
  readonly ground: Ground;

  readonly #body: FallBody;
  readonly #fallen: FallFigure;
  readonly #simulation: Simulation;
  readonly #grab: Connection;
  readonly #start: Float64Array;
  #tracker: MotionTracker | undefined;
  readonly #motion: Followed | undefined;
  readonly #state: FigureState;
  readonly #previous: Float64Array;
  readonly #shown: Float64Array;
  readonly #axes: readonly [Triple, Triple, Triple];
  readonly #base: number;
  readonly #recorded: Float64Array[] = [];
  readonly #movingMass: number;
  #lift: Triple = [0, 0, 0];
  #grabbed:
    | { readonly bone: number; readonly point: readonly number[]; target: readonly number[] }
    | undefined;
  #remainder = 0;
  #milliseconds = 0;
  #steps = 0;

  /** @throws PoiseError for what cannot be simulated. */
  constructor(body: FallBody, pose: ArrayLike<number>, options: FallOptions) {
    const { character, ragdoll, scale, unit } = body;
    const { below, strength = 0, balances = false, motion } = options;
    this.#body = body;
    this.pose = Float64Array.from(pose);
    this.#axes = shownAxes(character);
    const part = below === undefined ? undefined : bonesBelow(character.figure, below);
    const moves = body.moves.map((isMoved, b) => isMoved && (part === undefined || part[b]));
    const fallen = figureInPose(body, this.pose, moves);
    this.#fallen = fallen;
    const { figure, damping, pairs } = fallen;
    this.#state = createState(figure);
    const start = new Float64Array(figure.dof);
    for (const { of, to, factor } of pairs) start[to] = factor * this.pose[of];
    const isFree = hasFreeRoot(figure);
    this.ground = isFree ? options.ground : GROUNDS[0];
    const [, up] = this.#axes;
    if (isFree) {
      this.#lift = up.map((x) => unit * this.ground.lift * x) as unknown as Triple;
      shiftPose(figure, start, this.#lift);
    }
    const floor = character.floor * scale;
    const [first] = findRootJoints(figure);
    this.#simulation = createSimulation(
      [{ figure, shapes: ragdoll.shapes, exclude: ragdoll.exclude, damping, pose: start }],
      {
        up,
        world: worldOf(this.ground, this.#axes, floor, unit),
        connections: [{ type: 'point', a: { bone: first }, b: { position: [0, 0, 0] } }],
      },
    );
    const [actor] = this.#simulation.actors;
    [this.#grab] = this.#simulation.connections;
    this.#grab.enabled = false;
    this.#previous = Float64Array.from(actor.pose);
    this.#shown = Float64Array.from(actor.pose);
    const mass = figure.bones.reduce((sum, bone) => sum + (bone.mass ?? 0), 0);
    const moved = movedBones(figure);
    this.#movingMass = figure.bones.reduce(
      (sum, bone) => sum + (moved[bone.index] ? (bone.mass ?? 0) : 0),
      0,
    );
    this.#motion = motion;
    this.#start = Float64Array.from(actor.pose);
    this.setDrives(strength, balances);
    this.#show(1);
    // Potential energy is that over the floor; of what hangs, over its start.
    const potential = potentialEnergy(createDynamics(figure, { gravity: standardGravity(up) }), actor.pose);
    this.#base = isFree ? GRAVITY * mass * floor : potential;
    this.energy = { time: 0, kinetic: 0, potential: potential - this.#base };
    if (isFree) {
      const { direction, share } = this.ground.lift > 0 ? OVER_EDGE : SWAY;
      this.push(direction, share);
    }
    this.#record();
  }

  /** Whether it has come to rest: not before what it follows has ended. */
  get isAsleep(): boolean {
    return this.#simulation.actors[0].asleep && !this.#isFollowing;
  }

  get #isFollowing(): boolean {
    return this.#motion !== undefined && this.time < this.#motion.end - this.#motion.start;
  }

  get isHeld(): boolean {
    return this.#grabbed !== undefined;
  }

  /** s since it began to fall. */
  get time(): number {
    return this.#simulation.time;
  }

  /** Advances by a time, s, of which what is too much for a frame is dropped. @returns whether it has moved. */
  step(seconds: number): boolean {
    if (this.isAsleep) return false;
    this.#remainder += this.speed * Math.max(0, seconds);
    const affordable = Math.max(1, Math.floor(BUDGET / Math.max(this.#milliseconds, 1e-3)));
    const due = Math.floor(this.#remainder / STEP + 1e-9);
    const steps = Math.min(due, MAX_STEPS, affordable);
    const before = performance.now();
    for (let n = 0; n < steps; n++) this.#step();
    if (steps > 0) this.#milliseconds = (performance.now() - before) / steps;
    this.#remainder = Math.max(0, this.#remainder - due * STEP);
    this.#show(this.isAsleep ? 1 : Math.min(1, this.#remainder / STEP));
    return true;
  }

  /** What a ray of the scene meets of the body; undefined for nothing. */
  pick(origin: readonly number[], direction: readonly number[]): Hit | undefined {
    const { ragdoll, character, scale } = this.#body;
    const slack = SLACK * character.size * scale;
    const { figure } = this.#fallen;
    return pickShape(
      figure,
      this.#state,
      ragdoll.shapes,
      this.#inward(origin),
      this.#rotated(direction),
      slack,
    );
  }

  /** Holds a point of a bone, where it is, until {@link release}. */
  grab({ bone, point }: Pick<Hit, 'bone' | 'point'>): void {
    this.release();
    const [x, y, z] = point;
    attachConnection(this.#simulation, this.#grab, { bone, position: [x, y, z] });
    this.#grab.maxForce = PULL * GRAVITY * this.#movingMass;
    this.#grab.positionB.set(this.#worldPoint(bone, point));
    this.#grab.enabled = true;
    this.#grabbed = { bone, point, target: this.#outward(this.#grab.positionB) };
    this.#setDrag(GRAB_DRAG);
  }

  /** Moves the point that the held one is drawn to. */
  pull(target: readonly number[]): void {
    if (this.#grabbed === undefined || !target.every(Number.isFinite)) return;
    this.#grabbed.target = target;
    this.#grab.positionB.set(this.#inward(target));
  }

  release(): void {
    if (this.#grabbed === undefined) return;
    this.#grab.enabled = false;
    this.#grabbed = undefined;
    this.#setDrag(0);
  }

  /** The two ends of the spring of the grab; undefined without one. */
  get tether(): { readonly from: readonly number[]; readonly to: readonly number[] } | undefined {
    const grabbed = this.#grabbed;
    return (
      grabbed && { from: this.#outward(this.#worldPoint(grabbed.bone, grabbed.point)), to: grabbed.target }
    );
  }

  /** A blow along a direction: on a point of a bone, or on the middle of the body. */
  push(direction: readonly number[], share = 1, hit?: Pick<Hit, 'bone' | 'point'>): void {
    const along = vec3.normalize(this.#rotated(direction));
    const { bone, point: local } = hit ?? this.#middle();
    const size = share * PUSH * this.#movingMass * Math.sqrt(this.#body.unit);
    const impulse: Triple = [size * along[0], size * along[1], size * along[2]];
    applyImpulse(this.#simulation, 0, bone, impulse, this.#worldPoint(bone, local));
  }

  /** Drives hold the pose that it began with, or follow the motion. @param balances - Whether the body is kept upright too. */
  setDrives(strength: number, balances: boolean): void {
    if (strength === 0 && this.#tracker === undefined) return;
    const { figure } = this.#fallen;
    const isFree = hasFreeRoot(figure);
    const gains = createMotorGains(figure, {
      humanoid: this.#body.ragdoll.humanoid ?? false,
      root: balances && isFree ? 'assisted' : 'none',
    });
    this.#tracker = createMotionTracker(this.#simulation, 0, {
      gains,
      weights: new Float64Array(figure.bones.length).fill(strength),
      feedForward: balances || !isFree ? 'constrained' : 'none',
    });
    trackPose(this.#tracker, this.#targetAt(this.time), STEP);
    wakeActor(this.#simulation.actors[0]);
  }

  /** Poses of the character since the start. */
  get recorded(): readonly Float64Array[] {
    return this.#recorded;
  }

  /** What was simulated since the start, as a motion of the character; undefined where nothing was. */
  motion(name: string): Motion | undefined {
    if (this.#recorded.length < 2) return undefined;
    const times = Float64Array.from(this.#recorded, (_, k) => k / RECORDED_RATE);
    return motionFromPoses(this.#body.character.figure, times, this.#recorded, {
      interpolation: 'linear',
      name,
    });
  }

  #step(): void {
    const { actors } = this.#simulation;
    const [{ pose }] = actors;
    this.#previous.set(pose);
    this.#followMotion();
    stepSimulation(this.#simulation, STEP);
    const { kinetic, potential } = this.#simulation.report;
    this.energy = { time: this.time, kinetic, potential: potential - this.#base };
    this.#steps++;
    if (this.#steps % RECORD_EVERY === 0) {
      this.#show(1);
      this.#record();
    }
  }

  #record(): void {
    if (this.#recorded.length < MOST_RECORDED) this.#recorded.push(Float64Array.from(this.pose));
  }

  /** Sets what is shown between the last two steps. */
  #show(share: number): void {
    const { figure, pairs } = this.#fallen;
    const [{ pose }] = this.#simulation.actors;
    if (share >= 1) this.#shown.set(pose);
    else blendPoses(figure, this.#previous, pose, share, this.#shown);
    for (const { of, to, factor } of pairs) this.pose[of] = this.#shown[to] / factor;
    forwardKinematics(this.#state, this.#shown);
  }

  /** Sets the target of the drives at the end of the next step. */
  #followMotion(): void {
    if (this.#tracker === undefined || this.#motion === undefined) return;
    trackPose(this.#tracker, this.#targetAt(this.time + STEP), STEP);
    if (this.#isFollowing) wakeActor(this.#simulation.actors[0]);
  }

  /** What the drives hold: the pose that it began with, or that of the motion at a time, s. */
  #targetAt(time: number): Float64Array {
    if (this.#motion === undefined) return this.#start;
    const { figure, pairs } = this.#fallen;
    const { start, end } = this.#motion;
    const pose = this.#motion.poseAt(Math.min(start + time, end));
    const target = new Float64Array(figure.dof);
    for (const { of, to, factor } of pairs) target[to] = factor * pose[of];
    if (hasFreeRoot(figure)) shiftPose(figure, target, this.#lift);
    return target;
  }

  /** Drag on the motion of a floating body, 1/s. */
  #setDrag(drag: number): void {
    const { figure, damping } = this.#fallen;
    const [actor] = this.#simulation.actors;
    const square = (GYRATION * this.#body.ragdoll.height) ** 2;
    for (const bone of findRootJoints(figure)) {
      const { coordinate, joint } = figure.bones[bone];
      if (joint.type !== 'free') continue;
      for (let k = 0; k < 6; k++) {
        const i = coordinate + k;
        actor.damping[i] = damping[i] + drag * this.#movingMass * (k < 3 ? 1 : square);
      }
    }
  }

  /** What a push without a point meets: of a human the chest, else the heaviest of what moves. */
  #middle(): Pick<Hit, 'bone' | 'point'> {
    const { bones } = this.#fallen.figure;
    const chest = this.#body.character.humanoid?.bones.chest;
    const moved = movedBones(this.#fallen.figure);
    const bone =
      chest !== undefined && moved[chest]
        ? bones[chest]
        : bones.filter(({ index }) => moved[index]).reduce((a, b) => ((b.mass ?? 0) > (a.mass ?? 0) ? b : a));
    return { bone: bone.index, point: bone.centerOfMass ?? [0, 0, 0] };
  }

  #worldPoint(bone: number, point: readonly number[]): [number, number, number] {
    const frame = this.#state.worldFromBone.subarray(12 * bone, 12 * bone + 12);
    const [x, y, z] = rigid.transformPoint(frame, point as unknown as Triple);
    return [x, y, z];
  }

  /** A direction of the scene in the simulation. */
  #rotated([x, y, z]: readonly number[]): [number, number, number] {
    const [a, b, c] = this.#axes;
    return [x * a[0] + y * b[0] + z * c[0], x * a[1] + y * b[1] + z * c[1], x * a[2] + y * b[2] + z * c[2]];
  }

  #inward(point: readonly number[]): [number, number, number] {
    const { unit, scale, character } = this.#body;
    const [, up] = this.#axes;
    const rotated = this.#rotated(point);
    const floor = character.floor * scale;
    return [0, 1, 2].map((k) => unit * rotated[k] + floor * up[k]) as [number, number, number];
  }

  #outward(point: ArrayLike<number>): [number, number, number] {
    const { unit, scale, character } = this.#body;
    const [left, up, forward] = this.#axes;
    const at: Triple = [point[0], point[1], point[2]];
    const floor = character.floor * scale;
    return [vec3.dot(at, left) / unit, (vec3.dot(at, up) - floor) / unit, vec3.dot(at, forward) / unit];
  }
}

function hasFreeRoot(figure: Figure): boolean {
  return findRootJoints(figure).some((bone) => figure.bones[bone].joint.type === 'free');
}

/** Whether a joint moves it, by bone. */
function movedBones({ bones }: Figure): readonly boolean[] {
  const moved: boolean[] = [];
  for (const { dof, parent } of bones) moved.push(dof > 0 || (parent >= 0 && moved[parent]));
  return moved;
}
