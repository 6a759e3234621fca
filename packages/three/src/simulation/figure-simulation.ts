import { DomainError } from 'poise';
import {
  type Actor,
  applyImpulse,
  createSimulation,
  type Simulation,
  type SimulationReport,
  stepSimulation,
  type WorldShape,
} from 'poise/dynamics';
import { rigid, type Vec3 } from 'poise/math';
import type { Intersection, Vector3 } from 'three';
import type { FigureRoot } from '../binding/hierarchy.js';
import { checkFields, type FieldsOf } from '../binding/validate-options.js';
import { boneOfIntersection } from './bone-of-intersection.js';
import { Grab } from './grab.js';
import { RagdollBinding, type RagdollBindingOptions } from './ragdoll-binding.js';

/** Options of {@link FigureSimulation}. */
export interface FigureSimulationOptions {
  /** Axes of the scene, m/s^2. Default `[0, -9.81, 0]`. */
  readonly gravity?: Vec3;
  /** What stands still, m, axes of the scene. Default: a floor at y = 0. */
  readonly world?: readonly WorldShape[];
  /** s. Default 1/120. */
  readonly timeStep?: number;
  /** Steps that one update takes at most; time beyond is left out, and all goes slower. Default 12. */
  readonly maxSubSteps?: number;
  /** Metres that a unit of the scene stands for, 0.01 for centimetres. Default 1. */
  readonly metersPerUnit?: number;
  /** Whether what lies still may be left alone until it is stirred. Default true. */
  readonly sleep?: boolean;
  /** Called before each step: what writes motors, by the `animatedPose` of ragdolls say. */
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

/** Bones that can be held at once: fingers of two hands. */
const GRABS = 10;

/**
 * Characters of a scene that move by physics, among each other and in a world:
 *
 *     const simulation = new FigureSimulation();
 *     const ragdoll = simulation.add(character);
 *     // each frame, after mixer.update(seconds)
 *     simulation.update(seconds);
 *     // when it is hit
 *     simulation.pushAt(raycaster.intersectObject(character)[0], new Vector3(0, 20, -60));
 *
 * Its world is the scene's, in metres. Steps are of one length; what is shown stands between the last two, so that it moves evenly at any frame
 * rate, a step behind.
 */
export class FigureSimulation {
  readonly ragdolls: readonly RagdollBinding[] = [];
  readonly world: readonly WorldShape[];
  readonly timeStep: number;
  readonly maxSubSteps: number;
  readonly metersPerUnit: number;
  /** Steps of the last update. */
  steps = 0;

  readonly #sleep: boolean;
  readonly #beforeStep: FigureSimulationOptions['beforeStep'];
  #gravity: readonly [number, number, number];
  readonly #grabs = new Set<Grab>();
  #simulation: Simulation | undefined;
  /** s that have gone by beyond the last step. */
  #left = 0;
  #isStale = false;

  /** @throws DomainError for numbers that make no sense. */
  constructor(options: FigureSimulationOptions = {}) {
    checkFields(options, FIELDS, 'options', DomainError);
    const gravity = options.gravity ?? [0, -9.81, 0];
    this.#gravity = [gravity[0], gravity[1], gravity[2]];
    this.world = options.world ?? [{ type: 'plane' }];
    this.timeStep = positive(options.timeStep ?? 1 / 120, 'options.timeStep', 's');
    this.maxSubSteps = positive(options.maxSubSteps ?? 12, 'options.maxSubSteps', 'steps');
    this.metersPerUnit = positive(options.metersPerUnit ?? 1, 'options.metersPerUnit', 'm');
    this.#sleep = options.sleep ?? true;
    this.#beforeStep = options.beforeStep;
  }

  /** What moves: an actor for each ragdoll that has been started, in their order; made anew when these change. undefined where there is none. */
  get simulation(): Simulation | undefined {
    return this.#make();
  }

  /** m/s^2, axes of the scene. Put another here: all wake. */
  get gravity(): Vec3 {
    return this.#gravity;
  }

  set gravity(gravity: Vec3) {
    this.#gravity = [gravity[0], gravity[1], gravity[2]];
    this.#isStale = true;
  }

  /**
   * Binds a character: a figure of its bones, a ragdoll of that, shapes around its skins. It stays animated until it is started.
   *
   * @param root - As for `figureFromObject3D`; it stands at rest now.
   * @throws FigureError as `figureFromObject3D`, `bindFigure` and `createRagdoll` do; `unsupported` where no bone is free to move.
   */
  add(root: FigureRoot, options: RagdollBindingOptions = {}): RagdollBinding {
    const ragdoll = new RagdollBinding(root, options, this.metersPerUnit);
    (this.ragdolls as RagdollBinding[]).push(ragdoll);
    return ragdoll;
  }

  /** Takes a character out; its bones go back to the animation. */
  remove(ragdoll: RagdollBinding): void {
    const k = this.ragdolls.indexOf(ragdoll);
    if (k < 0) return;
    this.#letGo(ragdoll);
    if (ragdoll.active) this.#isStale = true;
    (this.ragdolls as RagdollBinding[]).splice(k, 1);
    ragdoll.dispose();
  }

  /**
   * Physics takes over a character, where its bones stand.
   *
   * @param momentum - Whether it goes on as fast as the animation has moved it between the last two updates. Default true.
   */
  start(ragdoll: RagdollBinding, { momentum = true }: { readonly momentum?: boolean } = {}): void {
    if (ragdoll.active) return;
    ragdoll.takeOver(momentum);
    // Its place is found when the simulation is made.
    ragdoll.index = this.ragdolls.indexOf(ragdoll);
    this.#isStale = true;
  }

  /** The animation takes a character back, at once: fade `weight` to 0 before. */
  stop(ragdoll: RagdollBinding): void {
    if (!ragdoll.active) return;
    this.#letGo(ragdoll);
    ragdoll.giveBack();
    this.#isStale = true;
  }

  /** The actor of a character; undefined while it is animated. */
  actorOf(ragdoll: RagdollBinding): Actor | undefined {
    const simulation = this.#make();
    return ragdoll.active ? simulation?.actors[ragdoll.index] : undefined;
  }

  /**
   * Takes as many steps as time has gone by, and writes the bones: the call of each frame, after the mixer's.
   *
   * @returns how the last step went; undefined where nothing has been started.
   * @throws DomainError for a time that is negative or no number.
   */
  update(seconds: number): SimulationReport | undefined {
    if (!(seconds >= 0 && seconds < Number.POSITIVE_INFINITY)) {
      throw new DomainError('out-of-range', `is ${seconds} s.`, {
        path: 'update(seconds)',
        remedy: 'Give the seconds since the last frame.',
      });
    }
    for (const ragdoll of this.ragdolls) {
      if (!ragdoll.active) ragdoll.note(seconds);
      else if (this.#beforeStep) ragdoll.readAnimation();
    }
    const simulation = this.#make();
    const { timeStep } = this;
    this.steps = 0;
    if (simulation === undefined) return undefined;
    this.#left += seconds;
    // A step that is due but for rounding is due.
    const due = Math.floor(this.#left / timeStep + 1e-9);
    const steps = Math.min(due, this.maxSubSteps);
    for (const grab of this.#grabs) grab.pull();
    for (; this.steps < steps; this.steps++) this.#step(simulation);
    this.#left = Math.max(0, this.#left - due * timeStep);
    const share = this.#left / timeStep;
    for (const ragdoll of this.ragdolls) if (ragdoll.active) ragdoll.write(share);
    return simulation.report;
  }

  /**
   * Pushes the bone that a ray has hit; one that is animated is started.
   *
   * @param hit - From a `Raycaster`, on a skinned mesh or on what hangs from a bone.
   * @param impulse - Axes of the scene, N s.
   * @returns whether the hit was on a character.
   */
  pushAt(hit: Intersection | undefined, { x, y, z }: Pick<Vector3, 'x' | 'y' | 'z'>): boolean {
    const found = hit && this.boneAt(hit);
    if (!found) return false;
    const { ragdoll, bone } = found;
    const local = this.#pointOnBone(ragdoll, bone, hit.point);
    this.start(ragdoll);
    const simulation = this.#make();
    if (simulation === undefined) return false;
    const { worldFromBone } = simulation.actors[ragdoll.index].work.dynamics.state;
    const point = rigid.transformPoint(worldFromBone.subarray(12 * bone, 12 * bone + 12), local);
    applyImpulse(simulation, ragdoll.index, bone, [x, y, z], point);
    return true;
  }

  /**
   * Holds the bone that a ray has hit at that point, and drags it to `target` of what is returned, which starts there; one that is animated is
   * started.
   *
   * @param maxForce - N. Default: four times the weight of the character.
   * @returns undefined where the hit was on no character, or ten bones are held already.
   */
  grab(hit: Intersection | undefined, { maxForce }: { readonly maxForce?: number } = {}): Grab | undefined {
    const found = hit && this.boneAt(hit);
    if (!found || this.#grabs.size === GRABS) return undefined;
    const { ragdoll, bone } = found;
    const local = this.#pointOnBone(ragdoll, bone, hit.point);
    this.start(ragdoll);
    const simulation = this.#make();
    const connection = simulation?.connections.find(({ enabled }) => !enabled);
    if (simulation === undefined || connection === undefined) return undefined;
    const most = maxForce ?? 4 * 9.81 * ragdoll.ragdoll.mass;
    const release = (one: Grab): void => {
      this.#grabs.delete(one);
    };
    const grab = new Grab(ragdoll, bone, local, hit.point, most, this.metersPerUnit, release);
    grab.attach(simulation, connection);
    this.#grabs.add(grab);
    return grab;
  }

  /** The character and the index of the bone that a ray has hit; undefined for neither. */
  boneAt(hit: Intersection): { readonly ragdoll: RagdollBinding; readonly bone: number } | undefined {
    for (const ragdoll of this.ragdolls) {
      const bone = boneOfIntersection(ragdoll.binding, hit);
      if (bone >= 0) return { ragdoll, bone };
    }
    return undefined;
  }

  /** Gives all characters back to their animations. */
  dispose(): void {
    for (const ragdoll of [...this.ragdolls]) this.remove(ragdoll);
    this.#simulation = undefined;
  }

  #step(simulation: Simulation): void {
    this.#beforeStep?.(simulation, this.timeStep);
    for (const ragdoll of this.ragdolls) {
      // The actor's own: somebody may have put it elsewhere.
      if (ragdoll.active) ragdoll.keep(simulation.actors[ragdoll.index].pose);
    }
    stepSimulation(simulation, this.timeStep);
    this.#takeStates(simulation);
  }

  #takeStates(simulation: Simulation): void {
    for (const ragdoll of this.ragdolls) {
      if (!ragdoll.active) continue;
      const { pose, velocity } = simulation.actors[ragdoll.index];
      ragdoll.pose.set(pose);
      ragdoll.velocity.set(velocity);
    }
  }

  /** Makes the simulation of all that have been started, where they or gravity have changed; states stay. */
  #make(): Simulation | undefined {
    if (!this.#isStale) return this.#simulation;
    const active = this.ragdolls.filter((ragdoll) => ragdoll.active);
    const before = this.#simulation;
    this.#isStale = false;
    if (active.length === 0) {
      this.#simulation = undefined;
      this.#left = 0;
      return undefined;
    }
    const simulation = createSimulation(
      active.map((ragdoll) => ragdoll.actorOptions()),
      {
        gravity: this.#gravity,
        world: this.world,
        sleep: this.#sleep,
        connections: Array.from({ length: GRABS }, () => ({ type: 'point', a: { bone: 0 }, b: {} })),
      },
    );
    for (const connection of simulation.connections) connection.enabled = false;
    simulation.time = before?.time ?? 0;
    active.forEach((ragdoll, k) => {
      ragdoll.index = k;
    });
    let next = 0;
    for (const grab of this.#grabs) grab.attach(simulation, simulation.connections[next++]);
    this.#simulation = simulation;
    this.#takeStates(simulation);
    return simulation;
  }

  #letGo(ragdoll: RagdollBinding): void {
    for (const grab of [...this.#grabs]) if (grab.ragdoll === ragdoll) grab.release();
  }

  /** A point of the scene in the frame of a bone as it is shown, m. */
  #pointOnBone({ state }: RagdollBinding, bone: number, { x, y, z }: Vector3): number[] {
    const point = [x, y, z].map((coordinate) => coordinate * this.metersPerUnit);
    return rigid.inverseTransformPoint(state.worldFromBone.subarray(12 * bone, 12 * bone + 12), point);
  }
}

function positive(value: number, path: string, unit: string): number {
  if (value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new DomainError('out-of-range', `is ${value}.`, { path, remedy: `Give a positive number, ${unit}.` });
}
