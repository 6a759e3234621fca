import { requireNotNegative } from '../../checks.js';
import { DomainError } from '../../errors.js';
import type { Collider } from './collider.js';
import type { Contacts } from './contacts.js';
import type { HeightfieldGrid } from './heightfield/heightfield.js';
import { boxHeightfield, capsuleHeightfield } from './heightfield/heightfield-pairs.js';
import { reduceManifold } from './manifold/manifold.js';
import { boxBox } from './primitives/box-box.js';
import { capsuleBox } from './primitives/sphere-capsule-box.js';
import { boxPlane, capsuleCapsule, capsulePlane } from './primitives/sphere-capsule-pairs.js';
import { BOX, CAPSULE, HEIGHTFIELD, PLANE, SHAPE_SIZE } from './shapes/world-shapes.js';
import { boundsOverlap, sweepAndPrune } from './sweep-and-prune.js';
import { type BoneFrames, updateWorldShapes } from './update-world-shapes.js';

/** Speculative margins, m, one number a body of the collider: against the world and other figures, and against the own figure. */
export interface ContactMargins {
  readonly others: Float64Array;
  readonly self: Float64Array;
}

/** Contact points nearer than this fraction of the smaller shape are merged. */
const MERGE_FRACTION = 1e-3;

/**
 * Finds the contacts of all shapes that touch or are within `margin` of each other: up to four points for each pair of shapes, the deepest
 * first. The separation of the first is the distance of the two shapes, or minus the penetration depth (the shortest translation that separates
 * them). Points are on both surfaces; the end points of a tilted capsule may be inside it by up to 5 % of its radius. The normal is finite also
 * for a box inside another and for coincident centres. Planes and heightfields are solid below: the contact pushes up from any depth.
 *
 * Order: figure by figure, each with itself and then with the world, then pairs of figures; within these by shape index. The result depends only
 * on the bone frames, not on earlier calls. Shape A always belongs to a bone, and has the lower index if B does too.
 *
 * Allocates nothing. There is no tunnelling if `margin` is the distance that the fastest point moves in one step and the solver lets the
 * separation close but not become negative (speculative contacts).
 *
 * @param worldFromBone - `state.worldFromBone` of the figure, or an array of these, one for each figure.
 * @param margin - Speculative margin, m, zero or more: one for all pairs, or one for each bone.
 * @throws DomainError for a negative margin, frames of another size, or numbers that are not finite; `out` is then empty.
 */
export function findContacts(
  collider: Collider,
  worldFromBone: BoneFrames,
  margin: number | ContactMargins,
  out: Contacts,
): Contacts {
  out.count = 0;
  out.dropped = 0;
  setMargins(collider, margin);
  updateWorldShapes(collider, worldFromBone);
  const { figures, asleep, sweep } = collider;
  for (let f = 0; f < figures.length; f++) {
    if (asleep[f] === 1) continue;
    collideWithSelf(collider, f, out);
    collideWithWorld(collider, f, out);
  }
  sweepAndPrune(collider);
  for (let k = 0; k < sweep.count; k++) {
    const f = Math.floor(sweep.pairs[k] / figures.length);
    const g = sweep.pairs[k] - f * figures.length;
    if (asleep[f] !== 1 || asleep[g] !== 1) collideFigures(collider, f, g, out);
  }
  return out;
}

/** Writes the margin of each shape. One margin for all pairs is halved: each of two shapes takes half. */
function setMargins(collider: Collider, margin: number | ContactMargins): void {
  const { worldMargin, figurePairMargin, selfMargin, figureMargin, bodyOfShape, figureOfBody, shapeStart } =
    collider;
  figureMargin.fill(0);
  const end = shapeStart[collider.figures.length];
  if (typeof margin === 'number') requireNotNegative(margin, 'margin', DomainError, 'm');
  for (let s = 0; s < end; s++) {
    const body = bodyOfShape[s];
    const all = typeof margin === 'number' ? margin : margin.others[body];
    const own = typeof margin === 'number' ? margin / 2 : margin.self[body];
    requireNotNegative(all, 'margin', DomainError, 'm');
    requireNotNegative(own, 'margin', DomainError, 'm');
    worldMargin[s] = all;
    figurePairMargin[s] = typeof margin === 'number' ? margin / 2 : all;
    selfMargin[s] = own;
    const f = figureOfBody[body];
    figureMargin[f] = Math.max(figureMargin[f], all);
  }
}

function collideWithSelf(collider: Collider, f: number, out: Contacts): void {
  const { selfPairs, selfPairStart, bounds, manifold, selfMargin } = collider;
  const end = selfPairStart[f + 1];
  for (let k = selfPairStart[f]; k < end; k += 2) {
    const i = selfPairs[k];
    const j = selfPairs[k + 1];
    manifold.margin = selfMargin[i] + selfMargin[j];
    if (boundsOverlap(bounds, i, bounds, j, manifold.margin)) collideShapes(collider, i, j, out);
  }
}

function collideWithWorld(collider: Collider, f: number, out: Contacts): void {
  const {
    shapeStart,
    shapeCount,
    bounds,
    figureBounds,
    kind,
    nearbyWorldShapes,
    manifold,
    worldMargin,
    figureMargin,
  } = collider;
  const margin = figureMargin[f];
  const first = shapeStart[collider.figures.length];
  const end = shapeStart[f + 1];
  if (shapeStart[f] === end) return;
  let count = 0;
  for (let w = first; w < shapeCount; w++) {
    if (
      kind[w] === PLANE
        ? planeOverlaps(collider, w, f, margin)
        : boundsOverlap(figureBounds, f, bounds, w, margin)
    ) {
      nearbyWorldShapes[count++] = w;
    }
  }
  for (let s = shapeStart[f]; s < end && count > 0; s++) {
    manifold.margin = worldMargin[s];
    for (let k = 0; k < count; k++) {
      const w = nearbyWorldShapes[k];
      if (kind[w] < PLANE && !boundsOverlap(bounds, s, bounds, w, manifold.margin)) continue;
      if (shouldCollide(collider, s, w)) collideShapes(collider, s, w, out);
    }
  }
}

/** Whether the bounds of a figure are within the margin of a plane. */
function planeOverlaps(
  { worldShapes, figureBounds }: Collider,
  w: number,
  f: number,
  margin: number,
): boolean {
  const o = SHAPE_SIZE * w;
  let height = -worldShapes[o + 3];
  for (let k = 0; k < 3; k++) {
    height += worldShapes[o + k] * figureBounds[6 * f + k + (worldShapes[o + k] < 0 ? 3 : 0)];
  }
  return height <= margin;
}

function collideFigures(collider: Collider, f: number, g: number, out: Contacts): void {
  const { shapeStart, bounds, figureBounds, manifold, figurePairMargin, figureMargin } = collider;
  for (let i = shapeStart[f]; i < shapeStart[f + 1]; i++) {
    if (!boundsOverlap(bounds, i, figureBounds, g, figurePairMargin[i] + figureMargin[g])) continue;
    for (let j = shapeStart[g]; j < shapeStart[g + 1]; j++) {
      const margin = figurePairMargin[i] + figurePairMargin[j];
      manifold.margin = margin;
      if (boundsOverlap(bounds, i, bounds, j, margin) && shouldCollide(collider, i, j))
        collideShapes(collider, i, j, out);
    }
  }
}

function shouldCollide({ group, mask }: Collider, i: number, j: number): boolean {
  return (group[i] & mask[j]) !== 0 && (group[j] & mask[i]) !== 0;
}

/** Narrow phase: the manifold of two shapes. */
function collideShapes(collider: Collider, i: number, j: number, out: Contacts): void {
  const { kind, worldShapes, manifold, minHalfSize } = collider;
  manifold.count = 0;
  manifold.mergeDistance = MERGE_FRACTION * Math.min(minHalfSize[i], minHalfSize[j]);
  const a = SHAPE_SIZE * i;
  const b = SHAPE_SIZE * j;
  if (kind[i] === CAPSULE) {
    if (kind[j] === CAPSULE) capsuleCapsule(worldShapes, a, b, manifold);
    else if (kind[j] === PLANE) capsulePlane(worldShapes, a, b, manifold);
    else if (kind[j] === BOX) capsuleBox(worldShapes, a, b, manifold);
    else capsuleHeightfield(worldShapes, a, heightfieldOf(collider, j), manifold);
    if (manifold.count > 0) addManifold(collider, i, j, false, out);
    return;
  }
  if (kind[j] === BOX) boxBox(worldShapes, a, b, manifold);
  else if (kind[j] === PLANE) boxPlane(worldShapes, a, b, manifold);
  else if (kind[j] === HEIGHTFIELD) boxHeightfield(worldShapes, a, heightfieldOf(collider, j), manifold);
  else {
    capsuleBox(worldShapes, b, a, manifold);
    if (manifold.count > 0) addManifold(collider, i, j, true, out);
    return;
  }
  if (manifold.count > 0) addManifold(collider, i, j, false, out);
}

function heightfieldOf({ heightfields, shapeStart, figures }: Collider, j: number): HeightfieldGrid {
  return heightfields[j - shapeStart[figures.length]] as HeightfieldGrid;
}

/** Reduces the manifold and appends it to `out`. @param swapped - Whether A and B are exchanged in the manifold. */
function addManifold(collider: Collider, i: number, j: number, swapped: boolean, out: Contacts): void {
  const { manifold, bodyOfShape, friction, restitution, featuresPerPair, shapeCount } = collider;
  const { point, normal, separation, featureId, selected } = manifold;
  const chosen = reduceManifold(manifold);
  for (let c = 0; c < chosen; c++) {
    if (out.count === out.capacity) {
      out.dropped += chosen - c;
      return;
    }
    const k = selected[c];
    const o = 3 * k;
    const to = out.count++;
    const p = 3 * to;
    const nx = normal[o];
    const ny = normal[o + 1];
    const nz = normal[o + 2];
    const d = separation[k];
    const x = point[o] + d * nx;
    const y = point[o + 1] + d * ny;
    const z = point[o + 2] + d * nz;
    if (swapped) {
      writeVector(out.pointA, p, point[o], point[o + 1], point[o + 2]);
      writeVector(out.pointB, p, x, y, z);
      writeVector(out.normal, p, -nx, -ny, -nz);
    } else {
      writeVector(out.pointA, p, x, y, z);
      writeVector(out.pointB, p, point[o], point[o + 1], point[o + 2]);
      writeVector(out.normal, p, nx, ny, nz);
    }
    out.separation[to] = d;
    out.bodyA[to] = bodyOfShape[i];
    out.bodyB[to] = bodyOfShape[j];
    out.shapeA[to] = i;
    out.shapeB[to] = j;
    out.friction[to] = Math.sqrt(friction[i] * friction[j]);
    out.restitution[to] = Math.max(restitution[i], restitution[j]);
    out.id[to] = (i * shapeCount + j) * featuresPerPair + featureId[k];
  }
}

function writeVector(out: Float64Array, o: number, x: number, y: number, z: number): void {
  out[o] = x;
  out[o + 1] = y;
  out[o + 2] = z;
}
