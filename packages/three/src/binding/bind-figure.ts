import { FigureError } from 'poise';
import {
  checkPose,
  createPose,
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  type PoseFromTransformsOptions,
  poseFromLocalTransforms,
  restTransforms,
  restTransformsOfPose,
  setRestTransforms,
} from 'poise/figure';
import { type FieldsOf, requireFields, requireOneOf } from 'poise/internal/checks';
import { affine, type MutableNumbers, mat3, type Numbers, quat, rigid, vec3 } from 'poise/math';
import type { Object3D, Quaternion, Vector3 } from 'three';
import { type BoundBone, boundBones, linksOf, unitOf } from './bone-object-map.js';
import { type FigureRoot, frameOf, requireRoot } from './hierarchy.js';
import {
  linearWithoutZeroScale,
  localAffine,
  localPosition,
  localRotation,
  refresh,
  requireInverse,
  setLocalTransform,
} from './local-transform.js';
import { type BoneObjects, matchObjects } from './match-objects.js';
import { nearestQuaternion } from './nearest-rotation.js';
import { conjugateBySigns } from './scale-split.js';

/** Options of {@link bindFigure}. */
export interface BindFigureOptions {
  /**
   * Objects of bones: objects themselves, or their names. Bones left out are looked up under their own name (also as
   * three.js's loaders write it, without `[].:/`), null leaves one without an object.
   */
  readonly objects?: BoneObjects;
  /** What to do with bones for which no object is found. Default `error`. */
  readonly missing?: 'error' | 'ignore';
}

const rotation: number[] = [0, 0, 0, 1];
const position: number[] = [0, 0, 0];
const local = /* @__PURE__ */ new Float64Array(12);
const transform = /* @__PURE__ */ new Float64Array(12);
const parentMatrix = /* @__PURE__ */ new Float64Array(12);

/**
 * A figure bound to three.js objects: writes poses to them and reads poses from them.
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
  /** Inaccuracies of the binding, one sentence each. */
  readonly warnings: readonly string[];
  /** The pose that {@link update} writes: solve on it. */
  readonly pose: Float64Array;
  /** Figure metres per unit of the frame. */
  readonly unit: number;
  /**
   * Rest transforms that {@link readPose} last read, 12 numbers a bone: with those of the figure replaced by translations that a clip
   * gives to bones without translation, and by the transforms of bones whose joint is fixed. For `setRestTransforms` of
   * poise/figure, and {@link writePose}.
   */
  readonly rests: Float64Array;

  readonly #state: FigureState;
  readonly #figureRests: Float64Array;
  /** Ancestors first. */
  readonly #bound: readonly BoundBone[];
  /** Frame from object, last written or read, frame units, 12 numbers a bone; filled if a bone has no `parentScale`. */
  readonly #frameFromObject: Float64Array;
  readonly #locals: Float64Array;
  readonly #worlds: Float64Array;
  readonly #allOnParentFrames: boolean;
  readonly #boneOfObject: ReadonlyMap<Object3D, BoundBone>;
  readonly #belowParentObject: ReadonlySet<number>;

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
    this.#boneOfObject = new Map(this.#bound.map((bound) => [bound.object, bound]));
    this.#allOnParentFrames = this.#bound.every(({ parentScale }) => parentScale !== undefined);
    this.#belowParentObject = new Set(
      this.#bound.flatMap(({ bone, above }) => (above === figure.parents[bone] ? [bone] : [])),
    );
    this.#state = createState(figure);
    this.#figureRests = restTransforms(figure);
    this.rests = restTransforms(figure);
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
   * keep their local transforms; objects below them compensate.
   *
   * @param rests - Rest transforms, 12 numbers a bone: {@link FigureBinding.rests} keeps what a clip does to bones whose joints cannot. Default: those
   * of the figure.
   * @throws FigureError `wrong-size` or `not-finite` for a pose that does not fit.
   */
  writePose(pose: Numbers, rests: Numbers = this.#figureRests): void {
    checkPose(this.figure, pose);
    setRestTransforms(this.#state, rests);
    forwardKinematics(this.#state, pose);
    const { parentFromBone, worldFromBone } = this.#state;
    for (const bound of this.#bound) {
      const { bone, object, parentScale, boneFromUnscaled } = bound;
      if (parentScale !== undefined) {
        // R' = O R O, t' = A^-1 p
        copy12(parentFromBone, 12 * bone, transform);
        conjugateBySigns(parentScale, quat.fromMatrix(transform, rotation), rotation);
        for (let i = 0; i < 3; i++) position[i] = transform[9 + i] / parentScale[i];
      } else {
        // local = parentMatrix^-1 (R_F A K^-1, p) / u
        copy12(worldFromBone, 12 * bone, transform);
        const { unit } = this;
        mat3.multiply(transform, boneFromUnscaled, transform);
        for (let i = 0; i < 12; i++) transform[i] /= unit;
        this.#writeParentMatrix(bound);
        requireInverse(parentMatrix, object.parent);
        affine.compose(affine.inverse(parentMatrix, local), transform, local);
        nearestQuaternion(local, rotation);
        for (let i = 0; i < 3; i++) position[i] = local[9 + i];
      }
      setLocalTransform(object, rotation, position);
      if (!this.#allOnParentFrames) this.#storeFrameFromObject(bound);
    }
  }

  /**
   * Reads the objects' local transforms: the nearest coordinates, joint by joint (`poseFromLocalTransforms` of
   * poise/figure). Bones without an object keep their coordinates. What the joints cannot reproduce of positions goes to
   * {@link FigureBinding.rests}.
   *
   * @param pose - Input: the previous pose, which selects the multiple of 2 pi of each angle. Output: the pose read.
   * Default: `this.pose`.
   * @returns the pose.
   * @throws FigureError `wrong-size`, `not-finite`.
   */
  readPose(pose: Float64Array = this.pose, options: PoseFromTransformsOptions = {}): Float64Array {
    checkPose(this.figure, pose);
    const { parents, bones } = this.figure;
    const state = this.#state;
    setRestTransforms(state, this.#figureRests);
    forwardKinematics(state, pose);
    const locals = this.#locals;
    locals.set(state.parentFromBone);
    for (const bound of this.#bound) {
      const { bone, object, parentScale, boneFromUnscaled } = bound;
      refresh(object);
      localRotation(object, rotation);
      localPosition(object, position);
      if (parentScale !== undefined) {
        quat.toMatrix(conjugateBySigns(parentScale, rotation, rotation), transform);
        for (let i = 0; i < 3; i++) locals[12 * bone + 9 + i] = parentScale[i] * position[i];
        for (let i = 0; i < 9; i++) locals[12 * bone + i] = transform[i];
      } else {
        // R_F = rotation factor of (parent's linear part) R (A K^-1)^-1
        this.#writeParentMatrix(bound);
        requireInverse(parentMatrix, object.parent);
        quat.toMatrix(rotation, transform);
        transform.set(position, 9);
        affine.compose(parentMatrix, transform, transform);
        for (let i = 0; i < 12; i++) transform[i] *= this.unit;
        mat3.multiply(transform, mat3.inverse(boneFromUnscaled), transform);
        quat.toMatrix(nearestQuaternion(transform, rotation), this.#worlds.subarray(12 * bone));
        for (let i = 0; i < 3; i++) this.#worlds[12 * bone + 9 + i] = transform[9 + i];
      }
      if (!this.#allOnParentFrames) this.#storeFrameFromObject(bound);
    }
    if (!this.#allOnParentFrames) this.#localsFromWorlds(parents, bones.length);
    poseFromLocalTransforms(state, locals, pose, options);
    restTransformsOfPose(this.figure, locals, pose, this.rests);
    return pose;
  }

  /** A point of the scene's world in the figure's: a target for a goal, m. */
  pointFromWorld<T extends MutableNumbers = number[]>(
    { x, y, z }: Pick<Vector3, 'x' | 'y' | 'z'>,
    out: T = [0, 0, 0] as MutableNumbers as T,
  ): T {
    this.#writeWorldFromFigure(parentMatrix);
    requireInverse(parentMatrix, this.frame);
    affine.transformPoint(affine.inverse(parentMatrix, local), [x, y, z], out);
    return out;
  }

  /** A point of the figure's world in the scene's. `out` is any vector with `set`. */
  pointToWorld<T extends { set(x: number, y: number, z: number): unknown }>(point: Numbers, out: T): T {
    this.#writeWorldFromFigure(parentMatrix);
    affine.transformPoint(parentMatrix, point, position);
    out.set(position[0], position[1], position[2]);
    return out;
  }

  /** An orientation of the scene's world in the figure's: a target for an orientation goal, unit quaternion. */
  orientationFromWorld<T extends MutableNumbers = number[]>(
    { x, y, z, w }: Pick<Quaternion, 'x' | 'y' | 'z' | 'w'>,
    out: T = [0, 0, 0, 1] as MutableNumbers as T,
  ): T {
    this.#writeWorldFromFigure(parentMatrix);
    requireInverse(parentMatrix, this.frame);
    const frame = quat.conjugate(nearestQuaternion(parentMatrix));
    return quat.multiply(frame, quat.normalize([x, y, z, w]), out);
  }

  /** The normal of a plane in the scene's world, in the figure's: any length but zero in, a unit vector out. */
  normalFromWorld<T extends MutableNumbers = number[]>(
    { x, y, z }: Pick<Vector3, 'x' | 'y' | 'z'>,
    out: T = [0, 0, 0] as MutableNumbers as T,
  ): T {
    // n.(M x) = (M^T n).x
    this.#writeWorldFromFigure(parentMatrix);
    requireInverse(parentMatrix, this.frame);
    mat3.transposeMultiplyVector(parentMatrix, [x, y, z], position);
    return vec3.normalize(position, out);
  }

  /** Scene's world from the figure's, for the current world matrix of the frame. */
  worldFromFigure<T extends { fromArray(elements: number[]): unknown }>(out: T): T {
    this.#writeWorldFromFigure(parentMatrix);
    out.fromArray(affine.toColumnMajor4(parentMatrix));
    return out;
  }

  /**
   * @internal Whether a bone's object is a descendant of the object of the bone's parent, with no other bone's object
   * between: then its local transform gives the bone relative to its parent.
   */
  isBelowParentObject(bone: number): boolean {
    return this.#belowParentObject.has(bone);
  }

  /** @internal Bone of an object, -1 for none. */
  boneOfObject(object: Object3D): number {
    return this.#boneOfObject.get(object)?.bone ?? -1;
  }

  /**
   * @internal Bone frame from an object below the bone's object, 12 numbers, m: product of the local transforms between the
   * two and the scale of the bone's object, independent of the pose.
   *
   * @param ignoreZeroScale - Reads scales of 0 as 1, so that a hidden object keeps its orientation.
   */
  boneFromObject(bone: number, object: Object3D, ignoreZeroScale: boolean): Float64Array {
    const top = this.objects[bone] as Object3D;
    const { boneFromUnscaled } = this.#boneOfObject.get(top) as BoundBone;
    const out = new Float64Array(12);
    for (let below = object; below !== top; below = below.parent as Object3D) {
      refresh(below);
      localAffine(below, local);
      if (ignoreZeroScale) local.set(linearWithoutZeroScale(below));
      if (below === object) out.set(local);
      else affine.compose(local, out, out);
    }
    if (object === top) rigid.identity(out);
    refresh(top);
    const { x, y, z } = top.scale;
    const [a, b, c] = [x, y, z].map((scale) => (ignoreZeroScale && scale === 0 ? 1 : scale));
    // A_n = (A_n K^-1) K
    rigid.identity(local);
    mat3.multiply(boneFromUnscaled, [a, 0, 0, 0, b, 0, 0, 0, c], local);
    return affine.compose(local, out, out);
  }

  /** worldFromFigure: the frame's world matrix over metres per unit. */
  #writeWorldFromFigure(out: Float64Array): void {
    rigid.identity(out);
    if (this.frame !== null) {
      this.frame.updateWorldMatrix(true, false);
      affine.fromColumnMajor4(this.frame.matrixWorld.elements, out);
    }
    for (let i = 0; i < 9; i++) out[i] /= this.unit;
  }

  /** Frame from parent object of a bone's object, frame units, to `parentMatrix`. */
  #writeParentMatrix({ above, between }: BoundBone): void {
    if (above < 0) rigid.identity(parentMatrix);
    else copy12(this.#frameFromObject, 12 * above, parentMatrix);
    for (const object of between) {
      refresh(object);
      localAffine(object, local);
      affine.compose(parentMatrix, local, parentMatrix);
    }
  }

  #storeFrameFromObject(bound: BoundBone): void {
    this.#writeParentMatrix(bound);
    localAffine(bound.object, local);
    rigid.composeAt(parentMatrix, 0, local, 0, this.#frameFromObject, 12 * bound.bone);
  }

  /** Forward over the bones: worlds from locals for bones with `parentScale`, locals from worlds for the others. */
  #localsFromWorlds(parents: Int32Array, count: number): void {
    const indirect = new Set(
      this.#bound.filter(({ parentScale }) => parentScale === undefined).map(({ bone }) => bone),
    );
    for (let b = 0; b < count; b++) {
      const o = 12 * b;
      if (parents[b] < 0) copy12(IDENTITY, 0, parentMatrix);
      else copy12(this.#worlds, 12 * parents[b], parentMatrix);
      if (indirect.has(b)) {
        copy12(this.#worlds, o, transform);
        rigid.composeAt(rigid.inverse(parentMatrix, local), 0, transform, 0, this.#locals, o);
      } else {
        rigid.composeAt(parentMatrix, 0, this.#locals, o, this.#worlds, o);
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
 * Binds a figure to a three.js hierarchy, bones to objects by name or by `options.objects`.
 *
 * The figure must be one of this hierarchy: made by `figureFromObject3D`, or read from the same file. Its bones have the
 * axes and, up to one uniform scale, the lengths of their objects. The objects need not be in the rest pose, unless
 * an object above bones has non-uniform scale.
 *
 * A figure from `figureFromObject3D` remembers its objects: in their own hierarchy they are found without names.
 *
 * @throws FigureError `unknown-name` with the nearest name, `duplicate-name`, `singular` for a scale of zero.
 */
export function bindFigure(figure: Figure, root: FigureRoot, options: BindFigureOptions = {}): FigureBinding {
  requireFigure(figure);
  requireRoot(root);
  requireFields(
    options,
    { objects: true, missing: true } satisfies FieldsOf<BindFigureOptions>,
    'options',
    FigureError,
  );
  requireOneOf(options.missing ?? 'error', ['error', 'ignore'], 'options.missing', FigureError);
  return new FigureBinding(figure, root, options);
}

/** @throws FigureError `unsupported` for what is not a figure, as the result of `figureFromObject3D`, which holds one. */
function requireFigure(figure: unknown): void {
  if (isFigure(figure)) return;
  const isResult = isFigure((figure as { figure?: unknown } | null | undefined)?.figure);
  throw new FigureError(
    'unsupported',
    isResult ? 'is the result of figureFromObject3D.' : 'is not a figure.',
    {
      path: 'figure',
      remedy: isResult ? 'Give its `figure`.' : 'Give one of figureFromObject3D, or of a file.',
    },
  );
}

function isFigure(value: unknown): boolean {
  const figure = value as Partial<Figure> | null | undefined;
  return Array.isArray(figure?.bones) && typeof figure.dof === 'number';
}
