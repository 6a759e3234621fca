// node scripts/draw-pictures.mjs [NAME...]: draws the pictures of docs, all or those named, with the packages as built.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/house.mjs';
import { pictureSets } from './lib/picture-sets.mjs';

for (const { place, pictures } of pictureSets) {
  mkdirSync(join(root, place), { recursive: true });
  for (const [name, draw] of Object.entries(pictures)) {
    if (process.argv.length > 2 && !process.argv.includes(name, 2)) continue;
    const text = draw().toString();
    writeFileSync(join(root, place, `${name}.svg`), text);
    console.log(`${place}/${name}.svg ${(text.length / 1000).toFixed(1)} kB`);
  }
}
