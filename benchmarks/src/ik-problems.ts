import { parseArgs } from 'node:util';
import { check, checkPoints } from './check.js';
import { generateProblemSet } from './generate.js';
import { type Row, type Source, sectionOf, tableOf, writeReport } from './ik-report.js';
import { machineLines } from './machine.js';
import { createClosedChain } from './peers/closed-chain-ik.js';
import { createMujocoLm } from './peers/mujoco-lm.js';
import type { Peer, Session } from './peers/peer.js';
import { createPoise } from './peers/poise.js';
import { createPoiseFabrik } from './peers/poise-fabrik.js';
import { createThreeCcd } from './peers/three-ccd.js';
import { createThreeIk } from './peers/three-ik.js';
import { drawSeed } from './prng.js';
import { loadProblemSet, type ProblemSet, SETS } from './problems.js';
import { median } from './statistics.js';

const USAGE = `npm run bench -- ik-problems [options]
Poise and its peers on the shared IK problem sets and on problems of a drawn seed, side by side.
  --quick           40 problems a set, one round, nothing written
  --robots          the sets of robot arms (ur5-pos, ur5-pose, panda-pos, panda-pose); writes results/ik-robot-sets.md
  --sets a,b        only these sets; nothing written
  --solvers a,b     only solvers whose name contains one of these; nothing written
  --seed N          instead of a seed drawn at run time
  --rounds N        timings of each problem; the median counts (default 5)
  --max-time S      no further round of a solver that has spent S seconds on a set, after its third (default 20)
  --no-reference    without the hand-written solver on MuJoCo wasm; nothing written
  --out DIR         where to write (default benchmarks/results)`;

const ROBOT_SETS = ['ur5-pos', 'ur5-pose', 'panda-pos', 'panda-pose'];

const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    quick: { type: 'boolean', default: false },
    robots: { type: 'boolean', default: false },
    sets: { type: 'string' },
    solvers: { type: 'string' },
    seed: { type: 'string' },
    rounds: { type: 'string' },
    'max-time': { type: 'string', default: '20' },
    reference: { type: 'boolean', default: true },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/**
 * Other problems of the same kind, from a fixed seed: at least half a second, so that the optimizing compiler has been
 * through, and a few hundred solves or two seconds of a slow solver.
 */
function warmUp(session: Session, set: ProblemSet): void {
  const others = generateProblemSet(set, 20240229, 100);
  const begin = performance.now();
  const elapsed = (): number => performance.now() - begin;
  for (let i = 0; elapsed() < 500 || (i < 400 && elapsed() < 2000); i++) {
    session.prepare(others.targets[i % 100]);
    session.run();
    session.read();
  }
}

interface Entry {
  readonly peer: Peer;
  readonly session: Session;
  readonly timings: number[][];
  readonly solved: boolean[];
  readonly solvedAsPoints: (boolean | undefined)[];
  spent: number;
  rounds: number;
  positionError: number;
  limitExcess: number;
}

/** All solvers on one set, round by round in turn, so that a disturbance of the machine meets them alike. */
function measure(set: ProblemSet, source: string, peers: readonly Peer[], rounds: number): Row[] {
  const entries: Entry[] = [];
  for (const peer of peers) {
    const session = peer.create(set);
    if (!session) continue;
    warmUp(session, set);
    entries.push({
      peer,
      session,
      timings: set.targets.map(() => []),
      solved: [],
      solvedAsPoints: [],
      spent: 0,
      rounds: 0,
      positionError: 0,
      limitExcess: 0,
    });
  }
  const maxTime = Number(options['max-time']) * 1000;
  for (let round = 0; round < rounds; round++) {
    for (const entry of entries) {
      if (round >= 3 && entry.spent > maxTime) continue;
      // A few untimed solves: taking turns is ours, so what it costs caches is not the solver's.
      for (const target of set.targets.slice(-5)) {
        entry.session.prepare(target);
        entry.session.run();
      }
      set.targets.forEach((target, i) => {
        entry.session.prepare(target);
        const before = performance.now();
        entry.session.run();
        const elapsed = performance.now() - before;
        entry.timings[i].push(elapsed * 1000);
        entry.spent += elapsed;
        const solution = entry.session.read();
        const verdict = check(set, target, solution);
        // A solver that succeeds in one round only has not solved the problem.
        entry.solved[i] = verdict.success && entry.solved[i] !== false;
        entry.solvedAsPoints[i] = solution.points && checkPoints(set, target, solution.points);
        entry.positionError = Math.max(entry.positionError, verdict.positionError);
        entry.limitExcess = Math.max(entry.limitExcess, verdict.limitExcess);
      });
      entry.rounds++;
    }
  }
  const bits = (flags: readonly (boolean | undefined)[]): string =>
    flags.map((flag) => (flag ? '1' : '0')).join('');
  return entries.map((entry) => ({
    set: set.id,
    source,
    solver: entry.peer.name,
    role: entry.peer.role,
    ...(entry.session.leavesOut === undefined ? {} : { leavesOut: entry.session.leavesOut }),
    rounds: entry.rounds,
    microseconds: entry.timings.map((timing) => Math.round(median(timing) * 100) / 100),
    solved: bits(entry.solved),
    ...(entry.solvedAsPoints[0] === undefined ? {} : { solvedAsPoints: bits(entry.solvedAsPoints) }),
    largestPositionError: entry.positionError,
    largestLimitExcess: entry.limitExcess,
  }));
}

function sourcesOf(ids: readonly string[], seed: number, count: number): Source[] {
  const shared = ids.map(loadProblemSet);
  return [
    {
      title: 'Shared problems',
      name: 'shared',
      sets: shared.map((set) => ({ ...set, targets: set.targets.slice(0, count) })),
      rows: [],
    },
    {
      title: `Problems of seed ${seed}, drawn at run time`,
      name: `seed ${seed}`,
      sets: shared.map((set) => generateProblemSet(set, seed, count)),
      rows: [],
    },
  ];
}

async function main(): Promise<void> {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const seed = options.seed === undefined ? drawSeed() : Number(options.seed);
  const rounds = Number(options.rounds ?? (options.quick ? 1 : 5));
  const wanted = options.solvers?.split(',');
  const chosen = (peer: Peer): boolean => !wanted || wanted.some((text) => peer.name.includes(text));
  const command = `npm run bench -- ik-problems${process.argv.length > 2 ? ` ${process.argv.slice(2).join(' ')}` : ''}`;
  const head = [
    ...machineLines(command),
    `- seed of the drawn problems: ${seed} (repeat with \`--seed ${seed}\`)`,
    `- each problem timed on its own from the start pose, median of up to ${rounds} rounds, solvers in turn; success judged by src/check.ts`,
  ];
  console.log(head.join('\n'));

  const sources = sourcesOf(
    options.sets?.split(',') ?? (options.robots ? ROBOT_SETS : SETS),
    seed,
    options.quick ? 40 : 200,
  );
  const run = (peers: readonly Peer[]): void => {
    const settings = peers.map((peer) => `- ${peer.name} ${peer.version}: ${peer.settings}`);
    head.push(...settings);
    console.log(settings.join('\n'));
    for (const { name, sets, rows } of sources) {
      for (const set of sets) {
        const measured = measure(set, name, peers, rounds);
        rows.push(...measured);
        if (measured.length > 0) console.log(`\n${name}\n${tableOf(measured)}`);
      }
    }
  };
  run(
    [createPoise(), createPoiseFabrik(), createClosedChain(), createThreeCcd(), createThreeIk()].filter(
      chosen,
    ),
  );
  if (options.reference) {
    // Last, since loading it slows every solver on typed arrays (see kinematics.ts); Poise is timed again beside it.
    const again: Peer = { ...createPoise(), name: 'poise beside wasm', role: 'reference' };
    run([await createMujocoLm(), again].filter(chosen));
  }

  const sections = sources.map(sectionOf);
  console.log(`\n${sections.join('\n\n')}`);
  const partial = options.quick || options.sets !== undefined || wanted !== undefined || !options.reference;
  if (!partial || options.out !== undefined) {
    const [name, title] = options.robots
      ? ['ik-robot-sets', 'IK problems of robot arms']
      : ['ik-problems', 'IK problems'];
    writeReport(options.out, name, title, head, sections, sources);
  }
}

await main();
