/** The HIERARCHY section of a BVH file. */
import { nearestName } from 'poise/errors';
import type { Triple } from 'poise/figure';
import { decimalOf } from '../text/decimal.js';
import { describe, fail } from '../text/json-checks.js';
import { uniqueNames } from '../text/unique-names.js';

/** One animated value of a joint: a position in file units, or a rotation in degrees. */
export interface BvhChannel {
  readonly kind: 'position' | 'rotation';
  /** x, y, z. */
  readonly axis: 0 | 1 | 2;
}

/** A joint of the file. */
export interface BvhJoint {
  readonly name: string;
  /** First line of the joint, counted from 1. */
  readonly line: number;
  /** Index of the parent joint, -1 for a root. Parents come first. */
  readonly parent: number;
  /** From the parent's origin, file units. */
  readonly offset: Triple;
  readonly channels: readonly BvhChannel[];
  /** Index of its first channel in a frame. */
  readonly firstChannel: number;
  /** OFFSETs of its End Sites, file units. */
  readonly ends: readonly Triple[];
}

/** The joints of a file, and the start of its MOTION section. */
export interface BvhHierarchy {
  readonly joints: readonly BvhJoint[];
  /** Numbers in a frame. */
  readonly channelCount: number;
  /** Index of the line after MOTION; the number of lines in a file without one. */
  readonly motionLine: number;
}

const CHANNELS: ReadonlyMap<string, BvhChannel> = /* @__PURE__ */ new Map(
  (['position', 'rotation'] as const).flatMap((kind) =>
    (['X', 'Y', 'Z'] as const).map((axis, k) => [`${axis}${kind}`, { kind, axis: k as 0 | 1 | 2 }] as const),
  ),
);

interface Word {
  readonly text: string;
  readonly line: number;
}

/** A joint whose brace is still open. */
interface OpenJoint {
  readonly name: string;
  readonly line: number;
  readonly parent: number;
  offset?: Triple;
  channels?: readonly BvhChannel[];
  firstChannel: number;
  readonly ends: Triple[];
}

/** Cursor over the words before MOTION. */
interface Reader {
  readonly words: readonly Word[];
  at: number;
  readonly source: string;
  /** Line of the last word. */
  readonly lastLine: number;
}

/**
 * Keywords in any case; braces and numbers may stand anywhere in a line; a name extends to the end of its line.
 * Equal names get numbers, with a warning.
 * @throws FormatError `invalid-file`, `wrong-size`, `unknown-name` (a channel), `duplicate-name` (a channel), `not-finite`, at `file:line`.
 */
export function readHierarchy(lines: readonly string[], source: string, warnings: string[]): BvhHierarchy {
  const motion = lines.findIndex((line) => /^\s*MOTION\s*$/i.test(line));
  const reader: Reader = {
    words: wordsOf(motion < 0 ? lines : lines.slice(0, motion)),
    at: 0,
    source,
    lastLine: motion < 0 ? lines.length : motion + 1,
  };
  const first = reader.words[0];
  if (first?.text.toUpperCase() !== 'HIERARCHY') {
    const what = first === undefined ? 'has no HIERARCHY.' : `is ${describe(first.text)}, not HIERARCHY.`;
    fail('invalid-file', `${source}:${first?.line ?? 1}`, what, 'Give a BVH file.');
  }
  reader.at = 1;
  const joints: OpenJoint[] = [];
  const open: number[] = [];
  let channelCount = 0;
  for (let word = next(reader); word !== undefined; word = next(reader)) {
    const joint = joints[open.at(-1) ?? -1];
    const keyword = word.text.toUpperCase();
    if (keyword === (joint === undefined ? 'ROOT' : 'JOINT')) {
      joints.push(openJoint(reader, word, open.at(-1) ?? -1));
      open.push(joints.length - 1);
    } else if (joint === undefined) {
      fail(
        'invalid-file',
        locationOf(reader, word),
        `is ${describe(word.text)}, not ROOT or MOTION.`,
        CORRECT,
      );
    } else if (keyword === 'END') joint.ends.push(endSite(reader, word));
    else if (keyword === 'OFFSET') {
      requireFirst(reader, word, joint.offset);
      joint.offset = offset(reader, word);
    } else if (keyword === 'CHANNELS') {
      requireFirst(reader, word, joint.channels);
      joint.channels = channels(reader, word);
      joint.firstChannel = channelCount;
      channelCount += joint.channels.length;
    } else if (keyword === '}') {
      if (joint.offset === undefined) {
        fail('invalid-file', `${source}:${joint.line}`, `'${joint.name}' has no OFFSET.`, CORRECT);
      }
      open.pop();
    } else {
      const what = `is ${describe(word.text)}, not OFFSET, CHANNELS, JOINT, End Site or a brace.`;
      fail('invalid-file', locationOf(reader, word), what, CORRECT);
    }
  }
  const unclosed = joints[open.at(-1) ?? -1];
  if (unclosed !== undefined) endsInside(reader, `'${unclosed.name}'`, unclosed.line);
  if (joints.length === 0)
    fail('invalid-file', `${source}:${first.line}`, 'has no ROOT.', 'Give a BVH file.');
  const names = uniqueNames(joints.map(({ name }, index) => ({ index, name })));
  warnings.push(...renamed(joints, names, source));
  return {
    joints: joints.map((joint, j) => ({
      ...joint,
      name: names[j],
      offset: joint.offset as Triple,
      channels: joint.channels ?? [],
    })),
    channelCount,
    motionLine: motion < 0 ? lines.length : motion + 1,
  };
}

const CORRECT = 'Correct the file or export it again.';

function wordsOf(lines: readonly string[]): Word[] {
  return lines.flatMap((text, i) =>
    (text.replace(/[{}]/g, ' $& ').match(/\S+/g) ?? []).map((word) => ({ text: word, line: i + 1 })),
  );
}

function next(reader: Reader): Word | undefined {
  return reader.words[reader.at++];
}

function locationOf({ source, lastLine }: Reader, word: Word | undefined): string {
  return `${source}:${word?.line ?? lastLine}`;
}

/** The rest of a line up to a brace. */
function restOfLine(reader: Reader, line: number): string {
  const rest: string[] = [];
  for (
    let word = reader.words[reader.at];
    word?.line === line && word.text !== '{';
    word = reader.words[reader.at]
  ) {
    rest.push(word.text);
    reader.at++;
  }
  return rest.join(' ');
}

function openJoint(reader: Reader, keyword: Word, parent: number): OpenJoint {
  const name = restOfLine(reader, keyword.line);
  if (name === '') fail('invalid-file', locationOf(reader, keyword), `${keyword.text} has no name.`, CORRECT);
  brace(reader, '{', `'${name}'`, keyword.line);
  return { name, line: keyword.line, parent, firstChannel: 0, ends: [] };
}

function endSite(reader: Reader, keyword: Word): Triple {
  if (!/^site\b/i.test(restOfLine(reader, keyword.line))) {
    fail('invalid-file', locationOf(reader, keyword), 'has End without Site.', CORRECT);
  }
  brace(reader, '{', 'the End Site', keyword.line);
  const word = next(reader);
  if (word?.text.toUpperCase() !== 'OFFSET') {
    fail('invalid-file', locationOf(reader, word), 'the End Site has no OFFSET.', CORRECT);
  }
  const end = offset(reader, word);
  brace(reader, '}', 'the End Site', keyword.line);
  return end;
}

function brace(reader: Reader, wanted: '{' | '}', what: string, line: number): void {
  const word = next(reader);
  if (word?.text === wanted) return;
  if (word === undefined) endsInside(reader, what, line);
  fail(
    'invalid-file',
    locationOf(reader, word),
    `is ${describe(word.text)}, not the ${wanted} of ${what}.`,
    CORRECT,
  );
}

function endsInside(reader: Reader, what: string, line: number): never {
  const where = `ends inside ${what} (line ${line}): a brace does not close.`;
  return fail('invalid-file', locationOf(reader, undefined), where, 'Close it, or give the whole file.');
}

function requireFirst(reader: Reader, word: Word, before: unknown): void {
  if (before === undefined) return;
  fail(
    'invalid-file',
    locationOf(reader, word),
    `is the second ${word.text.toUpperCase()} of its joint.`,
    CORRECT,
  );
}

function offset(reader: Reader, keyword: Word): Triple {
  const [x, y, z] = [0, 1, 2].map(() => {
    const word = next(reader);
    if (word === undefined || /^[a-z{}]/i.test(word.text)) {
      fail('wrong-size', locationOf(reader, keyword), 'OFFSET has fewer than three numbers.', CORRECT);
    }
    return decimalOf(word.text, locationOf(reader, word));
  });
  return [x, y, z];
}

function channels(reader: Reader, keyword: Word): BvhChannel[] {
  const count = next(reader);
  if (count === undefined || !/^\d{1,3}$/.test(count.text)) {
    const what = `CHANNELS has ${describe(count?.text)} in place of the number of channels.`;
    fail('invalid-file', locationOf(reader, keyword), what, CORRECT);
  }
  const list: BvhChannel[] = [];
  for (let k = 0; k < Number(count.text); k++) {
    const word = next(reader);
    if (word === undefined || word.line !== keyword.line) {
      const what = `says CHANNELS ${count.text} but names ${k}.`;
      fail('wrong-size', locationOf(reader, keyword), what, CORRECT);
    }
    const channel = CHANNELS.get(word.text.charAt(0).toUpperCase() + word.text.slice(1).toLowerCase());
    if (channel === undefined) {
      const near = nearestName(word.text, CHANNELS.keys());
      fail(
        'unknown-name',
        locationOf(reader, word),
        `${describe(word.text)} is not a channel.`,
        near === undefined ? `Channels are ${[...CHANNELS.keys()].join(', ')}.` : `Did you mean '${near}'?`,
      );
    }
    if (list.includes(channel)) {
      fail('duplicate-name', locationOf(reader, word), `${word.text} is listed twice.`, CORRECT);
    }
    list.push(channel);
  }
  return list;
}

/** Joints of one name: the later ones get a number. One warning for all. */
function renamed(joints: readonly OpenJoint[], names: readonly string[], source: string): string[] {
  const changed = joints.flatMap(({ name, line }, j) => (name === names[j] ? [] : [{ name, line, j }]));
  if (changed.length === 0) return [];
  const [{ name, line, j }] = changed;
  const more = changed.length > 1 ? `, and ${changed.length - 1} more are equal` : '';
  return [
    `${source}:${line}: '${name}' is the name of another joint too${more}; this one is read as '${names[j]}'.`,
  ];
}
