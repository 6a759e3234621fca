// Tables of two versions of a benchmark, side by side: what is a time, and which rows became slower.

/**
 * @typedef {{ section: string, columns: string[], rows: string[][] }} Table
 * @typedef {{ row: string, column: string, before: number, after: number, unit: string, time: boolean }} Figure
 */

/** Columns of tails and sums of few samples: shown, and not judged. */
const UNJUDGED = /p99|max|worst|90th|slowest|fastest|set up|by the clock/i;
const TIME = /\b(us|ms|median)\b|, s$|beside MuJoCo/;
const UNITS = { us: 1, ms: 1e3, s: 1e6 };

/**
 * The Markdown tables of a report, in order; those below headings only, where there are any: others tell of progress.
 *
 * @param {string} report
 * @returns {Table[]}
 */
export function readTables(report) {
  /** @type {Table[]} */
  const tables = [];
  let section = '';
  const lines = report.split('\n');
  for (let i = 0; i < lines.length; i++) {
    if (lines[i].startsWith('#')) section = lines[i].replace(/^#+ /, '');
    if (!/^\|[ :|-]+\|$/.test(lines[i + 1] ?? '') || !lines[i].startsWith('|')) continue;
    /** @type {Table} */
    const table = { section, columns: cells(lines[i]), rows: [] };
    for (i += 2; lines[i]?.startsWith('|'); i++) table.rows.push(cells(lines[i]));
    tables.push(table);
  }
  const below = tables.filter((table) => table.section !== '');
  return below.length > 0 ? below : tables;
}

/**
 * The numbers of the reports of two versions, each the least over its rounds where it is a time and that of the first round otherwise.
 *
 * @param {readonly string[]} before reports of the rounds of one version
 * @param {readonly string[]} after
 * @returns {Figure[]}
 */
export function compareReports(before, after) {
  const first = before.map(readTables);
  const second = after.map(readTables);
  const shape = (/** @type {Table[]} */ tables) =>
    tables.map((table) => [table.columns.length, table.rows.length]).join(' ');
  if (new Set([...first, ...second].map(shape)).size !== 1 || first[0].length === 0) {
    throw new Error(
      'The two versions print different tables, or none; give arguments by which they print the same.',
    );
  }
  /** @type {Figure[]} */
  const figures = [];
  for (const [t, { section, columns, rows }] of second[0].entries()) {
    for (const [r, row] of rows.entries()) {
      const label = row.filter((cell) => readNumber(cell) === undefined && cell !== '-').join(' ');
      for (let c = 0; c < columns.length; c++) {
        const numbers = [first, second].map((rounds) =>
          rounds.map((tables) => readNumber(tables[t].rows[r][c])),
        );
        if (numbers.flat().includes(undefined)) continue;
        const unit = row[c].split(' ')[1] ?? '';
        const time = unit in UNITS || TIME.test(columns[c]);
        const [was, is] = numbers.map((values) =>
          time ? Math.min(.../** @type {number[]} */ (values)) : Number(values[0]),
        );
        figures.push({ row: `${section}: ${label}`, column: columns[c], before: was, after: is, unit, time });
      }
    }
  }
  return figures;
}

/**
 * A Markdown table of the judged times and of every other number that changed, with a last line that counts.
 *
 * @param {readonly Figure[]} figures
 * @param {number} [slower] ratio above which a time counts as slower
 */
export function formatComparison(figures, slower = 1.03) {
  const judged = figures.filter(({ time, column }) => time && !UNJUDGED.test(column));
  const changed = figures.filter(
    ({ time, column, before, after }) => !time && !UNJUDGED.test(column) && before !== after,
  );
  const over = judged.filter(({ before, after }) => after > slower * before);
  const lines = judged.map(
    (figure) =>
      `| ${figure.row} | ${figure.column} | ${show(figure.before)} | ${show(figure.after)} | ${(figure.after / figure.before).toFixed(2)}${over.includes(figure) ? ' slower' : ''} |`,
  );
  return [
    '| row | column | before | after | after / before |',
    '| --- | --- | ---: | ---: | ---: |',
    ...lines,
    '',
    `${judged.length} times, ${over.length} slower by more than ${Math.round(100 * (slower - 1))} %.`,
    ...changed.map(
      ({ row, column, before, after }) => `Also changed: ${row}, ${column}: ${before} to ${after}.`,
    ),
  ].join('\n');
}

/** @param {string} line */
function cells(line) {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/**
 * A number, with a unit of time in microseconds; undefined where the cell is no number.
 *
 * @param {string} cell
 */
function readNumber(cell) {
  const match = /^(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?: (us|ms|s))?$/.exec(cell);
  if (match === null) return undefined;
  return (
    Number(match[1]) * (match[2] === undefined ? 1 : UNITS[/** @type {keyof typeof UNITS} */ (match[2])])
  );
}

/** @param {number} value */
function show(value) {
  return Number(value.toPrecision(4)).toString();
}
