import { DomainError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import type { Collider } from './collider.js';
import { BOX, boundShape, PLACED } from './shapes/world-shapes.js';

/** World from bone of every bone: 12 numbers each as in `FigureState.worldFromBone`; one array a figure, or the array of the only one. */
export type BoneFrames = Numbers | readonly Numbers[];

/**
 * Brings the shapes that bones carry, and all bounds, to where the bones are.
 *
 * @throws DomainError `wrong-size` for frames of other figures, `not-finite`; nothing has been found then.
 */
export function placeShapes(collider: Collider, worldFromBone: BoneFrames): void {
  const { figures, bodyStart, figureBounds } = collider;
  const single = typeof worldFromBone[0] === 'number';
  const given = single ? 1 : worldFromBone.length;
  if (given !== figures.length) {
    throw new DomainError(
      'wrong-size',
      `has frames for ${given} figures where there are ${figures.length}.`,
      {
        path: 'worldFromBone',
        remedy: 'Give one array of bone frames for each figure.',
      },
    );
  }
  for (let f = 0; f < figures.length; f++) {
    const frames = single ? (worldFromBone as Numbers) : (worldFromBone as readonly Numbers[])[f];
    const bones = bodyStart[f + 1] - bodyStart[f];
    if (frames.length !== 12 * bones) {
      throw new DomainError('wrong-size', `has ${frames.length} numbers where ${12 * bones} belong.`, {
        path: single ? 'worldFromBone' : `worldFromBone[${f}]`,
        remedy: 'Give 12 numbers for each bone.',
      });
    }
    placeFigure(collider, f, frames);
    let sum = 0;
    for (let k = 0; k < 6; k++) sum += figureBounds[6 * f + k];
    if (Number.isFinite(sum) || collider.shapeStart[f] === collider.shapeStart[f + 1]) continue;
    throw new DomainError('not-finite', 'puts a shape where nothing is.', {
      path: single ? 'worldFromBone' : `worldFromBone[${f}]`,
      remedy: 'Give finite numbers; see whether the simulation has diverged.',
    });
  }
}

function placeFigure(collider: Collider, f: number, m: Numbers): void {
  const { shapeStart, bodyStart, bodyOfShape, kind, local, placed, bounds, figureBounds } = collider;
  const g = 6 * f;
  for (let k = 0; k < 3; k++) {
    figureBounds[g + k] = Number.POSITIVE_INFINITY;
    figureBounds[g + 3 + k] = Number.NEGATIVE_INFINITY;
  }
  const end = shapeStart[f + 1];
  for (let s = shapeStart[f]; s < end; s++) {
    const o = PLACED * s;
    const w = 12 * (bodyOfShape[s] - bodyStart[f]);
    const m0 = m[w];
    const m1 = m[w + 1];
    const m2 = m[w + 2];
    const m3 = m[w + 3];
    const m4 = m[w + 4];
    const m5 = m[w + 5];
    const m6 = m[w + 6];
    const m7 = m[w + 7];
    const m8 = m[w + 8];
    const x = local[o];
    const y = local[o + 1];
    const z = local[o + 2];
    placed[o] = m0 * x + m1 * y + m2 * z + m[w + 9];
    placed[o + 1] = m3 * x + m4 * y + m5 * z + m[w + 10];
    placed[o + 2] = m6 * x + m7 * y + m8 * z + m[w + 11];
    if (kind[s] === BOX) {
      for (let k = 0; k < 3; k++) {
        const u = local[o + 3 + k];
        const v = local[o + 6 + k];
        const q = local[o + 9 + k];
        placed[o + 3 + k] = m0 * u + m1 * v + m2 * q;
        placed[o + 6 + k] = m3 * u + m4 * v + m5 * q;
        placed[o + 9 + k] = m6 * u + m7 * v + m8 * q;
      }
    } else {
      const u = local[o + 3];
      const v = local[o + 4];
      const q = local[o + 5];
      placed[o + 3] = m0 * u + m1 * v + m2 * q;
      placed[o + 4] = m3 * u + m4 * v + m5 * q;
      placed[o + 5] = m6 * u + m7 * v + m8 * q;
    }
    boundShape(kind[s], placed, s, bounds);
    for (let k = 0; k < 3; k++) {
      const low = bounds[6 * s + k];
      const high = bounds[6 * s + 3 + k];
      // Written so that what is not a number stays.
      if (!(low >= figureBounds[g + k])) figureBounds[g + k] = low;
      if (!(high <= figureBounds[g + 3 + k])) figureBounds[g + 3 + k] = high;
    }
  }
}
