import type { Numbers, Vec3 } from '../../math/linear/types.js';
import type { IkResult, IkStatus } from '../problem/status.js';

/** A named point fixed on a bone, with a measured world position. */
export interface Marker {
  readonly name: string;
  readonly bone: string | number;
  /** In the bone frame, m. Default: the bone's origin. */
  readonly point?: Vec3;
  /** Weight of its squared distance, zero or more, default 1; 0 disables the marker. */
  readonly weight?: number;
  /** Whether the point is an estimate, not a point that the figure gives: the tip of a finger without one. The solver does not read it. */
  readonly estimated?: boolean;
}

/** A coordinate of a figure: the joint of a bone, and the index of the coordinate (default 0). */
export interface CoordinateName {
  readonly bone: string | number;
  readonly coordinate?: number;
}

/** A soft target for a coordinate, as OpenSim's coordinate tasks: adds weight (q - target)^2 to the sum. */
export interface CoordinateTask extends CoordinateName {
  /** rad, or m for a translation. Default 0, the rest pose. */
  readonly target?: number;
  /** Relative to marker weights: m^2 per rad^2 (no unit for a translation). */
  readonly weight: number;
}

/**
 * A coordinate that is a function of another, q = map(q_driver), as the translation of a knee is of its angle. It is eliminated with both
 * derivatives, so the solution is exact. It may not have a limit.
 */
export interface CoordinateCoupling extends CoordinateName {
  readonly driver: CoordinateName;
  /** Value, first and second derivative at a value of the driver. */
  readonly map: (driver: number) => readonly [value: number, derivative: number, curvature: number];
}

/**
 * Loss of a marker at distance d from its measured position, times half its weight: `squared` d^2; `huber` d^2 up to h, then 2 h d - h^2;
 * `geman-mcclure` d^2 / (1 + d^2/h^2), at most h^2.
 */
export type Loss =
  | { readonly type: 'squared' }
  | {
      readonly type: 'huber' | 'geman-mcclure';
      /** h: the distance beyond which a marker is an outlier, m. */
      readonly scale: number;
    };

/** Options of a marker tracker. */
export interface MarkerTrackerOptions {
  /** Default `{ type: 'squared' }`. */
  readonly loss?: Loss;
  readonly tasks?: readonly CoordinateTask[];
  readonly couplings?: readonly CoordinateCoupling[];
  /**
   * Weight of a prior towards the pose at the start of a frame, which keeps unobserved and weakly observed joints still: adds
   * prior (q - start)^2 to the sum, m^2 per rad^2. Roots and rotation vectors without a limit have no prior. Default 0. With 1e-4 a rotation
   * by 1 rad weighs as much as one marker at a distance of 1 cm.
   */
  readonly prior?: number;
  /**
   * The noise for which `prior` is meant: standard deviation of a marker of weight 1 along each axis, m. If markers fit better than that
   * noise, the weight of the prior is reduced by the squared ratio: without noise it vanishes and the solution is exact, while unobserved
   * joints stay still. Only for frames with more measurements than coordinates. Default: none, a constant prior.
   */
  readonly noise?: number;
  /** Bones with locked joints. Their coordinates are only clamped to the limits. */
  readonly locked?: readonly (string | number)[];
  /** Largest distance of a satisfied marker, m. Default 1e-4. Only for the status `converged`. */
  readonly tolerance?: number;
  /** Largest number of poses evaluated in one descent. Default 400. */
  readonly maxIterations?: number;
  /** Largest number of descents of {@link initializeMarkers}. Default 16. */
  readonly restarts?: number;
  readonly seed?: number;
}

/** Those of inverse kinematics, and `unobserved`: there is no observed marker and no task, so the pose is unchanged. */
export type MarkerStatus = IkStatus | 'unobserved';

/** Result of one frame. */
export interface MarkerResult {
  /**
   * With noise usually `out-of-reach`: the least-squares pose, with nonzero residuals. `converged`: all markers are within the tolerance.
   * `limit-blocked`: the limits in `activeLimits` are active.
   */
  readonly status: MarkerStatus;
  /** Distance of each marker from its measured position, m; NaN if unobserved. */
  readonly residuals: Float64Array;
  /** Number of observed markers: finite, with positive weight and confidence. */
  readonly observed: number;
  /** Weighted root mean square of the residuals, m; 0 if none is observed. */
  readonly rms: number;
  readonly max: number;
  /** Marker of the largest residual; undefined if none is observed. */
  readonly worst?: string;
  readonly activeLimits: IkResult['activeLimits'];
  /**
   * f = 1/2 sum_i (w_i / w) loss_i / L^2 + 1/2 sum_k (w_k / w) (q_k - target_k)^2 / L^2 + 1/2 (prior / w) sum_j (q_j - start_j)^2 / L^2,
   * w the largest marker weight and L the `lengthScale`; j over the coordinates with a prior, translations in length scales.
   */
  readonly objective: number;
  /** Weight of the prior in this frame, m^2 per rad^2: the option, or less where the markers fit better than `noise`. */
  readonly prior: number;
  readonly lengthScale: number;
  /** |P(q - grad f) - q|, P the projection onto the limits, translations in length scales. */
  readonly stationarity: number;
  /** Poses evaluated. */
  readonly iterations: number;
}

/** Three numbers per marker, in the order of the markers, m, world axes; a marker with a NaN is unobserved. */
export type MarkerPositions = Numbers;
