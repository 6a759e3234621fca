import { parseArgs } from 'node:util';
import { machineLines } from './machine.js';
import { createPrng, drawSeed } from './prng.js';
import { drawTargets, ROBOTS, readChain, TIME_LIMIT, TOLERANCE } from './trac-ik/chain.js';
import { createClosedChain } from './trac-ik/closed-chain.js';
import { compileYardstick } from './trac-ik/kdl.js';
import { measureSolver, measureYardstick, type Row } from './trac-ik/measure.js';
import { createPoise } from './trac-ik/poise.js';
import { type Source, sectionOf, tableOf, writeReport } from './trac-ik/report.js';

const USAGE = `npm run bench -- trac-ik [options]
The protocol of TRAC-IK (Beeson and Ames 2015): random reachable poses of four robot arms from mid-range, 1e-5 on all six
components, 5 ms. Poise, closed-chain-ik, and KDL (a C++ program compiled here) as the yardstick.
  --quick         300 poses a robot, nothing written
  --poses N       poses a robot (default 5000); nothing written unless 5000
  --robots a,b    only these robots; nothing written
  --solvers a,b   only solvers whose name contains one of these (KDL, poise, closed-chain-ik); nothing written
  --seed N        instead of a seed drawn at run time
  --out DIR       where to write (default benchmarks/results)`;

/** The seed of the targets that stay the same from run to run. */
const SHARED_SEED = 20150703;
const POSES = 5000;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    poses: { type: 'string' },
    robots: { type: 'string' },
    solvers: { type: 'string' },
    seed: { type: 'string' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

function main(): void {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const seed = options.seed === undefined ? drawSeed() : Number(options.seed);
  const poses = Number(options.poses ?? (options.quick ? 300 : POSES));
  const wanted = options.solvers?.split(',');
  const chosen = (name: string): boolean =>
    wanted === undefined || wanted.some((text) => name.includes(text));
  const robots = ROBOTS.filter(
    ({ id }) => options.robots === undefined || options.robots.split(',').includes(id),
  );
  const yardstick = chosen('KDL') ? compileYardstick() : { version: '-', says: 'KDL left out' };
  const solvers = [createPoise(), createClosedChain()].filter(({ name }) => chosen(name));
  const head = [
    ...machineLines(
      `npm run bench -- trac-ik${process.argv
        .slice(2)
        .map((x) => ` ${x}`)
        .join('')}`,
    ),
    `- seed of the shared poses: ${SHARED_SEED}; of the drawn poses: ${seed} (repeat: \`npm run bench -- trac-ik --seed ${seed}\`)`,
    `- chains: ${robots.map(({ file, base, tip }) => `${base} to ${tip} of ${file}`).join('; ')}`,
    `- success: all six components within ${TOLERANCE} (m, rad) and the file's limits, within ${TIME_LIMIT} ms, judged by src/trac-ik/chain.ts`,
    `- yardstick: ${yardstick.says}`,
    ...solvers.map(
      ({ name, version, settings, rounds }) => `- ${name} ${version}: ${settings}; median of ${rounds}`,
    ),
  ];
  console.log(head.join('\n'));
  const sources: Source[] = [
    { title: `Poses of seed ${SHARED_SEED}`, name: 'shared', rows: [] },
    { title: `Poses of seed ${seed}, drawn at run time`, name: `seed ${seed}`, rows: [] },
  ];
  sources.forEach(({ name, rows }, s) => {
    robots.forEach((robot, r) => {
      const chain = readChain(robot);
      // The robot's place goes into the seed, so that no two robots get the same draws.
      const targets = drawTargets(chain, createPrng((s === 0 ? SHARED_SEED : seed) + 7919 * r), poses);
      const measured: Row[] = [
        ...measureYardstick(chain, name, targets, yardstick),
        ...solvers.map((solver, k) =>
          measureSolver(chain, name, targets, solver, k === 0 ? 'subject' : 'peer'),
        ),
      ];
      rows.push(...measured);
      console.log(`\n${name}\n${tableOf(measured)}`);
    });
  });
  console.log(`\n${sources.map(sectionOf).join('\n\n')}`);
  const partial = poses !== POSES || options.robots !== undefined || wanted !== undefined;
  if (!partial || options.out !== undefined) {
    writeReport(options.out, head, sources);
  }
}

main();
