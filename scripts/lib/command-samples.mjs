/**
 * Commands that documents show with what they print: blocks ```` ```console ```` whose first line is `$ npx poise ...`.
 */

/**
 * @typedef {object} CommandSample
 * @property {string} document path of the document
 * @property {number} line line of the command, from 1
 * @property {string[]} argv arguments of `poise`
 * @property {string[]} output lines that it prints; `...` stands for any number of lines
 */

/**
 * @param {string} markdown
 * @param {string} document
 * @returns {CommandSample[]}
 * @throws Error on a block that does not begin with a command of Poise
 */
export function extractCommands(markdown, document) {
  /** @type {CommandSample[]} */
  const samples = [];
  for (const { 0: block, 1: body, index } of markdown.matchAll(/^```console\n([\s\S]*?)^```$/gm)) {
    const [command, ...output] = body.trimEnd().split('\n');
    const line = markdown.slice(0, index).split('\n').length + 1;
    const argv = /^\$ npx poise (.*)$/.exec(command)?.[1].split(' ');
    if (argv === undefined)
      throw new Error(`${document}:${line}: "${block.split('\n')[1]}" is not a command of poise.`);
    samples.push({ document, line, argv, output });
  }
  return samples;
}

/** Numbers that differ from run to run and from machine to machine: times, and counts of a solver. */
const VARYING = /^ ?(ms|us|mm|iterations?|restarts?)\b/;
/** Of other numbers: what a rounding, or another order of sums, may change. */
const RELATIVE = 0.1;
const ABSOLUTE = 0.01;

/**
 * The first line that differs, as `shown` and `printed`; undefined where all agree.
 *
 * @param {readonly string[]} shown
 * @param {readonly string[]} printed
 * @returns {{ shown: string, printed: string | undefined } | undefined}
 */
export function firstDifference(shown, printed) {
  let at = 0;
  for (let k = 0; k < shown.length; k++) {
    if (shown[k].trim() === '...') {
      if (k === shown.length - 1) return undefined;
      const next = printed.findIndex((line, j) => j >= at && isSameLine(shown[k + 1], line));
      if (next < 0) return { shown: shown[k + 1], printed: undefined };
      at = next;
    } else if (at < printed.length && isSameLine(shown[k], printed[at])) at++;
    else return { shown: shown[k], printed: printed[at] };
  }
  return at === printed.length ? undefined : { shown: '', printed: printed[at] };
}

/**
 * @param {string} shown
 * @param {string} printed
 */
function isSameLine(shown, printed) {
  const [a, b] = [piecesOf(shown), piecesOf(printed)];
  return (
    a.length === b.length &&
    a.every((piece, k) => {
      // Odd pieces are numbers; columns are as wide as their longest entry.
      if (k % 2 === 0) return piece === b[k];
      if (VARYING.test(a[k + 1]) || / multiplier $|\(multiplier $/.test(a[k - 1])) return true;
      const [x, y] = [Number(piece), Number(b[k])];
      return Math.abs(x - y) <= Math.max(ABSOLUTE, RELATIVE * Math.abs(y));
    })
  );
}

/** @param {string} line */
function piecesOf(line) {
  return line
    .trimEnd()
    .replace(/ +/g, ' ')
    .split(/((?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w]))/);
}
