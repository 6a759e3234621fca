import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeWithData } from '@poise/test-support/shared-data';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../packages/cli/src/run.js';
import { type CommandSample, extractCommands, firstDifference } from '../lib/command-samples.mjs';

/** Runs the commands that the documents show, and compares what they print. Files that they write go to a folder of their own. */
const repository = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'command-samples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const samples = readdirSync(join(repository, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) => extractCommands(readFileSync(join(repository, 'docs', name), 'utf8'), `docs/${name}`))
  .map((sample) => ({ ...sample, title: `${sample.document}:${sample.line}` }));
/** Files that the documents name as the reader's. */
const scene = 'arm-minimum-effort.json';
const fox = samples.filter(({ argv }) => argv.includes('fox.glb'));
const gait = samples.filter(({ argv }) => argv.includes('subject.osim'));
const knight = samples.filter(({ argv }) => argv.includes('knight.glb') || argv.includes('walk.bvh'));

/** Runs a command with these paths for the files that it reads; the others that it names are written to the folder. */
async function expectSame(
  { argv, output }: CommandSample,
  paths: Readonly<Record<string, string>>,
): Promise<void> {
  let printed = '';
  const pathOf = (word: string): string =>
    paths[word] ?? (/^[\w-]+\.(glb|json|html|csv|mot|svg)$/.test(word) ? join(folder, word) : word);
  const io = { err: () => {}, color: false };
  await run(argv.map(pathOf), {
    ...io,
    out: (text) => {
      printed += text;
    },
  });
  for (const word of argv)
    printed = printed.replaceAll(pathOf(word), word).replaceAll(basename(pathOf(word)), word);
  expect(firstDifference(output, printed.trimEnd().split('\n'))).toBeUndefined();
}

describe('a command of a document', () => {
  const others = samples.filter((sample) => ![fox, gait, knight].some((own) => own.includes(sample)));
  test.each(others)('$title prints what it shows: poise $argv', async (sample) => {
    await expectSame(sample, { [scene]: join(repository, 'examples/spacetime/scenes', scene) });
  });
});

describeWithData('a command of a document with a rig', 'gltf/Fox.glb', (path) => {
  test.each(fox)('$title prints what it shows: poise $argv', async (sample) => {
    await expectSame(sample, { 'fox.glb': path });
  });
});

describeWithData('a command of a document with a recording', 'opensim/ik_gait2354_real', (path) => {
  test.each(gait)('$title prints what it shows: poise $argv', async (sample) => {
    await expectSame(sample, {
      'walk.trc': join(path, 'subject01_walk1.trc'),
      'subject.osim': join(path, 'subject01_simbody.osim'),
    });
  });
});

describeWithData('a command of a document with a character', 'gltf/KayKit_Knight.glb', (path) => {
  // Figures of a .bvh are named as their file.
  const given = join(folder, 'given');
  beforeAll(() => {
    mkdirSync(given);
    copyFileSync(path, join(given, 'knight.glb'));
    copyFileSync(join(path, '../../bvh/walk01.bvh'), join(given, 'walk.bvh'));
  });
  test.each(knight)('$title prints what it shows: poise $argv', async (sample) => {
    await expectSame(sample, {
      'knight.glb': join(given, 'knight.glb'),
      'walk.bvh': join(given, 'walk.bvh'),
    });
  });
});

describe('what a sample and a run may differ in', () => {
  test.each([
    ['times and counts of a solver', ['350 iterations, 24.6 ms'], ['787 iterations, 393 ms'], true],
    ['the last digits', ['a: 0.337, 1.419'], ['a: 0.338, 1.42'], true],
    ['widths of columns', ['bone   dof'], ['bone           dof'], true],
    ['lines that are left out', ['one', '...', 'four'], ['one', 'two', 'three', 'four'], true],
    ['a number', ['60 steps'], ['70 steps'], false],
    ['a word', ['converged'], ['stalled'], false],
    ['a line more', ['one'], ['one', 'two'], false],
    ['a line less', ['one', 'two'], ['one'], false],
  ])('%s', (_, shown, printed, same) => {
    expect(firstDifference(shown, printed) === undefined).toBe(same);
  });

  test('a block that is not a command is refused with its line', () => {
    expect(() => extractCommands('text\n```console\nls\n```\n', 'a.md')).toThrow('a.md:3: "ls"');
  });
});
