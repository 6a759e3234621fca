import { FigureError } from '../errors.js';
import type { Triple } from '../figure/data/types.js';
import { directionIn, originOf, pointIn, restOf } from '../figure/kinematics/rest-pose.js';
import type { Figure } from '../figure/model/figure.js';
import { lerp } from '../math/geometry/vec3.js';
import { type FindHumanoidOptions, requireHumanoid } from './find-humanoid.js';

/** The fields of a `look-at` goal that depend on the character, without its target. */
export interface HumanGaze {
  readonly type: 'look-at';
  /** The head. */
  readonly bone: number;
  /** Straight ahead at rest, in the axes of the head. */
  readonly axis: Triple;
  /** Between the eyes where they are known, in the frame of the head, m. */
  readonly origin?: Triple;
  readonly up: { readonly axis: Triple };
  readonly chain: readonly { readonly bone: number; readonly share: number }[];
}

/** How the rotation is shared: the head turns twice as far as the neck, and that twice as far as the chest. */
const SHARES = { chest: 1, upperChest: 1, neck: 2, head: 4 } as const;

/**
 * The gaze of a character as a goal of inverse kinematics, whatever the axes of its bones: head, neck and chest share the rotation to what it
 * looks at.
 *
 *     createIk(figure, [{ ...humanGaze(figure), target: [1, 1.5, 2] }])
 *
 * @param options - As of `findHumanoid`: the human bones by VRM name, where they are not recognised.
 * @throws FigureError `unsupported` for a figure that is not a humanoid with a head; those of `findHumanoid`.
 */
export function humanGaze(figure: Figure, options: FindHumanoidOptions = {}): HumanGaze {
  const what = 'is not a humanoid with a head.';
  const remedy =
    "Name its bones in `options.bones`, { head: 'Head', hips: ... }, or write the look-at goal yourself.";
  const { bones, forward, up } = requireHumanoid(figure, options, what, remedy);
  const { head } = bones;
  if (head === undefined)
    throw new FigureError('unsupported', what, { path: `figure ${figure.name}`, remedy });
  const rest = restOf(figure);
  const { leftEye, rightEye } = bones;
  const chain = Object.entries(SHARES).flatMap(([name, share]) => {
    const bone = bones[name as keyof typeof SHARES];
    return bone === undefined || figure.bones[bone].dof === 0 ? [] : [{ bone, share }];
  });
  return {
    type: 'look-at',
    bone: head,
    axis: directionIn(rest, head, forward),
    up: { axis: directionIn(rest, head, up) },
    chain,
    ...(leftEye !== undefined &&
      rightEye !== undefined && {
        origin: pointIn(rest, head, lerp(originOf(rest, leftEye), originOf(rest, rightEye), 0.5)),
      }),
  };
}
