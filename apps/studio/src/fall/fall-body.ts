import { DomainError } from 'poise';
import { createRagdoll, type Ragdoll } from 'poise/dynamics';
import {
  type BoneData,
  createFigure,
  createState,
  type Figure,
  figureToData,
  findRootJoints,
  forwardKinematics,
} from 'poise/figure';
import type { HumanBone } from 'poise/humanoid';
import { type Numbers, quat, rigid } from 'poise/math';
import { type Character, shownHeight } from '../character/character.js';
import type { MakeRagdoll } from '../character/shapes.js';

/** A character as a body that falls: its masses and shapes, at the size that is drawn. */
export interface FallBody {
  readonly character: Character;
  readonly ragdoll: Ragdoll;
  /** Metres of the simulation in a metre of the character, and in one of the scene. */
  readonly scale: number;
  readonly unit: number;
  /** Bones that a fall moves, by index; the others, such as fingers, keep their pose. */
  readonly moves: readonly boolean[];
  /** Whether it falls as a whole: it hangs on nothing. */
  readonly isFree: boolean;
}

const DETAIL = /Eye$|^jaw$|Thumb|Index|Middle|Ring|Little/;

/**
 * @throws PoiseError for what cannot be simulated, with what to do.
 */
export function createFallBody(character: Character, make: MakeRagdoll = createRagdoll): FallBody {
  const { figure, humanoid, size } = character;
  const hasMasses = figure.bones.some(({ mass = 0 }) => mass > 0);
  // A figure with masses is in metres. Others fall as what is drawn does, whatever their unit.
  const scale = hasMasses ? 1 : shownHeight(character) / size;
  const ragdoll = make(scaled(figure, scale), { humanoid: humanoid?.bones ?? false, joints: 'given' });
  const named = new Set(
    Object.entries(humanoid?.joints ?? {}).flatMap(([name, joints]) =>
      DETAIL.test(name)
        ? []
        : joints.filter(
            (bone) => bone === humanoid?.bones[name as HumanBone] || figure.bones[bone].joint.type !== 'ball',
          ),
    ),
  );
  const roots = findRootJoints(ragdoll.figure);
  const isFree = roots.some((bone) => ragdoll.figure.bones[bone].joint.type === 'free');
  requireOneBody(ragdoll.figure);
  const hips = humanoid?.bones.hips;
  const moves = ragdoll.figure.bones.map(({ index, dof, joint }) => {
    if (dof === 0) return false;
    if (humanoid === undefined || hasMasses || joint.type === 'free') return true;
    return named.has(index) && !(index === hips && isFree);
  });
  return { character, ragdoll, scale, unit: (scale * size) / shownHeight(character), moves, isFree };
}

/** @throws DomainError for bones that hang on nothing, most of them, as those of a hand that a headset tracks. */
function requireOneBody(figure: Figure): void {
  const { bones } = figure;
  const roots = findRootJoints(figure);
  const rootOf: number[] = [];
  const masses = new Map<number, number>();
  for (const { index, parent, mass = 0 } of bones) {
    rootOf[index] = roots.includes(index) ? index : parent < 0 ? -1 : rootOf[parent];
    masses.set(rootOf[index], (masses.get(rootOf[index]) ?? 0) + mass);
  }
  const all = bones.reduce((sum, { mass = 0 }) => sum + mass, 0);
  if (roots.length < 2 || roots.some((root) => (masses.get(root) ?? 0) >= all / 2)) return;
  throw new DomainError(
    'unsupported',
    `has ${roots.length} bones that hang on nothing: each would fall by itself.`,
    {
      path: figure.name,
      remedy: 'Open a file whose bones hang on each other.',
    },
  );
}

/** A figure whose lengths are multiplied by a factor. */
function scaled(figure: Figure, factor: number): Figure {
  if (factor === 1) return figure;
  const data = figureToData(figure);
  const by = ([x, y, z]: readonly [number, number, number]) => [factor * x, factor * y, factor * z] as const;
  return createFigure({
    ...data,
    bones: data.bones.map(({ rest, tip, ...bone }) => ({
      ...bone,
      ...(rest && { rest: { ...rest, ...(rest.position && { position: by(rest.position) }) } }),
      ...(tip && { tip: by(tip) }),
    })),
  });
}

/** The bones below one, and itself. */
export function bonesBelow({ parents }: Figure, top: number): readonly boolean[] {
  const below = Array.from(parents, () => false);
  for (let b = 0; b < parents.length; b++) below[b] = b === top || (parents[b] >= 0 && below[parents[b]]);
  return below;
}

/** The figure to simulate: bones that do not move are fixed as they are in a pose; and how poses of both correspond. */
export interface FallFigure {
  readonly figure: Figure;
  readonly damping: Float64Array;
  /** Pairs of coordinates of the character and of the figure, and the length of the second in units of the first. */
  readonly pairs: readonly { readonly of: number; readonly to: number; readonly factor: number }[];
}

/** @param moves - By bone. */
export function figureInPose(body: FallBody, pose: Numbers, moves: readonly boolean[]): FallFigure {
  const { character, ragdoll, scale } = body;
  const state = createState(character.figure);
  forwardKinematics(state, pose);
  const data = figureToData(ragdoll.figure);
  const bones = data.bones.map((bone, b): BoneData => {
    if (moves[b]) return bone;
    const { limit: _limit, mimic: _mimic, speedLimit: _speed, torqueLimit: _torque, ...rest } = bone;
    const frame = state.parentFromBone.subarray(12 * b, 12 * b + 12);
    const [x, y, z] = rigid.toPosition(frame);
    const [i, j, k, w] = quat.normalize(quat.fromMatrix(frame));
    return {
      ...rest,
      joint: { type: 'fixed' },
      rest: { position: [scale * x, scale * y, scale * z], rotation: [i, j, k, w] },
    };
  });
  const figure = createFigure({ ...data, bones });
  const damping = new Float64Array(figure.dof);
  const pairs = figure.bones.flatMap(({ index, coordinate, dof, joint }) => {
    const from = character.figure.bones[index].coordinate;
    const lengths = joint.type === 'free' ? 3 : joint.type === 'slider' ? 1 : 0;
    const own = ragdoll.figure.bones[index].coordinate;
    damping.set(ragdoll.damping.subarray(own, own + dof), coordinate);
    return Array.from({ length: dof }, (_, k) => ({
      of: from + k,
      to: coordinate + k,
      factor: k < lengths ? scale : 1,
    }));
  });
  return { figure, damping, pairs };
}
