import type { IkStatus } from 'poise';
import type { Figure, LimitComponent } from 'poise/figure';
import type { Holds } from '../character/handles.js';

/** Text of the status card. */
export interface StatusWords {
  readonly title: string;
  readonly says: string;
  readonly tone: 'good' | 'warn' | 'far' | 'idle';
}

export type ShownStatus = IkStatus | 'idle';

/** What the words of a status depend on. */
export interface Situation {
  readonly status: ShownStatus;
  /** Name of the handle that is dragged, as in a sentence: `the left hand`. */
  readonly dragged: string | undefined;
  /** Names of the other handles that are pinned: `left foot`. */
  readonly pinned: readonly string[];
  /** Names of the joints that stop it: `left ankle`. */
  readonly joints: readonly string[];
  /** Whether the figure can go anywhere: out of reach, only its pins hold it. */
  readonly isFree: boolean;
}

/** What to say of a pose: what holds it, in the words of who animates. */
export function statusWords({ status, dragged, pinned, joints, isFree }: Situation): StatusWords {
  switch (status) {
    case 'converged':
      return {
        title: 'Reached',
        says: dragged === undefined ? 'Every pin holds.' : `${sentence(dragged)} is where you pull it.`,
        tone: 'good',
      };
    case 'limit-blocked':
      return { title: 'Stopped by a joint', says: jointSentence(joints), tone: 'warn' };
    case 'out-of-reach':
      return {
        title: 'Too far',
        says:
          dragged === undefined
            ? 'The pins pull against each other.'
            : isFree && pinned.length > 0
              ? pinSentence(pinned)
              : 'It is stretched out.',
        tone: 'far',
      };
    case 'stalled':
      return { title: 'Stuck', says: 'It finds no way from here. Pull another way.', tone: 'warn' };
    case 'iteration-limit':
      return { title: 'On its way', says: 'The body is still catching up.', tone: 'far' };
    case 'idle':
      return { title: 'Free', says: 'Nothing is pinned, nothing is pulled: the pose stays.', tone: 'idle' };
  }
}

export const HOLDS_WORDS: Readonly<Record<Holds, string>> = {
  place: 'Place',
  rotation: 'Rotation',
  both: 'Both',
};

/** Display name of a bone: `Left upper arm` for `leftUpperArm`. */
export function boneWords(name: string): string {
  const words = name.replace(/([A-Z])/g, ' $1').toLowerCase();
  return sentence(words);
}

/** Names of joints by the bone below them, without its side. */
const JOINTS: Readonly<Record<string, string>> = {
  UpperArm: 'shoulder',
  Shoulder: 'shoulder blade',
  LowerArm: 'elbow',
  Hand: 'wrist',
  UpperLeg: 'hip',
  LowerLeg: 'knee',
  Foot: 'ankle',
};

/** Display name of a bone's joint: `Left ankle` for `leftFoot`. */
export function jointWords(bone: string): string {
  const [, side = '', rest = bone] = /^(left|right)(.*)$/.exec(bone) ?? [];
  return boneWords(side + (rest in JOINTS ? ` ${JOINTS[rest]}` : rest));
}

/** `The left ankle is at its end.`, `Both ankles are at their end.` */
export function jointSentence(joints: readonly string[]): string {
  if (joints.length === 0) return 'A joint is at its end.';
  const { list, isOne } = listed(joints);
  return `${sentence(list)} ${isOne ? 'is at its end' : 'are at their end'}.`;
}

/** `The pins on both feet hold the body.` */
export function pinSentence(handles: readonly string[]): string {
  const { list, isOne } = listed(handles);
  return isOne ? `The pin on ${list} holds the body.` : `The pins on ${list} hold the body.`;
}

/** A list of things, left and right together, most of them by number: `both ankles and the spine`. */
function listed(things: readonly string[]): { list: string; isOne: boolean } {
  const all = [...new Set(things)];
  const names: string[] = [];
  for (const thing of all) {
    const [, side, rest] = /^(left|right) (.+)$/.exec(thing) ?? [];
    const isPair = side !== undefined && all.includes(`${side === 'left' ? 'right' : 'left'} ${rest}`);
    const name = isPair ? `both ${plural(rest)}` : `the ${thing}`;
    if (!names.includes(name)) names.push(name);
  }
  const shown = names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more`] : names;
  const last = shown.length - 1;
  return {
    list: last === 0 ? shown[0] : `${shown.slice(0, last).join(', ')} and ${shown[last]}`,
    isOne: all.length === 1,
  };
}

function plural(name: string): string {
  return name === 'foot' ? 'feet' : name.replace(/s?$/, 's');
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** How far a joint is turned at its end: `bend 150°`. */
export function limitWords(figure: Figure, component: LimitComponent, pose: ArrayLike<number>): string {
  const degrees = (radians: number) => `${Math.round((radians * 180) / Math.PI)}°`;
  const { size, coordinate, role } = component;
  if (size === 1) {
    const name = role === 'twist' ? 'twist' : figure.bones[component.bone].dof === 1 ? 'bend' : 'rotation';
    return `${name} ${degrees(pose[coordinate])}`;
  }
  let sum = 0;
  for (let n = 0; n < size; n++) sum += pose[coordinate + n] ** 2;
  return `swing ${degrees(Math.sqrt(sum))}`;
}
