import { parseGltf, readPose, readScene } from '@poise/formats';
import { PoiseError } from 'poise';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/text/parse-json.js';

const REMEDY = 'Give JSON.';
const messageOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof PoiseError) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
};

test('a byte-order mark is dropped', () => {
  const pose = { format: 'poise-pose', version: 1, figure: 'human', bones: {} };
  expect(parseJson('\ufeff{"a": 1}', 'a.json', REMEDY)).toEqual({ a: 1 });
  expect(readPose(`\ufeff${JSON.stringify(pose)}`)).toEqual(pose);
});

// The places by eye.
test.each([
  ['{"a": 1,\n "b": }', 2, 7],
  ['{"a": 1,}', 1, 9],
  ['[1, 2', 1, 6],
  ['{"a" 1}', 1, 6],
  ['[1 2]', 1, 4],
  ['{}\r\n{}', 2, 1],
  ['[01]', 1, 3],
  ['[NaN]', 1, 2],
  ['["a\nb"]', 1, 4],
  ['["\\x"]', 1, 3],
  ['{"a": [{"b": tru}]}', 1, 14],
  ["{'a': 1}", 1, 2],
])('%j fails at line %i, column %i', (text, row, column) => {
  expect(() => JSON.parse(text)).toThrow();
  expect(messageOf(() => parseJson(text, 'a.json', REMEDY))).toBe(
    `a.json: its JSON does not parse (line ${row}, column ${column}). ${REMEDY}`,
  );
});

test('an empty file says so', () => {
  expect(messageOf(() => parseJson(' \n', 'a.json', REMEDY))).toContain('does not parse: it is empty.');
});

test('a long text that does not end is located in time proportional to its length', () => {
  for (const text of [
    `"${'a'.repeat(3e6)}`,
    '['.repeat(1e6),
    `${'[{"a":'.repeat(2e5)}`,
    `${' '.repeat(3e6)}x`,
  ]) {
    expect(messageOf(() => parseJson(text, 'a.json', REMEDY))).toMatch(/line 1, column \d+/);
  }
}, 5000);

describe('an error quotes nothing of the file', () => {
  const secret = 'root:x:0:0:root:/root:/bin/bash';
  test.each([
    ['a pose', (text: string) => readPose(text)],
    ['a scene', (text: string) => readScene(text)],
    ['a glTF', (text: string) => parseGltf(Buffer.from(`{${text}`))],
  ])('%s', (_, read) => {
    expect(messageOf(() => read(secret))).not.toMatch(/root|bin/);
  });
});

test('values that have a toString of their own are refused or read, never called', () => {
  const odd = { toString: 1 };
  const pose = { format: 'poise-pose', version: odd, figure: 'a', bones: {} };
  expect(messageOf(() => readPose(JSON.stringify(pose)))).toContain('is version an object');
});

test('more levels than functions can call themselves are refused, in strings they are text', () => {
  const nested = (levels: number, open: string, close: string) =>
    `${open.repeat(levels)}0${close.repeat(levels)}`;
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a\\\\":', '}]'],
  ] as const) {
    expect(() => parseJson(nested(100_000, open, close), 'deep.json', 'Give a file.')).toThrow(
      expect.objectContaining({ code: 'unsupported', path: 'deep.json' }),
    );
    expect(() => parseJson(nested(256, open, close), 'deep.json', 'Give a file.')).not.toThrow();
  }
  const text = JSON.stringify({ '[{': '['.repeat(1000), b: '\\"['.repeat(1000) });
  expect(parseJson(text, 'text.json', 'Give a file.')).toEqual(JSON.parse(text));
});
