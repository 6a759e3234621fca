import type { IkStatus } from 'poise';
import type { Figure, JointData, LimitComponent } from 'poise/figure';
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
  /** Whether a hand or forearm that is kept off the body touches it. */
  readonly touchesItself: boolean;
}

/** What to say of a pose: what holds it, in the words of who animates. */
export function statusWords({
  status,
  dragged,
  pinned,
  joints,
  isFree,
  touchesItself,
}: Situation): StatusWords {
  if (touchesItself && dragged !== undefined && status !== 'converged') {
    return {
      title: 'Stopped by the body',
      says: 'It would go through the body, which it is kept off.',
      tone: 'warn',
    };
  }
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
  return sentence(words.trim());
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
  ThumbMetacarpal: 'thumb base',
};
/** The same of fingers, by phalanx. */
const FINGER_JOINTS: Readonly<Record<string, string>> = {
  Proximal: 'knuckle',
  Intermediate: 'middle joint',
  Distal: 'end joint',
};

/** Display name of a bone's joint: `Left ankle` for `leftFoot`. */
export function jointWords(bone: string): string {
  const [, side = '', rest = bone] = /^(left|right)(.*)$/.exec(bone) ?? [];
  const [, finger = '', phalanx = ''] = /^(.*)(Proximal|Intermediate|Distal)$/.exec(rest) ?? [];
  const which = finger === 'Thumb' ? finger : `${finger}Finger,`;
  if (phalanx !== '') return boneWords(`${side}${which} ${FINGER_JOINTS[phalanx]}`);
  return boneWords(side + (rest in JOINTS ? ` ${JOINTS[rest]}` : rest));
}

/** `The left ankle is at its end.`, `Both ankles are at their end.` */
export function jointSentence(joints: readonly string[]): string {
  if (joints.length === 0) return 'A joint is at its end.';
  const { list, isOne } = listed(joints);
  return `${sentence(list)} ${isOne ? 'is at its end' : 'are at their end'}.`;
}

/** `The left ankle stopped the drag.`, of one that is over. */
export function stoppedSentence(joints: readonly string[]): string {
  return `${sentence(listed(joints).list)} stopped the drag.`;
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

/** A coordinate of a joint of a human: what it does, and at its least and its most. */
export interface DirectionWords {
  readonly label: string;
  readonly min: string;
  readonly max: string;
}

function direction(label: string, min: string, max: string): DirectionWords {
  return { label, min, max };
}

const SPINAL = [
  direction('Bend', 'Bent back', 'Bent forward'),
  direction('Lean', 'Leant right', 'Leant left'),
  direction('Turn', 'Turned right', 'Turned left'),
];

/** By type of the joint and bone below it, without its side: the coordinates of the built-in human, which recognised ones share. */
const DIRECTIONS: Readonly<Record<string, Readonly<Record<string, readonly DirectionWords[]>>>> = {
  'ball-and-socket': {
    spine: SPINAL,
    chest: SPINAL,
    upperChest: SPINAL,
    neck: SPINAL,
    head: SPINAL,
    UpperArm: [
      direction('Forward', 'Back', 'Forward'),
      direction('Raise', 'Lowered', 'Raised'),
      direction('Twist', 'Turned in', 'Turned out'),
    ],
    UpperLeg: [
      direction('Bend', 'Back', 'Bent'),
      direction('Spread', 'Crossed', 'Spread'),
      direction('Twist', 'Turned in', 'Turned out'),
    ],
    Proximal: [
      direction('Curl', 'Bent back', 'Curled'),
      direction('Spread', 'Spread one way', 'Spread the other way'),
      direction('Twist', 'Twisted one way', 'Twisted the other way'),
    ],
  },
  swing: {
    Shoulder: [direction('Forward', 'Back', 'Forward'), direction('Raise', 'Lowered', 'Raised')],
    Foot: [direction('Bend', 'Pointed', 'Toes up'), direction('Tilt', 'Sole in', 'Sole out')],
  },
  hinge: {
    LowerArm: [direction('Bend', 'Straight', 'Bent')],
    LowerLeg: [direction('Bend', 'Straight', 'Bent')],
    Toes: [direction('Bend', 'Bent down', 'Bent up')],
    Intermediate: [direction('Curl', 'Straight', 'Curled')],
    Distal: [direction('Curl', 'Straight', 'Curled')],
    Proximal: [direction('Curl', 'Straight', 'Curled')],
  },
  euler: {
    leftHand: [
      direction('Roll', 'Palm up', 'Palm down'),
      direction('Bend', 'Bent in', 'Bent back'),
      direction('Tilt', 'To the thumb', 'To the little finger'),
    ],
    rightHand: [
      direction('Roll', 'Palm up', 'Palm down'),
      direction('Bend', 'Bent back', 'Bent in'),
      direction('Tilt', 'To the little finger', 'To the thumb'),
    ],
  },
};

/** What the coordinates of a human's joint do; undefined for those without words of their own. */
export function directionWords(
  { type }: JointData,
  human: string | undefined,
): readonly DirectionWords[] | undefined {
  const own = DIRECTIONS[type];
  if (own === undefined || human === undefined) return undefined;
  const rest = human.replace(/^(left|right)(Thumb|Index|Middle|Ring|Little)?/, '');
  return own[human] ?? own[rest];
}

/** At which end a joint is: `bent, 150°`, in the words of a human's joint where it is one; else how far it is turned. */
export function endWords(
  figure: Figure,
  component: LimitComponent,
  pose: ArrayLike<number>,
  human: string | undefined,
): string {
  const { joint, coordinate: first } = figure.bones[component.bone];
  const own = directionWords(joint, human);
  if (own === undefined) return limitWords(figure, component, pose);
  const { coordinate, size } = component;
  // Of a swing the direction that it goes farthest in.
  let most = coordinate;
  for (let n = coordinate; n < coordinate + size; n++) if (Math.abs(pose[n]) > Math.abs(pose[most])) most = n;
  const { min, max } = own[most - first];
  const isMin = size === 1 ? nearer(component, pose[most]) : pose[most] < 0;
  return `${(isMin ? min : max).toLowerCase()} ${Math.abs(Math.round((180 / Math.PI) * pose[most]))}°`;
}

/** Whether an angle is at its least rather than at its most. */
function nearer({ parameters }: LimitComponent, x: number): boolean {
  return x - parameters[0] < parameters[1] - x;
}
