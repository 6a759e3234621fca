/** Types of a scene file: a trajectory problem as JSON. */
import type { RagdollOptions } from 'poise/dynamics';
import type { FigureData } from 'poise/figure';
import type { HumanBoneMap, HumanFigureOptions } from 'poise/humanoid';
import type { MotionData } from 'poise/motion';
import type {
  AccelerationTerm,
  BoneValues,
  ContactTerm,
  PoseTerm,
  SpacetimeData,
  SpacetimeTerm,
  VelocityTerm,
} from 'poise/spacetime';
import type { PoseData } from '../pose/pose-data.js';
import type { ReadUrdfOptions } from '../urdf/options.js';

/** Masses for a rig without any, by `createRagdoll`. */
export type SceneRagdoll = Pick<RagdollOptions, 'mass' | 'joints'>;

/** The figure that moves. */
export type SceneFigure =
  /** The built-in human. */
  | ({ readonly type: 'human' } & Pick<HumanFigureOptions, 'height' | 'mass'>)
  /** Bones, as in a figure file. */
  | ({ readonly type: 'bones' } & FigureData)
  /** A .glb, .vrm, .gltf, .urdf, .bvh or figure .json, by its address relative to the scene. */
  | {
      readonly type: 'file';
      readonly path: string;
      /** Of a .urdf: which limits apply. */
      readonly limits?: NonNullable<ReadUrdfOptions['limits']>;
      /** Of a character: `anatomical` gives it the joints and limits of a human. Default: those of the file. */
      readonly joints?: 'given' | 'anatomical';
      /** Of a .bvh: metres per unit of the file, and its up axis. */
      readonly scale?: number;
      readonly fileUpAxis?: 'y' | 'z';
      /** Of a .bvh: the frame of its rest pose, from 1. */
      readonly restFrame?: number;
      /** Corrects the human bones that are recognised: names of bones by human bone, null for none. */
      readonly human?: Readonly<HumanBoneMap<string | null>>;
      /** Converts it to a ragdoll with masses and anatomical joints. */
      readonly ragdoll?: SceneRagdoll;
    };

/** Coordinates of a figure: all `figure.dof`, or by bone name with all others zero. */
export type SceneCoordinates =
  | readonly number[]
  | { readonly bones: Readonly<Record<string, readonly number[]>> };

/** A pose: `rest`, coordinates, the content of a pose file, or its address. */
export type ScenePose =
  | 'rest'
  | SceneCoordinates
  | (Partial<PoseData> & Pick<PoseData, 'bones'>)
  | { readonly path: string };

/** The reference motion. */
export type SceneReference =
  | { readonly type: 'rest' }
  | { readonly type: 'pose'; readonly pose: ScenePose }
  /** Key poses, the first at 0 s, interpolated by Catmull-Rom curves over the coordinates. */
  | { readonly type: 'keys'; readonly times: readonly number[]; readonly poses: readonly ScenePose[] }
  /** Tracks with keys or curves, as `motionToData` writes them. */
  | ({ readonly type: 'motion' } & MotionData)
  /** A clip of the same figure: a .bvh, or an animation of a .glb, .gltf or .vrm. */
  | {
      readonly type: 'file';
      readonly path: string;
      /** Name or index. Default: the first. */
      readonly animation?: string | number;
      /** Start offset in the clip, s: this time of the clip is 0 s here. Default 0. */
      readonly from?: number;
    };

/** A term, with the poses and contact points of a scene. */
export type SceneTerm =
  | Exclude<SpacetimeTerm, PoseTerm | VelocityTerm | AccelerationTerm | ContactTerm>
  /** `sole`: the corners of the sole of a humanoid's foot or toes, by `findFootPoints`. */
  | (Omit<ContactTerm, 'points'> & { readonly points: ContactTerm['points'] | 'sole' })
  | (Omit<PoseTerm, 'pose'> & { readonly pose?: ScenePose })
  | (Omit<VelocityTerm, 'velocity'> & { readonly velocity?: SceneCoordinates })
  | (Omit<AccelerationTerm, 'acceleration'> & { readonly acceleration?: SceneCoordinates });

/** A trajectory problem as JSON: {@link SpacetimeData} with a figure, a reference and poses of its own. */
export interface SceneData extends Omit<SpacetimeData, 'duration' | 'reference' | 'armature' | 'terms'> {
  readonly format: 'poise-scene';
  readonly version: 1;
  /** Name of the resulting animation. Default `optimized`. */
  readonly name?: string;
  /** Default: the built-in human, 1.75 m tall. */
  readonly figure?: SceneFigure;
  /** Default: rest. */
  readonly reference?: SceneReference;
  /** Optional where the reference has a length. */
  readonly duration?: SpacetimeData['duration'];
  /** One value for all, by bone, or one per coordinate. */
  readonly armature?: BoneValues | readonly number[];
  readonly terms: readonly SceneTerm[];
}
