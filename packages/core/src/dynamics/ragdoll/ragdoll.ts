import { DomainError } from '../../errors.js';
import type { BoneData } from '../../figure/data/types.js';
import { createFigure, type Figure, figureToData } from '../../figure/model/figure.js';
import { findHumanoid, type Humanoid } from '../../humanoid/find-humanoid.js';
import { BODY_MASS_INDEX } from '../../humanoid/human-data.js';
import type { HumanBoneMap } from '../../humanoid/recognition/human-bones.js';
import type { Numbers, Vec3 } from '../../math/linear/types.js';
import type { BoneShape } from '../collide/shapes/shapes.js';
import { statureOf } from './body/height.js';
import { weigh } from './body/mass-properties.js';
import { type Bodies, givenBodies, scaleTo, shareOut, thickenAll, totalOf } from './body/masses.js';
import { ownersOf } from './body/nearest-bones.js';
import { type Rest, restOf } from './body/rest-pose.js';
import { type Segment, segmentsOf } from './body/segments.js';
import { readClouds } from './body/vertex-sets.js';
import { jointDamping } from './damping.js';
import { anatomicalJoint, fittingLimit, humanJoints, LOOSE_LIMIT } from './joint-limits.js';
import { humanoidShapes } from './shapes/bone-shapes.js';
import { overlapsAtRest } from './shapes/excluded-pairs.js';
import { figureShapes, sizeOf, solidOf } from './shapes/figure-shapes.js';

/** What {@link createRagdoll} may be told. */
export interface RagdollOptions {
  /** Human bones by VRM name, as names or indices of the figure. Default: found by `findHumanoid`; false takes it for no humanoid. */
  readonly humanoid?: Readonly<HumanBoneMap<string | number>> | false;
  /** Which way is up at rest, world axes. Default +Y. */
  readonly up?: Vec3;
  /**
   * kg. Default: that of the figure where it has one; else 24.1 kg/m^2 times the square of the height for a humanoid, 1000 kg/m^3 times the
   * volume of the shapes for another figure.
   */
  readonly mass?: number;
  /** `given` keeps the masses of a figure that has some, `tables` makes all anew. Default `given`. */
  readonly masses?: 'given' | 'tables';
  /** Points of the mesh by bone name, three numbers each, m, in the bone's frame at rest: what shapes are fitted to. Default: none. */
  readonly vertices?: Readonly<Record<string, Numbers>>;
  /**
   * `given` keeps all joints, so that poses of the figure are poses of the ragdoll. `anatomical` puts the joints of the built-in human in place
   * of a humanoid's balls, elbows and knees hinges, and fixes bones that no table names to what carries them: fewer coordinates, and limits
   * that a body has. Default `given`.
   */
  readonly joints?: 'given' | 'anatomical';
  /** Limits of joints that have none: `anatomical` gives them some, `given` leaves them without. Default `anatomical`. */
  readonly limits?: 'anatomical' | 'given';
  /** Time in which passive damping brings a joint to rest, s. Default 0.5. */
  readonly settling?: number;
}

/** What a physics simulation needs of a character. */
export interface Ragdoll {
  /** Bones of the same names, order and rest as the given figure's, with masses and limits; with `joints: 'given'` the same coordinates too. */
  readonly figure: Figure;
  /** Capsules, spheres and boxes in the frames of their bones. */
  readonly shapes: readonly BoneShape[];
  /** Pairs of bones, neighbours left out, whose shapes touch at rest or nearly so: they do not meet. */
  readonly exclude: readonly (readonly [string, string])[];
  /** Passive damping of each coordinate, N m s or N s/m; none where a free joint moves. */
  readonly damping: Float64Array;
  /** Which bones are those of a human; undefined for another figure. */
  readonly humanoid: Humanoid | undefined;
  /** Of the whole figure, kg. */
  readonly mass: number;
  /** Stature of a humanoid, else the greatest extent at rest, m. */
  readonly height: number;
}

/** Shapes nearer than this at rest do not meet, in heights: 5 mm for a man. */
const NEARLY = 0.003;

/**
 * Makes a ragdoll of a figure in one call: masses, centres and inertias (de Leva 1996, scaled to the figure's own bone lengths), shapes around
 * its mesh or its bones, limits where joints have none, the pairs of shapes that overlap at rest, and passive damping. docs/ragdoll.md has the
 * formulas. A figure that is no humanoid is taken bone by bone: capsules of the density of water.
 *
 * @throws FigureError `unknown-name`, `wrong-size`, `not-finite` for bones or vertices of the options that are none; `wrong-size` for a
 *   `humanoid` that lacks essential bones; `out-of-range` for a figure whose bones have no length.
 * @throws DomainError `out-of-range` for a mass or time that is not a positive number, `unsupported` for an unknown option.
 */
export function createRagdoll(figure: Figure, options: RagdollOptions = {}): Ragdoll {
  requireChoice(options.masses, ['given', 'tables'], 'options.masses');
  requireChoice(options.joints, ['given', 'anatomical'], 'options.joints');
  requireChoice(options.limits, ['given', 'anatomical'], 'options.limits');
  const wanted = options.mass === undefined ? undefined : positive(options.mass, 'options.mass', 'kg');
  const settling = positive(options.settling ?? 0.5, 'options.settling', 's');
  const clouds = readClouds(figure, options.vertices);
  const humanoid = humanoidOf(figure, options);
  const rest = restOf(figure);
  const height = humanoid ? statureOf(rest, humanoid, clouds) : sizeOf(rest, clouds);

  const given = givenBodies(figure);
  const tabled = options.masses === 'tables' || totalOf(given) === 0;
  // The tables give radii where there is no mesh, whatever the masses are.
  const usual = wanted ?? (tabled ? BODY_MASS_INDEX * height * height : totalOf(given));
  const segments = humanoid ? segmentsOf(rest, humanoid, clouds, height, usual) : [];
  const shapes = humanoid
    ? humanoidShapes(rest, humanoid, segments, clouds, height)
    : figureShapes(rest, clouds, height);

  const moved = withJoints(figure, segments, humanoid, options);
  const before: Bodies = tabled ? bodiesOf(figure, segments, shapes, usual) : given;
  const jointed: Rest = { figure: moved, worldFromBone: rest.worldFromBone };
  const shared = shareOut(jointed, before, tabled, height);
  const mass = wanted ?? (tabled && humanoid ? usual : totalOf(before));
  const thick = thickenAll(scaleTo(shared, mass), height, (bone) => tabled || !figure.bones[bone].inertia);
  const made = withBodies(moved, thick);
  const still = { figure: made, worldFromBone: rest.worldFromBone };
  const dangles = (bone: number): boolean =>
    besideBody(figure, segments, bone) && !shapes.some((shape) => shape.bone === figure.bones[bone].name);
  return {
    figure: made,
    shapes,
    exclude: overlapsAtRest(still, shapes, NEARLY * height),
    damping: jointDamping(still, thick, height, (bone) => (dangles(bone) ? settling / 10 : settling)),
    humanoid,
    mass,
    height,
  };
}

function humanoidOf(figure: Figure, { humanoid, up }: RagdollOptions): Humanoid | undefined {
  if (humanoid === false) return undefined;
  return findHumanoid(figure, { ...(humanoid && { bones: humanoid }), ...(up && { up }) });
}

/** Share of a humanoid's mass that a shape takes at most whose bone no table names: a foot that hangs from a control has that of a foot. */
const UNNAMED = 0.014;

/** Whether a bone of a humanoid hangs beside the body, as controls do: it carries none of the body and none of the body carries it. */
function besideBody({ parents }: Figure, segments: readonly Segment[], bone: number): boolean {
  const isAbove = (above: number, below: number): boolean => {
    let up = below;
    while (up > above) up = parents[up];
    return up === above;
  };
  return (
    segments.length > 0 && !segments.some((each) => isAbove(each.bone, bone) || isAbove(bone, each.bone))
  );
}

/** Bodies by the tables, or of the shapes where no table serves; `usual` is the mass of a humanoid. */
function bodiesOf(
  figure: Figure,
  segments: readonly Segment[],
  shapes: readonly BoneShape[],
  usual: number,
): Bodies {
  const bodies: Bodies = figure.bones.map(({ index, name }) => {
    const segment = segments.find(({ bone }) => bone === index);
    if (segment) return segment.body.mass > 0 ? segment.body : undefined;
    const shape = shapes.find(({ bone }) => bone === name);
    const solid = shape && solidOf(shape);
    return solid && segments.length > 0 ? weigh(solid, Math.min(solid.mass, UNNAMED * usual)) : solid;
  });
  return bodies;
}

/** The figure with the joints and limits that the options ask for. */
function withJoints(
  figure: Figure,
  segments: readonly Segment[],
  humanoid: Humanoid | undefined,
  options: RagdollOptions,
): Figure {
  const anatomical = options.joints === 'anatomical' && humanoid !== undefined;
  if (!anatomical && options.limits === 'given') return figure;
  const owner = ownersOf(
    figure,
    segments.map(({ bone }) => bone),
  );
  const references = humanJoints();
  const changed = (bone: BoneData, index: number): BoneData => {
    const { type } = bone.joint ?? { type: 'fixed' };
    const segment = segments.find((other) => other.bone === index);
    if (anatomical && type === 'ball') {
      if (!segment || segment.human === 'hips') return fixed(bone);
      const found = anatomicalJoint(references.get(segment.human), segment);
      if (found)
        return { ...bone, joint: found.joint, ...(options.limits === 'given' ? {} : { limit: found.limit }) };
    }
    if (bone.limit !== undefined || bone.mimic !== undefined || options.limits === 'given') return bone;
    const limit = segment
      ? bone.joint && fittingLimit(references.get(segment.human), bone.joint, segment)
      : type === 'ball' && (owner[index] >= 0 || !humanoid)
        ? LOOSE_LIMIT
        : undefined;
    return limit ? { ...bone, limit } : bone;
  };
  const data = figureToData(figure);
  return createFigure({ ...data, bones: data.bones.map(changed) });
}

function fixed({ limit: _limit, ...bone }: BoneData): BoneData {
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

function positive(value: number, path: string, unit: string): number {
  if (typeof value === 'number' && value > 0 && Number.isFinite(value)) return value;
  throw new DomainError('out-of-range', `is ${String(value)}.`, {
    path,
    remedy: `Give a positive number, ${unit}.`,
  });
}

function requireChoice(value: unknown, choices: readonly string[], path: string): void {
  if (value === undefined || choices.includes(value as string)) return;
  throw new DomainError('unsupported', `is ${String(value)}.`, {
    path,
    remedy: `Use ${choices.map((choice) => `'${choice}'`).join(' or ')}.`,
  });
}
