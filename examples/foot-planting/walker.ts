import { bindFigure, FigureSolver, type SceneGoal } from '@poise/three';
import type { IkResult } from 'poise/ik';
import { AnimationMixer, Object3D, Quaternion, Vector3 } from 'three';
import type { Character } from '../shared/character.js';
import { groundHeight, groundNormal } from './ground.js';
import { ANKLE, WALKING_SPEED, walkingClip } from './walk.js';

/** Radius of the round that it walks, m. */
const RADIUS = 1.3;
/** A foot of the clip lower than this over its floor stands, m. */
const DOWN = 0.004;
/** From hip to ankle of the leg as good as straight, m. */
const LEG = 0.862;
/** Seconds in which a lifted foot gives up what standing still has cost it, and in which the body follows the ground. */
const RELEASE = 0.1;
const SINK = 0.12;
/** Seconds for which a slide is remembered. */
const WINDOW = 2.5;

/** A character that walks in a circle over uneven ground: a clip for flat ground, and a solver over it. */
export class Walker {
  readonly solver: FigureSolver;
  readonly #root: Object3D;
  readonly #mixer: AnimationMixer;
  readonly #feet: readonly Foot[];
  #angle = 0;
  /** Height of the floor that the clip stands on, m. */
  #floor: number;
  /** How far below that the body is, m. */
  #sunk = 0;
  #clock = 0;
  #slides: { readonly at: number; readonly slide: number }[] = [];

  constructor(character: Character) {
    const { figure, root, bones } = character;
    this.#root = root;
    this.#mixer = new AnimationMixer(root);
    this.#mixer.clipAction(walkingClip(character)).play();
    this.#feet = [
      new Foot(bones.leftFoot, bones.leftUpperLeg),
      new Foot(bones.rightFoot, bones.rightUpperLeg),
    ];
    const goals = this.#feet.flatMap((foot) => foot.goals);
    this.solver = new FigureSolver(bindFigure(figure, root), goals, { locked: ['hips'] });
    this.#floor = groundHeight(0, RADIUS);
  }

  /** One frame: the animation, where the feet are to be, the solver. */
  step(seconds: number): IkResult {
    this.#clock += seconds;
    this.#angle += (seconds * WALKING_SPEED) / RADIUS;
    this.#root.position.set(RADIUS * Math.sin(this.#angle), this.#floor, RADIUS * Math.cos(this.#angle));
    this.#root.rotation.y = this.#angle + Math.PI / 2;
    this.#mixer.update(seconds);
    // The bones as the animation has them, to read the feet from.
    this.solver.restore();
    this.#root.updateMatrixWorld(true);
    for (const foot of this.#feet) foot.follow(this.#floor, seconds);
    // The body goes with the lower foot, so that both legs reach.
    const lower = Math.min(
      ...this.#feet.map(({ target }) => groundHeight(target.position.x, target.position.z)),
    );
    this.#floor += (lower - this.#floor) * (1 - Math.exp(-seconds / SINK));
    // And down as far as a leg behind needs, at once; up again by and by.
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

  /** The farthest that a standing foot has been from where it came down, in the last seconds, m. */
  get slide(): number {
    return this.#slides.reduce((most, { slide }) => Math.max(most, slide), 0);
  }

  /** Forgets the slides so far. */
  forget(): void {
    this.#slides = [];
    for (const foot of this.#feet) foot.forget();
  }
}

/** One foot: its target, where it stands, and how far that is from where the animation has it. */
class Foot {
  readonly target = new Object3D();
  readonly goals: readonly SceneGoal[];
  readonly #bone: Object3D;
  readonly #thigh: Object3D;
  /** Where its ankle is to stay, while it stands. */
  #planted: Vector3 | undefined;
  /** Where its ankle really was when it came down. */
  #cameDown: Vector3 | undefined;
  readonly #gap = new Vector3();
  readonly #heading = new Quaternion();

  constructor(bone: Object3D, thigh: Object3D) {
    this.#bone = bone;
    this.#thigh = thigh;
    this.goals = [
      { type: 'position', bone: bone.name, target: this.target },
      // Behind the place: a slope steeper than the ankle bends costs the sole its contact, and no slide.
      { type: 'orientation', bone: bone.name, target: this.target, priority: 1, tolerance: 0.02 },
    ];
  }

  /** Sets the target from the animation's foot, which stands on a floor at the height given. */
  follow(floor: number, seconds: number): void {
    const animated = this.#bone.getWorldPosition(new Vector3());
    const height = animated.y - floor - ANKLE;
    if (height > DOWN) {
      if (this.#planted) this.#gap.copy(this.#planted).sub(animated).setY(0);
      this.#planted = undefined;
      this.#gap.multiplyScalar(Math.exp(-seconds / RELEASE));
    }
    if (this.#planted) return;
    this.#bone.getWorldQuaternion(this.#heading);
    const { x, z } = animated.add(this.#gap);
    const normal = groundNormal(x, z);
    this.target.position.set(x, groundHeight(x, z) + Math.max(0, height), z).addScaledVector(normal, ANKLE);
    // Along the slope when it is down, as the animation has it when it is up.
    const slope = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), normal);
    const level = Math.max(0, 1 - Math.max(0, height) / 0.08);
    this.target.quaternion.identity().slerp(slope, level).multiply(this.#heading);
    if (height <= DOWN) this.#planted = this.target.position.clone();
  }

  /** How much lower the hip must be for the leg to reach the target, m. */
  tooHigh(): number {
    const hip = this.#thigh.getWorldPosition(new Vector3()).sub(this.target.position);
    const across = Math.hypot(hip.x, hip.z);
    return Math.max(0, hip.y - Math.sqrt(Math.max(0, LEG * LEG - across * across)));
  }

  /** How far the ankle is from where it came down, m; 0 in the air. */
  slide(): number {
    const here = this.#bone.getWorldPosition(new Vector3());
    if (this.#planted === undefined) this.#cameDown = undefined;
    else this.#cameDown ??= here;
    return this.#cameDown?.distanceTo(here) ?? 0;
  }

  forget(): void {
    this.#cameDown = undefined;
  }
}
