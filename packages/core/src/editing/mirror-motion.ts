/** Clips and poses with left and right exchanged. */
import { type FieldsOf, requireFields, requireNumbers } from '../checks.js';
import { FigureError } from '../errors.js';
import { jointTypes } from '../figure/joints/joint-types.js';
import { forwardKinematics } from '../figure/kinematics/forward-kinematics.js';
import { restOf } from '../figure/kinematics/rest-pose.js';
import { mirrorBone, parseBoneName } from '../figure/model/bone-name.js';
import type { Bone, Figure } from '../figure/model/figure.js';
import { checkPose } from '../figure/model/pose.js';
import { createState } from '../figure/model/state.js';
import { type FindHumanoidOptions, findHumanoid } from '../humanoid/find-humanoid.js';
import * as mat3 from '../math/geometry/mat3.js';
import * as quat from '../math/geometry/quat.js';
import * as vec3 from '../math/geometry/vec3.js';
import type { Numbers, Vec3 } from '../math/linear/types.js';
import { createMotion, type Motion } from '../motion/motion.js';
import type { Curve } from '../motion/representation/curve.js';
import { clipFromStates, keysWithin } from './clips/clip-from-states.js';
import { clipStates } from './clips/clip-state.js';
import { jointTracks } from './clips/joint-tracks.js';
import { requireMotionOf } from './clips/require-motion.js';

/** Options of {@link mirrorMotion} and {@link mirrorPose}. */
export interface MirrorOptions {
  /** The human bones by VRM name, where they are not recognised, as of `findHumanoid`. */
  readonly bones?: FindHumanoidOptions['bones'];
  /** From one side to the other, world axes at rest: for figures that are no humans, whose sides are told by the names of bones. Default: a human's left. */
  readonly sideways?: Vec3;
}

const FIELDS: FieldsOf<MirrorOptions> = { bones: true, sideways: true };

/**
 * A clip with left and right exchanged: each bone moves relative to its parent as the mirror image of the bone on the other side. The plane of the mirror is
 * that of the body's middle at rest. Curves keep their keys and kinds.
 *
 * @throws FigureError `unsupported` for a figure whose sides are not recognised, or with a joint that is not the mirror image of that on the other side, by
 *   more than 10 degrees; MotionError for a clip of another figure.
 */
export function mirrorMotion(figure: Figure, motion: Motion, options: MirrorOptions = {}): Motion {
  requireFields(options, FIELDS, 'options', FigureError);
  requireMotionOf(figure, motion);
  const maps = jointMaps(figure, options);
  const mapOf = (coordinate: number): JointMap => maps[figure.boneOfCoordinate[coordinate]] as JointMap;
  const isClosed = (coordinate: number, size: number): boolean => {
    const { bone, rotation } = mapOf(coordinate);
    const first = coordinate - bone.coordinate;
    // Blocks of three numbers are mixed, whole or not at all.
    return blocksOf(bone, rotation).every(
      ([from, to]) => first + size <= from || first >= to || (first <= from && first + size >= to),
    );
  };
  const own = jointTracks(figure, motion);
  const tracks = own.every(({ coordinate, curve }) => isClosed(coordinate, curve.size))
    ? own
    : jointTracks(
        figure,
        clipFromStates(
          figure,
          keysWithin(motion, motion.start, motion.end),
          clipStates(figure, motion),
          motion,
        ),
      );
  return createMotion(figure, {
    ...motion,
    base: mirrored(figure, maps, motion.base),
    tracks: tracks.map(({ coordinate, curve }) => {
      const map = mapOf(coordinate);
      const first = coordinate - map.bone.coordinate;
      return { coordinate: map.other.coordinate + first, curve: mappedCurve(curve, map, first) };
    }),
  });
}

/**
 * A pose with left and right exchanged, as {@link mirrorMotion}.
 *
 * @returns a new pose.
 * @throws FigureError as {@link mirrorMotion}, and for an invalid pose.
 */
export function mirrorPose(figure: Figure, pose: Numbers, options: MirrorOptions = {}): Float64Array {
  requireFields(options, FIELDS, 'options', FigureError);
  checkPose(figure, pose);
  return mirrored(figure, jointMaps(figure, options), pose);
}

/** The linear map from the coordinates of a joint to those of the joint on the other side. */
interface JointMap {
  readonly bone: Bone;
  readonly other: Bone;
  /** dof x dof, row by row. */
  readonly matrix: readonly number[];
  readonly rotation: number;
}

/** Blocks of coordinates that the map mixes: translations, and rotation vectors. */
function blocksOf({ joint }: Bone, rotation: number): [number, number][] {
  const { translations } = jointTypes[joint.type];
  return [...(translations === 3 ? [[0, 3]] : []), ...(rotation >= 0 ? [[rotation, rotation + 3]] : [])] as [
    number,
    number,
  ][];
}

function mirrored(figure: Figure, maps: readonly (JointMap | undefined)[], pose: Numbers): Float64Array {
  const out = new Float64Array(figure.dof);
  for (const map of maps) {
    if (map === undefined) continue;
    const { bone, other, matrix } = map;
    for (let r = 0; r < bone.dof; r++)
      for (let c = 0; c < bone.dof; c++)
        out[other.coordinate + r] += matrix[r * bone.dof + c] * pose[bone.coordinate + c];
  }
  return out;
}

function mappedCurve(curve: Curve, { bone: { dof }, matrix }: JointMap, first: number): Curve {
  const { size, controls } = curve;
  const mapped = new Float64Array(controls.length);
  for (let p = 0; p < mapped.length; p += size)
    for (let r = 0; r < size; r++)
      for (let c = 0; c < size; c++) mapped[p + r] += matrix[(first + r) * dof + first + c] * controls[p + c];
  return { ...curve, controls: mapped };
}

/** Coordinates at which joints are compared, rad or m. */
const TRIALS = [
  [0.31, -0.22, 0.17],
  [-0.12, 0.41, -0.28],
] as const;
/** Largest rotation between a joint at those coordinates and the mirror image of the other, rad. */
const MAX_MISMATCH = Math.PI / 18;

function jointMaps(figure: Figure, options: MirrorOptions): (JointMap | undefined)[] {
  const { sideways, others } = sides(figure, options);
  const rest = restOf(figure);
  const frame = (bone: number): Float64Array => rest.worldFromBone.subarray(12 * bone, 12 * bone + 9);
  const reflection = mat3.subtract(mat3.identity(), mat3.scale(mat3.outer(sideways, sideways), 2));
  return figure.bones.map((bone, b) => {
    if (bone.dof === 0) return undefined;
    const other = figure.bones[others[b]];
    // The joint's transform J becomes X^T J X.
    const x = mat3.multiply(mat3.multiply(mat3.transpose(frame(b)), reflection), frame(other.index));
    const { rotationVector, translations } = jointTypes[bone.joint.type];
    const isFull = rotationVector >= 0 && translations + 3 === bone.dof;
    const matrix = isFull ? linearMap(x, translations) : signs(figure, bone, other, x);
    return { bone, other, matrix, rotation: isFull ? rotationVector : -1 };
  });
}

/** p' = X^T p; a rotation vector is axial, v' = -X^T v. */
function linearMap(x: Numbers, translations: number): number[] {
  const dof = translations + 3;
  const matrix = new Array<number>(dof * dof).fill(0);
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) {
      if (translations === 3) matrix[r * dof + c] = x[3 * c + r];
      matrix[(translations + r) * dof + translations + c] = -x[3 * c + r];
    }
  }
  return matrix;
}

/** Other joints: each coordinate keeps its value or changes its sign, whichever fits best. */
function signs(figure: Figure, bone: Bone, other: Bone, x: Numbers): number[] {
  const { dof } = bone;
  const transform = transformsOf(figure);
  let best: number[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (let pattern = 0; pattern < 1 << dof; pattern++) {
    const sign = Array.from({ length: dof }, (_, i) => ((pattern >> i) & 1 ? -1 : 1));
    let mismatch = 0;
    for (const trial of TRIALS) {
      const image = reflected(transform(bone, trial), x);
      const found = transform(
        other,
        sign.map((s, i) => s * trial[i]),
      );
      mismatch = Math.max(mismatch, differenceOf(image, found));
    }
    if (mismatch < least) [best, least] = [sign, mismatch];
  }
  if (bone.joint.type === other.joint.type && least <= MAX_MISMATCH)
    return best.flatMap((s, r) => best.map((_, c) => (r === c ? s : 0)));
  throw new FigureError('unsupported', `has no mirror image in the joint of '${other.name}'.`, {
    path: `joint of '${bone.name}'`,
    remedy: 'Mirror the clip on a figure whose joints are alike on both sides, as balls are.',
  });
}

/** Rotation and translation of a joint at coordinates, in its rest axes. */
function transformsOf(figure: Figure): (bone: Bone, at: readonly number[]) => number[] {
  const state = createState(figure);
  return ({ index, coordinate, dof, rest }, at) => {
    const pose = new Float64Array(figure.dof);
    for (let i = 0; i < dof; i++) pose[coordinate + i] = at[i];
    forwardKinematics(state, pose);
    const local = state.parentFromBone.subarray(12 * index, 12 * index + 12);
    const inverse = mat3.transpose(quat.toMatrix(rest.rotation));
    const shift = vec3.subtract(local.subarray(9, 12), rest.position);
    return [...mat3.multiply(inverse, local.subarray(0, 9)), ...mat3.multiplyVector(inverse, shift)];
  };
}

function reflected(transform: readonly number[], x: Numbers): number[] {
  const back = mat3.transpose(x);
  return [
    ...mat3.multiply(mat3.multiply(back, transform.slice(0, 9)), x),
    ...mat3.multiplyVector(back, transform.slice(9)),
  ];
}

/** Angle between two rotations, rad, plus the distance of translations, m. */
function differenceOf(a: readonly number[], b: readonly number[]): number {
  const [p, q] = [a, b].map((m) => quat.fromMatrix(m.slice(0, 9)));
  return quat.angleBetween(p, q) + vec3.distance(a.slice(9), b.slice(9));
}

/** The direction sideways, and the bone on the other side of each bone: itself for bones in the middle. */
function sides(
  figure: Figure,
  { bones, sideways }: MirrorOptions,
): { readonly sideways: Vec3; readonly others: readonly number[] } {
  if (sideways !== undefined) requireNumbers(sideways, 3, 'options.sideways', FigureError);
  if (sideways !== undefined && !(vec3.norm(sideways) > 0)) {
    throw new FigureError('out-of-range', 'has no length.', {
      path: 'options.sideways',
      remedy: 'Give the direction from one side to the other.',
    });
  }
  const humanoid = findHumanoid(figure, bones === undefined ? {} : { bones });
  if (humanoid === undefined && sideways === undefined) {
    throw new FigureError('unsupported', 'is not a humanoid: its left and right are not known.', {
      path: `figure ${figure.name}`,
      remedy:
        'Give `options.sideways`, the direction from one side to the other; sides are then told by the names of bones.',
    });
  }
  const others = figure.bones.map(({ index }) => index);
  const names = figure.bones.map(({ name }) => parseBoneName(name));
  names.forEach((_, b) => {
    const other = mirrorBone(names, b);
    if (other >= 0) others[b] = other;
  });
  for (const [human, bone] of Object.entries(humanoid?.bones ?? {})) {
    const other =
      humanoid?.bones[
        human.replace(/^left|^right/, (side) => (side === 'left' ? 'right' : 'left')) as 'hips'
      ];
    if (other !== undefined) others[bone] = other;
  }
  return { sideways: vec3.normalize((sideways ?? humanoid?.left) as Vec3), others };
}
