import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import loadMujoco from '@mujoco/mujoco';
import {
  createFigure,
  createState,
  type FigureState,
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
import { markdownTable, median } from './statistics.js';

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

/** Largest difference between all forms over all poses; throws where it is more than {@link AGREEMENT}. */
function checkAgreement(poses: readonly Float64Array[], poise: Poise, three: Three, mujoco: Mujoco): string {
  let against = { judge: 0, three: 0, turned: 0, mujoco: 0, jacobian: 0 };
  const worst = (a: number, b: number): number => Math.max(a, Number.isNaN(b) ? Infinity : b);
  poses.forEach((pose, k) => {
    poise.evaluate(pose);
    three.evaluate(pose);
    mujoco.evaluate(k);
    const judge = judgeTransforms(pose, restRotations(false));
    const judgeTurned = judgeTransforms(pose, restRotations(true));
    const xpos = mujoco.data.xpos as Float64Array;
    const xmat = mujoco.data.xmat as Float64Array;
    for (let b = 0; b < BODIES.length; b++) {
      const own = transformOf(poise.state, b);
      const ownTurned = transformOf(poise.turned, b);
      for (let i = 0; i < 12; i++) {
        // three stores columns; MuJoCo's world is body 0.
        const column = i < 9 ? 4 * (i % 3) + Math.floor(i / 3) : 12 + (i - 9);
        const theirs = i < 9 ? xmat[9 * (b + 1) + i] : xpos[3 * (b + 1) + i - 9];
        against = {
          ...against,
          judge: worst(against.judge, Math.abs(own[i] - judge[b][i])),
          three: worst(against.three, Math.abs(own[i] - three.bones[b].matrixWorld.elements[column])),
          mujoco: worst(against.mujoco, Math.abs(own[i] - theirs)),
          turned: Math.max(
            worst(against.turned, Math.abs(ownTurned[i] - judgeTurned[b][i])),
            worst(0, Math.abs(ownTurned[i] - three.turned[b].matrixWorld.elements[column])),
          ),
        };
      }
    }
    SITES.forEach((_, s) => {
      const theirs = mujoco.jacobians[s].GetView() as Float64Array;
      poise.jacobians[s].forEach((value, i) => {
        against.jacobian = worst(against.jacobian, Math.abs(value - theirs[i]));
      });
    });
  });
  for (const [name, value] of Object.entries(against)) {
    if (!(value <= AGREEMENT)) throw new Error(`benchmarks: outputs differ (${name}) by ${value}`);
  }
  return Object.entries(against)
    .map(([name, value]) => `${name} ${value.toExponential(1)}`)
    .join(', ');
}

function transformOf(state: FigureState, b: number): Float64Array {
  return state.worldFromBone.subarray(12 * b, 12 * b + 12);
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

async function main(): Promise<void> {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const seed = options.seed === undefined ? drawSeed() : Number(options.seed);
  const poses = randomPoses(POSES, seed);
  const poise = poiseRows(poses);
  const three = threeRows(poses);
  const mujoco = await mujocoRows(poses);
  const agreement = checkAgreement(poses, poise, three, mujoco);

  const rows: Row[] = [
    poise.rows.kinematics,
    three.rows.bare,
    three.rows.vectors,
    mujoco.rows.kinematics,
    poise.rows.jacobiansNu,
    poise.rows.jacobiansQ,
    mujoco.rows.jacobians,
    poise.rows.turned,
    three.rows.turned,
  ];
  const rounds = options.quick ? 30 : 300;
  const samples = timeRows(rows, rounds);
  const middle = (row: Row): number => median(samples[rows.indexOf(row)]);

  const heap: [string, HeapSample][] = [];
  const calls = options.quick ? 100_000 : 1_000_000;
  for (const row of [poise.rows.kinematics, poise.rows.jacobiansNu, poise.rows.jacobiansQ]) {
    heap.push([row.name, await sampleHeap(row.loop, calls)]);
  }

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
  const command = `npm run bench -- kinematics${process.argv.length > 2 ? ` ${process.argv.slice(2).join(' ')}` : ''}`;
  const report = [
    '# Kinematics of a humanoid: 25 ball joints, 81 degrees of freedom',
    [
      ...machineLines(command),
      `- three.js r${REVISION}, MuJoCo wasm ${packageVersion('@mujoco/mujoco')}, poise ${packageVersion('poise')}`,
      `- ${POSES} random poses (seed ${seed}), taken in turn; ${rounds} rounds of ${CALLS} calls, rows in turn; median over the rounds`,
      `- largest difference between outputs, all poses, all bodies (limit ${AGREEMENT}): ${agreement}`,
    ].join('\n'),
    markdownTable(
      ['work', 'us / call', 'fastest round', '90th percentile'],
      rows.map((row, r) => {
        const sorted = [...samples[r]].sort((a, b) => a - b);
        const us = (ns: number): string => (ns / 1000).toFixed(3);
        return [row.name, us(middle(row)), us(sorted[0]), us(sorted[Math.floor(0.9 * sorted.length)])];
      }),
    ),
    markdownTable(
      ['target', 'ratio', 'wanted', 'result'],
      targets.map(([name, slow, fast, wanted]) => {
        const ratio = middle(slow) / middle(fast);
        return [name, `${ratio.toFixed(2)}x`, `at least ${wanted}x`, ratio >= wanted ? 'met' : 'NOT MET'];
      }),
    ),
    markdownTable(
      ['allocation', 'calls', 'heap growth, bytes', 'bytes / call', 'collections'],
      heap.map(([name, sample]) => [
        name,
        String(sample.calls),
        String(sample.bytes),
        (sample.bytes / sample.calls).toFixed(3),
        String(sample.collections),
      ]),
    ),
  ].join('\n\n');
  console.log(report);

  if (options.quick && options.out === undefined) return;
  const folder = options.out ?? join(repositoryRoot(), 'benchmarks', 'results');
  mkdirSync(join(folder, 'raw'), { recursive: true });
  writeFileSync(join(folder, 'kinematics.md'), `${report}\n`);
  const lines = rows.map(
    (row, r) =>
      `    { "work": ${JSON.stringify(row.name)}, "nanoseconds": [${samples[r].map((ns) => ns.toFixed(1)).join(',')}] }`,
  );
  writeFileSync(
    join(folder, 'raw', 'kinematics.json'),
    `{\n  "seed": ${seed},\n  "callsPerRound": ${CALLS},\n  "rows": [\n${lines.join(',\n')}\n  ]\n}\n`,
  );
  console.log(`\nwritten to ${folder}`);
}

await main();
