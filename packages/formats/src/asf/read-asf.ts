/** Reads an ASF skeleton as a figure. */
import { FormatError } from 'poise';
import {
  type BoneData,
  createFigure,
  type Figure,
  type JointData,
  type LimitData,
  type Quadruple,
  type Triple,
} from 'poise/figure';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import { quat } from 'poise/math';
import { requireBudget } from '../budget.js';
import { fail } from '../text/json-checks.js';
import { textOf } from '../text/utf8.js';
import { eulerOrder } from './euler-order.js';
import type { ReadAsfOptions } from './options.js';
import { type AsfBone, type AsfDof, type AsfText, parseAsf } from './skeleton-text.js';

/** A skeleton read from an ASF file. */
export interface AsfSkeleton {
  /** A bone each, by its name, `root` first; its frame has the axes of the file, its origin is the end of its parent. */
  readonly figure: Figure;
  /** The bones as the file says, in its units; bone k of the figure has the name of one of them. */
  readonly bones: readonly AsfBone[];
  /** Metres and radians in units of the file. */
  readonly scale: number;
  readonly angle: number;
  /** One sentence each, starting with the location in the file. */
  readonly warnings: readonly string[];
}

const FIELDS: FieldsOf<ReadAsfOptions> = {
  source: true,
  name: true,
  scale: true,
  joints: true,
  budget: true,
};

/** Inches times 0.45 are the unit of the CMU database. */
export const CMU_LENGTH = 0.45;
const INCH = 0.0254;
/** Metres in a unit of the CMU database. */
export const CMU_SCALE = INCH / CMU_LENGTH;

/**
 * Reads an ASF file (Acclaim skeleton): a bone each, whose joint is at its start and whose `tip` is its end.
 *
 * | in the file | in the figure |
 * | --- | --- |
 * | root, with `order` | `free` joint |
 * | `dof` of one rotation, one translation | `hinge`, `slider`, with the limits of the file |
 * | of two or three rotations | `ball` (without limits), or `euler` with them: option `joints` |
 * | of rotations and translations | `free` |
 * | none | `fixed` |
 * | `axis` | axes of the bone's frame, about which its joint rotates |
 *
 * @param input - Text, or UTF-8 bytes.
 * @throws FormatError with code, location (`01.asf:12`, the line) and remedy.
 */
export function readAsf(input: string | Uint8Array | ArrayBuffer, options: ReadAsfOptions = {}): AsfSkeleton {
  requireFields(options, FIELDS, 'options', FormatError);
  const source = options.source ?? 'skeleton.asf';
  const text = parseAsf(textOf(input, source), source);
  requireBudget(options.budget, 'bones', text.bones.length, source);
  const warnings: string[] = [];
  const scale = scaleOf(text, options, source, warnings);
  const angle = text.degrees ? Math.PI / 180 : 1;
  warnStretching(text.bones, source, warnings);
  const name = options.name ?? source.replace(/\.asf$/i, '');
  const figure = createFigure({ name, bones: bonesOf(text, scale, angle, options, source, warnings) });
  return { figure, bones: text.bones, scale, angle, warnings };
}

function scaleOf(
  { length }: AsfText,
  { scale = 'auto' }: ReadAsfOptions,
  source: string,
  warnings: string[],
): number {
  const isAuto = scale === 'auto';
  const metres = !isAuto ? scale : Math.abs(length - CMU_LENGTH) < 1e-6 ? CMU_SCALE : 1 / length;
  if (!(metres > 0 && metres < Infinity)) {
    const path = isAuto ? source : 'options.scale';
    fail('out-of-range', path, `gives ${metres} metres in a unit.`, "Give the option scale, or 'auto'.");
  }
  if (isAuto && metres === 1 / length) {
    warnings.push(
      `${source}: says length ${length}, so a unit is read as ${metres} m; the option scale sets it.`,
    );
  }
  return metres;
}

function warnStretching(bones: readonly AsfBone[], source: string, warnings: string[]): void {
  for (const { name, line, dof } of bones) {
    if (!dof.includes('l')) continue;
    warnings.push(
      `${source}:${line}: '${name}' may change its length; bones are rigid, so this is left out.`,
    );
  }
}

function bonesOf(
  { bones, position }: AsfText,
  scale: number,
  angle: number,
  { joints = 'ball' }: ReadAsfOptions,
  source: string,
  warnings: string[],
): BoneData[] {
  const axes = bones.map((bone) => axesOf(bone, angle));
  const ends = bones.map(({ direction, length }, k) => {
    const end = direction.map((x) => x * length * scale) as unknown as Triple;
    return tripleOf(quat.rotate(quat.conjugate(axes[k]), end));
  });
  return bones.map((bone, k): BoneData => {
    const { parent, name } = bone;
    const joint = jointOf(bone.dof, parent < 0, joints);
    const limit = limitOf(bone, joint, scale, angle, source, warnings);
    const rotation = parent < 0 ? axes[k] : quadrupleOf(quat.multiply(quat.conjugate(axes[parent]), axes[k]));
    return {
      name,
      parent: parent < 0 ? null : bones[parent].name,
      rest: { position: parent < 0 ? tripleOf(position.map((x) => x * scale)) : ends[parent], rotation },
      joint,
      ...(limit && { limit }),
      ...(ends[k].some((x) => x !== 0) && { tip: ends[k] }),
    };
  });
}

/** C: the world axes rotated by the angles of `axis`, the first of its order first. */
function axesOf({ axis, axisOrder }: AsfBone, angle: number): Quadruple {
  let q: number[] = [0, 0, 0, 1];
  for (const letter of axisOrder) {
    const k = 'XYZ'.indexOf(letter);
    q = quat.multiply(quat.fromAxisAngle(unitOf(k), axis[k] * angle), q);
  }
  return quadrupleOf(q);
}

/** Index of the axis of a degree of freedom. */
export function axisIndex(dof: AsfDof): number {
  return 'xyz'.indexOf(dof[1]);
}

/** The joint with the coordinates that degrees of freedom need; the root is always free. */
function jointOf(dof: readonly AsfDof[], isRoot: boolean, joints: 'ball' | 'euler'): JointData {
  const turns = dof.filter((name) => name.startsWith('r'));
  const moves = dof.filter((name) => name.startsWith('t'));
  if (isRoot || (moves.length > 0 && turns.length + moves.length > 1)) return { type: 'free' };
  if (moves.length === 1) return { type: 'slider', axis: unitOf(axisIndex(moves[0])) };
  if (turns.length === 0) return { type: 'fixed' };
  if (turns.length === 1) return { type: 'hinge', axis: unitOf(axisIndex(turns[0])) };
  return joints === 'ball' ? { type: 'ball' } : { type: 'euler', order: eulerOrder(turns) };
}

function limitOf(
  { name, line, dof, limits }: AsfBone,
  joint: JointData,
  scale: number,
  angle: number,
  source: string,
  warnings: string[],
): LimitData | undefined {
  const reversed = limits.some(([min, max]) => min > max);
  if (reversed)
    warnings.push(`${source}:${line}: limits of '${name}' that end before they begin are left out.`);
  if (reversed || limits.every(([min, max]) => min === -Infinity && max === Infinity)) return undefined;
  const bound = (value: number, unit: number) => (Number.isFinite(value) ? value * unit : null);
  if (joint.type === 'hinge' || joint.type === 'slider') {
    const k = dof.findIndex((entry) => entry !== 'l');
    const unit = joint.type === 'hinge' ? angle : scale;
    return { type: 'interval', min: bound(limits[k][0], unit), max: bound(limits[k][1], unit) };
  }
  if (joint.type !== 'euler') return undefined;
  const ranges = [...joint.order].map((letter) => {
    const k = dof.indexOf(`r${letter.toLowerCase()}` as AsfDof);
    return k < 0 ? ([0, 0] as const) : ([bound(limits[k][0], angle), bound(limits[k][1], angle)] as const);
  });
  return { type: 'box', min: ranges.map(([min]) => min), max: ranges.map(([, max]) => max) };
}

function unitOf(k: number): Triple {
  return [k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0];
}

function tripleOf([x, y, z]: readonly number[]): Triple {
  return [x, y, z];
}

function quadrupleOf([x, y, z, w]: readonly number[]): Quadruple {
  return [x, y, z, w];
}
