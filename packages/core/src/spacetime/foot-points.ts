import { readClouds } from '../dynamics/ragdoll/clouds.js';
import { footBoxes } from '../dynamics/ragdoll/foot-boxes.js';
import { restOf } from '../dynamics/ragdoll/rest.js';
import { segmentsOf } from '../dynamics/ragdoll/segments.js';
import { statureOf } from '../dynamics/ragdoll/stature.js';
import { FigureError } from '../errors.js';
import { boneIndex, type Figure } from '../figure/figure.js';
import { type FindHumanoidOptions, findHumanoid, type Humanoid } from '../figure/humanoid/humanoid.js';
import { unknownBone } from '../figure/normalize.js';
import type { Triple } from '../figure/types.js';
import type { Numbers } from '../math/types.js';
import { quat, vec3 } from '../math/index.js';

/** What {@link footPoints} may be told. */
export interface FootPointsOptions extends FindHumanoidOptions {
  /** Points of the mesh by bone name, three numbers each, m, in the bone's frame at rest: the sole is then their lowest. Default: none. */
  readonly vertices?: Readonly<Record<string, Numbers>>;
}

/**
 * Where a foot or the toes of a humanoid touch level ground at rest: the corners of the sole, left and right as the foot points, the rear two first.
 * The points of a foot are its heel and its ball (the toes' tips where it has no bone for toes); those of toes the ball and the tips. They are
 * what a contact of that bone is made of; where both stand, the ball of one of them is enough.
 *
 * The soles are those of {@link createRagdoll}'s boxes: of the mesh if there is one; else where the built-in human of the same height has them,
 * so that for the built-in human they are exact.
 *
 * @param bone - Name or index of a foot or of toes.
 * @returns Four points in the bone's frame, m.
 * @throws FigureError `unsupported` for a figure that is no humanoid, `unknown-name` for a bone that is no foot, and whatever `findHumanoid` and
 *   vertices that are none throw.
 */
export function footPoints(figure: Figure, bone: string | number, options: FootPointsOptions = {}): Triple[] {
  const index = boneIndex(figure, bone);
  const humanoid = findHumanoid(figure, options);
  if (!humanoid) {
    throw new FigureError('unsupported', 'is no humanoid.', {
      path: `figure ${figure.name}`,
      remedy: 'Name its bones in `options.bones`, or give the points of a contact yourself.',
    });
  }
  const side = (['left', 'right'] as const).find(
    (name) => humanoid.bones[`${name}Foot`] === index || humanoid.bones[`${name}Toes`] === index,
  );
  if (side === undefined) throw noFoot(figure, humanoid, index);
  const rest = restOf(figure);
  const clouds = readClouds(figure, options.vertices);
  const height = statureOf(rest, humanoid, clouds);
  // The mass is of no account here.
  const segments = segmentsOf(rest, humanoid, clouds, height, 1);
  const segmentOf = (name: string) => segments.find(({ human }) => human === name);
  const foot = segmentOf(`${side}Foot`);
  // Toes without a foot are no foot.
  if (!foot) throw noFoot(figure, humanoid, index);
  const toes = segmentOf(`${side}Toes`);
  const boxes = footBoxes(rest, humanoid, height, {
    foot,
    toes,
    footPoints: clouds[foot.bone],
    toePoints: toes ? clouds[toes.bone] : [],
  });
  for (const { segment, box } of boxes) {
    if (segment.bone === index) return soleOf(box.halfSizes, box.placement);
  }
  throw noFoot(figure, humanoid, index);
}

/** The lower corners of a box whose axes are left, up, ahead. */
function soleOf(
  [x, y, z]: Numbers & Iterable<number>,
  placement: { readonly position?: Numbers; readonly rotation?: Numbers } | undefined,
): Triple[] {
  return [];
}

function noFoot(figure: Figure, { bones }: Humanoid, index: number): FigureError {
  const feet = [bones.leftFoot, bones.rightFoot, bones.leftToes, bones.rightToes]
    .filter((bone) => bone !== undefined)
    .map((bone) => figure.bones[bone].name);
  const { name } = figure.bones[index];
  const what = `'${name}' is no foot of ${figure.name}.`;
  return unknownBone(name, [], 'bone', `Use ${feet.join(', ') || 'a figure with feet'}.`, what);
}
