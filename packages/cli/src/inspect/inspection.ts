/** What `poise inspect --json` prints of a figure, and of markers. */
import type { GltfSummary, MjcfJoint, UrdfJoint } from '@poise/formats';
import type { BoneData, Triple } from 'poise/figure';
import type { HumanRestPose } from 'poise/humanoid';
import type { ClipInfo } from '../io/clips.js';
import type { Source } from '../io/source.js';

/** Output of `poise inspect --json`. Includes the members of a figure file, so it can be edited and posed. */
export interface Inspection {
  readonly format: 'poise-inspect';
  readonly version: 1;
  readonly source: { readonly kind: Source['kind']; readonly path?: string };
  readonly name: string;
  /** Up in the world, unit. */
  readonly up: Triple;
  readonly totals: {
    readonly bones: number;
    readonly dof: number;
    /** Along its up at rest, m: of its mesh, or without one of the origins and tips of its bones. */
    readonly height: number;
    /** Total mass, kg; absent where no bone has a mass. */
    readonly mass?: number;
    readonly skins: number;
    readonly animations: number;
    readonly meshes: number;
  };
  /** Bounding box of all origins and tips in the starting pose, m. */
  readonly bounds: { readonly min: Triple; readonly max: Triple };
  readonly bones: readonly InspectedBone[];
  /** Of a URDF or MJCF, in the order of the file. */
  readonly joints?: readonly (UrdfJoint | MjcfJoint)[];
  /** Clips of the file; left out where it has none. */
  readonly clips?: readonly ClipInfo[];
  /** Of a glTF. */
  readonly file?: GltfSummary;
  /** The human bones of a rig that has those of a human. */
  readonly humanoid?: InspectedHumanoid;
  readonly warnings: readonly string[];
}

/** Which bone is which of a human's, and how sure that is. */
export interface InspectedHumanoid {
  readonly up: Triple;
  readonly forward: Triple;
  /** `T`, `A` or `other`; the upper arms are so many degrees below level. */
  readonly restPose: { readonly kind: HumanRestPose['kind']; readonly armAngle: number };
  /** By human bone: name of the bone, confidence 0 to 1, and why. */
  readonly bones: Readonly<
    Record<
      string,
      { readonly bone: string; readonly confidence: number; readonly reasons: readonly string[] }
    >
  >;
}

export interface InspectedBone extends BoneData {
  readonly index: number;
  readonly dof: number;
  /** Index in the pose of its first coordinate. */
  readonly coordinate: number;
  /** Origin in the starting pose, m. */
  readonly position: Triple;
  /** Whether it moves visible geometry itself. */
  readonly drawn: boolean;
  /** Whether it moves the whole body, so that `poise pose` locks it by default. */
  readonly wholeBody: boolean;
}

/** What a file of markers holds. */
export interface InspectedMarkers {
  readonly format: 'poise-inspect';
  readonly version: 1;
  readonly source: { readonly kind: 'markers'; readonly path: string };
  readonly name: string;
  readonly frames: number;
  /** Hz. */
  readonly rate: number;
  /** First and last time, s. */
  readonly start: number;
  readonly end: number;
  /** Which axis points up, where the file says. */
  readonly up?: 'x' | 'y' | 'z';
  readonly markers: readonly InspectedMarker[];
  readonly warnings: readonly string[];
}

export interface InspectedMarker {
  readonly name: string;
  /** Frames in which it is observed. */
  readonly observed: number;
  /** Runs of frames without it, and the longest of them, frames. */
  readonly gaps: number;
  readonly longestGap: number;
  /** Box around it, m, axes of the file; left out where it is never observed. */
  readonly min?: Triple;
  readonly max?: Triple;
}
