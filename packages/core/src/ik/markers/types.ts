import type { Numbers, Vec3 } from '../../math/linear/types.js';
import type { IkResult, IkStatus } from '../problem/status.js';

/** A named point fixed on a bone, whose place in the world is measured. */
export interface Marker {
  readonly name: string;
  readonly bone: string | number;
  /** In the bone frame, m. Default: the bone's origin. */
  readonly point?: Vec3;
  /** How much a squared metre of this marker counts, zero or more, default 1; 0 leaves the marker out. */
  readonly weight?: number;
}

/** One coordinate of a figure: the joint of a bone, and which of its coordinates (default 0, the first). */
export interface CoordinateName {
  readonly bone: string | number;
  readonly coordinate?: number;
}

/** A coordinate is to stay near a value, as the coordinate tasks of OpenSim: adds weight (q - target)^2 to the sum. */
export interface CoordinateTask extends CoordinateName {
  /** rad, or m for a translation. Default 0, the rest pose. */
  readonly target?: number;
  /** Against marker weights: m^2 per rad^2 (no unit for a translation). */
  readonly weight: number;
}

/**
 * A coordinate that is a function of another: q = map(q_driver), as the sliding of a knee is of its angle. The coordinate
 * is no unknown then; both derivatives are used, so the answer is exact. It may have no limit of its own.
 */
export interface CoordinateCoupling extends CoordinateName {
  readonly driver: CoordinateName;
  /** Value, first and second derivative at a value of the driver. */
  readonly map: (driver: number) => readonly [value: number, slope: number, curvature: number];
}

/**
 * What a marker at distance d from its measured place costs, half of w times this:
 * `squared` d^2; `huber` d^2 up to h, then 2 h d - h^2; `geman-mcclure` d^2 / (1 + d^2/h^2), never more than h^2.
 */
export type Loss =
  | { readonly type: 'squared' }
  | {
      readonly type: 'huber' | 'geman-mcclure';
      /** h: the distance beyond which a marker is taken for an outlier, m. */
      readonly scale: number;
    };

/** Settings of a tracker. */
export interface MarkerTrackerOptions {
  /** Default `{ type: 'squared' }`. */
  readonly loss?: Loss;
  readonly tasks?: readonly CoordinateTask[];
  readonly couplings?: readonly CoordinateCoupling[];
  /**
   * Holds every joint near the pose that a frame starts from, so that what the markers do not see, or hardly, stays quiet: adds
   * hold (q - start)^2 to the sum, m^2 per rad^2. Roots and rotation vectors without a limit are not held. Default 0. 1e-4 lets
   * a turn by 1 rad weigh as much as one marker 1 cm off.
   */
  readonly hold?: number;
  /**
   * The noise that `hold` is meant for: a standard deviation along each axis of a marker of weight 1, m. Markers that lie nearer to the
   * figure than such noise puts them make `hold` count less, by the square of the share: without noise it vanishes and the answer
   * is exact, while what no marker sees stays held. Only where a frame has more numbers than coordinates. Default: none, `hold`
   * counts in full.
   */
  readonly noise?: number;
  /** Bones whose joints stay as they are, once within their limits. */
  readonly locked?: readonly (string | number)[];
  /** Distance of a marker that counts as reached, m. Default 1e-4. It decides only whether the status is `converged`. */
  readonly tolerance?: number;
  /** Poses tried at most in one descent. Default 400. */
  readonly maxIterations?: number;
  /** Descents at most when a pose is sought from nothing (`acquirePose`). Default 16. */
  readonly restarts?: number;
  readonly seed?: number;
}

/** As those of inverse kinematics, and `unobserved`: no marker was seen and there is no task, so the pose stayed. */
export type MarkerStatus = IkStatus | 'unobserved';

/** How one frame ended. */
export interface MarkerResult {
  /**
   * With noise the usual end is `out-of-reach`: the least-squares pose, with something left at the markers. `converged` is for
   * all markers within the tolerance; `limit-blocked` says that limits in `activeLimits` hold the markers off.
   */
  readonly status: MarkerStatus;
  /** Distance of each marker to its measured place, m; NaN where it was not seen. */
  readonly residuals: Float64Array;
  /** Markers seen: finite, with a weight and a confidence above zero. */
  readonly observed: number;
  /** Root of the weighted mean square of the residuals, m; 0 where nothing was seen. */
  readonly rms: number;
  readonly max: number;
  /** The marker farthest off; none where nothing was seen. */
  readonly worst?: string;
  readonly activeLimits: IkResult['activeLimits'];
  /**
   * f = 1/2 sum_i (w_i / w) loss_i / L^2 + 1/2 sum_k (w_k / w) (q_k - target_k)^2 / L^2 + 1/2 (hold / w) sum_j (q_j - start_j)^2 / L^2,
   * w the largest marker weight and L the `lengthScale`; j over the held coordinates, a translation counted in length scales.
   */
  readonly objective: number;
  /** The `hold` that counted in this frame, m^2 per rad^2: the option, or less where the markers fit better than its `noise`. */
  readonly hold: number;
  readonly lengthScale: number;
  /** |P(q - grad f) - q|, P the projection on the limits, translations in length scales. */
  readonly stationarity: number;
  /** Poses evaluated. */
  readonly iterations: number;
}

/** Three numbers a marker, in the order of the markers, m, world axes; a NaN anywhere in a triple: not seen. */
export type MarkerPositions = Numbers;
