import type { Peer } from './peers/peer.js';
import type { ProblemSet } from './problems.js';
import { rawFiles, writeResults } from './results.js';
import { formatMicroseconds, markdownTable, median, percentile } from './statistics.js';

/** One solver on one set. */
export interface Row {
  readonly set: string;
  readonly source: string;
  readonly solver: string;
  readonly role: Peer['role'];
  readonly leavesOut?: string;
  readonly rounds: number;
  /** Median over the rounds, one number a problem, us. */
  readonly microseconds: number[];
  /** One character a problem: 1 solved, 0 not. */
  readonly solved: string;
  /** The same for checkPoints of check.ts, where the solver moves points. */
  readonly solvedAsPoints?: string;
  readonly largestPositionError: number;
  readonly largestLimitExcess: number;
}

/** One origin of problems and what was measured on them. */
export interface Source {
  readonly title: string;
  /** `shared` or the seed. */
  readonly name: string;
  readonly sets: readonly ProblemSet[];
  readonly rows: Row[];
}

function percent(flags: string): number {
  return (100 * (flags.split('1').length - 1)) / flags.length;
}

export function tableOf(rows: readonly Row[]): string {
  return markdownTable(
    ['set', 'solver', 'success %', 'median', 'p99', 'max'],
    rows.map((row) => [
      row.set,
      row.leavesOut ? `${row.solver} *` : row.solver,
      `${percent(row.solved).toFixed(1)}${
        row.solvedAsPoints && row.solvedAsPoints !== row.solved
          ? ` (points only: ${percent(row.solvedAsPoints).toFixed(1)})`
          : ''
      }`,
      formatMicroseconds(median(row.microseconds)),
      formatMicroseconds(percentile(row.microseconds, 0.99)),
      formatMicroseconds(Math.max(...row.microseconds)),
    ]),
  );
}

/** Poise against the fastest JavaScript peer of each column, at any success rate, on the same problem. */
function verdictOf(rows: readonly Row[]): string {
  const lines: string[][] = [];
  for (const set of new Set(rows.map((row) => row.set))) {
    const of = rows.filter((row) => row.set === set);
    const subject = of.find((row) => row.role === 'subject');
    const peers = of.filter((row) => row.role === 'peer' && row.leavesOut === undefined);
    if (!subject || peers.length === 0) continue;
    const best = (measure: (row: Row) => number): Row =>
      peers.reduce((a, b) => (measure(b) < measure(a) ? b : a));
    const column = (measure: (row: Row) => number): string => {
      const peer = best(measure);
      return `${(measure(peer) / measure(subject)).toFixed(2)}x ${peer.solver} (${percent(peer.solved).toFixed(1)} %)`;
    };
    const middle = (row: Row): number => median(row.microseconds);
    const tail = (row: Row): number => percentile(row.microseconds, 0.99);
    const met =
      percent(subject.solved) === 100 &&
      middle(subject) < middle(best(middle)) &&
      tail(subject) < tail(best(tail));
    lines.push([
      set,
      percent(subject.solved).toFixed(1),
      column(middle),
      column(tail),
      met ? 'met' : 'NOT MET',
    ]);
  }
  if (lines.length === 0) return '';
  return markdownTable(
    ['set', 'poise success %', 'best peer median / poise', 'best peer p99 / poise', 'target'],
    lines,
  );
}

/** The meaning of the stars. */
function starsOf(rows: readonly Row[]): string {
  return rows
    .filter((row) => row.leavesOut)
    .map((row) => `\\* ${row.solver} on ${row.set} leaves out ${row.leavesOut}; not in the comparison below.`)
    .join('\n');
}

/** Problems that the subject left unsolved, for inspection. */
function missesOf(rows: readonly Row[]): string {
  return rows
    .filter((row) => row.role === 'subject' && row.solved.includes('0'))
    .map((row) => {
      const indices = [...row.solved].flatMap((flag, i) => (flag === '0' ? [i] : []));
      return `${row.solver} missed in ${row.set} (${row.source}): ${indices.join(', ')}`;
    })
    .join('\n');
}

/** The report's section on one origin of problems. */
export function sectionOf({ title, sets, rows }: Source): string {
  const ordered = sets.flatMap((set) => rows.filter((row) => row.set === set.id));
  return [`## ${title}`, tableOf(ordered), starsOf(ordered), verdictOf(ordered), missesOf(ordered)]
    .filter(Boolean)
    .join('\n\n');
}

/** Writes the report and the raw samples; `folder` as `writeResults` has it. */
export function writeReport(
  folder: string | undefined,
  name: string,
  title: string,
  head: readonly string[],
  sections: readonly string[],
  sources: readonly Source[],
): void {
  const report = `# ${title}\n\n${head.join('\n')}\n\n${sections.join('\n\n')}\n`;
  writeResults({ [`${name}.md`]: report, ...rawFiles(name, head, sources) }, folder);
}
