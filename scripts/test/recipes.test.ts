import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeFigureGltf } from '@poise/formats';
import { describeWithData } from '@poise/test-support/shared-data';
import { bodyLandmarks, createHumanFigure, createPose } from 'poise';
import { boneIndex, createState, forwardKinematics, worldPoint } from 'poise/figure';
import { BODY_LANDMARKS } from 'poise/ik';
import { AnimationMixer, Bone, Box3, LoopOnce, type Object3D, Vector3 } from 'three';
import { type GLTF, GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { afterAll, expect, test, vi } from 'vitest';
import { extractSnippets } from '../lib/snippets.mjs';

/** Runs the programs of docs/recipes.md on files of their own, and judges what they print and write. */
const repository = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(repository, 'docs/recipes.md'), 'utf8');
const programs = new Map(
  extractSnippets(page, 'docs/recipes.md').flatMap(({ program, code }) =>
    program ? [[program, code] as const] : [],
  ),
);
// Inside the repository, where packages resolve to their sources.
const programFolder = join(repository, '.cache/recipes');
const folder = mkdtempSync(join(tmpdir(), 'recipes-'));
const tried = new Set<string>();
let runs = 0;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program with arguments; returns the lines that it prints. */
async function run(name: string, ...args: string[]): Promise<string[]> {
  const code = programs.get(name);
  if (code === undefined) throw new Error(`docs/recipes.md has no ${name}.`);
  tried.add(name);
  mkdirSync(programFolder, { recursive: true });
  const file = join(programFolder, name);
  writeFileSync(file, `${code}\n`);
  const argv = process.argv;
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  process.argv = [argv[0], file, ...args];
  try {
    await import(/* @vite-ignore */ `${file}?${runs++}`);
    return log.mock.calls.map((words) => words.join(' '));
  } finally {
    process.argv = argv;
    log.mockRestore();
  }
}

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function load(path: string): Promise<GLTF> {
  const bytes = readFileSync(path);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return new GLTFLoader().parseAsync(buffer, '');
}

/** World position of an object at a time of the first animation, by three's mixer. */
function positionAt({ scene, animations }: GLTF, name: string, time: number): number[] {
  const mixer = new AnimationMixer(scene);
  const action = mixer.clipAction(animations[0]).setLoop(LoopOnce, 1);
  action.clampWhenFinished = true; // else the end is the start of the next round
  action.play();
  mixer.setTime(time);
  scene.updateMatrixWorld(true);
  return (scene.getObjectByName(name) as Object3D).getWorldPosition(new Vector3()).toArray();
}

test('bvh-to-glb: the animation puts joints where the channels of the file say', async () => {
  const bvh = write(
    'step.bvh',
    `HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT knee
  {
    OFFSET 0 -45 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT ankle
    {
      OFFSET 0 -40 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 0 0 10
      }
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.5
0 90 0 0 0 0 0 0 0 0 0 0
0 91 4 0 0 0 0 45 0 0 0 0
0 90 8 0 30 0 0 60 0 0 0 0
`,
  );
  const glb = join(folder, 'step.glb');
  expect(await run('bvh-to-glb.mjs', bvh, glb, '0.01')).toEqual(['3 bones, 1.00 s']);
  const file = await load(glb);
  // Rotations about x: the shank hangs at the sum of the angles of hips and knee.
  const ankle = (y: number, z: number, hips: number, knee: number): number[] => {
    const [a, b] = [hips, hips + knee].map((degrees) => (degrees * Math.PI) / 180);
    const down = 0.45 * Math.cos(a) + 0.4 * Math.cos(b);
    return [0, y - down, z - 0.45 * Math.sin(a) - 0.4 * Math.sin(b)];
  };
  for (const [time, wanted] of [
    [0, ankle(0.9, 0, 0, 0)],
    [0.5, ankle(0.91, 0.04, 0, 45)],
    [1, ankle(0.9, 0.08, 30, 60)],
  ] as const) {
    positionAt(file, 'ankle', time).forEach((x, k) => {
      expect(x).toBeCloseTo(wanted[k], 5);
    });
  }
});

describeWithData('bvh-to-glb', 'bvh', (clips) => {
  test.each(['walk01.bvh', 'cmu_12_01_walk.bvh', 'makehuman_walk1.bvh'])(
    '%s stands, as high as a person',
    async (name) => {
      const glb = join(folder, `${name}.glb`);
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
      await run('bvh-to-glb.mjs', join(clips, name), glb);
      expect(warn.mock.calls.flat().join(' ')).toContain('its unit is ');
      warn.mockRestore();
      const { scene } = await load(glb);
      scene.updateMatrixWorld(true);
      const box = new Box3();
      scene.traverse((node) => {
        if (node instanceof Bone) box.expandByPoint(node.getWorldPosition(new Vector3()));
      });
      const { x, y, z } = box.getSize(new Vector3());
      expect(y).toBeGreaterThan(1.2);
      expect(y).toBeLessThan(2.1);
      expect(Math.max(x, z)).toBeLessThan(2.1);
      expect(z).toBeLessThan(y / 2);
    },
  );
});

test('landmarks-to-vrm: elbow and knee of the clip bend as those of the person', async () => {
  // A person of another size bends an elbow and a knee; MediaPipe's axes, origin between the hips.
  const person = createHumanFigure({ height: 1.6 });
  const landmarks = bodyLandmarks(person);
  const bends = [0.2, 0.5, 0.8, 1.1];
  const frames = bends.map((bend) => {
    const pose = createPose(person);
    const state = createState(person);
    for (const bone of ['leftLowerArm', 'rightLowerLeg'])
      pose[person.bones[boneIndex(person, bone)].coordinate] = bend;
    forwardKinematics(state, pose);
    const points = landmarks.map(({ bone, point }) =>
      worldPoint(state, bone, Array.from(point ?? [0, 0, 0])),
    );
    const [left, right] = (['left_hip', 'right_hip'] as const).map(
      (hip) => points[BODY_LANDMARKS.indexOf(hip)],
    );
    const list = points.map((p) => {
      const [x, y, z] = [0, 1, 2].map((k) => p[k] - (left[k] + right[k]) / 2);
      return { x, y: -y, z: -z, visibility: 1 };
    });
    return { worldLandmarks: [list] };
  });
  const recording = write('recording.json', JSON.stringify({ framesPerSecond: 30, frames }));
  const human = createHumanFigure();
  const character = write('model.glb', writeFigureGltf(human, createPose(human)));
  const output = join(folder, 'webcam.glb');
  const [said] = await run('landmarks-to-vrm.mjs', recording, character, output);
  expect(said).toMatch(/^4 frames, 4 with a person, landmarks at most 0\.0 mm off$/);
  const file = await load(output);
  const angle = (a: string, b: string, c: string, time: number): number => {
    const [p, q, r] = [a, b, c].map((name) => new Vector3(...positionAt(file, name, time)));
    return p.sub(q).negate().angleTo(r.sub(q));
  };
  bends.forEach((bend, k) => {
    expect(angle('leftUpperArm', 'leftLowerArm', 'leftHand', k / 30)).toBeCloseTo(bend, 3);
    expect(angle('rightUpperLeg', 'rightLowerLeg', 'rightFoot', k / 30)).toBeCloseTo(bend, 3);
  });

  // Nobody in view, as MediaPipe says it; and a single frame.
  const empty = { worldLandmarks: [] };
  const tell = (list: object[]) => JSON.stringify({ framesPerSecond: 30, frames: list });
  const gap = write('gap.json', tell([empty, frames[0], empty, frames[3]]));
  const [told] = await run('landmarks-to-vrm.mjs', gap, character, output);
  expect(told).toMatch(/^4 frames, 2 with a person, landmarks at most \d\.\d mm off$/);
  const nobody = run('landmarks-to-vrm.mjs', write('nobody.json', tell([empty, empty])), character, output);
  await expect(nobody).rejects.toThrow('2 frames, 0 with a person. A clip takes two, and a person in one.');
  const single = run('landmarks-to-vrm.mjs', write('single.json', tell([frames[0]])), character, output);
  await expect(single).rejects.toThrow('1 frames, 1 with a person');
});

test('ragdoll: the character lies on the floor at the end of its animation', async () => {
  const human = createHumanFigure();
  const character = write('character.glb', writeFigureGltf(human, createPose(human)));
  const fall = join(folder, 'fall.glb');
  const [said] = await run('ragdoll.mjs', character, fall, '2');
  expect(said).toMatch(/^7\d kg, \d+ shapes$/);
  const file = await load(fall);
  expect(positionAt(file, 'head', 0)[1]).toBeGreaterThan(1.4);
  expect(positionAt(file, 'head', 2)[1]).toBeLessThan(0.5);
  for (const { name } of human.bones) expect(positionAt(file, name, 2)[1]).toBeGreaterThan(-0.02);
});

/** Two links about +Y, 1 m and 2 kg, 0.5 m and 1 kg, as rods; at zero they point along +X. */
const ARM = `<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
    <inertia ixx="0.001" iyy="0.1667" izz="0.1667" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0.25 0 0"/><mass value="1"/>
    <inertia ixx="0.001" iyy="0.0208" izz="0.0208" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 -1 0"/>
    <limit lower="-3" upper="3" effort="50" velocity="3"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="1 0 0"/><axis xyz="0 -1 0"/>
    <limit lower="-3" upper="3" effort="20" velocity="3"/></joint>
</robot>`;

const ARM_WITH_TOOL = ARM.replace(
  '</robot>',
  `<link name="tool"/><joint name="flange" type="fixed"><parent link="fore"/><child link="tool"/><origin xyz="0.5 0 0"/></joint></robot>`,
);

test('gravity-compensation: torques are weights times lever arms', async () => {
  const arm = write('arm.urdf', ARM);
  const [a, b] = [0.4, -1.1];
  const elbow = 9.81 * 1 * 0.25 * Math.cos(a + b);
  const shoulder = 9.81 * (2 * 0.5 + 1 * 1) * Math.cos(a) + elbow;
  expect(await run('gravity-compensation.mjs', arm, `${a}`, `${b}`)).toEqual([
    `shoulder ${shoulder.toFixed(3)} N m of 50`,
    `elbow ${elbow.toFixed(3)} N m of 20`,
  ]);
});

test('time-optimal: a turntable takes as long as full torque one way and the other', async () => {
  // About +Z, against which gravity has no torque: angle = torque T^2 / (4 inertia).
  const turntable = write(
    'turntable.urdf',
    `<robot name="turntable"><link name="base"/>
    <link name="plate"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="0.5" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="turn" type="revolute"><parent link="base"/><child link="plate"/><axis xyz="0 0 1"/>
      <limit lower="-3" upper="3" effort="2" velocity="50"/></joint></robot>`,
  );
  const csv = join(folder, 'path.csv');
  const [said] = await run('time-optimal.mjs', turntable, csv, '1');
  const seconds = 2 * Math.sqrt(0.5 / 2);
  expect(said).toMatch(/^converged /);
  expect(Math.abs(Number.parseFloat(said.slice(10)) / seconds - 1)).toBeLessThan(0.03);
  const [head, first, ...rows] = readFileSync(csv, 'utf8').trimEnd().split('\n');
  expect(head).toBe('time,turn,turn.torque');
  expect(Number(first.split(',')[1])).toBeCloseTo(0, 6);
  const [end, angle] = rows[rows.length - 1].split(',').map(Number);
  expect([end, angle]).toEqual([expect.closeTo(Number.parseFloat(said.slice(10)), 3), expect.closeTo(1, 6)]);
});

test('urdf-to-csv: the tool is on its line, velocities are rates, torques those of two links in closed form', async () => {
  const arm = write('tool.urdf', ARM_WITH_TOOL);
  const csv = join(folder, 'line.csv');
  expect(await run('urdf-to-csv.mjs', arm, csv, 'tool', '1.2,0,0.2', '0.9,0,-0.4')).toEqual([
    `201 rows of 7 numbers in ${csv}`,
  ]);
  const [head, ...rows] = readFileSync(csv, 'utf8').trimEnd().split('\n');
  expect(head).toBe('time,shoulder,shoulder.velocity,shoulder.torque,elbow,elbow.velocity,elbow.torque');
  const numbers = rows.map((line) => line.split(',').map(Number));
  expect(numbers.map(([time]) => time)).toEqual(Array.from({ length: 201 }, (_, k) => k / 100));
  for (const k of [0, 200]) for (const c of [2, 5]) expect(Math.abs(numbers[k][c])).toBeLessThan(1e-9);
  for (let k = 1; k + 1 < numbers.length; k++) {
    const [before, [, a, va, torque, b, vb, elbowTorque], after] = [
      numbers[k - 1],
      numbers[k],
      numbers[k + 1],
    ];
    const [x, z] = [Math.cos(a) + 0.5 * Math.cos(a + b), Math.sin(a) + 0.5 * Math.sin(a + b)];
    // Distance from the line through the two points.
    expect(Math.abs((x - 1.2) * -0.6 - (z - 0.2) * -0.3) / Math.hypot(0.6, 0.3)).toBeLessThan(1e-4);
    expect(Math.abs(va - (after[1] - before[1]) / 0.02)).toBeLessThan(0.01);
    const [aa, ab] = [(after[2] - before[2]) / 0.02, (after[5] - before[5]) / 0.02];
    const c = 0.25 * Math.cos(b);
    const shared = 0.0208 + 0.0625 + c;
    const gravity = 9.81 * 0.25 * Math.cos(a + b);
    const lift = 9.81 * 2 * Math.cos(a) + gravity;
    const spin = 0.25 * Math.sin(b);
    const shoulder =
      (0.1667 + 0.5 + 0.0208 + 1.0625 + 2 * c) * aa + shared * ab - spin * (2 * va * vb + vb * vb) + lift;
    expect(Math.abs(torque - shoulder)).toBeLessThan(0.01);
    expect(
      Math.abs(elbowTorque - (shared * aa + (0.0208 + 0.0625) * ab + spin * va * va + gravity)),
    ).toBeLessThan(0.01);
  }
});

test('keys-made-physical: hips go down and the feet stay', async () => {
  const glb = join(folder, 'knee-bend.glb');
  const [pose, said] = await run('keys-made-physical.mjs', glb);
  expect(pose).toBe('converged');
  expect(said).toMatch(/^converged [4-9] contacts$/);
  const file = await load(glb);
  const [start] = ['leftFoot', 'rightFoot'].map((foot) => positionAt(file, foot, 0));
  expect(positionAt(file, 'hips', 0.6)[1]).toBeLessThan(positionAt(file, 'hips', 0)[1] - 0.15);
  for (let time = 0; time <= 1.2; time += 0.1) {
    const foot = positionAt(file, 'leftFoot', time);
    expect(Math.hypot(...foot.map((x, k) => x - start[k]))).toBeLessThan(0.003);
  }
});

test('a recipe without arguments says its usage, and none writes over its input', async () => {
  for (const name of programs.keys()) {
    if (name.endsWith('.mjs')) await expect(run(name), name).rejects.toThrow(`usage: node ${name} `);
  }
  const arm = write('kept.urdf', ARM_WITH_TOOL);
  for (const [name, ...args] of [
    ['time-optimal.mjs', arm, arm, '0.1'],
    ['urdf-to-csv.mjs', arm, arm, 'tool', '1.2,0,0.2', '0.9,0,-0.4'],
  ]) {
    await expect(run(name, ...args), name).rejects.toThrow('is an input, which it would overwrite.');
  }
  const human = createHumanFigure();
  const character = write('kept.glb', writeFigureGltf(human, createPose(human)));
  const before = readFileSync(character);
  await expect(run('ragdoll.mjs', character, character, '0.1')).rejects.toThrow('is an input');
  expect(readFileSync(character).equals(before)).toBe(true);
  expect(readFileSync(arm, 'utf8')).toBe(ARM_WITH_TOOL);
});

test('every recipe is run here', () => {
  expect([...programs.keys()].filter((name) => name.endsWith('.mjs') && !tried.has(name))).toEqual([]);
});
