import type { Figure } from '../scene.js';

/** Pairs of bones of a figure that do not meet, by index: neighbours with shapes, over bones that have none. */
export function nearBones({ bones, shapes }: Figure): (readonly [number, number])[] {
  const shaped = new Set(shapes.map(({ bone }) => bone));
  const pairs: (readonly [number, number])[] = [];
  for (const bone of shaped) {
    let above = bones[bone].parent;
    while (above >= 0 && !shaped.has(above)) above = bones[above].parent;
    if (above >= 0) pairs.push([above, bone]);
  }
  return pairs;
}

/** Shortest step that other engines than Poise are given, s: of shorter ones some make millions of joules, and a page would wait. */
export const MIN_STEP = 1e-4;

/** Equal parts of a step, none longer than given: their number and length. */
export function partsOf(dt: number, longest: number): { readonly parts: number; readonly length: number } {
  const parts = Math.max(1, Math.ceil(dt / longest - 1e-9));
  return { parts, length: Math.max(MIN_STEP, dt) / parts };
}
