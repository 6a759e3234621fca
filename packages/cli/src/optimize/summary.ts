/** The report of `poise optimize`, as data and as text. */
import {
  describeIntersample,
  type IntersampleViolation,
  type SpacetimeStatus,
  type TermReport,
} from 'poise/spacetime';
import { type Io, line, styled } from '../io/io.js';
import { count, decimals, significant } from '../io/parse-number.js';
import type { Source } from '../io/source.js';
import { table } from '../io/table.js';
import type { LoadedScene } from './load-scene.js';
import type { Solved } from './solve-scene.js';

/** What `poise optimize --json` prints. */
export interface OptimizeSummary {
  readonly format: 'poise-optimize-report';
  readonly version: 1;
  readonly scene: string;
  readonly source: { readonly kind: Source['kind']; readonly path?: string };
  readonly figure: string;
  readonly status: SpacetimeStatus;
  /** Total, with those before `--resume`. */
  readonly iterations: number;
  readonly cost: number;
  /** The worst constraint, scaled. */
  readonly violation: number;
  /** Of the motion, s. */
  readonly duration: number;
  /** How often the mesh was refined. */
  readonly refinements: number;
  /** On the last mesh. */
  readonly unknowns: number;
  readonly rows: number;
  readonly terms: readonly TermReport[];
  readonly reached: readonly string[];
  /** Names of the violated constraints, worst first. */
  readonly conflicts: readonly string[];
  /** Constraints over spans between their samples, worst first. */
  readonly intersample: readonly IntersampleViolation[];
  /** The same in words. */
  readonly betweenKeys: readonly string[];
  /** Of the iterations of this run, ms. */
  readonly milliseconds: number;
  readonly output?: string;
  readonly animation?: { readonly name: string; readonly seconds: number };
  readonly report?: string;
  readonly state?: string;
  readonly warnings: readonly string[];
}

/** Files written. */
export interface Written {
  readonly output?: string;
  /** Whether the output is a table of samples. */
  readonly isTable?: boolean;
  readonly animation?: string;
  readonly report?: string;
  readonly state?: string;
}

export function summaryOf(
  loaded: LoadedScene,
  { solution, milliseconds }: Solved,
  written: Written,
): OptimizeSummary {
  const { source, figure, problem, warnings, path } = loaded;
  const { status, iterations, cost, violation, duration, report, trajectory } = solution;
  const { system } = trajectory.problem;
  const { output, animation } = written;
  return {
    format: 'poise-optimize-report',
    version: 1,
    scene: path,
    source: { kind: source.kind, ...(source.path !== undefined && { path: source.path }) },
    figure: figure.name,
    status,
    iterations,
    cost,
    violation,
    duration,
    refinements: solution.refinements,
    unknowns: system.size,
    rows: system.rows,
    terms: report.terms,
    reached: report.reached,
    conflicts: report.conflicts.map(({ name }) => name),
    intersample: solution.intersample,
    betweenKeys: solution.intersample
      .filter(({ violation }) => violation > 0)
      .map((entry) => describeIntersample(problem, entry)),
    milliseconds,
    ...(output !== undefined && { output }),
    ...(animation !== undefined && { animation: { name: animation, seconds: duration } }),
    ...(written.report !== undefined && { report: written.report }),
    ...(written.state !== undefined && { state: written.state }),
    warnings: [...warnings, ...solution.warnings],
  };
}

/** Text for each status. */
export const verdicts: Readonly<Record<SpacetimeStatus, string>> = {
  converged: 'all constraints are satisfied and no step reduces the cost further.',
  coarse:
    'all constraints are satisfied at their samples, but not between them, on any refined mesh tried; the warnings say what and when. More intervals or a longer duration may help.',
  infeasible:
    'constraints conflict near every guess tried; this is the motion with the smallest violation found. Another reference, a longer duration or larger limits may help.',
  stalled: 'no step makes progress, but the solver cannot prove convergence.',
  'iteration-limit': 'stopped at the iteration limit; this is the motion so far.',
  interrupted: 'interrupted; this is the motion so far.',
};

/** The value of a cost, or the violation of a constraint. */
export function termText({ kind, cost, violation, unit }: TermReport): string {
  return kind === 'cost'
    ? cost.toPrecision(4)
    : `${violation === 0 ? '0' : violation.toExponential(1)} ${unit}`;
}

/** Prints a readable report. */
export function printSummary(summary: OptimizeSummary, io: Io, isTable = false): void {
  const { status, terms, reached, conflicts, duration, cost, violation } = summary;
  const done = status === 'converged';
  line(
    io,
    `${styled(io, 'bold', summary.figure)}: ${styled(io, done ? 'green' : 'yellow', status)}, ${verdicts[status]}`,
  );
  line(io, `${decimals(duration)} s, cost ${cost.toPrecision(6)}, violation ${violation.toExponential(1)}`);
  line(io);
  const [head, ...rows] = table([
    ['term', 'kind', 'cost or violation', 'worst at (s)'],
    ...terms.map((term) => [
      term.name,
      term.kind,
      termText(term),
      term.kind === 'cost' || term.violation === 0 ? '' : decimals(term.at),
    ]),
  ]);
  line(io, styled(io, 'dim', head));
  for (const row of rows) line(io, row);
  line(io);
  for (const name of conflicts) line(io, `${styled(io, 'red', 'violated')}: ${name}`);
  if (reached.length > 0) line(io, `at their limits: ${reached.join(', ')}`);
  line(
    io,
    `${count(summary.iterations, 'iteration')}, ${significant(summary.milliseconds)} ms; ` +
      `${count(summary.unknowns, 'unknown')}, ${count(summary.rows, 'row')}`,
  );
  const { output, animation, report, state } = summary;
  if (output !== undefined) {
    const what = animation
      ? `animation '${animation.name}', ${decimals(animation.seconds)} s`
      : isTable
        ? 'samples of the motion'
        : 'the motion';
    line(io, `wrote ${output}: ${what}`);
  }
  if (report !== undefined) line(io, `wrote ${report}: the report`);
  if (state !== undefined) line(io, `wrote ${state}: the solver state for --resume`);
}
