import { FigureError } from '../../errors.js';
import type { Triple } from '../../figure/data/types.js';
import { boneIndex, type Figure } from '../../figure/model/figure.js';
import { type FindHumanoidOptions, findHumanoid } from '../../humanoid/find-humanoid.js';
import type { HumanBone } from '../../humanoid/recognition/human-bones.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Numbers } from '../../math/linear/types.js';
import type { Box } from '../collide/shapes/shapes.js';
import { statureOf } from './body/height.js';
import { restOf, triple } from './body/rest-pose.js';
import { segmentsOf } from './body/segments.js';
import { readClouds } from './body/vertex-sets.js';
import { footBoxes } from './shapes/foot-boxes.js';

/** What {@link findFootPoints} may be told. */
export interface FootPointsOptions extends FindHumanoidOptions {
  /** Points of the mesh by bone name, three numbers each, m, in the bone's frame at rest: the sole is then their lowest. Default: none. */
  readonly vertices?: Readonly<Record<string, Numbers>>;
}

/**
 * The four points by which a foot, or its toes, stand on level ground at rest: the corners of the sole, the rear two first, of each two the left
 * one first as the foot points. Of a foot they are heel and ball (the tips of the toes where it has no bone for them), of toes ball and tips. Where
 * foot and toes both stand, the ball of one of them is enough.
 *
 * The sole is that of the box which `createRagdoll` makes: below the mesh if there is one, else where the built-in human of the same height has
 * it. So it is exact for the built-in human, but for the tips of the toes: the box takes the slant of the toes for level and is 3 mm longer.
 *
 * @param bone - Name or index of a foot or of toes.
 * @returns Points in the bone's frame, m.
 * @throws FigureError `unsupported` for a figure that is no humanoid, `unknown-name` for a bone that is no foot of it and no toes; what
 *   `findHumanoid` throws, and `createRagdoll` of vertices.
 */
export function findFootPoints(
  figure: Figure,
  bone: string | number,
  options: FootPointsOptions = {},
): Triple[] {
  const index = boneIndex(figure, bone);
  const humanoid = findHumanoid(figure, options);
  if (!humanoid) {
    throw new FigureError('unsupported', 'is no humanoid.', {
      path: `figure ${figure.name}`,
      remedy: 'Name its bones in `options.bones`, or give the points of the contact yourself.',
    });
  }
  const rest = restOf(figure);
  const clouds = readClouds(figure, options.vertices);
  const height = statureOf(rest, humanoid, clouds);
  // The mass is of no account here.
  const segments = segmentsOf(rest, humanoid, clouds, height, 1);
  const standing: string[] = [];
  for (const side of ['left', 'right']) {
    const segmentOf = (human: string) => segments.find((segment) => segment.human === (human as HumanBone));
    const [foot, toes] = [segmentOf(`${side}Foot`), segmentOf(`${side}Toes`)];
    if (!foot) continue;
    const points = { footPoints: clouds[foot.bone], toePoints: toes ? clouds[toes.bone] : [] };
    for (const { segment, box } of footBoxes(rest, humanoid, height, { foot, toes, ...points })) {
      if (segment.bone === index) return soleOf(box);
      standing.push(figure.bones[segment.bone].name);
    }
  }
  throw new FigureError('unknown-name', `'${figure.bones[index].name}' is no foot of ${figure.name}.`, {
    path: 'bone',
    remedy: standing.length > 0 ? `Use ${standing.join(', ')}.` : 'Give the points of the contact yourself.',
  });
}

/** The lower corners of a box with axes left, up, ahead. */
function soleOf({ halfSizes: [x, y, z], placement }: Box): Triple[] {
  const { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = placement ?? {};
  const corner = (left: number, ahead: number): Triple =>
    triple(vec3.add(position, quat.rotate(rotation, [left * x, -y, ahead * z])));
  return [corner(1, -1), corner(-1, -1), corner(1, 1), corner(-1, 1)];
}
