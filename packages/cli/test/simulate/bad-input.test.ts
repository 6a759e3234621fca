/** What `poise simulate` refuses: exit status 2, one message with code, place and remedy, nothing on stdout, no file touched. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { poise, simulated, temporaryFolder } from '../support/command.js';

const folder = temporaryFolder();
const output = join(folder, 'out.glb');
const before = 'what stood in the file before';

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

beforeEach(() => {
  writeFileSync(output, before);
});

async function refused(code: string, ...argv: string[]): Promise<string> {
  const listing = readdirSync(folder);
  const { status, out, err } = await poise('simulate', ...argv, '-o', output);
  expect([argv, status, out]).toEqual([argv, 2, '']);
  expect(err).toMatch(/^error\[[a-z-]+\] .+: .+ .+[.?)]\n$/);
  expect(err).toMatch(new RegExp(`^error\\[${code}\\] `));
  expect(readFileSync(output, 'utf8')).toBe(before);
  expect(readdirSync(folder)).toEqual(listing);
  return err;
}

describe('options', () => {
  test.each([
    ['wrong-size', '--push', 'chest:0,0'],
    ['unsupported', '--push', 'chest'],
    ['not-finite', '--push', 'chest:0,NaN,0'],
    ['out-of-range', '--push', 'chest:0,0,9@5'],
    ['out-of-range', '--push', 'chest:0,0,9@1', '--seconds', '1'],
    ['out-of-range', '--seconds', '0'],
    ['out-of-range', '--seconds', '1e9'],
    ['out-of-range', '--rate', '10'],
    ['out-of-range', '--fps', '240'],
    ['out-of-range', '--fps', '0'],
    ['out-of-range', '--stairs', '0'],
    ['out-of-range', '--stairs', '2.5'],
    ['out-of-range', '--floor', '-0.1'],
    ['out-of-range', '--drop', '-1'],
    ['out-of-range', '--damping', '-1'],
    ['out-of-range', '--mass', '0'],
    ['unsupported', '--tilt', 'a'],
    ['unsupported', '--joints', 'some'],
    ['wrong-size', '--gravity', '9.81'],
    ['not-finite', '--gravity', '0,-inf,0'],
    ['unsupported', '--limits', 'soft'],
    ['missing-resource', '--from', 'nowhere.json'],
    ['missing-resource', '--world', 'nowhere.json'],
    ['missing-resource', 'nowhere.glb'],
  ])('%s: %s %s %s', async (code, ...argv) => {
    const message = await refused(code, ...argv);
    expect(message).toContain(
      argv[0]?.startsWith('--') && !message.includes('nowhere') ? argv[0] : 'nowhere',
    );
  });

  test('an unknown bone, with the nearest one', async () => {
    expect(await refused('unknown-name', '--push', 'hip:0,0,9')).toBe(
      "error[unknown-name] --push hip:0,0,9: human has no bone 'hip'. Did you mean 'hips'?\n",
    );
  });

  test.each(['1e9', '1e300'])(
    'an extreme impulse, %s N s, ends in a bounded run with a message',
    async (size) => {
      const { report } = await simulated('--push', `head:0,0,${size}@0.5`, '--seconds', '0.6');
      expect(report.stepWarnings.map(({ warning }) => warning)).toContain('too-fast');
      expect(report.limitViolation).toBe(0);
      expect(Math.max(...report.samples.map(({ fastest }) => fastest))).toBeLessThan(2001);
    },
  );

  test('an unknown file extension', async () => {
    const { status, err } = await poise('simulate', 'nowhere.glb', '-o', join(folder, 'out.fbx'));
    expect([status, err]).toEqual([2, expect.stringMatching(/^error\[unsupported\] --output .*\.glb, /)]);
  });

  test('a folder that does not exist', async () => {
    const { status, out, err } = await poise(
      'simulate',
      '--seconds',
      '0.1',
      '-o',
      join(folder, 'no', 'where.glb'),
    );
    expect([status, out, err]).toEqual([2, '', expect.stringMatching(/^error\[cannot-write\] /)]);
  });
});

describe('--world', () => {
  const box = { type: 'box', halfSizes: [1, 1, 1] };

  test('an invalid shape is reported with its location in the file', async () => {
    const world = file('world.json', [box, { type: 'sphere', radius: -1 }]);
    expect(await refused('out-of-range', '--world', world)).toContain(`${world}#[1].radius: is -1.`);
    await refused('unsupported', '--world', file('kind.json', [{ type: 'cone' }]));
    await refused('unsupported', '--world', file('null.json', [null]));
    await refused(
      'wrong-size',
      '--world',
      file('field.json', [{ type: 'heightfield', columns: 2, rows: 2 }]),
    );
  });

  test('a file that is not a list', async () => {
    expect(await refused('invalid-file', '--world', file('cut.json', '[{'))).toContain('cut.json');
    expect(await refused('invalid-file', '--world', file('one.json', box))).toContain('not a list');
  });

  test('together with a floor or stairs', async () => {
    const world = file('box.json', [box]);
    await refused('unsupported', '--world', world, '--floor', '1');
    await refused('unsupported', '--world', world, '--stairs', '2');
  });
});

describe('--from', () => {
  test('a pose of another figure, or none', async () => {
    const pose = (bones: object) => ({ format: 'poise-pose', version: 1, figure: 'human', bones });
    expect(await refused('unknown-name', '--from', file('tail.json', pose({ tail: [1] })))).toContain(
      'bones.tail',
    );
    await refused('wrong-size', '--from', file('size.json', pose({ head: [1] })));
    await refused('invalid-file', '--from', file('no.json', { bones: {} }));
  });
});
