import type { Ragdoll } from 'poise/dynamics';

/** Pairs of bones with shapes that do not meet, by index, the lesser first: neighbours, bones without shapes passed over, and those of `exclude`. */
export function apart({ figure, shapes, exclude }: Ragdoll): (readonly [number, number])[] {
  const { parents, bones } = figure;
  const indexOf = (name: string | number): number =>
    typeof name === 'number' ? name : bones.findIndex((bone) => bone.name === name);
  const shaped = new Set(shapes.map(({ bone }) => indexOf(bone)));
  const pairs = exclude.map(([a, b]) => [indexOf(a), indexOf(b)] as const);
  for (const bone of shaped) {
    let above = parents[bone];
    while (above >= 0 && !shaped.has(above)) above = parents[above];
    if (above >= 0) pairs.push([above, bone]);
  }
  return pairs.map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
}
