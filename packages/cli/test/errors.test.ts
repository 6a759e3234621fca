/** Errors as JSON, and texts of files on a terminal. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../src/run.js';
import { poise, temporaryFolder } from './support/command.js';
import { blockScene } from './support/scenes.js';

const folder = temporaryFolder();
const file = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

describe('--json has one object on stdout, also for an error', () => {
  test.each([
    [['inspect', 'nowhere.glb'], 'missing-resource', 'nowhere.glb'],
    [['pose', '--goal', 'leftHnd=0,0,0'], 'unknown-name', '--goal leftHnd=0,0,0'],
    [['pose'], 'wrong-size', 'poise pose'],
    [['simulate', '--rate', '1'], 'out-of-range', '--rate 1'],
    [['optimize', 'nowhere.json'], 'missing-resource', 'nowhere.json'],
    [['optimize'], 'missing-argument', 'poise optimize'],
    [['pose', '--gaol', 'x'], 'unknown-option', 'poise pose'],
    [['inspekt'], 'unknown-command', 'poise'],
    [['pose', 'a', 'b'], 'excess-arguments', 'poise pose'],
    [['pose', '--budget', 'bones'], 'unsupported', '--budget bones'],
    [['pose', '--budget', 'bones=x'], 'unsupported', '--budget bones=x'],
    [['pose', '--budget', 'bones=-1'], 'out-of-range', '--budget bones=-1'],
  ])('%j', async (argv, code, path) => {
    const { status, out, err } = await poise(...argv, '--json');
    const report = JSON.parse(out);
    expect(Object.keys(report)).toEqual(['format', 'version', 'code', 'path', 'what', 'remedy', 'status']);
    expect(report).toMatchObject({ format: 'poise-error', version: 1, code, path, status: 2 });
    expect([status, report.what, report.remedy]).toEqual([
      2,
      expect.stringMatching(/\w/),
      expect.stringMatching(/\w/),
    ]);
    expect(err.slice(err.indexOf('error['))).toBe(
      `error[${code}] ${path}: ${report.what} ${report.remedy}\n`,
    );
  });

  test.each([
    [
      ['optimize', 'rig.glb'],
      'error[unsupported] rig.glb: is not a scene. Give a .json whose figure is { "type": "file", "path": "rig.glb" }; \'poise optimize --help\' has one.',
    ],
    [
      ['pose', '--orient', 'head=30deg'],
      "error[wrong-size] --orient head=30deg: '30' has 1 number instead of 3. Give 3 numbers separated by commas, without spaces.",
    ],
  ])('a mistake that was told badly: %j', async (argv, line) => {
    expect((await poise(...argv)).err).toBe(`${line}\n`);
  });

  test('a list is no figure, a pose no motion', async () => {
    expect((await poise('inspect', file('world.json', [{ type: 'plane' }]))).err).toContain(
      'world.json: is no figure.',
    );
    const pose = file('pose.json', { format: 'poise-pose' });
    expect((await poise('convert', pose)).err).toContain("format is not 'poise-motion' but 'poise-pose'.");
  });

  test('physics of a scene without masses asks for a ragdoll as a scene has it', async () => {
    const scene = blockScene();
    const figure = {
      type: 'bones',
      name: 'light',
      bones: [{ name: 'b', joint: { type: 'hinge', axis: [1, 0, 0] } }],
    };
    const terms = [{ type: 'pose', at: 0 }, { type: 'effort' }];
    const { err } = await poise('optimize', file('light.json', { ...scene, figure, terms }));
    expect(err).toContain('has no mass. Give its bones a mass; in a scene "ragdoll": {} of the figure does.');
  });

  test('a wrong option or command is one line that suggests the nearest and the help', async () => {
    expect((await poise('inspect', '--jsn')).err).toBe(
      "error[unknown-option] poise inspect: unknown option '--jsn'. Did you mean '--json'? 'poise inspect --help' lists the options and has examples.\n",
    );
    expect((await poise('inspct')).err).toBe(
      "error[unknown-command] poise: unknown command 'inspct'. Did you mean 'inspect'? 'poise --help' lists the commands.\n",
    );
    expect((await poise()).err).toMatch(/error\[unknown-command\] poise: names no command\. 'poise --help' /);
  });

  test('an internal one too', async () => {
    let out = '';
    const io = { err: () => {}, color: false };
    const status = await run(['inspect', '--json'], {
      ...io,
      out: (text) => {
        if (String(text).includes('poise-inspect')) throw new RangeError('boom');
        out += text;
      },
    });
    expect([status, JSON.parse(out)]).toMatchObject([
      3,
      { code: 'internal', what: 'RangeError: boom', status: 3 },
    ]);
  });

  test('not without --json, and help is no error', async () => {
    expect((await poise('inspect', 'nowhere.glb')).out).toBe('');
    const { status, out } = await poise('pose', '--json', '--help');
    expect([status, out]).toEqual([0, expect.stringContaining('Usage')]);
  });
});

describe('control characters of a file', () => {
  // Title, clear screen, a C1 control and a turn of direction.
  const nasty = 'arm\u001b]0;pwned\u0007\u001b[2J\u009b31m\u202e\rgone\nline';
  const figure = {
    name: nasty,
    bones: [{ name: nasty, parent: null, joint: { type: 'hinge', axis: [1, 0, 0] } }],
  };

  test('are escaped, in tables, reports, errors and JSON', async () => {
    const path = file('nasty.json', figure);
    const said = await poise('inspect', path);
    const json = await poise('inspect', path, '--json');
    const unknown = await poise('pose', path, '--goal', 'arm=0,0,0');
    const usage = await poise('pose', `--${nasty}`);
    for (const text of [said.out, json.out, unknown.err, usage.err]) {
      expect(text).toContain('\\u001b');
      expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
    }
    expect(said.out.split('\n').filter((line) => line.includes('gone'))).toHaveLength(2);
    expect(JSON.parse(json.out).bones[0].name).toBe(nasty);
  });

  test('are escaped beside colours', async () => {
    let out = '';
    const path = file('nasty.json', figure);
    await run(['inspect', path], { out: (text) => (out += text), err: () => {}, color: true });
    expect(out).toContain('\u001b[1m');
    expect(out).toContain('\\u001b]0;pwned');
    expect(out).not.toContain('\u001b]');
    expect(out).not.toContain('\u001b[2J');
  });
});

test('files of Poise may begin with a byte-order mark', async () => {
  const bom = (value: unknown): string => `\ufeff${JSON.stringify(value)}`;
  const human = JSON.parse((await poise('inspect', '--json')).out);
  expect((await poise('inspect', file('human.json', bom(human)))).status).toBe(0);
  expect((await poise('optimize', file('scene.json', bom(blockScene())))).status).toBe(0);
  expect((await poise('simulate', '--seconds', '0.1', '--world', file('world.json', bom([])))).status).toBe(
    0,
  );
});

test('a version that is an object with a toString is refused as any other', async () => {
  const odd = { toString: 1 };
  for (const argv of [
    ['optimize', file('scene.json', blockScene({ version: odd }))],
    [
      'optimize',
      file('good.json', blockScene()),
      '--resume',
      file('s.json', { format: 'poise-optimize-state', version: odd }),
    ],
    ['pose', '--from', file('p.json', { format: 'poise-pose', version: odd, figure: 'human', bones: {} })],
    ['inspect', file('m.json', { format: 'poise-motion', version: odd })],
  ]) {
    const { status, err } = await poise(...argv);
    expect([argv, status]).toEqual([argv, 2]);
    expect(err).toMatch(/version/);
  }
});
