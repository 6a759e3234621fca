/** Data of a trajectory problem: plain data, safe for `structuredClone` and, except for motions, JSON. */
import type { BoneShape, WorldShape } from '../../dynamics/collide/shapes/shapes.js';
import type { Goal } from '../../ik/goals/types/goal.js';
import type { Numbers, Vec3 } from '../../math/linear/types.js';
import type { Motion } from '../../motion/motion.js';

/** A time, s, of the motion before time scaling (nominal, in the duration at the start of the solve), or one of its ends. */
export type Time = number | 'start' | 'end';

/** A time or a span. */
export type When = Time | readonly [from: Time, to: Time];

/** Values by bone: one for all, or by name; bones left out have none. */
export type BoneValues = number | Readonly<Record<string, number>>;

interface TermBase {
  /** Name in reports. Default: its type and index in the list. */
  readonly name?: string;
}

interface WeightedTerm extends TermBase {
  /**
   * With a weight the term is a cost: weight times the sum of squares (at a time) or their integral (over a span). Without, it is a hard
   * constraint.
   */
  readonly weight?: number;
}

/** The pose at a time. */
export interface PoseTerm extends WeightedTerm {
  readonly type: 'pose';
  readonly at: When;
  /** `figure.dof` numbers. Default: the reference's pose at that time. */
  readonly pose?: Numbers;
  /** Only the coordinates of these bones. Default: all. */
  readonly bones?: readonly string[];
}

/** Joint velocity v at a time (rad/s, m/s). */
export interface VelocityTerm extends WeightedTerm {
  readonly type: 'velocity';
  readonly at: When;
  /** `figure.dof` numbers. Default: zero, at rest. */
  readonly velocity?: Numbers;
  readonly bones?: readonly string[];
}

/** Joint acceleration v' at a time. */
export interface AccelerationTerm extends WeightedTerm {
  readonly type: 'acceleration';
  readonly at: When;
  /** `figure.dof` numbers. Default: zero. */
  readonly acceleration?: Numbers;
  readonly bones?: readonly string[];
}

/**
 * Any goal of inverse kinematics, at a time or over a span. Residuals in m and rad; the goal's own weight and priority are ignored.
 * One-sided goals (a half-space, the centre of mass above a support) become inequalities when hard. Of a look-at goal only the aim counts:
 * tracking and smoothness terms distribute the rotation along a chain.
 */
export interface GoalTerm extends WeightedTerm {
  readonly type: 'goal';
  readonly goal: Goal;
  readonly at: When;
}

/** Effort: the integral of the squared joint forces (N m, N). */
export interface EffortTerm extends TermBase {
  readonly type: 'effort';
  /** Default 1. */
  readonly weight?: number;
  /** Factors of the squares. Default: 1 for all actuated joints. */
  readonly bones?: BoneValues;
  readonly over?: readonly [number, number];
}

/** Bounds of the joint forces (N m, N) over a span. */
export interface TorqueLimitTerm extends TermBase {
  readonly type: 'torque-limit';
  /** Default: `torqueLimit` of the bones, as a URDF gives it. */
  readonly limit?: BoneValues;
  readonly over?: readonly [number, number];
}

/** Bounds of the joint velocities (rad/s, m/s) over a span. */
export interface SpeedLimitTerm extends TermBase {
  readonly type: 'speed-limit';
  /** Default: `speedLimit` of the bones, as a URDF gives it. */
  readonly limit?: BoneValues;
  readonly over?: readonly [number, number];
}

/** The integral of a squared derivative of the coordinates: 1 rates, 2 accelerations (default), 3 jerk. */
export interface SmoothnessTerm extends TermBase {
  readonly type: 'smoothness';
  readonly order?: 1 | 2 | 3;
  /** Default 1. */
  readonly weight?: number;
  readonly bones?: BoneValues;
  /** The length that weighs as a radian does, m. Default 1, which is for figures of the size of a person. */
  readonly lengthUnit?: number;
  readonly over?: readonly [number, number];
}

/** Tracking: the integral of the squared difference to the reference, for rotations of the rotation vector between them. */
export interface TrackingTerm extends TermBase {
  readonly type: 'tracking';
  /** Default 1. */
  readonly weight?: number;
  readonly bones?: BoneValues;
  /** As in {@link SmoothnessTerm}. */
  readonly lengthUnit?: number;
  readonly over?: readonly [number, number];
}

/** The duration as a cost: weight times the duration (s). Needs a free duration. */
export interface DurationTerm extends TermBase {
  readonly type: 'duration';
  /** Default 1. */
  readonly weight?: number;
}

/** Contact points of a bone, fixed on a plane over a span, with contact forces in the friction cone at every time, not only at samples. */
export interface ContactTerm extends TermBase {
  readonly type: 'contact';
  readonly bone: string;
  /** In the bone's frame, m. */
  readonly points: readonly Vec3[];
  /** With physics, contact changes within a twentieth of a knot interval of each other, or of an end of the motion, are merged. */
  readonly over: readonly [number, number];
  /** World, unit length. Default `figure.up`. */
  readonly normal?: Vec3;
  /** Distance of the plane from the origin along the normal, m. Default 0. */
  readonly height?: number;
  /** Default 0.8. */
  readonly friction?: number;
  /**
   * Weight of the contact force regularization: the integral of the squared forces, in weights of the figure. It selects the minimum-norm
   * forces where they are redundant. Default 0.1.
   */
  readonly forceRegularization?: number;
  /**
   * Positions of the points: those of the reference in the middle of the span (default), projected onto the plane; `free`, an optimized
   * position in the plane with the heading of the reference; or a position of each, world, m.
   */
  readonly positions?: 'reference' | 'free' | readonly Vec3[];
}

/**
 * Newton-Euler equations: unactuated coordinates (of free roots) move by gravity and contacts alone. Over spans without contact the centre
 * of mass falls and the angular momentum about it is conserved.
 */
export interface PhysicsTerm extends TermBase {
  readonly type: 'physics';
  /** Bones with unactuated joints. Default: the free roots, whose joints no other joint moves; fixed bones may be above them. */
  readonly undriven?: readonly string[];
  readonly over?: readonly [number, number];
}

/** Periodicity: the motion ends as it began, with equal velocities and accelerations. */
export interface PeriodicTerm extends TermBase {
  readonly type: 'periodic';
  /** The periodic bones. Default: all. */
  readonly bones?: readonly string[];
  /** Displacement of free roots over a period, in their rest axes, m; null leaves a direction free. Default: none. */
  readonly travel?: readonly [number | null, number | null, number | null];
}

/** Clearance: a least distance between bones, or between bones and the world, over a span. */
export interface ClearanceTerm extends TermBase {
  readonly type: 'clearance';
  /** The shapes of the bones. */
  readonly shapes: readonly BoneShape[];
  /** Shapes to keep clear of. Default: each other. */
  readonly world?: readonly WorldShape[];
  /** Least distance, m. Default 0. */
  readonly distance?: number;
  readonly over?: readonly [number, number];
}

export type SpacetimeTerm =
  | PoseTerm
  | VelocityTerm
  | AccelerationTerm
  | GoalTerm
  | EffortTerm
  | TorqueLimitTerm
  | SpeedLimitTerm
  | SmoothnessTerm
  | TrackingTerm
  | DurationTerm
  | ContactTerm
  | PhysicsTerm
  | PeriodicTerm
  | ClearanceTerm;

/** A free duration, s. */
export interface FreeDuration {
  readonly min: number;
  readonly max: number;
  /** Initial duration; all times in the problem are nominal, in this duration. */
  readonly start: number;
  /** Number of control points of the time scaling: 1 scales the motion uniformly (default), more allow it to vary. */
  readonly pieces?: number;
}

/** Input of {@link createSpacetimeProblem}. */
export interface SpacetimeData {
  /** Length of the motion, s, from time 0. */
  readonly duration: number | FreeDuration;
  /**
   * Number of knot intervals of each coordinate. With physics, breaks stand at contact changes, with uniform knots between: then it defines
   * the longest interval, and there may be more. Default: 24 a second, at least 8.
   */
  readonly intervals?: number;
  /** Spline degree, 3 to 7. Default 5, four times continuously differentiable; with physics twice at contact changes. */
  readonly degree?: number;
  /**
   * The reference: initial guess, and target of `tracking` and `pose` terms. A motion (from its start on) or one pose. Default: the rest
   * pose. Free rotations are parameterized as displacements from it.
   */
  readonly reference?: Motion | Numbers;
  /**
   * Parameterization. `motion` (default): the coordinates themselves, initialized with the spline nearest to the reference. `displacement`:
   * an offset that is added to the reference, which keeps all of its detail; for rotations in the parent's axes, R = exp(d) R_ref.
   */
  readonly unknowns?: 'motion' | 'displacement';
  /**
   * Ends at which a displacement vanishes with its first and second derivative, so that the motion joins the reference smoothly. Only with
   * `unknowns: 'displacement'`. Default `none`.
   */
  readonly fixedEnds?: 'none' | 'start' | 'end' | 'both';
  /**
   * Parameterization of balls and free joints without a limit. `displacement` (default): relative to the reference, R = R_ref exp(d), |d| <
   * 2 pi. `direct`: their rotation vectors; rejected where the reference comes near the shell at 2 pi (Grassia 1997, section 4.3).
   */
  readonly rotations?: 'displacement' | 'direct';
  /** Bones that follow the reference; terms over coordinates leave them out. */
  readonly locked?: readonly string[];
  /** World axes, m/s^2. Default: 9.81 against `figure.up`. */
  readonly gravity?: Vec3;
  /** Rotor inertia added to the diagonal of the mass matrix, one per coordinate. */
  readonly armature?: Numbers;
  readonly terms: readonly SpacetimeTerm[];
}
