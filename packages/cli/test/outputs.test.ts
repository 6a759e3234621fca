/** What a command writes where: never over an input, whole or not at all, and only what the extension says. */
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { createHumanFigure } from 'poise/humanoid';
import { createMotion } from 'poise/motion';
import { beforeEach, describe, expect, test } from 'vitest';
import { foldsCase } from '../src/io/files-written.js';
import { motionBytes } from '../src/optimize/motion-file.js';
import { poise, temporaryFolder } from './support/command.js';
import { blockScene } from './support/scenes.js';

const root = temporaryFolder();
let folder = '';
let scene = '';
let number = 0;
const at = (name: string): string => join(folder, name);
const goal = ['--goal', 'leftHand=0.35,1.45,0.45'];

beforeEach(() => {
  folder = join(root, String(number++));
  mkdirSync(folder);
  scene = at('move.json');
  writeFileSync(scene, JSON.stringify(blockScene()));
});

/** Runs a command that must refuse, and leave every file as it is. */
async function refused(code: string, ...argv: string[]): Promise<string> {
  const contents = (): unknown => readdirSync(folder).map((name) => [name, readFileSync(at(name), 'utf8')]);
  const before = contents();
  const { status, out, err } = await poise(...argv);
  expect([argv, status, out]).toEqual([argv, 2, '']);
  expect(err).toMatch(new RegExp(`^error\\[${code}\\] .+: .+\\n$`));
  expect(contents()).toEqual(before);
  return err;
}

describe('an input is never overwritten', () => {
  test('by its own name, a longer way to it, a link, and a link of its folder', async () => {
    symlinkSync(scene, at('link.json'));
    linkSync(scene, at('hard.json'));
    symlinkSync(folder, join(root, `alias-${number}`));
    for (const output of [
      scene,
      `${folder}/../${number - 1}/./move.json`,
      at('link.json'),
      at('hard.json'),
      join(root, `alias-${number}`, 'move.json'),
    ]) {
      expect(await refused('cannot-write', 'optimize', scene, '-o', output)).toContain(
        'is an input of this command',
      );
      expect(await refused('cannot-write', 'optimize', scene, '--save', output)).toContain('--save');
    }
  });

  test('by a pose, a simulation, a file that the scene names, and a state', async () => {
    await poise('pose', ...goal, '-o', at('pose.json'));
    await poise('pose', ...goal, '-o', at('rig.glb'));
    await refused('cannot-write', 'pose', '--from', at('pose.json'), '-o', at('pose.json'));
    await refused('cannot-write', 'pose', at('rig.glb'), '--from', at('pose.json'), '-o', at('rig.glb'));
    await refused('cannot-write', 'simulate', at('rig.glb'), '--seconds', '0.1', '-o', at('rig.glb'));
    writeFileSync(at('world.json'), '[{"type":"plane"}]');
    await refused('cannot-write', 'simulate', '--world', at('world.json'), '-o', at('world.json'));
    const human = {
      format: 'poise-scene',
      version: 1,
      duration: 1,
      terms: [{ type: 'pose', at: 0, pose: { path: 'pose.json' } }, { type: 'smoothness' }],
    };
    writeFileSync(at('human.json'), JSON.stringify(human));
    await refused('cannot-write', 'optimize', at('human.json'), '-o', at('pose.json'));
    await poise('optimize', scene, '--save', at('state.json'));
    const again = ['optimize', scene, '--resume', at('state.json')];
    await refused('cannot-write', ...again, '--save', at('state.json'));
  });

  test('and no output by another', async () => {
    const err = await refused('cannot-write', 'optimize', scene, '-o', at('a.json'), '--save', at('a.json'));
    expect(err).toContain('is already the output of --output');
    symlinkSync(folder, join(root, `other-${number}`));
    const other = join(root, `other-${number}`, 'a.json');
    await refused('cannot-write', 'optimize', scene, '-o', at('a.json'), '--save', other);
  });
});

test('a folder tells upper and lower case apart as its file system does', async () => {
  writeFileSync(at('Case.txt'), 'a');
  const apart = readdirSync(folder).length === 2 && (await foldsCase(folder)) === false;
  writeFileSync(at('cASE.TXT'), 'b');
  expect(await foldsCase(folder)).toBe(readFileSync(at('Case.txt'), 'utf8') === 'b');
  if (apart) {
    const { status } = await poise('optimize', scene, '-o', at('a.json'), '--save', at('A.json'));
    expect([status, readdirSync(folder).length]).toEqual([0, 5]);
  }
});

describe('what cannot be written is said before the work', () => {
  test('a read-only file, a folder, a name that is too long, a folder that is not there', async () => {
    writeFileSync(at('kept.glb'), 'kept');
    chmodSync(at('kept.glb'), 0o444);
    mkdirSync(join(root, `folder-${number}.glb`));
    const long = at(`${'n'.repeat(252)}.glb`);
    for (const [output, words] of [
      [at('kept.glb'), 'is a read-only file'],
      [join(root, `folder-${number}.glb`), 'is not a plain file'],
      [long, 'more than 255 bytes'],
      [at('none/out.glb'), 'a folder that does not exist'],
    ]) {
      expect(await refused('cannot-write', 'pose', ...goal, '-o', output)).toContain(words);
      expect(await refused('cannot-write', 'optimize', scene, '-o', output)).toContain(words);
    }
    const name = at(`${'n'.repeat(234)}.glb`);
    expect((await poise('pose', ...goal, '-o', name)).status).toBe(0);
  });

  test.each([
    ['--report', 'x.glb'],
    ['--report', 'x'],
    ['--save', 'x.glb'],
    ['--output', 'x.html'],
  ])('%s %s: the wrong extension', async (option, name) => {
    expect(await refused('unsupported', 'optimize', scene, option, at(name))).toContain(
      `${option} ${at(name)}`,
    );
  });

  test('a .vrm of what is no VRM', async () => {
    for (const argv of [
      ['pose', ...goal],
      ['simulate', '--seconds', '0.1'],
      ['optimize', scene],
    ]) {
      expect(await refused('unsupported', ...argv, '-o', at('x.vrm'))).toMatch(/is no VRM.*Write a \.glb/);
    }
  });
});

describeWithData('a VRM', 'vrm', (data) => {
  test('is written as a VRM', async () => {
    const vrm = join(data, readdirSync(data).find((file) => file.endsWith('.vrm')) as string);
    const rest = { format: 'poise-pose', version: 1, figure: 'any', bones: {} };
    writeFileSync(at('rest.json'), JSON.stringify(rest));
    expect((await poise('pose', vrm, '--from', at('rest.json'), '-o', at('x.vrm'))).status).toBe(0);
    expect(readFileSync(at('x.vrm')).equals(readFileSync(vrm))).toBe(true);
  });
});

describe('stdout as an output', () => {
  test('has the pose alone; the report goes to stderr', async () => {
    const { status, out, err } = await poise('pose', ...goal, '-o', '-');
    expect([status, JSON.parse(out).format]).toEqual([0, 'poise-pose']);
    expect(err).toMatch(/^human: converged/);
    const motion = await poise('optimize', scene, '-o', '-');
    expect(JSON.parse(motion.out).format).toBe('poise-motion');
  });

  test('is another kind of file with its extension: -.bvh', async () => {
    const human = at('human.json');
    const keys = { times: [0, 1], values: [0, 0, 0, 0.3, 0, 0] };
    const figure = createHumanFigure();
    writeFileSync(human, motionBytes(figure, createMotion(figure, { tracks: [{ bone: 'head', keys }] })));
    for (const [name, begins] of [
      ['-.bvh', 'HIERARCHY'],
      ['-.glb', 'glTF'],
      ['-.gltf', '{'],
      ['-.csv', 'time [s]'],
      ['-.vrma', 'glTF'],
    ]) {
      const { status, out, err } = await poise('convert', human, '-o', name);
      expect([name, status, out.slice(0, begins.length)]).toEqual([name, 0, begins]);
      expect(err).toContain(`wrote ${name}`);
    }
    expect((await poise('pose', ...goal, '-o', '-.glb')).out).toMatch(/^glTF/);
    const { err } = await poise('retarget', human, 'human', '-o', '-.xyz');
    expect(err).toMatch(/error\[unsupported\] --output -\.xyz: cannot be written as '\.xyz'/);
    expect(await refused('unsupported', 'convert', human, '-o', '-.amc')).toContain('no place on stdout');
    expect(await refused('cannot-write', 'limits', 'human', '-o', '-', '--picture', '-.svg')).toContain(
      'already',
    );
    expect(readdirSync(folder).filter((name) => name.startsWith('-'))).toEqual([]);
  });

  test('has no room for a report too', async () => {
    const { status, out } = await poise('pose', ...goal, '-o', '-', '--json');
    expect([status, JSON.parse(out)]).toMatchObject([2, { format: 'poise-error', path: '--output -' }]);
  });
});

describe('a scene names files beside and below it alone', () => {
  const clipOf = (path: string) => blockScene({ reference: { type: 'file', path } });

  test('however it names others, unless that is allowed', async () => {
    const secret = join(root, `secret-${number}.json`);
    writeFileSync(secret, 'root:x:0:0:root:/root:/bin/bash');
    symlinkSync(secret, at('link.json'));
    symlinkSync(root, at('linked'));
    for (const path of [
      secret,
      `../secret-${number}.json`,
      'link.json',
      `linked/secret-${number}.json`,
      `below/../../secret-${number}.json`,
    ]) {
      writeFileSync(scene, JSON.stringify(clipOf(path)));
      const { status, err } = await poise('optimize', scene);
      expect([path, status]).toEqual([path, 2]);
      expect(err).toMatch(/^error\[unsafe-path\] move\.json: /);
      const allowed = await poise('optimize', scene, '--allow-outside');
      expect(allowed.err).toMatch(/^error\[invalid-file\]/);
      expect(allowed.err).not.toContain('root:x');
    }
    mkdirSync(at('below'));
    await poise('optimize', scene);
    writeFileSync(scene, JSON.stringify(blockScene()));
    await poise('optimize', scene, '-o', at('below/motion.json'));
    writeFileSync(scene, JSON.stringify(clipOf('below/motion.json')));
    expect((await poise('optimize', scene)).status).toBe(0);
  });
});
