import type { WorldShape } from 'poise/dynamics';
import { Box3, Color, type LineBasicMaterial, LineSegments, Points, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { FigureSimulation, SimulationHelper } from '../../src/index.js';
import { humanScene, run } from './support.js';

/** A human above the floor, with a helper that has one colour for everything of a kind. */
function shown(metersPerUnit: number, world?: readonly WorldShape[]) {
  const { root, scene } = humanScene(1, 1 / metersPerUnit);
  root.position.y = 0.05 / metersPerUnit;
  const simulation = new FigureSimulation({ metersPerUnit, sleep: false, ...(world && { world }) });
  const ragdoll = simulation.add(root);
  const helper = new SimulationHelper(simulation, { forceScale: 1e-5 });
  scene.add(helper);
  return { simulation, ragdoll, helper, scene };
}

const lines = (helper: SimulationHelper): LineSegments[] =>
  helper.children.filter((child) => child instanceof LineSegments);

/** World positions of the corners that are drawn. */
function corners(object: LineSegments | Points): Vector3[] {
  const { position } = object.geometry.attributes;
  const count = Math.min(position.count, object.geometry.drawRange.count);
  return Array.from({ length: count }, (_, k) =>
    new Vector3().fromBufferAttribute(position, k).applyMatrix4(object.matrixWorld),
  );
}

describe('a simulation helper', () => {
  it('draws the shapes where the bodies are, in the units of the scene', () => {
    for (const metersPerUnit of [1, 0.01]) {
      const { helper, simulation, ragdoll, scene } = shown(metersPerUnit);
      const [, , outline] = lines(helper);
      scene.updateMatrixWorld(true);
      const box = new Box3().setFromPoints(corners(outline));
      // The T-pose over its feet, a little thicker than its bones.
      expect(box.min.y * metersPerUnit).toBeGreaterThan(0.03);
      expect(box.min.y * metersPerUnit).toBeLessThan(0.07);
      expect(box.max.y * metersPerUnit).toBeGreaterThan(1.6);
      expect(box.max.x * metersPerUnit).toBeGreaterThan(0.8);
      simulation.start(ragdoll);
      run(simulation, 4);
      helper.update();
      scene.updateMatrixWorld(true);
      const lying = new Box3().setFromPoints(corners(outline));
      expect(lying.max.y * metersPerUnit).toBeLessThan(0.9);
      expect(lying.min.y * metersPerUnit).toBeGreaterThan(-0.005);
    }
  });

  it('draws contact forces whose sum is the weight', () => {
    for (const metersPerUnit of [1, 0.01]) {
      const { helper, simulation, ragdoll, scene } = shown(metersPerUnit);
      simulation.start(ragdoll);
      run(simulation, 6);
      helper.update();
      scene.updateMatrixWorld(true);
      const [, normals] = lines(helper);
      const ends = corners(normals);
      const up = new Vector3();
      for (let k = 0; k < ends.length; k += 2) up.add(ends[k + 1]).sub(ends[k]);
      const newtons = up.multiplyScalar(metersPerUnit / 1e-5);
      // Nearly at rest: within one percent.
      expect(newtons.y / (9.81 * ragdoll.ragdoll.mass)).toBeCloseTo(1, 2);
      const points = helper.children.find((child) => child instanceof Points);
      const dots = points ? corners(points) : [];
      expect(dots.length).toBe(ends.length / 2);
      expect(dots.length).toBeGreaterThan(3);
      for (const { y } of dots) expect(Math.abs(y * metersPerUnit)).toBeLessThan(0.01);
    }
  });

  it('draws every shape of the world', () => {
    const world: WorldShape[] = [
      { type: 'plane', normal: [0, 2, 0], offset: 0.5 },
      { type: 'sphere', radius: 0.3, center: [5, 1, 0] },
      { type: 'capsule', from: [0, 0, 7], to: [0, 2, 7], radius: 0.5 },
      {
        type: 'box',
        halfSizes: [1, 2, 3],
        placement: { position: [-9, 0, 0], rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2] },
      },
      {
        type: 'heightfield',
        columns: 2,
        rows: 3,
        spacing: [1, 2],
        heights: [0, 1, 2, 3, 4, 5],
        placement: { position: [0, 20, 0] },
      },
    ];
    const { helper, scene } = shown(1, world);
    scene.updateMatrixWorld(true);
    const all = corners(lines(helper)[0]);
    const near = (x: number, y: number, z: number): boolean =>
      all.some((corner) => corner.distanceTo(new Vector3(x, y, z)) < 1e-6);
    expect(near(4, 0.5, 4) || near(-4, 0.5, 4)).toBe(true);
    expect(all.filter(({ x, y, z }) => Math.abs(Math.hypot(x - 5, y - 1, z) - 0.3) < 1e-6).length).toBe(144);
    const capsule = new Box3().setFromPoints(all.filter(({ z }) => z > 6));
    expect(capsule.max.y).toBeCloseTo(2.5, 6);
    expect(capsule.min.y).toBeCloseTo(-0.5, 6);
    expect(near(-9 - 2, 1, 3)).toBe(true);
    expect(near(1, 25, 4)).toBe(true);
  });

  it('colours animated, moving and sleeping characters, follows added and removed ones, and frees its resources', () => {
    const { root, scene } = humanScene();
    const simulation = new FigureSimulation();
    const helper = new SimulationHelper(simulation, {
      color: 'red',
      sleepColor: 'blue',
      animatedColor: 'lime',
    });
    scene.add(helper);
    expect(lines(helper)).toHaveLength(2);
    const ragdoll = simulation.add(root);
    helper.update();
    const [, , outline] = lines(helper);
    const color = () => `#${(outline.material as LineBasicMaterial).color.getHexString()}`;
    expect(color()).toBe(`#${new Color('lime').getHexString()}`);
    simulation.start(ragdoll);
    run(simulation, 0.5);
    helper.update();
    expect(color()).toBe(`#${new Color('red').getHexString()}`);
    run(simulation, 8);
    helper.update();
    expect(color()).toBe(`#${new Color('blue').getHexString()}`);
    let freed = 0;
    for (const child of [...helper.children] as (LineSegments | Points)[]) {
      for (const one of [child.geometry, child.material as LineBasicMaterial]) {
        (one as LineBasicMaterial).addEventListener('dispose', () => freed++);
      }
    }
    simulation.remove(ragdoll);
    helper.update();
    expect(freed).toBe(2);
    expect(lines(helper)).toHaveLength(2);
    helper.dispose();
    expect(freed).toBe(8);
    expect(helper.parent).toBeNull();
    expect(() => new SimulationHelper(simulation, { colr: 'red' } as object)).toThrow(/color/);
  });
});
