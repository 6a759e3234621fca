import { parseArgs } from 'node:util';
import {
  createSpacetimeProblem,
  createSpacetimeSolver,
  getSpacetimeSolution,
  type SpacetimeOptions,
  stepSpacetime,
} from 'poise/spacetime';
import { machineLines } from './machine.js';
import { writeResults } from './results.js';
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
const ENOUGH: SpacetimeOptions = { tolerance: 1e-5, gain: 1e-3, maxRefinements: 0 };
/** Of growth the time of an iteration is asked for; more would tell no more. */
const MAX_GROWING = options.quick ? 3 : 40;
const MAX_JUMPING = options.quick ? 3 : 150;

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
  /** Linear systems factored, and the time of the solve for each, ms: how many an iteration takes depends on what holds it. */
  readonly factorizations: number;
  readonly system: number;
}

function time({ name, figure, data }: TimedProblem, max: number): Timed {
  const begin = performance.now();
  const problem = createSpacetimeProblem(figure, data);
  const under = createSpacetimeSolver(problem, ENOUGH);
  const create = performance.now() - begin;
  const times: number[] = [];
  let last = performance.now();
  let goesOn = true;
  while (goesOn && times.length < max) {
    goesOn = stepSpacetime(under);
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  const { status, iterations, cost, violation } = getSpacetimeSolution(under);
  const solve = times.reduce((sum, ms) => sum + ms, 0);
  const { count: factorizations } = under.solver.model.factored;
  const timed = {
    name,
    unknowns: problem.system.size,
    rows: problem.system.rows,
    iterations,
    status,
    cost,
    violation,
    create,
    solve,
    factorizations,
    system: solve / factorizations,
    iteration: times.slice().sort((a, b) => a - b)[Math.floor(times.length / 2)],
  };
  console.error(line(timed));
  return timed;
}

const HEAD = [
  '| problem | unknowns | rows | status | iterations | cost | violation | set up, ms | solve, s | an iteration, ms | linear systems | solve for each, ms |',
  '| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
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
    timed.factorizations,
    timed.system.toFixed(0),
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
  time(kneeBends(1), 3);
  const lengths = options.quick ? [1, 2] : [1, 2, 4, 8];
  const growth = lengths.map((seconds) => time(kneeBends(seconds), MAX_GROWING));
  const jumped = time(jump(), MAX_JUMPING);
  const points = growth.map(({ system }, k) => ({ seconds: lengths[k], milliseconds: system }));
  const last = points[points.length - 1];
  const ratio = (lengths[0] / last.seconds) * (last.milliseconds / points[0].milliseconds);
  const report = [
    '# Spacetime',
    '',
    ...machine,
    '',
    `Violation at most ${ENOUGH.tolerance}, a gain below ${ENOUGH.gain} of the cost counts as none. An iteration: the median of all. Knee bends, which tell how time grows, are given up after ${MAX_GROWING}. The jump begins at its stance.`,
    '',
    ...HEAD,
    ...growth.map(line),
    line(jumped),
    '',
    `For each linear system, its share of linearizing and correcting with it, ${last.seconds} s take ${ratio.toFixed(2)} times what their length would make of ${points[0].seconds} s: 1 is linear. How many factorizations an iteration takes depends on how many limits and forces change sides.`,
    '',
    '![Time against length](spacetime-growth.svg)',
    '',
  ].join('\n');
  console.log(report);
  if (options.quick) return;
  const plot = growthPlot('Knee bends: the solve for each linear system', points);
  writeResults({ 'spacetime.md': report, 'spacetime-growth.svg': plot }, options.out);
}

main();
