import { GoalError } from 'poise';
import type { HumanBoneMap } from 'poise/humanoid';
import { type FieldsOf, requireFields, requireNumbers, requirePositive, shown } from 'poise/internal/checks';
import type { Vec3 } from 'poise/math';
import { Object3D, Vector3 } from 'three';
import { AnimationLayers } from '../binding/animation-layers.js';
import { bindFigure, FigureBinding } from '../binding/bind-figure.js';
import { figureFromObject3D } from '../binding/figure-from-object3d.js';
import { type FigureRoot, requireRoot } from '../binding/hierarchy.js';
import { unitFraction } from '../solver/goal-binding.js';
import { findLegs } from './find-legs.js';
import { Foot } from './foot.js';
import { type Ground, GroundReader } from './ground.js';
import { Leg } from './leg.js';
import { LegLimits } from './leg-limits.js';

/** Options of {@link FootPlanter}. */
export interface FootPlanterOptions {
  /** A function `(x, z) => height`, or objects to cast rays against. */
  readonly ground: Ground;
  /** How much is written over the animation: 0 the animation alone, 1 (default) planted feet. */
  readonly weight?: number;
  /**
   * How far the ground may be over or under the origin of the character, world. Where it is farther off, as under a jump, the feet keep the
   * animation. Default: 0.6 of the length of a leg.
   */
  readonly stepHeight?: number;
  /** Up in the scene, world axes. Default: `Object3D.DEFAULT_UP`. */
  readonly up?: Vec3;
  /** Human bones by VRM name, as names or indices of the figure. Default: found by `findHumanoid`. */
  readonly humanoid?: Readonly<HumanBoneMap<string | number>>;
}

const FIELDS: FieldsOf<FootPlanterOptions> = {
  ground: true,
  weight: true,
  stepHeight: true,
  up: true,
  humanoid: true,
};

/** A foot of a {@link FootPlanter}. */
export interface PlantedFoot {
  readonly side: 'left' | 'right';
  /** The object of the foot's bone. */
  readonly object: Object3D;
  /** Whether the foot is held where it came down. */
  readonly locked: boolean;
  /** On the ground below the ball of the foot, world. */
  readonly position: Vector3;
  /** Normal of the sole on the ground, world, unit. */
  readonly normal: Vector3;
}

/** Time constants in which the body follows the ground, and rises again after it was lowered, s. */
const BODY_TIME = 0.12;
/** Rate at which the body is lowered for a foot that comes down, leg lengths a second. */
const LOWERING_RATE = 2;
/** Passes in which legs come to their limits with the balls of their feet in place. */
const LIMIT_PASSES = 4;
/** Default of `stepHeight`, in leg lengths. */
const STEP_HEIGHT = 0.6;

/**
 * Foot IK beside an `AnimationMixer`: feet of an animated humanoid stand on any ground.
 *
 *     const planter = new FootPlanter(character, { ground: terrain });
 *     mixer.update(seconds);
 *     planter.update(seconds);
 *
 * Each foot keeps the height over the ground that the animation gives it over its floor, the plane through the origin of the character; the sole takes the slope;
 * the hips are lowered until both feet reach; a foot that is down stays where it is until the animation lifts it. Knees keep the direction in which the
 * animation bends them, in closed form; limits of the figure are respected. On flat ground at the height of the character the animation is unchanged.
 */
export class FootPlanter {
  readonly binding: FigureBinding;
  /** 0 to 1: how much is written over the animation. */
  weight: number;
  /** See {@link FootPlanterOptions}; undefined for the default. */
  stepHeight: number | undefined;
  readonly feet: readonly PlantedFoot[];

  readonly #up: Vector3;
  readonly #reader: GroundReader;
  readonly #body: Object3D;
  readonly #feet: readonly Foot[];
  readonly #layers: AnimationLayers;
  readonly #objects: readonly Object3D[];
  readonly #limits: LegLimits;
  #ground: Ground;
  /** Height at which the body stands, world, and how far it is lowered below it. */
  #height: number | undefined;
  #lowered = 0;
  #bodyOffset = 0;
  #isDisposed = false;

  /**
   * @param character - An object above the bones, in its rest pose as for `figureFromObject3D`; or a binding, whose figure may
   *   have limits.
   * @throws FigureError for a character that is not a humanoid with feet; GoalError for invalid options.
   */
  constructor(character: FigureRoot | FigureBinding, options: FootPlanterOptions) {
    if (options !== undefined) requireFields(options, FIELDS, 'options', GoalError);
    if (options?.ground === undefined) {
      throw new GoalError('wrong-size', 'is missing.', {
        path: 'options.ground',
        remedy: 'Give a function (x, z) => height, or the objects of the ground.',
      });
    }
    this.binding = bindingOf(character, options.up);
    const { x, y, z } = Object3D.DEFAULT_UP;
    const up = options.up ?? [x, y, z];
    requireNumbers(up, 3, 'options.up', GoalError);
    this.#up = new Vector3(up[0], up[1], up[2]);
    if (!(this.#up.length() > 0)) {
      throw new GoalError('out-of-range', 'has length 0.', {
        path: 'options.up',
        remedy: 'Give a direction.',
      });
    }
    this.#up.normalize();
    if (options.stepHeight !== undefined)
      requirePositive(options.stepHeight, 'options.stepHeight', GoalError);
    this.stepHeight = options.stepHeight;
    this.weight = unitFraction(options.weight ?? 1, 'options.weight');
    this.#reader = new GroundReader(this.#up, this.binding);
    this.#reader.ground = options.ground;
    this.#ground = options.ground;
    const { legs, restHeights, body, bones } = findLegs(this.binding, options.humanoid);
    this.#body = body;
    this.#feet = legs.map((objects, n) => new Foot(new Leg(objects), restHeights[n]));
    this.feet = this.#feet;
    this.#limits = new LegLimits(this.binding, bones);
    this.#objects = [body, ...legs.flatMap(({ upper, lower, foot }) => [upper, lower, foot])];
    this.#layers = new AnimationLayers(this.#objects);
  }

  /** The ground: assign another at any time. */
  get ground(): Ground {
    return this.#ground;
  }

  set ground(ground: Ground) {
    this.#reader.ground = ground;
    this.#ground = ground;
  }

  /** How far the hips are moved along up, world: negative where they are lowered. */
  get bodyOffset(): number {
    return this.#bodyOffset;
  }

  /**
   * Plants the feet. Call it each frame, after the character is moved and `mixer.update(seconds)`, before the renderer.
   *
   * @param seconds - Time since the last call. Default 1/60.
   * @throws GoalError for a time or a weight that is not a number, and for heights that are not finite.
   */
  update(seconds = 1 / 60): void {
    if (this.#isDisposed) {
      throw new GoalError('unsupported', 'has been disposed of.', {
        path: 'planter',
        remedy: 'Create a new FootPlanter.',
      });
    }
    if (typeof seconds !== 'number' || !Number.isFinite(seconds)) {
      throw new GoalError('out-of-range', `is ${shown(seconds)}.`, {
        path: 'update(seconds)',
        remedy: 'Give the seconds since the last frame, or nothing.',
      });
    }
    const weight = unitFraction(this.weight, 'weight');
    if (this.stepHeight !== undefined) requirePositive(this.stepHeight, 'stepHeight', GoalError);
    this.#layers.unwind();
    this.#updateTargets(Math.abs(seconds));
    if (weight > 0) {
      this.#write();
      if (weight < 1) for (let n = 0; n < this.#objects.length; n++) this.#layers.blend(n, weight);
    }
    this.#layers.commit();
  }

  /** Forgets where the feet stand and how high the ground was: after the character was put elsewhere. */
  reset(): void {
    for (const foot of this.#feet) foot.reset();
    this.#height = undefined;
    this.#lowered = 0;
  }

  /**
   * Resets the objects to the animation until the next {@link update}. Call it before `action.play()` on a mixer that fades the action in: the
   * mixer fades from the pose that it finds.
   */
  restore(): void {
    if (!this.#isDisposed) this.#layers.restore();
  }

  /** Returns the objects to the animation, and ends the planter. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#layers.unwind();
    this.#layers.remove();
    this.#isDisposed = true;
  }

  /** Targets of the feet and height of the body, from the animation's pose. */
  #updateTargets(seconds: number): void {
    const up = this.#up;
    const { frame } = this.binding;
    this.#reader.update();
    for (const { leg } of this.#feet) leg.read();
    const floor = frame === null ? 0 : origin.setFromMatrixPosition(frame.matrixWorld).dot(up);
    const legLength = this.#feet[0].leg.length;
    const stepHeight = this.stepHeight ?? STEP_HEIGHT * legLength;
    for (const foot of this.#feet) {
      foot.follow({ up, floor, stepHeight, seconds, reader: this.#reader });
    }
    // The body stands at the mean height of the ground under both feet,
    const mean = 0.5 * (this.#feet[0].height + this.#feet[1].height);
    const kept = Math.exp(-seconds / BODY_TIME);
    const isNew = this.#height === undefined;
    this.#height = this.#height === undefined ? mean : mean + (this.#height - mean) * kept;
    const offset = this.#height - floor;
    // and is lowered as far as a leg needs that is down: at once for a foot that is held, at a bounded rate for one that comes down. It rises again gradually.
    const lowerable = this.#lowered + LOWERING_RATE * legLength * seconds;
    let needed = 0;
    for (const { leg, target, load, locked } of this.#feet) {
      toTarget.subVectors(leg.hip, target);
      const along = toTarget.dot(up);
      const across = toTarget.addScaledVector(up, -along).length();
      const reach = leg.reach;
      const highest = Math.sqrt(Math.max(0, reach * reach - across * across)) - along;
      const drop = load * (offset - highest);
      needed = Math.max(needed, locked || isNew ? drop : Math.min(drop, lowerable));
    }
    this.#lowered = Math.min(Math.max(this.#lowered * kept, needed), stepHeight + legLength);
    this.#bodyOffset = offset - this.#lowered;
  }

  #write(): void {
    const offset = this.#bodyOffset;
    const reaches = this.#feet.map(({ leg }) => leg.reach);
    // Rounding of heights is no offset: flat ground leaves the animation.
    if (Math.abs(offset) > 1e-12 * this.#feet[0].leg.length) {
      const { position, parent } = this.#body;
      moved.setFromMatrixPosition(this.#body.matrixWorld).addScaledVector(this.#up, offset);
      position.copy(parent === null ? moved : parent.worldToLocal(moved));
      this.#body.updateMatrix();
      for (const { leg } of this.#feet) leg.readMoved();
    }
    for (let pass = 0; pass < LIMIT_PASSES; pass++) {
      this.#feet.forEach(({ leg, target, rotation, animated }, n) => {
        leg.solve(target, reaches[n], animated, rotation);
      });
      if (!this.#limits.apply()) return;
      // Where the ankle does not bend as far as the slope, the ball of the foot stays, and the ankle moves.
      for (const foot of this.#feet) foot.correctTarget();
    }
  }
}

function bindingOf(character: FigureRoot | FigureBinding, up: Vec3 | undefined): FigureBinding {
  if (character instanceof FigureBinding) return character;
  requireRoot(character, 'character');
  const { figure } = figureFromObject3D(character, up === undefined ? {} : { up });
  return bindFigure(figure, character);
}

const origin = /* @__PURE__ */ new Vector3();
const toTarget = /* @__PURE__ */ new Vector3();
const moved = /* @__PURE__ */ new Vector3();
