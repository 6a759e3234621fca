import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { poseFromData, readPose } from '@poise/formats';
import { describeWithData } from '@poise/test-support/shared-data';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { describe, expect, test } from 'vitest';
import type { Inspection } from '../../src/inspect/inspection.js';
import { loadSource } from '../../src/io/source.js';
import type { SimulationSummary } from '../../src/simulate/report.js';
import { poise, simulated, temporaryFolder } from '../support/command.js';
import { type GltfJson, heightByThree, openGlb, playedByThree } from '../support/readers.js';

const folder = temporaryFolder();
const human = createHumanFigure();
const nothing = file('nothing.json', '[]');
const weightless = ['--gravity', '0,0,0', '--world', nothing];

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Origins of all bones in the last pose of a report. */
function originsAfter(figure: Figure, { pose }: SimulationSummary): number[][] {
  const state = createState(figure);
  forwardKinematics(state, poseFromData(figure, pose));
  return figure.bones.map(({ index }) =>
    Array.from(state.worldFromBone.subarray(12 * index + 9, 12 * index + 12)),
  );
}

const atEnd = ({ samples }: SimulationSummary) => samples[samples.length - 1];
const distance = (a: readonly number[], b: readonly number[]) => Math.hypot(...a.map((x, k) => x - b[k]));

describe('the built-in human', () => {
  test('falls, loses energy in every step, and comes to rest on the floor', async () => {
    const { report } = await simulated('--push', 'chest:0,0,40', '--seconds', '4');
    const { samples, ragdoll } = report;
    expect(ragdoll).toMatchObject({ humanoid: true, dof: human.dof });
    expect([report.steps, report.rate, samples.length]).toEqual([480, 120, 9]);
    for (let k = 1; k < samples.length; k++) {
      // What sinks into the floor is lifted out again: by under a millimetre of a limb. The push is in the first line already.
      const pushed = k === 1 ? report.pushes[0].gained : 0;
      expect(samples[k].total).toBeLessThan(samples[k - 1].total + pushed + 1e-2);
    }
    expect(report.energy.rise).toBeLessThan(1e-2);
    expect(report.limitViolation).toBe(0);
    expect(samples[8].asleep).toBe(true);
    expect(report.asleepSince).toBeLessThan(4);
    expect(samples[8].centerOfMass[1]).toBeLessThan(0.25);
    expect(samples[8].centerOfMass[2]).toBeGreaterThan(0.3);
    expect(samples.some(({ touching }) => touching > 2)).toBe(true);
  });

  test('starts on the floor, or above it by --drop', async () => {
    const high = await simulated('--drop', '0.7', '--seconds', '0.3');
    const low = await simulated('--seconds', '0.3');
    const [a, b] = [high, low].map(({ report }) => report.samples[0].centerOfMass[1]);
    expect(a - b).toBeCloseTo(0.7, 9);
    expect(high.report.samples.every(({ touching }) => touching === 0)).toBe(true);
    expect(high.report.samples[1].velocity[1]).toBeCloseTo(-9.81 * 0.3, 6);
    expect(low.report.depth.world).toBeLessThan(1e-3);
  });

  test('starts tilted by --tilt, and falls forward', async () => {
    const { report } = await simulated('--tilt', '20', '--seconds', '3');
    const back = await simulated('--tilt', '-20', '--seconds', '3');
    expect(atEnd(report).centerOfMass[2]).toBeGreaterThan(0.4);
    expect(atEnd(back.report).centerOfMass[2]).toBeLessThan(-0.4);
  });

  test('goes down stairs from the top', async () => {
    const { report } = await simulated('--stairs', '6', '--push', 'chest:0,0,80', '--seconds', '4');
    const flat = await simulated('--push', 'chest:0,0,80', '--seconds', '0.1');
    const top = report.samples[0].centerOfMass[1] - flat.report.samples[0].centerOfMass[1];
    expect(top).toBeCloseTo(6 * 0.175, 9);
    expect(atEnd(report).centerOfMass[1]).toBeLessThan(top);
    expect(atEnd(report).centerOfMass[2]).toBeGreaterThan(0.6);
  });

  test('falls onto the shapes of a file', async () => {
    const world = file(
      'room.json',
      JSON.stringify([
        { type: 'plane', friction: 0.4 },
        { type: 'box', halfSizes: [0.4, 0.4, 0.4], placement: { position: [0, 0.4, 0.9] } },
      ]),
    );
    const push = ['--push', 'chest:0,0,60', '--seconds', '3'];
    const onBox = await simulated(...push, '--world', world);
    const onFloor = await simulated(...push);
    expect(atEnd(onBox.report).centerOfMass[1]).toBeGreaterThan(atEnd(onFloor.report).centerOfMass[1] + 0.3);
  });

  test('slides further on a smooth floor', async () => {
    const lying = ['--tilt', '90', '--push', 'hips:200,0,0@1', '--seconds', '2.5'];
    const rough = await simulated(...lying, '--floor', '1');
    const smooth = await simulated(...lying, '--floor', '0.05');
    const reach = ({ report }: typeof rough) => atEnd(report).centerOfMass[0];
    expect(reach(smooth)).toBeGreaterThan(reach(rough) + 0.5);
  });

  test('without damping it keeps its energy longer', async () => {
    const free = await simulated(
      ...weightless,
      '--push',
      'leftHand:0,0,2',
      '--damping',
      '0',
      '--seconds',
      '1',
    );
    const damped = await simulated(...weightless, '--push', 'leftHand:0,0,2', '--seconds', '1');
    expect(atEnd(free.report).kinetic).toBeGreaterThan(1.2 * atEnd(damped.report).kinetic);
  });
});

describe('--push', () => {
  test.each([
    ['at the start', 'hips:30,-20,10', 0],
    ['at a time between two steps', 'leftHand:0,3,4@0.1234', Math.ceil(0.1234 * 120) / 120],
    ['at a point', 'chest:5,0,20@0.5/0.2,1.3,0.1', 0.5],
  ])('%s: the centre of mass goes faster by impulse over mass', async (_, push, time) => {
    const { report } = await simulated(...weightless, '--push', push, '--seconds', '1');
    const [{ impulse, before, after, ...given }] = report.pushes;
    expect(given.time).toBeCloseTo(time, 12);
    for (let k = 0; k < 3; k++) expect(after[k] - before[k]).toBeCloseTo(impulse[k] / report.ragdoll.mass, 9);
    expect(given.gained).toBeGreaterThan(0);
    // It continues so for any motion of the limbs.
    for (let k = 0; k < 3; k++) expect(atEnd(report).velocity[k]).toBeCloseTo(after[k], 9);
    expect(report.energy.rise).toBeLessThan(1e-9);
  });

  test('two at once add up; --mass halves their effect', async () => {
    const twice = ['--push', 'head:0,0,3', '--push', 'hips:4,0,0'];
    const light = await simulated(...weightless, ...twice, '--seconds', '0.1', '--mass', '40');
    const heavy = await simulated(...weightless, ...twice, '--seconds', '0.1', '--mass', '80');
    for (const [{ report }, mass] of [
      [light, 40],
      [heavy, 80],
    ] as const) {
      expect(report.ragdoll.mass).toBe(mass);
      expect(report.pushes.map(({ option }) => option)).toEqual(['--push head:0,0,3', '--push hips:4,0,0']);
      const { velocity } = report.samples[1];
      for (const [k, wanted] of [4 / mass, 0, 3 / mass].entries()) expect(velocity[k]).toBeCloseTo(wanted, 9);
    }
  });
});

describe('output files', () => {
  test('plays in three.js, from the start to the last pose, and is the same twice', async () => {
    const output = join(folder, 'fall.glb');
    const run = ['--push', 'head:30,0,0', '--seconds', '1.5', '--fps', '60', '-o', output];
    const { report } = await simulated(...run);
    const bytes = readFileSync(output);
    expect(report).toMatchObject({ output, animation: { name: 'simulation', seconds: 1.5 } });
    const { duration, at } = await playedByThree(output, 'simulation');
    expect(duration).toBeCloseTo(1.5, 6);
    const last = originsAfter(human, report);
    // The file keeps each joint within 1 mrad and the root within 0.1 mm; ten joints and a metre make 1 cm at most.
    for (const { index } of human.bones) {
      expect(distance(at(1.5).get(index) as number[], last[index])).toBeLessThan(0.01);
    }
    expect(at(0).get(0)?.[1]).toBeGreaterThan(0.8);
    expect(at(1.5).get(0)?.[1]).toBeLessThan(0.3);
    await simulated(...run);
    expect(readFileSync(output).equals(bytes)).toBe(true);
  });

  test('the last pose as .json starts the next run', async () => {
    const output = join(folder, 'last.json');
    const first = await simulated('--tilt', '30', '--seconds', '1', '-o', output);
    expect(readPose(readFileSync(output, 'utf8'))).toEqual(first.report.pose);
    const second = await simulated('--from', output, '--seconds', '0.05');
    // Put on the floor anew, from which it was less than a centimetre away.
    const [a, b] = [atEnd(first.report), second.report.samples[0]];
    expect(distance(a.centerOfMass, b.centerOfMass)).toBeLessThan(0.01);
    expect(b.kinetic).toBe(0);
    const posed = await poise('pose', '--from', output, '-o', join(folder, 'last.glb'));
    expect(posed.status).toBe(0);
  });

  test('a pose that the ragdoll cannot reproduce gives a warning', async () => {
    const pose = { format: 'poise-pose', version: 1, figure: 'human', bones: { leftLowerArm: [-1] } };
    const { status, err } = await poise(
      'simulate',
      '--from',
      file('bent.json', JSON.stringify(pose)),
      '--seconds',
      '0.1',
    );
    expect([status, err]).toEqual([
      0,
      expect.stringMatching(/bent\.json: violates the limits of the ragdoll by up to/),
    ]);
  });

  test('nothing is written without -o, and only the output with it', async () => {
    const listing = readdirSync(folder);
    await simulated('--seconds', '0.1');
    expect(readdirSync(folder)).toEqual(listing);
    await simulated('--seconds', '0.1', '-o', join(folder, 'only.gltf'));
    expect(readdirSync(folder)).toEqual([...listing, 'only.gltf'].sort());
  });

  test('readable report: a table and a summary', async () => {
    const { out, err } = await poise('simulate', '--push', 'chest:0,0,40@0.25', '--seconds', '2');
    expect(err).toBe('');
    expect(out).toMatch(/^human: a human, 73\.8 kg, 1\.75 m, \d+ shapes, 53 degrees of freedom\n/);
    expect(out).toMatch(/^time \(s\) +kinetic \(J\) +potential \(J\) +total \(J\) +contacts +penetration/m);
    expect(out.match(/^(0|0\.5|1|1\.5|2) +\d/gm)).toHaveLength(5);
    expect(out).toMatch(
      /--push chest:0,0,40@0\.25: at 0\.25 s, velocity of the centre of mass changed by .* 0\.\d+ m\/s/,
    );
    for (const words of [
      'energy: ',
      'largest penetration: ',
      'limits: satisfied in every step',
      '240 steps of 8.33 ms',
    ]) {
      expect(out).toContain(words);
    }
  });
});

for (const [path, bone] of [
  ['gltf/KayKit_Knight.glb', 'chest'],
  ['gltf/CesiumMan.gltf', 'node_3'],
  ['gltf/RobotExpressive.glb', 'Head'],
  ['gltf/Fox.glb', 'b_Head_05'],
  ['gltf/webxr_hand_left.glb', 'wrist'],
  ['gltf/greenman.glb', undefined],
  ['vrm/cryptovoxels.vrm', undefined],
] as const) {
  describeWithData(`poise simulate ${path}`, path, (input) => {
    test('falls within its limits, and the file shows it with all else untouched', async () => {
      const output = join(folder, `${path.replace(/\W/g, '-')}.glb`);
      const { figure, rig } = await loadSource(input);
      const name = bone ?? figure.bones[0].name;
      const { report } = await simulated(input, '--push', `${name}:0,0,1`, '--seconds', '1', '-o', output);
      expect(report.limitViolation).toBe(0);
      const { at } = await playedByThree(output, 'simulation');
      const last = originsAfter(figure, report);
      const positions = at(1);
      figure.bones.forEach(({ index }) => {
        const position = positions.get(rig?.binding.bones[index].node as number) as number[];
        expect(distance(position, last[index])).toBeLessThan(0.01 * report.ragdoll.height);
      });
      const [before, after] = [readJson(input), readJson(output)];
      // Pictures of a .gltf go into the GLB.
      if (input.endsWith('.gltf')) for (const json of [before, after]) delete json.images;
      expectUntouched(before, after);
    });
  });
}

function readJson(path: string): GltfJson {
  const bytes = readFileSync(path);
  return path.endsWith('.gltf') ? JSON.parse(bytes.toString('utf8')) : openGlb(bytes).json;
}

/** One animation more, with the numbers that it needs; nodes lose a matrix at most. */
function expectUntouched(before: GltfJson, after: GltfJson): void {
  const { animations = [] } = before;
  expect(after.animations?.slice(0, -1)).toEqual(animations);
  expect(after.animations?.at(-1)?.name).toBe('simulation');
  for (const key of [
    'meshes',
    'skins',
    'materials',
    'images',
    'textures',
    'scenes',
    'scene',
    'asset',
    'extensions',
  ]) {
    expect(after[key]).toEqual(before[key]);
  }
  const plain = (nodes: GltfJson['nodes'] = []) =>
    nodes.map(({ matrix: _, translation: _t, rotation: _r, scale: _s, ...rest }) => rest);
  expect(plain(after.nodes)).toEqual(plain(before.nodes));
  for (const [i, node] of (before.nodes ?? []).entries()) {
    if (node.matrix === undefined) expect(after.nodes?.[i]).toEqual(node);
  }
}

describeWithData('a fox in centimetres', 'gltf/Fox.glb', (path) => {
  test('is simulated with a warning that names its size, its mass and the cure, once; inspect says the same height', async () => {
    const { report } = await simulated(path, '--seconds', '0.1', '-o', join(folder, 'fox.json'));
    const { out } = await poise('inspect', path, '--json');
    const high = (JSON.parse(out) as Inspection).totals.height;
    expect(report.ragdoll.height).toBe(high);
    expect(Math.abs(high - (await heightByThree(path)))).toBeLessThan(1e-3);
    const sizes = report.warnings.filter((warning) => warning.includes(' weighs '));
    expect(sizes).toEqual([
      expect.stringMatching(/is 155 m long and weighs [\d,]+ kg.*one in centimetres by 0\.01/),
    ]);
  });
});

describeWithData('robots', 'urdf/panda.urdf', (path) => {
  test('have a fixed root and fall in their own axes', async () => {
    const { report } = await simulated(path, '--seconds', '3', '-o', join(folder, 'panda.json'));
    expect(report.gravity).toEqual([0, 0, -9.81]);
    expect(report.energy.end).toBeLessThan(0.5 * report.energy.start);
    expect(report.limitViolation).toBe(0);
    expect(report.warnings).toEqual([expect.stringContaining('panda_rightfinger')]);
  });

  test('have no glTF, and cannot be placed', async () => {
    for (const [code, ...argv] of [
      ['unsupported', '-o', join(folder, 'panda.glb')],
      ['unsupported', '--drop', '1'],
      ['unsupported', '--tilt', '5'],
      ['unsupported', '--stairs', '3'],
    ]) {
      const { status, out, err } = await poise('simulate', path, ...argv);
      expect([argv, status, out]).toEqual([argv, 2, '']);
      expect(err).toMatch(new RegExp(`^error\\[${code}\\] --`));
    }
  });
});
