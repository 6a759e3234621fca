/** Every kind of bad input: exit status 2, one message with code, place and remedy, nothing on stdout, no file touched. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseGltf, serializeGltf, writeFigureGltf } from '@poise/formats';
import { createPose, figureToData } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { beforeEach, describe, expect, test } from 'vitest';
import { poise, temporaryFolder } from './support/command.js';

const folder = temporaryFolder();
const human = createHumanFigure();
const rest = createPose(human);
const glb = writeFigureGltf(human, rest);
const goal = ['--goal', 'leftHand=0.35,1.45,0.45'];
const before = 'what stood in the file before';
const output = join(folder, 'out.glb');

interface Json {
  nodes: { [key: string]: unknown; children?: number[] }[];
  buffers: { uri: string; byteLength: number }[];
  [key: string]: unknown;
}

/** Writes a file of the test and gives its path. */
function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
/** The figure as .gltf text, changed. */
function gltf(name: string, change: (json: Json) => void): string {
  const bytes = serializeGltf(parseGltf(glb, { source: 'human' }), { kind: 'gltf' });
  const json = JSON.parse(new TextDecoder().decode(bytes)) as Json;
  change(json);
  return file(name, JSON.stringify(json));
}
/** The figure as a figure file, one bone changed. */
function figureFile(name: string, bone: string, change: object): string {
  const data = figureToData(human);
  const bones = data.bones.map((one) => (one.name === bone ? { ...one, ...change } : one));
  return file(name, JSON.stringify({ ...data, bones }));
}

beforeEach(() => {
  writeFileSync(output, before);
});

/** Runs `poise pose` on it and expects to be refused; gives the message. */
async function refused(code: string, ...argv: string[]): Promise<string> {
  const listing = readdirSync(folder);
  const { status, out, err } = await poise('pose', ...argv, '-o', output);
  expect(err).toMatch(new RegExp(`^error\\[${code}\\] `));
  expect([status, out]).toEqual([2, '']);
  // One line: location, problem, and a remedy as a separate sentence.
  expect(err).toMatch(/^error\[[a-z-]+\] .+: .+ .+[.?)]\n$/);
  expect(readFileSync(output, 'utf8')).toBe(before);
  expect(readdirSync(folder)).toEqual(listing);
  return err;
}

describe('files', () => {
  test('a missing file', async () => {
    expect(await refused('missing-resource', join(folder, 'nowhere.glb'), ...goal)).toContain('nowhere.glb');
    await refused('missing-resource', join(folder, 'nowhere.json'), ...goal);
    await refused('missing-resource', folder, ...goal);
  });

  test('a file that is not a glTF', async () => {
    await refused('invalid-file', file('a.glb', 'MZ, not a model'), ...goal);
    await refused('invalid-file', file('b.glb', ''), ...goal);
  });

  test.each([4, 11, 19, 100, 5000, glb.length - 1])('a GLB cut off after %d bytes', async (length) => {
    await refused('invalid-file', file('cut.glb', glb.subarray(0, length)), ...goal);
  });

  test('a GLB with damaged JSON', async () => {
    const damaged = glb.slice();
    damaged[30] = 0x7d;
    await refused('invalid-file', file('damaged.glb', damaged), ...goal);
  });

  test('a missing external buffer', async () => {
    const path = gltf('missing.gltf', (json) => {
      json.buffers[0].uri = 'missing.bin';
    });
    expect(await refused('missing-resource', path, ...goal)).toContain('missing.bin');
  });

  test('a buffer outside the folder, by name or by a symbolic link', async () => {
    const inner = join(folder, 'inner');
    mkdirSync(inner, { recursive: true });
    writeFileSync(join(folder, 'secret.bin'), new Uint8Array(1_000_000));
    for (const uri of ['../secret.bin', `${folder}/secret.bin`, 'file:///etc/passwd', 'link.bin']) {
      const text = readFileSync(
        gltf('outer.gltf', (json) => {
          json.buffers[0].uri = uri;
        }),
      );
      writeFileSync(join(inner, 'rig.gltf'), text);
      if (uri === 'link.bin') symlinkSync('../secret.bin', join(inner, uri));
      expect(await refused('unsafe-path', join(inner, 'rig.gltf'), ...goal)).toContain(uri.slice(0, 8));
    }
  });

  test('a cycle of nodes, or of bones', async () => {
    const path = gltf('cycle.gltf', ({ nodes }) => {
      nodes[5].children = [0];
    });
    expect(await refused('cycle', path, ...goal)).toContain('#/nodes/');
    await refused('cycle', figureFile('cycle.json', 'hips', { parent: 'leftHand' }), ...goal);
  });

  test('a singular scale', async () => {
    const path = gltf('flat.gltf', ({ nodes }) => {
      nodes[2].scale = [1, 0, 1];
    });
    expect(await refused('singular', path, ...goal)).toContain('#/nodes/2/scale');
  });

  test('numbers that are not finite, in a glTF and in a figure file', async () => {
    const path = gltf('infinite.gltf', ({ nodes }) => {
      nodes[2].translation = [0, 'big', 0];
    });
    writeFileSync(path, readFileSync(path, 'utf8').replace('"big"', '1e999'));
    expect(await refused('not-finite', path, ...goal)).toContain('#/nodes/2/translation/1');
    const own = figureFile('infinite.json', 'chest', { rest: { position: [0, 'big', 0] } });
    writeFileSync(own, readFileSync(own, 'utf8').replace('"big"', '-1e999'));
    expect(await refused('not-finite', own, ...goal)).toContain('rest.position[1]');
  });

  test('a figure file with negative limits, unknown joints or no bones', async () => {
    const bad = (name: string, bone: string, change: object) => figureFile(`${name}.json`, bone, change);
    const cone = { joint: { type: 'swing', axis: [0, 1, 0] }, limit: { type: 'cone', halfAngle: -0.5 } };
    expect(await refused('invalid-limit', bad('cone', 'chest', cone), ...goal)).toContain('halfAngle');
    const interval = { limit: { type: 'interval', min: 1, max: -1 } };
    await refused('invalid-limit', bad('interval', 'leftLowerArm', interval), ...goal);
    await refused('unsupported', bad('joint', 'chest', { joint: { type: 'balll' }, limit: null }), ...goal);
    await refused('wrong-size', file('none.json', '{}'), ...goal);
    await refused('invalid-file', file('cut.json', '{"bones": ['), ...goal);
    await refused('unsupported', file('rig.json', '{"asset": {"version": "2.0"}}'), ...goal);
  });
});

describe('goals', () => {
  test.each([
    ['not-finite', '--goal', 'leftHand=0,NaN,0'],
    ['not-finite', '--goal', 'leftHand=0,1e999,0'],
    ['not-finite', '--goal', 'leftHand=0,1,2', '--goal', 'leftHand=-Infinity,0,0'],
    ['wrong-size', '--goal', 'leftHand=0,1'],
    ['unsupported', '--goal', 'leftHand'],
    ['unsupported', '--goal', 'leftHand=a,b,c'],
    ['unknown-name', '--goal', 'leftHnd=0,1,2'],
    ['unknown-name', '--goal', 'leftHand=@haed'],
    ['unknown-name', '--goal', 'leftHand=0,1,2', '--pin', 'foot'],
    ['unknown-name', '--goal', 'leftHand=0,1,2', '--lock', 'spin'],
    ['not-unit', '--orient', 'head=0,0,0,0'],
    ['not-unit', '--aim', 'head:0:0:0=0,1,2'],
    ['unsupported', '--aim', 'head=0,1,2'],
    ['wrong-size'],
    ['wrong-size', '--pin', 'leftFoot'],
    ['out-of-range', '--goal', 'leftHand=0,1,2', '--tolerance', '0'],
    ['out-of-range', '--goal', 'leftHand=0,1,2', '--height', '-1.7'],
    ['not-finite', '--goal', 'leftHand=0,1,2', '--height', 'inf'],
    ['out-of-range', '--goal', 'leftHand=0,1,2', '--height', '1e300'],
    ['out-of-range', '--goal', 'leftHand=1e300,1,2'],
    ['unsupported', '--goal', 'leftHand=0,1,2', '--angle-tolerance', '5deg'],
  ])('%s: %s %s', async (code, ...argv) => {
    await refused(code, ...argv);
  });

  test('the message names the option as typed, and the nearest bone', async () => {
    expect(await refused('unknown-name', '--goal', 'leftHnd=0,1,2')).toBe(
      "error[unknown-name] --goal leftHnd=0,1,2: human has no bone 'leftHnd'. Did you mean 'leftHand'?\n",
    );
  });

  test('a goal on a bone that cannot move', async () => {
    const chain = ['spine', 'chest', 'upperChest', 'neck', 'head'].flatMap((bone) => ['--lock', bone]);
    const message = await refused('immovable-goal', '--aim', 'head:z=0,1,2', ...chain);
    expect(message).toMatch(/^error\[immovable-goal\] --aim head:z=0,1,2: .*'head'/);
    const fixed = figureFile('fixed.json', 'hips', { joint: { type: 'fixed' } });
    await refused('immovable-goal', fixed, '--orient', 'hips=0,0,0,1');
  });

  test('--height with a rig of its own size', async () => {
    await refused('unsupported', file('own.glb', glb), ...goal, '--height', '1.7');
  });
});

describe('output', () => {
  test('an unknown file extension is refused first', async () => {
    for (const name of ['out.fbx', 'out']) {
      const { status, err } = await poise('pose', 'nowhere.glb', ...goal, '-o', join(folder, name));
      expect([status, err]).toEqual([2, expect.stringMatching(/^error\[unsupported\] --output .*\.glb, /)]);
    }
  });

  test('a folder that does not exist, or a folder in place of the file', async () => {
    mkdirSync(join(folder, 'taken.glb'), { recursive: true });
    for (const path of [join(folder, 'no', 'where.glb'), join(folder, 'taken.glb')]) {
      const { status, out, err } = await poise('pose', ...goal, '-o', path);
      expect([status, out]).toEqual([2, '']);
      expect(err).toMatch(/^error\[cannot-write\] /);
    }
  });
});

describe('the command line itself', () => {
  test.each([
    [['pos']],
    [['pose', '--gaol', 'leftHand=0,1,2']],
    [['pose', '--goal']],
    [['pose', 'a.glb', 'b.glb', '--goal', 'leftHand=0,1,2']],
    [['inspect', '--height']],
    [[]],
  ])('poise %j: status 2, the word on stderr', async (argv) => {
    const { status, out, err } = await poise(...argv);
    expect([status, out]).toEqual([2, '']);
    expect(err).not.toBe('');
  });
});
