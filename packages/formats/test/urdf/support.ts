import { type ReadUrdfOptions, readUrdf, type UrdfRobot } from '@poise/formats';
import { FormatError, type PoiseErrorCode } from 'poise';
import { createState, forwardKinematics } from 'poise/figure';
import { expect } from 'vitest';

/** A robot of links `base`, `a`, `b`, ... and whatever is given. */
export function robotText(body: string, links: readonly string[] = ['base', 'a', 'b']): string {
  const declared = links.map((name) => `<link name="${name}"/>`).join('');
  return `<?xml version="1.0"?>\n<robot name="test">${declared}${body}</robot>`;
}

/** One joint from `base` to `a`. */
export function jointText(type: string, inner = '', name = 'j', parent = 'base', child = 'a'): string {
  return `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/>${inner}</joint>`;
}

/** A robot of `base` and `a` with one joint. */
export function oneJoint(type: string, inner = '', options: ReadUrdfOptions = {}): UrdfRobot {
  return readUrdf(robotText(jointText(type, inner), ['base', 'a']), options);
}

/** World frame of a link at a pose: 12 numbers. */
export function frameAt({ figure }: UrdfRobot, link: string, pose: ArrayLike<number>): Float64Array {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const bone = figure.bones.findIndex(({ name }) => name === link);
  return state.worldFromBone.slice(12 * bone, 12 * bone + 12);
}

/** The error that a text gives. */
export function refusal(text: string | Uint8Array, options: ReadUrdfOptions = {}): FormatError {
  try {
    readUrdf(text, options);
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
  return expect.fail('was read');
}

/** Expects a refusal with code and place, and words in it. */
export function expectRefusal(
  text: string | Uint8Array,
  code: PoiseErrorCode,
  path: string,
  ...words: (string | RegExp)[]
): void {
  const error = refusal(text);
  expect({ code: error.code, path: error.path }).toEqual({ code, path });
  expect(error.remedy).not.toBe('');
  for (const word of words) expect(error.message).toMatch(word);
}

/** Largest difference. */
export function gap(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  return Math.max(...Array.from(a, (x, i) => Math.abs(x - b[i])));
}
