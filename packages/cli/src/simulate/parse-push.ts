/** `--push BONE:x,y,z[@t][/px,py,pz]`, from text to data. The bone is looked up later. */
import { GoalError } from 'poise';
import type { Triple } from 'poise/figure';
import { parseNumber, parseNumbers } from '../io/parse-number.js';

/** A push as typed. */
export interface PushSpec {
  /** The option as typed, for messages. */
  readonly text: string;
  readonly bone: string;
  /** World axes, N s. */
  readonly impulse: Triple;
  /** s since the start. */
  readonly time: number;
  /** World axes, m; the bone's origin without it. */
  readonly point?: Triple;
}

const FORM = 'BONE:x,y,z, BONE:x,y,z@t or BONE:x,y,z@t/px,py,pz (N s, s, m)';

/** @throws GoalError naming the option as typed, and which of its numbers is wrong. */
export function parsePush(value: string): PushSpec {
  const text = `--push ${value}`;
  // Bone names may contain colons, numbers do not.
  const at = value.lastIndexOf(':');
  const bone = value.slice(0, Math.max(at, 0));
  if (bone.trim() === '') {
    throw new GoalError('unsupported', at < 0 ? "has no ':'." : "names no bone before ':'.", {
      path: text,
      remedy: `Write ${FORM}.`,
    });
  }
  const [, impulse, , when, , where] = /^([^@/]*)(@([^/]*))?(\/(.*))?$/s.exec(value.slice(at + 1)) ?? [];
  if (impulse === undefined) {
    throw new GoalError('unsupported', `'${value.slice(at + 1)}' is not a push.`, {
      path: text,
      remedy: `Write ${FORM}.`,
    });
  }
  const time = when === undefined ? 0 : parseNumber(when, `${text} (time)`);
  if (time < 0) {
    throw new GoalError('out-of-range', `is at ${time} s.`, {
      path: `${text} (time)`,
      remedy: 'Give seconds since the start, 0 or more.',
    });
  }
  return {
    text,
    bone,
    impulse: triple(impulse, `${text} (impulse)`),
    time,
    ...(where !== undefined && { point: triple(where, `${text} (point)`) }),
  };
}

function triple(numbers: string, path: string): Triple {
  const [x, y, z] = parseNumbers(numbers, [3], path);
  return [x, y, z];
}
