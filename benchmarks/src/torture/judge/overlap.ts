/** How deep shapes of a scene are in each other. */
import type { Scene } from '../scene.js';
import { type BodyState, firstBodies } from '../states.js';
import { depthOf, floorDepth, type Placed, place } from './geometry.js';

interface Item {
  readonly placed: Placed;
  readonly figure: number;
  readonly bone: number;
}

/** The deepest, m: of moving shapes with each other and with the world. Bones of a figure that are near in its tree, and connected bones, may overlap. */
export function largestOverlap(scene: Scene, states: readonly BodyState[]): number {
  const first = firstBodies(scene);
  const items = scene.figures.flatMap(({ shapes }, figure) =>
    shapes.map((form): Item => {
      const { position, rotation } = states[first[figure] + form.bone];
      return { placed: place(form, position, rotation), figure, bone: form.bone };
    }),
  );
  let worst = 0;
  for (const shape of scene.world) {
    const still = shape.type === 'plane' ? undefined : place(shape, [0, 0, 0], [0, 0, 0, 1]);
    for (const { placed } of items) {
      worst = Math.max(worst, still ? depthOf(placed, still) : floorDepth(placed));
    }
  }
  const near = neighbours(scene);
  items.sort((a, b) => a.placed.low[0] - b.placed.low[0]);
  items.forEach((a, i) => {
    for (let j = i + 1; j < items.length && items[j].placed.low[0] <= a.placed.high[0]; j++) {
      const b = items[j];
      if (!near(a, b)) worst = Math.max(worst, depthOf(a.placed, b.placed));
    }
  });
  return worst;
}

type Place = Pick<Item, 'figure' | 'bone'>;

/** Steps in the tree between bones whose overlap does not count: over a shoulder from a chest to an arm. */
const NEAR = 3;

function neighbours({ figures, connections }: Scene): (a: Place, b: Place) => boolean {
  const key = ({ figure, bone }: Place): string => `${figure}/${bone}`;
  const joined = new Set(
    connections.flatMap(({ a, b }) => ('bone' in b ? [`${key(a)} ${key(b)}`, `${key(b)} ${key(a)}`] : [])),
  );
  const path = ({ figure, bone }: Place): number[] => {
    const above = [bone];
    while (above[above.length - 1] >= 0) above.push(figures[figure].bones[above[above.length - 1]].parent);
    return above;
  };
  return (a, b) => {
    if (a.figure !== b.figure) return joined.has(`${key(a)} ${key(b)}`);
    if (a.bone === b.bone) return true;
    const [up, other] = [path(a), path(b)];
    const meet = up.findIndex((bone) => other.includes(bone));
    return meet + other.indexOf(up[meet]) <= NEAR;
  };
}
