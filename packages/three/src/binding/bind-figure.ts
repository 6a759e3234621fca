import { FigureError } from 'poise';
import {
  checkPose,
  createPose,
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  poseFromLocalTransforms,
  type PoseFromTransformsOptions,
} from 'poise/figure';
import { affine, type MutableNumbers, mat3, type Numbers, quat, rigid, vec3 } from 'poise/math';
import type { Object3D, Quaternion, Vector3 } from 'three';
import { type BoundBone, boundBones, linksOf, unitOf } from './bone-object-map.js';
import { type FigureRoot, frameOf } from './hierarchy.js';
import {
  localAffine,
  localPosition,
  localRotation,
  place,
  refresh,
  requireInverse,
  shownLinear,
} from './local-transform.js';
import { matchObjects, type ObjectsOfBones } from './match-objects.js';
import { nearestQuaternion } from './nearest-rotation.js';
import { conjugateBySigns } from './scale-split.js';
import { checkFields, checkWord, type FieldsOf } from './validate-options.js';

/** Options of {@link bindFigure}. */
export interface BindFigureOptions {
  /**
   * Objects of bones: objects themselves, or their names. Bones left out are looked up under their own name (also as
   * three.js's loaders write it, without `[].:/`), null leaves one without an object.
   */
  readonly objects?: ObjectsOfBones;
  /** What to do with bones for which no object is found. Default `error`. */
  readonly missing?: 'error' | 'ignore';
}

const rotation: number[] = [0, 0, 0, 1];
const position: number[] = [0, 0, 0];
const local = /* @__PURE__ */ new Float64Array(12);
const target = /* @__PURE__ */ new Float64Array(12);
const outer = /* @__PURE__ */ new Float64Array(12);

/**
 * A figure tied to three.js objects, both ways.
 *
 * The figure's world is the frame of {@link frame}, in the figure's metres; {@link pointFromWorld} brings
 * targets there. Every method works on the objects' local transforms: call it before the renderer, or
 * `updateMatrixWorld` yourself.
 */
export class FigureBinding {
  readonly figure: Figure;
  /** The object in whose frame the figure lives; null for the world. */
  readonly frame: Object3D | null;
  /** Object of each bone, by bone index. */
  readonly objects: readonly (Object3D | undefined)[];
  /** What was bound with a reservation, one sentence each. */
  readonly warnings: readonly string[];
  /** The pose that {@link update} writes: solve on it. */
  readonly pose: Float64Array;
  /** Figure metres per unit of the frame. */
  readonly unit: number;

  readonly #state: FigureState;
  /** Objects above before objects below. */
  readonly #bound: readonly BoundBone[];
  /** Frame from bone as written or read, frame units, 12 numbers a bone; filled where a bone is not `direct`. */
  readonly #frameFromObject: Float64Array;
  readonly #locals: Float64Array;
  readonly #worlds: Float64Array;
  readonly #isDirect: boolean;
  readonly #boundOf: ReadonlyMap<Object3D, BoundBone>;
  readonly #onParent: ReadonlySet<number>;

  /** @internal Use {@link bindFigure}. */
  constructor(figure: Figure, root: FigureRoot, options: BindFigureOptions = {}) {
    this.figure = figure;
    this.objects = matchObjects(figure, root, options.objects, options.missing ?? 'error');
    const chosen = new Set(this.objects.filter((object) => object !== undefined));
    this.frame = frameOf(root, chosen);
    const links = linksOf(this.objects, this.frame);
    const warnings: string[] = [];
    this.unit = unitOf(figure, links, this.frame, warnings);
    this.#bound = boundBones(figure, links, this.unit, warnings);
    this.warnings = warnings;
    this.#boundOf = new Map(this.#bound.map((bound) => [bound.object, bound]));
    this.#isDirect = this.#bound.every(({ direct }) => direct !== undefined);
    this.#onParent = new Set(
      this.#bound.flatMap(({ bone, above }) => (above === figure.parents[bone] ? [bone] : [])),
    );
    this.#state = createState(figure);
    this.#frameFromObject = new Float64Array(12 * figure.bones.length);
    this.#locals = new Float64Array(12 * figure.bones.length);
    this.#worlds = new Float64Array(12 * figure.bones.length);
    this.pose = createPose(figure);
  }

  /** Writes {@link pose} to the objects: the call of each frame, after the solver. */
  update(): void {
    this.writePose(this.pose);
  }

  /**
   * Moves the objects so that each has the position and orientation of its bone. Scales stay, and objects without a bone
   * keep their local transforms: those below them make up for it.
   *
   * @throws FigureError `wrong-size` or `not-finite` for a pose that does not fit.
   */
  writePose(pose: Numbers): void {
    checkPose(this.figure, pose);
    forwardKinematics(this.#state, pose);
    const { parentFromBone, worldFromBone } = this.#state;
    for (const bound of this.#bound) {
      const { bone, object, direct, turned } = bound;
      if (direct !== undefined) {
        // R' = O R O, t' = A^-1 p
        copy12(parentFromBone, 12 * bone, target);
        conjugateBySigns(direct, quat.fromMatrix(target, rotation), rotation);
        for (let i = 0; i < 3; i++) position[i] = target[9 + i] / direct[i];
      } else {
        // World as wanted over world of the parent: (R_F A K^-1, p) / u.
        copy12(worldFromBone, 12 * bone, target);
        const { unit } = this;
        mat3.multiply(target, turned, target);
        for (let i = 0; i < 12; i++) target[i] /= unit;
        this.#writeOuter(bound);
        requireInverse(outer, object.parent);
        affine.compose(affine.inverse(outer, local), target, local);
        nearestQuaternion(local, rotation);
        for (let i = 0; i < 3; i++) position[i] = local[9 + i];
      }
      place(object, rotation, position);
      if (!this.#isDirect) this.#storeFrameFromObject(bound);
    }
  }

  /**
   * Reads the objects' local transforms back: the coordinates that come nearest, joint by joint, as
   * `poseFromLocalTransforms` of poise/figure says. Bones without an object keep their coordinates.
   *
   * @param pose - Read as the pose before (it chooses whole turns), written as the answer. Default: `this.pose`.
   * @returns the pose.
   * @throws FigureError `wrong-size`, `not-finite`.
   */
  readPose(pose: Float64Array = this.pose, options: PoseFromTransformsOptions = {}): Float64Array {
    checkPose(this.figure, pose);
    const { parents, bones } = this.figure;
    const state = this.#state;
    forwardKinematics(state, pose);
    const locals = this.#locals;
    locals.set(state.parentFromBone);
    for (const bound of this.#bound) {
      const { bone, object, direct, turned } = bound;
      refresh(object);
      localRotation(object, rotation);
      localPosition(object, position);
      if (direct !== undefined) {
        quat.toMatrix(conjugateBySigns(direct, rotation, rotation), target);
        for (let i = 0; i < 3; i++) locals[12 * bone + 9 + i] = direct[i] * position[i];
        for (let i = 0; i < 9; i++) locals[12 * bone + i] = target[i];
      } else {
        // R_F = rotation factor of (parent's linear part) R (A K^-1)^-1
        this.#writeOuter(bound);
        requireInverse(outer, object.parent);
        quat.toMatrix(rotation, target);
        target.set(position, 9);
        affine.compose(outer, target, target);
        for (let i = 0; i < 12; i++) target[i] *= this.unit;
        mat3.multiply(target, mat3.inverse(turned), target);
        quat.toMatrix(nearestQuaternion(target, rotation), this.#worlds.subarray(12 * bone));
        for (let i = 0; i < 3; i++) this.#worlds[12 * bone + 9 + i] = target[9 + i];
      }
      if (!this.#isDirect) this.#storeFrameFromObject(bound);
    }
    if (!this.#isDirect) this.#localsFromWorlds(parents, bones.length);
    return poseFromLocalTransforms(state, locals, pose, options);
  }

  /** A point of the scene's world in the figure's: a target for a goal, m. */
  pointFromWorld<T extends MutableNumbers = number[]>(
    { x, y, z }: Pick<Vector3, 'x' | 'y' | 'z'>,
    out: T = [0, 0, 0] as MutableNumbers as T,
  ): T {
    this.#writeWorldFromFigure(outer);
    requireInverse(outer, this.frame);
    affine.transformPoint(affine.inverse(outer, local), [x, y, z], out);
    return out;
  }

  /** A point of the figure's world in the scene's. `out` is any vector with `set`. */
  pointToWorld<T extends { set(x: number, y: number, z: number): unknown }>(point: Numbers, out: T): T {
    this.#writeWorldFromFigure(outer);
    affine.transformPoint(outer, point, position);
    out.set(position[0], position[1], position[2]);
    return out;
  }

  /** An orientation of the scene's world in the figure's: a target for an orientation goal, unit quaternion. */
  orientationFromWorld<T extends MutableNumbers = number[]>(
    { x, y, z, w }: Pick<Quaternion, 'x' | 'y' | 'z' | 'w'>,
    out: T = [0, 0, 0, 1] as MutableNumbers as T,
  ): T {
    this.#writeWorldFromFigure(outer);
    requireInverse(outer, this.frame);
    const frame = quat.conjugate(nearestQuaternion(outer));
    return quat.multiply(frame, quat.normalize([x, y, z, w]), out);
  }

  /** The normal of a plane in the scene's world, in the figure's: any length but zero in, a unit vector out. */
  normalFromWorld<T extends MutableNumbers = number[]>(
    { x, y, z }: Pick<Vector3, 'x' | 'y' | 'z'>,
    out: T = [0, 0, 0] as MutableNumbers as T,
  ): T {
    // n.(M x) = (M^T n).x
    this.#writeWorldFromFigure(outer);
    requireInverse(outer, this.frame);
    mat3.transposeMultiplyVector(outer, [x, y, z], position);
    return vec3.normalize(position, out);
  }

  /** Scene's world from the figure's, as the frame stands now. */
  worldFromFigure<T extends { fromArray(elements: number[]): unknown }>(out: T): T {
    this.#writeWorldFromFigure(outer);
    out.fromArray(affine.toColumnMajor4(outer));
    return out;
  }

  /**
   * @internal Whether a bone's object hangs, with or without others between, on the object of the bone's own parent: then its local
   * transform says how the bone stands against that.
   */
  hangsOnParent(bone: number): boolean {
    return this.#onParent.has(bone);
  }

  /** @internal Bone of an object, -1 for none. */
  boneOfObject(object: Object3D): number {
    return this.#boundOf.get(object)?.bone ?? -1;
  }

  /**
   * @internal Frame of a bone from an object that hangs below the bone's object, 12 numbers, m: by the local transforms between the two
   * and the scale of the bone's object, whatever the pose.
   *
   * @param shown - Scales of 0 on the way are taken for 1: for what has an orientation though it is hidden.
   */
  boneFromBelow(bone: number, object: Object3D, shown: boolean): Float64Array {
    const top = this.objects[bone] as Object3D;
    const { turned } = this.#boundOf.get(top) as BoundBone;
    const out = new Float64Array(12);
    for (let below = object; below !== top; below = below.parent as Object3D) {
      refresh(below);
      localAffine(below, local);
      if (shown) local.set(shownLinear(below));
      if (below === object) out.set(local);
      else affine.compose(local, out, out);
    }
    if (object === top) rigid.identity(out);
    refresh(top);
    const { x, y, z } = top.scale;
    const [a, b, c] = [x, y, z].map((scale) => (shown && scale === 0 ? 1 : scale));
    // A_n = (A_n K^-1) K
    rigid.identity(local);
    mat3.multiply(turned, [a, 0, 0, 0, b, 0, 0, 0, c], local);
    return affine.compose(local, out, out);
  }

  /** worldFromFigure as it is now: the frame's world matrix over metres per unit. */
  #writeWorldFromFigure(out: Float64Array): void {
    rigid.identity(out);
    if (this.frame !== null) {
      this.frame.updateWorldMatrix(true, false);
      affine.fromColumnMajor4(this.frame.matrixWorld.elements, out);
    }
    for (let i = 0; i < 9; i++) out[i] /= this.unit;
  }

  /** Frame from parent object of a bound bone, frame units, to `outer`. */
  #writeOuter({ above, between }: BoundBone): void {
    if (above < 0) rigid.identity(outer);
    else copy12(this.#frameFromObject, 12 * above, outer);
    for (const object of between) {
      refresh(object);
      localAffine(object, local);
      affine.compose(outer, local, outer);
    }
  }

  #storeFrameFromObject(bound: BoundBone): void {
    this.#writeOuter(bound);
    localAffine(bound.object, local);
    rigid.composeAt(outer, 0, local, 0, this.#frameFromObject, 12 * bound.bone);
  }

  /** Down the figure: worlds from locals where an object gave a local transform, locals from worlds where not. */
  #localsFromWorlds(parents: Int32Array, count: number): void {
    const indirect = new Set(
      this.#bound.filter(({ direct }) => direct === undefined).map(({ bone }) => bone),
    );
    for (let b = 0; b < count; b++) {
      const o = 12 * b;
      if (parents[b] < 0) copy12(IDENTITY, 0, outer);
      else copy12(this.#worlds, 12 * parents[b], outer);
      if (indirect.has(b)) {
        copy12(this.#worlds, o, target);
        rigid.composeAt(rigid.inverse(outer, local), 0, target, 0, this.#locals, o);
      } else {
        rigid.composeAt(outer, 0, this.#locals, o, this.#worlds, o);
      }
    }
  }
}

/** out[0..11] = m[o..o+11] */
function copy12(m: Numbers, o: number, out: Float64Array): void {
  for (let i = 0; i < 12; i++) out[i] = m[o + i];
}

const IDENTITY: readonly number[] = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

/**
 * Binds a figure to a three.js hierarchy, bones to objects by name or as `options.objects` says.
 *
 * The figure must be one of this hierarchy: made by `figureFromObject3D`, or read from the same file. Its bones have the
 * axes and, up to one uniform scale, the lengths of their objects. The objects need not stand at rest, unless
 * non-uniform scale lies above bones.
 *
 * Objects of a figure from `figureFromObject3D` are known without their names, in the hierarchy that it was made of.
 *
 * @throws FigureError `unknown-name` with the nearest name, `duplicate-name`, `singular` for a scale of zero.
 */
export function bindFigure(figure: Figure, root: FigureRoot, options: BindFigureOptions = {}): FigureBinding {
  checkFields(
    options,
    { objects: true, missing: true } satisfies FieldsOf<BindFigureOptions>,
    'options',
    FigureError,
  );
  checkWord(options.missing ?? 'error', ['error', 'ignore'], 'options.missing', FigureError);
  return new FigureBinding(figure, root, options);
}
