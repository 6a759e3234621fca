/** The ground under a character: a height function, or objects to cast rays against. */
import { GoalError } from 'poise';
import { shown } from 'poise/internal/checks';
import {
  type InstancedMesh,
  type Intersection,
  Matrix3,
  Matrix4,
  Object3D,
  Raycaster,
  type SkinnedMesh,
  Vector3,
} from 'three';
import type { FigureBinding } from '../binding/bind-figure.js';

/**
 * Height of the ground, world, along up: at world x and z with +Y up, x and y with +Z up, y and z with +X up. It may write the unit `normal`, which
 * is otherwise found by differences. undefined: no ground there.
 */
export type GroundHeight = (x: number, z: number, normal: Vector3) => number | undefined;

/**
 * A height function, or objects: meshes of terrain, stairs, platforms, and what is visible under them. The objects given are ground even where they
 * are hidden, as meshes to collide with are. The character itself, sprites, lines and points are none.
 */
export type Ground = GroundHeight | Object3D | readonly Object3D[];

/** Marks of objects without faces that a foot stands on; of a level of detail its children are tested. */
const NO_GROUND = ['isSprite', 'isLine', 'isLineSegments2', 'isPoints', 'isLOD'] as const;

/** A point of the ground. */
export interface GroundPoint {
  /** Along up, world. */
  height: number;
  readonly normal: Vector3;
}

/** Reads heights and normals of a ground. */
export class GroundReader {
  readonly #up: Vector3;
  /** World axes across up, for a height function: 0 x, 1 y, 2 z. */
  readonly #horizontal: readonly [number, number];
  /** Objects of the character: with what is below them no ground. */
  readonly #character: ReadonlySet<Object3D | null | undefined>;
  readonly #raycaster = new Raycaster();
  readonly #hits: Intersection[] = [];
  #height: GroundHeight | undefined;
  #objects: readonly Object3D[] = [];
  /** Of the objects and what is below them, those that rays are cast against in this frame. */
  readonly #targets: Object3D[] = [];

  /** @param character - Not ground itself. */
  constructor(up: Vector3, { frame, objects }: FigureBinding) {
    this.#up = up;
    this.#character = new Set([frame, ...objects]);
    const [a = 0, b = 2] = [0, 1, 2].filter((k) => Math.abs(up.getComponent(k)) < 1 - 1e-9);
    this.#horizontal = [a, b];
  }

  set ground(ground: Ground) {
    const isOblique = [0, 1, 2].every((k) => Math.abs(this.#up.getComponent(k)) < 1 - 1e-9);
    if (typeof ground === 'function') {
      if (isOblique) {
        throw new GoalError('unsupported', 'is a height function, and up is no axis of the world.', {
          path: 'ground',
          remedy: 'Give objects to cast rays against, or an `up` along an axis.',
        });
      }
      this.#height = ground;
      return;
    }
    const objects = Array.isArray(ground) ? ground : [ground];
    if (objects.length === 0 || !objects.every((object) => object?.isObject3D)) {
      throw new GoalError('unsupported', `is ${shown(ground)}.`, {
        path: 'ground',
        remedy: 'Give a function (x, z) => height, a three.js object or a list of them.',
      });
    }
    this.#height = undefined;
    this.#objects = objects;
  }

  /** Reads where the objects of the ground are in this frame: rays meet objects where their world matrices are, which three.js updates as it draws. */
  update(): void {
    this.#targets.length = 0;
    if (this.#height !== undefined) return;
    for (const object of this.#objects) {
      object.updateWorldMatrix(true, false);
      this.#addTargets(object);
    }
  }

  /** Adds an object whose world matrix is current, and what is visible below it. */
  #addTargets(object: Object3D): void {
    if (this.#isSkinOfCharacter(object)) return;
    if (isCastAgainst(object)) this.#targets.push(object);
    for (const child of object.children) {
      if (!child.visible || this.#character.has(child)) continue;
      child.updateWorldMatrix(false, false);
      this.#addTargets(child);
    }
  }

  /**
   * The ground under or over a point of the world, at most `range` from the height `around`.
   *
   * @param step - Distance of the differences for a normal that the height function does not write.
   * @returns whether there is any.
   */
  read(at: Vector3, around: number, range: number, step: number, out: GroundPoint): boolean {
    if (this.#height === undefined) return this.#cast(at, around, range, out);
    const [a, b] = this.#horizontal;
    const [x, z] = [at.getComponent(a), at.getComponent(b)];
    out.normal.set(0, 0, 0);
    const height = this.#heightAt(x, z, out.normal);
    if (height === undefined || !(Math.abs(height - around) <= range)) return false;
    out.height = height;
    if (out.normal.lengthSq() > 0) {
      out.normal.normalize();
      if (out.normal.dot(this.#up) < 0) out.normal.negate();
      return true;
    }
    // Of the slopes to both sides the gentler: the edge of a stair has none.
    const slope = (dx: number, dz: number): number => {
      const back = height - (this.#heightAt(x - dx, z - dz, unused) ?? height);
      const on = (this.#heightAt(x + dx, z + dz, unused) ?? height) - height;
      if (back * on <= 0) return 0;
      return (Math.abs(back) < Math.abs(on) ? back : on) / step;
    };
    out.normal.copy(this.#up);
    out.normal.setComponent(a, -slope(step, 0));
    out.normal.setComponent(b, -slope(0, step));
    out.normal.normalize();
    return true;
  }

  #heightAt(x: number, z: number, normal: Vector3): number | undefined {
    const height = this.#height?.(x, z, normal);
    if (height === undefined || height === null) return undefined;
    if (typeof height === 'number' && Number.isFinite(height)) return height;
    throw new GoalError('not-finite', `is ${shown(height)} at ${x}, ${z}.`, {
      path: 'ground',
      remedy: 'Return a finite height, or undefined where there is no ground.',
    });
  }

  #cast(at: Vector3, around: number, range: number, out: GroundPoint): boolean {
    const { ray } = this.#raycaster;
    const up = this.#up;
    ray.origin.copy(at).addScaledVector(up, around + range - at.dot(up));
    ray.direction.copy(up).negate();
    this.#raycaster.far = 2 * range;
    this.#hits.length = 0;
    this.#raycaster.intersectObjects(this.#targets, false, this.#hits);
    for (const hit of this.#hits) {
      if (!hit.face) continue;
      out.height = hit.point.dot(up);
      worldFromHit.copy(hit.object.matrixWorld);
      if (hit.instanceId !== undefined && 'getMatrixAt' in hit.object) {
        (hit.object as InstancedMesh).getMatrixAt(hit.instanceId, instance);
        worldFromHit.multiply(instance);
      }
      out.normal.copy(hit.face.normal).applyNormalMatrix(normalMatrix.getNormalMatrix(worldFromHit));
      if (out.normal.dot(up) < 0) out.normal.negate();
      return true;
    }
    return false;
  }

  #isSkinOfCharacter(object: Object3D): boolean {
    const { skeleton } = object as Partial<SkinnedMesh>;
    return skeleton?.bones.some((bone) => this.#character.has(bone)) === true;
  }
}

function isCastAgainst(object: Object3D): boolean {
  // `raycast` is null where an application excludes an object from rays.
  return (
    typeof object.raycast === 'function' &&
    object.raycast !== Object3D.prototype.raycast &&
    !NO_GROUND.some((mark) => mark in object)
  );
}

const unused = /* @__PURE__ */ new Vector3();
const worldFromHit = /* @__PURE__ */ new Matrix4();
const instance = /* @__PURE__ */ new Matrix4();
const normalMatrix = /* @__PURE__ */ new Matrix3();
