/** What physics needs of a character: its weights, gravity in its lengths, and what moves as keyed. */
import { createRagdoll } from 'poise/dynamics';
import { type Figure, findRootJoints, type Triple } from 'poise/figure';
import { type Character, shownHeight } from '../character/character.js';

/** A character for physics. */
export interface PhysicalBody {
  /** With masses; coordinates are those of the character. */
  readonly figure: Figure;
  readonly gravity: Triple;
  /** Lengths of the figure in one of the picture. */
  readonly unit: number;
  /** Bones that follow the keys alone: fingers, toes, eyes, and what is no part of a human. */
  readonly locked: readonly string[];
  /** Whether nothing carries it but what it touches. */
  readonly isFree: boolean;
}

const GRAVITY = 9.81;
const PARTS =
  /^(hips|spine|chest|upperChest|neck|head|(left|right)(Shoulder|UpperArm|LowerArm|UpperLeg|LowerLeg|Foot))$/;

/** @throws PoiseError for a character whose masses cannot be known. */
export function createPhysicalBody(character: Character): PhysicalBody {
  const { figure, humanoid, contacts, size } = character;
  const hasMasses = figure.bones.some(({ mass = 0 }) => mass > 0);
  // A figure with masses is in metres; others are as high as they are drawn, as when they fall.
  const unit = hasMasses ? 1 : size / shownHeight(character);
  const [x, y, z] = figure.up;
  const g = -GRAVITY * unit;
  const main = new Set(
    Object.entries(humanoid?.joints ?? {}).flatMap(([name, joints]) => (PARTS.test(name) ? joints : [])),
  );
  const roots = findRootJoints(figure);
  for (const root of roots) main.add(root);
  return {
    figure: hasMasses
      ? figure
      : (contacts?.massive ?? createRagdoll(figure, { joints: 'given', limits: 'given' }).figure),
    gravity: [g * x, g * y, g * z],
    unit,
    locked:
      humanoid === undefined
        ? []
        : figure.bones.flatMap(({ index, name, dof }) => (dof > 0 && !main.has(index) ? [name] : [])),
    isFree: roots.some((bone) => figure.bones[bone].joint.type === 'free'),
  };
}
