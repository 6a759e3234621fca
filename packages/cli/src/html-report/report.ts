/** The report of a solve as one self-contained HTML file. */
import { type Vec3, vec3 } from 'poise/math';
import { describeIntersample, trajectoryMotion } from 'poise/spacetime';
import { humanoidOf } from '../io/humanoid.js';
import { decimals } from '../io/parse-number.js';
import type { LoadedScene } from '../optimize/load-scene.js';
import { type Frame, sampleFrames } from '../optimize/sample.js';
import type { Solved } from '../optimize/solve-scene.js';
import { termText, verdicts } from '../optimize/summary.js';
import { chart } from './chart.js';
import { overlay, strip, viewOf, WEIGHT_ARROW, weightOf } from './filmstrip.js';
import { contactPlots, torquePlots } from './joint-plots.js';
import { CURVES, escaped } from './markup.js';
import { details, facts, note, page, type Section, verdict, warningList } from './page.js';
import { PLAYER, player } from './player.js';

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
  const { name, figure, scene, path, source } = loaded;
  const { status, iterations, cost, violation, duration, report, trajectory } = solution;
  const { problem } = trajectory;
  const frames = sampleFrames(trajectory, SAMPLES);
  const every = (count: number) => frames.filter((_, k) => (k * (count - 1)) % (SAMPLES - 1) === 0);
  const view = viewOf(problem, frames);
  const title = `${name} (${figure.name})`;
  const solve: (readonly [string, string])[] = [
    ['status', status],
    ['cost', cost.toPrecision(8)],
    ['violation', `${violation.toExponential(2)} (tolerance ${tolerance.toExponential(0)})`],
    [
      'iterations',
      `${iterations}${first > 0 ? `, ${iterations - first} of them in this run` : ''}${solution.refinements > 0 ? `; the mesh was refined ${times(solution.refinements)}` : ''}`,
    ],
    ['unknowns and rows', `${problem.system.size} and ${problem.system.rows}`],
  ];
  const humanoid = humanoidOf({ figure, ...(source.human && { human: source.human }) });
  const head = humanoid?.bones.head;
  const weight = weightOf(problem);
  const heights = frames[0].origins.map((origin) => vec3.dot(origin, view.up));
  const arrow = WEIGHT_ARROW * (Math.max(...heights) - Math.min(...heights));
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
      series: [{ name: 'cost', color: CURVES[0], values: history.map((entry) => entry.cost) }],
    }),
    chart({
      title: 'Violation',
      x,
      xName: 'iteration',
      yName: '',
      log: true,
      series: [
        {
          name: 'worst constraint, scaled',
          color: CURVES[1],
          values: history.map((entry) => entry.violation),
        },
      ],
      levels: [{ value: tolerance, name: 'tolerance' }],
    }),
  ];
  const list = conflicts.length > 0 ? `<p>Violated constraints:</p><ul>${conflicts.join('')}</ul>` : '';
  const lead = verdict(status === 'converged', `<b>${status}</b>: ${escaped(verdicts[status])}`) + list;
  const about = [
    facts([
      ['length', `${decimals(duration)} s`],
      ['scene', path],
    ]),
    warningList(between),
  ];
  const sections: Section[] = [
    {
      title: 'The motion',
      body: [
        player(
          [
            {
              title: figure.name,
              figure,
              ...(humanoid && { humanoid }),
              drawn: figure.bones.map(({ index }) => (source.figure === figure ? source.drawn[index] : true)),
              points: 'arrows',
            },
          ],
          [
            {
              name,
              times: frames.map(({ time }) => time),
              motions: [trajectoryMotion(trajectory)],
              points: (f) => arrowsOf(frames[f], weight, arrow),
            },
          ],
        ),
        note(
          'Drag the picture or use the arrow keys to turn it. Blue: left, grey: right. Arrows: forces of the ground on the body.',
        ),
        `<div class="wide">${strip({ problem, head, view, frames: every(STRIP_FRAMES) })}</div>`,
        `<div class="wide">${overlay({ problem, head, view, frames: every(OVERLAY_FRAMES) }, frames)}</div>`,
        note(
          `Poses side by side, then in the world, later ones darker. View direction ${axisText(view.near)}; limbs on the near side are darker. Pink: path of the mean of the joints.`,
        ),
      ].join(''),
    },
    { title: 'Joint forces', body: torquePlots(problem, frames) },
    {
      title: 'Contact forces',
      body: problem.contacts.length > 0 ? contactPlots(problem, frames) : '',
    },
    {
      title: 'Terms of the scene',
      body:
        termTable(report.terms) +
        (report.reached.length > 0 ? `<p>At their limits: ${escaped(report.reached.join(', '))}.</p>` : ''),
    },
    { title: 'The solve', body: `${facts(solve)}<div class="charts">${lines.join('')}</div>` },
    {
      title: 'The scene',
      body: details('As it was read', `<pre>${escaped(JSON.stringify(scene, null, 2))}</pre>`),
    },
  ];
  return page({ title, lead, about, sections, programs: [PLAYER] });
}

/** Tails and heads of the contact forces of a frame, of which one as large as the weight has a length of its own. */
function arrowsOf({ points, forces }: Frame, weight: number, length: number): (Vec3 | undefined)[] {
  return forces.flatMap((force, c) =>
    vec3.norm(force) > 0 && weight > 0
      ? [points[c], vec3.addScaled(points[c], force, length / weight)]
      : [undefined, undefined],
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
    return `<tr><td>${escaped(term.name)}</td><td>${term.kind}</td><td class="share"><i style="width:${width}%"></i>${escaped(termText(term))}</td><td class="number">${at}</td><td class="number">${multiplier}</td></tr>`;
  });
  return `<div class="wide"><table><thead><tr><th>term</th><th>kind</th><th>cost or violation</th><th class="number">worst at</th><th class="number">multiplier</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}
