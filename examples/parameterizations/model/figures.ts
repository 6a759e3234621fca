/** The arms that are dragged: chains of ball joints. */
import { createFigure, type Figure, type Triple } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';

export interface DraggedFigure {
  readonly name: string;
  readonly figure: Figure;
  /** Offset from each joint to the next, or to the hand, in the joint's frame, m. */
  readonly reaches: readonly Triple[];
  /** Full rotations of its hand on the path. */
  readonly revolutions: number;
}

function arm(name: string, revolutions: number, lengths: readonly number[]): DraggedFigure {
  const reaches = lengths.map((length): Triple => [length, 0, 0]);
  return {
    name,
    revolutions,
    reaches,
    figure: createFigure({
      bones: reaches.map((tip, n) => ({
        name: `joint${n}`,
        ...(n > 0 && { parent: `joint${n - 1}`, rest: { position: reaches[n - 1] } }),
        joint: { type: 'ball' },
        tip,
      })),
    }),
  };
}

const human = createHumanFigure();

/** The reach of a bone of the built-in human. */
function boneLength(name: string): number {
  const tip = human.bones.find((bone) => bone.name === name)?.tip ?? [0, 0, 0];
  return Math.hypot(...tip);
}

/** One ball joint; an arm of three ball joints; the arm of the built-in human with ball joints at shoulder, elbow and wrist. */
export const figures: readonly DraggedFigure[] = [
  arm('one ball', 2, [0.5]),
  arm('three balls', 4, [0.3, 0.3, 0.2]),
  arm("the human's arm", 4, ['leftUpperArm', 'leftLowerArm', 'leftHand'].map(boneLength)),
];
