import { FigureError } from 'poise';
import { type ActorOptions, createRagdoll, type Ragdoll, type RagdollOptions } from 'poise/dynamics';
import {
  createFigure,
  createPose,
  createState,
  type Figure,
  type FigureState,
  figureToData,
  forwardKinematics,
  velocityFromRates,
} from 'poise/figure';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import { affine, mat3, rigid, type Vec3 } from 'poise/math';
import { Matrix4, type Object3D } from 'three';
import { AnimationLayers } from '../binding/animation-layers.js';
import { type BindFigureOptions, bindFigure, type FigureBinding } from '../binding/bind-figure.js';
import { figureFromObject3D } from '../binding/figure-from-object3d.js';
import { type FigureRoot, nearestAxis } from '../binding/hierarchy.js';
import { nearestQuaternion } from '../binding/nearest-rotation.js';
import { blendPoses, rotationVectorOffsets } from './blend-poses.js';
import { type FloatingRoot, floatingRoots, transformPose } from './floating-roots.js';
import { skinVertices } from './skin-vertices.js';

/** Options of `FigureSimulation.add`. */
export interface RagdollBindingOptions extends BindFigureOptions {
  /** Figure of the hierarchy, in metres. Default: `figureFromObject3D` of the hierarchy, which must be in its rest pose. */
  readonly figure?: Figure;
  /**
   * An existing ragdoll of that figure, or options to create one. Default: shapes fitted to the skins, and for a human the
   * joints of a human (`joints: 'anatomical'`).
   */
  readonly ragdoll?: Ragdoll | RagdollOptions;
  /** Springs, friction and motors of the joints, and damping instead of the ragdoll's; see `createSimulation`. */
  readonly actor?: Omit<ActorOptions, 'figure' | 'shapes' | 'exclude' | 'pose' | 'velocity'>;
}

const FIELDS: FieldsOf<RagdollBindingOptions> = {
  objects: true,
  missing: true,
  figure: true,
  ragdoll: true,
  actor: true,
};

/** Largest relative difference between the scale of a figure and that of the simulation. */
const SCALE_TOLERANCE = 1e-3;
/** Radius of gyration of a character about its long axis, in its heights: of the drag on its rotation. */
const GYRATION = 0.12;

const matrix = /* @__PURE__ */ new Matrix4();
const frame = /* @__PURE__ */ new Float64Array(12);
const inverse = /* @__PURE__ */ new Float64Array(12);
const rotation: number[] = [0, 0, 0, 1];
const position: number[] = [0, 0, 0];

/**
 * A character in a `FigureSimulation`: animated until `start`, then moved by physics until `stop`.
 *
 * The simulation's world is the scene's, in metres. While animated, its pose is recorded at each update of the simulation, so
 * that physics starts with the pose and the velocity of the animation.
 */
export class RagdollBinding {
  readonly ragdoll: Ragdoll;
  /** Figure of the ragdoll: the bones of the hierarchy, with masses, limits and, for a human, other joints. */
  readonly figure: Figure;
  readonly binding: FigureBinding;
  /** How much of the physics is written over the animation, 0 to 1; multiplied by {@link weights}. */
  weight = 1;
  /** Weight of each bone, by bone index. */
  readonly weights: Float64Array;
  /** Pose and velocity in the simulation's world: of its actor, or the initial ones. */
  readonly pose: Float64Array;
  readonly velocity: Float64Array;
  /** The animation's pose in the simulation's world: read at each update while animated, and always if `beforeStep` is given. */
  readonly animatedPose: Float64Array;
  /** The pose shown: interpolated between the last two states of the simulation, or the animation's. */
  readonly shownPose: Float64Array;
  /** Bones of {@link shownPose}, simulation's world. */
  readonly state: FigureState;
  /** Index of its actor in the simulation; -1 while it is animated. */
  index = -1;

  readonly #actor: RagdollBindingOptions['actor'];
  readonly #metersPerUnit: number;
  readonly #roots: readonly FloatingRoot[];
  readonly #rotations: Int32Array;
  readonly #layers: AnimationLayers;
  /** Bones that have an object, in the order of the layers; and 1 for bones without a moving bone at or below them. */
  readonly #bones: readonly number[];
  readonly #motionless: Uint8Array;
  readonly #framePose: Float64Array;
  readonly #previous: Float64Array;
  readonly #previousAnimation: Float64Array;
  #recordInterval = 0;
  #recordCount = 0;
  #drag = 0;
  /** Damping of its actor without drag. */
  readonly #freeDamping: Float64Array;

  /** @internal Use `FigureSimulation.add`. */
  constructor(root: FigureRoot, options: RagdollBindingOptions, metersPerUnit: number, sceneUp: Vec3) {
    requireFields(options, FIELDS, 'options', FigureError);
    const bindOptions = { missing: options.missing ?? 'error' } as const;
    const made = options.figure ? undefined : figureFromObject3D(root);
    const figure = options.figure ?? inMeters((made as { figure: Figure }).figure, metersPerUnit);
    const given = bindFigure(figure, root, {
      ...bindOptions,
      ...((options.objects ?? made) && { objects: options.objects ?? made?.objects }),
    } as BindFigureOptions);
    this.#metersPerUnit = metersPerUnit;
    writeWorldFromFigure(given, metersPerUnit, true);
    const up = nearestAxis(rigid.inverseTransformVector(frame, sceneUp));
    this.ragdoll = ragdollOf(root, given, up, options.ragdoll);
    this.figure = this.ragdoll.figure;
    const objects = new Map<string, Object3D | null>(
      figure.bones.map(({ name, index }) => [name, given.objects[index] ?? null]),
    );
    this.binding = bindFigure(this.figure, root, { ...bindOptions, objects });
    this.#actor = options.actor;
    this.#roots = floatingRoots(this.figure);
    this.#rotations = rotationVectorOffsets(this.figure);
    const pose = (): Float64Array => createPose(this.figure);
    [this.pose, this.velocity, this.shownPose, this.animatedPose] = [pose(), pose(), pose(), pose()];
    [this.#framePose, this.#previous, this.#previousAnimation] = [pose(), pose(), pose()];
    this.#freeDamping = pose();
    this.state = createState(this.figure);
    this.weights = new Float64Array(this.figure.bones.length).fill(1);
    this.#motionless = motionlessBones(this.figure);
    this.#bones = this.figure.bones.flatMap(({ index }) =>
      this.binding.objects[index] === undefined ? [] : [index],
    );
    this.#layers = new AnimationLayers(this.binding.objects.filter((object) => object !== undefined));
    this.recordAnimation(0);
  }

  /** Whether physics moves it. */
  get active(): boolean {
    return this.index >= 0;
  }

  /** @internal Records the animation's pose, `seconds` after the last. */
  recordAnimation(seconds: number): void {
    if (seconds > 0 || this.#recordCount === 0) {
      this.#previousAnimation.set(this.pose);
      this.#recordInterval = seconds;
      this.#recordCount++;
    }
    this.#readPose(this.pose);
    this.animatedPose.set(this.pose);
    this.#setShownPose(this.pose);
  }

  /** @internal Reads {@link animatedPose} below the output of physics. */
  readAnimation(): void {
    this.#layers.unwind();
    this.#readPose(this.animatedPose);
    this.#layers.rewind();
  }

  /** @internal Sets pose and velocity from the animation: the current pose, and the velocity between the last two records. */
  startFromAnimation(momentum: boolean): void {
    const { velocity, pose, figure } = this;
    velocity.fill(0);
    if (momentum && this.#recordCount > 1 && this.#recordInterval > 0) {
      const rates = pose.map((x, i) => (x - this.#previousAnimation[i]) / this.#recordInterval);
      const state = createState(figure);
      forwardKinematics(state, pose);
      velocityFromRates(state, pose, rates, velocity);
    }
    this.#readPose(pose);
    this.#previous.set(pose);
    this.#setShownPose(pose);
  }

  /** @internal Returns the objects to the animation. */
  returnToAnimation(): void {
    this.index = -1;
    this.#layers.restore();
    // Angles are read near those before: near those at rest again, whatever multiple of 2 pi the fall came to.
    const rest = createPose(this.figure);
    this.#framePose.set(rest);
    this.pose.set(rest);
    this.#recordCount = 0;
    this.recordAnimation(0);
  }

  /** @internal Sets the drag on the motion of its floating bases, 1/s, in the damping of its actor. */
  setDrag(damping: Float64Array, drag: number): void {
    if (drag === this.#drag) return;
    if (this.#drag === 0) this.#freeDamping.set(damping);
    this.#drag = drag;
    const square = (GYRATION * this.ragdoll.height) ** 2;
    for (const { coordinate, mass } of this.#roots) {
      for (let k = 0; k < 6; k++) {
        const i = coordinate + k;
        damping[i] = this.#freeDamping[i] + drag * mass * (k < 3 ? 1 : square);
      }
    }
  }

  /** @internal Options of its actor, which is without drag. */
  actorOptions(): ActorOptions {
    this.#drag = 0;
    const { figure, ragdoll, pose, velocity } = this;
    const { shapes, exclude, damping } = ragdoll;
    return { damping, ...this.#actor, figure, shapes, exclude, pose, velocity };
  }

  /** @internal Stores the pose before a step. */
  storePreviousPose(pose: Float64Array): void {
    this.#previous.set(pose);
  }

  /** @internal Writes the objects: interpolated by `alpha` between the last two states. */
  writeInterpolated(alpha: number): void {
    const { binding, weights, figure } = this;
    blendPoses(this.#rotations, this.#previous, this.pose, alpha, this.shownPose);
    this.#setShownPose(this.shownPose);
    writeWorldFromFigure(this.binding, this.#metersPerUnit, false);
    transformPose(this.#roots, rigid.inverse(frame, inverse), this.shownPose, this.#framePose);
    this.#layers.unwind();
    binding.writePose(this.#framePose);
    this.#bones.forEach((bone, n) => {
      const weight = this.weight * weights[bone];
      if (!(weight >= 0 && weight <= 1)) {
        throw new FigureError('out-of-range', `is ${weight}.`, {
          path: `weight of '${figure.bones[bone].name}'`,
          remedy: 'Give weights from 0 to 1.',
        });
      }
      if (weight === 0 || this.#motionless[bone] === 1) this.#layers.resetToInput(n);
      else if (weight < 1) this.#layers.blend(n, weight);
    });
    this.#layers.commit();
  }

  /** @internal Removes its layers from the objects. */
  dispose(): void {
    this.#layers.unwind();
    this.#layers.remove();
    this.index = -1;
  }

  /** Reads the pose of the objects in the simulation's world. */
  #readPose(out: Float64Array): void {
    this.binding.readPose(this.#framePose);
    writeWorldFromFigure(this.binding, this.#metersPerUnit, false);
    transformPose(this.#roots, frame, this.#framePose, out);
  }

  #setShownPose(pose: Float64Array): void {
    this.shownPose.set(pose);
    forwardKinematics(this.state, pose);
  }
}

/** Simulation's world from the figure's, rigid, for the current frame of the binding, to `frame`. */
function writeWorldFromFigure(binding: FigureBinding, metersPerUnit: number, check: boolean): void {
  binding.worldFromFigure(matrix);
  affine.fromColumnMajor4(matrix.elements, frame);
  const scale = check ? Math.cbrt(mat3.determinant(frame)) * metersPerUnit : 1;
  if (!(Math.abs(scale - 1) < SCALE_TOLERANCE)) {
    throw new FigureError('out-of-range', `is shown at ${scale.toPrecision(4)} of its size in metres.`, {
      path: `figure ${binding.figure.name}`,
      remedy:
        'Give a figure of the size that is shown, or `metersPerUnit` of the scene; mirrored figures are not supported.',
    });
  }
  nearestQuaternion(frame, rotation);
  for (let k = 0; k < 3; k++) position[k] = metersPerUnit * frame[9 + k];
  rigid.fromQuatPosition(rotation, position, frame);
}

function ragdollOf(
  root: FigureRoot,
  binding: FigureBinding,
  up: Vec3,
  given: Ragdoll | RagdollOptions | undefined,
): Ragdoll {
  if (given !== undefined && 'shapes' in given) {
    const { figure } = given;
    const isSame =
      figure.bones.length === binding.figure.bones.length &&
      figure.bones.every(({ name }, b) => name === binding.figure.bones[b].name);
    if (isSame) return given;
    throw new FigureError('wrong-size', 'has other bones than the figure.', {
      path: 'options.ragdoll',
      remedy: 'Give the figure of this ragdoll as `figure` too.',
    });
  }
  const vertices = skinVertices(root, binding);
  return createRagdoll(binding.figure, { joints: 'anatomical', up, vertices, ...given });
}

/** Scales a figure from scene units to metres. */
function inMeters(figure: Figure, metersPerUnit: number): Figure {
  if (metersPerUnit === 1) return figure;
  const scaled = ([x, y, z]: readonly [number, number, number]) =>
    [metersPerUnit * x, metersPerUnit * y, metersPerUnit * z] as const;
  const data = figureToData(figure);
  const bones = data.bones.map(({ rest, tip, ...bone }) => ({
    ...bone,
    ...(rest && { rest: { ...rest, ...(rest.position && { position: scaled(rest.position) }) } }),
    ...(tip && { tip: scaled(tip) }),
  }));
  return createFigure({ ...data, bones });
}

/** 1 for bones without a moving bone at or below them, such as fingers: they keep the animation. */
function motionlessBones({ bones }: Figure): Uint8Array {
  const motionless = new Uint8Array(bones.length).fill(1);
  for (let b = bones.length - 1; b >= 0; b--) {
    const { dof, parent } = bones[b];
    if (dof > 0) motionless[b] = 0;
    if (motionless[b] === 0 && parent >= 0) motionless[parent] = 0;
  }
  return motionless;
}
