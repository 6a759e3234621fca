import { describe, expect, test } from 'vitest';
import { createRagdoll, createSimulation, stepSimulation } from '../../../src/dynamics/index.js';
import {
  createFigure,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
} from '../../../src/figure/index.js';
import { rigid } from '../../../src/math/index.js';
import { plainHuman } from './support.js';

/** Points of a sphere, three numbers each. */
function sphere(radius: number, count = 200): number[] {
  return Array.from({ length: count }, (_, k) => {
    const z = 1 - (2 * k + 1) / count;
    const r = Math.sqrt(1 - z * z);
    const angle = 2.399963 * k;
    return [radius * r * Math.cos(angle), radius * z, radius * r * Math.sin(angle)];
  }).flat();
}

/** How far below the ground the lowest of a bone's vertices comes, m, in a fall of four seconds. */
function depthOf(figure: Figure, bone: string, vertices: Record<string, number[]>, pose: number[]): number {
  const ragdoll = createRagdoll(figure, { vertices });
  const simulation = createSimulation([{ ...ragdoll, pose }], { world: [{ type: 'plane' }] });
  const state = createState(ragdoll.figure);
  const index = figure.bones.findIndex(({ name }) => name === bone);
  let lowest = 0;
  for (let k = 0; k < 240; k++) {
    stepSimulation(simulation, 1 / 60);
    forwardKinematics(state, simulation.actors[0].pose);
    const frame = state.worldFromBone.subarray(12 * index, 12 * index + 12);
    for (let v = 0; v < vertices[bone].length; v += 3) {
      lowest = Math.min(lowest, rigid.transformPoint(frame, vertices[bone].slice(v, v + 3))[1]);
    }
  }
  return -lowest;
}

describe('shapes of what no segment covers', () => {
  test.each([0.2, 0.35, 0.5])(
    'a drawn head of radius %f m on a bone above the head does not sink',
    (radius) => {
      const data = figureToData(plainHuman());
      const skull = { name: 'Skull', parent: 'head', rest: { position: [0, radius + 0.1, 0] } } as const;
      const figure = createFigure({ ...data, bones: [...data.bones, { ...skull, joint: { type: 'ball' } }] });
      const upsideDown = [0, 2.5, 0, Math.PI, 0, 0, ...new Array(figure.dof - 6).fill(0)];
      expect(depthOf(figure, 'Skull', { Skull: sphere(radius) }, upsideDown)).toBeLessThan(0.02);
    },
  );

  test('a mesh whose moving bones have few vertices each, below a fixed node, lands on the ground', () => {
    const figure = createFigure({
      bones: [
        { name: 'node', parent: null, joint: { type: 'fixed' } },
        { name: 'root', parent: 'node', rest: { position: [0, 1, 0] }, joint: { type: 'free' } },
        { name: 'top', parent: 'root', joint: { type: 'ball' } },
      ],
    });
    const strip = [0.5, -1, 0, 0.5, -0.5, 0, -0.5, -1, 0, -0.5, -0.5, 0, 0.5, 0, 0];
    const vertices = { root: strip, top: strip.map((x, k) => (k % 3 === 1 ? x + 1 : x)) };
    const ragdoll = createRagdoll(figure, { vertices });
    expect(ragdoll.shapes.map(({ bone }) => bone)).toEqual(['root']);
    const simulation = createSimulation([ragdoll], { world: [{ type: 'plane' }] });
    for (let k = 0; k < 300; k++) stepSimulation(simulation, 1 / 60);
    expect(simulation.report.asleep).toBe(1);
    expect(simulation.actors[0].pose[1]).toBeGreaterThan(-1.2);
  });

  test('a figure of short bones without a mesh below a fixed node has spheres that move', () => {
    const figure = createFigure({
      bones: [
        { name: 'node', parent: null, tip: [0, 1, 0], joint: { type: 'fixed' } },
        { name: 'root', parent: 'node', rest: { position: [0, 1, 0] }, joint: { type: 'free' } },
      ],
    });
    expect(createRagdoll(figure).shapes).toMatchObject([{ bone: 'root', type: 'sphere' }]);
  });
});
