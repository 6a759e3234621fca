/** The text of an ASF file as bones. */
import type { Triple } from 'poise/figure';
import { decimalOf, isInfinite } from '../text/decimal.js';
import { cut, describe, fail } from '../text/json-checks.js';

/** A degree of freedom: rotation about or translation along an axis, in the order of the file. */
export type AsfDof = 'rx' | 'ry' | 'rz' | 'tx' | 'ty' | 'tz' | 'l';

const DOFS: ReadonlySet<string> = new Set(['rx', 'ry', 'rz', 'tx', 'ty', 'tz', 'l']);

/** A bone of the file, in its units; the root is the first, with a length of zero. */
export interface AsfBone {
  readonly name: string;
  /** Line of its name, counted from 1. */
  readonly line: number;
  /** Index of its parent; -1 for the root. */
  readonly parent: number;
  /** From its start to its end, in world axes. */
  readonly direction: Triple;
  readonly length: number;
  /** Angles of its axes, in file units, about fixed world axes in the order of `axisOrder`. */
  readonly axis: Triple;
  /** Such as `XYZ`: the first is applied first. */
  readonly axisOrder: string;
  /** The first is applied first. */
  readonly dof: readonly AsfDof[];
  /** Least and greatest value of each degree of freedom, in file units; infinite where it has none. */
  readonly limits: readonly (readonly [number, number])[];
}

/** The skeleton of a file. */
export interface AsfText {
  readonly name: string | undefined;
  /** `:units`: factors of lengths, and whether angles are degrees. */
  readonly length: number;
  readonly degrees: boolean;
  /** Of the root, file units. */
  readonly position: Triple;
  /** Parents before children. */
  readonly bones: readonly AsfBone[];
}

interface Line {
  readonly words: readonly string[];
  readonly number: number;
}

type Fields = Map<string, Line>;

const CORRECT = 'Correct the file or export it again.';

/**
 * Parses a skeleton.
 * @throws FormatError `invalid-file`, `unknown-name`, `duplicate-name`, `cycle`, `wrong-size`, `not-finite`, at `file:line`.
 */
export function parseAsf(text: string, source: string): AsfText {
  const sections = sectionsOf(text);
  const section = (name: string) => sections.get(name) ?? [];
  const units = fieldsOf(section('units'));
  const root = fieldsOf(section('root'));
  if (!sections.has('bonedata') || !sections.has('hierarchy')) {
    const missing = sections.has('bonedata') ? ':hierarchy' : ':bonedata';
    fail('invalid-file', `${source}:1`, `has no ${missing}.`, 'Give an ASF file.');
  }
  const number = (fields: Fields, key: string, fallback: number): number =>
    fields.has(key) ? numbersOf(fields, key, 1, source)[0] : fallback;
  const triple = (fields: Fields, key: string): Triple => {
    if (!fields.has(key)) return [0, 0, 0];
    const [x, y, z] = numbersOf(fields, key, 3, source);
    return [x, y, z];
  };
  const rootBone: Omit<AsfBone, 'parent'> = {
    name: 'root',
    line: section('root')[0]?.number ?? 1,
    direction: [0, 0, 0],
    length: 0,
    axis: triple(root, 'orientation'),
    axisOrder: orderOf(root.get('axis')?.words[1] ?? 'XYZ', root.get('axis')?.number ?? 1, source),
    ...dofOf(root.get('order'), [], source),
  };
  const declared = new Map<string, Omit<AsfBone, 'parent'>>([['root', rootBone]]);
  for (const block of blocksOf(section('bonedata'), source)) {
    const fields = fieldsOf(block.lines);
    const name = fields.get('name')?.words.slice(1).join(' ') ?? '';
    const line = fields.get('name')?.number ?? block.line;
    if (name === '') fail('invalid-file', `${source}:${line}`, 'the bone has no name.', CORRECT);
    if (declared.has(name)) {
      fail('duplicate-name', `${source}:${line}`, `two bones have the name '${cut(name)}'.`, CORRECT);
    }
    const axis = fields.get('axis');
    const direction = triple(fields, 'direction');
    const length = number(fields, 'length', 0);
    if (length < 0) {
      const location = `${source}:${fields.get('length')?.number}`;
      fail('out-of-range', location, `the length is ${length}.`, 'Give a length of at least 0.');
    }
    if (length > 0 && direction.every((x) => x === 0)) {
      const location = `${source}:${fields.get('direction')?.number ?? line}`;
      fail('not-unit', location, `'${cut(name)}' has a length and no direction.`, 'Give a unit vector.');
    }
    declared.set(name, {
      name,
      line,
      direction,
      length,
      axis: axis ? axisOf(axis, source) : [0, 0, 0],
      axisOrder: orderOf(axis?.words[4] ?? 'XYZ', axis?.number ?? line, source),
      ...dofOf(fields.get('dof'), limitLines(block.lines), source),
    });
  }
  return {
    name: sections.get('name')?.[0]?.words.join(' '),
    length: number(units, 'length', 1),
    degrees: !/^rad/i.test(units.get('angle')?.words[1] ?? 'deg'),
    position: triple(root, 'position'),
    bones: sortedBones(declared, section('hierarchy'), source),
  };
}

/** Lines by the keyword after the colon; what stands behind it on its line is the first. */
function sectionsOf(text: string): Map<string, Line[]> {
  const sections = new Map<string, Line[]>();
  let current: Line[] = [];
  text.split(/\r\n|\n|\r/).forEach((raw, k) => {
    const words = raw.split('#', 1)[0].trim().split(/\s+/);
    if (words[0] === '') return;
    if (!words[0].startsWith(':')) {
      current.push({ words, number: k + 1 });
      return;
    }
    current = [];
    sections.set(words[0].slice(1).toLowerCase(), current);
    if (words.length > 1) current.push({ words: words.slice(1), number: k + 1 });
  });
  return sections;
}

function fieldsOf(lines: readonly Line[]): Fields {
  return new Map(lines.map((line) => [line.words[0].toLowerCase(), line]));
}

function blocksOf(lines: readonly Line[], source: string): { line: number; lines: Line[] }[] {
  const blocks: { line: number; lines: Line[] }[] = [];
  let isOpen = false;
  for (const line of lines) {
    const word = line.words[0].toLowerCase();
    if (word === 'begin' && !isOpen) blocks.push({ line: line.number, lines: [] });
    else if (word === 'begin' || !isOpen) {
      const what = `is ${describe(line.words[0])}, not ${isOpen ? 'end' : 'begin'}.`;
      fail('invalid-file', `${source}:${line.number}`, what, CORRECT);
    } else if (word !== 'end') blocks.at(-1)?.lines.push(line);
    isOpen = word !== 'end';
  }
  if (isOpen) fail('invalid-file', `${source}:${blocks.at(-1)?.line}`, 'begin has no end.', CORRECT);
  return blocks;
}

function numbersOf(fields: Fields, key: string, count: number, source: string): number[] {
  const { words, number } = fields.get(key) as Line;
  const location = `${source}:${number}`;
  const given = words.slice(1, 1 + count);
  if (given.length < count) fail('wrong-size', location, `${key} has too few numbers.`, `Give ${count}.`);
  return given.map((word) => decimalOf(word, location));
}

function axisOf({ words, number }: Line, source: string): Triple {
  const [x, y, z] = numbersOf(new Map([['axis', { words, number }]]), 'axis', 3, source);
  return [x, y, z];
}

function orderOf(word: string, line: number, source: string): string {
  const order = word.toUpperCase();
  if (order.length === 3 && new Set(order).size === 3 && /^[XYZ]+$/.test(order)) return order;
  return fail(
    'invalid-file',
    `${source}:${line}`,
    `${describe(word)} is no order of axes.`,
    'Give one such as XYZ.',
  );
}

/** The lines of `limits`: from its keyword to the next. */
function limitLines(lines: readonly Line[]): Line[] {
  const first = lines.findIndex(({ words }) => words[0].toLowerCase() === 'limits');
  if (first < 0) return [];
  const rest = lines.slice(first + 1).findIndex(({ words }) => /^[a-z]/i.test(words[0]));
  return lines.slice(first, rest < 0 ? undefined : first + 1 + rest);
}

function dofOf(
  line: Line | undefined,
  limits: readonly Line[],
  source: string,
): Pick<AsfBone, 'dof' | 'limits'> {
  const location = `${source}:${line?.number ?? 1}`;
  const dof = (line?.words.slice(1) ?? []).map((word): AsfDof => {
    const name = word.toLowerCase();
    if (DOFS.has(name)) return name as AsfDof;
    return fail(
      'unknown-name',
      location,
      `${describe(word)} is no degree of freedom.`,
      `They are ${[...DOFS].join(', ')}.`,
    );
  });
  if (new Set(dof).size < dof.length) {
    fail('duplicate-name', location, 'names a degree of freedom twice.', CORRECT);
  }
  const numbers = limits.flatMap(({ words, number }) =>
    words
      .flatMap((word) => word.split(/[(),]/))
      .filter((word) => word !== '' && word.toLowerCase() !== 'limits')
      .map((word) => {
        if (isInfinite(word)) return word.startsWith('-') ? -Infinity : Infinity;
        return decimalOf(word, `${source}:${number}`);
      }),
  );
  if (numbers.length > 0 && numbers.length !== 2 * dof.length) {
    const what = `has ${numbers.length} limits for ${dof.length} degrees of freedom.`;
    fail('wrong-size', `${source}:${limits[0].number}`, what, 'Give two for each.');
  }
  return {
    dof,
    limits: dof.map((_, k) =>
      numbers.length > 0 ? [numbers[2 * k], numbers[2 * k + 1]] : [-Infinity, Infinity],
    ),
  };
}

/** Bones in the order of the hierarchy. @throws FormatError `unknown-name`, `duplicate-name` for two parents, `cycle`. */
function sortedBones(
  declared: ReadonlyMap<string, Omit<AsfBone, 'parent'>>,
  hierarchy: readonly Line[],
  source: string,
): AsfBone[] {
  const children = new Map<string, Line[]>();
  const parents = new Set<string>();
  for (const { words, number } of hierarchy) {
    const [parent, ...rest] = words;
    if (rest.length === 0 && /^(begin|end)$/i.test(parent)) continue;
    for (const name of words) {
      if (declared.has(name)) continue;
      fail(
        'unknown-name',
        `${source}:${number}`,
        `there is no bone '${cut(name)}'.`,
        'Name a bone of :bonedata.',
      );
    }
    for (const name of rest) {
      if (name === 'root' || parents.has(name)) {
        fail(
          'duplicate-name',
          `${source}:${number}`,
          `'${name}' has a parent already.`,
          'Give each bone one parent.',
        );
      }
      parents.add(name);
      children.set(parent, [...(children.get(parent) ?? []), { words: [name], number }]);
    }
  }
  const bones: AsfBone[] = [];
  const pending: { name: string; parent: number }[] = [{ name: 'root', parent: -1 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { name, parent } = next;
    bones.push({ ...(declared.get(name) as Omit<AsfBone, 'parent'>), parent });
    const below = (children.get(name) ?? []).map((line) => ({
      name: line.words[0],
      parent: bones.length - 1,
    }));
    pending.push(...below.reverse());
  }
  if (bones.length === declared.size) return bones;
  const placed = new Set(bones.map(({ name }) => name));
  const lost = [...declared.values()].find(({ name }) => !placed.has(name)) as Omit<AsfBone, 'parent'>;
  const code = parents.has(lost.name) ? 'cycle' : 'invalid-file';
  return fail(
    code,
    `${source}:${lost.line}`,
    `'${lost.name}' does not hang on the root.`,
    'Add it to :hierarchy.',
  );
}
