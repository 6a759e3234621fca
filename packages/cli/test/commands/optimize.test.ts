/** `poise optimize`: known solutions, output files, interrupts, and resuming. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readBvh } from '@poise/formats';
import { describeWithData } from '@poise/test-support/shared-data';
import { biasForces, createDynamics } from 'poise/dynamics';
import { createMotion, createMotionSampler, samplePose } from 'poise/motion';
import {
  createSpacetimeProblem,
  createTrajectory,
  type SpacetimeData,
  type SpacetimeSave,
  sampleTrajectory,
  solveSpacetime,
} from 'poise/spacetime';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadScene } from '../../src/optimize/load-scene.js';
import type { OptimizeSummary } from '../../src/optimize/summary.js';
import { run } from '../../src/run.js';
import { poise, temporaryFolder } from '../support/command.js';
import { playedByThree } from '../support/readers.js';
import { blockFigure, blockScene } from '../support/scenes.js';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);

function file(name: string, content: unknown): string {
  writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
  return at(name);
}

async function optimized(
  ...argv: string[]
): Promise<{ status: number; err: string; report: OptimizeSummary }> {
  // Some scenes name files of the shared data.
  const { status, out, err } = await poise('optimize', ...argv, '--allow-outside', '--json');
  if (status > 1) throw new Error(err);
  return { status, err, report: JSON.parse(out) as OptimizeSummary };
}

/** x = 3 t^2 - 2 t^3 */
const position = (t: number): number => 3 * t * t - 2 * t * t * t;

let scene = '';
beforeAll(() => {
  scene = file('move.json', blockScene());
});

describe('the block that moves', () => {
  test('costs 12, as reported', async () => {
    const { status, report } = await optimized(scene);
    expect(status).toBe(0);
    expect(report).toMatchObject({
      format: 'poise-optimize-report',
      version: 1,
      scene,
      figure: 'block',
      source: { kind: 'figure' },
      status: 'converged',
      duration: 1,
      conflicts: [],
      warnings: [],
    });
    expect(report.cost).toBeCloseTo(12, 6);
    expect(report.violation).toBeLessThan(1e-8);
    expect(report.terms.map(({ name }) => name)).toContain('there');
  });

  test('played by three.js is the textbook solution, and the file is deterministic', async () => {
    const output = at('move.glb');
    const { report } = await optimized(scene, '-o', output);
    expect(report).toMatchObject({ output, animation: { name: 'move', seconds: 1 } });
    const bytes = readFileSync(output);
    const { duration, at: played } = await playedByThree(output, 'move');
    expect(duration).toBeCloseTo(1, 6);
    for (const t of [0, 0.2, 0.5, 0.77, 1]) {
      // Files keep offsets within 0.1 mm.
      expect(Math.abs((played(t).get(0)?.[0] ?? 0) - position(t))).toBeLessThan(2e-4);
    }
    await optimized(scene, '-o', output);
    expect(readFileSync(output).equals(bytes)).toBe(true);
  });

  test('as .json is a motion, and another scene may start from it', async () => {
    const output = at('motion.json');
    await optimized(scene, '-o', output);
    const written = JSON.parse(readFileSync(output, 'utf8'));
    expect(written).toMatchObject({ format: 'poise-motion', version: 1, figure: 'block' });
    const figure = blockFigure();
    const sampler = createMotionSampler(figure, createMotion(figure, written.motion));
    const pose = new Float64Array(1);
    for (const t of [0, 0.31, 0.5, 1]) {
      samplePose(sampler, t, pose);
      expect(pose[0]).toBeCloseTo(position(t), 5);
    }
    const near = blockScene({
      duration: undefined,
      reference: { type: 'file', path: 'motion.json', from: 0.25 },
      terms: [{ type: 'tracking' }],
    });
    const { report } = await optimized(file('near.json', near), '-o', at('late.json'));
    expect(report.duration).toBeCloseTo(0.75, 12);
    const late = createMotionSampler(
      figure,
      createMotion(figure, JSON.parse(readFileSync(at('late.json'), 'utf8')).motion),
    );
    samplePose(late, 0.5, pose);
    expect(pose[0]).toBeCloseTo(position(0.75), 5);
  });

  test('readable report: status, terms, files', async () => {
    const [output, html] = [at('words.glb'), at('words.html')];
    const { status, out } = await poise('optimize', scene, '-o', output, '--report', html);
    expect(status).toBe(0);
    expect(out).toMatch(/^block: converged, all constraints are satisfied/);
    expect(out).toMatch(/^1 s, cost 12\.0000, violation /m);
    expect(out).toMatch(/^there +equality +/m);
    expect(out).toMatch(/^effort \(terms\[4\]\) +cost +12\.00$/m);
    expect(out).toContain(`wrote ${output}: animation 'move', 1 s`);
    expect(out).toContain(`wrote ${html}: the report`);
  });

  test('with two positions at one time ends with the conflict, and with status 1', async () => {
    const torn = blockScene({}, [{ type: 'pose', name: 'elsewhere', at: 1, pose: [2] }]);
    const output = at('torn.glb');
    const { status, report } = await optimized(file('torn.json', torn), '-o', output);
    expect([status, report.status]).toEqual([1, 'infeasible']);
    expect(report.conflicts).toEqual(expect.arrayContaining(['there', 'elsewhere']));
    // In the middle: reducing one violation increases the other.
    const { at: played } = await playedByThree(output, 'move');
    expect(played(1).get(0)?.[0]).toBeCloseTo(1.5, 3);
  });
});

describe('what is off between keys', () => {
  async function said(...argv: string[]): Promise<string[]> {
    const { out, err } = await poise('optimize', ...argv);
    return `${out}${err}`.match(/Between keys .*? s\./g) ?? [];
  }

  test('is said once', async () => {
    const jump = fileURLToPath(new URL('../../../../examples/spacetime/scenes/jump.json', import.meta.url));
    const lines = await said(jump, '--max-iterations', '0');
    expect(lines.length).toBeGreaterThan(0);
    expect(new Set(lines).size).toBe(lines.length);
  });

  test('is not said within its tolerance', async () => {
    const terms = [
      { type: 'torque-limit', limit: 7 },
      { type: 'duration', weight: 100 },
    ];
    const limited = blockScene({ duration: { min: 0.3, max: 6, start: 1 } }, terms);
    expect(await said(file('limited.json', limited))).toEqual([]);
  });
});

test('what does not hold between keys on any mesh is coarse, with exit status 1 and a warning', async () => {
  // A path with a corner, which no spline follows.
  const corner = {
    ...blockScene(),
    intervals: 2,
    reference: { type: 'keys', times: [0, 0.3, 1], poses: [[0], [90], [0]] },
    terms: [{ type: 'pose', name: 'on the path', at: [0, 1] }, { type: 'smoothness' }],
  };
  const { status, report } = await optimized(file('corner.json', corner));
  expect([status, report.status]).toEqual([1, 'coarse']);
  expect(report.warnings.join()).toMatch(/Between keys on the path is off by up to/);
});

describe('stopping and resuming', () => {
  const data = (): SpacetimeData => {
    const { duration, terms } = blockScene() as unknown as SpacetimeData;
    return { duration, terms };
  };
  const problem = () => createSpacetimeProblem(blockFigure(), data());

  /** Arrays as JSON has them. */
  const plain = (save: SpacetimeSave): unknown =>
    JSON.parse(
      JSON.stringify(save, (_, value) =>
        ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value,
      ),
    );

  test('after some iterations: the state is that of the library, to the last bit', async () => {
    const state = at('state.json');
    const { status, report } = await optimized(scene, '--max-iterations', '2', '--save', state);
    expect([status, report.status, report.iterations, report.state]).toEqual([
      1,
      'iteration-limit',
      2,
      state,
    ]);
    const { format, version, ...saved } = JSON.parse(readFileSync(state, 'utf8'));
    expect([format, version]).toEqual(['poise-optimize-state', 1]);
    const here = solveSpacetime(problem(), { maxIterations: 2 });
    expect(saved).toEqual(plain(here.save));

    const next = at('next.json');
    const on = await optimized(scene, '--resume', state, '--max-iterations', '1', '--save', next);
    expect(on.report.iterations).toBe(3);
    const { format: _, version: __, ...later } = JSON.parse(readFileSync(next, 'utf8'));
    expect(later).toEqual(plain(solveSpacetime(problem(), { maxIterations: 1, start: here.save }).save));

    const end = await optimized(scene, '--resume', next);
    expect([end.status, end.report.status]).toEqual([0, 'converged']);
    expect(end.report.cost).toBeCloseTo(12, 6);
  });

  test('by an interrupt: the iteration is finished and all files are written', async () => {
    const [output, state] = [at('cut.glb'), at('cut.json')];
    let interrupts = 0;
    let out = '';
    const status = await run(['optimize', scene, '-o', output, '--save', state, '--json'], {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        if (text.startsWith('iteration 2')) interrupts++;
      },
      color: false,
      interrupts: () => interrupts,
    });
    const report = JSON.parse(out) as OptimizeSummary;
    expect([status, report.status, report.iterations]).toEqual([1, 'interrupted', 2]);
    expect(readFileSync(output).toString('latin1', 0, 4)).toBe('glTF');
    const on = await optimized(scene, '--resume', state);
    expect(on.report.status).toBe('converged');
  });

  test('only the requested files are written', async () => {
    const listing = readdirSync(folder);
    await optimized(scene);
    expect(readdirSync(folder)).toEqual(listing);
  });
});

describe('figures of a scene', () => {
  test('the built-in human, with a pose file beside the scene', async () => {
    const pose = { format: 'poise-pose', version: 1, figure: 'human', bones: { leftLowerArm: [0.4] } };
    file('bent.json', pose);
    const wave = {
      format: 'poise-scene',
      version: 1,
      figure: { type: 'human', height: 1.6 },
      duration: 1,
      intervals: 4,
      terms: [
        { type: 'pose', at: 0 },
        { type: 'pose', at: 1, pose: { path: 'bent.json' } },
        { type: 'smoothness' },
      ],
    };
    const output = at('bent.glb');
    const { status, report } = await optimized(file('wave.json', wave), '-o', output);
    expect([status, report.source]).toEqual([0, { kind: 'built-in' }]);
    expect((await playedByThree(output, 'optimized')).duration).toBeCloseTo(1, 6);
  });

  test('the scenes of the examples are valid', async () => {
    const examples = fileURLToPath(new URL('../../../../examples/spacetime/scenes/', import.meta.url));
    const names = readdirSync(examples);
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) {
      const { report } = await optimized(join(examples, name), '--max-iterations', '0');
      expect([name, report.status]).toEqual([name, 'iteration-limit']);
    }
  });
});

describeWithData('a clip of a .bvh', 'bvh/walk01.bvh', (path) => {
  test('is edited: without conflicting terms it stays as it is', async () => {
    const edit = {
      format: 'poise-scene',
      version: 1,
      figure: { type: 'file', path, scale: 0.01 },
      reference: { type: 'file', path },
      unknowns: 'displacement',
      duration: 0.2,
      intervals: 2,
      terms: [{ type: 'tracking' }, { type: 'smoothness', weight: 1e-4 }],
    };
    const { status, report } = await optimized(file('edit.json', edit), '-o', at('edit.glb'));
    expect([status, report.status]).toEqual([0, 'converged']);
    expect(report.source).toEqual({ kind: 'bvh', path });
    expect(report.cost).toBeLessThan(1e-20);
  });
});

describeWithData('the unit and up of a .bvh in a scene', 'bvh', (folder) => {
  const scene = (name: string, more: object = {}) => ({
    format: 'poise-scene',
    version: 1,
    figure: { type: 'file', path: join(folder, name), ...more },
    reference: { type: 'file', path: join(folder, name) },
    duration: 0.2,
    intervals: 2,
    terms: [{ type: 'tracking' }],
  });
  /** Extent along y of the joints in the middle of the motion that is written, by three's player. */
  async function heightOf(name: string, more?: object): Promise<number> {
    const output = at('bvh-scene.glb');
    await optimized(file('bvh-scene.json', scene(name, more)), '--max-iterations', '0', '-o', output);
    const shown = (await playedByThree(output, 'optimized')).at(0.1);
    const heights = [...shown.values()].map(([, y]) => y);
    return Math.max(...heights) - Math.min(...heights);
  }

  // By the makers: centimetres; inches over 0.45 (CMU); decimetres and z up (MakeHuman).
  test.each(['walk01.bvh', 'cmu_12_01_walk.bvh', 'makehuman_walk1.bvh'])(
    'of %s are found as by all commands: a person is as high as a person',
    async (name) => {
      const { err } = await poise(
        'optimize',
        file('u.json', scene(name)),
        '--allow-outside',
        '--max-iterations',
        '0',
      );
      expect(err).toMatch(/its unit is .*"scale" in a scene/);
      const height = await heightOf(name);
      expect(height).toBeGreaterThan(1.2);
      expect(height).toBeLessThan(2);
    },
  );

  test('are those of the scene where it says them', async () => {
    expect(await heightOf('walk01.bvh', { scale: 0.02 })).toBeGreaterThan(2.4);
  });

  test('a frame is the rest pose where the scene says it', async () => {
    const run = (more: object, name = 'walk01.bvh') =>
      poise(
        'optimize',
        file('rest.json', scene(name, more)),
        '--allow-outside',
        '--max-iterations',
        '0',
        '-o',
        at('rest-out.json'),
      );
    expect((await run({ restFrame: 3 })).status).toBeLessThan(2);
    const { motion } = JSON.parse(readFileSync(at('rest-out.json'), 'utf8'));
    const figure = readBvh(readFileSync(join(folder, 'walk01.bvh'))).figure;
    const read = createMotion(figure, motion);
    const pose = samplePose(createMotionSampler(figure, read), 2 / 24, new Float64Array(figure.dof));
    // The pose of the third frame is that of rest, but for the place.
    expect(Math.max(...pose.subarray(6).map(Math.abs))).toBeLessThan(1e-3);
    for (const restFrame of [0, 1.5, 102]) {
      const { status, err } = await run({ restFrame });
      expect([status, err]).toEqual([
        2,
        expect.stringMatching(/rest\.json#figure\.restFrame: is no frame .*1 to 101/),
      ]);
    }
    const rig = await run({ restFrame: 1 }, '../gltf/Fox.glb');
    expect(rig.err).toMatch(/#figure\.restFrame: applies only to BVH files/);
    const other = {
      ...scene('walk01.bvh', { restFrame: 3 }),
      reference: { type: 'file', path: join(folder, 'cmu_12_01_walk.bvh') },
    };
    const refused = await poise('optimize', file('other.json', other), '--allow-outside');
    expect(refused.err).toMatch(/#reference\.path: is another BVH than the figure/);
  });
});

describeWithData('a rig', 'gltf/CesiumMan.gltf', (path) => {
  test('becomes a ragdoll if the scene has one, and keeps its file', async () => {
    const nod = {
      format: 'poise-scene',
      version: 1,
      figure: { type: 'file', path, ragdoll: { mass: 70 } },
      duration: 0.5,
      intervals: 2,
      terms: [{ type: 'pose', at: 0 }, { type: 'velocity', at: 0 }, { type: 'smoothness' }],
    };
    const output = at('nod.glb');
    const { report } = await optimized(file('nod.json', nod), '--max-iterations', '20', '-o', output);
    expect(report.source).toEqual({ kind: 'gltf', path });
    expect((await playedByThree(output, 'optimized')).duration).toBeCloseTo(0.5, 6);
  });
});

describeWithData('human bones of a rig', 'gltf/KayKit_Knight.glb', (path) => {
  const scene = (human: object): object => ({
    format: 'poise-scene',
    version: 1,
    figure: { type: 'file', path, human },
    duration: 0.5,
    intervals: 2,
    terms: [
      { type: 'pose', at: 0 },
      {
        type: 'goal',
        at: 0.5,
        goal: { type: 'position', bone: 'leftHand', target: [0.4, 0.9, 0.2] },
        weight: 1,
      },
      { type: 'smoothness' },
    ],
  });
  const run = (name: string, human: object) =>
    poise('optimize', file(name, scene(human)), '--allow-outside', '--max-iterations', '0', '--json');

  test('are those that the scene names', async () => {
    const [found, named] = [
      await run('found.json', {}),
      await run('named.json', { leftHand: 'hand.l', leftToes: null }),
    ];
    expect([found.status < 2, named.status < 2]).toEqual([true, true]);
    // Another bone has another distance from the target.
    const costOf = ({ out }: { out: string }): number => JSON.parse(out).terms[1].cost;
    expect(Math.abs(costOf(named) - costOf(found))).toBeGreaterThan(1e-4);
  });

  test.each([
    [{ leftHand: 'paw' }, /hero\.json#figure\.human\.leftHand: no bone is called 'paw'/],
    [{ leftPaw: 'hand.l' }, /hero\.json#figure\.human\.leftPaw/],
    [{ leftHand: 3 }, /hero\.json#figure\.human\.leftHand/],
  ])('%j is refused', async (human, message) => {
    const { status, err } = await run('hero.json', human);
    expect([status, err]).toEqual([2, expect.stringMatching(message)]);
  });
});

describeWithData('an animation of a rig', 'gltf/CesiumMan.gltf', (path) => {
  test('is a reference too, with a start offset', async () => {
    const walk = {
      format: 'poise-scene',
      version: 1,
      name: 'again',
      figure: { type: 'file', path },
      reference: { type: 'file', path, animation: 0, from: 0.5 },
      unknowns: 'displacement',
      duration: 0.25,
      intervals: 8,
      terms: [{ type: 'tracking' }],
    };
    const output = at('again.glb');
    const { report } = await optimized(file('again.json', walk), '--max-iterations', '5', '-o', output);
    expect(report.cost).toBeLessThan(1e-20);
    const [before, after] = [
      await playedByThree(output, 'animation_0'),
      await playedByThree(output, 'again'),
    ];
    expect(after.duration).toBeCloseTo(0.25, 6);
    for (const [node, position] of after.at(0.1)) {
      const there = before.at(0.6).get(node) as number[];
      // As poise simulate: each joint within 1 mrad.
      expect(Math.hypot(...position.map((x, k) => x - there[k]))).toBeLessThan(0.01);
    }
  });
});

describeWithData('a robot', 'urdf/panda.urdf', (path) => {
  test('has gravity along -z, as its file, unless the scene has its own', async () => {
    const terms = [{ type: 'smoothness' }];
    const of = async (more: object) => {
      const scene = {
        format: 'poise-scene',
        version: 1,
        figure: { type: 'file', path },
        duration: 1,
        terms,
        ...more,
      };
      return (await loadScene(file('robot.json', scene), { allowOutside: true })).problem;
    };
    const own = await of({});
    expect(own.figure.up).toEqual([0, 0, 1]);
    const expectTorques = (problem: typeof own, g: number) => {
      const { pose, torques } = sampleTrajectory(
        createTrajectory(problem, new Float64Array(problem.system.size)),
        0,
      );
      const dynamics = createDynamics(problem.figure, { gravity: [0, 0, -g] });
      const expected = biasForces(dynamics, pose, new Float64Array(pose.length));
      expect(Math.max(...expected.map(Math.abs))).toBeGreaterThan(0.1);
      expected.forEach((torque, k) => {
        expect(torques[k]).toBeCloseTo(torque, 10);
      });
    };
    expectTorques(own, 9.81);
    expectTorques(await of({ gravity: [0, 0, -1.62] }), 1.62);
  });
});
