// npm test -- words: file names, exports, their members and literals, headings, comments, documents and test titles say things in the field's words.
// A word of the first list is a fault in a public name or heading unless docs/glossary.md has an entry for it; some of its words are one in any
// declared name; a phrase of the second list in any comment, paragraph or test title.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
  /\bin place\b/,
  // Words run together by camel case.
  /^(outside|inside)/i,
  // The method has no other name.
  /least-?squares/i,
];

/** Words of the list that are a fault in locals, tests, examples and benchmarks too: they hardly mean anything else. */
const unmistakable = new Set(
  'wish hold held settle felt unfelt promise promised harden hardness patience faint stuck foresee undecided stirred outrun turned leader follower nu'.split(
    ' ',
  ),
);

/** Words of the list, or of the glossary, that are the field's own in some files. @type {Readonly<Record<string, RegExp>>} */
const areas = {
  // Of marker tracking, as the glossary says.
  coupling: /\/ik\/(index|markers)|landmarks\.md$/,
  // An option of the command line, as the glossary says.
  push: /^packages\/cli\/|cli\.md$/,
  // Moments of forces and of mass.
  moment: /\/(dynamics|mechanics|markers)\//,
  // The left and the right of a body or a picture; the axis of a swing.
  side: /\/(landmarks|html-report|foot-planting)\/|figure\/(data|model\/bone-name)/,
  // Of an axis, by a scale.
  stretch: /\/gltf\//,
  // Of constraints in an island, as opposed to mimic joints.
  coupled: /\/simulate\//,
};

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
for (const [name, file, kind] of publicMembers()) check(name, file, kind);
for (const [name, file] of declaredNames()) check(name, file, 'name', unmistakable);
for (const [text, place] of [...comments(), ...paragraphs(), ...testTitles()]) {
  for (const [phrase, instead] of phrases) {
    const found = phrase.exec(text);
    if (found !== null) faults.push(`${place}: '${found[0]}'; the field says: ${instead}`);
  }
}

for (const fault of faults) console.log(fault);
console.log(`words: ${faults.length} names and phrases that the field has another word for`);
process.exit(faults.length === 0 ? 0 : 1);

/** @param {string} name @param {string} file @param {string} kind @param {ReadonlySet<string>} [among] */
function check(name, file, kind, among) {
  if (exceptions.some((exception) => exception.test(name))) return;
  for (const word of wordsOf(name)) {
    const instead = words[word] ?? words[word.replace(/e?s$/, '')];
    if (instead === undefined || (among && !among.has(word))) continue;
    const area = areas[word] ?? areas[word.replace(/e?s$/, '')];
    if (area ? area.test(file) : glossary.has(word) || glossary.has(word.replace(/s$/, ''))) continue;
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

/** Member names and string literals of the exported types of packages. @returns {[string, string, string][]} */
function publicMembers() {
  /** @type {[string, string, string][]} */
  const found = [];
  for (const file of sourceFiles().filter((name) => name.startsWith('packages'))) {
    const source = syntaxOf(file);
    /** @param {ts.Node} node */
    const visit = (node) => {
      const isMember =
        ts.isPropertySignature(node) ||
        ts.isMethodSignature(node) ||
        ts.isPropertyDeclaration(node) ||
        ts.isMethodDeclaration(node);
      if (isMember) found.push([node.name.getText(source), file, 'member']);
      if (ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal)) {
        found.push([node.literal.text, file, 'literal']);
      }
      ts.forEachChild(node, visit);
    };
    for (const statement of source.statements) {
      const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
      if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) {
        if (!ts.isFunctionDeclaration(statement) && !ts.isVariableStatement(statement)) visit(statement);
      }
    }
  }
  return found;
}

/** Names that any code of the house declares, tests, examples and benchmarks included. @returns {[string, string][]} */
function declaredNames() {
  /** @type {[string, string][]} */
  const found = [];
  for (const file of [...sourceFiles(), ...otherFiles()]) {
    const source = syntaxOf(file);
    /** @param {ts.Node} node */
    const visit = (node) => {
      const isDeclaration =
        ts.isVariableDeclaration(node) ||
        ts.isParameter(node) ||
        ts.isBindingElement(node) ||
        ts.isFunctionDeclaration(node) ||
        ts.isMethodDeclaration(node) ||
        ts.isPropertySignature(node) ||
        ts.isPropertyDeclaration(node);
      if (isDeclaration && node.name && ts.isIdentifier(node.name)) {
        const { line } = source.getLineAndCharacterOfPosition(node.name.getStart(source));
        found.push([node.name.text, `${file}:${line + 1}`]);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

/** First arguments of `test`, `it`, `describe` and their kin. @returns {[string, string][]} */
function testTitles() {
  return otherFiles()
    .filter((file) => file.includes('.test.'))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, n) => {
          const title = /^\s*(?:(?:test|it|describe)\b.*?|\]\))\((['"`])(.*)\1, /.exec(line)?.[2];
          return title === undefined
            ? []
            : [/** @type {[string, string]} */ ([title.replace(/`[^`]*`/g, ''), `${file}:${n + 1}`])];
        }),
    );
}

/** @param {string} file */
function syntaxOf(file) {
  return ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
}

/** TypeScript of tests, examples and benchmarks. */
function otherFiles() {
  const tests = ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name, 'test')),
  );
  return [...tests, 'examples', 'benchmarks/src']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file) && !/(^|\/)(node_modules|dist)\//.test(file))
        .map((file) => join(folder, file)),
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
    ...publicPackages.map((name) => join('packages', name, 'README.md')),
    'benchmarks/README.md',
  ];
}

/** @returns {[string, string][]} */
function headings() {
  return [...documents(), 'CHANGELOG.md'].flatMap((file) =>
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
    .filter((file) => file.endsWith('.md') && !/(^|\/)(node_modules|dist|api)\//.test(file))
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
