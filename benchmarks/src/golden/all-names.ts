/** The entry points of rotations and motions, whose sections do not care at which of them a name stands. */
export * from 'poise/motion';
export * from 'poise/motion/alternatives';
export * from 'poise/rotation';
export * from 'poise/rotation/alternatives';
