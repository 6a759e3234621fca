/** What counts as a fault: the same for all engines and all kinds of scenes. */

/**
 * Energy that appears, beside all that the scene had and was given: a tenth is seen, and no solver's rounding or lifting out of a slop reaches it.
 */
export const EXPLODED_SHARE = 0.1;

/** Fastest origin of a body beside the speed of all energy in all mass, of what was thrown or struck: whips and collisions with heavy bodies stay below. */
export const SPEED_FACTOR = 5;
export const THROWN_FACTOR = 3;
/** m/s beside both, for what is pressed out of something. */
export const SPEED_FLOOR = 10;

/** Largest gap of a joint or connection in the last half second, and at any time, m: a joint of a hand is seen to open at 5 mm, and torn at 5 cm. */
export const GAP_AT_REST = 0.005;
export const GAP_EVER = 0.05;

/** Beyond a limit, or out of a joint's own axes, in the last half second, and at any time, rad: a bent knee is seen at 3 degrees, in a blow at 10. */
export const LIMIT_AT_REST = (3 * Math.PI) / 180;
export const LIMIT_EVER = (10 * Math.PI) / 180;

/** Overlap of two shapes at the end, m: Jolt leaves 2 cm by design (its penetration slop). */
export const DEPTH = 0.03;

/** How far a centre of mass may be beyond the floor at the end, or beyond a wall at any time, m. */
export const BEYOND = 0.05;

/** At rest: how far a centre of mass goes in the last second, m, and how fast a body is in its last half, m/s and rad/s. */
export const REST_DISTANCE = 0.02;
export const REST_SPEED = 0.1;
export const REST_SPIN = 0.5;
export const REST_SECONDS = 1;

/**
 * What still moves at the end moves rightly where the damping that the scene gives takes the energy that it loses in that second, to this share: a pendulum in the air stops at its own pace.
 * What creeps or slips loses more, what nothing damps less. First-order steps of 1/60 s lose a tenth more than their damping takes.
 */
export const DAMPED_SHARE = 0.2;

/** Undamped: energy gained at any time, and lost over the last second, of the energy above the lowest place. */
export const KEPT_SHARE = 0.01;
/** Least energy above the lowest place that these shares are of, of all energy: what hangs still has none. */
export const SPAN_SHARE = 0.05;
/** Steps up to which an undamped system must keep its energy, and not only gain none, s. */
export const KEPT_STEP = 1 / 119;
