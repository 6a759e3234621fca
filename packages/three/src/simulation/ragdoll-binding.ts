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
import { affine, mat3, rigid, type Vec3 } from 'poise/math';
import { Matrix4, type Object3D } from 'three';
import { AnimationLayers } from '../binding/animation-layers.js';
import { type BindFigureOptions, bindFigure, type FigureBinding } from '../binding/bind-figure.js';
import { figureFromObject3D } from '../binding/figure-from-object3d.js';
import type { FigureRoot } from '../binding/hierarchy.js';
import { nearestQuaternion } from '../binding/nearest-rotation.js';
import { checkFields, type FieldsOf } from '../binding/validate-options.js';
import { blendPoses, rotationVectorsOf } from './blend-poses.js';
import { type FloatingRoot, floatingRoots, movePose } from './floating-roots.js';
import { skinVertices } from './skin-vertices.js';

/** How `FigureSimulation.add` takes a character in. */
export interface RagdollBindingOptions extends BindFigureOptions {
  /** Figure of the hierarchy, in metres. Default: made by `figureFromObject3D` of the hierarchy as it stands: put it at rest first. */
  readonly figure?: Figure;
  /**
   * A ragdoll of that figure made before, or how to make it. Default: shapes around the skins, and the joints of a human where it is one
   * (`joints: 'anatomical'`).
   */
  readonly ragdoll?: Ragdoll | RagdollOptions;
  /** Springs, friction, motors of the joints, and damping in place of the ragdoll's; see `createSimulation`. */
  readonly actor?: Omit<ActorOptions, 'figure' | 'shapes' | 'exclude' | 'pose' | 'velocity'>;
}

const FIELDS: FieldsOf<RagdollBindingOptions> = {
  objects: true,
  missing: true,
  figure: true,
  ragdoll: true,
  actor: true,
};

/** How far the scale of a figure may be from that of the simulation. */
const SCALE_TOLERANCE = 1e-3;

const matrix = /* @__PURE__ */ new Matrix4();
const frame = /* @__PURE__ */ new Float64Array(12);
const inverse = /* @__PURE__ */ new Float64Array(12);
const turn: number[] = [0, 0, 0, 1];
const position: number[] = [0, 0, 0];

/**
 * A character in a `FigureSimulation`: animated until `start`, then moved by physics until `stop`.
 *
 * The simulation's world is the scene's, in metres. While animated its pose is noted at each update of the simulation, so that
 * physics takes over where the animation stands, as fast as it moves.
 */
export class RagdollBinding {
  readonly ragdoll: Ragdoll;
  /** Of the ragdoll: the bones of the hierarchy, with masses, limits and, of a human, other joints. */
  readonly figure: Figure;
  readonly binding: FigureBinding;
  /** How much of the physics is written over the animation, 0 to 1; times that of {@link weights}. */
  weight = 1;
  /** The same for each bone, by bone index. */
  readonly weights: Float64Array;
  /** Where it is and how it moves in the simulation's world: what its actor has, or will start with. */
  readonly pose: Float64Array;
  readonly velocity: Float64Array;
  /** As the animation has it, in the simulation's world: read at each update while it is animated, and where `beforeStep` is given. */
  readonly animatedPose: Float64Array;
  /** As it is shown: between the last two states of the simulation, or as the animation has it. */
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
  /** Bones that have an object, in the order of the layers; and which of them neither move nor carry what does. */
  readonly #bones: readonly number[];
  readonly #still: Uint8Array;
  readonly #framePose: Float64Array;
  readonly #previous: Float64Array;
  readonly #before: Float64Array;
  #seconds = 0;
  #notes = 0;

  /** @internal Use `FigureSimulation.add`. */
  constructor(root: FigureRoot, options: RagdollBindingOptions, metersPerUnit: number) {
    checkFields(options, FIELDS, 'options', FigureError);
    const bind = { missing: options.missing ?? 'error' } as const;
    const made = options.figure ? undefined : figureFromObject3D(root);
    const figure = options.figure ?? inMeters((made as { figure: Figure }).figure, metersPerUnit);
    const given = bindFigure(figure, root, {
      ...bind,
      ...((options.objects ?? made) && { objects: options.objects ?? made?.objects }),
    } as BindFigureOptions);
    this.#metersPerUnit = metersPerUnit;
    writeRigid(given, metersPerUnit, true);
    const up = nearestAxis(rigid.inverseTransformVector(frame, [0, 1, 0]));
    this.ragdoll = ragdollOf(root, given, up, options.ragdoll);
    this.figure = this.ragdoll.figure;
    const objects = new Map<string, Object3D | null>(
      figure.bones.map(({ name, index }) => [name, given.objects[index] ?? null]),
    );
    this.binding = bindFigure(this.figure, root, { ...bind, objects });
    this.#actor = options.actor;
    this.#roots = floatingRoots(this.figure);
    this.#rotations = rotationVectorsOf(this.figure);
    const pose = (): Float64Array => createPose(this.figure);
    [this.pose, this.velocity, this.shownPose, this.animatedPose] = [pose(), pose(), pose(), pose()];
    [this.#framePose, this.#previous, this.#before] = [pose(), pose(), pose()];
    this.state = createState(this.figure);
    this.weights = new Float64Array(this.figure.bones.length).fill(1);
    this.#still = stillBones(this.figure);
    this.#bones = this.figure.bones.flatMap(({ index }) =>
      this.binding.objects[index] === undefined ? [] : [index],
    );
    this.#layers = new AnimationLayers(this.binding.objects.filter((object) => object !== undefined));
    this.note(0);
  }

  /** Whether physics moves it. */
  get active(): boolean {
    return this.index >= 0;
  }

  /** @internal Takes note of the animation's pose, `seconds` after the last. */
  note(seconds: number): void {
    if (seconds > 0 || this.#notes === 0) {
      this.#before.set(this.pose);
      this.#seconds = seconds;
      this.#notes++;
    }
    this.#readPose(this.pose);
    this.animatedPose.set(this.pose);
    this.#show(this.pose);
  }

  /** @internal Reads {@link animatedPose} from under what physics has written. */
  readAnimation(): void {
    this.#layers.unwind();
    this.#readPose(this.animatedPose);
    this.#layers.rewind();
  }

  /** @internal Sets pose and velocities from the animation: the pose of now, the velocity between the last two notes. */
  takeOver(momentum: boolean): void {
    const { velocity, pose, figure } = this;
    velocity.fill(0);
    if (momentum && this.#notes > 1 && this.#seconds > 0) {
      const rates = pose.map((x, i) => (x - this.#before[i]) / this.#seconds);
      const state = createState(figure);
      forwardKinematics(state, pose);
      velocityFromRates(state, pose, rates, velocity);
    }
    this.#readPose(pose);
    this.#previous.set(pose);
    this.#show(pose);
  }

  /** @internal Gives the objects back to the animation. */
  giveBack(): void {
    this.index = -1;
    this.#layers.restore();
    this.#notes = 0;
    this.note(0);
  }

  /** @internal What to make its actor of. */
  actorOptions(): ActorOptions {
    const { figure, ragdoll, pose, velocity } = this;
    const { shapes, exclude, damping } = ragdoll;
    return { damping, ...this.#actor, figure, shapes, exclude, pose, velocity };
  }

  /** @internal Remembers the state before a step. */
  keep(pose: Float64Array): void {
    this.#previous.set(pose);
  }

  /** @internal Writes the objects: the share of the way from the last state but one to the last. */
  write(share: number): void {
    const { binding, weights, figure } = this;
    blendPoses(this.#rotations, this.#previous, this.pose, share, this.shownPose);
    this.#show(this.shownPose);
    writeRigid(this.binding, this.#metersPerUnit, false);
    movePose(this.#roots, rigid.inverse(frame, inverse), this.shownPose, this.#framePose);
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
      if (weight === 0 || this.#still[bone] === 1) this.#layers.undo(n);
      else if (weight < 1) this.#layers.fade(n, weight);
    });
    this.#layers.commit();
  }

  /** @internal Takes it out of the objects. */
  dispose(): void {
    this.#layers.unwind();
    this.#layers.remove();
    this.index = -1;
  }

  /** Reads the objects to a pose in the simulation's world. */
  #readPose(out: Float64Array): void {
    this.binding.readPose(this.#framePose);
    writeRigid(this.binding, this.#metersPerUnit, false);
    movePose(this.#roots, frame, this.#framePose, out);
  }

  #show(pose: Float64Array): void {
    this.shownPose.set(pose);
    forwardKinematics(this.state, pose);
  }
}

/** Simulation's world from the figure's, to `frame`: rigid, as the frame of the binding stands now. */
function writeRigid(binding: FigureBinding, metersPerUnit: number, check: boolean): void {
  binding.worldFromFigure(matrix);
  affine.fromColumnMajor4(matrix.elements, frame);
  const scale = check ? Math.cbrt(mat3.determinant(frame)) * metersPerUnit : 1;
  if (!(Math.abs(scale - 1) < SCALE_TOLERANCE)) {
    throw new FigureError('out-of-range', `is shown at ${scale.toPrecision(4)} of its size in metres.`, {
      path: `figure ${binding.figure.name}`,
      remedy:
        'Give a figure of the size that is shown, or `metersPerUnit` of the scene; mirrored ones have no place.',
    });
  }
  nearestQuaternion(frame, turn);
  for (let k = 0; k < 3; k++) position[k] = metersPerUnit * frame[9 + k];
  rigid.fromQuatPosition(turn, position, frame);
}

function ragdollOf(
  root: FigureRoot,
  binding: FigureBinding,
  up: Vec3,
  given: Ragdoll | RagdollOptions | undefined,
): Ragdoll {
  if (given !== undefined && 'shapes' in given) {
    const { figure } = given;
    const same =
      figure.bones.length === binding.figure.bones.length &&
      figure.bones.every(({ name }, b) => name === binding.figure.bones[b].name);
    if (same) return given;
    throw new FigureError('wrong-size', 'has other bones than the figure.', {
      path: 'options.ragdoll',
      remedy: 'Give the figure that it was made of as `figure` too.',
    });
  }
  const vertices = skinVertices(root, binding);
  return createRagdoll(binding.figure, { joints: 'anatomical', up, vertices, ...given });
}

/** The axis of its own, one way or the other, that is nearest to a direction: a character may lean in its scene. */
function nearestAxis(direction: Vec3): Vec3 {
  const sizes = [0, 1, 2].map((k) => Math.abs(direction[k]));
  const most = sizes.indexOf(Math.max(...sizes));
  return sizes.map((_, k) => (k === most ? Math.sign(direction[k]) : 0));
}

/** The figure of a scene in metres. */
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

/** 1 for the bones that do not move and carry nothing that does, such as fingers: they stay as the animation has them. */
function stillBones({ bones }: Figure): Uint8Array {
  const still = new Uint8Array(bones.length).fill(1);
  for (let b = bones.length - 1; b >= 0; b--) {
    const { dof, parent } = bones[b];
    if (dof > 0) still[b] = 0;
    if (still[b] === 0 && parent >= 0) still[parent] = 0;
  }
  return still;
}
