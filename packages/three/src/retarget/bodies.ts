/** The two bodies of a retargeter, from objects. */
import {
  createFigure,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
  type Triple,
} from 'poise/figure';
import { findHumanoid, type HumanBoneMap, withAnatomicalLimits } from 'poise/humanoid';
import { vec3 } from 'poise/math';
import type { Object3D } from 'three';
import { bindFigure, FigureBinding } from '../binding/bind-figure.js';
import {
  type FigureFromObject3DOptions,
  figureFromObject3D,
  type Object3DFigure,
} from '../binding/figure-from-object3d.js';
import { type FigureRoot, requireRoot } from '../binding/hierarchy.js';
import { writeBindPose } from './bind-pose.js';

/** Human bones of a figure, as `findHumanoid` takes them. */
type GivenBones = HumanBoneMap<string | number | null> | undefined;

/** Cosine of the angle from up within which a body stands. */
const UPRIGHT = 0.9;
/** Height from which the units of a character are centimetres: no character is as tall in metres, or as small in centimetres. */
const CENTIMETRES_FROM = 20;

/** Every bone with a free joint; up is the axis along which the body stands. */
export function sourceBinding(
  source: FigureRoot | FigureBinding,
  bones: GivenBones,
  warnings: string[],
): FigureBinding {
  if (source instanceof FigureBinding) return source;
  requireRoot(source, 'source');
  const { figure, objects, warnings: own } = restFigure(source, { joints: () => ({ type: 'free' }) }, bones);
  warnings.push(...own.map((text) => `source: ${text}`));
  const up = findHumanoid(figure, bones && { bones })?.up ?? figure.up;
  const stands = vec3.dot(up, figure.up) > UPRIGHT;
  return bindFigure(stands ? figure : changed(figure, 1, up), source, { objects });
}

/** In metres, with the limits of a human if asked for. */
export function targetBinding(
  target: FigureRoot | FigureBinding,
  bones: GivenBones,
  limits: boolean,
  givenUnit: number | undefined,
  warnings: string[],
): FigureBinding {
  if (target instanceof FigureBinding) return target;
  requireRoot(target, 'target');
  const { figure, objects, warnings: own } = restFigure(target, {}, bones);
  warnings.push(...own.map((text) => `target: ${text}`));
  const height = heightOf(figure);
  const unit = givenUnit ?? (height > CENTIMETRES_FROM ? 0.01 : 1);
  if (unit !== givenUnit && unit !== 1) {
    warnings.push(
      `target: is ${height.toFixed(0)} units tall, which are taken for centimetres; options.targetUnit says otherwise.`,
    );
  }
  const metric = unit === 1 ? figure : changed(figure, unit, figure.up);
  const limited = limits ? withAnatomicalLimits(metric, bones && { bones }) : metric;
  return bindFigure(limited, target, { objects });
}

/** The figure of the bind pose; of the current pose where there is none, or where only there it stands as a human does. */
function restFigure(root: FigureRoot, options: FigureFromObject3DOptions, bones: GivenBones): Object3DFigure {
  const restore = writeBindPose(root);
  try {
    const bound = figureFromObject3D(root, options);
    const humanoid = restore && findHumanoid(bound.figure, bones && { bones });
    if (humanoid !== undefined && vec3.dot(humanoid.up, bound.figure.up) > UPRIGHT) return bound;
  } finally {
    restore?.();
  }
  return figureFromObject3D(root, options);
}

/** The figure in other units, with another up. */
function changed(figure: Figure, unit: number, up: Triple): Figure {
  const data = figureToData(figure);
  const scaled = (v: readonly number[]): Triple => [unit * v[0], unit * v[1], unit * v[2]];
  return createFigure({
    ...data,
    up,
    bones: data.bones.map((bone) => ({
      ...bone,
      ...(bone.rest && {
        rest: { ...bone.rest, ...(bone.rest.position && { position: scaled(bone.rest.position) }) },
      }),
      ...(bone.tip && { tip: scaled(bone.tip) }),
    })),
  });
}

/** Extent of the bones at rest along up. */
function heightOf(figure: Figure): number {
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const heights = figure.bones.map(({ index }) =>
    vec3.dot(state.worldFromBone.subarray(12 * index + 9, 12 * index + 12), figure.up),
  );
  return heights.reduce((a, b) => Math.max(a, b)) - heights.reduce((a, b) => Math.min(a, b));
}

/** Objects by bone name. */
export function objectsOf({ figure, objects }: FigureBinding): Map<string, Object3D | null> {
  return new Map(figure.bones.map(({ name, index }) => [name, objects[index] ?? null]));
}
