import type { Figure, MimicPiece, Triple } from 'poise/figure';
import type { Marker } from 'poise/ik';

/** A coordinate of an OpenSim model. */
export interface OsimCoordinate {
  readonly name: string;
  readonly joint: string;
  /** Bone whose joint has this coordinate, by name; of a coupled coordinate that of the coordinate that it follows. */
  readonly bone: string;
  /** Index in the pose; -1 for a coupled coordinate. */
  readonly coordinate: number;
  /** What its unit is: rad, m, or that of its joint (rad and m in one coordinate). */
  readonly motionType: 'rotational' | 'translational' | 'mixed';
  /** rad or m. */
  readonly defaultValue: number;
  readonly range: readonly [min: number, max: number];
  /** Whether the range holds: it is then a limit of the figure. */
  readonly clamped: boolean;
  readonly locked: boolean;
  /** The coordinate that it is a function of (CoordinateCouplerConstraint), and the function. */
  readonly follows?: OsimMimic;
}

/** phi(y) of another coordinate y: polynomial and pieces as in `MimicData`. */
export interface OsimMimic {
  readonly coordinate: string;
  readonly polynomial: readonly number[];
  readonly pieces?: readonly MimicPiece[];
}

/** A joint of an OpenSim model, between two bodies. */
export interface OsimJoint {
  /** As in the file: `CustomJoint`. */
  readonly type: string;
  readonly parent: string;
  readonly child: string;
}

/** What `readOsim` reads. */
export interface OsimModel {
  /** Its pose has the independent coordinates, each at OpenSim's value: q = 0 is OpenSim's 0. */
  readonly figure: Figure;
  /** In file order. */
  readonly coordinates: ReadonlyMap<string, OsimCoordinate>;
  /** In file order. */
  readonly joints: ReadonlyMap<string, OsimJoint>;
  /** The markers, as `createMarkerTracker` takes them, m. */
  readonly markers: readonly Marker[];
  /** Bones of locked coordinates, as the option `locked` of `createMarkerTracker`. */
  readonly locked: readonly string[];
  /** The pose of all default values. */
  readonly defaultPose: Float64Array;
  /** m/s^2. */
  readonly gravity: Triple;
  readonly warnings: readonly string[];
}
