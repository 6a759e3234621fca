/** docs/scenes.md is complete: its scenes are valid, and its tables have every key. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readScene } from '@poise/formats';
import { describe, expect, test } from 'vitest';

const page = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../../docs/${name}`, import.meta.url)), 'utf8');
const scenes = page('scenes.md');

/** What an error says that lists the known keys, in backquotes as the page has them. */
function keysOf(scene: object): string[] {
  try {
    readScene(JSON.stringify(scene));
  } catch (error) {
    const [, list] = /Known keys: (.*)\./.exec((error as Error).message) ?? [];
    return list.split(', ');
  }
  throw new Error('nothing was refused');
}

const base = { format: 'poise-scene', version: 1, terms: [] };

describe('docs/scenes.md', () => {
  test('has a valid scene', () => {
    const blocks = [...scenes.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) => text);
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) expect(readScene(block).terms.length).toBeGreaterThan(0);
  });

  test('names every key of a scene', () => {
    for (const key of keysOf({ ...base, zzzzzzzzzzzzzzzzzzzzzz: 1 })) expect(scenes).toContain(`\`${key}\``);
  });

  const types = [
    'pose',
    'velocity',
    'acceleration',
    'goal',
    'effort',
    'torque-limit',
    'speed-limit',
    'smoothness',
  ];
  test.each([...types, 'tracking', 'duration', 'contact', 'physics', 'periodic', 'clearance'])(
    'names every key of the term %s',
    (type) => {
      const row = scenes
        .split('\n')
        .find(
          (line) =>
            line.startsWith('| `') &&
            line.split('|')[1].includes(`\`${type}\``) &&
            line.split('|').length === 5,
        );
      expect(row).toBeDefined();
      const keys = keysOf({ ...base, terms: [{ type, zzzzzzzzzzzzzzzzzzzzzz: 1 }] });
      for (const key of keys) {
        if (key !== 'type' && key !== 'name') expect(row).toMatch(new RegExp(`\`${key}\\??\``));
      }
    },
  );
});
