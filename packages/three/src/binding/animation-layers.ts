/**
 * Keeps what an animation wrote to objects apart from what solvers wrote over it, without a hook in either.
 *
 * three's mixer writes a property only when its own value has changed since the last frame, and leaves objects without a
 * track alone. What stands on an object at the beginning of a frame may therefore be the animation's, or still what a
 * solver wrote; taking the second for the first would feed a solver its own output, frame after frame. So each solver
 * has a layer on each object: what it found (input) and what it put there (output), bit by bit. An object that still
 * stands as a layer left it has not been written since. Layers of several solvers on one object stack in the order of
 * their making: each takes the output of those before it as the animation.
 */
import { FigureError } from 'poise';
import { quat } from 'poise/math';
import type { Object3D } from 'three';
import { pathOf, refresh } from './local-transform.js';
import { slerp } from './slerp.js';

/** Position (3) and quaternion (4) of an object against its parent, as its own properties have them. */
type Placement = Float64Array;

interface Layer {
  readonly object: Object3D;
  /** Where the object stood when the layers were last unwound. */
  readonly found: Placement;
  readonly input: Placement;
  readonly output: Placement;
  /** The local matrix as written, for objects that go by it (`matrixAutoUpdate` false). */
  readonly matrix: Float64Array;
}

const POSITION = 0;
const QUATERNION = 3;

/** Layers on each object, first solver first. */
const stacks = /* @__PURE__ */ new WeakMap<Object3D, Layer[]>();

const now = /* @__PURE__ */ new Float64Array(7);
const stands = /* @__PURE__ */ new Float64Array(7);
const from: number[] = [0, 0, 0, 1];
const to: number[] = [0, 0, 0, 1];

/** The layers of one solver on its objects. */
export class AnimationLayers {
  readonly #layers: readonly Layer[];

  constructor(objects: readonly Object3D[]) {
    this.#layers = objects.map((object) => {
      refresh(object);
      const layer: Layer = {
        object,
        found: readPlacement(object, new Float64Array(7)),
        input: readPlacement(object, new Float64Array(7)),
        output: readPlacement(object, new Float64Array(7)),
        matrix: Float64Array.from(object.matrix.elements),
      };
      const stack = stacks.get(object);
      if (stack === undefined) stacks.set(object, [layer]);
      else stack.push(layer);
      return layer;
    });
  }

  /** Finds out what was written since, and puts every object where the animation has it: the solver's input. */
  unwind(): void {
    for (const layer of this.#layers) {
      const { object, input, found } = layer;
      const stack = stacks.get(object) as Layer[];
      const written = object.matrixAutoUpdate
        ? undefined
        : stack.find(({ matrix }) => isMatrix(object, matrix));
      if (object.matrixAutoUpdate) readPlacement(object, now);
      else if (written !== undefined) now.set(written.output);
      else {
        refresh(object);
        readPlacement(object, now);
      }
      found.set(now);
      takeIfNew(layer, stack, POSITION, 3);
      takeIfNew(layer, stack, QUATERNION, 4);
      writePlacement(object, input);
    }
  }

  /** Puts object n where its input has it, after the solver has moved it. */
  undo(n: number): void {
    writePlacement(this.#layers[n].object, this.#layers[n].input);
  }

  /** Puts object n the share `weight` of the way from its input to where it stands: a line and the shortest turn. */
  fade(n: number, weight: number): void {
    const { object, input } = this.#layers[n];
    readPlacement(object, now);
    for (let i = 0; i < 3; i++) now[i] = input[i] + weight * (now[i] - input[i]);
    for (let i = 0; i < 4; i++) {
      from[i] = input[QUATERNION + i];
      to[i] = now[QUATERNION + i];
    }
    quat.normalize(from, from);
    slerp(from, quat.normalize(to, to), weight, to);
    now.set(to, QUATERNION);
    writePlacement(object, now);
  }

  /** Notes that the objects now stand as the solver wants them. */
  commit(): void {
    for (const { object, output, matrix } of this.#layers) {
      readPlacement(object, output);
      for (let i = 0; i < 16; i++) matrix[i] = object.matrix.elements[i];
    }
  }

  /** Puts the objects back where {@link unwind} found them. */
  rewind(): void {
    for (const { object, found } of this.#layers) writePlacement(object, found);
  }

  /** Puts the inputs back on the objects. Nothing is written over what came since. */
  restore(): void {
    this.unwind();
    this.commit();
  }

  /** Takes the layers off. Those above go on from what was below. */
  remove(): void {
    for (const layer of this.#layers) {
      const stack = stacks.get(layer.object) as Layer[];
      const index = stack.indexOf(layer);
      if (index < 0) continue;
      stack.splice(index, 1);
      if (stack.length === 0) stacks.delete(layer.object);
    }
  }
}

/**
 * Takes `count` numbers of `now` into the layer's input, unless they are what this layer, or one above it, wrote last: then
 * nothing below has moved. What a layer below wrote counts as moved: it is this layer's animation.
 *
 * @throws FigureError `not-finite`, naming the object.
 */
function takeIfNew(layer: Layer, stack: readonly Layer[], from: number, count: number): void {
  const index = stack.indexOf(layer);
  let isBelow = false;
  for (let n = 0; n < index; n++) {
    isBelow ||= isSame(stack[n].output, from, count);
  }
  for (let n = index; n < stack.length && !isBelow; n++) {
    if (isSame(stack[n].output, from, count)) return;
  }
  for (let i = from; i < from + count; i++) {
    // Not taken in: what stood here before stays, until something better is written.
    if (!Number.isFinite(now[i])) throw notFinite(layer.object);
  }
  for (let i = from; i < from + count; i++) layer.input[i] = now[i];
}

function notFinite(object: Object3D): FigureError {
  return new FigureError('not-finite', 'has a position or quaternion that is not finite.', {
    path: pathOf(object),
    remedy: 'Look for a clip or code that writes NaN to it.',
  });
}

/** Bit for bit: 0 and -0 are two. */
function isSame(output: Placement, from: number, count: number, other: Placement = now): boolean {
  for (let i = from; i < from + count; i++) if (!Object.is(output[i], other[i])) return false;
  return true;
}

function isMatrix(object: Object3D, matrix: Float64Array): boolean {
  const { elements } = object.matrix;
  for (let i = 0; i < 16; i++) if (matrix[i] !== elements[i]) return false;
  return true;
}

function readPlacement({ position: p, quaternion: q }: Object3D, out: Float64Array): Float64Array {
  out[0] = p.x;
  out[1] = p.y;
  out[2] = p.z;
  out[3] = q.x;
  out[4] = q.y;
  out[5] = q.z;
  out[6] = q.w;
  return out;
}

/** Nothing is touched that stands right already: setting a quaternion would recompute the Euler angles beside it. */
function writePlacement(object: Object3D, placement: Float64Array): void {
  if (isSame(placement, 0, 7, readPlacement(object, stands))) return;
  object.position.set(placement[0], placement[1], placement[2]);
  object.quaternion.set(placement[3], placement[4], placement[5], placement[6]);
  // Also marks the world matrix of an object that does not update by itself.
  object.updateMatrix();
}
