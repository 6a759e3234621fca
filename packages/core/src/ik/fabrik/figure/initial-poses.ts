import type { LimitPart } from '../../../figure/limits/limit.js';
import { limitShapes } from '../../../figure/limits/shapes.js';
import type { Random } from '../../../math/random.js';
import { clampOrigin, GROUND, poseBodies, writeRestFrame } from '../bodies/bodies.js';
import { arcAngle, writeChord } from '../points/circular-arc.js';
import type { Chains } from './chains.js';
import { forwardPass, type Passes } from './passes.js';

/**
 * The one chain of the goals from its base to its end: the figure's part on which the straight and the bent start are
 * known in closed form.
 */
export interface SingleChain {
  /** Bodies from the first that turns to the one that carries the end. */
  readonly links: Int32Array;
  /** Length from the origin of each to that of the next, or to the end, m; filled at each solve. */
  readonly lengths: Float64Array;
  /** Whether the first also moves: a free root. */
  readonly moves: boolean;
}

/** The chain, where there is one end, at least two links that turn, and none that may move but a free root. */
export function findSingleChain({ chains, rootFixed }: Passes): SingleChain | undefined {
  const { bodies, active, endBodies, effectors } = chains;
  if (effectors.length !== 1 || effectors[0].targetBone >= 0) return undefined;
  const links: number[] = [];
  for (let k = endBodies[0]; k !== GROUND; k = bodies.parents[k]) links.unshift(k);
  if (links.length < 2 || links.length !== active.length) return undefined;
  const held = rootFixed && chains.isRoot[links[0]] === 1 ? links[0] : GROUND;
  const moves = held === GROUND && bodies.types[links[0]].translations === 3;
  const slides = links.some(
    (k, n) =>
      (bodies.types[k].translations > 0 && k !== held && !(moves && n === 0)) || !bodies.types[k].turns,
  );
  if (slides) return undefined;
  return { links: Int32Array.from(links), lengths: new Float64Array(links.length), moves };
}

/** Lengths of the links, bones standing as they do; their sum. */
export function measureLinks({ links, lengths }: SingleChain, { bodies, places }: Chains): number {
  const m = bodies.parentFromRest;
  let sum = 0;
  for (let n = 0; n < links.length; n++) {
    const last = n === links.length - 1;
    const o = last ? 0 : 12 * links[n + 1] + 9;
    const from = last ? places : m;
    lengths[n] = Math.sqrt(from[o] ** 2 + from[o + 1] ** 2 + from[o + 2] ** 2);
    sum += lengths[n];
  }
  return sum;
}

const u = /* @__PURE__ */ new Float64Array(3);
const v = /* @__PURE__ */ new Float64Array(3);
const chord = /* @__PURE__ */ new Float64Array(2);

/** From the base of the chain to the target: unit direction to `u`, and the distance. The chain's own direction for a target at the base. */
export function aim(chain: SingleChain, passes: Passes): number {
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
 * Lays the chain straight towards a target that it cannot reach, or, where one link is longer than all others and the distance
 * together, that link towards it and the others back: the nearest that a chain without limits can come, in one forward pass.
 */
export function layStraight(chain: SingleChain, passes: Passes, folded: boolean): void {
  const { links, lengths } = chain;
  const { back, chains } = passes;
  const longest = lengths.indexOf(Math.max(...lengths));
  const base = 12 * links[0] + 9;
  for (let c = 0; c < 3; c++) back[base + c] = chains.bodies.frames[base + c];
  let along = 0;
  for (let n = 0; n < links.length; n++) {
    along += folded && n !== longest ? -lengths[n] : lengths[n];
    place(chain, passes, n, along, 0);
  }
  runFrom(passes);
}

/**
 * Of a chain whose root moves within a box: where its target is farther from the box than it is long, the root goes to the
 * place of the box nearest to the target and the chain is laid straight from there. Nothing comes nearer: the distance that is left is
 * that from the box less the length. Whether that holds.
 */
export function layFromBox(chain: SingleChain, passes: Passes, length: number): boolean {
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
  aim(chain, passes);
  passes.rootStays = true;
  layStraight(chain, passes, false);
  passes.rootStays = passes.rootFixed;
  return true;
}

const restFrame = /* @__PURE__ */ new Float64Array(12);
const baseFrame = /* @__PURE__ */ new Float64Array(12);

/**
 * Bends the chain to an arc over the way from its base to the target, the least whose chord is the distance. One forward pass brings a chain without limits there, whatever
 * its state before: it cannot stick straight.
 *
 * @param roll - Which way it bends: angle about the line to the target, from a direction of the first body's own, rad.
 */
export function bendToArc(chain: SingleChain, passes: Passes, distance: number, roll: number): void {
  const { links, lengths } = chain;
  writeAcross(chain, passes, roll);
  const angle = arcAngle(lengths, distance);
  writeChord(lengths, angle, lengths.length, chord);
  const tilt = Math.atan2(chord[1], chord[0]);
  for (let n = 0; n < links.length; n++) {
    writeChord(lengths, angle, n + 1, chord);
    const [x, y] = chord;
    place(chain, passes, n, x * Math.cos(tilt) + y * Math.sin(tilt), y * Math.cos(tilt) - x * Math.sin(tilt));
  }
  runFrom(passes);
}

/** Forward from the frames as they stand towards the places written. */
function runFrom(passes: Passes): void {
  const { back, chains } = passes;
  const { frames } = chains.bodies;
  for (const k of chains.active) for (let i = 0; i < 9; i++) back[12 * k + i] = frames[12 * k + i];
  forwardPass(passes);
}

/** Wants the end of link n at x u + y v from the base. */
function place(
  { links }: SingleChain,
  { chains, back, wanted }: Passes,
  n: number,
  x: number,
  y: number,
): void {
  const o = 12 * links[0] + 9;
  const last = n === links.length - 1;
  const to = last ? wanted : back;
  const at = last ? 0 : 12 * links[n + 1] + 9;
  for (let c = 0; c < 3; c++) to[at + c] = chains.bodies.frames[o + c] + x * u[c] + y * v[c];
}

/** v = a unit vector normal to u: the axis of the first body's frame least along u, made normal and turned by `roll` about it. */
function writeAcross({ links }: SingleChain, { chains }: Passes, roll: number): void {
  const m = chains.bodies.frames;
  const o = 12 * links[0];
  let least = 2;
  let axis = 0;
  for (let c = 0; c < 3; c++) {
    const along = Math.abs(m[o + c] * u[0] + m[o + 3 + c] * u[1] + m[o + 6 + c] * u[2]);
    // Ties go to the first: rounding of another basis must not choose.
    if (along >= least - 1e-6) continue;
    least = along;
    axis = c;
  }
  const along = m[o + axis] * u[0] + m[o + 3 + axis] * u[1] + m[o + 6 + axis] * u[2];
  let size = 0;
  for (let r = 0; r < 3; r++) {
    v[r] = m[o + 3 * r + axis] - along * u[r];
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

/** Whether the chain and its target are on one line to rounding: the passes would keep them there. */
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
    const along = x * u[0] + y * u[1] + z * u[2];
    x -= along * u[0];
    y -= along * u[1];
    z -= along * u[2];
    if (x * x + y * y + z * z > size * size) return false;
  }
  return targets.length > 0;
}

/** Share of its length that a chain may be off a line and still count as straight. */
const STRAIGHT = 1e-6;

/** Half-width of the draw of an angle, rad, and of a translation in lengths of the figure, where no limit bounds it. */
const OPEN_ANGLE = Math.PI / 2;
const OPEN_LENGTH = 0.25;

/**
 * Draws a pose to start from: limited coordinates anywhere within their limits, the others around the start. Drawn in
 * coordinates, so that it does not depend on the basis. Bodies are put there.
 */
export function drawPose(
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
    const held = rootFixed && chains.isRoot[k] === 1 ? type.translations : 0;
    for (let c = held; c < type.dof; c++) {
      const open = c < type.translations ? OPEN_LENGTH * lengthScale : OPEN_ANGLE;
      pose[i + c] = start[i + c] + open * (2 * random() - 1);
    }
    const parts = bodies.limits[k];
    for (let m = 0; m < parts.length; m++) {
      const part = parts[m];
      if (part.coordinate < i + held) continue;
      for (let c = 0; c < part.size; c++) {
        const low = bound(part, c, -1);
        const width = bound(part, c, 1) - low;
        if (width < Number.POSITIVE_INFINITY) pose[part.coordinate + c] = low + width * random();
      }
      limitShapes[part.kind].project(part.parameters, pose, part.coordinate, part.size);
    }
  }
  poseBodies(bodies, pose);
}

/** The box around a limit along its c-th coordinate: its lower side (`side` -1) or its upper. */
function bound({ kind, parameters: p }: LimitPart, c: number, side: -1 | 1): number {
  switch (kind) {
    case 'interval':
      return p[side < 0 ? 0 : 1];
    case 'disk':
      return side * p[0];
    case 'ellipse':
      return side * p[c];
    default:
      return p[2 * c + (side < 0 ? 0 : 1)];
  }
}
