import type { FigureBinding } from '@poise/three';
import type { Numbers } from 'poise/math';
import type { Object3D } from 'three';

/** What is drawn of a character. */
export interface CharacterModel {
  readonly root: Object3D;
  readonly binding: FigureBinding;
  update(pose: Numbers): void;
  /** Blend factor of a bone's warning colour, 0 to 1. */
  setBlocked(bone: number, share: number): void;
  /** Fades towards the target colours. @returns whether the fade is still running. */
  fade(seconds: number): boolean;
  dispose(): void;
}
