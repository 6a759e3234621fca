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
    create: once(() => import('./child.js').then(({ createChild }) => createChild())),
  },
  {
    name: 'hand',
    label: 'Hand',
    create: once(() => import('./hand.js').then(({ createHand }) => createHand())),
  },
  {
    name: 'robot arm',
    label: 'Robot arm',
    create: once(() => import('./robot-arm.js').then(({ createRobotArm }) => createRobotArm())),
  },
];

/** Makes it when it is first asked for: a character never changes, and undo keeps each that was there. */
function once(make: () => Promise<Character>): () => Promise<Character> {
  let made: Promise<Character> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
