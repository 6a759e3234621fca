import { requireFields } from '../../checks.js';
import { FigureError } from '../../errors.js';
import type { Triple } from '../../figure/data/types.js';
import { restOf, triple } from '../../figure/kinematics/rest-pose.js';
import { boneIndex, type Figure } from '../../figure/model/figure.js';
import { type FindHumanoidOptions, findHumanoid } from '../../humanoid/find-humanoid.js';
import type { HumanBone } from '../../humanoid/recognition/human-bones.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Numbers } from '../../math/linear/types.js';
import type { Box } from '../collide/shapes/shapes.js';
import { findHeight } from './body/height.js';
import { segmentsOf } from './body/segments.js';
import { parseVertexSets } from './body/vertex-sets.js';
import { footBoxes } from './shapes/foot-boxes.js';

/** Options of {@link findFootPoints}. */
export interface FootPointsOptions extends FindHumanoidOptions {
  /** Vertices of the mesh by bone name, three numbers each, m, in the bone's frame at rest; the sole is then at the lowest. Default: none. */
  readonly vertices?: Readonly<Record<string, Numbers>>;
}

/**
 * The four corners of the sole of a foot or of toes on level ground at rest: heel left, heel right, ball left, ball right, with left as seen in
 * the direction of the foot. For a foot without a toe bone the front corners are at the tips of the toes; for toes the corners are at ball and
 * tips. Where foot and toes both have contacts, the ball of one of them is enough.
 *
 * The sole is that of the box of `createRagdoll`: at the lowest vertex of the mesh, or as in the built-in human of the same height. It is exact
 * for the built-in human except at the tips of the toes: the box ignores their slant and is 3 mm longer.
 *
 * @param bone - Name or index of a foot or of toes.
 * @returns Points in the bone's frame, m.
 * @throws FigureError `unsupported` for a figure that is not a humanoid, `unknown-name` for a bone that is neither a foot nor toes of it;
 *   also the errors of `findHumanoid`, and of `createRagdoll` for vertices.
 */
export function findFootPoints(
  figure: Figure,
  bone: string | number,
  options: FootPointsOptions = {},
): Triple[] {
  requireFields(options, { bones: true, up: true, vertices: true }, 'options', FigureError);
  const index = boneIndex(figure, bone);
  return soleOf(figure, solesOf(figure, options), index);
}

/** The soles of a humanoid by bone: what {@link findFootPoints} gives, for all feet and toes at once. */
export function solesOf(figure: Figure, options: FootPointsOptions): ReadonlyMap<number, Triple[]> {
  const { vertices, ...humanoidOptions } = options;
  const humanoid = findHumanoid(figure, humanoidOptions);
  if (!humanoid) {
    throw new FigureError('unsupported', 'is not a humanoid.', {
      path: `figure ${figure.name}`,
      remedy: 'Give the points of the contact yourself. Or name the bones of the humanoid: the option bones.',
    });
  }
  const rest = restOf(figure);
  const vertexSets = parseVertexSets(figure, vertices);
  const height = findHeight(rest, humanoid, vertexSets);
  // The mass does not matter here.
  const segments = segmentsOf(rest, humanoid, vertexSets, height, 1);
  const soles = new Map<number, Triple[]>();
  for (const side of ['left', 'right']) {
    const segmentOf = (human: string) => segments.find((segment) => segment.human === (human as HumanBone));
    const [foot, toes] = [segmentOf(`${side}Foot`), segmentOf(`${side}Toes`)];
    if (!foot) continue;
    const points = { footPoints: vertexSets[foot.bone], toePoints: toes ? vertexSets[toes.bone] : [] };
    for (const { segment, box } of footBoxes(rest, humanoid, height, { foot, toes, ...points }))
      soles.set(segment.bone, soleCorners(box));
  }
  return soles;
}

/** The sole of a bone among those of {@link solesOf}. @throws FigureError `unknown-name` for a bone that is neither a foot nor toes. */
export function soleOf(figure: Figure, soles: ReadonlyMap<number, Triple[]>, bone: number): Triple[] {
  const sole = soles.get(bone);
  if (sole !== undefined) return sole;
  const standing = [...soles.keys()].map((each) => figure.bones[each].name);
  throw new FigureError(
    'unknown-name',
    `'${figure.bones[bone].name}' is not a foot or toes of ${figure.name}.`,
    {
      path: 'bone',
      remedy:
        standing.length > 0 ? `Use ${standing.join(', ')}.` : 'Give the points of the contact yourself.',
    },
  );
}

/** The lower corners of a box with axes left, up, forward. */
function soleCorners({ halfSizes: [x, y, z], placement }: Box): Triple[] {
  const { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = placement ?? {};
  const corner = (left: number, ahead: number): Triple =>
    triple(vec3.add(position, quat.rotate(rotation, [left * x, -y, ahead * z])));
  return [corner(1, -1), corner(-1, -1), corner(1, 1), corner(-1, 1)];
}
