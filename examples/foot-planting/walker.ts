import { bindFigure, FootPlanter } from '@poise/three';
import { AnimationMixer, Vector3 } from 'three';
import type { Character } from '../shared/character.js';
import { Ground } from './ground.js';
import { WALKING_SPEED, walkingClip } from './walk.js';

/** Radius of the walking circle, m. */
const RADIUS = 1.3;
/** Time window of the largest slide, s. */
const WINDOW = 2.5;

/** A character that walks in a circle over uneven ground: a clip for flat ground, and a planter over it. */
export class Walker {
  readonly planter: FootPlanter;
  readonly #character: Character;
  readonly #ground: Ground;
  readonly #mixer: AnimationMixer;
  readonly #touchdowns: (Vector3 | undefined)[] = [];
  #angle = 0;
  #clock = 0;
  #slides: { readonly at: number; readonly slide: number }[] = [];

  constructor(character: Character, ground = new Ground()) {
    const { figure, root } = character;
    this.#character = character;
    this.#ground = ground;
    this.planter = new FootPlanter(bindFigure(figure, root), {
      ground: (x, z, normal) => {
        ground.normalAt(x, z, normal);
        return ground.heightAt(x, z);
      },
    });
    this.#mixer = new AnimationMixer(root);
    this.#mixer.clipAction(walkingClip(character)).play();
  }

  /** One frame: the character moved, animation, feet. */
  step(seconds: number): void {
    const { root } = this.#character;
    this.#clock += seconds;
    this.#angle += (seconds * WALKING_SPEED) / RADIUS;
    const [x, z] = [RADIUS * Math.sin(this.#angle), RADIUS * Math.cos(this.#angle)];
    root.position.set(x, this.#ground.heightAt(x, z), z);
    root.rotation.y = this.#angle + Math.PI / 2;
    this.#mixer.update(seconds);
    this.planter.update(seconds);
    root.updateMatrixWorld(true);
    this.#measureSlides();
  }

  /** Largest slide of a foot that is down in the time window, m. */
  get slide(): number {
    return this.#slides.reduce((max, { slide }) => Math.max(max, slide), 0);
  }

  /** Discards recorded slides and planted positions: the ground or the weight has changed. */
  forget(): void {
    this.#slides = [];
    this.#touchdowns.length = 0;
  }

  /** Horizontal distances of the balls of feet that are down from where they came down. */
  #measureSlides(): void {
    this.planter.feet.forEach(({ side, locked }, n) => {
      const ball = this.#character.bones[`${side}Toes`].getWorldPosition(new Vector3());
      if (!locked) this.#touchdowns[n] = undefined;
      const touchdown = this.#touchdowns[n] ?? ball;
      if (locked) this.#touchdowns[n] = touchdown;
      this.#slides.push({ at: this.#clock, slide: Math.hypot(touchdown.x - ball.x, touchdown.z - ball.z) });
    });
    this.#slides = this.#slides.filter(({ at }) => this.#clock - at < WINDOW);
  }
}
