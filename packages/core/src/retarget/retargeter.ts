/** Retargeting from one humanoid to another: what is found once for both. */
import { type FieldsOf, requireFields, requireFinite, requirePositive } from '../checks.js';
import { FigureError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import { findHumanoid } from '../humanoid/find-humanoid.js';
import type { HumanBoneMap } from '../humanoid/recognition/human-bones.js';
import type { Numbers } from '../math/linear/types.js';
import { bodyOf } from './body/body.js';
import type { AnyHumanBone } from './body/rest-axes.js';
import { serialLegs, serialTargetOf, serialVertices } from './body/serial-target.js';
import { movableTarget } from './body/target-figure.js';
import { createCarrier } from './carry/carry.js';
import { carryPlanOf } from './carry/plan.js';
import type { Alignment } from './clip/clip.js';
import { armsOf } from './pose/arm-solver.js';
import { legsOf } from './pose/leg.js';

/** Options of {@link createRetargeter}. */
export interface RetargeterOptions {
  /** Human bones of the source by VRM name, where they are not recognised or wrong; null for one that it has none of. As of `findHumanoid`. */
  readonly sourceBones?: Readonly<HumanBoneMap<string | number | null>>;
  /** Those of the target. */
  readonly targetBones?: Readonly<HumanBoneMap<string | number | null>>;
  /** Vertices of the target's mesh by bone name, three numbers each, m, in the bone's frame at rest: its soles are at the lowest. */
  readonly targetVertices?: Readonly<Record<string, Numbers>>;
  /** Factor on the path of the hips. Default: length of the target's legs over that of the source's. */
  readonly scale?: number;
  /** Height of the target's ground along its up axis, m. Default 0. */
  readonly ground?: number;
}

const FIELDS: FieldsOf<RetargeterOptions> = {
  sourceBones: true,
  targetBones: true,
  targetVertices: true,
  scale: true,
  ground: true,
};

/** A bone of the target and the bone of the source that moves it. */
export interface RetargetedBone {
  readonly human: AnyHumanBone;
  readonly source: number;
  readonly target: number;
}

/** What {@link createRetargeter} finds: bodies, their alignment, scale. Immutable; the figures given are not changed. */
export interface Retargeter {
  readonly source: Figure;
  /**
   * The figure of the results: the target given or, where its hips or its feet could not move freely, the same with a free joint there.
   */
  readonly target: Figure;
  /** Bones of the target that are moved, in its order. All others stay at rest relative to their parents. */
  readonly bones: readonly RetargetedBone[];
  /** Factor on lengths. */
  readonly scale: number;
  /** Height of the ground along up, m. */
  readonly ground: number;
  /** @internal */
  readonly alignment: Alignment;
}

/**
 * Aligns the bodies of two humanoids, whatever their rest poses (T, A, other), proportions, up axes and numbers of bones: limbs by the directions of
 * their bones and the axes of knees, elbows and palms, the trunk by left, up and forward.
 *
 * @throws FigureError `unsupported` for a figure that is not recognised as a humanoid, or a target whose hips cannot move; those of `findHumanoid`.
 */
export function createRetargeter(
  source: Figure,
  target: Figure,
  options: RetargeterOptions = {},
): Retargeter {
  requireFields(options, FIELDS, 'options', FigureError);
  requireFigure(source, 'source');
  requireFigure(target, 'target');
  const { sourceBones, targetBones, targetVertices, ground = 0 } = options;
  requireFinite(ground, 'options.ground', FigureError);
  if (options.scale !== undefined) requirePositive(options.scale, 'options.scale', FigureError);
  const targetOptions = targetBones === undefined ? {} : { bones: targetBones };
  const movable = movableTarget(target, targetOptions);
  const from = bodyOf(source, sourceBones === undefined ? {} : { bones: sourceBones }, undefined, 'source');
  const humanoid = findHumanoid(movable, targetOptions);
  const serial = humanoid && serialTargetOf(movable, humanoid);
  const to =
    serial === undefined
      ? bodyOf(movable, targetOptions, targetVertices, 'target')
      : bodyOf(
          serial.figure,
          { bones: serial.bones },
          targetVertices && serialVertices(serial, targetVertices),
          'target',
          true,
        );
  const plan = carryPlanOf(from, to);
  const scale = options.scale ?? to.legLength / from.legLength;
  return {
    source,
    target: movable,
    bones: plan.segments.map(({ human, bone, source: s }) => ({
      human,
      source: plan.sources[s].bone,
      target: serial === undefined ? bone : serial.parts[bone].robotBone,
    })),
    scale,
    ground,
    alignment: {
      source: from,
      target: to,
      plan,
      carrier: createCarrier(plan),
      legs: legsOf(to, plan),
      arms: armsOf(to, plan).filter(({ name }) => from.hands.some((hand) => hand.name === name)),
      scale,
      result:
        serial === undefined
          ? to
          : { figure: movable, humanoid: serial.humanoid, legs: serialLegs(serial, to.legs) },
      serial,
    },
  };
}

function requireFigure(figure: unknown, path: string): void {
  if (Array.isArray((figure as Partial<Figure> | undefined)?.bones)) return;
  throw new FigureError('unsupported', 'is not a figure.', {
    path,
    remedy: 'Make it with createFigure, or a reader of files.',
  });
}
