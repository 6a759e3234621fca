import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'node:util';
import ts from 'typescript';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { extractSnippets } from '../lib/snippets.mjs';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const filePath = join(repository, '.cache/snippets');

const snippets = documents()
  .flatMap((path) => extractSnippets(readFileSync(join(repository, path), 'utf8'), path))
  .map((snippet) => {
    const title = `${snippet.document}:${snippet.line}`;
    return {
      ...snippet,
      title,
      file: join(filePath, `${title.replace(/[^\w.-]+/g, '-')}.${snippet.language}`),
    };
  });

describe.skipIf(snippets.length === 0)('what the documents show', () => {
  /** Complaints of the compiler, by snippet file. */
  let complaints: Map<string, string[]>;

  beforeAll(() => {
    rmSync(filePath, { recursive: true, force: true });
    mkdirSync(filePath, { recursive: true });
    // A snippet without imports or exports is still a module of its own.
    for (const { file, code, mode } of snippets)
      writeFileSync(file, `${mode === 'run' ? withLiteralTypes(code) : code}\nexport {};\n`);
    complaints = typeCheck(snippets.map(({ file }) => file));
    // One compiler over all documents: half a minute on a busy machine.
  });

  test.each(snippets)('$title compiles', ({ file }) => {
    expect(complaints.get(file) ?? []).toEqual([]);
  });

  const running = snippets.filter(({ mode }) => mode === 'run');
  const programs = snippets.filter(({ mode, program }) => mode === 'run' || program !== undefined);
  test.each(programs)('$title is plain JavaScript, to be saved as .mjs', ({ code }) => {
    expect(complaintsAsJavaScript(code)).toEqual([]);
  });

  const typed = snippets.filter(
    ({ code, document }) => /^docs\//.test(document) && complaintsAsJavaScript(code).length > 0,
  );
  test.each([...new Set(typed.map(({ document }) => document))])(
    '%s has types, and says how to run them',
    (document) => {
      expect(readFileSync(join(repository, document), 'utf8')).toMatch(/\(README\.md#running-the-code\)/);
    },
  );

  test.each(running)('$title runs', async ({ file, output }) => {
    const printed: string[] = [];
    const log = vi.spyOn(console, 'log').mockImplementation((...args) => {
      printed.push(format(...args));
    });
    try {
      await import(file);
    } finally {
      log.mockRestore();
    }
    if (output !== undefined) expect(printed.join('\n')).toBe(output);
  });
});

describe('extractSnippets', () => {
  const fence = '```';

  test('takes TypeScript blocks with their line and mode, and leaves fragments and other languages', () => {
    const text = [
      '# A',
      `${fence}ts run`,
      'a();',
      fence,
      `${fence}sh`,
      'ls',
      fence,
      `${fence}ts fragment`,
      'b',
      fence,
    ]
      .concat(['- item', `  ${fence}tsx`, '  <c />', '    d', `  ${fence}`])
      .join('\n');
    expect(extractSnippets(text, 'x.md')).toEqual([
      { document: 'x.md', line: 3, language: 'ts', mode: 'run', code: 'a();' },
      { document: 'x.md', line: 13, language: 'tsx', mode: 'check', code: '<c />\n  d' },
    ]);
  });

  test('takes the text after a block that runs as what it prints', () => {
    const text = [
      '```ts run',
      'a();',
      '```',
      '',
      '```text',
      'one',
      'two',
      '```',
      '```ts',
      'b();',
      '```',
    ].concat(['```text', 'not run', '```']);
    expect(extractSnippets(text.join('\n'), 'x.md').map(({ output }) => output)).toEqual([
      'one\ntwo',
      undefined,
    ]);
  });

  test('refuses an unknown word and a block that does not end, naming the line', () => {
    expect(() => extractSnippets(`${fence}ts rum\n${fence}`, 'x.md')).toThrow('x.md:1: "rum"');
    expect(() => extractSnippets(`text\n${fence}ts\ncode`, 'x.md')).toThrow(
      'x.md:2: this block does not end',
    );
  });
});

/** Documents whose snippets are held to compile. */
function documents(): string[] {
  const below = (folder: string) =>
    existsSync(join(repository, folder))
      ? readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
          .filter((path) => path.endsWith('.md') && !/(^|\/)(api|node_modules|dist)\//.test(path))
          .map((path) => `${folder}/${path}`)
      : [];
  const packages = readdirSync(join(repository, 'packages')).map((name) => `packages/${name}/README.md`);
  return ['README.md', 'CONTRIBUTING.md', ...packages, ...below('docs'), ...below('examples')].filter(
    (path) => existsSync(join(repository, path)),
  );
}

/** What TypeScript says of syntax that JavaScript does not have. */
function complaintsAsJavaScript(code: string): string[] {
  const name = 'snippet.mjs';
  const host = ts.createCompilerHost({});
  const source = ts.createSourceFile(name, code, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS);
  const program = ts.createProgram(
    [name],
    { allowJs: true, noLib: true, noResolve: true, noEmit: true },
    {
      ...host,
      getSourceFile: (path) => (path === name ? source : undefined),
    },
  );
  return program
    .getSyntacticDiagnostics(source)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

/** Plain JavaScript for the type check: in data the name of a type stays that name, and three numbers three, where TypeScript would infer any text and list. */
function withLiteralTypes(code: string): string {
  return code.replace(/\b(?:type: '[\w-]+'|(?:axis|orientationMask): \[[\d., -]+\])/g, '$& as const');
}

/** What plain JavaScript cannot say: the type of a parameter, of a variable that is filled later, of what is caught. */
const UNTYPED = new Set([7005, 7006, 7011, 7018, 7031, 7034, 18046]);

function typeCheck(files: string[]): Map<string, string[]> {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(repository, 'tsconfig.test.json'),
    // What a reader sees need not use everything it declares.
    { noUnusedLocals: false, noUnusedParameters: false },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  );
  if (!config) throw new Error('tsconfig.test.json cannot be read.');
  const program = ts.createProgram(files, config.options);
  const complaints = new Map<string, string[]>();
  // Of the snippets alone: the packages that they import have a check of their own.
  const found = files.flatMap((name) => {
    const file = program.getSourceFile(name);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  });
  const plain = new Set(snippets.filter(({ mode }) => mode === 'run').map(({ file }) => file));
  for (const { file, start, messageText, code } of found) {
    if (plain.has(file?.fileName ?? '') && UNTYPED.has(code)) continue;
    const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    const name = file?.fileName ?? '';
    const text = `line ${line} of the block: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    complaints.set(name, [...(complaints.get(name) ?? []), text]);
  }
  return complaints;
}
