import { DomainError } from 'poise';
import {
  type Actor,
  applyImpulse,
  createSimulation,
  type Simulation,
  type SimulationReport,
  standardGravity,
  stepSimulation,
  type WorldShape,
} from 'poise/dynamics';
import type { Triple } from 'poise/figure';
import { type FieldsOf, requireFields, requireNotNegative, requirePositive } from 'poise/internal/checks';
import { rigid, type Vec3 } from 'poise/math';
import { type Intersection, Object3D, type Vector3 } from 'three';
import type { FigureRoot } from '../binding/hierarchy.js';
import { boneOfIntersection } from './bone-of-intersection.js';
import { Grab } from './grab.js';
import { RagdollBinding, type RagdollBindingOptions } from './ragdoll-binding.js';

/** Options of {@link FigureSimulation}. */
export interface FigureSimulationOptions {
  /** Axes of the scene, m/s^2. Default: 9.81 against `Object3D.DEFAULT_UP`. */
  readonly gravity?: Vec3;
  /** Static shapes, m, axes of the scene. Default: a floor at height 0. */
  readonly world?: readonly WorldShape[];
  /** s. Default 1/120. */
  readonly timeStep?: number;
  /** Most steps of one update; the remaining time is dropped, so the simulation slows down. Default 12. */
  readonly maxSubSteps?: number;
  /** Metres per scene unit, 0.01 for centimetres. Default 1. */
  readonly metersPerUnit?: number;
  /** Whether characters at rest are put to sleep until a contact or impulse wakes them. Default true. */
  readonly sleep?: boolean;
  /** Called before each step, e.g. to set motor targets from the `animatedPose` of ragdolls. */
  readonly beforeStep?: (simulation: Simulation, timeStep: number) => void;
}

const FIELDS: FieldsOf<FigureSimulationOptions> = {
  gravity: true,
  world: true,
  timeStep: true,
  maxSubSteps: true,
  metersPerUnit: true,
  sleep: true,
  beforeStep: true,
};

/** Most bones that can be grabbed at once: ten fingers. */
const MAX_GRABS = 10;

/**
 * Simulates characters of a scene, which collide with each other and with a static world:
 *
 *     const simulation = new FigureSimulation();
 *     const ragdoll = simulation.add(character);
 *     // each frame, after mixer.update(seconds)
 *     simulation.update(seconds);
 *     // when it is hit
 *     simulation.applyImpulseAt(raycaster.intersectObject(character)[0], new Vector3(0, 20, -60));
 *
 * Its world is the scene's, in metres. The time step is fixed; the poses shown are interpolated between the last two steps,
 * so that motion is even at any frame rate, one step behind.
 */
export class FigureSimulation {
  readonly ragdolls: readonly RagdollBinding[] = [];
  readonly world: readonly WorldShape[];
  /** Up of the scene: `Object3D.DEFAULT_UP`. */
  readonly up: Triple;
  readonly timeStep: number;
  readonly maxSubSteps: number;
  readonly metersPerUnit: number;
  /** Number of steps in the last update. */
  steps = 0;

  readonly #sleep: boolean;
  readonly #beforeStep: FigureSimulationOptions['beforeStep'];
  #gravity: readonly [number, number, number];
  readonly #grabs = new Set<Grab>();
  #simulation: Simulation | undefined;
  /** Time since the last step, s. */
  #remainder = 0;
  #isStale = false;

  /** @throws DomainError for options that are out of range. */
  constructor(options: FigureSimulationOptions = {}) {
    requireFields(options, FIELDS, 'options', DomainError);
    const { x, y, z } = Object3D.DEFAULT_UP;
    this.up = [x, y, z];
    const gravity = options.gravity ?? standardGravity(this.up);
    this.#gravity = [gravity[0], gravity[1], gravity[2]];
    this.world = options.world ?? [{ type: 'plane' }];
    const { timeStep = 1 / 120, maxSubSteps = 12, metersPerUnit = 1 } = options;
    requirePositive(timeStep, 'options.timeStep', DomainError, 's');
    requirePositive(maxSubSteps, 'options.maxSubSteps', DomainError, 'steps');
    requirePositive(metersPerUnit, 'options.metersPerUnit', DomainError, 'm');
    this.timeStep = timeStep;
    this.maxSubSteps = maxSubSteps;
    this.metersPerUnit = metersPerUnit;
    this.#sleep = options.sleep ?? true;
    this.#beforeStep = options.beforeStep;
  }

  /**
   * The simulation, with an actor for each started ragdoll, in their order; created anew when these change. undefined
   * without a started ragdoll.
   */
  get simulation(): Simulation | undefined {
    return this.#currentSimulation();
  }

  /** m/s^2, axes of the scene. Assigning another wakes all characters. */
  get gravity(): Vec3 {
    return this.#gravity;
  }

  set gravity(gravity: Vec3) {
    this.#gravity = [gravity[0], gravity[1], gravity[2]];
    this.#isStale = true;
  }

  /**
   * Adds a character: creates a figure of its bones and a ragdoll with shapes fitted to its skins. It stays animated until it
   * is started.
   *
   * @param root - As for `figureFromObject3D`, in its rest pose.
   * @throws FigureError as `figureFromObject3D`, `bindFigure` and `createRagdoll` do; `unsupported` without a free joint.
   */
  add(root: FigureRoot, options: RagdollBindingOptions = {}): RagdollBinding {
    const ragdoll = new RagdollBinding(root, options, this.metersPerUnit, this.up);
    (this.ragdolls as RagdollBinding[]).push(ragdoll);
    return ragdoll;
  }

  /** Removes a character; its bones return to the animation. */
  remove(ragdoll: RagdollBinding): void {
    const k = this.ragdolls.indexOf(ragdoll);
    if (k < 0) return;
    this.#releaseGrabs(ragdoll);
    if (ragdoll.active) this.#isStale = true;
    (this.ragdolls as RagdollBinding[]).splice(k, 1);
    ragdoll.dispose();
  }

  /**
   * Starts the physics of a character from its current pose.
   *
   * @param momentum - Whether it starts with the animation's velocity between the last two updates, else at rest. Default true.
   */
  start(ragdoll: RagdollBinding, { momentum = true }: { readonly momentum?: boolean } = {}): void {
    if (ragdoll.active) return;
    ragdoll.startFromAnimation(momentum);
    // The actor's index is set when the simulation is created.
    ragdoll.index = this.ragdolls.indexOf(ragdoll);
    this.#isStale = true;
  }

  /** Returns a character to its animation, at once: fade `weight` to 0 before. */
  stop(ragdoll: RagdollBinding): void {
    if (!ragdoll.active) return;
    this.#releaseGrabs(ragdoll);
    ragdoll.returnToAnimation();
    this.#isStale = true;
  }

  /** The actor of a character; undefined while it is animated. */
  actorOf(ragdoll: RagdollBinding): Actor | undefined {
    const simulation = this.#currentSimulation();
    return ragdoll.active ? simulation?.actors[ragdoll.index] : undefined;
  }

  /**
   * Takes the steps that are due and writes the bones. Call it each frame, after the mixer's update.
   *
   * @param sinceLast - Seconds since the last call. Less than 0 counts as 0: a browser's first frame may be stamped before the
   *   clock was started.
   * @returns the report of the last step; undefined without a started ragdoll.
   * @throws DomainError for a time that is not finite.
   */
  update(sinceLast: number): SimulationReport | undefined {
    const seconds = Math.max(0, sinceLast);
    if (!Number.isFinite(sinceLast)) {
      throw new DomainError('out-of-range', `is ${sinceLast} s.`, {
        path: 'update(seconds)',
        remedy: 'Give the seconds since the last frame.',
      });
    }
    for (const ragdoll of this.ragdolls) {
      if (!ragdoll.active) ragdoll.recordAnimation(seconds);
      else if (this.#beforeStep) ragdoll.readAnimation();
    }
    const simulation = this.#currentSimulation();
    const { timeStep } = this;
    this.steps = 0;
    if (simulation === undefined) return undefined;
    this.#remainder += seconds;
    // Tolerance: a step that is due up to rounding is taken.
    const dueSteps = Math.floor(this.#remainder / timeStep + 1e-9);
    const steps = Math.min(dueSteps, this.maxSubSteps);
    for (const grab of this.#grabs) grab.updateConnection();
    this.#setDrags(simulation);
    for (; this.steps < steps; this.steps++) this.#step(simulation);
    this.#remainder = Math.max(0, this.#remainder - dueSteps * timeStep);
    const alpha = this.#remainder / timeStep;
    for (const ragdoll of this.ragdolls) if (ragdoll.active) ragdoll.writeInterpolated(alpha);
    return simulation.report;
  }

  /**
   * Applies an impulse at the point that a ray has hit; an animated character is started.
   *
   * @param hit - From a `Raycaster`, on a skinned mesh or on an object below a bone.
   * @param impulse - Axes of the scene, N s.
   * @returns whether the hit was on a character.
   */
  applyImpulseAt(hit: Intersection | undefined, { x, y, z }: Pick<Vector3, 'x' | 'y' | 'z'>): boolean {
    const found = hit && this.boneAt(hit);
    if (!found) return false;
    const { ragdoll, bone } = found;
    const local = this.#pointOnBone(ragdoll, bone, hit.point);
    this.start(ragdoll);
    const simulation = this.#currentSimulation();
    if (simulation === undefined) return false;
    const { worldFromBone } = simulation.actors[ragdoll.index].work.dynamics.state;
    const point = rigid.transformPoint(worldFromBone.subarray(12 * bone, 12 * bone + 12), local);
    applyImpulse(simulation, ragdoll.index, bone, [x, y, z], point);
    return true;
  }

  /**
   * Grabs the bone that a ray has hit at that point, and drags it to the `target` of the grab, which starts there; an
   * animated character is started.
   *
   * @param options - `maxForce`, N, default four times the weight of the character; `drag` on its motion while it is grabbed, 1/s, default 1: without it, it
   *   swings for minutes.
   * @returns undefined if the hit was on no character, or ten bones are grabbed already.
   * @throws DomainError for a drag that is negative or not finite.
   */
  grab(
    hit: Intersection | undefined,
    options: { readonly maxForce?: number; readonly drag?: number } = {},
  ): Grab | undefined {
    const { maxForce, drag = 1 } = options;
    requireNotNegative(drag, 'options.drag', DomainError, '1/s');
    const found = hit && this.boneAt(hit);
    if (!found || this.#grabs.size === MAX_GRABS) return undefined;
    const { ragdoll, bone } = found;
    const local = this.#pointOnBone(ragdoll, bone, hit.point);
    this.start(ragdoll);
    const simulation = this.#currentSimulation();
    const connection = simulation?.connections.find(({ enabled }) => !enabled);
    if (simulation === undefined || connection === undefined) return undefined;
    const grabForce = maxForce ?? 4 * 9.81 * ragdoll.ragdoll.mass;
    const release = (one: Grab): void => {
      this.#grabs.delete(one);
    };
    const grab = new Grab(ragdoll, bone, local, hit.point, grabForce, drag, this.metersPerUnit, release);
    grab.attach(simulation, connection);
    this.#grabs.add(grab);
    return grab;
  }

  /** The character and the index of the bone that a ray has hit; undefined if it hit none. */
  boneAt(hit: Intersection): { readonly ragdoll: RagdollBinding; readonly bone: number } | undefined {
    for (const ragdoll of this.ragdolls) {
      const bone = boneOfIntersection(ragdoll.binding, hit);
      if (bone >= 0) return { ragdoll, bone };
    }
    return undefined;
  }

  /** Returns all characters to their animations. */
  dispose(): void {
    for (const ragdoll of [...this.ragdolls]) this.remove(ragdoll);
    this.#simulation = undefined;
  }

  #step(simulation: Simulation): void {
    this.#beforeStep?.(simulation, this.timeStep);
    for (const ragdoll of this.ragdolls) {
      // From the actor: the caller may have changed its pose.
      if (ragdoll.active) ragdoll.storePreviousPose(simulation.actors[ragdoll.index].pose);
    }
    stepSimulation(simulation, this.timeStep);
    this.#readStates(simulation);
  }

  #readStates(simulation: Simulation): void {
    for (const ragdoll of this.ragdolls) {
      if (!ragdoll.active) continue;
      const { pose, velocity } = simulation.actors[ragdoll.index];
      ragdoll.pose.set(pose);
      ragdoll.velocity.set(velocity);
    }
  }

  /** The simulation, created anew from the current states if the started ragdolls or gravity have changed. */
  #currentSimulation(): Simulation | undefined {
    if (!this.#isStale) return this.#simulation;
    const active = this.ragdolls.filter((ragdoll) => ragdoll.active);
    const previous = this.#simulation;
    this.#isStale = false;
    if (active.length === 0) {
      this.#simulation = undefined;
      this.#remainder = 0;
      return undefined;
    }
    const simulation = createSimulation(
      active.map((ragdoll) => ragdoll.actorOptions()),
      {
        gravity: this.#gravity,
        up: this.up,
        world: this.world,
        sleep: this.#sleep,
        connections: Array.from({ length: MAX_GRABS }, () => ({ type: 'point', a: { bone: 0 }, b: {} })),
      },
    );
    for (const connection of simulation.connections) connection.enabled = false;
    simulation.time = previous?.time ?? 0;
    active.forEach((ragdoll, k) => {
      ragdoll.index = k;
    });
    let next = 0;
    for (const grab of this.#grabs) grab.attach(simulation, simulation.connections[next++]);
    this.#simulation = simulation;
    this.#readStates(simulation);
    return simulation;
  }

  #setDrags(simulation: Simulation): void {
    for (const ragdoll of this.ragdolls) {
      if (!ragdoll.active) continue;
      let drag = 0;
      for (const grab of this.#grabs) if (grab.ragdoll === ragdoll) drag = Math.max(drag, grab.drag);
      ragdoll.setDrag(simulation.actors[ragdoll.index].damping, drag);
    }
  }

  #releaseGrabs(ragdoll: RagdollBinding): void {
    for (const grab of [...this.#grabs]) if (grab.ragdoll === ragdoll) grab.release();
  }

  /** A point of the scene in the frame of a bone in its shown pose, m. */
  #pointOnBone({ state }: RagdollBinding, bone: number, { x, y, z }: Vector3): number[] {
    const point = [x, y, z].map((coordinate) => coordinate * this.metersPerUnit);
    return rigid.inverseTransformPoint(state.worldFromBone.subarray(12 * bone, 12 * bone + 12), point);
  }
}
