import { formatNumber, formatSmall, formatVector, setReady } from '../shared/lesson.js';
import { find, onSlider, showNumber } from '../shared/page.js';
import { type Erratum, errataAt, errorOf } from './model.js';
import { type ErratumWords, WORDS } from './words.js';

/** Relative error below which a value counts as right: that of differences, and of the series of erratum 2 at v/20. */
const RIGHT = 1e-4;
/** Length of the vector that stands for zero, where errata say nothing, rad. */
const LEAST_LENGTH = 0.05;
const KINDS = ['printed', 'holds', 'truth'] as const;
const NAMES = { printed: 'Printed', holds: 'Holds', truth: 'Oracle' };

const articles = WORDS.map((words, n) => {
  const article = document.createElement('article');
  article.dataset.erratum = String(n + 1);
  article.innerHTML = `<h2>${n + 1}. ${words.title} <span>${words.where}</span></h2>
    <table><tbody>${KINDS.map((kind) => `<tr data-kind="${kind}"><th scope="row" rowspan="2">${NAMES[kind]}</th><td class="of">${formulaOf(words, kind)}</td></tr><tr data-value="${kind}"><td></td></tr>`).join('')}</tbody></table>
    <p>${words.value}</p>`;
  find('#errata').append(article);
  return article;
});

function formulaOf({ printed, holds, oracle }: ErratumWords, kind: (typeof KINDS)[number]): string {
  return { printed, holds, truth: oracle }[kind];
}

const v = [0, 0, 0];

function update(): void {
  const length = Math.hypot(...v);
  showNumber(
    '#theta',
    length,
    `${formatNumber(length, 3)} rad, ${formatNumber((length * 180) / Math.PI, 1)}°`,
  );
  // At zero itself there is no direction.
  const isShort = length < LEAST_LENGTH;
  const direction = length > 0 ? v.map((x) => x / length) : [1, 0, 0];
  const at = isShort ? direction.map((x) => LEAST_LENGTH * x) : v;
  find('#short').hidden = !isShort;
  for (const [n, erratum] of errataAt(at).entries()) show(articles[n], erratum, WORDS[n]);
}

function show(article: HTMLElement, erratum: Erratum, { unit }: ErratumWords): void {
  for (const kind of KINDS) {
    const error = errorOf(erratum[kind], erratum.truth);
    const row = article.querySelector<HTMLElement>(`[data-value=${kind}]`);
    const cell = row?.querySelector('td');
    if (!row || !cell) continue;
    row.toggleAttribute('data-wrong', kind !== 'truth' && error > RIGHT);
    row.toggleAttribute('data-right', kind !== 'truth' && error <= RIGHT);
    row.dataset.error = String(error);
    cell.textContent = `${valueText(erratum[kind], unit)}${kind === 'truth' ? '' : `, ${errorText(error, erratum.truth, unit)}`}`;
  }
}

function valueText(value: readonly number[], unit: ErratumWords['unit']): string {
  if (value.length > 1) return formatVector(value, 4);
  if (unit === 'deg') return `${formatNumber((value[0] * 180) / Math.PI, 4)}°`;
  return Math.abs(value[0]) < 0.01 && value[0] !== 0 ? formatSmall(value[0]) : formatNumber(value[0], 4);
}

/** How far a value is from the truth, as a share of it where it is not zero. */
function errorText(error: number, truth: readonly number[], unit: ErratumWords['unit']): string {
  if (error <= RIGHT) return 'right';
  if (Math.hypot(...truth) <= 1e-12) return `off by ${formatSmall(error)}${unit === 'deg' ? ' rad' : ''}`;
  return `off by ${error < 0.1 ? (100 * error).toPrecision(2) : formatNumber(100 * error, 0)} %`;
}

for (const [n, name] of ['x', 'y', 'z'].entries()) {
  onSlider(`#${name}`, (value) => {
    v[n] = value;
    find(`#${name}-value`).textContent = formatNumber(value, 2);
    update();
  });
}
setReady();
