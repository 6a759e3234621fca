/** Several inputs of a command, by the same words: files, folders and patterns, what fails, where results go. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFigure } from 'poise/figure';
import { describe, expect, test } from 'vitest';
import { run } from '../../src/run.js';
import { poise, temporaryFolder } from '../support/command.js';

const folder = temporaryFolder();
const at = (...names: string[]): string => join(folder, ...names);
const made = (name: string): string => {
  mkdirSync(at(name));
  return at(name);
};
const write = (path: string, text: string): string => {
  writeFileSync(path, text);
  return path;
};

const BVH = `HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  End Site
  {
    OFFSET 0 1 0
  }
}
MOTION
Frames: 3
Frame Time: 0.1
0 0 0
10 0 0
20 0 0
`;

const trc = (x: number): string =>
  [
    'PathFileType\t4\t(X/Y/Z)\tmade.trc',
    'DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits',
    '50\t50\t2\t1\tmm',
    'Frame#\tTime\tHIP\t\t',
    '\t\tX1\tY1\tZ1',
    `1\t0.000\t${x}\t900\t0`,
    `2\t0.020\t${x}\t910\t0`,
  ].join('\n');

const clips = made('clips');
for (const name of ['a.bvh', 'b.bvh']) write(join(clips, name), BVH);
write(join(clips, 'c.bvh'), 'HIERARCHY');
write(join(clips, 'notes.txt'), 'no clip');

const recordings = made('recordings');
write(join(recordings, 'a.trc'), trc(0));
write(join(recordings, 'b.trc'), trc(100));
write(join(recordings, 'c.trc'), 'PathFileType');
const markers = write(at('markers.json'), '{ "HIP": { "bone": "hips" } }');

const rigs = made('rigs');
await poise('pose', '-o', join(rigs, 'a.glb'), '--goal', 'hips=+0,0,0');
await poise('pose', '-o', join(rigs, 'b.glb'), '--goal', 'hips=+0,0,0', '--height', '1.2');
write(join(rigs, 'c.glb'), 'glTF');

/** What each command does with two files that are good and one that is not. */
const COMMANDS = [
  ['inspect', [clips], 'file', 'inspected'],
  ['convert', [clips, '-o', made('converted')], 'clip', 'converted'],
  ['limits', [rigs], 'rig', 'shown'],
  ['fit', [recordings, 'human', '--markers', markers], 'recording', 'fitted'],
  ['fit', [recordings, '--markers', markers], 'recording', 'fitted'],
] as const;

describe.each(COMMANDS)('poise %s of a folder', (command, argv, noun, verb) => {
  test('does each whatever becomes of the others, and says how many', async () => {
    const { status, out, err } = await poise(command, ...argv);
    expect([status, out.trimEnd().split('\n').at(-1)]).toEqual([4, `3 ${noun}s: 2 ${verb}, 1 failed`]);
    expect(err.split('\n').filter((text) => text.startsWith('error['))).toHaveLength(1);
  });

  test('--json is a list with an object or an error for each', async () => {
    const { status, out } = await poise(command, ...argv, '--json');
    const list = JSON.parse(out);
    expect([status, list.format, list.done, list.failed]).toEqual([4, `poise-${command}-list`, 2, 1]);
    expect(list.results.map(({ format }: { format: string }) => format === 'poise-error')).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('a pattern is the same, and one of files that all fail has status 2', async () => {
    const [given, ...others] = argv;
    expect((await poise(command, join(given, '*.*[!t]'), ...others)).status).toBe(4);
    expect((await poise(command, join(given, 'c.*'), join(given, 'd.bvh'), ...others)).status).toBe(2);
  });
});

test('on a terminal the file at work is a line that is overwritten', async () => {
  let err = '';
  const io = { out: () => {}, err: (text: string) => (err += text), color: false, live: true };
  await run(['convert', join(clips, 'a.bvh'), join(clips, 'b.bvh'), '-o', at('converted')], io);
  expect(err).toMatch(/^\r\[1\/2\] .*a\.bvh *\r *\r\r\[2\/2\] .*b\.bvh/);
});

describe('files of a folder', () => {
  test('have the names of the inputs and the extension asked for', async () => {
    const out = made('formats');
    for (const format of ['bvh', 'csv', 'json', 'amc'])
      await poise('convert', clips, '-o', out, '--format', format);
    expect(readdirSync(out)).toEqual([
      ...['a.amc', 'a.asf', 'a.bvh', 'a.csv', 'a.json'],
      ...['b.amc', 'b.asf', 'b.bvh', 'b.csv', 'b.json'],
    ]);
    expect(readdirSync(at('converted'))).toEqual(['a.glb', 'b.glb']);
    const fitted = made('fitted');
    await poise('fit', recordings, '--markers', markers, '-o', fitted, '--format', 'csv');
    expect(readdirSync(fitted)).toEqual(['a.csv', 'b.csv']);
  });

  test('of poise limits are figures and pictures', async () => {
    const [figures, pictures] = [made('figures'), made('pictures')];
    await poise('limits', rigs, '-o', figures, '--picture', pictures);
    expect([readdirSync(figures), readdirSync(pictures)]).toEqual([
      ['a.json', 'b.json'],
      ['a.svg', 'b.svg'],
    ]);
    createFigure(JSON.parse(readFileSync(join(figures, 'a.json'), 'utf8')));
  });

  test('are never inputs or each other', async () => {
    const before = readFileSync(join(clips, 'a.bvh'), 'utf8');
    const into = await poise('convert', clips, '-o', clips, '--format', 'bvh');
    expect([into.status, into.err]).toEqual([2, expect.stringMatching(/cannot-write.*would overwrite/)]);
    expect(readFileSync(join(clips, 'a.bvh'), 'utf8')).toBe(before);
    const other = made('other');
    write(join(other, 'a.bvh'), BVH);
    const twice = await poise('convert', clips, join(other, 'a.bvh'), '-o', at('converted'));
    expect([twice.status, twice.err]).toEqual([2, expect.stringMatching(/already the output/)]);
  });
});

describe('several inputs are refused', () => {
  test.each([
    [['convert', clips], /3 clips do not go to stdout.*-o FOLDER/],
    [['convert', clips, '-o', at('x.glb')], /3 clips do not go into one file.*-o FOLDER/],
    [['convert', join(clips, 'a.bvh'), '-o', at('x.glb'), '--format', 'glb'], /files of a folder/],
    [['convert', clips, '-o', at('converted'), '--format', 'fbx'], /--format fbx.*Use one of glb/],
    [['limits', rigs, '-o', at('x.json')], /3 rigs do not go into one file/],
    [['limits', rigs, '--picture', at('x.svg')], /--picture .*3 rigs.*--picture FOLDER/],
    [['fit', recordings, 'human', '--markers', markers, '-o', at('x.csv')], /3 recordings/],
    [['fit', recordings, 'human', '--markers', markers, '-o', at('fitted'), '--rate', '9'], /--rate/],
    [['convert', at('rigs', 'none*.bvh')], /matches no file/],
  ])('%j', async (argv, message) => {
    const { status, err } = await poise(...argv);
    expect([status, err]).toEqual([2, expect.stringMatching(message)]);
    expect(existsSync(at('x.glb'))).toBe(false);
  });
});
