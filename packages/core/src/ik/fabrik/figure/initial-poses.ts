import type { LimitComponent } from '../../../figure/limits/limit.js';
import { limitShapes } from '../../../figure/limits/shapes.js';
import type { Random } from '../../../math/random.js';
import { clampOrigin, GROUND, updateBodies, writeRestFrame } from '../bodies/bodies.js';
import { arcAngle, writeChord } from '../points/circular-arc.js';
import type { Chains } from './chains.js';
import { forwardPass, type Passes } from './passes.js';

/** The chain from base to end of a single goal, for which straight and arc-shaped poses are known in closed form. */
export interface SingleChain {
  /** Bodies from the first that rotates to the one with the end. */
  readonly links: Int32Array;
  /** Length from the origin of each to that of the next, or to the end, m; updated by each solve. */
  readonly lengths: Float64Array;
  /** Whether the first also translates: a free root. */
  readonly translates: boolean;
}

/** The chain of one goal with at least two rotating links, none of which translates except a free root; undefined otherwise. */
export function findSingleChain({ chains, rootFixed }: Passes): SingleChain | undefined {
  const { bodies, active, endBodies, effectors } = chains;
  if (effectors.length !== 1 || effectors[0].targetBone >= 0) return undefined;
  const links: number[] = [];
  for (let k = endBodies[0]; k !== GROUND; k = bodies.parents[k]) links.unshift(k);
  if (links.length < 2 || links.length !== active.length) return undefined;
  const lockedRoot = rootFixed && chains.isRoot[links[0]] === 1 ? links[0] : GROUND;
  const rootTranslates = lockedRoot === GROUND && bodies.types[links[0]].translations === 3;
  const unsupported = links.some(
    (k, n) =>
      (bodies.types[k].translations > 0 && k !== lockedRoot && !(rootTranslates && n === 0)) ||
      !bodies.types[k].rotates,
  );
  if (unsupported) return undefined;
  return {
    links: Int32Array.from(links),
    lengths: new Float64Array(links.length),
    translates: rootTranslates,
  };
}

/** Updates the lengths of the links. @returns their sum. */
export function measureLinks({ links, lengths }: SingleChain, { bodies, localEnds }: Chains): number {
  const m = bodies.parentFromRest;
  let sum = 0;
  for (let n = 0; n < links.length; n++) {
    const last = n === links.length - 1;
    const o = last ? 0 : 12 * links[n + 1] + 9;
    const from = last ? localEnds : m;
    lengths[n] = Math.sqrt(from[o] ** 2 + from[o + 1] ** 2 + from[o + 2] ** 2);
    sum += lengths[n];
  }
  return sum;
}

const u = /* @__PURE__ */ new Float64Array(3);
const v = /* @__PURE__ */ new Float64Array(3);
const chord = /* @__PURE__ */ new Float64Array(2);

/** Writes the unit direction from the base of the chain to the target to `u`, the chain's own direction for a target at the base. @returns the distance. */
export function writeTargetDirection(chain: SingleChain, passes: Passes): number {
  const { bodies } = passes.chains;
  const o = 12 * chain.links[0] + 9;
  let distance = 0;
  for (let c = 0; c < 3; c++) {
    u[c] = passes.targets[c] - bodies.frames[o + c];
    distance += u[c] * u[c];
  }
  distance = Math.sqrt(distance);
  let size = distance;
  if (!(size > 1e-12 * chain.lengths.reduce(add, 0))) {
    size = 0;
    for (let c = 0; c < 3; c++) {
      u[c] = passes.ends[c] - bodies.frames[o + c];
      size += u[c] * u[c];
    }
    size = Math.sqrt(size);
    if (!(size > 0)) {
      // The end is at the base as well: a direction of the first body's own.
      for (let r = 0; r < 3; r++) u[r] = bodies.frames[12 * chain.links[0] + 3 * r];
      size = 1;
    }
  }
  for (let c = 0; c < 3; c++) u[c] /= size;
  return distance;
}

function add(a: number, b: number): number {
  return a + b;
}

/**
 * Straightens the chain towards an unreachable target, or, where one link is longer than the distance and all other links together, that
 * link towards the target and the others back: the nearest point of a chain without limits, in one forward pass.
 */
export function straighten(chain: SingleChain, passes: Passes, folded: boolean): void {
  const { links, lengths } = chain;
  const { backwardFrames, chains } = passes;
  const longest = lengths.indexOf(Math.max(...lengths));
  const base = 12 * links[0] + 9;
  for (let c = 0; c < 3; c++) backwardFrames[base + c] = chains.bodies.frames[base + c];
  let distanceAlong = 0;
  for (let n = 0; n < links.length; n++) {
    distanceAlong += folded && n !== longest ? -lengths[n] : lengths[n];
    setDesiredPosition(chain, passes, n, distanceAlong, 0);
  }
  runForwardPass(passes);
}

/**
 * For a chain whose root translates within a box, and a target farther from the box than the chain's length: moves the root to the point of
 * the box nearest to the target and straightens the chain. The remaining distance, that from the box less the length, is minimal.
 * @returns whether this case applied.
 */
export function straightenFromBox(chain: SingleChain, passes: Passes, length: number): boolean {
  const { bodies } = passes.chains;
  const root = chain.links[0];
  writeRestFrame(bodies, root, restFrame);
  for (let c = 0; c < 3; c++) baseFrame[9 + c] = passes.targets[c];
  if (!clampOrigin(bodies, root, restFrame, baseFrame)) return false;
  let square = 0;
  for (let c = 0; c < 3; c++) square += (passes.targets[c] - baseFrame[9 + c]) ** 2;
  if (!(Math.sqrt(square) >= length)) return false;
  const o = 12 * root + 9;
  for (let c = 0; c < 3; c++) bodies.frames[o + c] = baseFrame[9 + c];
  for (let c = 0; c < 3; c++) {
    bodies.joints[o + c] = 0;
    for (let r = 0; r < 3; r++) {
      bodies.joints[o + c] += restFrame[3 * r + c] * (baseFrame[9 + r] - restFrame[9 + r]);
    }
  }
  writeTargetDirection(chain, passes);
  passes.rootLocked = true;
  straighten(chain, passes, false);
  passes.rootLocked = passes.rootFixed;
  return true;
}

const restFrame = /* @__PURE__ */ new Float64Array(12);
const baseFrame = /* @__PURE__ */ new Float64Array(12);

/**
 * Bends the chain to a circular arc from its base to the target, of the smallest angle whose chord is the distance. One forward pass brings
 * a chain without limits there from any pose, also from a straight one.
 *
 * @param roll - Direction of the bend: angle about the line to the target, from a direction of the first body's own, rad.
 */
export function bendToArc(chain: SingleChain, passes: Passes, distance: number, roll: number): void {
  const { links, lengths } = chain;
  writeBendDirection(chain, passes, roll);
  const angle = arcAngle(lengths, distance);
  writeChord(lengths, angle, lengths.length, chord);
  const tilt = Math.atan2(chord[1], chord[0]);
  for (let n = 0; n < links.length; n++) {
    writeChord(lengths, angle, n + 1, chord);
    const [x, y] = chord;
    setDesiredPosition(
      chain,
      passes,
      n,
      x * Math.cos(tilt) + y * Math.sin(tilt),
      y * Math.cos(tilt) - x * Math.sin(tilt),
    );
  }
  runForwardPass(passes);
}

/** Runs a forward pass from the current frames to the desired positions. */
function runForwardPass(passes: Passes): void {
  const { backwardFrames, chains } = passes;
  const { frames } = chains.bodies;
  for (const k of chains.active) for (let i = 0; i < 9; i++) backwardFrames[12 * k + i] = frames[12 * k + i];
  forwardPass(passes);
}

/** Sets the desired position of the end of link n to x u + y v from the base. */
function setDesiredPosition(
  { links }: SingleChain,
  { chains, backwardFrames, desired }: Passes,
  n: number,
  x: number,
  y: number,
): void {
  const o = 12 * links[0] + 9;
  const last = n === links.length - 1;
  const to = last ? desired : backwardFrames;
  const at = last ? 0 : 12 * links[n + 1] + 9;
  for (let c = 0; c < 3; c++) to[at + c] = chains.bodies.frames[o + c] + x * u[c] + y * v[c];
}

/** v = a unit vector normal to u: the component normal to u of the first body's axis least parallel to u, rotated about u by `roll`. */
function writeBendDirection({ links }: SingleChain, { chains }: Passes, roll: number): void {
  const m = chains.bodies.frames;
  const o = 12 * links[0];
  let smallest = 2;
  let axis = 0;
  for (let c = 0; c < 3; c++) {
    const distanceAlong = Math.abs(m[o + c] * u[0] + m[o + 3 + c] * u[1] + m[o + 6 + c] * u[2]);
    // Ties go to the first axis, so that rounding of another basis does not choose.
    if (distanceAlong >= smallest - 1e-6) continue;
    smallest = distanceAlong;
    axis = c;
  }
  const distanceAlong = m[o + axis] * u[0] + m[o + 3 + axis] * u[1] + m[o + 6 + axis] * u[2];
  let size = 0;
  for (let r = 0; r < 3; r++) {
    v[r] = m[o + 3 * r + axis] - distanceAlong * u[r];
    size += v[r] * v[r];
  }
  size = Math.sqrt(size);
  const x = v[0] / size;
  const y = v[1] / size;
  const z = v[2] / size;
  const c = Math.cos(roll);
  const s = Math.sin(roll);
  v[0] = c * x + s * (u[1] * z - u[2] * y);
  v[1] = c * y + s * (u[2] * x - u[0] * z);
  v[2] = c * z + s * (u[0] * y - u[1] * x);
}

/** Whether the chain and its target are collinear within rounding: the passes would keep them so. */
export function isStraight({ links, lengths }: SingleChain, { chains, targets, ends }: Passes): boolean {
  const { frames } = chains.bodies;
  const o = 12 * links[0] + 9;
  const size = STRAIGHT * lengths.reduce(add, 0);
  for (let n = 1; n <= links.length; n++) {
    const from = n === links.length ? ends : frames;
    const at = n === links.length ? 0 : 12 * links[n] + 9;
    let x = from[at] - frames[o];
    let y = from[at + 1] - frames[o + 1];
    let z = from[at + 2] - frames[o + 2];
    const distanceAlong = x * u[0] + y * u[1] + z * u[2];
    x -= distanceAlong * u[0];
    y -= distanceAlong * u[1];
    z -= distanceAlong * u[2];
    if (x * x + y * y + z * z > size * size) return false;
  }
  return targets.length > 0;
}

/** Largest distance from a line, over the chain's length, that counts as straight. */
const STRAIGHT = 1e-6;

/** Half-width of the random range of an angle, rad, and of a translation in length scales, where unlimited. */
const UNLIMITED_ANGLE = Math.PI / 2;
const UNLIMITED_LENGTH = 0.25;

/**
 * Draws a random start: limited coordinates uniform in their limits, the others around the start. Drawn in coordinates, so it is
 * independent of the basis. Updates the bodies.
 */
export function drawRandomPose(
  { chains, pose, rootFixed }: Passes,
  start: Float64Array,
  lengthScale: number,
  random: Random,
): void {
  const { bodies, active } = chains;
  for (let n = 0; n < active.length; n++) {
    const k = active[n];
    const type = bodies.types[k];
    const i = bodies.batches[k].coordinates[0];
    const lockedCount = rootFixed && chains.isRoot[k] === 1 ? type.translations : 0;
    for (let c = lockedCount; c < type.dof; c++) {
      const halfWidth = c < type.translations ? UNLIMITED_LENGTH * lengthScale : UNLIMITED_ANGLE;
      pose[i + c] = start[i + c] + halfWidth * (2 * random() - 1);
    }
    const limits = bodies.limits[k];
    for (let m = 0; m < limits.length; m++) {
      const limit = limits[m];
      if (limit.coordinate < i + lockedCount) continue;
      for (let c = 0; c < limit.size; c++) {
        const low = bound(limit, c, -1);
        const width = bound(limit, c, 1) - low;
        if (width < Number.POSITIVE_INFINITY) pose[limit.coordinate + c] = low + width * random();
      }
      limitShapes[limit.kind].project(limit.parameters, pose, limit.coordinate, limit.size);
    }
  }
  updateBodies(bodies, pose);
}

/** Bounding interval of a limit's c-th coordinate: its lower (`sign` -1) or upper bound. */
function bound({ kind, parameters: p }: LimitComponent, c: number, sign: -1 | 1): number {
  switch (kind) {
    case 'interval':
      return p[sign < 0 ? 0 : 1];
    case 'disk':
      return sign * p[0];
    case 'ellipse':
      return sign * p[c];
    default:
      return p[2 * c + (sign < 0 ? 0 : 1)];
  }
}
