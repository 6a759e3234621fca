import { FigureError } from 'poise';
import {
  type FieldsOf,
  requireBoolean,
  requireFields,
  requireFinite,
  requirePositive,
} from 'poise/internal/checks';
import type { Motion } from 'poise/motion';
import {
  createLiveRetargeter,
  createRetargeter,
  type LiveRetargeter,
  type Retargeter,
  type RetargeterOptions,
  type RetargetMotionOptions,
  type RetargetReport,
  retargetMotion,
  retargetPose,
} from 'poise/retarget';
import type { AnimationClip } from 'three';
import { bindFigure, type FigureBinding } from '../binding/bind-figure.js';
import type { FigureRoot } from '../binding/hierarchy.js';
import { clipFromMotion } from '../clips/clip-from-motion.js';
import { motionFromClip } from '../clips/motion-from-clip.js';
import { rootOf } from '../clips/object-transforms.js';
import { skinVertices } from '../simulation/skin-vertices.js';
import { objectsOf, sourceBinding, targetBinding } from './bodies.js';
import { type SolePoint, solesOf } from './soles.js';

/** Options of {@link ClipRetargeter}. */
export interface ClipRetargeterOptions extends Omit<RetargeterOptions, 'targetVertices'> {
  /** Whether the joints of the target get the limits of a human. Default true. A binding keeps those of its figure. */
  readonly anatomicalLimits?: boolean;
  /** Metres per unit of the target's world. Default: 0.01 for a character taller than 20 units, as FBX files in centimetres are; else 1. */
  readonly targetUnit?: number;
}

const FIELDS: FieldsOf<ClipRetargeterOptions> = {
  sourceBones: true,
  targetBones: true,
  scale: true,
  ground: true,
  anatomicalLimits: true,
  targetUnit: true,
};

/** Result of {@link ClipRetargeter.retarget}. */
export interface RetargetedClip {
  /** For an `AnimationMixer` on the target. A key at each frame of the report. */
  readonly clip: AnimationClip;
  /** The same as a motion of `retargeter.target`. */
  readonly motion: Motion;
  readonly report: RetargetReport;
  /** What is lost of the clip, one sentence each. */
  readonly warnings: readonly string[];
}

/** Keys a second, where not told. */
const RATE = 60;

/**
 * Puts clips of one character on another: a retargeter beside the mixer.
 *
 *     const retargeter = new ClipRetargeter(dancer, knight);
 *     const { clip, report } = retargeter.retarget(dancer.animations[0]);
 *     new AnimationMixer(knight).clipAction(clip).play();
 *
 * Bodies are those of the bind pose where there are skins, whatever pose the objects are in. Objects and clips are not changed.
 */
export class ClipRetargeter {
  /** The source, with a free joint at each bone: nothing of a clip is lost. */
  readonly source: FigureBinding;
  /** The target, of the figure `retargeter.target`. */
  readonly target: FigureBinding;
  /** Bones, scale and ground: see `createRetargeter` of poise/retarget. */
  readonly retargeter: Retargeter;
  /** Heels and balls of the feet. */
  readonly sourceSoles: readonly SolePoint[];
  readonly targetSoles: readonly SolePoint[];
  /** Inaccuracies of the two figures, one sentence each. */
  readonly warnings: readonly string[];
  #live: LiveRetargeter | undefined;
  #time = 0;

  /**
   * @param source - An object above the bones (the result of a loader), a skinned mesh or a skeleton; or a binding.
   * @param target - The same. Lengths are metres of its world: see `targetUnit`.
   * @throws FigureError `unsupported` for a character that is not recognised as a humanoid; those of `figureFromObject3D` and `createRetargeter`.
   */
  constructor(
    source: FigureRoot | FigureBinding,
    target: FigureRoot | FigureBinding,
    options: ClipRetargeterOptions = {},
  ) {
    requireFields(options, FIELDS, 'options', FigureError);
    const { anatomicalLimits = true, targetUnit, ...rest } = options;
    requireBoolean(anatomicalLimits, 'options.anatomicalLimits', FigureError);
    if (targetUnit !== undefined) requirePositive(targetUnit, 'options.targetUnit', FigureError);
    const warnings: string[] = [];
    this.source = sourceBinding(source, rest.sourceBones, warnings);
    const given = targetBinding(target, rest.targetBones, anatomicalLimits, targetUnit, warnings);
    this.retargeter = createRetargeter(this.source.figure, given.figure, {
      ...rest,
      targetVertices: skinVertices(rootOf(given), given),
    });
    const { alignment, target: figure } = this.retargeter;
    this.target =
      figure === given.figure ? given : bindFigure(figure, rootOf(given), { objects: objectsOf(given) });
    this.sourceSoles = solesOf(this.source, alignment.source);
    this.targetSoles = solesOf(this.target, alignment.result);
    this.warnings = warnings;
  }

  /**
   * Retargets a clip of the source.
   *
   * @param options - As of `retargetMotion`; `rate` is keys a second, default 60, made a whole number over the clip.
   * @throws FigureError `unsupported` for what is no clip, or one that moves no bone of the source; MotionError for invalid options.
   */
  retarget(clip: AnimationClip, options: RetargetMotionOptions = {}): RetargetedClip {
    const { rate = RATE } = options;
    requirePositive(rate, 'options.rate', FigureError, 'frames a second');
    const { duration } = clip ?? {};
    // The frames of all three steps are the same.
    const whole = duration > 0 ? Math.max(1, Math.round(duration * rate)) / duration : rate;
    const source = motionFromClip(this.source, clip, { rate: whole });
    const { motion, report } = retargetMotion(this.retargeter, source.motion, { ...options, rate: whole });
    return {
      clip: clipFromMotion(this.target, motion, { rate: whole }),
      motion,
      report,
      warnings: source.warnings,
    };
  }

  /**
   * Live: the pose of the source's objects, put on those of the target. Call it each frame after the source's mixer. Without look-ahead, so a foot comes to
   * where it stands within some tenths of a second.
   *
   * @param seconds - Time since the last call. Default 1/60.
   * @throws FigureError `not-finite` for a time that is no number.
   */
  update(seconds = 1 / 60): void {
    requireFinite(seconds, 'update(seconds)', FigureError);
    this.#live ??= createLiveRetargeter(this.retargeter);
    this.#time += Math.abs(seconds);
    retargetPose(this.#live, this.source.readPose(), this.#time, this.target.pose);
    this.target.update();
  }

  /** Begins anew at the next {@link update}: after a jump of the source. */
  reset(): void {
    this.#live = undefined;
  }
}
