import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Writes small BVH clips of a seed, the same bytes each time: an arm of three joints and a few frames, and one in `badEvery` that no reader takes.
 *
 * @param {string} folder
 * @param {{ count: number, seed: number, badEvery: number }} options
 * @returns {{ bad: number }} how many cannot be read
 */
export function writeSmallClips(folder, { count, seed, badEvery }) {
  const random = generator(seed);
  let bad = 0;
  for (let n = 0; n < count; n++) {
    // No folder has more than a thousand.
    const path = join(
      folder,
      String(Math.floor(n / 1000)).padStart(4, '0'),
      `${String(n).padStart(7, '0')}.bvh`,
    );
    if (n % 1000 === 0) mkdirSync(dirname(path), { recursive: true });
    const text = clip(random);
    const isBad = (n + 1) % badEvery === 0;
    if (isBad) bad++;
    writeFileSync(path, isBad ? text.slice(0, text.length / 2) : text);
  }
  return { bad };
}

/** @param {() => number} random */
function clip(random) {
  const number = (/** @type {number} */ size) => (size * (2 * random() - 1)).toFixed(4);
  const frames = 4 + Math.floor(8 * random());
  const lines = Array.from({ length: frames }, () =>
    [number(0.2), number(0.2), number(0.2), ...Array.from({ length: 9 }, () => number(60))].join(' '),
  );
  return `HIERARCHY
ROOT shoulder
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT elbow
  {
    OFFSET 0 -${(0.25 + 0.1 * random()).toFixed(4)} 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT wrist
    {
      OFFSET 0 -${(0.2 + 0.1 * random()).toFixed(4)} 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 0 -0.1 0
      }
    }
  }
}
MOTION
Frames: ${frames}
Frame Time: 0.0333333
${lines.join('\n')}
`;
}

/** Numbers from 0 to 1, the same each time. @param {number} seed */
export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (1664525 * state + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
