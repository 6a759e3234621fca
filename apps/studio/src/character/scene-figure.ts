/** The figure of a scene: at rest as its file shows it, or in the bind pose where what the file shows is a pose of that. */
import {
  bindFigure,
  type FigureBinding,
  type FigureFromObject3DOptions,
  figureFromObject3D,
  writeBindPose,
} from '@poise/three';
import { PoiseError } from 'poise';
import { clampToLimits, createPose, createState, forwardKinematics } from 'poise/figure';
import { findHumanoid, type HumanBoneMap, type Humanoid } from 'poise/humanoid';
import { vec3 } from 'poise/math';
import type { Object3D, Quaternion, Vector3 } from 'three';
import { humanLimits, knownBones } from './human-limits.js';

/** Cosine of the angle from up within which a trunk is upright. */
const UPRIGHT = 0.9;
/** Rotations of bones within which two poses are nearly the same, and the same, rad; ways of bones from their parents, over the longest. */
const NEAR = 0.17;
const SAME = 0.02;
const WAY = 2e-3;

type Bones = HumanBoneMap<string | null>;

export interface SceneFigure {
  readonly binding: FigureBinding;
  readonly humanoid: Humanoid | undefined;
  /** The pose that the scene is in. */
  readonly pose: Float64Array;
}

/**
 * The figure with the limits of a human, where it is one. In a file that shows a pose, as those that the studio writes, a human is not recognised, or has
 * its limits about that pose: there the bind pose is at rest.
 */
export function figureOfScene(scene: Object3D, bones: Bones): SceneFigure {
  const { binding, humanoid } = limitedFigure(scene, bones);
  const pose = createPose(binding.figure);
  const isRest = stands(humanoid, binding) && binding.figure.limitComponents.length > 0;
  return figureOfBindPose(scene, bones, isRest) ?? { binding, humanoid, pose };
}

/** The figure each of whose bones moves freely, in the bind pose where it stands there as a human does. */
export function freeFigureOfScene(scene: Object3D, bones: Bones): FigureBinding {
  const free = () => bound(scene, { joints: () => ({ type: 'free' }) });
  const restore = writeBindPose(scene);
  if (restore === undefined) return free();
  const binding = unlessRefused(free);
  restore();
  if (binding === undefined) return free();
  const humanoid = findHumanoid(binding.figure, knownBones(binding.figure, bones));
  return stands(humanoid, binding) ? binding : free();
}

/**
 * Undefined where that is no human that stands, is what the scene shows, or has joints that do not reach it.
 * @param isRest - Whether the scene shows a rest pose too: then it is that of what is nearly the bind pose, and of what is not a pose of it.
 */
function figureOfBindPose(scene: Object3D, bones: Bones, isRest: boolean): SceneFigure | undefined {
  const shown = new Map<Object3D, Transform>();
  scene.traverse((object) => shown.set(object, transformOf(object)));
  const restore = writeBindPose(scene);
  if (restore === undefined) return undefined;
  const isPosed = difference(shown).angle > (isRest ? NEAR : SAME);
  const made = isPosed ? unlessRefused(() => limitedFigure(scene, bones)) : undefined;
  restore();
  if (made === undefined || !stands(made.humanoid, made.binding)) return undefined;
  const { binding } = made;
  const pose = binding.readPose(createPose(binding.figure)).slice();
  clampToLimits(binding.figure, pose);
  binding.writePose(pose);
  const off = difference(shown);
  for (const [object, { position, rotation }] of shown) {
    object.position.copy(position);
    object.quaternion.copy(rotation);
    object.updateMatrix();
  }
  return off.angle < (isRest ? SAME : NEAR) && off.way < WAY ? { ...made, pose } : undefined;
}

/** Undefined for what is no figure: inverse bind matrices of strangers may be anything. */
function unlessRefused<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof PoiseError) return undefined;
    throw error;
  }
}

function limitedFigure(scene: Object3D, bones: Bones): Omit<SceneFigure, 'pose'> {
  let humanoid: Humanoid | undefined;
  const binding = bound(scene, {
    modify: (figure) => {
      const limited = humanLimits(figure, bones);
      humanoid = limited.humanoid;
      return limited.figure;
    },
  });
  return { binding, humanoid };
}

function bound(scene: Object3D, options: FigureFromObject3DOptions): FigureBinding {
  const { figure, objects } = figureFromObject3D(scene, options);
  return bindFigure(figure, scene, { objects: Object.fromEntries(objects) });
}

/** Whether the trunk of a human is upright at rest: by their names its bones are recognised in a body that lies too. */
function stands(humanoid: Humanoid | undefined, { figure }: FigureBinding): boolean {
  const { hips, head = humanoid?.bones.spine } = humanoid?.bones ?? {};
  if (hips === undefined || head === undefined) return false;
  const state = createState(figure);
  forwardKinematics(state, createPose(figure));
  const [low, high] = [hips, head].map((bone) => state.worldFromBone.subarray(12 * bone + 9, 12 * bone + 12));
  return vec3.dot(vec3.normalize(vec3.subtract(high, low)), figure.up) > UPRIGHT;
}

interface Transform {
  readonly position: Vector3;
  readonly rotation: Quaternion;
}

function transformOf({ position, quaternion }: Object3D): Transform {
  return { position: position.clone(), rotation: quaternion.clone() };
}

/** How far objects are from where they were: rad, and over the longest way of one from its parent. */
function difference(before: ReadonlyMap<Object3D, Transform>): { angle: number; way: number } {
  let [angle, way, longest] = [0, 0, 0];
  for (const [object, { position, rotation }] of before) {
    angle = Math.max(angle, object.quaternion.angleTo(rotation));
    way = Math.max(way, object.position.distanceTo(position));
    longest = Math.max(longest, position.length());
  }
  return { angle, way: longest > 0 ? way / longest : 0 };
}
