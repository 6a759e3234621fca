/** The problems of the page, the tests, the benchmark and the pictures. */
import { backflip } from './backflip.js';
import type { SpacetimeExample } from './example.js';
import { luxoJump } from './luxo-jump.js';
import { robotArm } from './robot-arm.js';
import { standingJump } from './standing-jump.js';
import { stepOver } from './step-over.js';
import { throwing } from './throw.js';

/** By their names. */
export const spacetimeExamples: Readonly<Record<string, (intervals?: number) => SpacetimeExample>> = {
  'luxo-jump': luxoJump,
  'robot-arm': robotArm,
  throw: throwing,
  'standing-jump': standingJump,
  backflip,
  'step-over': stepOver,
};
