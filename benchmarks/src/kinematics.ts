import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import loadMujoco from '@mujoco/mujoco';
import {
  createFigure,
  createState,
  forwardKinematics,
  pointJacobianNu,
  pointJacobianQ,
  type Quadruple,
  updateColumnsNu,
  updateColumnsQ,
} from 'poise/figure';
import { REVISION, Vector3 } from 'three';
import { type HeapSample, sampleHeap } from './allocation.js';
import { forward, quaternionFromVector } from './check.js';
import {
  BODIES,
  DOF,
  humanoidBones,
  humanoidFigure,
  humanoidMjcf,
  randomPoses,
  restRotations,
  SITES,
} from './humanoid.js';
import { machineLines } from './machine.js';
import { packageVersion } from './peers/peer.js';
import { drawSeed } from './prng.js';
import { repositoryRoot } from './problems.js';
import { markdownTable, median, percentile } from './statistics.js';

const USAGE = `npm run bench -- kinematics [options]
Forward kinematics and point Jacobians of a humanoid with 25 ball joints (81 degrees of freedom).
  --quick      a tenth of the rounds, nothing written
  --seed N     instead of a seed drawn at run time
  --out DIR    where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    seed: { type: 'string' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const POSES = 64;
const CALLS = 2000;
/** Outputs of all forms agree to this, m and m/rad. */
const AGREEMENT = 1e-9;

/** One measured way of doing the work. `loop` runs it `calls` times over the cycle of poses. */
interface Row {
  readonly name: string;
  readonly loop: (calls: number) => void;
}

function poiseRows(poses: readonly Float64Array[]) {
  const figure = createFigure(humanoidFigure(restRotations(false)));
  const state = createState(figure);
  const turned = createState(createFigure(humanoidFigure(restRotations(true))));
  const jacobians = SITES.map(() => new Float64Array(3 * DOF));
  const bodies = Int32Array.from(SITES, (site) => site.body);
  const local = Float64Array.from(SITES.flatMap((site) => [...site.position]));
  const point = new Float64Array(3);
  /** World position of site `s` into `point`. */
  const placeSite = (s: number): void => {
    const m = state.worldFromBone;
    const o = 12 * bodies[s];
    const x = local[3 * s];
    const y = local[3 * s + 1];
    const z = local[3 * s + 2];
    point[0] = m[o + 9] + m[o] * x + m[o + 1] * y + m[o + 2] * z;
    point[1] = m[o + 10] + m[o + 3] * x + m[o + 4] * y + m[o + 5] * z;
    point[2] = m[o + 11] + m[o + 6] * x + m[o + 7] * y + m[o + 8] * z;
  };
  const rows = {
    kinematics: {
      name: 'poise: forward kinematics from rotation vectors',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) forwardKinematics(state, poses[i % POSES]);
      },
    },
    jacobiansNu: {
      name: 'poise: forward kinematics + 5 point Jacobians (nu)',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) {
          forwardKinematics(state, poses[i % POSES]);
          updateColumnsNu(state, poses[i % POSES]);
          for (let s = 0; s < 5; s++) {
            placeSite(s);
            pointJacobianNu(state, bodies[s], point, jacobians[s]);
          }
        }
      },
    },
    jacobiansQ: {
      name: 'poise: forward kinematics + 5 point Jacobians (q)',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) {
          forwardKinematics(state, poses[i % POSES]);
          updateColumnsQ(state, poses[i % POSES]);
          for (let s = 0; s < 5; s++) {
            placeSite(s);
            pointJacobianQ(state, bodies[s], point, jacobians[s]);
          }
        }
      },
    },
    turned: {
      name: 'poise: forward kinematics, a rest rotation on every bone',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) forwardKinematics(turned, poses[i % POSES]);
      },
    },
  };
  const evaluate = (pose: Float64Array): void => {
    forwardKinematics(state, pose);
    forwardKinematics(turned, pose);
    updateColumnsNu(state, pose);
    for (let s = 0; s < 5; s++) {
      placeSite(s);
      pointJacobianNu(state, bodies[s], point, jacobians[s]);
    }
  };
  return { rows, evaluate, state, turned, jacobians };
}

function threeRows(poses: readonly Float64Array[]) {
  const { bones } = humanoidBones(restRotations(false));
  const turned = humanoidBones(restRotations(true));
  const axis = new Vector3();
  const rootRest = new Vector3(...BODIES[0].position);
  const moved = new Vector3();

  /** Axis and angle to each bone's quaternion, as a three.js user writes it. */
  const setPose = (pose: Float64Array): void => {
    bones[0].position.set(rootRest.x + pose[0], rootRest.y + pose[1], rootRest.z + pose[2]);
    for (let b = 0; b < bones.length; b++) {
      const o = 3 + 3 * b;
      axis.set(pose[o], pose[o + 1], pose[o + 2]);
      const angle = axis.length();
      bones[b].quaternion.setFromAxisAngle(axis.divideScalar(angle), angle);
    }
    bones[0].updateMatrixWorld(true);
  };
  const setTurnedPose = (pose: Float64Array): void => {
    moved.set(pose[0], pose[1], pose[2]).applyQuaternion(turned.rest[0]);
    turned.bones[0].position.addVectors(rootRest, moved);
    for (let b = 0; b < bones.length; b++) {
      const o = 3 + 3 * b;
      axis.set(pose[o], pose[o + 1], pose[o + 2]);
      const angle = axis.length();
      turned.bones[b].quaternion
        .setFromAxisAngle(axis.divideScalar(angle), angle)
        .premultiply(turned.rest[b]);
    }
    turned.bones[0].updateMatrixWorld(true);
  };
  const rows = {
    bare: {
      name: 'three.js: bare updateMatrixWorld, quaternions as they are',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) bones[0].updateMatrixWorld(true);
      },
    },
    vectors: {
      name: 'three.js: from rotation vectors (setFromAxisAngle), then updateMatrixWorld',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) setPose(poses[i % POSES]);
      },
    },
    turned: {
      name: 'three.js: the same, a rest rotation on every bone',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) setTurnedPose(poses[i % POSES]);
      },
    },
  };
  const evaluate = (pose: Float64Array): void => {
    setPose(pose);
    setTurnedPose(pose);
  };
  return { rows, evaluate, bones, turned: turned.bones };
}

async function mujocoRows(poses: readonly Float64Array[]) {
  const mujoco = await loadMujoco();
  const model = mujoco.MjModel.from_xml_string(humanoidMjcf());
  const data = new mujoco.MjData(model);
  if (model.nv !== DOF || model.nbody !== BODIES.length + 1 || model.nsite !== SITES.length) {
    throw new Error('benchmarks: the MuJoCo model is not the humanoid');
  }
  // Buffers in WebAssembly memory: nothing is copied across the border in a call.
  const jacobians = SITES.map(() => new mujoco.DoubleBuffer(3 * DOF));
  const qpos = data.qpos as Float64Array;
  // Its own input representation, made beforehand: position and quaternions w, x, y, z.
  const inputs = poses.map((pose) => {
    const q = new Float64Array(7 + 4 * (BODIES.length - 1));
    for (let k = 0; k < 3; k++) q[k] = BODIES[0].position[k] + pose[k];
    for (let b = 0; b < BODIES.length; b++) {
      const [x, y, z, w] = quaternionFromVector(pose[3 + 3 * b], pose[4 + 3 * b], pose[5 + 3 * b]);
      q.set([w, x, y, z], 3 + 4 * b);
    }
    return q;
  });
  // Sites are numbered by body; SITES stand in that order.
  const evaluate = (k: number): void => {
    qpos.set(inputs[k]);
    mujoco.mj_kinematics(model, data);
    mujoco.mj_comPos(model, data);
    for (let s = 0; s < 5; s++) mujoco.mj_jacSite(model, data, jacobians[s], null, s);
  };
  const rows = {
    kinematics: {
      name: 'MuJoCo wasm: mj_kinematics from quaternions',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) {
          qpos.set(inputs[i % POSES]);
          mujoco.mj_kinematics(model, data);
        }
      },
    },
    jacobians: {
      name: 'MuJoCo wasm: mj_kinematics + mj_comPos + 5 mj_jacSite',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) evaluate(i % POSES);
      },
    },
  };
  return { rows, evaluate, data, jacobians };
}

type Poise = ReturnType<typeof poiseRows>;
type Three = ReturnType<typeof threeRows>;
type Mujoco = Awaited<ReturnType<typeof mujocoRows>>;

type Differences = Record<string, number>;

function note(differences: Differences, name: string, a: number, b: number): void {
  const d = Math.abs(a - b);
  differences[name] = Math.max(differences[name] ?? 0, Number.isNaN(d) ? Infinity : d);
}

/** Poise against the judge and three.js: all 12 numbers of every body's world transform, over all poses. */
function compareWithThree(poses: readonly Float64Array[], poise: Poise, three: Three): Differences {
  const differences: Differences = {};
  for (const pose of poses) {
    poise.evaluate(pose);
    three.evaluate(pose);
    for (const [name, state, bones, turned] of [
      ['', poise.state, three.bones, false],
      [' with rest rotations', poise.turned, three.turned, true],
    ] as const) {
      const judge = judgeTransforms(pose, restRotations(turned));
      for (let b = 0; b < BODIES.length; b++) {
        const { elements } = bones[b].matrixWorld;
        for (let i = 0; i < 12; i++) {
          const own = state.worldFromBone[12 * b + i];
          note(differences, `judge${name}`, own, judge[b][i]);
          // three stores columns of four.
          note(
            differences,
            `three.js${name}`,
            own,
            elements[i < 9 ? 4 * (i % 3) + Math.floor(i / 3) : 3 + i],
          );
        }
      }
    }
  }
  return differences;
}

/** Poise against MuJoCo: world transforms and the five point Jacobians in nu. */
function compareWithMujoco(poses: readonly Float64Array[], poise: Poise, mujoco: Mujoco): Differences {
  const differences: Differences = {};
  const xpos = mujoco.data.xpos as Float64Array;
  const xmat = mujoco.data.xmat as Float64Array;
  poses.forEach((pose, k) => {
    poise.evaluate(pose);
    mujoco.evaluate(k);
    for (let b = 0; b < BODIES.length; b++) {
      // MuJoCo's body 0 is the world.
      for (let i = 0; i < 12; i++) {
        const theirs = i < 9 ? xmat[9 * (b + 1) + i] : xpos[3 * (b + 1) + i - 9];
        note(differences, 'MuJoCo', poise.state.worldFromBone[12 * b + i], theirs);
      }
    }
    SITES.forEach((_, s) => {
      const theirs = mujoco.jacobians[s].GetView() as Float64Array;
      poise.jacobians[s].forEach((value, i) => {
        note(differences, 'MuJoCo Jacobians', value, theirs[i]);
      });
    });
  });
  return differences;
}

/** One line of the report; throws where outputs differ by more than {@link AGREEMENT}. */
function agreementLine(differences: Differences): string {
  for (const [name, value] of Object.entries(differences)) {
    if (!(value <= AGREEMENT)) throw new Error(`benchmarks: outputs differ from ${name} by ${value}`);
  }
  return Object.entries(differences)
    .map(([name, value]) => `${name} ${value.toExponential(1)}`)
    .join(', ');
}

/** World transforms by the judge of the IK benchmark: independent quaternion kinematics. */
function judgeTransforms(pose: Float64Array, rests: readonly Quadruple[]): number[][] {
  const values = new Float64Array(4 * BODIES.length);
  BODIES.forEach((_, b) => {
    values.set(quaternionFromVector(pose[3 + 3 * b], pose[4 + 3 * b], pose[5 + 3 * b]), 4 * b);
  });
  // The free root moves along its rest axes: p = p_rest + R_rest t, rows of R_rest from the judge itself.
  const joints = BODIES.map((body, b) => {
    const [x, y, z, w] = rests[b];
    const quat = [w, x, y, z] as const;
    return {
      name: body.name,
      parent: body.parent,
      type: 'ball' as const,
      theta: Math.PI,
      pos: body.position,
      quat,
    };
  });
  const [px, py, pz] = rotateBy(rests[0], [pose[0], pose[1], pose[2]]);
  const [rx, ry, rz] = BODIES[0].position;
  joints[0] = { ...joints[0], pos: [rx + px, ry + py, rz + pz] };
  const effectors = BODIES.flatMap((body, joint) =>
    [
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ].map(([x, y, z]) => ({ name: body.name, joint, pos: [x, y, z] as const, quat: [1, 0, 0, 0] as const })),
  );
  const { effectorPositions: p } = forward({ name: 'humanoid', joints, effectors }, values);
  // Columns of R are the images of the axes.
  return BODIES.map((_, b) => {
    const [o, x, y, z] = p.slice(4 * b, 4 * b + 4);
    const row = (r: number): number[] => [x[r] - o[r], y[r] - o[r], z[r] - o[r]];
    return [...row(0), ...row(1), ...row(2), ...o];
  });
}

function rotateBy(q: Quadruple, v: readonly [number, number, number]): readonly [number, number, number] {
  const [x, y, z, w] = q;
  const joint = { name: '', parent: -1, type: 'ball', theta: 0, pos: [0, 0, 0], quat: [w, x, y, z] } as const;
  const effector = { name: '', joint: 0, pos: v, quat: [1, 0, 0, 0] } as const;
  return forward({ name: '', joints: [joint], effectors: [effector] }, [0, 0, 0, 1]).effectorPositions[0];
}

/** Nanoseconds a call for each row and round, rows in turn within a round, the first row moving on each round. */
function timeRows(rows: readonly Row[], rounds: number): number[][] {
  const samples: number[][] = rows.map(() => []);
  for (const row of rows) row.loop(20_000);
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < rows.length; k++) {
      const r = (k + round) % rows.length;
      const before = performance.now();
      rows[r].loop(CALLS);
      samples[r].push(((performance.now() - before) * 1e6) / CALLS);
    }
  }
  return samples;
}

/** Median, fastest and 90th percentile in microseconds; dashes where a row was not run. */
function spread(nanoseconds: readonly number[] | undefined): string[] {
  if (!nanoseconds) return ['-', '-', '-'];
  return [median(nanoseconds), Math.min(...nanoseconds), percentile(nanoseconds, 0.9)].map((ns) =>
    (ns / 1000).toFixed(3),
  );
}

async function main(): Promise<void> {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const seed = options.seed === undefined ? drawSeed() : Number(options.seed);
  const head = machineLines(
    `npm run bench -- kinematics${process.argv.length > 2 ? ` ${process.argv.slice(2).join(' ')}` : ''}`,
  );
  const poses = randomPoses(POSES, seed);
  const rounds = options.quick ? 30 : 300;
  const calls = options.quick ? 100_000 : 1_000_000;

  const poise = poiseRows(poses);
  const three = threeRows(poses);
  const differences = compareWithThree(poses, poise, three);
  const common: Row[] = [
    poise.rows.kinematics,
    three.rows.bare,
    three.rows.vectors,
    poise.rows.jacobiansNu,
    poise.rows.jacobiansQ,
    poise.rows.turned,
    three.rows.turned,
  ];
  const before = timeRows(common, rounds);
  const heap: [string, HeapSample][] = [];
  for (const row of [poise.rows.kinematics, poise.rows.jacobiansNu, poise.rows.jacobiansQ]) {
    heap.push([row.name, await sampleHeap(row.loop, calls)]);
  }

  const mujoco = await mujocoRows(poses);
  Object.assign(differences, compareWithMujoco(poses, poise, mujoco));
  const all = [...common, mujoco.rows.kinematics, mujoco.rows.jacobians];
  const after = timeRows(all, rounds);

  // MuJoCo's rows are there only beside MuJoCo: against them, "before" is Poise on its own.
  const ratio = (samples: readonly (readonly number[])[], slow: Row, fast: Row): number =>
    median(samples[all.indexOf(slow)] ?? after[all.indexOf(slow)]) / median(samples[all.indexOf(fast)]);
  const targets: [string, Row, Row, number][] = [
    [
      'forward kinematics against three.js given rotation vectors',
      three.rows.vectors,
      poise.rows.kinematics,
      3,
    ],
    ['forward kinematics against a bare updateMatrixWorld', three.rows.bare, poise.rows.kinematics, 1.3],
    ['with 5 point Jacobians against MuJoCo wasm', mujoco.rows.jacobians, poise.rows.jacobiansNu, 6],
  ];
  const verdict = (value: number, wanted: number): string =>
    `${value.toFixed(2)}x ${value >= wanted ? 'met' : 'NOT MET'}`;
  const report = [
    '# Kinematics of a humanoid: 25 ball joints, 81 degrees of freedom',
    [
      ...head,
      `- three.js r${REVISION}, MuJoCo wasm ${packageVersion('@mujoco/mujoco')}, poise ${packageVersion('poise')}`,
      `- ${POSES} random poses (seed ${seed}), taken in turn; ${rounds} rounds of ${CALLS} calls, rows in turn; median over the rounds`,
      `- largest difference from Poise's outputs, all poses, all bodies (limit ${AGREEMENT}): ${agreementLine(differences)}`,
    ].join('\n'),
    'Measured twice: before MuJoCo is loaded, and beside it. When its WebAssembly memory first grows, V8 drops the ' +
      'assumption that no ArrayBuffer of the process is ever detached, and from then on checks every typed-array access; a ' +
      'page that transfers a buffer to a worker does the same. three.js keeps its numbers in plain arrays and feels nothing.',
    markdownTable(
      [
        'work',
        'us / call',
        'fastest round',
        '90th percentile',
        'beside MuJoCo',
        'fastest round ',
        '90th percentile ',
      ],
      all.map((row, r) => [row.name, ...spread(before[r]), ...spread(after[r])]),
    ),
    markdownTable(
      ['target', 'wanted', 'before', 'beside MuJoCo'],
      targets.map(([name, slow, fast, wanted]) => [
        name,
        `at least ${wanted}x`,
        verdict(ratio(before, slow, fast), wanted),
        verdict(ratio(after, slow, fast), wanted),
      ]),
    ),
    markdownTable(
      ['allocation', 'calls', 'bytes / call', 'collections'],
      heap.map(([name, sample]) => [
        name,
        String(sample.calls),
        sample.bytesPerCall.toFixed(3),
        String(sample.collections),
      ]),
    ),
  ].join('\n\n');
  console.log(report);

  if (options.quick && options.out === undefined) return;
  const folder = options.out ?? join(repositoryRoot(), 'benchmarks', 'results');
  mkdirSync(join(folder, 'raw'), { recursive: true });
  writeFileSync(join(folder, 'kinematics.md'), `${report}\n`);
  const numbers = (samples: readonly number[] | undefined): string =>
    `[${(samples ?? []).map((ns) => ns.toFixed(1)).join(',')}]`;
  const lines = all.map(
    (row, r) =>
      `    { "work": ${JSON.stringify(row.name)}, "before": ${numbers(before[r])}, "besideMujoco": ${numbers(after[r])} }`,
  );
  writeFileSync(
    join(folder, 'raw', 'kinematics.json'),
    `{\n  "seed": ${seed},\n  "callsPerRound": ${CALLS},\n  "unit": "ns per call",\n  "rows": [\n${lines.join(',\n')}\n  ]\n}\n`,
  );
  console.log(`\nwritten to ${folder}`);
}

await main();
