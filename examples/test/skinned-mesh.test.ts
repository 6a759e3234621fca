import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeCharacter } from '../make-character.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const script = read('../skinned-mesh/main.ts');
const lines = script.split('\n').filter((line) => line.trim() !== '');

describe('the page of a plain skinned mesh', () => {
  it('is all of its script in under 25 lines, imports counted', () => {
    expect(lines.length).toBeLessThan(25);
    expect(read('../skinned-mesh/index.html').match(/<script/g)).toHaveLength(1);
  });

  it('imports nothing but what a user installs', () => {
    const imports = [...script.matchAll(/from '([^']+)'/g)].map(([, from]) => from);
    expect(imports.length).toBeGreaterThan(0);
    for (const from of imports) expect(from).toMatch(/^(poise|@poise\/three|three)(\/|$)/);
  });

  it('stands in the docs as it is', () => {
    const docs = read('../../docs/examples.md');
    for (const line of lines) expect(docs).toContain(`${line}\n`);
  });

  it('loads a GLB with one skin over the bones that it names', async () => {
    const bytes = await makeCharacter();
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    expect([view.getUint32(0, true), view.getUint32(8, true)]).toEqual([0x46546c67, bytes.length]);
    const json = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + view.getUint32(12, true))));
    expect(json.skins).toHaveLength(1);
    const names = json.nodes.map(({ name }: { name: string }) => name);
    const named = [
      ...script.matchAll(/(?:bone: '|^const joints = \{ |'(?=hips|spine|chest|upperChest))(\w+)/gm),
    ];
    expect(named.length).toBeGreaterThanOrEqual(6);
    for (const [, name] of named) expect(names).toContain(name);
  });
});
