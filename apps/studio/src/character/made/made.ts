import type { Character } from '../character.js';

/** Characters that the studio makes beside the built-in human, by name; each is loaded when it is taken. */
export const MADE: readonly {
  readonly name: string;
  readonly label: string;
  create(): Promise<Character>;
}[] = [
  {
    name: 'child',
    label: 'Child',
    create: () => import('./child.js').then(({ createChild }) => createChild()),
  },
  {
    name: 'hand',
    label: 'Hand',
    create: () => import('./hand.js').then(({ createHand }) => createHand()),
  },
  {
    name: 'robot arm',
    label: 'Robot arm',
    create: () => import('./robot-arm.js').then(({ createRobotArm }) => createRobotArm()),
  },
];
