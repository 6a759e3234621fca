/** The ground under a character: a height function, or objects to cast rays against. */
import { GoalError } from 'poise';
import { shown } from 'poise/internal/checks';
import {
  type InstancedMesh,
  type Intersection,
  Matrix3,
  Matrix4,
  type Object3D,
  Raycaster,
  Vector3,
} from 'three';

/**
 * Height of the ground, world, along up: at world x and z with +Y up, x and y with +Z up, y and z with +X up. It may write the unit `normal`, which
 * is otherwise found by differences. undefined: no ground there.
 */
export type GroundHeight = (x: number, z: number, normal: Vector3) => number | undefined;

/** A height function, or objects: meshes of terrain, stairs, platforms, and what is under them. */
export type Ground = GroundHeight | Object3D | readonly Object3D[];

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
  readonly #character: Object3D | null;
  readonly #raycaster = new Raycaster();
  readonly #hits: Intersection[] = [];
  #height: GroundHeight | undefined;
  #objects: Object3D[] = [];

  /** @param character - Not ground itself. */
  constructor(up: Vector3, character: Object3D | null) {
    this.#up = up;
    this.#character = character;
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
    // Rays meet objects where they were last drawn; this ground may not have been.
    for (const object of objects) object.updateWorldMatrix(true, true);
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
    this.#raycaster.intersectObjects(this.#objects, true, this.#hits);
    for (const hit of this.#hits) {
      if (!hit.face || this.#isOwn(hit.object)) continue;
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

  #isOwn(object: Object3D): boolean {
    for (let above: Object3D | null = object; above !== null; above = above.parent) {
      if (above === this.#character) return true;
    }
    return false;
  }
}

const unused = /* @__PURE__ */ new Vector3();
const worldFromHit = /* @__PURE__ */ new Matrix4();
const instance = /* @__PURE__ */ new Matrix4();
const normalMatrix = /* @__PURE__ */ new Matrix3();
