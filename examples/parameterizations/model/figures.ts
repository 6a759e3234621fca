/** The arms that are dragged. */
import { humanFigure } from 'poise/figure';
import type { Link } from './arm.js';

export interface DraggedFigure {
  readonly name: string;
  readonly links: readonly Link[];
  /** How often its hand turns round on the path. */
  readonly turns: number;
}

const human = humanFigure();

/** The reach of a bone of the built-in human, along +X. */
function boneLength(name: string): number {
  const tip = human.bones.find((bone) => bone.name === name)?.tip ?? [0, 0, 0];
  return Math.hypot(...tip);
}

/** A ball turned by hand; an arm of three balls; the arm of the built-in human, a ball at shoulder, elbow and wrist. */
export const figures: readonly DraggedFigure[] = [
  { name: 'one ball', links: [{ reach: [0.5, 0, 0] }], turns: 2 },
  {
    name: 'three balls',
    links: [{ reach: [0.3, 0, 0] }, { reach: [0.3, 0, 0] }, { reach: [0.2, 0, 0] }],
    turns: 4,
  },
  {
    name: "the human's arm",
    links: ['leftUpperArm', 'leftLowerArm', 'leftHand'].map((name) => ({ reach: [boneLength(name), 0, 0] })),
    turns: 4,
  },
];
