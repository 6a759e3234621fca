import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { createState, forwardKinematics, limitViolation } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { describe, expect, test } from 'vitest';
import type { PoseReport } from '../../src/goals/pose-report.js';
import { poise, posed, temporaryFolder } from '../support/command.js';
import { openGlb, seenByGltfTransform, seenByThree } from '../support/readers.js';

const folder = temporaryFolder();
const human = createHumanFigure();
const index = (name: string) => human.bones.findIndex((bone) => bone.name === name);

function poseOf({ pose }: PoseReport): Float64Array {
  const out = new Float64Array(human.dof);
  for (const { name, coordinate, dof } of human.bones) if (dof > 0) out.set(pose.bones[name], coordinate);
  return out;
}
function originsOf(report: PoseReport): (name: string) => number[] {
  const state = createState(human);
  forwardKinematics(state, poseOf(report));
  return (name) => Array.from(state.worldFromBone.subarray(12 * index(name) + 9, 12 * index(name) + 12));
}
const distance = (a: readonly number[], b: readonly number[]) => Math.hypot(...a.map((x, k) => x - b[k]));

/** Shoulder and straight arm of the figure at rest: the arm's axis is +x. */
const state = createState(human);
forwardKinematics(state, new Float64Array(human.dof));
const rest = (name: string) =>
  Array.from(state.worldFromBone.subarray(12 * index(name) + 9, 12 * index(name) + 12));
const shoulder = rest('leftUpperArm');
const armLength = rest('leftHand')[0] - shoulder[0];
const onAxis = (along: number) => [shoulder[0] + along, shoulder[1], shoulder[2]];
const trunk = ['spine', 'chest', 'upperChest', 'leftShoulder'].flatMap((bone) => ['--lock', bone]);

describe('the built-in figure, arm straight', () => {
  test.each([0.9, 0.5, 0.25, 0.1])(
    'a target on its axis inside reach, at %d of its length, is met',
    async (share) => {
      const target = onAxis(share * armLength);
      const { status, report } = await posed('--goal', `leftHand=${target}`);
      expect([status, report.status]).toEqual([0, 'converged']);
      expect(distance(originsOf(report)('leftHand'), target)).toBeLessThan(1e-4);
      expect(limitViolation(human, poseOf(report))).toBe(0);
    },
  );

  test.each([0.2, 0.35])(
    'a target straight behind it, %d of its length past the shoulder, is met',
    async (share) => {
      const target = onAxis(-share * armLength);
      const { status, report } = await posed('--goal', `leftHand=${target}`);
      expect([status, report.status]).toEqual([0, 'converged']);
      expect(distance(originsOf(report)('leftHand'), target)).toBeLessThan(1e-4);
      expect(limitViolation(human, poseOf(report))).toBe(0);
    },
  );

  test.each([
    ['on its axis', onAxis(2)],
    ['forward and up', [shoulder[0] + 0.6, shoulder[1] + 0.8, 0.9]],
  ])('a target out of reach %s: out-of-reach, exit status 1, at the nearest point', async (_, target) => {
    const { status, report } = await posed('--goal', `leftHand=${target}`, ...trunk);
    expect([status, report.status]).toEqual([1, 'out-of-reach']);
    // The hand's origin ends on the line from the shoulder, an arm's length out.
    const far = distance(target, shoulder);
    const nearest = target.map((x, k) => shoulder[k] + ((x - shoulder[k]) * armLength) / far);
    expect(distance(originsOf(report)('leftHand'), nearest)).toBeLessThan(1e-6);
    expect(report.goals[0].residual).toBeCloseTo(far - armLength, 9);
    expect(report.activeLimits).toEqual([]);
  });

  test('a target far away is beyond reach, whatever the limits', async () => {
    const target = [9, 1.4, -0.4];
    const { status, report } = await posed('--goal', `leftHand=${target}`);
    expect([status, report.status]).toEqual([1, 'limit-blocked']);
    // The whole chain straight, from the first joint that moves: no pose is nearer.
    const links = ['chest', 'upperChest', 'leftShoulder', 'leftUpperArm', 'leftLowerArm', 'leftHand'];
    const chain = links.reduce(
      (sum, name, k) => sum + distance(rest(name), rest(k === 0 ? 'spine' : links[k - 1])),
      0,
    );
    const { beyondReach, residual } = report.goals[0];
    expect(beyondReach).toBeCloseTo(distance(target, rest('spine')) - chain, 9);
    expect(residual).toBeGreaterThan(beyondReach as number);
    const { out } = await poise('pose', '--goal', `leftHand=${target}`);
    expect(out).toMatch(
      /^human: limit-blocked, a target below is farther than the limb reaches, whatever its limits; /,
    );
    expect(out).toMatch(/, 7\.\d+ m or more beyond its reach\n/);
    // With fewer joints the bound is nearer; a root that moves reaches all.
    const arm = await posed('--goal', `leftHand=${target}`, ...trunk);
    expect(arm.report.goals[0].beyondReach).toBeCloseTo(arm.report.goals[0].residual, 6);
    expect((await posed('--goal', 'leftHand=-0.5,1.4,-0.4')).report.goals[0].beyondReach).toBeUndefined();
    const freeRoot = await posed('--goal', `leftHand=${target}`, '--free-root');
    expect(freeRoot.report.goals[0].beyondReach).toBeUndefined();
  });

  test('a target that only limits prevent: limit-blocked, and the limits are named', async () => {
    const { status, report } = await posed('--goal', 'leftHand=-0.5,1.4,-0.4');
    expect([status, report.status]).toEqual([1, 'limit-blocked']);
    expect(report.stationarity).toBeLessThan(1e-8);
    expect(report.activeLimits.length).toBeGreaterThan(0);
    for (const { bone, multiplier, text } of report.activeLimits) {
      expect(index(bone)).toBeGreaterThanOrEqual(0);
      expect(multiplier).toBeGreaterThan(0);
      expect(text).toMatch(/at .*°$/);
    }
    expect(limitViolation(human, poseOf(report))).toBe(0);
  });
});

describe('which joints move', () => {
  test('the limb alone if it can reach, else the trunk too', async () => {
    const near = await posed('--goal', 'leftHand=0.35,1.45,0.45');
    expect(near.report.moved).toEqual(['leftShoulder', 'leftUpperArm', 'leftLowerArm']);
    const far = await posed('--goal', 'leftHand=0.2,1.1,0.75');
    expect(far.report.status).toBe('converged');
    expect(far.report.moved).toContain('spine');
    expect(far.report.locked).toEqual(['hips']);
  });

  test('--spread uses all joints from the start', async () => {
    const { report } = await posed('--goal', 'leftHand=0.35,1.45,0.45', '--spread');
    expect(report.status).toBe('converged');
    expect(report.moved).toContain('spine');
  });

  test('--free-root unlocks the root, --lock locks joints', async () => {
    const goal = ['--goal', 'leftHand=2,1.4,0'];
    const free = await posed(...goal, '--free-root');
    expect([free.report.status, free.report.locked, free.report.wholeBody]).toEqual([
      'converged',
      [],
      ['hips'],
    ]);
    const locked = await posed(...goal, '--free-root', '--lock', 'hips', '--lock', 'spine');
    expect([locked.status, locked.report.locked]).toEqual([1, ['hips', 'spine']]);
    expect(locked.report.pose.bones.spine).toEqual([0, 0, 0]);
  });

  test('a goal on the hips moves them, and pinned feet stay', async () => {
    const feet = ['--pin', 'leftFoot:pose', '--pin', 'rightFoot:pose'];
    const { report } = await posed('--goal', 'hips=+0,-0.3,-0.3', ...feet);
    expect(report.status).toBe('converged');
    const at = originsOf(report);
    expect(distance(at('hips'), [rest('hips')[0], rest('hips')[1] - 0.3, -0.3])).toBeLessThan(1e-4);
    for (const foot of ['leftFoot', 'rightFoot']) expect(distance(at(foot), rest(foot))).toBeLessThan(1e-4);
    expect(report.goals).toHaveLength(5);
  });

  test('a pin that no goal affects is reported as met', async () => {
    const { report } = await posed(
      '--goal',
      'leftHand=0.35,1.45,0.45',
      '--pin',
      'rightFoot',
      '--pin',
      'leftToes',
    );
    expect(report.goals.map(({ satisfied }) => satisfied)).toEqual([true, true, true]);
    expect(report.moved).not.toContain('hips');
    const { out } = await poise('pose', '--goal', 'leftHand=0.35,1.45,0.45', '--pin', 'rightFoot');
    expect(out).toMatch(/ok +--pin rightFoot position: unaffected/);
  });
});

describe('goals', () => {
  test('from the lecture notes on constraints in a scene graph: left calf points at right ankle', async () => {
    const { report } = await posed('--aim', 'leftLowerLeg:-y=@rightFoot', '--goal', 'rightFoot=+0,0.1,0.2');
    expect(report.status).toBe('converged');
    const at = originsOf(report);
    const calf = at('leftFoot').map((x, k) => x - at('leftLowerLeg')[k]);
    const sight = at('rightFoot').map((x, k) => x - at('leftLowerLeg')[k]);
    const cosine =
      calf.reduce((sum, x, k) => sum + x * sight[k], 0) / (Math.hypot(...calf) * Math.hypot(...sight));
    expect(Math.acos(Math.min(1, cosine))).toBeLessThan(2e-4);
  });

  test('a hand goes to the top of the head and the head rotates', async () => {
    const { report } = await posed('--goal', 'rightHand=@head.tip', '--orient', 'head=+0,20,0deg');
    expect(report.status).toBe('converged');
    expect(report.goals.map(({ type, unit }) => [type, unit])).toEqual([
      ['position', 'm'],
      ['orientation', 'rad'],
    ]);
  });

  test('--tolerance and --angle-tolerance set when a goal is met', async () => {
    const goals = ['--goal', 'leftHand=2,1.4,0', '--aim', 'head:z=0,1.7,-1'];
    expect((await posed(...goals)).status).toBe(1);
    const loose = await posed(...goals, '--tolerance', '3', '--angle-tolerance', '170');
    expect([loose.status, loose.report.status]).toEqual([0, 'converged']);
    expect(loose.report.goals.map(({ tolerance }) => tolerance)).toEqual([3, (170 * Math.PI) / 180]);
  });
});

describe('the report', () => {
  test('has status, residuals, limits, joints, time and the file', async () => {
    const output = join(folder, 'said.glb');
    const { status, out, err } = await poise('pose', '--goal', 'leftHand=0.35,1.45,0.45', '-o', output);
    expect([status, err]).toEqual([0, '']);
    expect(out).toMatch(/^human: converged, every goal is met\.\n/);
    expect(out).toMatch(/ok +--goal leftHand=0\.35,1\.45,0\.45: .*mm off \(tolerance 0\.1 mm\)/);
    expect(out).toMatch(/\nlocked: hips\n/);
    expect(out).toMatch(/\n\d+ iterations.*, [\d.]+ ms\n/);
    expect(out).toMatch(/\nwrote .*said\.glb\n$/);
  });

  test('of a missed goal has the residual, the final position, a hint, and that the nearest pose was written', async () => {
    const output = join(folder, 'missed.glb');
    const { status, out } = await poise('pose', '--goal', 'leftHand=-0.5,1.4,-0.4', '-o', output);
    expect(status).toBe(1);
    expect(out).toMatch(/^human: limit-blocked, /);
    expect(out).toMatch(/MISS +--goal leftHand=.*mm off.*, ends at -?[\d.]+, [\d.]+, -?[\d.]+\n/);
    expect(out).toMatch(/active limits\n {2}\w+: .*°.* \(multiplier [\d.]+e-?\d+\)/);
    expect(out).toMatch(/--free-root/);
    expect(out).toMatch(/wrote .*: the nearest pose, not all goals met\n$/);
    expect(readFileSync(output).toString('latin1', 0, 4)).toBe('glTF');
  });

  test('--json prints one JSON value and nothing else, with the names that docs/cli.md promises', async () => {
    const { out, err, report } = await posed(
      '--goal',
      'leftHand=0.35,1.45,0.45',
      '-o',
      join(folder, 'j.json'),
    );
    expect(err).toBe('');
    expect(out.trim().startsWith('{') && out.trim().endsWith('}')).toBe(true);
    expect(Object.keys(report)).toEqual([
      'format',
      'version',
      'source',
      'figure',
      'status',
      'goals',
      'activeLimits',
      'locked',
      'wholeBody',
      'moved',
      'iterations',
      'restarts',
      'milliseconds',
      'objective',
      'pose',
      'output',
      'warnings',
    ]);
  });

  test('the same command gives the same pose, to the bit', async () => {
    const goal = ['--goal', 'leftHand=-0.5,1.4,-0.4'];
    expect((await posed(...goal)).report.pose).toEqual((await posed(...goal)).report.pose);
  });
});

describe('output files', () => {
  const goal = ['--goal', 'leftHand=0.35,1.45,0.45'];

  test('the built-in figure as a GLB that both readers open, each bone where it was solved', async () => {
    const output = join(folder, 'human.glb');
    const { report } = await posed(...goal, '-o', output);
    const at = originsOf(report);
    const { json } = openGlb(readFileSync(output));
    for (const seen of [await seenByGltfTransform(output), await seenByThree(output)]) {
      for (const { name } of human.bones) {
        const node = (json.nodes ?? []).findIndex((candidate) => candidate.name === name);
        expect(distance((seen.worlds.get(node) as number[]).slice(12, 15), at(name))).toBeLessThan(1e-12);
      }
      expect(seen.joints.get(0)).toHaveLength(human.bones.length);
    }
  });

  test('.gltf as text, the same pose', async () => {
    const output = join(folder, 'human.gltf');
    await posed(...goal, '-o', output);
    const { out, status } = await poise('inspect', output, '--json');
    expect(status).toBe(0);
    expect(JSON.parse(out).totals).toMatchObject({ bones: 22, skins: 1, meshes: 1 });
  });

  test('.json: the coordinates of each bone', async () => {
    const output = join(folder, 'pose.json');
    const { report } = await posed(...goal, '-o', output);
    const data = JSON.parse(readFileSync(output, 'utf8'));
    expect(data).toEqual(report.pose);
    expect(data).toMatchObject({ format: 'poise-pose', version: 1, figure: 'human' });
    expect(Object.keys(data.bones)).toEqual(human.bones.map(({ name }) => name));
  });

  test('a figure file of your own poses like the built-in one', async () => {
    const path = join(folder, 'figure.json');
    writeFileSync(path, (await poise('inspect', '--json')).out);
    const own = await posed(path, ...goal, '-o', join(folder, 'own.glb'));
    expect(own.report.pose.bones).toEqual((await posed(...goal)).report.pose.bones);
  });
});

describe('a pose file to start from', () => {
  const goal = ['--goal', 'leftHand=0.35,1.45,0.45'];
  const from = async (...argv: string[]) => {
    const path = join(folder, 'start.json');
    await posed(...goal, ...argv, '-o', path);
    return path;
  };

  test('is written unchanged without a goal, to the bit', async () => {
    const path = await from();
    const again = join(folder, 'again.json');
    const { status, report } = await posed('--from', path, '-o', again);
    expect([status, report.status, report.moved]).toEqual([0, 'converged', []]);
    expect(readFileSync(again, 'utf8')).toBe(readFileSync(path, 'utf8'));
    expect((await poise('pose', '--from', path)).out).toMatch(/no goal was given/);
  });

  test('is the starting pose: a goal that it meets moves nothing, a relative one refers to it', async () => {
    const path = await from();
    const met = await posed('--from', path, ...goal);
    expect([met.report.moved, met.report.iterations]).toEqual([[], 0]);
    const on = await posed('--from', path, '--goal', 'leftHand=+0,0.05,0');
    const start = originsOf(met.report)('leftHand');
    expect(originsOf(on.report)('leftHand')[1]).toBeCloseTo(start[1] + 0.05, 3);
    expect(on.report.moved).not.toContain('rightUpperArm');
  });

  test('sets the height of the built-in figure, unless --height does', async () => {
    const path = await from('--height', '1.6');
    expect((await posed('--from', path)).report.pose.height).toBe(1.6);
    expect((await posed('--from', path, '--height', '1.9')).report.pose.height).toBe(1.9);
  });

  test('outside the limits starts at the nearest allowed pose, with a warning', async () => {
    const path = join(folder, 'outside.json');
    const bones = { leftLowerLeg: [-0.5] };
    writeFileSync(path, JSON.stringify({ format: 'poise-pose', version: 1, figure: 'human', bones }));
    const { report, err } = await posed('--from', path);
    expect(report.pose.bones.leftLowerLeg).toEqual([0]);
    expect(err).toMatch(/^warning: .*outside\.json: violates the limits by up to 0\.5/);
  });

  test('that is not a pose, or of another figure, is refused', async () => {
    const path = join(folder, 'no-pose.json');
    writeFileSync(path, '{"format":"poise-pose","version":1,"figure":"a","bones":{"leftHnad":[0,0]}}');
    const said = await poise('pose', '--from', path);
    expect([said.status, said.out]).toEqual([2, '']);
    expect(said.err).toMatch(/^error\[unknown-name\] .*no-pose\.json#bones\.leftHnad: .*'leftHand'/);
    expect((await poise('pose', '--from', join(folder, 'nowhere.json'))).err).toMatch(/missing-resource/);
  });
});

describeWithData('rigs with external files', 'gltf', (data) => {
  test('.gltf to .gltf in another folder embeds external files', async () => {
    const output = join(folder, 'cesium.gltf');
    const { status } = await posed(join(data, 'CesiumMan.gltf'), '--goal', 'node_15=+0,0.1,0', '-o', output);
    expect(status).toBe(0);
    const { buffers } = JSON.parse(readFileSync(output, 'utf8')) as { buffers: { uri: string }[] };
    expect(buffers.every(({ uri }) => uri.startsWith('data:'))).toBe(true);
    expect((await poise('inspect', output)).status).toBe(0);
  });

  test('a goal on a control bone gives a warning, since the whole body moves', async () => {
    const said = await poise('pose', join(data, 'KayKit_Knight.glb'), '--goal', 'handIK.r=+0.1,0,0');
    expect(said.status).toBe(0);
    expect(said.err).toMatch(/^warning: --goal handIK\.r=.*control/);
    expect(said.out).toMatch(/the whole body may move: root/);
  });
});
