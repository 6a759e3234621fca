/** What a batch did, as one self-contained HTML file: failures by cause, distributions of time and quality, the worst cases. */
import type { Conclusion, Distribution, FailedJob } from '../batch/conclude.js';
import type { BatchJob, FailureClass } from '../batch/job.js';
import { durationText } from '../batch/progress.js';
import { count, significant } from '../io/parse-number.js';
import { escaped, label, px } from './markup.js';
import { details, facts, htmlTable, note, page, type Section, verdict } from './page.js';

/** A picture of a job's output. */
export interface Strip {
  readonly job: BatchJob;
  /** Why it is shown: `most sliding, 3.2 mm`. */
  readonly why: string;
  /** The text of an SVG of Poise. */
  readonly svg: string;
}

/** Failures that are listed of one cause, and causes. */
const LISTED = 20;
const CAUSES = 50;
const BARS = 24;

const CLASSES: Readonly<Record<FailureClass, string>> = {
  'bad-input': 'the input is wrong',
  'output-size': 'the output would be too large',
  internal: 'an internal error of Poise',
  time: 'took too long',
  memory: 'needed too much memory',
  crash: 'ended its thread',
  lost: 'its process died each time',
  'cannot-write': 'could not be written',
  'bad-output': 'its output is blocked, or its name is too long',
  'cannot-read': 'could not be read',
};

/** @param noun - Of an input. */
export function batchHtml(
  { plan, tally, failed, costs, quality, seconds }: Conclusion,
  noun: string,
  strips: readonly Strip[],
): Uint8Array {
  const { total, done, unmet, open } = tally;
  const words = [
    `${done} of ${count(total, noun)} done`,
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ...(open > 0 ? [`${open} to do`] : []),
    ...(unmet > 0 ? [`${unmet} with a goal that is not met or a solve that did not converge`] : []),
  ];
  const sections: Section[] = [
    { title: 'Failures by cause', body: failuresBody(failed) },
    { title: 'Quality', body: distributionsBody(quality) },
    {
      title: 'Worst cases',
      body: quality.some(({ worst }) => worst.length > 0)
        ? strips.map(stripBody).join('') + worstTable(quality)
        : '',
    },
    { title: 'Time and size', body: distributionsBody(costs) + worstTable(costs) },
  ];
  const { command, target, options, poise, out } = plan;
  const about = [
    facts([
      [
        'command',
        ['poise batch', command, ...(target === undefined ? [] : ['--target', target]), ...options].join(' '),
      ],
      ['inputs', plan.in.join(' ')],
      ['outputs', out],
      ['time of all jobs together', durationText(seconds)],
      ['Poise', poise],
    ]),
  ];
  const text = page({
    title: `Batch: ${command}, ${count(total, noun)}`,
    lead: verdict(failed.length === 0 && open === 0, escaped(`${words.join(', ')}.`)),
    about,
    sections: sections.filter(({ body }) => body !== ''),
  });
  return new TextEncoder().encode(text);
}

/** Failures of one class and code, most first. */
function failuresBody(failed: readonly FailedJob[]): string {
  if (failed.length === 0) return note('None.');
  const causes = new Map<string, FailedJob[]>();
  for (const job of failed) {
    const cause = `${job.class} ${job.code}`;
    const same = causes.get(cause);
    if (same === undefined) causes.set(cause, [job]);
    else same.push(job);
  }
  const sorted = [...causes.values()].sort((a, b) => b.length - a.length).slice(0, CAUSES);
  const rows = sorted.map(([first, ...others]) => [
    String(others.length + 1),
    `${CLASSES[first.class]}${first.setAside ? ', set aside' : ''}`,
    first.code,
    `${first.path}: ${first.what} ${first.remedy}`,
  ]);
  const lists = sorted.map((jobs) =>
    details(
      `${jobs[0].code}: ${count(jobs.length, 'job')}`,
      htmlTable(
        ['input', 'what'],
        jobs.slice(0, LISTED).map(({ input, what }) => [input, what]),
      ) + (jobs.length > LISTED ? note(`${jobs.length - LISTED} more in failed.jsonl.`) : ''),
    ),
  );
  return htmlTable([{ number: 'jobs' }, 'class', 'code', 'the first'], rows) + lists.join('');
}

function distributionsBody(distributions: readonly Distribution[]): string {
  const shown = distributions.filter(({ values }) => values.length > 0);
  if (shown.length === 0) return '';
  const rows = shown.map(({ name, unit, values }) => {
    const sorted = values.slice().sort();
    const at = (share: number): string =>
      significant(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]);
    return [unit === '' ? name : `${name} (${unit})`, at(0), at(0.5), at(0.9), at(0.99), at(1)];
  });
  const columns = ['least', 'median', '90 %', '99 %', 'most'].map((number) => ({ number }));
  return `${htmlTable(['of each', ...columns], rows)}<div class="charts">${shown.map(histogram).join('')}</div>`;
}

/** Jobs over the values, those above the 99th percentile in the last bar. */
function histogram({ name, unit, values }: Distribution): string {
  const [width, height, left, bottom, top] = [430, 150, 40, 122, 8];
  const sorted = values.slice().sort();
  const low = Math.min(0, sorted[0]);
  const most = sorted[sorted.length - 1];
  const cut = sorted[Math.floor(0.99 * (sorted.length - 1))];
  const isOne = significant(most) === significant(low);
  const high = isOne ? low + 1 : cut > low ? cut : most;
  const bars = new Array<number>(BARS).fill(0);
  for (const value of values) {
    bars[Math.min(BARS - 1, Math.floor((BARS * (value - low)) / (high - low)))]++;
  }
  const tallest = Math.max(...bars);
  const wide = (width - left - 10) / BARS;
  const title = unit === '' ? name : `${name} (${unit})`;
  const rects = bars.map((n, k) => {
    const size = ((bottom - top) * n) / tallest;
    const [from, to] = [low + ((high - low) * k) / BARS, low + ((high - low) * (k + 1)) / BARS];
    const range = k === BARS - 1 ? `${label(from)} and more` : `${label(from)} to ${label(to)}`;
    return `<rect x="${px(left + k * wide)}" y="${px(bottom - size)}" width="${px(wide - 1)}" height="${px(size)}" style="fill:var(--c0)"><title>${escaped(`${range}: ${n}`)}</title></rect>`;
  });
  const tick = (x: number, text: string, anchor: string): string =>
    `<text class="tick" x="${px(x)}" y="${bottom + 15}" text-anchor="${anchor}">${text}</text>`;
  return (
    `<figure class="chart"><figcaption><b>${escaped(title)}</b></figcaption><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">` +
    `<path class="grid" d="M${left} ${bottom}H${width - 10}"/><text class="tick" x="${left - 5}" y="${top + 8}" text-anchor="end">${tallest}</text>` +
    rects.join('') +
    tick(left, significant(low), 'start') +
    tick(
      width - 10,
      most > high ? `${significant(high)}, most ${significant(most)}` : significant(high),
      'end',
    ) +
    '</svg></figure>'
  );
}

function worstTable(distributions: readonly Distribution[]): string {
  const rows = distributions.flatMap(({ name, unit, worst }) =>
    worst.map(({ job, value }, k) => [
      k === 0 ? name : '',
      `${significant(value)}${unit === '' ? '' : ` ${unit}`}`,
      job.input,
      job.output,
    ]),
  );
  return rows.length === 0 ? '' : htmlTable(['worst', { number: 'value' }, 'input', 'output'], rows);
}

/** Names of clip paths are of one SVG: each gets its own on the page. */
function stripBody({ job, why, svg }: Strip, k: number): string {
  const own = svg
    // Its paper is white in the dark too.
    .replace(/<svg /, '<svg class="strip" style="--soft:#5b636e" ')
    .replace(/ id="/g, ` id="strip-${k}-`)
    .replace(/url\(#/g, `url(#strip-${k}-`);
  return `<p><b>${escaped(job.output)}</b>: ${escaped(why)}</p><div class="wide">${own}</div>`;
}
