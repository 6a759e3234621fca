import type { OwnJointError } from '../judge/judge.js';
import type { Scene } from '../scene.js';

/** An engine that turns scenes into recorded states. */
export interface Engine {
  readonly name: string;
  /** Its package, and what it was given, for the report. */
  readonly version: string;
  readonly settings: string;
  open(scene: Scene): Run;
}

export interface Run {
  /** Events and drags of the step, and the step. What the engine itself says went wrong. */
  step(step: number): string | undefined;
  read(states: Float64Array): void;
  /** Warnings of the engine and in how many steps they came. */
  readonly warnings?: ReadonlyMap<string, number>;
  /** Of joints whose limits it was given in another form than the scene's, or not at all. */
  readonly jointError?: OwnJointError;
  close(): void;
}

/** 1/s: angular damping of bones whose joints the scene damps, for engines whose joints have none. */
export const DAMPED_TURN = 1;
