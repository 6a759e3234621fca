import { bindFigure, FigureSolver, type SceneGoal } from '@poise/three';
import type { IkResult } from 'poise/ik';
import { AnimationMixer, Object3D, Quaternion, Vector3 } from 'three';
import type { Character } from '../shared/character.js';
import { Ground } from './ground.js';
import { BALL, WALKING_SPEED, walkingClip } from './walk.js';

/** Radius of the walking circle, m. */
const RADIUS = 1.3;
/** Height over the clip's floor below which a foot is planted, m. */
const DOWN = 0.004;
/** Largest distance from hip to ankle, the leg nearly straight, m. */
const LEG = 0.862;
/** Time constants, s, in which a lifted foot returns to the clip, and in which the body follows the ground. */
const RELEASE = 0.1;
const SINK = 0.12;
/** Time window of the largest slide, s. */
const WINDOW = 2.5;

/** A character that walks in a circle over uneven ground: a clip for flat ground, and a solver over it. */
export class Walker {
  readonly solver: FigureSolver;
  readonly #root: Object3D;
  readonly #mixer: AnimationMixer;
  readonly #feet: readonly Foot[];
  readonly #ground: Ground;
  #angle = 0;
  /** Height of the clip's floor, m. */
  #floor: number;
  /** Lowering of the body below it, m. */
  #sunk = 0;
  #clock = 0;
  #slides: { readonly at: number; readonly slide: number }[] = [];

  constructor(character: Character, ground = new Ground()) {
    const { figure, root, bones } = character;
    this.#root = root;
    this.#ground = ground;
    this.#mixer = new AnimationMixer(root);
    this.#mixer.clipAction(walkingClip(character)).play();
    this.#feet = [
      new Foot(ground, root, bones.leftUpperLeg, bones.leftFoot, bones.leftToes),
      new Foot(ground, root, bones.rightUpperLeg, bones.rightFoot, bones.rightToes),
    ];
    const goals = this.#feet.flatMap((foot) => foot.goals);
    this.solver = new FigureSolver(bindFigure(figure, root), goals, { locked: ['hips'] });
    this.#floor = ground.heightAt(0, RADIUS);
  }

  /** One frame: animation, foot targets, solver. */
  step(seconds: number): IkResult {
    this.#clock += seconds;
    this.#angle += (seconds * WALKING_SPEED) / RADIUS;
    this.#root.position.set(RADIUS * Math.sin(this.#angle), this.#floor, RADIUS * Math.cos(this.#angle));
    this.#root.rotation.y = this.#angle + Math.PI / 2;
    this.#mixer.update(seconds);
    // Resets the bones to the animation, to read the feet.
    this.solver.restore();
    this.#root.updateMatrixWorld(true);
    for (const foot of this.#feet) foot.follow(this.#floor, seconds);
    // The body follows the ground height between the feet,
    const [left, right] = this.#feet.map(({ target: { position } }) =>
      this.#ground.heightAt(position.x, position.z),
    );
    this.#floor += (0.5 * (left + right) - this.#floor) * (1 - Math.exp(-seconds / SINK));
    // and is lowered at once as far as the farther leg needs; it rises gradually.
    this.#sunk = Math.max(
      this.#sunk * Math.exp(-seconds / SINK),
      ...this.#feet.map((foot) => foot.tooHigh()),
    );
    this.#root.position.y -= this.#sunk * this.solver.weight;
    const result = this.solver.update(seconds);
    this.#root.updateMatrixWorld(true);
    for (const foot of this.#feet) this.#slides.push({ at: this.#clock, slide: foot.slide() });
    this.#slides = this.#slides.filter(({ at }) => this.#clock - at < WINDOW);
    return result;
  }

  /** Largest slide of a planted foot in the time window, m. */
  get slide(): number {
    return this.#slides.reduce((max, { slide }) => Math.max(max, slide), 0);
  }

  /** Largest angle between a sole and the slope, rad: the effect of the ankle's limits. */
  get tilt(): number {
    const { residuals = [] } = this.solver.result ?? {};
    return Math.max(0, ...residuals.filter(({ type }) => type === 'orientation').map(({ value }) => value));
  }

  /** Discards recorded slides and planted positions: the ground or the solver's weight has changed. */
  forget(): void {
    this.#slides = [];
    for (const foot of this.#feet) foot.forget();
  }
}

/** One foot: its target, its planted position, and the offset of that from the animation. */
class Foot {
  /** Target position of the ball and orientation of the foot. */
  readonly target = new Object3D();
  readonly goals: readonly SceneGoal[];
  readonly #ground: Ground;
  readonly #root: Object3D;
  readonly #thigh: Object3D;
  readonly #foot: Object3D;
  readonly #ball: Object3D;
  /** Planted position of the ball, and the character's heading at touchdown. */
  #planted: { readonly place: Vector3; readonly heading: Quaternion } | undefined;
  /** Actual position of the ball at touchdown. */
  #cameDown: Vector3 | undefined;
  readonly #gap = new Vector3();

  constructor(ground: Ground, root: Object3D, thigh: Object3D, foot: Object3D, toes: Object3D) {
    this.#ground = ground;
    this.#root = root;
    this.#thigh = thigh;
    this.#foot = foot;
    this.#ball = toes;
    this.goals = [
      { type: 'position', bone: toes.name, target: this.target },
      // Lower priority than the position: on a slope steeper than the ankle's limit the sole tilts, and the foot does not slide.
      { type: 'orientation', bone: foot.name, target: this.target, priority: 1, tolerance: 0.02 },
    ];
  }

  /** Sets the target from the animation's foot; its floor is at the given height. */
  follow(floor: number, seconds: number): void {
    const animated = this.#ball.getWorldPosition(new Vector3());
    const height = animated.y - floor - BALL;
    if (height > DOWN) {
      if (this.#planted) this.#gap.copy(this.#planted.place).sub(animated).setY(0);
      this.#planted = undefined;
      this.#gap.multiplyScalar(Math.exp(-seconds / RELEASE));
    }
    const heading = this.#planted?.heading ?? this.#root.getWorldQuaternion(new Quaternion());
    const { x, z } = this.#planted?.place ?? animated.add(this.#gap);
    const normal = this.#ground.normalAt(x, z);
    // Aligned with the slope while planted, with the animation in the air.
    const slope = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), normal);
    const level = Math.max(0, 1 - Math.max(0, height) / 0.08);
    // Heel and toes follow the clip while the ball is planted: the foot's orientation relative to the root is the clip's.
    const rotation = this.#foot.getWorldQuaternion(new Quaternion());
    rotation.premultiply(this.#root.getWorldQuaternion(new Quaternion()).invert()).premultiply(heading);
    this.target.quaternion.identity().slerp(slope, level).multiply(rotation);
    if (this.#planted) return;
    this.target.position
      .set(x, this.#ground.heightAt(x, z) + Math.max(0, height), z)
      .addScaledVector(normal, BALL);
    if (height <= DOWN) this.#planted = { place: this.target.position.clone(), heading };
  }

  /** Lowering of the hip needed for the leg to reach the target, m. */
  tooHigh(): number {
    const ankle = this.#ball.position.clone().negate().applyQuaternion(this.target.quaternion);
    const hip = this.#thigh.getWorldPosition(new Vector3()).sub(ankle.add(this.target.position));
    const across = Math.hypot(hip.x, hip.z);
    return Math.max(0, hip.y - Math.sqrt(Math.max(0, LEG * LEG - across * across)));
  }

  /** Distance of the ball from its touchdown position, m; 0 in the air. */
  slide(): number {
    const here = this.#ball.getWorldPosition(new Vector3());
    if (this.#planted === undefined) this.#cameDown = undefined;
    else this.#cameDown ??= here;
    return this.#cameDown?.distanceTo(here) ?? 0;
  }

  forget(): void {
    this.#planted = undefined;
    this.#cameDown = undefined;
  }
}
