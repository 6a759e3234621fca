import { requireSize } from '../../checks.js';
import { DomainError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import type { Collider } from './collider.js';
import { BOX, SHAPE_SIZE, writeShapeBounds } from './shapes/world-shapes.js';

/** World-from-bone transforms, 12 numbers a bone as in `FigureState.worldFromBone`: one array for each figure, or that of the only figure. */
export type BoneFrames = Numbers | readonly Numbers[];

/**
 * Updates the shapes of bones in world axes, and all bounds, from the bone frames.
 *
 * @throws DomainError `wrong-size` for frames of another size, `not-finite`.
 */
export function updateWorldShapes(collider: Collider, worldFromBone: BoneFrames): void {
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
    if (frames.length !== 12 * bones)
      requireSize(frames, 12 * bones, single ? 'worldFromBone' : `worldFromBone[${f}]`, DomainError);
    updateFigureShapes(collider, f, frames);
    let sum = 0;
    for (let k = 0; k < 6; k++) sum += figureBounds[6 * f + k];
    if (Number.isFinite(sum) || collider.shapeStart[f] === collider.shapeStart[f + 1]) continue;
    throw new DomainError('not-finite', 'gives a shape a position that is not finite.', {
      path: single ? 'worldFromBone' : `worldFromBone[${f}]`,
      remedy: 'Give finite numbers; check whether the simulation has diverged.',
    });
  }
}

function updateFigureShapes(collider: Collider, f: number, m: Numbers): void {
  const { shapeStart, bodyStart, bodyOfShape, kind, localShapes, worldShapes, bounds, figureBounds } =
    collider;
  const g = 6 * f;
  for (let k = 0; k < 3; k++) {
    figureBounds[g + k] = Number.POSITIVE_INFINITY;
    figureBounds[g + 3 + k] = Number.NEGATIVE_INFINITY;
  }
  const end = shapeStart[f + 1];
  for (let s = shapeStart[f]; s < end; s++) {
    const o = SHAPE_SIZE * s;
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
    const x = localShapes[o];
    const y = localShapes[o + 1];
    const z = localShapes[o + 2];
    worldShapes[o] = m0 * x + m1 * y + m2 * z + m[w + 9];
    worldShapes[o + 1] = m3 * x + m4 * y + m5 * z + m[w + 10];
    worldShapes[o + 2] = m6 * x + m7 * y + m8 * z + m[w + 11];
    if (kind[s] === BOX) {
      for (let k = 0; k < 3; k++) {
        const u = localShapes[o + 3 + k];
        const v = localShapes[o + 6 + k];
        const q = localShapes[o + 9 + k];
        worldShapes[o + 3 + k] = m0 * u + m1 * v + m2 * q;
        worldShapes[o + 6 + k] = m3 * u + m4 * v + m5 * q;
        worldShapes[o + 9 + k] = m6 * u + m7 * v + m8 * q;
      }
    } else {
      const u = localShapes[o + 3];
      const v = localShapes[o + 4];
      const q = localShapes[o + 5];
      worldShapes[o + 3] = m0 * u + m1 * v + m2 * q;
      worldShapes[o + 4] = m3 * u + m4 * v + m5 * q;
      worldShapes[o + 5] = m6 * u + m7 * v + m8 * q;
    }
    writeShapeBounds(kind[s], worldShapes, s, bounds);
    for (let k = 0; k < 3; k++) {
      const low = bounds[6 * s + k];
      const high = bounds[6 * s + 3 + k];
      // Negated comparisons: NaN must propagate.
      if (!(low >= figureBounds[g + k])) figureBounds[g + k] = low;
      if (!(high <= figureBounds[g + 3 + k])) figureBounds[g + 3 + k] = high;
    }
  }
}
