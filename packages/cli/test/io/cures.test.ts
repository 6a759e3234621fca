/** Cures of warnings and errors are options of the command, never names of the library. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeWithData } from '@poise/test-support/shared-data';
import { describe, expect, test } from 'vitest';
import { CURES, commandText, commandWarning } from '../../src/io/cures.js';
import { poise, temporaryFolder } from '../support/command.js';

const folder = temporaryFolder();
const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe('an option of the library that a text names', () => {
  test('becomes the option of the command, in warnings and in errors', () => {
    expect(
      commandWarning("arm.urdf: elbow cannot move (the option limits: 'none' ignores all limits)."),
    ).toBe('arm.urdf: elbow cannot move (--limits none ignores all limits; in a scene "limits": "none").');
    expect(commandText('Give fewer. If you trust the file, raise the option budget.bones.')).toBe(
      'Give fewer. If you trust the file, raise it with --budget bones=N.',
    );
  });

  test('goes where the command has none', () => {
    expect(commandWarning('a.bvh:2: positions are read as absolute (the option positions chooses).')).toBe(
      'a.bvh:2: positions are read as absolute.',
    );
    expect(commandText('Give the points yourself. Or name its bones: the option bones.')).toBe(
      'Give the points yourself.',
    );
  });

  test('a function too, and something is left to say', () => {
    expect(
      commandText("Give its bones a mass, or take createRagdoll(figure, { limits: 'given' }).figure."),
    ).toBe('Give its bones a mass; in a scene "ragdoll": {} of the figure does.');
    expect(
      commandText('Name its bones in createRetargeter(source, target, options), or leave it out.'),
    ).toMatch(
      /^Name its bones, --human BONE=NAME for the rig and --clip-human for the clip, or leave it out\.$/,
    );
    expect(commandText('Make it with createPose(figure).')).toBe('Correct it there.');
    expect(commandText("Did you mean 'armBone(1)'?")).toBe("Did you mean 'armBone(1)'?");
  });

  test('names of files stay as they are, whatever they look like', () => {
    expect(commandWarning('walkCycle(1).bvh: is 150 m high.')).toBe('walkCycle(1).bvh: is 150 m high.');
    expect(commandWarning('runCycle(final).bvh: is high (the option scale says the unit).')).toBe(
      'runCycle(final).bvh: is high (--units m, cm, in, ..., or "scale" in a scene, says another).',
    );
    expect(commandWarning("o'brien/w.bvh: is high (the option scale says the unit).")).toContain('(--units');
  });

  test('stays out of names that files give', () => {
    const text = "x.glb: the bone 'option limits' is nowhere. Did you mean 'b'?";
    expect(commandText(text)).toBe(text);
  });

  test('is known here: every option that a text of the readers names', () => {
    const sources = fileURLToPath(new URL('../../../formats/src/', import.meta.url));
    const named = readdirSync(sources, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) =>
        readFileSync(join(sources, path), 'utf8')
          .split('\n')
          .filter((line) => !/^\s*(\*|\/\*|\/\/)/.test(line))
          .flatMap((line) =>
            [...line.matchAll(/\bthe option (?:\w+\.)*(\w+|budget\b)/g)].map(([all]) => all),
          ),
      )
      .map((text) => text.slice('the option '.length).split('.')[0]);
    expect(named).not.toEqual([]);
    expect(Object.keys(CURES)).toEqual(expect.arrayContaining(named));
  });
});

describe('on the command line', () => {
  const bvh = `HIERARCHY
ROOT hip
{
  OFFSET 1 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT knee { OFFSET 0 -1 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 0 -1 0 } }
}
MOTION
Frames: 2
Frame Time: 0.1
0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 0
`;
  const locked = `<robot name="arm"><link name="base"/><link name="hand"/><joint name="wrist" type="revolute">
<parent link="base"/><child link="hand"/><axis xyz="0 0 1"/><limit lower="0" upper="0" effort="1" velocity="1"/></joint></robot>`;

  test('a BVH with offsets warns without naming an option that the command lacks', async () => {
    const { out } = await poise('inspect', file('hip.bvh', bvh));
    expect(out).toContain("the positions of 'hip' are read as absolute, without its OFFSET.");
  });

  test('a robot that cannot move names --limits none', async () => {
    const { out } = await poise('inspect', file('locked.urdf', locked));
    expect(out).toContain('cannot move: wrist (--limits none ignores all limits');
  });

  test('a motion of another figure asks for its rig', async () => {
    const walk = file('walk.bvh', bvh);
    const motion = join(folder, 'motion.json');
    expect((await poise('convert', walk, '-o', motion)).status).toBe(0);
    const { status, err } = await poise('convert', motion, '--rig', file('arm.urdf', locked));
    expect([status, err]).toEqual([2, expect.stringContaining("is a motion of 'walk', not of 'arm'.")]);
    expect(err).toContain('--rig FILE');
    expect((await poise('convert', motion)).err).toContain('--rig FILE');
  });
});

describeWithData('a clip that moves joints further than they go', 'gltf/Fox.glb', (fox) => {
  test('names samples, which have all that moves', async () => {
    const { err } = await poise('convert', fox, '-o', join(folder, 'fox.json'));
    expect(err).toMatch(/off by up to 3\.5 m: b_Hip_01 \(samples have all that moves: -o samples\.csv\)/);
  });

  test('a motion of it does not ask for a file of two endings', async () => {
    const { err } = await poise('convert', join(folder, 'fox.json'), '-o', join(folder, 'x.csv'));
    expect(err).not.toContain('.glb.glb');
    expect(err).toContain('--rig FILE');
  });
});
