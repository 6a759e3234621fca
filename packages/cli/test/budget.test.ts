import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadTime } from '@poise/test-support/thread-time';
import { expect, test } from 'vitest';
import { poise, temporaryFolder } from './support/command.js';

const folder = temporaryFolder();

function save(name: string, data: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof data === 'string' ? data : JSON.stringify(data));
  return path;
}

const chain = (count: number) => ({
  asset: { version: '2.0' },
  nodes: Array.from({ length: count }, (_, k) => ({
    name: `b${k}`,
    translation: [0, 0.01, 0],
    ...(k + 1 < count && { children: [k + 1] }),
  })),
});
const bones = Array.from({ length: 9 }, (_, k) => ({ name: `b${k}`, parent: k === 0 ? null : `b${k - 1}` }));
const scene = (more: object) => ({ format: 'poise-scene', version: 1, duration: 1, terms: [], ...more });

test('every command refuses a file that asks for more than it may, and takes the option that its error names', async () => {
  const rig = save('chain.gltf', chain(9));
  const figure = save('figure.json', { bones });
  const robot = save(
    'robot.urdf',
    `<robot name="r">${bones.map(({ name }) => `<link name="${name}"/>`).join('')}</robot>`,
  );
  const own = save('own.json', scene({ figure: { type: 'bones', bones } }));
  const file = save('file.json', scene({ figure: { type: 'file', path: 'chain.gltf' } }));
  const long = save('long.json', scene({ intervals: 5000 }));
  for (const [name, argv] of [
    ['bones', ['inspect', rig]],
    ['bones', ['pose', rig, '--goal', 'b8=0,0,0']],
    ['bones', ['simulate', rig]],
    ['bones', ['inspect', figure]],
    ['bones', ['inspect', robot]],
    ['bones', ['optimize', own]],
    ['bones', ['optimize', file]],
    ['unknowns', ['optimize', long]],
  ] as const) {
    const refused = await poise(
      ...argv,
      '--budget',
      'unknowns=50000',
      '--budget',
      `bones=${name === 'bones' ? 8 : 99}`,
    );
    expect([refused.status, refused.out]).toEqual([2, '']);
    expect(refused.err).toMatch(/^error\[over-budget\] /);
    expect(refused.err).toContain(`raise it with --budget ${name}=N.`);
  }
  expect((await poise('inspect', rig, '--budget', 'bones=9')).status).toBe(0);
});

test('the option is checked', async () => {
  for (const [text, says] of [
    ['bone=3', /unknown-name.* --budget bone=3: .*bones, keys, samples, vertices, unknowns/],
    ['bones', /error\[.*--budget/],
    ['bones=-1', /out-of-range.*--budget/],
    ['toString=1', /unknown-name/],
  ] as const) {
    const { status, err } = await poise('inspect', '--budget', text);
    expect(status).toBe(2);
    expect(err).toMatch(says);
  }
});

test('a chain of thousands of bones is inspected in time and lines in proportion to its length', async () => {
  const started = threadTime();
  const { status, out } = await poise('inspect', save('long.gltf', chain(8000)));
  expect(status).toBe(0);
  expect(out.length).toBeLessThan(4e6);
  expect(threadTime() - started).toBeLessThan(20_000);
});
