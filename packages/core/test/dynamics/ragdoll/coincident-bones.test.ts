import { describe, expect, test } from 'vitest';
import { createSimulation, stepSimulation } from '../../../src/dynamics/index.js';
import { createRagdoll, type Ragdoll } from '../../../src/dynamics/ragdoll/ragdoll.js';
import { PoiseError } from '../../../src/errors.js';
import { createFigure, type Figure, figureToData } from '../../../src/figure/index.js';
import { testRandom } from '../../support/random-figure.js';
import { marksOf, plainHuman } from './support.js';

/** The human's skeleton as recorded clips have it: bones of these names start where their parents do. */
function withCoincident(isCoincident: (name: string) => boolean): Figure {
  const data = figureToData(plainHuman());
  return createFigure({
    ...data,
    bones: data.bones.map((bone) =>
      isCoincident(bone.name) ? { ...bone, rest: { ...bone.rest, position: [0, 0, 0] } } : bone,
    ),
  });
}

/** A second of falling onto a floor a metre below the human's soles, 1.96 m below its pelvis. */
function expectToFall({ figure, shapes, damping, exclude }: Ragdoll): void {
  const simulation = createSimulation([{ figure, shapes, damping }], {
    world: [{ type: 'plane', offset: -1 }],
    collide: { exclude },
  });
  for (let k = 0; k < 120; k++) stepSimulation(simulation, 1 / 120);
  const [{ pose }] = simulation.actors;
  expect(pose.every(Number.isFinite)).toBe(true);
  expect(pose[1]).toBeGreaterThan(-2);
  expect(pose[1]).toBeLessThan(0);
}

const human = createRagdoll(plainHuman());
const shapeSize = (ragdoll: Ragdoll, bone: string): number => {
  const shape = ragdoll.shapes.find((each) => each.bone === bone);
  if (!shape) return 0;
  const { points, radius } = marksOf(ragdoll.figure, shape);
  const spans = [0, 1, 2].map(
    (k) => Math.max(...points.map((p) => p[k])) - Math.min(...points.map((p) => p[k])),
  );
  return Math.max(...spans) + 2 * radius;
};

describe('a ragdoll of bones that start at the same point', () => {
  const names = plainHuman().bones.flatMap(({ name, parent }) => (parent < 0 ? [] : [name]));

  test.each(names)(
    '%s at its parent: made, no shape larger than twice the largest of the human, falls',
    (name) => {
      for (const joints of ['given', 'anatomical'] as const) {
        const ragdoll = createRagdoll(
          withCoincident((bone) => bone === name),
          { joints },
        );
        const largest =
          Math.max(...human.shapes.map(({ bone }) => shapeSize(human, String(bone)))) / human.height;
        for (const { bone } of ragdoll.shapes) {
          expect(shapeSize(ragdoll, String(bone)) / ragdoll.height).toBeLessThan(2 * largest);
        }
        expectToFall(ragdoll);
      }
    },
  );

  test('spine at the hips, neck and shoulders at the chest, as in recorded clips: the pelvis keeps the girth of the human', () => {
    const ragdoll = createRagdoll(withCoincident((bone) => /^spine$|^neck$|Shoulder$/.test(bone)));
    expect(ragdoll.shapes.map(({ bone }) => bone)).toContain('hips');
    const girth = (made: Ragdoll): number => {
      const shape = made.shapes.find(({ bone }) => bone === 'hips');
      return shape?.type === 'capsule' ? shape.radius / made.height : Number.NaN;
    };
    expect(Math.abs(girth(ragdoll) / girth(human) - 1)).toBeLessThan(0.15);
  });

  test('any set of them is made, or refused with the names of figure and bones', () => {
    const random = testRandom(5);
    let made = 0;
    for (let k = 0; k < 60; k++) {
      const share = random();
      const chosen = new Set(names.filter(() => random() < share));
      const figure = withCoincident((bone) => chosen.has(bone));
      try {
        const ragdoll = createRagdoll(figure, {
          humanoid: Object.fromEntries(figure.bones.map(({ name }) => [name, name])),
          joints: k % 2 ? 'anatomical' : 'given',
        });
        made++;
        if (k % 6 < 2) expectToFall(ragdoll);
      } catch (error) {
        if (!(error instanceof PoiseError)) throw error;
        expect(error.message).toMatch(
          /^figure plain: ('\w+' is not above '\w+' at rest|has bones without length)/,
        );
      }
    }
    expect(made).toBeGreaterThan(35);
  });
});
