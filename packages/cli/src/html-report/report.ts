/** The report of a solve as one self-contained HTML file. */
import { describeIntersample } from 'poise/spacetime';
import { decimals } from '../io/parse-number.js';
import type { LoadedScene } from '../optimize/load-scene.js';
import { sampleFrames } from '../optimize/sample.js';
import type { Solved } from '../optimize/solve-scene.js';
import { termText, verdicts } from '../optimize/summary.js';
import { chart } from './chart.js';
import { overlay, strip, viewOf } from './filmstrip.js';
import { contactPlots, torquePlots } from './joint-plots.js';
import { COLORS, escaped } from './markup.js';
import { page } from './page.js';

/** Samples of curves, and frames of the strip and of the overlay; frames coincide with samples. */
const SAMPLES = 241;
const STRIP_FRAMES = 11;
const OVERLAY_FRAMES = 9;

/** Deterministic: the same solve gives the same bytes. */
export function htmlReport(
  loaded: LoadedScene,
  { solution, history, first }: Solved,
  tolerance: number,
): string {
  const { name, figure, scene, path } = loaded;
  const { status, iterations, cost, violation, duration, report, trajectory } = solution;
  const { problem } = trajectory;
  const frames = sampleFrames(trajectory, SAMPLES);
  const every = (count: number) => frames.filter((_, k) => (k * (count - 1)) % (SAMPLES - 1) === 0);
  const view = viewOf(problem, frames);
  const title = `${name} (${figure.name})`;
  const facts = [
    ['status', status],
    ['duration', `${decimals(duration)} s`],
    ['cost', cost.toPrecision(8)],
    ['violation', `${violation.toExponential(2)} (tolerance ${tolerance.toExponential(0)})`],
    [
      'iterations',
      `${iterations}${first > 0 ? `, ${iterations - first} of them in this run` : ''}${solution.refinements > 0 ? `; the mesh was refined ${times(solution.refinements)}` : ''}`,
    ],
    ['unknowns and rows', `${problem.system.size} and ${problem.system.rows}`],
    ['scene', path],
  ];
  const conflicts = report.conflicts.map(
    (term) =>
      `<li><b>${escaped(term.name)}</b> is off by ${escaped(termText(term))} at ${decimals(term.at)} s</li>`,
  );
  const between = solution.intersample
    .filter((entry) => entry.violation > entry.tolerance)
    .map((entry) => describeIntersample(problem, entry));
  const x = history.map(({ iteration }) => iteration);
  const lines = [
    chart({
      title: 'Cost',
      x,
      xName: 'iteration',
      yName: '',
      log: true,
      width: 520,
      series: [{ name: 'cost', color: COLORS[0], values: history.map((entry) => entry.cost) }],
    }),
    chart({
      title: 'Violation',
      x,
      xName: 'iteration',
      yName: '',
      log: true,
      width: 520,
      series: [
        {
          name: 'worst constraint, scaled',
          color: COLORS[1],
          values: history.map((entry) => entry.violation),
        },
      ],
      levels: [{ value: tolerance, name: 'tolerance' }],
    }),
  ];
  const body = [
    `<h1>${escaped(title)}</h1>`,
    `<p class="verdict ${status === 'converged' ? 'good' : 'poor'}"><b>${status}</b>: ${escaped(verdicts[status])}</p>`,
    conflicts.length > 0
      ? `<h2>Violated constraints</h2><ul class="conflicts">${conflicts.join('')}</ul>`
      : '',
    between.length > 0 ? `<p>${between.map(escaped).join('<br>')}</p>` : '',
    `<dl>${facts.map(([key, value]) => `<dt>${key}</dt><dd>${escaped(value)}</dd>`).join('')}</dl>`,
    '<h2>The motion</h2>',
    `<div class="wide">${strip({ problem, view, frames: every(STRIP_FRAMES) })}</div>`,
    `<div class="wide">${overlay({ problem, view, frames: every(OVERLAY_FRAMES) }, frames)}</div>`,
    `<p class="note">Poses side by side, then in the world, later ones darker. View direction ${escaped(axisText(view.near))}; limbs on the near side are darker. Arrows: contact forces. Pink: path of the mean of the joints.</p>`,
    '<h2>Iterations</h2>',
    `<div class="charts">${lines.join('')}</div>`,
    '<h2>Terms</h2>',
    termTable(report.terms),
    report.reached.length > 0 ? `<p>At their limits: ${escaped(report.reached.join(', '))}.</p>` : '',
    '<h2>Joint forces</h2>',
    torquePlots(problem, frames),
    problem.contacts.length > 0 ? `<h2>Contact forces</h2>${contactPlots(problem, frames)}` : '',
    `<details><summary>The scene</summary><pre>${escaped(JSON.stringify(scene, null, 2))}</pre></details>`,
  ];
  return page(title, body);
}

function times(n: number): string {
  return n === 1 ? 'once' : `${n} times`;
}

/** The view direction, in the world. */
function axisText(near: ArrayLike<number>): string {
  return `(${Array.from(near, (value) => decimals(-value, 2)).join(', ')})`;
}

function termTable(terms: Solved['solution']['report']['terms']): string {
  const costs = terms.map(({ cost }) => cost);
  const max = Math.max(...costs, 0);
  const rows = terms.map((term) => {
    const isCost = term.kind === 'cost';
    const width = isCost && max > 0 ? Math.round((100 * term.cost) / max) : 0;
    const at = isCost || term.violation === 0 ? '' : `${decimals(term.at)} s`;
    const multiplier = isCost ? '' : term.multiplier.toExponential(1);
    return `<tr><td>${escaped(term.name)}</td><td>${term.kind}</td><td class="number"><i style="width:${width}%"></i>${escaped(termText(term))}</td><td class="number">${at}</td><td class="number">${multiplier}</td></tr>`;
  });
  return `<table><thead><tr><th>term</th><th>kind</th><th>cost or violation</th><th>worst at</th><th>multiplier</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}
