import { shown } from '../../checks.js';
import type { Collider } from '../../dynamics/collide/collider.js';
import { BOX, HEIGHTFIELD, PLANE, SHAPE_SIZE } from '../../dynamics/collide/shapes/world-shapes.js';
import { GoalError } from '../../errors.js';
import { type RelativeColumns, relativeColumns } from './relative-columns.js';

/** Pairs of shapes to measure. */
export type PairChoice = 'self' | 'world' | 'all' | readonly (readonly [number, number])[];

/** Two shapes, the first one of a bone, and the coordinates that move them relative to each other. */
export interface ShapePair extends RelativeColumns {
  readonly i: number;
  readonly j: number;
}

/** @throws GoalError `unsupported`, `out-of-range`, naming the pair. */
export function shapePairs(collider: Collider, choice: PairChoice): ShapePair[] {
  if (typeof choice !== 'string') return choice.map((pair, k) => givenPair(collider, pair, k));
  if (choice !== 'self' && choice !== 'world' && choice !== 'all') {
    throw new GoalError('unsupported', `is ${shown(choice)}.`, {
      path: 'options.pairs',
      remedy: "Use 'self', 'world', 'all' or a list of pairs of shape numbers.",
    });
  }
  const { selfPairs, shapeStart, shapeCount, group, mask } = collider;
  const pairs: ShapePair[] = [];
  const add = (i: number, j: number): void => {
    const pair = movedPair(collider, i, j);
    if (pair.columns.length > 0) pairs.push(pair);
  };
  for (let k = 0; k < selfPairs.length && choice !== 'world'; k += 2) add(selfPairs[k], selfPairs[k + 1]);
  for (let i = 0; i < shapeStart[1] && choice !== 'self'; i++) {
    for (let j = shapeStart[1]; j < shapeCount; j++) {
      if ((group[i] & mask[j]) === 0 || (group[j] & mask[i]) === 0) continue;
      refuseField(collider, i, j, `options.world[${j - shapeStart[1]}]`);
      add(i, j);
    }
  }
  return pairs;
}

function givenPair(collider: Collider, pair: readonly [number, number], k: number): ShapePair {
  const { shapeCount, shapeStart } = collider;
  const path = `options.pairs[${k}]`;
  const numbers: readonly number[] = Array.from(pair);
  if (numbers.length !== 2 || !numbers.every((n) => Number.isInteger(n) && n >= 0 && n < shapeCount)) {
    throw new GoalError('out-of-range', `is ${shown(pair)}.`, {
      path,
      remedy: `Give two of the ${shapeCount} shapes by number: those of bones as given, then those of the world.`,
    });
  }
  // A shape of a bone first.
  const [i, j] = numbers[0] < shapeStart[1] ? numbers : [numbers[1], numbers[0]];
  if (i < shapeStart[1]) {
    refuseField(collider, i, j, path);
    const moved = movedPair(collider, i, j);
    if (moved.columns.length > 0) return moved;
  }
  throw new GoalError('unsupported', `is ${describe(collider, i)} and ${describe(collider, j)}.`, {
    path,
    remedy: 'Give two shapes that some coordinate moves relative to each other.',
  });
}

function movedPair({ figures, bodyOfShape }: Collider, i: number, j: number): ShapePair {
  return { i, j, ...relativeColumns(figures[0], bodyOfShape[i], bodyOfShape[j]) };
}

function refuseField(collider: Collider, i: number, j: number, path: string): void {
  if (collider.kind[j] !== HEIGHTFIELD) return;
  throw new GoalError('unsupported', `is ${describe(collider, j)} against ${describe(collider, i)}.`, {
    path,
    remedy: 'Use planes and boxes for the ground: the distance to a heightfield is not smooth.',
  });
}

function describe({ figures, kind, bodyOfShape }: Collider, s: number): string {
  const type =
    kind[s] === HEIGHTFIELD
      ? 'a heightfield'
      : kind[s] === PLANE
        ? 'a plane'
        : kind[s] === BOX
          ? 'a box'
          : 'a round shape';
  return bodyOfShape[s] < 0 ? `${type} of the world` : `${type} of ${figures[0].bones[bodyOfShape[s]].name}`;
}

/** Rows of a pair: against a plane one for each end of a capsule or corner of a box, else one. */
export function featuresOf({ kind, localShapes }: Collider, i: number, j: number): number {
  if (kind[j] !== PLANE) return 1;
  if (kind[i] === BOX) return 8;
  return localShapes[SHAPE_SIZE * i + 7] > 0 ? 2 : 1;
}
