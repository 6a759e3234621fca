import type { IkStatus } from 'poise';
import type { Figure, LimitComponent } from 'poise/figure';

/** What the status card says. */
export interface StatusWords {
  readonly title: string;
  readonly says: string;
  readonly tone: 'good' | 'warn' | 'far' | 'idle';
}

export type ShownStatus = IkStatus | 'idle';

export const STATUS_WORDS: Readonly<Record<ShownStatus, StatusWords>> = {
  converged: {
    title: 'Converged',
    says: 'Every goal is met, and every joint is within its limits.',
    tone: 'good',
  },
  'limit-blocked': {
    title: 'Blocked by a limit',
    says: 'This is as near as the joints allow.',
    tone: 'warn',
  },
  'out-of-reach': {
    title: 'Out of reach',
    says: 'The target is too far away, and no limit is in the way. This is the nearest pose.',
    tone: 'far',
  },
  stalled: {
    title: 'Stalled',
    says: 'No better pose was found from here. Try another way there.',
    tone: 'warn',
  },
  'iteration-limit': {
    title: 'On its way',
    says: 'The frame ended before the solver did; the next one goes on from here.',
    tone: 'far',
  },
  idle: { title: 'Nothing to hold', says: 'No pin and no drag: the body stays as it is.', tone: 'idle' },
};

/** `leftUpperArm` as people say it: `Left upper arm`. */
export function boneWords(name: string): string {
  const words = name.replace(/([A-Z])/g, ' $1').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Joints that have a name of their own, by the bone below them, without its side. */
const JOINTS: Readonly<Record<string, string>> = {
  UpperArm: 'shoulder',
  Shoulder: 'shoulder blade',
  LowerArm: 'elbow',
  Hand: 'wrist',
  UpperLeg: 'hip',
  LowerLeg: 'knee',
  Foot: 'ankle',
};

/** The joint of a bone as people say it: `Left ankle` for `leftFoot`. */
export function jointWords(bone: string): string {
  const [, side = '', rest = bone] = /^(left|right)(.*)$/.exec(bone) ?? [];
  return boneWords(side + (rest in JOINTS ? ` ${JOINTS[rest]}` : rest));
}

/** What stops a goal: `Both ankles are at their limits.` */
export function blockedWords(bones: readonly string[]): string {
  const joints = [...new Set(bones.map((bone) => jointWords(bone).toLowerCase()))];
  const names: string[] = [];
  for (const joint of joints) {
    const other = joint.replace(/^(left|right) /, (_, side) => (side === 'left' ? 'right ' : 'left '));
    const isPair = other !== joint && joints.includes(other);
    const name = isPair ? `both ${joint.replace(/^(left|right) /, '').replace(/s?$/, 's')}` : joint;
    if (!names.includes(name)) names.push(name);
  }
  if (names.length === 0) return '';
  const shown = names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more`] : names;
  const last = shown.length - 1;
  const list = last === 0 ? shown[0] : `${shown.slice(0, last).join(', ')} and ${shown[last]}`;
  const isOne = joints.length === 1;
  return `${list.charAt(0).toUpperCase()}${list.slice(1)} ${isOne ? 'is at its limit' : 'are at their limits'}.`;
}

/** What a limit stops, and where: `bend, 150°`. */
export function limitWords(figure: Figure, part: LimitComponent, pose: ArrayLike<number>): string {
  const degrees = (radians: number) => `${Math.round((radians * 180) / Math.PI)}°`;
  const { kind, size, coordinate, role } = part;
  if (size === 1) {
    const name = role === 'twist' ? 'twist' : figure.bones[part.bone].dof === 1 ? 'bend' : 'turn';
    return `${name} ${degrees(pose[coordinate])}`;
  }
  let sum = 0;
  for (let n = 0; n < size; n++) sum += pose[coordinate + n] ** 2;
  return `${kind === 'disk' ? 'cone' : 'swing'} ${degrees(Math.sqrt(sum))}`;
}
