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
  return (
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>` +
    `<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>\n${body.filter((text) => text !== '').join('\n')}\n</body></html>\n`
  );
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

const STYLE = `
body{font:15px/1.5 system-ui,sans-serif;color:#222;background:#fff;margin:2rem auto;max-width:1080px;padding:0 1rem}
h1{font-size:1.5rem;margin:0 0 .3rem}h2{font-size:1.1rem;margin:1.8rem 0 .5rem}
.verdict{padding:.5rem .8rem;border-left:4px solid}.verdict.good{background:#e8f5ef;border-color:#009e73}.verdict.poor{background:#fdf0e6;border-color:#d55e00}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1.2rem;margin:0}dt{color:#666}dd{margin:0;overflow-wrap:anywhere}
.note{color:#666;font-size:.85rem}.wide{overflow-x:auto}.strip{max-width:100%;height:auto;display:block;margin:.4rem 0}
.charts{display:flex;flex-wrap:wrap;gap:.8rem}.chart{margin:0}.chart svg{display:block;width:340px;max-width:100%}.chart svg[viewBox^="0 0 520"]{width:520px}
figcaption{font-size:.8rem;max-width:340px}.key{margin-left:.7rem;white-space:nowrap;color:#555}.key i{display:inline-block;width:.8rem;height:.25rem;margin-right:.3rem;vertical-align:middle}
svg text{font:10px system-ui,sans-serif;fill:#666}.grid{stroke:#e5e5e5;fill:none}.level{stroke:#b00020;stroke-dasharray:5 3;fill:none}.curve{fill:none;stroke-width:1.4;stroke-linejoin:round}
.stick{fill:none;stroke-width:2.4;stroke-linecap:round;stroke-linejoin:round;stroke:#444}.stick.far{stroke:#9db4c6;stroke-width:2}.stick.near{stroke:#0b3c5d}.floor{stroke:#999;fill:none}.force{stroke:#d55e00;stroke-width:1.4;fill:none}
table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;padding:.2rem .7rem .2rem 0;border-bottom:1px solid #e5e5e5}.number{font-variant-numeric:tabular-nums;white-space:nowrap;position:relative}.number i{position:absolute;left:0;bottom:0;height:3px;background:#0072b2}
pre{font-size:.75rem;white-space:pre-wrap;overflow-wrap:anywhere}`;
