/** What `poise optimize` refuses: exit status 2, one message with code, place and remedy, nothing on stdout, no file touched. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { beforeEach, describe, expect, test } from 'vitest';
import { poise, temporaryFolder } from '../support/command.js';
import { blockScene } from '../support/scenes.js';

const folder = temporaryFolder();
const output = join(folder, 'out.glb');
const before = 'what stood in the file before';

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

let good = '';
beforeEach(() => {
  writeFileSync(output, before);
  good = file('good.json', blockScene());
});

async function refused(code: string, ...argv: string[]): Promise<string> {
  const listing = readdirSync(folder);
  const { status, out, err } = await poise('optimize', '-o', output, ...argv);
  expect([argv, status, out]).toEqual([argv, 2, '']);
  expect(err).toMatch(/^error\[[a-z-]+\] .+: .+ .+[.?)]\n$/);
  expect(err).toMatch(new RegExp(`^error\\[${code}\\] `));
  expect(readFileSync(output, 'utf8')).toBe(before);
  expect(readdirSync(folder)).toEqual(listing);
  return err;
}

describe('options', () => {
  test.each([
    ['out-of-range', '--max-iterations', '-1'],
    ['out-of-range', '--max-iterations', '1.5'],
    ['out-of-range', '--tolerance', '0'],
    ['out-of-range', '--tolerance', '2'],
    ['unsupported', '--tolerance', 'tight'],
    ['missing-resource', '--resume', 'nowhere.json'],
    ['cannot-write', '--report', 'no/where.html'],
    ['cannot-write', '--save', 'no/where.json'],
    ['unsupported', '-o', 'out.fbx'],
  ])('%s: %s %s', async (code, ...argv) => {
    expect(await refused(code, good, ...argv)).toContain(argv[1]);
  });

  test('no scene, and a missing file', async () => {
    const { status, err } = await poise('optimize');
    expect([status, err]).toEqual([2, expect.stringContaining("missing required argument 'SCENE'")]);
    expect(await refused('missing-resource', join(folder, 'nowhere.json'))).toContain('nowhere.json');
  });

  test.each([
    ['invalid-file', 'is no state', '{}'],
    ['invalid-file', 'does not parse', '{'],
    ['unsupported', 'of another version', { format: 'poise-optimize-state', version: 9 }],
    ['invalid-file', 'without numbers', { format: 'poise-optimize-state', version: 1, unknowns: ['a'] }],
    [
      'wrong-size',
      'of another problem',
      {
        format: 'poise-optimize-state',
        version: 1,
        unknowns: [0],
        multipliers: [],
        penalties: [],
        damping: 0,
        iterations: 3,
      },
    ],
  ])('%s: a state that %s', async (code, _, content) => {
    const state = file('state.json', content);
    expect(await refused(code, good, '--resume', state)).toContain(state);
  });
});

describe('scenes', () => {
  const missing = { type: 'file', path: 'missing.glb' };
  const term = (more: object) => blockScene({}, [more]);
  test.each([
    ['invalid-file', 'no.json', { terms: [] }, 'no.json: is not a scene'],
    [
      'unknown-name',
      'key.json',
      blockScene({ gravty: [0, 0, 0] }),
      "key.json#gravty: is an unknown key. Did you mean 'gravity'?",
    ],
    ['out-of-range', 'time.json', term({ type: 'pose', at: 2, pose: [0] }), 'time.json#terms[5].at: '],
    ['not-increasing', 'span.json', term({ type: 'effort', over: [0.5, 0.5] }), 'span.json#terms[5].over: '],
    ['out-of-range', 'zero.json', blockScene({ duration: 0 }), 'zero.json#duration: '],
    ['wrong-size', 'empty.json', blockScene({ terms: [] }), 'empty.json#terms: '],
    [
      'wrong-size',
      'touch.json',
      term({ type: 'contact', bone: 'block', points: [], over: [0, 1] }),
      'touch.json#terms[5].points: ',
    ],
    [
      'unknown-name',
      'bone.json',
      term({ type: 'pose', at: 0, bones: ['blok'] }),
      "bone.json#terms[5].bones[0]: no bone is called 'blok' in block. Did you mean 'block'?",
    ],
    [
      'unknown-name',
      'goal.json',
      term({ type: 'goal', at: 1, goal: { type: 'joint-value', bone: 'blok', value: 1 } }),
      'goal.json#terms[5].goal.bone: ',
    ],
    ['missing-resource', 'rig.json', blockScene({ figure: missing }), 'missing.glb: '],
    [
      'unsupported',
      'scale.json',
      blockScene({ figure: { ...missing, scale: 2 } }),
      'scale.json#figure.scale: ',
    ],
    [
      'out-of-range',
      'human.json',
      blockScene({ figure: { type: 'human', height: -1 } }),
      'human.json#figure.height: ',
    ],
    [
      'duplicate-name',
      'twice.json',
      blockScene({ figure: { type: 'bones', bones: [{ name: 'a' }, { name: 'a' }] } }),
      'twice.json#figure.bones[1]',
    ],
    [
      'missing-resource',
      'clip.json',
      blockScene({ reference: { type: 'file', path: 'clip.bvh' } }),
      'clip.bvh',
    ],
    [
      'invalid-file',
      'kind.json',
      blockScene({ reference: { type: 'file', path: 'good.json' } }),
      'good.json',
    ],
    [
      'missing-resource',
      'pose.json',
      term({ type: 'pose', at: 0, pose: { path: 'none.json' } }),
      'none.json',
    ],
  ])('%s: %s', async (code, name, content, words) => {
    expect(await refused(code, file(name, content))).toContain(words);
  });

  describeWithData('with a clip of the shared data', 'bvh/walk01.bvh', (path) => {
    test('a clip of another figure, and a start offset outside it', async () => {
      const clip = { type: 'file', path };
      expect(
        await refused('unsupported', file('other.json', blockScene({ reference: clip })), '--allow-outside'),
      ).toContain('other.json#reference.path: ');
      const late = { figure: clip, reference: { ...clip, from: 1e3 }, terms: [{ type: 'tracking' }] };
      expect(await refused('out-of-range', file('late.json', blockScene(late)), '--allow-outside')).toContain(
        'late.json#reference.from: ',
      );
    });
  });

  describeWithData('with a robot of the shared data', 'urdf/panda.urdf', (path) => {
    test('a robot has no glTF', async () => {
      const robot = { figure: { type: 'file', path }, terms: [{ type: 'smoothness' }] };
      expect(
        await refused('unsupported', file('robot.json', blockScene(robot)), '--allow-outside'),
      ).toContain('--output');
    });
  });
});
