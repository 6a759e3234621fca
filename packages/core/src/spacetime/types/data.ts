/** What a caller says of a trajectory problem: plain data, which survives `structuredClone` and, but for motions, JSON. */
import type { BoneShape, WorldShape } from '../../dynamics/collide/shapes/shapes.js';
import type { Goal } from '../../ik/goals/types/goal.js';
import type { Numbers, Vec3 } from '../../math/linear/types.js';
import type { Motion } from '../../motion/motion.js';

/** A moment (s), or a span from one to another. All times are those of the motion before its timing is changed. */
export type When = number | readonly [from: number, to: number];

/** Numbers of bones: one for all, or by name; a bone left out has none. */
export type PerBone = number | Readonly<Record<string, number>>;

interface TermBase {
  /** What reports call it. Default: its type and place in the list. */
  readonly name?: string;
}

interface Wishable extends TermBase {
  /**
   * With a weight the term is a wish: the cost holds weight times the sum of squares (at a moment) or the integral of it over the span.
   * Left out, it is a constraint, which has to hold.
   */
  readonly weight?: number;
}

/** The pose at a moment. */
export interface PoseTerm extends Wishable {
  readonly type: 'pose';
  readonly at: When;
  /** `figure.dof` numbers. Default: the reference's pose there. */
  readonly pose?: Numbers;
  /** Only the coordinates of these bones. Default: all. */
  readonly bones?: readonly string[];
}

/** Joint velocities nu at a moment (rad/s, m/s). */
export interface VelocityTerm extends Wishable {
  readonly type: 'velocity';
  readonly at: When;
  /** `figure.dof` numbers. Default: zero, at rest. */
  readonly velocity?: Numbers;
  readonly bones?: readonly string[];
}

/** Joint accelerations nu' at a moment. */
export interface AccelerationTerm extends Wishable {
  readonly type: 'acceleration';
  readonly at: When;
  /** `figure.dof` numbers. Default: zero. */
  readonly acceleration?: Numbers;
  readonly bones?: readonly string[];
}

/**
 * Any goal of inverse kinematics, at a moment or held over a span. Residuals in m and rad; the goal's own weight and priority are not read. What asks
 * for one side only (a half-space, the centre of mass above a support) is a bound where it must hold. Of a look-at goal only the aim counts: how a
 * chain shares the turn is for closeness and smoothness to say.
 */
export interface GoalTerm extends Wishable {
  readonly type: 'goal';
  readonly goal: Goal;
  readonly at: When;
}

/** The integral of the squares of the joint forces (N m, N): what the motion costs its muscles. */
export interface EffortTerm extends TermBase {
  readonly type: 'effort';
  /** Default 1. */
  readonly weight?: number;
  /** Factors on the squares. Default: 1 for all but what nothing drives. */
  readonly bones?: PerBone;
  readonly over?: readonly [number, number];
}

/** Largest joint force in each coordinate (N m, N), over the span. */
export interface TorqueLimitTerm extends TermBase {
  readonly type: 'torque-limit';
  readonly limit: PerBone;
  readonly over?: readonly [number, number];
}

/** Largest rate of each coordinate (rad/s, m/s), over the span. */
export interface SpeedLimitTerm extends TermBase {
  readonly type: 'speed-limit';
  readonly limit: PerBone;
  readonly over?: readonly [number, number];
}

/** The integral of the squares of a derivative of the coordinates: 1 rates, 2 accelerations (default), 3 jerk. */
export interface SmoothnessTerm extends TermBase {
  readonly type: 'smoothness';
  readonly order?: 1 | 2 | 3;
  /** Default 1. */
  readonly weight?: number;
  readonly bones?: PerBone;
  readonly over?: readonly [number, number];
}

/** The integral of the squared difference to the reference, rotations as rotations. */
export interface ClosenessTerm extends TermBase {
  readonly type: 'closeness';
  /** Default 1. */
  readonly weight?: number;
  readonly bones?: PerBone;
  readonly over?: readonly [number, number];
}

/** Time itself: weight times the duration (s) in the cost. Asks for a duration that is free. */
export interface DurationTerm extends TermBase {
  readonly type: 'duration';
  /** Default 1. */
  readonly weight?: number;
}

/**
 * Points of a bone that stand on a plane over a span and are pushed by it: they do not move, and the forces stay in the cone of friction, all
 * along and not only at samples.
 */
export interface ContactTerm extends TermBase {
  readonly type: 'contact';
  readonly bone: string;
  /** In the bone's frame, m. */
  readonly points: readonly Vec3[];
  /** With physics, contacts that begin or end within a twentieth of a knot interval of each other, or of an end of the motion, do so at once. */
  readonly over: readonly [number, number];
  /** World, unit length. Default `[0, 1, 0]`. */
  readonly normal?: Vec3;
  /** Distance of the plane from the origin along the normal, m. Default 0. */
  readonly height?: number;
  /** Default 0.8. */
  readonly friction?: number;
  /**
   * Weight of a wish that the forces be small: the integral of their squares, in weights of the figure. Of many that do the same it picks the even
   * ones. Default 0.1.
   */
  readonly evenness?: number;
  /**
   * Where the points stand: where the reference has them in the middle of the span (default), laid on the plane; `free`, wherever is best on
   * the plane, turned about the normal as the reference has them; or a place of each, world, m.
   */
  readonly place?: 'reference' | 'free' | readonly Vec3[];
}

/**
 * The motion obeys Newton: what nothing drives (the coordinates of free joints) moves by gravity and contacts alone. Over spans without contact the
 * centre of mass falls and the angular momentum about it stays.
 */
export interface PhysicsTerm extends TermBase {
  readonly type: 'physics';
  /** Bones whose joints nothing drives. Default: those of free joints. */
  readonly undriven?: readonly string[];
  readonly over?: readonly [number, number];
}

/** The motion ends as it began, with its velocities and accelerations: a loop. */
export interface PeriodicTerm extends TermBase {
  readonly type: 'periodic';
  /** The bones that return. Default: all. */
  readonly bones?: readonly string[];
  /** How far free joints have moved on, in their rest axes, m; null leaves a direction open. Default: none. */
  readonly travel?: readonly [number | null, number | null, number | null];
}

/** Bones stay a distance away from each other, or from things in the world, over a span. */
export interface ClearanceTerm extends TermBase {
  readonly type: 'clearance';
  /** The shapes of the bones. */
  readonly shapes: readonly BoneShape[];
  /** What they are to stay away from; left out, each other. */
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
  | ClosenessTerm
  | DurationTerm
  | ContactTerm
  | PhysicsTerm
  | PeriodicTerm
  | ClearanceTerm;

/** A duration to be found, s. */
export interface FreeDuration {
  readonly min: number;
  readonly max: number;
  /** Where the search begins; all times in the problem are counted in it. */
  readonly start: number;
  /** How many numbers describe the timing: 1 stretches all alike (default), more let parts become faster and slower. */
  readonly pieces?: number;
}

/** What {@link createSpacetimeProblem} makes a problem from. */
export interface SpacetimeData {
  /** Length of the motion, s, from time 0. */
  readonly duration: number | FreeDuration;
  /**
   * Knot intervals: how many pieces each coordinate has. With physics knots stand where contacts begin and end, too, evenly spread between: then this
   * says how long an interval may be, and there may be more. Default: 24 a second, 8 at least.
   */
  readonly intervals?: number;
  /** Degree of the pieces, 3 to 7. Default 5, four times continuously differentiable; with physics twice where contacts begin and end. */
  readonly degree?: number;
  /**
   * Where the search begins, and what `closeness` and `pose` refer to: a motion (from its start on) or one pose. Default: the rest pose. Free
   * rotations are solved for as displacements from it.
   */
  readonly reference?: Motion | Numbers;
  /**
   * What the unknowns are. `motion` (default): the coordinates themselves, which start as the spline nearest to the reference. `displacement`:
   * what is added to the reference, which is kept to its last wiggle.
   */
  readonly unknowns?: 'motion' | 'displacement';
  /**
   * Ends at which a displacement is zero with its first and second derivative, so that the motion goes over into the reference there. Only for
   * `unknowns: 'displacement'`. Default `none`.
   */
  readonly heldEnds?: 'none' | 'start' | 'end' | 'both';
  /**
   * How balls and free joints without a limit are solved for. `displacement` (default): as displacements from the reference, R = R_ref exp(d), |d| < 2 pi.
   * `direct`: their rotation vectors themselves; refused where the reference comes near the shell at 2 pi (paper, section 4.3).
   */
  readonly rotations?: 'displacement' | 'direct';
  /** Bones whose joints move as in the reference; terms over coordinates leave them out. */
  readonly locked?: readonly string[];
  /** World axes, m/s^2. Default `[0, -9.81, 0]`. */
  readonly gravity?: Vec3;
  /** Inertia of rotors added to the diagonal of the mass matrix, a number for each coordinate. */
  readonly armature?: Numbers;
  readonly terms: readonly SpacetimeTerm[];
}
