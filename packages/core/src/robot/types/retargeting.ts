/** Configuration, options and results of human-to-robot retargeting. */
import type { Quadruple, Triple } from '../../figure/data/types.js';
import type { Numbers } from '../../math/linear/types.js';

/** A bone of a robot that follows a body of a human. */
export interface RobotMatch {
  /** Bone of the robot. */
  readonly robot: string;
  /** Body of the human. */
  readonly human: string;
  /** w_p, 1/m, and w_r, 1/rad; 0 where it does not follow. */
  readonly positionWeight: number;
  readonly rotationWeight: number;
  /** Offset of the target in its own axes, m. */
  readonly position: Triple;
  /** By which the rotation of the body is multiplied from the right: unit quaternion `x y z w`. */
  readonly rotation: Quadruple;
}

/** Which bones of a robot follow which bodies of a human: what `readGmrConfig` of @poise/formats reads. */
export interface RobotRetargetConfig {
  /** Body about which the human is scaled. */
  readonly humanRoot: string;
  /** Taken from the offsets of all targets, up, m. */
  readonly groundHeight: number;
  /** Height of the human for whom the scales are made, m. */
  readonly humanHeight: number;
  /** Scale of the bodies about the root, by name. */
  readonly scales: ReadonlyMap<string, number>;
  /** Minimized first, as a start. Its offsets are those of the targets of both tables. */
  readonly first: readonly RobotMatch[];
  /** Minimized last. */
  readonly second: readonly RobotMatch[];
}

/** A foot that may carry the robot. */
export interface SupportFoot {
  /** Bone of the robot, and points of its sole in the frame of the bone, m. */
  readonly bone: string;
  readonly points: readonly Triple[];
}

/** Keeps the centre of mass over the feet on the ground. */
export interface RobotBalance {
  readonly feet: readonly SupportFoot[];
  /** Without `HumanFrame.standing` a foot stands where its target has it at most this much above the lowest one, m. Default: 0.03. */
  readonly height?: number;
  /**
   * Without `HumanFrame.standing` no foot stands, and the centre of mass is free, where the lowest one is more than this above where one was lowest since the
   * first frame, m: flight. Default: 0.15. `Infinity` where the ground rises, as on stairs.
   */
  readonly flight?: number;
  /** Distance that the centre of mass keeps from the edge of the support, m; less where the support is too narrow. Default: 0.01. */
  readonly margin?: number;
  /** Weight w of the goal w^2 distance^2, 1/m; `Infinity` (default): a constraint. */
  readonly weight?: number;
}

/** Options of `createRobotRetargeter`. */
export interface RobotRetargetOptions {
  /** Height of the human, m. Default: the one of the configuration. */
  readonly humanHeight?: number;
  /** Subtracted from the height of all targets, m. Default: 0. */
  readonly groundOffset?: number;
  /** Whether each frame is shifted so that the lowest target whose body has `foot` in its name is 0.1 m high, as GMR does. Default: false. */
  readonly toGround?: boolean;
  /** Time between frames, s. Needed for `speedLimit`. */
  readonly frameTime?: number;
  /** Largest speed of a hinge or slider, rad/s or m/s: a number, or `figure` for the `speedLimit` of each bone. Default: none. */
  readonly speedLimit?: number | 'figure';
  /** Default: none. */
  readonly balance?: RobotBalance;
  /** Newton steps a stage at most. Default: 50. */
  readonly maxIterations?: number;
  /** Largest {@link RobotFrame.residual}. Default: 1e-6. */
  readonly tolerance?: number;
}

/** A human in one frame, in the order of `RobotRetargeter.humanBodies`; the world of the robot's figure. */
export interface HumanFrame {
  /** 3 numbers a body, m. */
  readonly positions: Numbers;
  /** Unit quaternions `x y z w`, 4 numbers a body. */
  readonly rotations: Numbers;
  /** Which feet of `balance` stand, in their order; without it those that are low. */
  readonly standing?: ArrayLike<unknown>;
}

/** What a frame reached. */
export interface RobotFrame {
  /** Weighted objective of the second table: sum w_p^2 |x - x*|^2 + w_r^2 |log(R* R^-1)|^2. */
  objective: number;
  /**
   * Largest |g_i| / sqrt(2 f H_ii) over the coordinates, g the gradient of f = 1/2 objective within the bounds, H its Gauss-Newton
   * matrix: 0 at a minimum, at most 1. A coordinate at a bound counts only where the descent leads back inside.
   */
  residual: number;
  /** Newton steps of all stages. */
  iterations: number;
  /** Coordinates at a bound. */
  atBound: number;
  /** Distance of the centre of mass outside of the support less the margin, m; 0 without `balance` or without a foot on the ground. */
  imbalance: number;
}
