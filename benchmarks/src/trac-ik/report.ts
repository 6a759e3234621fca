import { rawFiles, writeResults } from '../results.js';
import { formatMicroseconds, markdownTable, median, percentile } from '../statistics.js';
import type { Row } from './measure.js';

/** Success that the target asks for, %. */
const SUCCESS = 99.9;
/** The lowest mean of TRAC-IK over its robots on the reference machine, us. */
const TRAC_IK_MEAN = 270;
/** The largest mean of KDL over the same robots on the same machine, us: normalizing with it is the strictest reading. */
const KDL_MEAN = 3600;

export interface Source {
  readonly title: string;
  readonly name: string;
  readonly rows: Row[];
}

export function mean(samples: readonly number[]): number {
  return samples.reduce((sum, x) => sum + x, 0) / samples.length;
}

function percent(flags: string): number {
  return (100 * (flags.split('1').length - 1)) / flags.length;
}

export function tableOf(rows: readonly Row[]): string {
  return markdownTable(
    ['robot', 'solver', 'problems', 'success %', 'mean', 'median', 'p99', 'max'],
    rows.map((row) => [
      row.robot,
      row.solver,
      String(row.solved.length),
      percent(row.solved).toFixed(2),
      formatMicroseconds(mean(row.microseconds)),
      formatMicroseconds(median(row.microseconds)),
      formatMicroseconds(percentile(row.microseconds, 0.99)),
      formatMicroseconds(Math.max(...row.microseconds)),
    ]),
  );
}

/** Poise against the target: success, and its mean with KDL's mean on the same poses as the unit. */
function verdictOf(rows: readonly Row[]): string {
  const lines = rows
    .filter((row) => row.role === 'subject')
    .map((subject) => {
      const kdl = rows.find((row) => row.robot === subject.robot && row.role === 'yardstick');
      const own = mean(subject.microseconds);
      const success = percent(subject.solved);
      const scale = kdl ? KDL_MEAN / mean(kdl.microseconds) : undefined;
      const fast = scale === undefined ? 'not normalized' : own * scale <= TRAC_IK_MEAN ? 'met' : 'NOT MET';
      return [
        subject.robot,
        success.toFixed(2),
        formatMicroseconds(own),
        kdl ? formatMicroseconds(mean(kdl.microseconds)) : '-',
        scale === undefined ? '-' : formatMicroseconds(own * scale),
        subject.largestLimitExcess.toExponential(1),
        success >= SUCCESS ? fast : 'NOT MET',
      ];
    });
  return markdownTable(
    ['robot', 'success %', 'mean', "KDL's mean", 'normalized mean', 'largest limit excess, rad', 'target'],
    lines,
  );
}

function missesOf(rows: readonly Row[]): string {
  return rows
    .filter((row) => row.role === 'subject' && row.solved.includes('0'))
    .map((row) => {
      const indices = [...row.solved].flatMap((flag, i) => (flag === '0' ? [i] : []));
      return `${row.solver} missed on ${row.robot} (${row.source}): ${indices.join(', ')}`;
    })
    .join('\n');
}

export function sectionOf({ title, rows }: Source): string {
  return [`## ${title}`, tableOf(rows), verdictOf(rows), missesOf(rows)].filter(Boolean).join('\n\n');
}

const NOTES = `The target: at least ${SUCCESS} % of the problems, and a mean over all of them, failures included, of at most ${formatMicroseconds(TRAC_IK_MEAN)}
after normalizing: TRAC-IK's means were 270 to 400 us on the reference machine, where KDL's on such poses were 1.2 to 3.6 ms. The
normalized mean takes the strictest of each: it is the mean times ${formatMicroseconds(KDL_MEAN)} over KDL's mean of this run.`;

/** Writes the report and the raw samples; `folder` as `writeResults` has it. */
export function writeReport(
  folder: string | undefined,
  head: readonly string[],
  sources: readonly Source[],
): void {
  const report = `# The TRAC-IK protocol\n\n${head.join('\n')}\n\n${NOTES}\n\n${sources.map(sectionOf).join('\n\n')}\n`;
  writeResults({ 'trac-ik.md': report, ...rawFiles('trac-ik', head, sources) }, folder);
}
