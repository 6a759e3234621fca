/** The view goes with a figure that a clip or a fall carries away. */
import { createState, forwardKinematics, type Triple } from 'poise/figure';
import { vec3 } from 'poise/math';
import { create } from 'zustand';
import { type Character, shownHeight } from '../character/character.js';
import { session } from '../session/store.js';
import { toWorld } from './view.js';

/** Whether it does; of the page, never undone. */
export const useFollow = create<{ readonly isOn: boolean }>(() => ({ isOn: true }));

/** How far the figure goes from where it stood before the view goes with it, over its height: along the floor, and up, so that a jump is seen as one. */
const SLACK = { along: 0.1, up: 0.25 } as const;

/** Time in which the view comes up to a figure that is let go, to a third of the way, s; and a way that is none, m. */
const CATCHES_UP = 0.25;
const NONE = 1e-3;

let rest: { readonly character: Character; readonly position: readonly number[] } | undefined;

/** How far the view has to be from where it was while the figure stood as it came, m of the scene; zero for what is fixed to the floor. */
export function viewShift(): Triple {
  const { character } = session;
  const bone = carried(character);
  if (bone === undefined) return [0, 0, 0];
  if (rest?.character !== character) {
    const state = createState(character.figure);
    forwardKinematics(state, Float64Array.from(character.pose));
    rest = { character, position: originOf(state.worldFromBone.subarray(12 * bone, 12 * bone + 12)) };
  }
  const [x, y, z] = vec3.subtract(toWorld(originOf(session.frameOf(bone))), toWorld(rest.position));
  const height = shownHeight(character);
  const [dx, , dz] = beyond([x, 0, z], SLACK.along * height);
  const [, dy] = beyond([0, y, 0], SLACK.up * height);
  return [dx, dy, dz];
}

/** How far the view is from where it would be, m of the scene: behind what the pointer pulled. */
let behind: Triple = [0, 0, 0];
useFollow.subscribe(arrive);

/** Whether the view is still on its way to a figure that was let go. */
export function isBehind(): boolean {
  return vec3.norm(behind) > 0;
}

/** The view is where it would be: nothing is left to catch up with. @returns How far that is, as {@link viewShift}. */
export function arrive(): Triple {
  behind = [0, 0, 0];
  return viewShift();
}

/**
 * How far the view is after a frame. While the pointer pulls the figure it stays, as it would pull it further; let go, the figure is
 * caught up with, without a jump.
 *
 * @param shift - How far it is now.
 * @param seconds - Of the frame. Infinity: it is there at once.
 */
export function nextShift(shift: readonly number[], seconds: number, isPulled: boolean): Triple {
  const to = viewShift();
  if (isPulled) {
    behind = triple(vec3.subtract(shift, to));
    return triple(shift);
  }
  const left = vec3.scale(behind, Math.exp(-seconds / CATCHES_UP));
  behind = vec3.norm(left) > NONE ? triple(left) : [0, 0, 0];
  return triple(vec3.add(to, behind));
}

/** A way without its first part. */
export function beyond(way: readonly number[], slack: number): Triple {
  const length = vec3.norm(way);
  const share = length > slack ? 1 - slack / length : 0;
  return [share * way[0], share * way[1], share * way[2]];
}

function carried({ figure, humanoid }: Character): number | undefined {
  const free = figure.bones.find(({ joint }) => joint.type === 'free');
  return free && (humanoid?.bones.hips ?? free.index);
}

function triple([x, y, z]: ArrayLike<number> & Iterable<number>): Triple {
  return [x, y, z];
}

function originOf(frame: ArrayLike<number>): number[] {
  return [frame[9], frame[10], frame[11]];
}
