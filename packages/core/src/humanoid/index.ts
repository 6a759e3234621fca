/** Humanoids: the built-in human, and which bone of a rig is which of a human's. */
export { type FindHumanoidOptions, findHumanoid, type Humanoid } from './find-humanoid.js';
export { createHumanFigure, type HumanFigureOptions } from './human.js';
export { HUMAN_BONES, type HumanBone, type HumanBoneMap } from './recognition/human-bones.js';
