import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  createSpacetimeProblem,
  createSpacetimeSolver,
  type SpacetimeOptions,
  spacetimeSolution,
  stepSpacetime,
} from 'poise/spacetime';
import { machineLines } from './machine.js';
import { repositoryRoot } from './problems.js';
import { growthPlot } from './spacetime/growth-plot.js';
import { jump, kneeBends, type TimedProblem } from './spacetime/problems.js';

const USAGE = `npm run bench -- spacetime [options]
Trajectories of the built-in human: time against length (1, 2, 4, 8 s), and a standing jump from its stance.
  --quick    1 and 2 s, three iterations each, nothing written
  --out DIR  where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** What is asked of motions of characters: a hundredth of a millimetre, a thousandth of the cost. */
const ENOUGH: SpacetimeOptions = { tolerance: 1e-5, gain: 1e-3, penalty: 4e7 };
const MOST_ITERATIONS = options.quick ? 3 : 150;

interface Timed {
  readonly name: string;
  readonly unknowns: number;
  readonly rows: number;
  readonly iterations: number;
  readonly status: string;
  readonly cost: number;
  readonly violation: number;
  readonly create: number;
  readonly solve: number;
  /** Median time of an iteration, ms. */
  readonly iteration: number;
}

function time({ name, figure, data }: TimedProblem): Timed {
  console.error(name);
  const begin = performance.now();
  const problem = createSpacetimeProblem(figure, data);
  const under = createSpacetimeSolver(problem, ENOUGH);
  const create = performance.now() - begin;
  const times: number[] = [];
  let last = performance.now();
  let goesOn = true;
  while (goesOn && times.length < MOST_ITERATIONS) {
    goesOn = stepSpacetime(under);
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  const { status, iterations, cost, violation } = spacetimeSolution(under);
  return {
    name,
    unknowns: problem.system.size,
    rows: problem.system.rows,
    iterations,
    status,
    cost,
    violation,
    create,
    solve: times.reduce((sum, ms) => sum + ms, 0),
    iteration: times.slice().sort((a, b) => a - b)[Math.floor(times.length / 2)],
  };
}

const HEAD = [
  '| problem | unknowns | rows | status | iterations | cost | violation | set up, ms | solve, s | an iteration, ms |',
  '| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |',
];

function line(timed: Timed): string {
  const cells = [
    timed.name,
    timed.unknowns,
    timed.rows,
    timed.status,
    timed.iterations,
    timed.cost.toPrecision(5),
    timed.violation.toExponential(1),
    timed.create.toFixed(0),
    (timed.solve / 1e3).toFixed(2),
    timed.iteration.toFixed(0),
  ];
  return `| ${cells.join(' | ')} |`;
}

function main(): void {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const machine = machineLines('npm run bench -- spacetime');
  // The engine warms up on a short one.
  time(kneeBends(1));
  const lengths = options.quick ? [1, 2] : [1, 2, 4, 8];
  const growth = lengths.map((seconds) => time(kneeBends(seconds)));
  const jumped = time(jump());
  const points = growth.map(({ iteration }, k) => ({ seconds: lengths[k], milliseconds: iteration }));
  const last = points[points.length - 1];
  const ratio = last.milliseconds / points[0].milliseconds / (last.seconds / points[0].seconds);
  const report = [
    '# Spacetime',
    '',
    ...machine,
    '',
    `Violation at most ${ENOUGH.tolerance}, a gain below ${ENOUGH.gain} of the cost counts as none. The median of all iterations of a solve.`,
    '',
    ...HEAD,
    ...growth.map(line),
    line(jumped),
    '',
    `An iteration of ${last.seconds} s takes ${ratio.toFixed(2)} times what its length would make of one of ${points[0].seconds} s: 1 is linear.`,
    '',
    '![Time against length](spacetime-growth.svg)',
    '',
  ].join('\n');
  console.log(report);
  if (options.quick) return;
  const folder = options.out ?? join(repositoryRoot(), 'benchmarks/results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'spacetime.md'), report);
  writeFileSync(join(folder, 'spacetime-growth.svg'), growthPlot('An iteration of knee bends', points));
}

main();
