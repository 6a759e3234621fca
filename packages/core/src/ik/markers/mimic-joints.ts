/** Marker tracking of figures with mimic joints: these get coordinates of their own, which are coupled to those of their sources. */
import { FigureError, GoalError } from '../../errors.js';
import { createFigure, type Figure, figureToData } from '../../figure/model/figure.js';
import { evaluateMimic, type MimicFunction, mimicFunctionOf } from '../../figure/model/mimic-function.js';
import type { Numbers } from '../../math/linear/types.js';
import { coordinateIndex } from './compile-markers.js';
import type { CoordinateCoupling, MarkerTrackerOptions } from './types.js';

export interface ExpandedFigure {
  /** Without mimic joints; limits of mimic joints are those of their sources. */
  readonly figure: Figure;
  readonly couplings: readonly CoordinateCoupling[];
  /** Index in the expanded pose of each coordinate of the pose. */
  readonly indices: Int32Array;
}

export function mimicUnsupported(path: string): FigureError {
  return new FigureError('unsupported', 'has mimic joints.', {
    path,
    remedy: 'Give those joints coordinates of their own and couple them with options.couplings.',
  });
}

export function expandMimicJoints(figure: Figure): ExpandedFigure {
  const { bones, limitComponents, mimicJoints } = figure;
  const data = figureToData(figure);
  const ofSource = new Map(
    mimicJoints.map(({ source, coordinate }) => [
      source,
      limitComponents.find((limit) => limit.coordinate === coordinate)?.parameters,
    ]),
  );
  const expanded = createFigure({
    ...data,
    bones: data.bones.map(({ mimic, ...bone }, b) => {
      if (!mimic && !ofSource.has(b)) return bone;
      const { limit: _limit, ...rest } = bone;
      const range = ofSource.get(b);
      if (mimic || range === undefined) return rest;
      // JSON has no infinity.
      const [min, max] = Array.from(range, (x) => (Number.isFinite(x) ? x : null));
      return { ...rest, limit: { type: 'interval', min, max } };
    }),
  });
  const couplings = mimicJoints.map((joint) => ({
    bone: joint.bone,
    driver: { bone: joint.source },
    map: mapOf(mimicFunctionOf(joint)),
  }));
  const indices = new Int32Array(figure.dof);
  for (const { index, coordinate, dof } of bones) {
    for (let k = 0; k < dof; k++) indices[coordinate + k] = expanded.coordinateStart[index] + k;
  }
  return { figure: expanded, couplings, indices };
}

function mapOf(phi: MimicFunction): CoordinateCoupling['map'] {
  return (driver) => {
    const out: [number, number, number] = [0, 0, 0];
    evaluateMimic(phi, driver, out);
    return out;
  };
}

/**
 * The options for the expanded figure.
 *
 * @throws GoalError for couplings beside mimic joints, and for a task of a mimic joint, which has no coordinate.
 */
export function expandOptions(
  figure: Figure,
  { couplings }: ExpandedFigure,
  options: MarkerTrackerOptions,
): MarkerTrackerOptions {
  if (options.couplings !== undefined && options.couplings.length > 0) {
    throw new GoalError('unsupported', 'are given for a figure with mimic joints.', {
      path: 'options.couplings',
      remedy: 'Make all coupled joints mimic joints of the figure, or none.',
    });
  }
  options.tasks?.forEach((task, n) => {
    coordinateIndex(figure, task, `options.tasks[${n}]`);
  });
  const moves = (name: string | number): boolean =>
    figure.bones.every((bone) => bone.mimic === undefined || (bone.name !== name && bone.index !== name));
  const { locked, ...others } = options;
  return { ...others, couplings, ...(locked && { locked: locked.filter(moves) }) };
}

export function expandPose({ figure, indices }: ExpandedFigure, pose: Numbers): Float64Array {
  const full = new Float64Array(figure.dof);
  for (let i = 0; i < indices.length; i++) full[indices[i]] = pose[i];
  return full;
}

export function collapsePose({ indices }: ExpandedFigure, full: Numbers, pose: Float64Array): void {
  for (let i = 0; i < indices.length; i++) pose[i] = full[indices[i]];
}
