import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const source = readFileSync(new URL('../src/index.ts', import.meta.url), 'utf8');

/** Names that `poise` exports, by the module that they come from. */
const lists = [...source.matchAll(/^export \{([^}]*)\} from '(.+)';$/gm)].map(([, names, module]) => ({
  names: names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== ''),
  module,
}));

describe('poise exports what an app needs, by name', () => {
  test('at most 150 names', () => {
    expect(lists.flatMap(({ names }) => names).length).toBeLessThanOrEqual(150);
  });

  test('no other kind of export', () => {
    expect(source.match(/^export /gm)).toHaveLength(lists.length);
  });

  test('every name from the module of a subpath', () => {
    const { exports }: { readonly exports: object } = JSON.parse(
      readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
    );
    const sources = Object.values(exports).map((entry) => entry['poise-source']);
    for (const { module } of lists) {
      expect(sources).toContain(module.replace('./', './src/').replace(/\.js$/, '.ts'));
    }
  });
});
