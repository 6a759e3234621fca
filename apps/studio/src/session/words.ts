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
    says: 'The target is too far away; no limit blocks it. This is the nearest pose.',
    tone: 'far',
  },
  stalled: {
    title: 'Stalled',
    says: 'No better pose was found from here. Try another path for the drag.',
    tone: 'warn',
  },
  'iteration-limit': {
    title: 'Solving',
    says: 'The solver needs more than one frame; the next frame continues from here.',
    tone: 'far',
  },
  idle: { title: 'No goals', says: 'No pin and no drag: the pose stays.', tone: 'idle' },
};

export const HOLDS_WORDS: Readonly<Record<Holds, string>> = {
  place: 'Place',
  rotation: 'Rotation',
  both: 'Both',
};

/** Display name of a bone: `Left upper arm` for `leftUpperArm`. */
export function boneWords(name: string): string {
  const words = name.replace(/([A-Z])/g, ' $1').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
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

/** Sentence about blocking joints: `Both ankles are at their limits.` */
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

/** Name and value of a limit: `bend 150°`. */
export function limitWords(figure: Figure, component: LimitComponent, pose: ArrayLike<number>): string {
  const degrees = (radians: number) => `${Math.round((radians * 180) / Math.PI)}°`;
  const { kind, size, coordinate, role } = component;
  if (size === 1) {
    const name = role === 'twist' ? 'twist' : figure.bones[component.bone].dof === 1 ? 'bend' : 'rotation';
    return `${name} ${degrees(pose[coordinate])}`;
  }
  let sum = 0;
  for (let n = 0; n < size; n++) sum += pose[coordinate + n] ** 2;
  return `${kind === 'disk' ? 'cone' : 'swing'} ${degrees(Math.sqrt(sum))}`;
}
