/** What edits of a clip say. */
import { MotionError } from '../../errors.js';
import type { Goal } from '../../ik/goals/types/goal.js';
import type { Vec3 } from '../../math/linear/types.js';
import type { BoneValues, When } from '../../spacetime/types/data.js';

/** A goal at a moment of a clip, or over a span of it. */
export interface MotionEdit {
  /** In the clip's time, s. */
  readonly at: When;
  readonly goal: Goal;
  /** With a weight it is a wish, left out it has to hold: see `GoalTerm`. */
  readonly weight?: number;
}

/** A point of a bone is to be `by` away from where the clip has it: over a span all along, so that its way is kept. */
export interface TimeShift {
  readonly at: When;
  readonly bone: string;
  /** In the bone's frame, m. Default: its origin. */
  readonly point?: Vec3;
  /** World, m. */
  readonly by: Vec3;
  readonly weight?: number;
}

/** A point of a bone that an edit does not move. */
export interface PinnedPoint {
  readonly bone: string;
  /** In the bone's frame, m. Default: its origin. */
  readonly point?: Vec3;
}

/** What {@link editMotion} may be told. */
export interface EditOptions {
  /** About how far apart the knots of the displacement are, s; half as far where points are held. Default 0.25. */
  readonly spacing?: number;
  /** Time scale on which the change dies away where nothing asks for it, s: shorter is more local. Default: the spacing. */
  readonly decay?: number;
  /** How long before and after an edit the clip may change, s. Default: four spacings. */
  readonly reach?: number;
  /** Bones that may give way. Default: those that the goals feel, but for free joints unless something is held. */
  readonly bones?: readonly string[];
  /** What it costs to change a bone's joint. Default: how much of the figure it moves. */
  readonly weights?: BoneValues;
  /** Points that stay where the clip has them, at every spacing of an edit's window: feet, as a rule. Default: none. */
  readonly hold?: readonly PinnedPoint[];
  /** Largest miss of a goal that has to hold, m or rad. Default 1e-6. */
  readonly tolerance?: number;
  /** Default 60. */
  readonly maxIterations?: number;
}

/** @throws MotionError unless it is a time above zero. */
export function positive(value: number, path: string): number {
  if (value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new MotionError(Number.isFinite(value) ? 'out-of-range' : 'not-finite', `is ${value} s.`, {
    path,
    remedy: 'Give a time above zero, in seconds.',
  });
}
