/** A model as it is read. */
import type { Figure, RigidData, Triple } from 'poise/figure';
import type { MjcfJointType } from './joint-element.js';

/** A joint of the file, its place in MuJoCo's vectors and in the figure's. Radians, metres. */
export interface MjcfJoint {
  /** Its own, or one made of its body's. */
  readonly name: string;
  readonly type: MjcfJointType;
  /** Name of its body. */
  readonly body: string;
  /** Index of the bone that it moves: its body's, or a massless one at its anchor. */
  readonly bone: number;
  /** Index in the pose of its first coordinate; -1 for a mimic joint. */
  readonly coordinate: number;
  /** Number of its coordinates: hinge and slide 1 (0 for mimic joints), ball 3, free 6. */
  readonly dof: number;
  /** Index of its first number in MuJoCo's `qpos`: hinge and slide have 1, ball 4, free 7. */
  readonly qposIndex: number;
  /** Index of its first number in MuJoCo's `qvel`: hinge and slide have 1, ball 3, free 6. */
  readonly qvelIndex: number;
  /** MuJoCo's value of the joint where the figure's coordinate is zero. */
  readonly ref: number;
  /** Frame of its body in its parent, in the pose of the file: where a free joint is zero. */
  readonly frame: RigidData;
  /** Range of MuJoCo's value; of a ball [0, largest angle]. */
  readonly range?: readonly [number, number];
  /** Of its spring, N m/rad or N/m; at rest at the value `springref`. */
  readonly stiffness: number;
  readonly springref: number;
  /** N m s/rad or N s/m. */
  readonly damping: number;
  /** Inertia of its rotor, kg m^2 or kg. */
  readonly armature: number;
  /** Dry friction, N m or N. */
  readonly frictionloss: number;
  /** Its coordinate as a polynomial of a coordinate of the pose, the constant first. */
  readonly mimic?: { readonly coordinate: number; readonly polynomial: readonly number[] };
}

/** A site: a named frame on a bone. */
export interface MjcfSite {
  /** Index of its body's bone. */
  readonly bone: number;
  /** In the frame of the bone. */
  readonly frame: RigidData;
}

/** A keyframe of the file. */
export interface MjcfKeyframe {
  readonly name: string;
  /** s. */
  readonly time: number;
  readonly pose: Float64Array;
}

/** A model read from an MJCF file. */
export interface MjcfModel {
  /** A bone a body, by the body's name, and massless ones for the other joints of bodies. */
  readonly figure: Figure;
  /** By name, in the order of `qpos`. */
  readonly joints: ReadonlyMap<string, MjcfJoint>;
  /** Numbers in MuJoCo's `qpos` and `qvel`. */
  readonly nq: number;
  readonly nv: number;
  /** By name, those on bodies. */
  readonly sites: ReadonlyMap<string, MjcfSite>;
  /** Bones of bodies with `mocap="true"`, which a caller places. */
  readonly mocap: readonly number[];
  readonly keyframes: readonly MjcfKeyframe[];
  /** Inertias of rotors by coordinate, for `createDynamics`. */
  readonly armature: Float64Array;
  /** In the axes of the figure, m/s^2. */
  readonly gravity: Triple;
  /** One sentence each, starting with the location in the file. */
  readonly warnings: readonly string[];
}
