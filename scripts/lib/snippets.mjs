/**
 * A TypeScript block of a document.
 *
 * @typedef {object} Snippet
 * @property {string} document path of the document
 * @property {number} line line of its first line of code, from 1
 * @property {'ts' | 'tsx'} language
 * @property {'run' | 'check'} mode type-check and run it, or type-check only
 * @property {string} code
 * @property {string} [program] its file name, of a program of the recipes
 * @property {string} [output] what it prints, as the document says
 */

/**
 * The TypeScript blocks of a Markdown text that promise to work. The words after the language say what is done:
 *
 * - ```` ```ts run ```` is type-checked and run: a program in plain JavaScript, for a reader to save as `.mjs`;
 * - ```` ```ts ```` is type-checked;
 * - ```` ```ts recipe NAME.mjs ```` is type-checked, and a test of its own runs it with arguments: a program in plain JavaScript;
 * - ```` ```ts fragment ```` is a piece that does not stand alone: left out.
 *
 * `tsx` blocks likewise. A ```` ```text ```` block right after one that runs says what it prints.
 *
 * @param {string} markdown
 * @param {string} document
 * @returns {Snippet[]}
 * @throws Error on a word that is none of these, and on a block that does not end
 */
export function extractSnippets(markdown, document) {
  /** @type {Snippet[]} */
  const snippets = [];
  const lines = markdown.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const open = /^(?<indent>\s*)(?<fence>`{3,}|~{3,})\s*(?<info>.*)$/.exec(lines[i]);
    if (!open?.groups) continue;
    const { indent, fence, info } = open.groups;
    const first = i + 1;
    const last = lines.findIndex((text, j) => j >= first && text.trim() === fence);
    if (last < 0) throw new Error(`${document}:${i + 1}: this block does not end.`);
    i = last;
    const [language, ...words] = info.trim().split(/\s+/);
    if (language !== 'ts' && language !== 'tsx') continue;
    const program = words[0] === 'recipe' ? words.splice(0, 2)[1] : undefined;
    const unknown = words.find((word) => !['run', 'fragment'].includes(word));
    if (unknown) throw new Error(`${document}:${first}: "${unknown}" is neither "run" nor "fragment".`);
    if (words.includes('fragment')) continue;
    const mode = words.includes('run') ? 'run' : 'check';
    const output = mode === 'run' ? textAfter(lines, last) : undefined;
    snippets.push({
      document,
      line: first + 1,
      language,
      mode,
      code: lines
        .slice(first, last)
        .map((text) => (text.startsWith(indent) ? text.slice(indent.length) : text))
        .join('\n'),
      ...(program === undefined ? {} : { program }),
      ...(output === undefined ? {} : { output }),
    });
  }
  return snippets;
}

/**
 * @param {readonly string[]} lines
 * @param {number} end last line of a block
 * @returns {string | undefined} the text block that follows it with nothing but an empty line between
 */
function textAfter(lines, end) {
  const first = lines[end + 1]?.trim() === '' ? end + 2 : end + 1;
  if (lines[first]?.trim() !== '```text') return undefined;
  const last = lines.findIndex((text, j) => j > first && text.trim() === '```');
  return last < 0 ? undefined : lines.slice(first + 1, last).join('\n');
}
