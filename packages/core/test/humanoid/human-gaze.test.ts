import { describe, expect, test } from 'vitest';
import {
  createFigure,
  createPose,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
} from '../../src/figure/index.js';
import { createHumanFigure, findHumanoid, humanGaze } from '../../src/humanoid/index.js';
import { createIk, solveIk } from '../../src/ik/index.js';
import { mat3, rigid, vec3 } from '../../src/math/index.js';
import { matrixFromRotationVector } from '../../src/rotation/index.js';
import { createRandom } from '../figure/support.js';

const human = createHumanFigure();
const FORWARD = [0, 0, 1];

/** The human with every bone in axes of its own, as rigs have them, and eyes where asked. */
function rigWithAxes(random: () => number, eyes: boolean): Figure {
  const names = human.bones.map(({ name }) => name);
  const axes = names.map(() =>
    matrixFromRotationVector([4 * random() - 2, 4 * random() - 2, 4 * random() - 2]),
  );
  const bones = figureToData(human).bones.map(({ name, parent = null, rest }, b) => {
    // The human's frames are parallel to the world.
    const parentAxes = parent === null ? mat3.identity() : axes[names.indexOf(parent)];
    const frame = [...mat3.multiply(mat3.transpose(parentAxes), axes[b]), 0, 0, 0];
    const position = mat3.multiplyVector(mat3.transpose(parentAxes), rest?.position ?? [0, 0, 0]) as [
      number,
      number,
      number,
    ];
    const rotation = rigid.toQuat(frame) as [number, number, number, number];
    const joint = { type: parent === null ? 'free' : 'ball' } as const;
    return { name, parent, rest: { position, rotation }, joint };
  });
  const head = axes[names.indexOf('head')];
  const eye = (name: string, x: number) => ({
    name,
    parent: 'head',
    rest: {
      position: mat3.multiplyVector(mat3.transpose(head), [x, 0.08, 0.09]) as [number, number, number],
    },
  });
  return createFigure({ bones: eyes ? [...bones, eye('leftEye', 0.03), eye('rightEye', -0.03)] : bones });
}

describe('the gaze of a character', () => {
  test.each([false, true])(
    'the head looks at the target whatever the axes of its bones are (eyes: %s)',
    (eyes) => {
      const random = createRandom(20261123);
      for (let n = 0; n < 20; n++) {
        const figure = rigWithAxes(random, eyes);
        const bones = findHumanoid(figure)?.bones ?? {};
        const named = eyes ? { ...bones, leftEye: 'leftEye', rightEye: 'rightEye' } : bones;
        const gaze = humanGaze(figure, { bones: named });
        expect(gaze.chain).toHaveLength(4);
        const target = [2 * random() - 1, 1 + random(), 1 + random()];
        const pose = createPose(figure);
        expect(solveIk(createIk(figure, [{ ...gaze, target }]), pose).status).toBe('converged');

        const head = figure.bones.findIndex(({ name }) => name === 'head');
        const frameOf = (q: Float64Array) => {
          const state = createState(figure);
          forwardKinematics(state, q);
          return state.worldFromBone.slice(12 * head, 12 * head + 12);
        };
        const [rest, posed] = [frameOf(new Float64Array(figure.dof)), frameOf(pose)];
        const ahead = rigid.transformVector(posed, rigid.inverseTransformVector(rest, FORWARD));
        const origin = rigid.transformPoint(
          posed,
          eyes
            ? rigid.inverseTransformPoint(rest, vec3.add(Array.from(rest.slice(9)), [0, 0.08, 0.09]))
            : [0, 0, 0],
        );
        const cosine = vec3.dot(ahead, vec3.normalize(vec3.subtract(target, origin)));
        expect(Math.acos(Math.min(1, cosine))).toBeLessThan(1e-4);
      }
    },
  );

  test('a figure without a head is refused with the cure', () => {
    const arm = createFigure({
      name: 'arm',
      bones: [{ name: 'base', joint: { type: 'hinge', axis: [0, 1, 0] } }],
    });
    expect(() => humanGaze(arm)).toThrow('figure arm: is not a humanoid with a head. Name its bones');
  });
});
