// npm test -- words: file names, exports and headings, comments and documents say things in the field's words.
// A word of the first list is a fault in a name or heading unless docs/glossary.md has an entry for it; a phrase of the second in any comment
// or paragraph.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';
import { publicPackages, root } from './lib/house.mjs';

/** Words of our own -> the field's. @type {Readonly<Record<string, string>>} */
const words = {
  wish: 'soft goal, soft objective',
  wall: 'inequality constraint, set constraint',
  side: 'inequality constraint, bound, reference axis',
  hold: 'restore, prior, multiplier, fixed, collocation point',
  held: 'restored, prior, multiplier, fixed, pinned',
  settle: 'restore, polish, put to sleep',
  later: 'lower priority, level',
  decided: 'fixed, at its bound',
  undecided: 'free',
  felt: 'affecting, effective',
  unfelt: 'without effect',
  promise: 'predicted decrease',
  promised: 'predicted',
  harden: 'increase damping, apply the Hessian',
  hardness: 'stiffness matrix',
  push: 'impulse, multiplier force',
  pull: 'force, gradient',
  pressed: 'active',
  faint: 'small decrease',
  stuck: 'stagnant',
  patience: 'cooldown',
  look: 'line search, evaluation, sample',
  foresee: 'predict',
  bent: 'curved',
  slope: 'derivative, gradient',
  part: 'term, component, substep, step fraction',
  way: 'direction, displacement, path',
  turn: 'rotation, angle',
  turning: 'rotation',
  turned: 'rotated',
  place: 'position, update',
  placed: 'in world axes, with row offsets',
  most: 'MAX',
  least: 'MIN',
  across: 'tangential',
  along: 'normal',
  stirred: 'woken',
  outrun: 'exceeds margin',
  clock: 'time scaling',
  stretch: 'ds/du',
  moment: 'sample',
  moments: 'samples, quadrature points',
  instant: 'collocation point',
  leader: 'source of a mimic joint',
  follower: 'mimic joint',
  coupling: 'mimic joint',
  coupled: 'mimic joint, constrained',
  nu: 'velocity, v',
};

/** Names in which a word of the list is the field's own. */
const exceptions = [
  // `look-at` is what every engine calls it.
  /^look-?at/i,
  // Words run together by camel case.
  /^(outside|inside)/i,
  // The method has no other name.
  /least-?squares/i,
];

/** Phrases of our own -> the field's; without false alarms in the comments and documents of today. @type {readonly [RegExp, string][]} */
const phrases = [
  [/\bwish(es)?\b/, 'soft goal, soft objective'],
  [/\b(un)?felt\b/, 'affecting, effective'],
  [/\bsettle[sd]?\b/, 'restore, converge, put to sleep'],
  [/\bpromised?\b(?! of its)/, 'predicted decrease'],
  [/\bforesee(n|s)?\b/, 'predict'],
  [/\bharden(s|ed)?\b/, 'increase damping'],
  [/\bwhole turns?\b/, 'multiples of 2 pi, revolutions'],
  [/\btak(e|es|en|ing) out\b|\btook out\b/, 'eliminate, subtract'],
  [/\b(leader|follower)s?\b/, 'source, mimic joint'],
  [/\bnu\b/, 'v, velocity'],
  [/\bstirred\b|\boutruns?\b/, 'woken, exceeds the margin'],
  [/\bfaint\b|\bpatience\b/, 'small decrease, cooldown'],
  [/\b(goes|go|going) on\b/, 'continue, extrapolate'],
  [/\blook(s|ed)? along\b/, 'line search'],
  [/\bof no interest\b|\bcomes? to lie\b|\banybody's\b/, 'a plain statement'],
  [/\bDESIGN\.md\b|\bFIELD\.md\b|(?<!lecture )\bthe notes\b/, 'author, title and section'],
];

const glossary = glossaryWords();
/** @type {string[]} */
const faults = [];

for (const file of sourceFiles()) check(basename(file).replace(/\.tsx?$/, ''), file, 'file name');
for (const [name, file] of exportedNames()) check(name, file, 'export');
for (const [heading, file] of headings()) check(heading, file, 'heading');
for (const [text, place] of [...comments(), ...paragraphs()]) {
  for (const [phrase, instead] of phrases) {
    const found = phrase.exec(text);
    if (found !== null) faults.push(`${place}: '${found[0]}'; the field says: ${instead}`);
  }
}

for (const fault of faults) console.log(fault);
console.log(`words: ${faults.length} names and phrases that the field has another word for`);
process.exit(faults.length === 0 ? 0 : 1);

/** @param {string} name @param {string} file @param {string} kind */
function check(name, file, kind) {
  if (exceptions.some((exception) => exception.test(name))) return;
  for (const word of wordsOf(name)) {
    const instead = words[word] ?? words[word.replace(/e?s$/, '')];
    if (instead === undefined || glossary.has(word) || glossary.has(word.replace(/s$/, ''))) continue;
    faults.push(`${file}: ${kind} '${name}' says '${word}'; the field says: ${instead}`);
  }
}

/** `restAtMoment`, `rest-at-moment`, `REST_AT_MOMENT` -> rest, at, moment @param {string} name */
function wordsOf(name) {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}

function sourceFiles() {
  return ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(root, group)).flatMap((name) => {
      const folder = join(group, name, 'src');
      return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file))
        .map((file) => join(folder, file));
    }),
  );
}

/** Every name that an entry point exports, with its file. */
function exportedNames() {
  const entries = publicPackages.flatMap((name) => {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
    return Object.values(manifest.exports ?? {}).map((target) =>
      join('packages', name, target['poise-source']),
    );
  });
  const { config } = ts.readConfigFile(join(root, 'tsconfig.test.json'), ts.sys.readFile);
  const base = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile).config;
  const options = ts.convertCompilerOptionsFromJson(
    { ...base.compilerOptions, ...config.compilerOptions },
    root,
  );
  const program = ts.createProgram(
    entries.map((entry) => join(root, entry)),
    options.options,
  );
  const checker = program.getTypeChecker();
  /** @type {Map<string, string>} */
  const names = new Map();
  for (const entry of entries) {
    const source = program.getSourceFile(join(root, entry));
    const symbol = source && checker.getSymbolAtLocation(source);
    if (!symbol) continue;
    for (const exported of checker.getExportsOfModule(symbol)) names.set(exported.name, entry);
  }
  return names;
}

/** Comment lines of the sources, without code in backticks. @returns {[string, string][]} */
function comments() {
  return sourceFiles().flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, n) => {
        const text = /^\s*(?:\/?\*\*?|\/\/)(.*)/.exec(line)?.[1] ?? /[^:'"`\w]\/\/ (.*)/.exec(line)?.[1];
        return text === undefined
          ? []
          : [/** @type {[string, string]} */ ([text.replace(/`[^`]*`/g, ''), `${file}:${n + 1}`])];
      }),
  );
}

/** Lines of the documents, without code. Open points and changes name what was and what is wanted. @returns {[string, string][]} */
function paragraphs() {
  return documents()
    .filter((file) => !file.endsWith('open-points.md'))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .replace(/```[\s\S]*?```/g, (code) => code.replace(/[^\n]/g, ''))
        .split('\n')
        .map(
          (line, n) =>
            /** @type {[string, string]} */ ([line.replace(/`[^`]*`|\]\([^)]*\)/g, ''), `${file}:${n + 1}`]),
        ),
    );
}

function documents() {
  return [
    'README.md',
    'CONTRIBUTING.md',
    ...markdown('docs'),
    ...markdown('examples'),
    'benchmarks/README.md',
  ];
}

/** @returns {[string, string][]} */
function headings() {
  return documents().flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .replace(/```[\s\S]*?```/g, '')
      .split('\n')
      .filter((line) => /^#+ /.test(line))
      .map(
        (line) =>
          /** @type {[string, string]} */ ([line.replace(/^#+ /, '').replace(/`[^`]*`|--\S+/g, ''), file]),
      ),
  );
}

/** @param {string} folder */
function markdown(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !/(^|\/)(node_modules|dist|api|decisions)\//.test(file))
    .map((file) => join(folder, file));
}

/** The words that docs/glossary.md explains: `**word**, **word**: ...` at the start of a line. */
function glossaryWords() {
  const text = readFileSync(join(root, 'docs/glossary.md'), 'utf8');
  return new Set(
    text
      .split('\n')
      .flatMap((line) => [...line.matchAll(/\*\*([^*]+)\*\*/g)].map(([, word]) => word.toLowerCase())),
  );
}
