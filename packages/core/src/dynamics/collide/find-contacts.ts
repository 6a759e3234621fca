import { DomainError } from '../../errors.js';
import type { Collider } from './collider.js';
import type { Contacts } from './contacts.js';
import type { Field } from './heightfield/heightfield.js';
import { boxField, roundField } from './heightfield/heightfield-pairs.js';
import { chooseKept } from './manifold/manifold.js';
import { boxBox } from './primitives/box-box.js';
import { roundBox } from './primitives/sphere-capsule-box.js';
import { boxPlane, roundPlane, roundRound } from './primitives/sphere-capsule-pairs.js';
import { BOX, FIELD, PLACED, PLANE, ROUND } from './shapes/world-shapes.js';
import { boundsMeet, sweepFigures } from './sweep-and-prune.js';
import { type BoneFrames, placeShapes } from './update-world-shapes.js';

/** How far bones may come, m, one number a body of the collider: among others and in the world, and against their own figure. */
export interface Reaches {
  readonly among: Float64Array;
  readonly own: Float64Array;
}

/** Share of the smaller shape below which two contacts count as one. */
const MERGE = 1e-3;

/**
 * Finds all places where shapes touch or come within `reach` of each other, and fills `out` with them: up to four of each pair of shapes, the
 * deepest first. The gap of the first is the distance of the two shapes, negative the least move that parts them, and its points are on both
 * surfaces; so are those of the others, but that the ends of a capsule which lies askew may be inside it by up to 5 % of its radius. A box that
 * holds another whole, or coincident centres, give a finite normal like all else. Planes and heightfields are solid below: from however deep, the way out is up.
 *
 * Order: the figures one by one, each with itself and then with the world, then pairs of figures; within these shape by shape as given. It depends
 * on where the bones are and on nothing before. A is always a bone's; the shape of the lower number where B is one too.
 *
 * Allocates nothing. A `reach` of the distance that the fastest point covers in one step, and a solver that takes away no more speed than closes
 * the gap, keep all from tunnelling.
 *
 * @param worldFromBone - `state.worldFromBone` of the figure, or an array of these, one for each figure.
 * @param reach - m, zero or more; or how far each bone may come.
 * @throws DomainError for a reach below zero, frames of another size, or numbers that are not finite; `out` is then empty.
 */
export function findContacts(
  collider: Collider,
  worldFromBone: BoneFrames,
  reach: number | Reaches,
  out: Contacts,
): Contacts {
  out.count = 0;
  out.dropped = 0;
  setReaches(collider, reach);
  placeShapes(collider, worldFromBone);
  const { figures, asleep, sweep } = collider;
  for (let f = 0; f < figures.length; f++) {
    if (asleep[f] === 1) continue;
    meetItself(collider, f, out);
    meetWorld(collider, f, out);
  }
  sweepFigures(collider);
  for (let k = 0; k < sweep.count; k++) {
    const f = Math.floor(sweep.pairs[k] / figures.length);
    const g = sweep.pairs[k] - f * figures.length;
    if (asleep[f] !== 1 || asleep[g] !== 1) meetOther(collider, f, g, out);
  }
  return out;
}

/** Takes over reaches, shape by shape: of one for all, each of two shapes comes half of it. */
function setReaches(collider: Collider, reach: number | Reaches): void {
  const { worldReach, amongReach, ownReach, figureReach, bodyOfShape, figureOfBody, shapeStart } = collider;
  figureReach.fill(0);
  const end = shapeStart[collider.figures.length];
  if (typeof reach === 'number') requireReach(reach);
  for (let s = 0; s < end; s++) {
    const body = bodyOfShape[s];
    const all = typeof reach === 'number' ? reach : reach.among[body];
    const own = typeof reach === 'number' ? reach / 2 : reach.own[body];
    requireReach(all);
    requireReach(own);
    worldReach[s] = all;
    amongReach[s] = typeof reach === 'number' ? reach / 2 : all;
    ownReach[s] = own;
    const f = figureOfBody[body];
    figureReach[f] = Math.max(figureReach[f], all);
  }
}

function requireReach(reach: number): void {
  if (reach >= 0 && reach < Number.POSITIVE_INFINITY) return;
  throw new DomainError('out-of-range', `is ${reach}.`, {
    path: 'reach',
    remedy: 'Give a distance of zero or more, m.',
  });
}

function meetItself(collider: Collider, f: number, out: Contacts): void {
  const { ownPairs, ownStart, bounds, manifold, ownReach } = collider;
  const end = ownStart[f + 1];
  for (let k = ownStart[f]; k < end; k += 2) {
    const i = ownPairs[k];
    const j = ownPairs[k + 1];
    manifold.reach = ownReach[i] + ownReach[j];
    if (boundsMeet(bounds, i, bounds, j, manifold.reach)) meet(collider, i, j, out);
  }
}

function meetWorld(collider: Collider, f: number, out: Contacts): void {
  const { shapeStart, shapeCount, bounds, figureBounds, kind, near, manifold, worldReach, figureReach } =
    collider;
  const reach = figureReach[f];
  const first = shapeStart[collider.figures.length];
  const end = shapeStart[f + 1];
  if (shapeStart[f] === end) return;
  let count = 0;
  for (let w = first; w < shapeCount; w++) {
    if (
      kind[w] === PLANE ? planeMeets(collider, w, f, reach) : boundsMeet(figureBounds, f, bounds, w, reach)
    ) {
      near[count++] = w;
    }
  }
  for (let s = shapeStart[f]; s < end && count > 0; s++) {
    manifold.reach = worldReach[s];
    for (let k = 0; k < count; k++) {
      const w = near[k];
      if (kind[w] < PLANE && !boundsMeet(bounds, s, bounds, w, manifold.reach)) continue;
      if (mayMeet(collider, s, w)) meet(collider, s, w, out);
    }
  }
}

/** Whether the bounds of a figure come within reach of a plane. */
function planeMeets({ placed, figureBounds }: Collider, w: number, f: number, reach: number): boolean {
  const o = PLACED * w;
  let height = -placed[o + 3];
  for (let k = 0; k < 3; k++) {
    height += placed[o + k] * figureBounds[6 * f + k + (placed[o + k] < 0 ? 3 : 0)];
  }
  return height <= reach;
}

function meetOther(collider: Collider, f: number, g: number, out: Contacts): void {
  const { shapeStart, bounds, figureBounds, manifold, amongReach, figureReach } = collider;
  for (let i = shapeStart[f]; i < shapeStart[f + 1]; i++) {
    if (!boundsMeet(bounds, i, figureBounds, g, amongReach[i] + figureReach[g])) continue;
    for (let j = shapeStart[g]; j < shapeStart[g + 1]; j++) {
      const reach = amongReach[i] + amongReach[j];
      manifold.reach = reach;
      if (boundsMeet(bounds, i, bounds, j, reach) && mayMeet(collider, i, j)) meet(collider, i, j, out);
    }
  }
}

function mayMeet({ group, mask }: Collider, i: number, j: number): boolean {
  return (group[i] & mask[j]) !== 0 && (group[j] & mask[i]) !== 0;
}

/** Finds the contacts of two shapes. */
function meet(collider: Collider, i: number, j: number, out: Contacts): void {
  const { kind, placed, manifold, size } = collider;
  manifold.count = 0;
  manifold.merge = MERGE * Math.min(size[i], size[j]);
  const a = PLACED * i;
  const b = PLACED * j;
  if (kind[i] === ROUND) {
    if (kind[j] === ROUND) roundRound(placed, a, b, manifold);
    else if (kind[j] === PLANE) roundPlane(placed, a, b, manifold);
    else if (kind[j] === BOX) roundBox(placed, a, b, manifold);
    else roundField(placed, a, fieldOf(collider, j), manifold);
    if (manifold.count > 0) keep(collider, i, j, false, out);
    return;
  }
  if (kind[j] === BOX) boxBox(placed, a, b, manifold);
  else if (kind[j] === PLANE) boxPlane(placed, a, b, manifold);
  else if (kind[j] === FIELD) boxField(placed, a, fieldOf(collider, j), manifold);
  else {
    roundBox(placed, b, a, manifold);
    if (manifold.count > 0) keep(collider, i, j, true, out);
    return;
  }
  if (manifold.count > 0) keep(collider, i, j, false, out);
}

function fieldOf({ fields, shapeStart, figures }: Collider, j: number): Field {
  return fields[j - shapeStart[figures.length]] as Field;
}

/** Appends what is worth keeping of the candidates. @param swapped - Whether they were found with A and B the other way round. */
function keep(collider: Collider, i: number, j: number, swapped: boolean, out: Contacts): void {
  const { manifold, bodyOfShape, friction, restitution, features, shapeCount } = collider;
  const { point, normal, gap, feature, kept } = manifold;
  const chosen = chooseKept(manifold);
  for (let c = 0; c < chosen; c++) {
    if (out.count === out.capacity) {
      out.dropped += chosen - c;
      return;
    }
    const k = kept[c];
    const o = 3 * k;
    const to = out.count++;
    const p = 3 * to;
    const nx = normal[o];
    const ny = normal[o + 1];
    const nz = normal[o + 2];
    const d = gap[k];
    const x = point[o] + d * nx;
    const y = point[o + 1] + d * ny;
    const z = point[o + 2] + d * nz;
    if (swapped) {
      write3(out.pointA, p, point[o], point[o + 1], point[o + 2]);
      write3(out.pointB, p, x, y, z);
      write3(out.normal, p, -nx, -ny, -nz);
    } else {
      write3(out.pointA, p, x, y, z);
      write3(out.pointB, p, point[o], point[o + 1], point[o + 2]);
      write3(out.normal, p, nx, ny, nz);
    }
    out.gap[to] = d;
    out.bodyA[to] = bodyOfShape[i];
    out.bodyB[to] = bodyOfShape[j];
    out.shapeA[to] = i;
    out.shapeB[to] = j;
    out.friction[to] = Math.sqrt(friction[i] * friction[j]);
    out.restitution[to] = Math.max(restitution[i], restitution[j]);
    out.id[to] = (i * shapeCount + j) * features + feature[k];
  }
}

function write3(out: Float64Array, o: number, x: number, y: number, z: number): void {
  out[o] = x;
  out[o + 1] = y;
  out[o + 2] = z;
}
