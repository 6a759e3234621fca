import { parseArgs } from 'node:util';
import { createDynamics } from 'poise/dynamics';
import { createHumanFigure } from 'poise/humanoid';
import { createSpacetimeProblem, solveSpacetime } from 'poise/spacetime';
import { machineLines } from './machine.js';
import { writeResults } from './results.js';
import { somersault } from './spacetime/flights.js';
import { play, strayFall, straySpin } from './spacetime/play.js';

const USAGE = `npm run bench -- spacetime-flight [options]
How near an optimized second of flight is to a flight, by the number of knot intervals: momentum and fall at and between the moments
that the solve looks at, and open-loop play of its torques by the forward simulator.
  --quick    8 and 12 intervals, nothing written
  --out DIR  where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const TOLERANCE = 1e-10;
/** Moments looked at in every knot interval. */
const BETWEEN = 48;
/** Of rk4, s: motions are played in steps twice as long too, to tell the integrator's share. */
const STEP = 1.25e-3;
/** Intervals of the motion that is solved without the law. */
const WITHOUT = 16;

interface Flight {
  readonly name: string;
  readonly intervals: number;
  readonly status: string;
  readonly iterations: number;
  /** Of the angular momentum, over its length. */
  readonly collocated: number;
  readonly between: number;
  /** Of the centre of mass, m. */
  readonly fall: number;
  /** Of the figure, m; NaN where it is not played. */
  readonly played: number;
  /** How much the play changes when its steps are twice as long, m; NaN where it is not played. */
  readonly steps: number;
}

/** Collocation points of angular momentum in a flight of one second on even knots, as in the physics term of the solve. */
function collocationPoints(intervals: number): number[] {
  const middles = Array.from({ length: intervals }, (_, k) => (k + 0.5) / intervals);
  return [0, 0.25 / intervals, ...middles, 1 - 0.25 / intervals, 1];
}

function fly(intervals: number, physics: boolean): Flight {
  const figure = createHumanFigure();
  const dynamics = createDynamics(figure);
  const problem = createSpacetimeProblem(figure, somersault(figure, intervals, physics));
  const { status, iterations, trajectory } = solveSpacetime(problem, {
    tolerance: TOLERANCE,
    maxRefinements: 0,
  });
  const many = BETWEEN * intervals;
  const times = Array.from({ length: many + 1 }, (_, k) => k / many);
  // What is no flight throws its arms through the poles of their charts, where the simulator stops.
  const [played, twice] = [STEP, 2 * STEP].map((step) =>
    physics ? play(dynamics, trajectory, step) : Number.NaN,
  );
  const flight = {
    name: physics ? `${intervals}` : `${intervals}, without \`physics\``,
    intervals,
    status,
    iterations,
    collocated: straySpin(dynamics, trajectory, collocationPoints(intervals)),
    between: straySpin(dynamics, trajectory, times),
    fall: strayFall(dynamics, trajectory, times),
    played,
    steps: Math.abs(played - twice),
  };
  console.error(line(flight));
  return flight;
}

/** The power of the interval that a distance falls by: least squares of its logarithm against that of the interval. */
function order(flights: readonly Flight[], of: (flight: Flight) => number): string {
  const x = flights.map(({ intervals }) => -Math.log(intervals));
  const y = flights.map((flight) => Math.log(of(flight)));
  const mean = (all: readonly number[]): number => all.reduce((sum, a) => sum + a, 0) / all.length;
  const [mx, my] = [mean(x), mean(y)];
  const up = x.reduce((sum, a, k) => sum + (a - mx) * (y[k] - my), 0);
  return (up / x.reduce((sum, a) => sum + (a - mx) ** 2, 0)).toFixed(2);
}

const HEAD = [
  '| intervals | status | iterations | spin at collocation points | spin between | fall, mm | played, mm | of it the steps, mm |',
  '| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |',
];

function line({ name, status, iterations, collocated, between, fall, played, steps }: Flight): string {
  const far = [fall, played].map((m) => (Number.isNaN(m) ? '' : (1e3 * m).toPrecision(2)));
  const cells = [
    name,
    status,
    iterations,
    collocated.toExponential(1),
    between.toExponential(1),
    ...far,
    Number.isNaN(steps) ? '' : (1e3 * steps).toExponential(0),
  ];
  return `| ${cells.join(' | ')} |`;
}

function main(): void {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const machine = machineLines(`npm run bench -- spacetime-flight${options.quick ? ' --quick' : ''}`);
  const counts = options.quick ? [8, 12] : [8, 12, 16, 24, 32];
  const flights = counts.map((intervals) => fly(intervals, true));
  const floating = fly(WITHOUT, false);
  const orders = [
    order(flights, ({ between }) => between),
    order(flights, ({ fall }) => fall),
    order(flights, ({ played }) => played),
  ];
  const figure = createHumanFigure();
  const total = figure.bones.reduce((sum, { mass = 0 }) => sum + mass, 0);
  const report = [
    '# Flight',
    '',
    ...machine,
    '',
    `A somersault of 3.6 rad with a twist, from tucked to open, in one second, by the built-in human; ${figure.dof} coordinates, ${total.toFixed(0)} kg; violation at most ${TOLERANCE}. Knot intervals a second against:`,
    '',
    '- **spin**: largest distance of the angular momentum about the centre of mass from that at the start, over its length; at the moments that the solve looks at, and at',
    `  ${BETWEEN} moments in every interval;`,
    '- **fall**: largest distance of the centre of mass from the parabola that it leaves on;',
    `- **played**: largest distance of an origin or tip of a bone from where the trajectory has it, when the figure is given its torques open loop, nothing at the root (rk4 in steps of ${1e3 * STEP} ms; the last`,
    '  column is how much steps twice as long change).',
    '',
    ...HEAD,
    ...flights.map(line),
    `| order | | | | ${orders.join(' | ')} | |`,
    line(floating),
    '',
    'The order is the power of the length of an interval that a distance falls by, least squares over all rows with `physics`.',
    '',
  ].join('\n');
  console.log(report);
  if (options.quick) return;
  writeResults({ 'spacetime-flight.md': report }, options.out);
}

main();
