/** Human bones and the joints of robots are names of bones, on the command line and in scenes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseGltf, readUrdf, rigFromDocument, vrmHumanoid } from '@poise/formats';
import { readBytes } from '@poise/formats/node';
import { describeWithData } from '@poise/test-support/shared-data';
import { describe, expect, test } from 'vitest';
import { poise, posed, simulated, temporaryFolder } from './support/command.js';

const folder = temporaryFolder();
const file = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

describeWithData('the human bones of a VRM', 'vrm/cryptovoxels.vrm', (vrm) => {
  test('are names of its bones', async () => {
    const humanoid = vrmHumanoid(rigFromDocument(parseGltf(await readBytes(vrm), { source: 'a.vrm' })));
    const { report } = await posed(vrm, '--goal', 'rightHand=+0,0.1,0', '--pin', 'leftFoot:pose');
    expect(report.goals.map(({ bone }) => bone)).toEqual([
      humanoid?.rightHand,
      humanoid?.leftFoot,
      humanoid?.leftFoot,
    ]);
    const own = await posed(
      vrm,
      '--goal',
      `${humanoid?.rightHand}=+0,0.1,0`,
      '--pin',
      `${humanoid?.leftFoot}:pose`,
    );
    expect(report.pose).toEqual(own.report.pose);
  });

  test('are what a misspelt one is near to', async () => {
    const { err } = await poise('pose', vrm, '--goal', 'rihgtHand=0,0,0');
    expect(err).toContain("Did you mean 'rightHand'?");
  });
});

describeWithData('the human bones of a recognised character', 'gltf/KayKit_Knight.glb', (knight) => {
  test('are names of its bones, in goals, locks, targets and pushes', async () => {
    const { report } = await posed(knight, '--goal', 'leftHand=@head', '--lock', 'spine');
    expect(report.goals[0].bone).toBe('wrist.l');
    expect(report.locked).toContain('spine');
    const { report: run } = await simulated(knight, '--push', 'rightHand:5,0,0', '--seconds', '0.05');
    expect(run.pushes[0]).toMatchObject({ option: '--push rightHand:5,0,0', bone: 'wrist.r' });
  });
});

const robot = `<robot name="arm"><link name="base"/><link name="upper"/><link name="lower"/>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/></joint></robot>`;

describe('the joints of a robot', () => {
  test('are names of the links that they move', async () => {
    const path = file('arm.urdf', robot);
    const { report } = await posed(path, '--orient', 'elbow=+0,30,0deg', '--lock', 'shoulder');
    expect(report.goals[0].bone).toBe('lower');
    expect(report.locked).toEqual(['upper']);
    expect(report.pose.bones.lower[0]).toBeCloseTo(Math.PI / 6, 3);
    const { err } = await poise('pose', path, '--lock', 'sholder', '--goal', 'lower=0,0,0');
    expect(err).toContain("Did you mean 'shoulder'?");
  });

  test('a link of the same name comes first', async () => {
    const path = file('same.urdf', robot.replace('name="elbow"', 'name="upper"'));
    const { report } = await posed(path, '--orient', 'upper=+0,30,0deg');
    expect(report.goals[0].bone).toBe('upper');
    expect(readUrdf(robot).figure.bones.map(({ name }) => name)).toContain('upper');
  });

  test('are names in a scene too, in terms, poses and lists', async () => {
    file('arm.urdf', robot);
    const scene = {
      format: 'poise-scene',
      version: 1,
      figure: { type: 'file', path: 'arm.urdf' },
      duration: 1,
      intervals: 4,
      locked: ['shoulder'],
      terms: [
        { type: 'pose', at: 0 },
        { type: 'pose', at: 1, pose: { bones: { elbow: [0.5] } }, bones: ['elbow'] },
        { type: 'goal', at: 0.5, goal: { type: 'joint-value', bone: 'elbow', value: 0.3 } },
        { type: 'smoothness', bones: { elbow: 1 } },
      ],
    };
    const named = (text: string): string => text.replaceAll('elbow', 'lower').replaceAll('shoulder', 'upper');
    const [a, b] = [file('a.json', scene), file('b.json', named(JSON.stringify(scene)))];
    const [first, second] = [
      await poise('optimize', a, '-o', join(folder, 'm.csv')),
      await poise('optimize', b, '--json'),
    ];
    expect(first).toMatchObject({ status: 0, err: expect.not.stringContaining('error') });
    const again = JSON.parse((await poise('optimize', a, '--json')).out);
    expect(again.cost).toBe(JSON.parse(second.out).cost);
    const twice = { ...scene, terms: [{ type: 'effort', bones: { elbow: 1, lower: 2 } }] };
    expect((await poise('optimize', file('c.json', twice))).err).toContain(
      "#terms[0].bones: names the bone 'lower' twice",
    );
  });
});
