import type { HalfSpaceGoal } from 'poise';
import type { BoneShape } from 'poise/dynamics';
import { boneIndex, type FigureState } from 'poise/figure';
import type { HumanBone } from 'poise/humanoid';
import { quat, rigid, type Vec3, vec3 } from 'poise/math';
import type { Character } from '../character/character.js';

/** What does not go through the body, and what it does not go through. */
const MOVERS = ['LowerArm', 'Hand'] as const;
const TRUNK = ['hips', 'spine', 'chest', 'upperChest', 'neck', 'head'] as const;
/** Spheres along a capsule: from the elbow on, whose upper half is beside the trunk anyway. */
const SAMPLES = { LowerArm: [0.4, 0.7, 1], Hand: [0.45, 1] } as const;
/** Planes of a sphere: of what is nearest to it, and next. */
const RANKS = 2;
/** Gap from which something is near enough to be in the way in the next frame, over stature: a fast hand moves by half of it. */
const REACH = 0.07;
/** What is deeper than this as a drag begins stays so, over stature: it may be meant. */
const MEANT = 0.004;

interface Obstacle {
  readonly bone: number;
  readonly shape: BoneShape;
  /** Arms are no obstacle to themselves. */
  readonly side: 'left' | 'right' | undefined;
}

interface Sample {
  readonly bone: number;
  readonly point: Vec3;
  readonly radius: number;
  readonly side: 'left' | 'right';
  /** Distance to keep from each obstacle, m. */
  readonly kept: Float64Array;
}

/** A half-space whose plane a bone carries. */
export type NearGoal = HalfSpaceGoal & {
  readonly point: Vec3;
  readonly target: { readonly bone: number; readonly point: Vec3; readonly normal: Vec3 };
};

/** How far a plane moves on its bone before a solver is made anew, over stature, and its normal, rad. */
const SAME = { point: 2e-4, normal: 4e-3 };

/**
 * Hands and forearms stay outside trunk, head and each other: each of some spheres along them stays in front of planes, which touch the
 * obstacles nearest to it and are carried by them. They are placed anew before each solve, so that what is pulled into the body slides round it.
 */
export class SelfDistance {
  readonly #samples: readonly Sample[];
  readonly #obstacles: readonly Obstacle[];
  readonly #size: number;

  /** @returns undefined for a body without shapes of a trunk and arms. */
  static of({ figure, humanoid, size }: Character, shapes: readonly BoneShape[]): SelfDistance | undefined {
    if (humanoid === undefined) return undefined;
    const shapeOf = (bone: number | undefined): BoneShape | undefined =>
      shapes.find((shape) => bone !== undefined && boneIndex(figure, shape.bone) === bone);
    const { bones } = humanoid;
    const obstacles: Obstacle[] = TRUNK.flatMap((name) => {
      const bone = bones[name];
      const shape = shapeOf(bone);
      return bone === undefined || shape === undefined ? [] : [{ bone, shape, side: undefined }];
    });
    const limbs = (['left', 'right'] as const).flatMap((side) =>
      MOVERS.flatMap((name) => {
        const bone = bones[`${side}${name}` as HumanBone];
        const shape = shapeOf(bone);
        return bone === undefined || shape === undefined ? [] : [{ bone, shape, side, name }];
      }),
    );
    if (obstacles.length === 0 || limbs.length === 0) return undefined;
    return new SelfDistance([...obstacles, ...limbs], limbs, size);
  }

  private constructor(
    obstacles: readonly Obstacle[],
    limbs: readonly (Obstacle & { readonly side: 'left' | 'right'; readonly name: keyof typeof SAMPLES })[],
    size: number,
  ) {
    this.#obstacles = obstacles;
    this.#size = size;
    this.#samples = limbs.flatMap(({ bone, shape, side, name }) => {
      const { from, to, radius } = coreOf(shape);
      return SAMPLES[name].map((share) => {
        const point = vec3.lerp(from, to, share);
        return { bone, point, radius, side, kept: new Float64Array(obstacles.length) };
      });
    });
  }

  /** Takes distances as they are where something is in the body already. */
  begin(state: FigureState): void {
    for (const { bone, point, radius, side, kept } of this.#samples) {
      const at = rigid.transformPoint(frameOf(state, bone), point);
      this.#obstacles.forEach((obstacle, n) => {
        if (obstacle.side === side) return;
        const wanted = radius + radiusOf(obstacle.shape);
        const { distance } = nearest(state, obstacle, at);
        kept[n] = distance < wanted - MEANT * this.#size ? distance : wanted;
      });
    }
  }

  /** The smallest gap in a pose, m; below zero inside. */
  gap(state: FigureState): number {
    return this.#samples.reduce(
      (least, sample) => Math.min(least, this.#near(state, sample)[0].gap),
      Infinity,
    );
  }

  /** Whether goals are the same to what nobody sees. */
  areSame(a: readonly NearGoal[], b: readonly NearGoal[]): boolean {
    const size = this.#size;
    return (
      a.length === b.length &&
      a.every((one, n) => {
        const other = b[n];
        return (
          one.bone === other.bone &&
          one.point === other.point &&
          one.target.bone === other.target.bone &&
          one.clearance === other.clearance &&
          vec3.distance(one.target.point, other.target.point) < SAME.point * size &&
          vec3.distance(one.target.normal, other.target.normal) < SAME.normal
        );
      })
    );
  }

  /** The goals at a pose; none where nothing is near. @param tolerance - m. */
  goals(state: FigureState, weight: number, tolerance: number): NearGoal[] {
    return this.#samples.flatMap((sample) =>
      this.#near(state, sample)
        .slice(0, RANKS)
        .filter(({ gap }) => gap < REACH * this.#size)
        .map((plane): NearGoal => {
          const carrier = frameOf(state, plane.bone);
          return {
            type: 'half-space',
            bone: sample.bone,
            point: sample.point,
            clearance: plane.kept,
            target: {
              bone: plane.bone,
              point: rigid.inverseTransformPoint(carrier, plane.on),
              normal: rigid.inverseTransformVector(carrier, plane.normal),
            },
            weight,
            tolerance,
          };
        }),
    );
  }

  /** What a sphere may touch, the nearest first. */
  #near(state: FigureState, { bone, point, side, kept }: Sample) {
    const at = rigid.transformPoint(frameOf(state, bone), point);
    const near = this.#obstacles.flatMap((obstacle, n) => {
      if (obstacle.side === side) return [];
      const found = nearest(state, obstacle, at);
      return [{ ...found, bone: obstacle.bone, kept: kept[n], gap: found.distance - kept[n] }];
    });
    return near.sort((a, b) => a.gap - b.gap);
  }
}

/** The nearest point of a shape's core, the unit direction from it to a point, and how far that is, m: below zero within a box. */
function nearest(
  state: FigureState,
  { bone, shape }: Obstacle,
  at: Vec3,
): { readonly on: Vec3; readonly normal: Vec3; readonly distance: number } {
  const frame = frameOf(state, bone);
  if (shape.type === 'box') {
    const { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = shape.placement ?? {};
    const box = rigid.compose(frame, rigid.fromQuatPosition(rotation, position));
    const local = rigid.inverseTransformPoint(box, at);
    const on = local.map((x, k) => Math.min(shape.halfSizes[k], Math.max(-shape.halfSizes[k], x)));
    const out = vec3.subtract(local, on);
    const distance = vec3.norm(out);
    if (distance > 1e-9) {
      return {
        on: rigid.transformPoint(box, on),
        normal: rigid.transformVector(box, vec3.scale(out, 1 / distance)),
        distance,
      };
    }
    // Within: by the nearest face.
    const depths = local.map((x, k) => shape.halfSizes[k] - Math.abs(x));
    const k = depths.indexOf(Math.min(...depths));
    const normal = [0, 0, 0];
    normal[k] = Math.sign(local[k]) || 1;
    on[k] = normal[k] * shape.halfSizes[k];
    return {
      on: rigid.transformPoint(box, on),
      normal: rigid.transformVector(box, normal),
      distance: -depths[k],
    };
  }
  const { from, to } = coreOf(shape);
  const [a, b] = [rigid.transformPoint(frame, from), rigid.transformPoint(frame, to)];
  const line = vec3.subtract(b, a);
  const square = vec3.dot(line, line);
  const share = square > 0 ? Math.min(1, Math.max(0, vec3.dot(vec3.subtract(at, a), line) / square)) : 0;
  const on = vec3.lerp(a, b, share);
  const out = vec3.subtract(at, on);
  const distance = vec3.norm(out);
  // On the core of a capsule every direction across it is as good, and in the middle of a sphere any.
  const normal =
    distance > 1e-9
      ? vec3.scale(out, 1 / distance)
      : vec3.normalize(vec3.perpendicular(square > 0 ? line : [0, 1, 0]));
  return { on, normal, distance };
}

/** The segment of a capsule, the centre of a sphere; of a box its middle. */
function coreOf(shape: BoneShape): { readonly from: Vec3; readonly to: Vec3; readonly radius: number } {
  switch (shape.type) {
    case 'capsule':
      return shape;
    case 'sphere': {
      const center = shape.center ?? [0, 0, 0];
      return { from: center, to: center, radius: shape.radius };
    }
    default: {
      const center = shape.placement?.position ?? [0, 0, 0];
      const half = [0, 0, 0];
      const k = shape.halfSizes.indexOf(Math.max(...shape.halfSizes));
      const radius = [...shape.halfSizes].sort((a, b) => a - b)[1];
      half[k] = Math.max(0, shape.halfSizes[k] - radius);
      const rotated = quat.rotate(shape.placement?.rotation ?? [0, 0, 0, 1], half);
      return { from: vec3.subtract(center, rotated), to: vec3.add(center, rotated), radius };
    }
  }
}

/** Of the flesh about a shape's core, m: a box has none. */
function radiusOf(shape: BoneShape): number {
  return shape.type === 'box' ? 0 : shape.radius;
}

function frameOf({ worldFromBone }: FigureState, bone: number): Float64Array {
  return worldFromBone.subarray(12 * bone, 12 * bone + 12);
}
