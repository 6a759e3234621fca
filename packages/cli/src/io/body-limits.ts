/** Limits of the joints of a human in the words of its movements: flexion, abduction, rotation. */
import type { Figure, LimitComponent } from 'poise/figure';
import { decimals } from './parse-number.js';

/** A movement and how far it goes from the rest pose, degrees. */
export interface Movement {
  readonly name: string;
  readonly degrees: number;
}

/** Names of the negative and the positive direction of a coordinate. */
type Names = readonly [negative: string, positive: string];

/** Of the joints of the built-in human, which `withAnatomicalLimits` gives a rig: swing about the side axis, across it, and twist. */
interface JointNames {
  readonly first: Names;
  readonly second?: Names;
  readonly twist?: Names;
}

const BEND: Names = ['extension', 'flexion'];
const ROTATION: Names = ['medial rotation', 'lateral rotation'];
const TRUNK: JointNames = { first: BEND, second: both('lateral bending'), twist: both('rotation') };
const NAMES: Readonly<Record<string, JointNames>> = {
  spine: TRUNK,
  chest: TRUNK,
  upperChest: TRUNK,
  neck: TRUNK,
  head: TRUNK,
  Shoulder: { first: ['retraction', 'protraction'], second: ['depression', 'elevation'] },
  UpperArm: {
    first: ['horizontal extension', 'horizontal flexion'],
    second: ['adduction', 'abduction'],
    twist: ROTATION,
  },
  LowerArm: { first: BEND },
  UpperLeg: { first: BEND, second: ['adduction', 'abduction'], twist: ROTATION },
  LowerLeg: { first: BEND },
  Foot: { first: ['plantar flexion', 'dorsiflexion'], second: ['inversion', 'eversion'] },
  Toes: { first: ['flexion', 'extension'] },
};
const FINGER: JointNames = { first: BEND, second: both('abduction'), twist: both('twist') };

function both(name: string): Names {
  return [name, name];
}

/** Coordinates of the two hands have opposite signs: docs of the built-in human. */
function namesOf(human: string): JointNames {
  const part = human.replace(/^left|^right/, '');
  if (part === 'Hand') {
    const extension: Names = ['flexion', 'extension'];
    const deviation: Names = ['ulnar deviation', 'radial deviation'];
    const isLeft = human.startsWith('left');
    return {
      first: isLeft ? extension : reversed(extension),
      second: isLeft ? deviation : reversed(deviation),
      twist: ['supination', 'pronation'],
    };
  }
  return Object.hasOwn(NAMES, part) ? NAMES[part] : FINGER;
}

function reversed([negative, positive]: Names): Names {
  return [positive, negative];
}

/**
 * The movements that the limits of a human bone's joint leave, both directions of each coordinate.
 *
 * @param bone - Index of a bone whose joint is that of the built-in human.
 */
export function movementsOf(figure: Figure, bone: number, human: string): Movement[] {
  const { first, second, twist } = namesOf(human);
  const { joint, coordinate } = figure.bones[bone];
  return figure.limitComponents
    .filter((component) => component.bone === bone)
    .flatMap((component) => {
      const { role, parameters: p } = component;
      // The hand of the built-in human: pronation, extension, ulnar deviation.
      if (joint.type === 'euler') {
        const names = [twist, first, second && reversed(second)][component.coordinate - coordinate];
        return movements(names, p[0], p[1]);
      }
      if (role === 'twist') return movements(twist, p[0], p[1]);
      if (component.size === 1) return movements(first, p[0], p[1]);
      return [...movements(first, ...rangeOf(component, 0)), ...movements(second, ...rangeOf(component, 1))];
    });
}

/** Range of a coordinate of a swing; a disk and an ellipse are symmetric. */
function rangeOf({ kind, parameters: p }: LimitComponent, k: 0 | 1): [number, number] {
  if (kind === 'disk') return [-p[0], p[0]];
  if (kind === 'ellipse') return [-p[k], p[k]];
  return [p[2 * k], p[2 * k + 1]];
}

function movements(names: Names | undefined, min: number, max: number): Movement[] {
  const [negative, positive] = names ?? both('rotation');
  const inDegrees = (radians: number): number => Number(((radians * 180) / Math.PI).toFixed(1)) + 0;
  return [
    { name: negative, degrees: inDegrees(-min) },
    { name: positive, degrees: inDegrees(max) },
  ];
}

/** `extension 14°, flexion 45°, lateral bending ±15°`; without directions in which the joint does not move. */
export function movementsText(all: readonly Movement[]): string {
  const parts: string[] = [];
  for (let k = 0; k < all.length; k += 2) {
    const [negative, positive] = [all[k], all[k + 1]];
    if (negative.name === positive.name && negative.degrees === positive.degrees) {
      parts.push(`${negative.name} ±${decimals(negative.degrees, 1)}°`);
      continue;
    }
    for (const { name, degrees } of [negative, positive]) {
      if (degrees !== 0) parts.push(`${name} ${decimals(degrees, 1)}°`);
    }
  }
  return parts.join(', ');
}
