/** What a scene file says: a trajectory problem as JSON. */
import type { RagdollOptions } from 'poise/dynamics';
import type { FigureData } from 'poise/figure';
import type { HumanFigureOptions } from 'poise/humanoid';
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

/** Masses for a rig that has none, as `createRagdoll` gives them. */
export type SceneRagdoll = Pick<RagdollOptions, 'mass' | 'joints'>;

/** Whose motion it is. */
export type SceneFigure =
  /** The built-in human. */
  | ({ readonly type: 'human' } & Pick<HumanFigureOptions, 'height' | 'mass'>)
  /** Bones, as in a figure file. */
  | ({ readonly type: 'bones' } & FigureData)
  /** A .glb, .vrm, .gltf, .urdf, .bvh or figure .json, by its address relative to the scene. */
  | {
      readonly type: 'file';
      readonly path: string;
      /** Of a .urdf: which limits count. */
      readonly limits?: NonNullable<ReadUrdfOptions['limits']>;
      /** Of a .bvh: metres in a unit of the file, and which axis points up. */
      readonly scale?: number;
      readonly fileUpAxis?: 'y' | 'z';
      /** Makes a ragdoll of it, with masses and the joints of a body. */
      readonly ragdoll?: SceneRagdoll;
    };

/** The coordinates of a figure: all `figure.dof`, or those of some bones by name, all others zero. */
export type SceneCoordinates =
  | readonly number[]
  | { readonly bones: Readonly<Record<string, readonly number[]>> };

/** A pose: `rest`, its coordinates, what `poise pose` writes, or the address of such a file. */
export type ScenePose =
  | 'rest'
  | SceneCoordinates
  | (Partial<PoseData> & Pick<PoseData, 'bones'>)
  | { readonly path: string };

/** What the problem starts from. */
export type SceneReference =
  | { readonly type: 'rest' }
  | { readonly type: 'pose'; readonly pose: ScenePose }
  /** Poses at moments, the first at 0 s, joined by Catmull-Rom curves over the coordinates. */
  | { readonly type: 'keys'; readonly times: readonly number[]; readonly poses: readonly ScenePose[] }
  /** Tracks with keys or curves, as `motionToData` gives them. */
  | ({ readonly type: 'motion' } & MotionData)
  /** A clip of the same figure: a .bvh, or an animation of a .glb, .gltf or .vrm. */
  | {
      readonly type: 'file';
      readonly path: string;
      /** Name or index. Default: the first. */
      readonly animation?: string | number;
      /** The moment of the clip that is 0 s here, s after its start. Default 0. */
      readonly from?: number;
    };

/** A term, with poses and soles as a scene has them. */
export type SceneTerm =
  | Exclude<SpacetimeTerm, PoseTerm | VelocityTerm | AccelerationTerm | ContactTerm>
  /** `sole`: the corners of the sole of a humanoid's foot or toes, as `footPoints` gives them. */
  | (Omit<ContactTerm, 'points'> & { readonly points: ContactTerm['points'] | 'sole' })
  | (Omit<PoseTerm, 'pose'> & { readonly pose?: ScenePose })
  | (Omit<VelocityTerm, 'velocity'> & { readonly velocity?: SceneCoordinates })
  | (Omit<AccelerationTerm, 'acceleration'> & { readonly acceleration?: SceneCoordinates });

/** A trajectory problem as JSON. All but figure, reference and poses is what {@link SpacetimeData} says. */
export interface SceneData extends Omit<SpacetimeData, 'duration' | 'reference' | 'armature' | 'terms'> {
  readonly format: 'poise-scene';
  readonly version: 1;
  /** Of the animation that comes of it. Default `optimized`. */
  readonly name?: string;
  /** Default: the built-in human, 1.75 m tall. */
  readonly figure?: SceneFigure;
  /** Default: rest. */
  readonly reference?: SceneReference;
  /** May be left out where the reference has a length. */
  readonly duration?: SpacetimeData['duration'];
  /** For all, by bone, or for each coordinate. */
  readonly armature?: BoneValues | readonly number[];
  readonly terms: readonly SceneTerm[];
}
