// node scripts/draw-goals.mjs [NAME...]: draws the pictures of docs/goals, all or those named, with the packages as built.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goalPictures } from './lib/goal-pictures.mjs';
import { root } from './lib/house.mjs';

const place = join(root, 'docs/goals/pictures');
mkdirSync(place, { recursive: true });
for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(goalPictures)) {
  const text = goalPictures[name]().toString();
  writeFileSync(join(place, `${name}.svg`), text);
  console.log(`${name}.svg ${(text.length / 1000).toFixed(1)} kB`);
}
