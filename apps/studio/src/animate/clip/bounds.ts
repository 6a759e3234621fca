import { MAX_SECONDS } from '../../character/budget.js';

/** Frames a second of a clip, and its length, s. */
export const CLIP_RATES = { min: 1, max: 240, usual: 30 } as const;
export const CLIP_SECONDS = { max: MAX_SECONDS, usual: 2 } as const;

/** Kinds of keys. */
export const INTERPOLATIONS = ['auto', 'smooth', 'flat', 'free', 'linear', 'step'] as const;

/** What a body falls on, and a fall was recorded on. */
export const GROUND_IDS = ['flat', 'steps', 'boxes', 'slope'] as const;
export type GroundId = (typeof GROUND_IDS)[number];
