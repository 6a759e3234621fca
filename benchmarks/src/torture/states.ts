/** State of all bodies of a scene in one array, and the kinematics of what the scene itself does to them. Nothing of any engine. */
import { conjugate, cross, length, plus, product, quaternionOf, rotate, type V } from '../rigid/vectors.js';
import type { Anchor, Drag, Event, Figure, Scene } from './scene.js';

/** Numbers of a body: origin, rotation [x, y, z, w], velocity of the origin, angular velocity; world axes. */
export const STRIDE = 13;

export interface BodyState {
  readonly position: number[];
  readonly rotation: number[];
  readonly velocity: number[];
  readonly spin: number[];
}

/** Index of each figure's first body among all, and their number at the end. */
export function firstBodies({ figures }: Scene): number[] {
  const first = [0];
  for (const { bones } of figures) first.push(first[first.length - 1] + bones.length);
  return first;
}

export function stateOf(states: Float64Array, body: number): BodyState {
  const at = STRIDE * body;
  const three = (i: number): number[] => [states[i], states[i + 1], states[i + 2]];
  return {
    position: three(at),
    rotation: [states[at + 3], states[at + 4], states[at + 5], states[at + 6]],
    velocity: three(at + 7),
    spin: three(at + 10),
  };
}

/** States of all bodies. */
export function statesOf(states: Float64Array): BodyState[] {
  return Array.from({ length: states.length / STRIDE }, (_, body) => stateOf(states, body));
}

export function writeState(states: Float64Array, body: number, state: BodyState): void {
  const at = STRIDE * body;
  states.set(state.position, at);
  states.set(state.rotation, at + 3);
  states.set(state.velocity, at + 7);
  states.set(state.spin, at + 10);
}

/** How all bodies start. A figure moves as one rigid body does that has its root's velocity and spin. */
export function startStates(scene: Scene): Float64Array {
  const first = firstBodies(scene);
  const states = new Float64Array(STRIDE * first[scene.figures.length]);
  scene.figures.forEach((figure, f) => {
    placeFigure(states, first[f], figure);
  });
  return states;
}

function placeFigure(states: Float64Array, first: number, figure: Figure): void {
  const { position: origin, velocity, spin } = figure;
  figure.bones.forEach(({ parent, at }, b) => {
    const own = quaternionOf(figure.jointRotations?.[b] ?? [0, 0, 0]);
    const above = parent < 0 ? undefined : stateOf(states, first + parent);
    const position = above ? plus(above.position, rotate(above.rotation, at)) : [...origin];
    const rotation = product(above?.rotation ?? figure.rotation, own);
    const moved = plus(velocity, cross(spin, plus(position, origin, -1)));
    writeState(states, first + b, { position, rotation, velocity: moved, spin: [...spin] });
  });
}

/** A figure moved as a whole so that its root is there, and stopped. */
export function teleport(
  scene: Scene,
  states: Float64Array,
  { figure: f, position, rotation }: Event & { readonly type: 'teleport' },
): void {
  const first = firstBodies(scene)[f];
  const root = stateOf(states, first);
  const turn = product(rotation, conjugate(root.rotation));
  for (let b = 0; b < scene.figures[f].bones.length; b++) {
    const body = stateOf(states, first + b);
    writeState(states, first + b, {
      position: plus(position, rotate(turn, plus(body.position, root.position, -1))),
      rotation: product(turn, body.rotation),
      velocity: [0, 0, 0],
      spin: [0, 0, 0],
    });
  }
}

/** World place and velocity of a point of a bone. */
export function pointOf(
  bodies: readonly BodyState[],
  first: readonly number[],
  { figure, bone, point }: Anchor,
): { readonly position: number[]; readonly velocity: number[] } {
  const body = bodies[first[figure] + bone];
  const arm = rotate(body.rotation, point);
  return { position: plus(body.position, arm), velocity: plus(body.velocity, cross(body.spin, arm)) };
}

/** Whether something is done to the scene in a step. */
export function isTouched({ events, drags }: Scene, step: number): boolean {
  return (
    events.some((event) => event.step === step) ||
    drags.some(({ from, until }) => step >= from && step < until)
  );
}

/** Target of a drag in a step. */
export function targetOf({ from, until, path }: Drag, step: number): number[] {
  const share = (Math.min(step, until) - from) / Math.max(1, until - from);
  const way = share * (path.length - 1);
  const k = Math.min(path.length - 2, Math.floor(way));
  if (k < 0) return [...path[0]];
  return plus(path[k], plus(path[k + 1], path[k], -1), way - k);
}

/** Force of a drag on its point, N; undefined where it does not act in this step. */
export function dragForce(
  drag: Drag,
  step: number,
  { position, velocity }: { readonly position: V; readonly velocity: V },
): number[] | undefined {
  if (step < drag.from || step >= drag.until) return undefined;
  const pull = plus(targetOf(drag, step), position, -1).map((x) => x * drag.stiffness);
  const force = plus(pull, velocity, -drag.damping);
  const size = length(force);
  return size > drag.maxForce ? force.map((x) => (x * drag.maxForce) / size) : force;
}
