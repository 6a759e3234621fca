import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { styled } from '../src/io/io.js';
import { run } from '../src/run.js';
import { poise } from './support/command.js';

describe('--help', () => {
  test('of poise pose explains which joints move, and the starting pose', async () => {
    const { out } = await poise('pose', '--help');
    for (const word of ['--from', '--spread', '--free-root', '--pin leftFoot']) expect(out).toContain(word);
    expect(out).toContain('The limb of a goal\nmoves first');
  });

  test.each([
    [[], /poise inspect +the built-in human/],
    [['inspect'], /\$ poise inspect knight\.glb/],
    [['pose'], /\$ poise pose --goal leftHand=0\.35,1\.45,0\.45 -o out\.glb/],
    [['simulate'], /\$ poise simulate --push chest:0,0,40 -o fall\.glb/],
  ])('poise %j --help has examples and ends with status 0', async (argv, example) => {
    const { status, out, err } = await poise(...argv, '--help');
    expect([status, err]).toEqual([0, '']);
    expect(out).toMatch(example);
    expect(out.split('\n').every((line) => line.length <= 90)).toBe(true);
  });

  test('every option of pose is explained', async () => {
    const { out } = await poise('pose', '--help');
    const options = [
      'goal',
      'orient',
      'aim',
      'pin',
      'lock',
      'from',
      'free-root',
      'spread',
      'height',
      'tolerance',
    ];
    for (const option of [...options, 'angle-tolerance', 'json', 'output']) {
      expect(out).toMatch(new RegExp(`--${option}\\b.*\\w`));
    }
  });

  test('every option of simulate is explained', async () => {
    const { out } = await poise('simulate', '--help');
    const options =
      'push seconds from drop tilt floor stairs world gravity damping mass joints rate fps height';
    for (const option of [...options.split(' '), 'limits', 'json', 'output']) {
      expect(out).toMatch(new RegExp(`--${option}\\b.*\\w`));
    }
  });

  test.each(['pose', 'simulate'])('the examples of %s without files work', async (command) => {
    const { out } = await poise(command, '--help');
    const examples = [...out.matchAll(new RegExp(`\\$ poise (${command} --.*)$`, 'gm'))].map(
      ([, text]) => text,
    );
    expect(examples.length).toBeGreaterThanOrEqual(3);
    for (const example of examples) {
      const { status, err } = await poise(...example.replace(/ -o \S+/, '').split(' '));
      expect([example, status, err]).toEqual([example, 0, '']);
    }
  });
});

test('--version is the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(await poise('--version')).toEqual({ status: 0, out: `${version}\n`, err: '' });
});

test('an internal error is reported, with status 3', async () => {
  let err = '';
  const status = await run(['inspect'], {
    out: () => {
      throw new RangeError('boom');
    },
    err: (text) => {
      err += text;
    },
    color: false,
  });
  expect(status).toBe(3);
  expect(err).toMatch(/error\[internal\][\s\S]*RangeError: boom/);
});

test('colours only where enabled', async () => {
  const io = { out: () => {}, err: () => {} };
  expect(styled({ ...io, color: false }, 'red', 'text')).toBe('text');
  expect(styled({ ...io, color: true }, 'red', 'text')).toBe('\u001b[31mtext\u001b[0m');
});

test('any command line ends with status 0, 1 or 2, and with a message for 2', async () => {
  const word = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.constantFrom('--goal', '--orient', '--aim', '--pin', '--lock', '--height', '--tolerance'),
    },
    {
      weight: 5,
      arbitrary: fc.constantFrom('leftHand=0.3,1.4,0.4', 'head=+0,9,0deg', 'head:z=@leftFoot', 'spine'),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        '--json',
        '--free-root',
        '--spread',
        'hips:pose',
        'head.tip',
        '1.6',
        '1e300',
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('hips=1e308,0,0', 'head=1e308,0,0', 'head=+1e-320,0,0', 'spine=@spine', ''),
    },
    { weight: 1, arbitrary: fc.string({ maxLength: 12 }).filter((text) => !/^-(o|-o)/.test(text)) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 7 }), async (words) => {
      const { status, err } = await poise('pose', ...words);
      expect([0, 1, 2]).toContain(status);
      if (status === 2) expect(err).toMatch(/^error/);
    }),
    { numRuns: 300 },
  );
});
