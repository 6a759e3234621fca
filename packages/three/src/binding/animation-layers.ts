/**
 * Separates the animation's transforms from the output of solvers, without a hook in either.
 *
 * three's mixer writes a property only when its own value has changed since the last frame, and skips objects without a
 * track. At the beginning of a frame an object's transform may therefore be the animation's or a solver's last output;
 * a solver that reads its own output as the animation drifts. So each solver has a layer on each object with the transform
 * that it read (input) and the one that it wrote (output), bit for bit. An object whose transform equals a layer's output
 * has not been written since. Layers of several solvers on one object stack in the order of creation: each reads the output
 * of the layers before it as the animation.
 */
import { FigureError } from 'poise';
import { quat } from 'poise/math';
import type { Object3D } from 'three';
import { pathOf, refresh } from './local-transform.js';
import { slerp } from './slerp.js';

/** Position (3) and quaternion (4) relative to the parent, from the object's own properties. */
type LocalTransform = Float64Array;

interface Layer {
  readonly object: Object3D;
  /** Transform at the last {@link AnimationLayers.unwind}. */
  readonly found: LocalTransform;
  readonly input: LocalTransform;
  readonly output: LocalTransform;
  /** The local matrix last written, for objects with `matrixAutoUpdate` false. */
  readonly matrix: Float64Array;
}

const POSITION = 0;
const QUATERNION = 3;

/** Layers on each object, first solver first. */
const stacks = /* @__PURE__ */ new WeakMap<Object3D, Layer[]>();

const now = /* @__PURE__ */ new Float64Array(7);
const current = /* @__PURE__ */ new Float64Array(7);
const input4: number[] = [0, 0, 0, 1];
const output4: number[] = [0, 0, 0, 1];

/** The layers of one solver on its objects. */
export class AnimationLayers {
  readonly #layers: readonly Layer[];

  constructor(objects: readonly Object3D[]) {
    this.#layers = objects.map((object) => {
      refresh(object);
      const layer: Layer = {
        object,
        found: readLocalTransform(object, new Float64Array(7)),
        input: readLocalTransform(object, new Float64Array(7)),
        output: readLocalTransform(object, new Float64Array(7)),
        matrix: Float64Array.from(object.matrix.elements),
      };
      const stack = stacks.get(object);
      if (stack === undefined) stacks.set(object, [layer]);
      else stack.push(layer);
      return layer;
    });
  }

  /** Detects transforms written since the last commit, and resets every object to the animation: the solver's input. */
  unwind(): void {
    for (const layer of this.#layers) {
      const { object, input, found } = layer;
      const stack = stacks.get(object) as Layer[];
      const written = object.matrixAutoUpdate
        ? undefined
        : stack.find(({ matrix }) => isMatrix(object, matrix));
      if (object.matrixAutoUpdate) readLocalTransform(object, now);
      else if (written !== undefined) now.set(written.output);
      else {
        refresh(object);
        readLocalTransform(object, now);
      }
      found.set(now);
      readIfWritten(layer, stack, POSITION, 3);
      readIfWritten(layer, stack, QUATERNION, 4);
      writeLocalTransform(object, input);
    }
  }

  /** Resets object n to its input, after the solver has moved it. */
  resetToInput(n: number): void {
    writeLocalTransform(this.#layers[n].object, this.#layers[n].input);
  }

  /** Interpolates object n from its input to its current transform by `weight`: linear, and slerp along the shortest arc. */
  blend(n: number, weight: number): void {
    const { object, input } = this.#layers[n];
    readLocalTransform(object, now);
    for (let i = 0; i < 3; i++) now[i] = input[i] + weight * (now[i] - input[i]);
    for (let i = 0; i < 4; i++) {
      input4[i] = input[QUATERNION + i];
      output4[i] = now[QUATERNION + i];
    }
    quat.normalize(input4, input4);
    slerp(input4, quat.normalize(output4, output4), weight, output4);
    now.set(output4, QUATERNION);
    writeLocalTransform(object, now);
  }

  /** Stores the current transforms as the solver's output. */
  commit(): void {
    for (const { object, output, matrix } of this.#layers) {
      readLocalTransform(object, output);
      for (let i = 0; i < 16; i++) matrix[i] = object.matrix.elements[i];
    }
  }

  /** Resets the objects to the transforms that {@link unwind} found. */
  rewind(): void {
    for (const { object, found } of this.#layers) writeLocalTransform(object, found);
  }

  /** Resets the objects to their inputs. Transforms written since are kept. */
  restore(): void {
    this.unwind();
    this.commit();
  }

  /** Removes the layers. Layers above then read the output of those below. */
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
 * Copies `count` numbers of `now` to the layer's input, unless this layer or one above it wrote them last: then nothing
 * below has moved. The output of a layer below is this layer's animation, and is copied.
 *
 * @throws FigureError `not-finite`, naming the object.
 */
function readIfWritten(layer: Layer, stack: readonly Layer[], start: number, count: number): void {
  const index = stack.indexOf(layer);
  let writtenBelow = false;
  for (let n = 0; n < index; n++) {
    writtenBelow ||= isSame(stack[n].output, start, count);
  }
  for (let n = index; n < stack.length && !writtenBelow; n++) {
    if (isSame(stack[n].output, start, count)) return;
  }
  for (let i = start; i < start + count; i++) {
    // The last finite input stays until a finite transform is written.
    if (!Number.isFinite(now[i])) throw notFinite(layer.object);
  }
  for (let i = start; i < start + count; i++) layer.input[i] = now[i];
}

function notFinite(object: Object3D): FigureError {
  return new FigureError('not-finite', 'has a position or quaternion that is not finite.', {
    path: pathOf(object),
    remedy: 'Look for a clip or code that writes NaN to it.',
  });
}

/** Bitwise equality: 0 and -0 differ. */
function isSame(output: LocalTransform, start: number, count: number, other: LocalTransform = now): boolean {
  for (let i = start; i < start + count; i++) if (!Object.is(output[i], other[i])) return false;
  return true;
}

function isMatrix(object: Object3D, matrix: Float64Array): boolean {
  const { elements } = object.matrix;
  for (let i = 0; i < 16; i++) if (matrix[i] !== elements[i]) return false;
  return true;
}

function readLocalTransform({ position: p, quaternion: q }: Object3D, out: Float64Array): Float64Array {
  out[0] = p.x;
  out[1] = p.y;
  out[2] = p.z;
  out[3] = q.x;
  out[4] = q.y;
  out[5] = q.z;
  out[6] = q.w;
  return out;
}

/** Skips an object that already has this transform: setting a quaternion would recompute its Euler angles. */
function writeLocalTransform(object: Object3D, placement: Float64Array): void {
  if (isSame(placement, 0, 7, readLocalTransform(object, current))) return;
  object.position.set(placement[0], placement[1], placement[2]);
  object.quaternion.set(placement[3], placement[4], placement[5], placement[6]);
  // Also marks the world matrix of an object that does not update by itself.
  object.updateMatrix();
}
