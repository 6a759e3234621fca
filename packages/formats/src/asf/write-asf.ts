/** Writes the skeleton of a figure as ASF. */
import { FormatError } from 'poise';
import type { Figure } from 'poise/figure';
import { type FieldsOf, requireFields, requirePositive } from 'poise/internal/checks';
import { numberPrinter } from '../text/decimal.js';
import { layoutOf, type OutputBone } from './layout.js';
import { type AsfSkeleton, CMU_LENGTH, CMU_SCALE } from './read-asf.js';

/** Options of {@link writeAsf}. */
export interface WriteAsfOptions {
  /** The file that the figure was read from: a figure that still has its bones is written with its names, axes, degrees of freedom and limits. Default: none. */
  readonly skeleton?: AsfSkeleton;
  /** Metres in a unit of the file. Default: that of `skeleton`, else CMU's. */
  readonly scale?: number;
  /** Decimals of numbers that are not of `skeleton`. Default: 6. */
  readonly digits?: number;
}

const FIELDS: FieldsOf<WriteAsfOptions> = { skeleton: true, scale: true, digits: true };

/**
 * The skeleton of a figure as ASF (Acclaim skeleton), +Y up.
 *
 * Every bone becomes one, its root the format's `root`. A bone starts where its parent ends: where it does not, a bone without degrees of freedom, `to_NAME`,
 * leads there. Hinges and sliders along an axis of their bone and `euler` joints keep their degrees of freedom and limits; other joints get
 * three rotations, without limits.
 *
 * @throws FormatError `unsupported` for a figure with several roots; `wrong-size` for the skeleton of another; `out-of-range`.
 */
export function writeAsf(figure: Figure, options: WriteAsfOptions = {}): string {
  requireFields(options, FIELDS, 'options', FormatError);
  const { skeleton, digits = 6 } = options;
  if (options.scale !== undefined) requirePositive(options.scale, 'options.scale', FormatError);
  const print = numberPrinter(digits, 'options.digits');
  const { isRead, bones, position, scale, angle } = layoutOf(figure, skeleton, options.scale);
  // Numbers of the file that was read keep their digits.
  const text = isRead ? String : print;
  const row = (numbers: readonly number[]): string => numbers.map(text).join(' ');
  const [root, ...others] = bones;
  const lines = [
    '# Written by Poise',
    ':version 1.10',
    `:name ${figure.name.replace(/[\r\n#]+/g, '_')}`,
    ':units',
    '  mass 1',
    `  length ${scale === CMU_SCALE ? CMU_LENGTH : 1 / scale}`,
    `  angle ${angle === 1 ? 'rad' : 'deg'}`,
    ':root',
    `  order ${root.dof.join(' ').toUpperCase()}`,
    `  axis ${root.axisOrder}`,
    `  position ${row(position)}`,
    `  orientation ${row(root.axis)}`,
    ':bonedata',
    ...others.flatMap((bone, k) => [
      '  begin',
      `    id ${k + 1}`,
      `    name ${bone.name}`,
      `    direction ${row(bone.direction)}`,
      `    length ${text(bone.length)}`,
      `    axis ${row(bone.axis)} ${bone.axisOrder}`,
      ...dofLines(bone, text),
      '  end',
    ]),
    ':hierarchy',
    '  begin',
    ...bones.flatMap(({ name }, k) => {
      const children = bones.filter(({ parent }) => parent === k).map((child) => child.name);
      return children.length > 0 ? [`    ${name} ${children.join(' ')}`] : [];
    }),
    '  end',
    '',
  ];
  return lines.join('\n');
}

function dofLines({ dof, limits }: OutputBone, text: (value: number) => string): string[] {
  if (dof.length === 0) return [];
  const lines = [`    dof ${dof.join(' ')}`];
  const bound = (x: number): string => (Number.isFinite(x) ? text(x) : x > 0 ? 'inf' : '-inf');
  if (limits.some((range) => range.some(Number.isFinite))) {
    const ranges = limits.map(([min, max]) => `(${bound(min)} ${bound(max)})`);
    lines.push(`    limits ${ranges.join('\n           ')}`);
  }
  return lines;
}
