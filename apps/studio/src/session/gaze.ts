import { type Goal, PoiseError } from 'poise';
import { createPose, createState, type FigureState, forwardKinematics } from 'poise/figure';
import { humanGaze } from 'poise/humanoid';
import { aimBoneAt } from 'poise/ik';
import { mat3, rigid, type Vec3, vec3 } from 'poise/math';
import type { Character } from '../character/character.js';

/** Where the eyes are where a character has none, from the joint of its head, over stature. */
const EYES = { up: 0.045, forward: 0.05 };
/** Largest rotation of an eye, rad. */
const EYE_TURN = 0.6;
/** Where one looks at first, from the eyes, over stature. */
const AHEAD = 0.55;
/** The line of sight starts at the eyes, which the head carries along: each time it is aimed once more, nearer by their distance over the target's. */
const AIMS = 3;

/** Angle that the head is short of its target from which the neck helps, rad. */
const SHORT = 1e-3;

interface Link {
  readonly bone: number;
  /** Of what is left to rotate when its turn comes, 0 to 1. */
  readonly share: number;
}

/** The gaze of a character: chest, neck and head turn by shares, each within its limits; the eyes, where it has some, take what is left. */
export class Gaze {
  readonly head: number;
  readonly #chain: readonly Link[];
  readonly #axis: Vec3;
  readonly #origin: Vec3;
  readonly #eyes: readonly { readonly bone: number; readonly axis: Vec3 }[];
  readonly #far: number;
  readonly #neck: number | undefined;

  /** @returns undefined for a character without a head that turns. */
  static of({ figure, humanoid, size }: Character): Gaze | undefined {
    if (humanoid?.bones.head === undefined) return undefined;
    try {
      return new Gaze({ figure, humanoid, size });
    } catch (error) {
      if (error instanceof PoiseError) return undefined;
      throw error;
    }
  }

  private constructor({ figure, humanoid, size }: Pick<Character, 'figure' | 'humanoid' | 'size'>) {
    const { bone, axis, origin, chain } = humanGaze(figure, { bones: humanoid?.bones ?? {} });
    const rest = createState(figure);
    forwardKinematics(rest, createPose(figure));
    const toBone = (b: number, direction: Vec3): Vec3 =>
      mat3.transposeMultiplyVector(rest.worldFromBone.subarray(12 * b, 12 * b + 9), direction);
    const { up, forward, bones } = humanoid as NonNullable<Character['humanoid']>;
    const eyes = vec3.addScaled(vec3.scale(up, EYES.up * size), forward, EYES.forward * size);
    this.head = bone;
    this.#neck = bones.neck;
    this.#axis = axis;
    this.#origin = origin ?? toBone(bone, eyes);
    let left = chain.reduce((sum, { share }) => sum + share, 0);
    this.#chain = chain.map((link) => {
      const share = link.share / left;
      left -= link.share;
      return { bone: link.bone, share };
    });
    this.#eyes = [bones.leftEye, bones.rightEye].flatMap((eye) =>
      eye === undefined || figure.bones[eye].dof === 0 ? [] : [{ bone: eye, axis: toBone(eye, forward) }],
    );
    this.#far = AHEAD * size;
  }

  /** Bones that it turns. */
  get bones(): readonly number[] {
    return this.#chain.map(({ bone }) => bone);
  }

  /** Between the eyes, m. */
  eyes(state: FigureState): Vec3 {
    return rigid.transformPoint(frameOf(state, this.head), this.#origin);
  }

  /** A point that it looks at, m. */
  ahead(state: FigureState): Vec3 {
    return vec3.addScaled(this.eyes(state), this.#sight(state), this.#far);
  }

  /** Angle between the line of sight of the head and a target, rad. */
  off(state: FigureState, target: Vec3): number {
    const to = vec3.subtract(target, this.eyes(state));
    return Math.atan2(vec3.norm(vec3.cross(this.#sight(state), to)), vec3.dot(this.#sight(state), to));
  }

  /** Turns chest, neck and head to a target, from where they are. @param state - Of the pose; it follows. */
  turn(state: FigureState, pose: Float64Array, target: Vec3): void {
    for (const { bone, share } of this.#chain) {
      if (bone === this.head) break;
      const to = vec3.subtract(target, this.eyes(state));
      if (!(vec3.norm(to) > 1e-6 * this.#far)) return;
      this.#point(state, pose, bone, between(this.#sight(state), vec3.normalize(to), share));
    }
    this.aimHead(state, pose, target);
  }

  /** Turns the head alone, and where that is at its limits the neck. */
  aimHead(state: FigureState, pose: Float64Array, target: Vec3): void {
    this.#aim(state, pose, this.head, target);
    const neck = this.#chain.at(-2)?.bone;
    if (neck !== this.#neck || neck === undefined || this.off(state, target) < SHORT) return;
    this.#aim(state, pose, neck, target);
    this.#aim(state, pose, this.head, target);
  }

  /** Turns a bone until the line of sight meets a target. */
  #aim(state: FigureState, pose: Float64Array, bone: number, target: Vec3): void {
    for (let n = 0; n < AIMS; n++) {
      const to = vec3.subtract(target, this.eyes(state));
      if (!(vec3.norm(to) > 1e-6 * this.#far)) return;
      this.#point(state, pose, bone, vec3.normalize(to));
    }
  }

  /** Turns a bone so that the line of sight, which it carries, has a direction. */
  #point(state: FigureState, pose: Float64Array, bone: number, direction: Vec3): void {
    const frame = frameOf(state, bone);
    const axis = mat3.transposeMultiplyVector(frame.subarray(0, 9), this.#sight(state));
    const target = vec3.addScaled(rigid.toPosition(frame), direction, this.#far);
    aimBoneAt(state, pose, bone, axis, target);
  }

  /** The same as a goal, where the head's place is held: it never keeps a solve from being met. */
  goal(target: Vec3): Goal {
    return {
      type: 'points-at',
      bone: this.head,
      axis: this.#axis,
      origin: this.#origin,
      target,
      tolerance: Number.POSITIVE_INFINITY,
    };
  }

  /** Turns the eyes, as far as eyes turn. */
  aimEyes(state: FigureState, pose: Float64Array, target: Vec3): void {
    for (const { bone, axis } of this.#eyes) {
      const at = rigid.toPosition(frameOf(state, bone));
      if (!(vec3.distance(at, target) > 1e-6 * this.#far)) continue;
      aimBoneAt(state, pose, bone, axis, target);
      const { coordinate, dof } = state.figure.bones[bone];
      const angle = vec3.norm(pose.subarray(coordinate, coordinate + dof));
      if (dof !== 3 || angle <= EYE_TURN) continue;
      for (let n = 0; n < dof; n++) pose[coordinate + n] *= EYE_TURN / angle;
      forwardKinematics(state, pose);
    }
  }

  #sight(state: FigureState): Vec3 {
    return mat3.multiplyVector(frameOf(state, this.head).subarray(0, 9), this.#axis);
  }
}

/** A direction part of the way from one to another, along the arc. */
function between(from: Vec3, to: Vec3, share: number): Vec3 {
  const cross = vec3.cross(from, to);
  const angle = share * Math.atan2(vec3.norm(cross), vec3.dot(from, to));
  const axis = vec3.norm(cross) > 1e-12 ? vec3.normalize(cross) : vec3.normalize(vec3.perpendicular(from));
  const across = vec3.cross(axis, from);
  return vec3.addScaled(vec3.scale(from, Math.cos(angle)), across, Math.sin(angle));
}

function frameOf({ worldFromBone }: FigureState, bone: number): Float64Array {
  return worldFromBone.subarray(12 * bone, 12 * bone + 12);
}
