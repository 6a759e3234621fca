/** Edits and options of motion editing. */
import type { Goal } from '../../ik/goals/types/goal.js';
import type { Vec3 } from '../../math/linear/types.js';
import type { BoneValues } from '../../spacetime/types/data.js';

/** A time of the clip, s, or a span. */
export type EditTime = number | readonly [from: number, to: number];

/** A goal at a time of a clip, or over a span. */
export interface MotionEdit {
  /** In the clip's time, s. */
  readonly at: EditTime;
  readonly goal: Goal;
  /** With a weight it is a cost, without a hard constraint: see `GoalTerm`. */
  readonly weight?: number;
}

/** Shifts a point of a bone by `by` from its position in the clip: over a span at all times, which preserves its path. */
export interface PointShift {
  readonly at: EditTime;
  readonly bone: string;
  /** In the bone's frame, m. Default: its origin. */
  readonly point?: Vec3;
  /** World, m. */
  readonly by: Vec3;
  readonly weight?: number;
}

/** A point of a bone that an edit leaves in place. */
export interface PinnedPoint {
  readonly bone: string;
  /** In the bone's frame, m. Default: its origin. */
  readonly point?: Vec3;
}

/** Options of {@link editMotion}. */
export interface EditOptions {
  /** Approximate knot spacing of the displacement, s; half with pinned points. Default 0.25. */
  readonly spacing?: number;
  /** Decay time of the displacement away from the goals, s: shorter is more local. Default: the spacing. */
  readonly decay?: number;
  /** How far before and after an edit the clip may change, s. Default: four spacings. */
  readonly reach?: number;
  /** Bones that may change. Default: those that affect the goals, without free joints unless points are pinned. */
  readonly bones?: readonly string[];
  /** Displacement metric by bone, for a radian of its joint or a metre of a person. Default: how far it moves the figure. */
  readonly weights?: BoneValues;
  /** Points pinned to their positions in the clip, at every spacing of an edit's window: usually feet; between them their joints bring them there. Default: none. */
  readonly pinned?: readonly PinnedPoint[];
  /** Tolerance of hard goals, m or rad. Default 1e-6, for figures smaller than a person less. */
  readonly tolerance?: number;
  /** Default 60. */
  readonly maxIterations?: number;
}
