import { type FieldsOf, requireFields, requireOneOf, requirePositive } from '../../checks.js';
import { DomainError } from '../../errors.js';
import type { BoneData } from '../../figure/data/types.js';
import { type Rest, restOf } from '../../figure/kinematics/rest-pose.js';
import { createFigure, type Figure, figureToData } from '../../figure/model/figure.js';
import {
  anatomicalJoint,
  fittingLimit,
  humanJoints,
  LOOSE_LIMIT,
} from '../../humanoid/anatomy/joint-limits.js';
import { findHumanoid, type Humanoid } from '../../humanoid/find-humanoid.js';
import { createHumanFigure } from '../../humanoid/human.js';
import { BODY_MASS_INDEX } from '../../humanoid/human-data.js';
import type { HumanBoneMap } from '../../humanoid/recognition/human-bones.js';
import type { Numbers, Vec3 } from '../../math/linear/types.js';
import type { BoneShape } from '../collide/shapes/shapes.js';
import { findHeight } from './body/height.js';
import { withMass } from './body/mass-properties.js';
import {
  type Bodies,
  distributeMass,
  givenBodies,
  limitGyration,
  scaleTo,
  totalMass,
} from './body/masses.js';
import { nearestBones } from './body/nearest-bones.js';
import { type Segment, segmentsOf } from './body/segments.js';
import { parseVertexSets } from './body/vertex-sets.js';
import { jointDamping } from './damping.js';
import { humanoidShapes } from './shapes/bone-shapes.js';
import { findExcludedPairs } from './shapes/excluded-pairs.js';
import { extentOf, figureShapes, uniformBody } from './shapes/figure-shapes.js';

/** Options of {@link createRagdoll}. */
export interface RagdollOptions {
  /** Human bones by VRM name, as names or indices of the figure, null for none. Default: found by `findHumanoid`; false treats it as a general figure. */
  readonly humanoid?: Readonly<HumanBoneMap<string | number | null>> | false;
  /** Up direction at rest, world axes. Default `figure.up`. */
  readonly up?: Vec3;
  /**
   * Total mass, kg. Default: that of the figure if it has masses; else 24.1 kg/m^2 times the square of the height for a humanoid, 1000 kg/m^3
   * times the volume of the shapes for another figure.
   */
  readonly mass?: number;
  /** `given` keeps the masses of a figure that has any, `tables` replaces all. Default `given`. */
  readonly masses?: 'given' | 'tables';
  /** Vertices of the mesh by bone name, three numbers each, m, in the bone's frame at rest, for fitting shapes. Default: none. */
  readonly vertices?: Readonly<Record<string, Numbers>>;
  /**
   * `given` keeps all joints, so that poses of the figure are poses of the ragdoll. `anatomical` replaces a humanoid's balls by the joints of the
   * built-in human (hinges for elbows and knees) and fixes bones that the human lacks to their parents: fewer coordinates, anatomical limits.
   * Both fix free joints that carry no shape, such as controls and sockets, which would fall for ever; not so with `limits: 'given'` beside `given`.
   * Default `given`.
   */
  readonly joints?: 'given' | 'anatomical';
  /**
   * Limits of joints without any: `anatomical` adds them, `given` leaves them without: with `joints: 'given'` the figure is as it is but for its masses.
   * Default `anatomical`.
   */
  readonly limits?: 'anatomical' | 'given';
  /** Settling time of the joints by passive damping, s. Default 0.5. */
  readonly settlingTime?: number;
}

const OPTIONS: FieldsOf<RagdollOptions> = {
  humanoid: true,
  up: true,
  mass: true,
  masses: true,
  vertices: true,
  joints: true,
  limits: true,
  settlingTime: true,
};

/** A character prepared for physics simulation. */
export interface Ragdoll {
  /**
   * Bones with the names, order and rest pose of the given figure, with masses and limits; with `joints: 'given'` also the same coordinates, less those of free
   * joints that carry no shape.
   */
  readonly figure: Figure;
  /** Capsules, spheres and boxes in the frames of their bones. */
  readonly shapes: readonly BoneShape[];
  /** Excluded pairs: bones, other than neighbours, whose shapes touch or almost touch at rest. They do not collide. */
  readonly exclude: readonly (readonly [string, string])[];
  /** Passive damping of each coordinate, N m s or N s/m; 0 for free joints. */
  readonly damping: Float64Array;
  /** The human bones of the figure; undefined if it is not a humanoid. */
  readonly humanoid: Humanoid | undefined;
  /** Total mass, kg. */
  readonly mass: number;
  /** Height of a humanoid, else the largest extent at rest, m. */
  readonly height: number;
  /** What to tell the user: a size that suggests a file in other units than metres. Empty for most. */
  readonly warnings: readonly string[];
}

/** Heights without a warning, m: from an ant to a giraffe and more. */
const USUAL_HEIGHTS = [0.01, 10] as const;

/** Shapes nearer than this at rest are excluded pairs, in heights: 5 mm for an adult. */
const EXCLUSION_DISTANCE = 0.003;

/**
 * Creates a ragdoll of a figure: mass properties (de Leva 1996, scaled to the figure's bone lengths), shapes fitted to its mesh or bones, limits
 * for joints without any, excluded pairs of bones, and passive damping. docs/ragdoll.md has the formulas. A figure that is not a humanoid gets a
 * capsule of the density of water for each bone.
 *
 * @throws FigureError `unknown-name`, `wrong-size`, `not-finite` for invalid bones or vertices in the options; `wrong-size` for a `humanoid`
 *   without essential bones; `out-of-range` for a figure whose bones have no length.
 * @throws DomainError `out-of-range` for a mass or time that is not a positive number, `unsupported` for an unknown value, `unknown-name`
 *   for an unknown option.
 */
export function createRagdoll(figure: Figure, options: RagdollOptions = {}): Ragdoll {
  requireFields(options, OPTIONS, 'options', DomainError);
  const { masses = 'given', joints = 'given', limits = 'anatomical', settlingTime = 0.5 } = options;
  requireOneOf(masses, ['given', 'tables'], 'options.masses', DomainError);
  requireOneOf(joints, ['given', 'anatomical'], 'options.joints', DomainError);
  requireOneOf(limits, ['given', 'anatomical'], 'options.limits', DomainError);
  if (options.mass !== undefined) requirePositive(options.mass, 'options.mass', DomainError, 'kg');
  requirePositive(settlingTime, 'options.settlingTime', DomainError, 's');
  const vertexSets = parseVertexSets(figure, options.vertices);
  const humanoid = humanoidOf(figure, options);
  const rest = restOf(figure);
  const height = humanoid ? findHeight(rest, humanoid, vertexSets) : extentOf(rest, vertexSets);

  const given = givenBodies(figure);
  const fromTables = masses === 'tables' || totalMass(given) === 0;
  // Without a mesh the radii come from the tabulated masses, also where masses are given.
  const tableMass = options.mass ?? (fromTables ? BODY_MASS_INDEX * height * height : totalMass(given));
  const segments = humanoid ? segmentsOf(rest, humanoid, vertexSets, height, tableMass) : [];
  const shapes = humanoid
    ? humanoidShapes(rest, humanoid, segments, vertexSets, height)
    : figureShapes(rest, vertexSets, height);

  const jointed =
    joints === 'given' && limits === 'given'
      ? figure
      : withJoints(withIdleJointsFixed(figure, shapes), segments, humanoid, options);
  const before: Bodies = fromTables ? initialBodies(figure, segments, shapes, tableMass) : given;
  const restWithJoints: Rest = { figure: jointed, worldFromBone: rest.worldFromBone };
  const distributed = distributeMass(restWithJoints, before, fromTables, height);
  const mass = options.mass ?? (fromTables && humanoid ? tableMass : totalMass(before));
  const bodies = limitGyration(
    scaleTo(distributed, mass),
    height,
    (bone) => fromTables || !figure.bones[bone].inertia,
  );
  const weighted = withBodies(jointed, bodies);
  const weightedRest = { figure: weighted, worldFromBone: rest.worldFromBone };
  const shaped = new Set(shapes.map((shape) => shape.bone));
  const detached = detachedBones(figure, segments);
  const isPendulum = (bone: number): boolean => detached[bone] && !shaped.has(figure.bones[bone].name);
  return {
    figure: weighted,
    shapes,
    exclude: findExcludedPairs(weightedRest, shapes, EXCLUSION_DISTANCE * height),
    damping: jointDamping(weightedRest, bodies, height, (bone) =>
      isPendulum(bone) ? settlingTime / 10 : settlingTime,
    ),
    humanoid,
    mass,
    height,
    warnings: sizeWarnings(
      figure.name,
      height,
      humanoid ? 'high' : 'long',
      fromTables && options.mass === undefined ? mass : undefined,
    ),
  };
}

/** @param height - In this direction, m. @param derived - Mass that follows from the size, kg. */
function sizeWarnings(
  name: string,
  height: number,
  direction: 'high' | 'long',
  derived: number | undefined,
): string[] {
  const [low, high] = USUAL_HEIGHTS;
  if (height >= low && height <= high) return [];
  const weighs = derived === undefined ? '' : ` and weighs ${text(derived)} kg`;
  const cure =
    height > high ? 'one in centimetres by 0.01, one in millimetres by 0.001' : 'lengths are metres here';
  return [
    `${name}: is ${text(height)} m ${direction}${weighs}, so it moves as ${height > high ? 'slowly' : 'fast'} as a body of that size. Scale the figure to metres: ${cure}.`,
  ];
}

/** Three digits, without an exponent. */
function text(x: number): string {
  return x.toLocaleString('en', { maximumSignificantDigits: 3 });
}

function humanoidOf(figure: Figure, { humanoid, up }: RagdollOptions): Humanoid | undefined {
  if (humanoid === false) return undefined;
  return findHumanoid(figure, { ...(humanoid && { bones: humanoid }), ...(up && { up }) });
}

/** Largest fraction of a humanoid's mass for the shape of a bone that the human lacks: that of a foot, for feet parented to a control. */
const MAX_UNNAMED_FRACTION = 0.014;

/** By bone of a humanoid, whether it is detached from the body, such as a control: neither ancestor nor descendant of any segment. */
function detachedBones({ parents }: Figure, segments: readonly Segment[]): readonly boolean[] {
  if (segments.length === 0) return Array.from(parents, () => false);
  const isBelow = new Uint8Array(parents.length);
  const isAbove = new Uint8Array(parents.length);
  for (const { bone } of segments) isBelow[bone] = isAbove[bone] = 1;
  for (let b = 0; b < parents.length; b++) if (parents[b] >= 0) isBelow[b] |= isBelow[parents[b]];
  for (let b = parents.length - 1; b >= 0; b--) if (parents[b] >= 0) isAbove[parents[b]] |= isAbove[b];
  return Array.from(parents, (_, b) => isBelow[b] === 0 && isAbove[b] === 0);
}

/** Mass properties from the tables, or from the shapes for bones not in the tables; `tableMass` is the mass of a humanoid. */
function initialBodies(
  figure: Figure,
  segments: readonly Segment[],
  shapes: readonly BoneShape[],
  tableMass: number,
): Bodies {
  // The first shape of a bone.
  const shapeOf = new Map(shapes.map((shape) => [shape.bone, shape] as const).reverse());
  const bodies: Bodies = figure.bones.map(({ index, name }) => {
    const segment = segments.find(({ bone }) => bone === index);
    if (segment) return segment.body.mass > 0 ? segment.body : undefined;
    const shape = shapeOf.get(name);
    const body = shape && uniformBody(shape);
    return body && segments.length > 0
      ? withMass(body, Math.min(body.mass, MAX_UNNAMED_FRACTION * tableMass))
      : body;
  });
  return bodies;
}

/** The figure with its free joints fixed that carry no shape up to the next free joints: nothing would ever stop their fall. */
function withIdleJointsFixed(figure: Figure, shapes: readonly BoneShape[]): Figure {
  const { bones, parents } = figure;
  const shaped = new Set(shapes.map(({ bone }) => bone));
  const carries = bones.map(({ name }) => shaped.has(name));
  for (let b = bones.length - 1; b >= 0; b--) {
    if (carries[b] && parents[b] >= 0 && bones[b].joint.type !== 'free') carries[parents[b]] = true;
  }
  const isIdle = bones.map(({ index, joint }) => joint.type === 'free' && !carries[index]);
  if (!isIdle.includes(true)) return figure;
  const data = figureToData(figure);
  return createFigure({
    ...data,
    bones: data.bones.map((bone, index) => (isIdle[index] ? withFixedJoint(bone) : bone)),
  });
}

/** The figure with the joints and limits of the options. */
function withJoints(
  figure: Figure,
  segments: readonly Segment[],
  humanoid: Humanoid | undefined,
  options: RagdollOptions,
): Figure {
  const anatomical = options.joints === 'anatomical' && humanoid !== undefined;
  const nearest = nearestBones(
    figure,
    segments.map(({ bone }) => bone),
  );
  const references = humanJoints(createHumanFigure());
  const changed = (bone: BoneData, index: number): BoneData => {
    const { type } = bone.joint ?? { type: 'fixed' };
    const segment = segments.find((other) => other.bone === index);
    if (anatomical && type === 'ball') {
      if (!segment || segment.human === 'hips') return withFixedJoint(bone);
      const found = anatomicalJoint(references.get(segment.human), segment);
      if (found)
        return { ...bone, joint: found.joint, ...(options.limits === 'given' ? {} : { limit: found.limit }) };
    }
    if (bone.limit !== undefined || bone.mimic !== undefined || options.limits === 'given') return bone;
    const limit = segment
      ? bone.joint && fittingLimit(references.get(segment.human), bone.joint, segment)
      : type === 'ball' && (nearest[index] >= 0 || !humanoid)
        ? LOOSE_LIMIT
        : undefined;
    return limit ? { ...bone, limit } : bone;
  };
  const data = figureToData(figure);
  return createFigure({ ...data, bones: data.bones.map(changed) });
}

function withFixedJoint({ limit: _limit, ...bone }: BoneData): BoneData {
  return { ...bone, joint: { type: 'fixed' } };
}

function withBodies(figure: Figure, bodies: Bodies): Figure {
  const data = figureToData(figure);
  const bones = data.bones.map((bone, index): BoneData => {
    const { mass: _mass, centerOfMass: _center, inertia: _inertia, ...rest } = bone;
    const body = bodies[index];
    if (!body) return rest;
    return { ...rest, mass: body.mass, centerOfMass: body.center, inertia: body.inertia };
  });
  return createFigure({ ...data, bones });
}
