import { limitViolation } from 'poise/figure';
import { findHumanoid } from 'poise/humanoid';
import { SkinnedMesh, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { childFigure, createChild } from '../src/character/made/child.js';
import { meshOf } from '../src/character/made/rounded-solid.js';

describe('a rounded solid', () => {
  it('is meshed as a closed surface, of a sphere to a twentieth of a cell', () => {
    const sphere = { from: [0.1, 0, 0], to: [0.1, 0, 0], radii: [0.5, 0.5] as const };
    const { positions, indices } = meshOf([sphere], 0.01, 0.05);
    for (let n = 0; n < positions.length; n += 3) {
      const out = new Vector3(...positions.subarray(n, n + 3)).sub(new Vector3(0.1, 0, 0));
      expect(Math.abs(out.length() - 0.5)).toBeLessThan(2e-3);
    }
    // Each edge once in each direction: closed, and turned one way.
    const edges = new Map<string, number>();
    for (let t = 0; t < indices.length; t += 3)
      for (const [a, b] of [
        [indices[t], indices[t + 1]],
        [indices[t + 1], indices[t + 2]],
        [indices[t + 2], indices[t]],
      ]) {
        edges.set(`${a} ${b}`, (edges.get(`${a} ${b}`) ?? 0) + 1);
      }
    for (const [edge, count] of edges) {
      expect(count).toBe(1);
      expect(edges.get(edge.split(' ').reverse().join(' '))).toBe(1);
    }
    // Outward: its volume by the divergence theorem.
    let volume = 0;
    const at = (v: number) => new Vector3(...positions.subarray(3 * v, 3 * v + 3));
    for (let t = 0; t < indices.length; t += 3)
      volume +=
        at(indices[t])
          .cross(at(indices[t + 1]))
          .dot(at(indices[t + 2])) / 6;
    expect(volume / ((4 / 3) * Math.PI * 0.5 ** 3)).toBeGreaterThan(0.985);
    expect(volume / ((4 / 3) * Math.PI * 0.5 ** 3)).toBeLessThan(1);
  });
});

describe('the child', () => {
  it('is a human with masses, stands on the floor within its limits, and has a skin of whole weights', () => {
    const child = createChild();
    expect(Object.keys(findHumanoid(childFigure())?.bones ?? {})).toEqual(
      expect.arrayContaining(['hips', 'head', 'leftHand', 'rightFoot', 'leftToes']),
    );
    expect(child.size).toBeGreaterThan(1.1);
    expect(child.size).toBeLessThan(1.3);
    // Of what is lighter than a human of its height: its limbs are short.
    const mass = child.contacts?.massive?.bones.reduce((sum, bone) => sum + (bone.mass ?? 0), 0);
    expect(mass).toBeGreaterThan(15);
    expect(mass).toBeLessThan(40);
    // Centres of mass are in their bones.
    for (const { mass, centerOfMass = [0, 0, 0], tip } of child.contacts?.massive?.bones ?? [])
      if ((mass ?? 0) > 0 && tip) expect(Math.hypot(...centerOfMass)).toBeLessThan(Math.hypot(...tip));
    const pose = Float64Array.from(child.pose);
    expect(limitViolation(child.figure, pose)).toBeLessThan(1e-9);
    const model = child.createModel();
    model.update(pose);
    model.root.updateMatrixWorld(true);
    const mesh = model.root.children.find((each) => each instanceof SkinnedMesh) as SkinnedMesh;
    const { skinWeight, position } = mesh.geometry.attributes;
    let lowest = Number.POSITIVE_INFINITY;
    const point = new Vector3();
    for (let v = 0; v < position.count; v++) {
      const sum = [0, 1, 2, 3].reduce((total, n) => total + skinWeight.getComponent(v, n), 0);
      expect(sum).toBeCloseTo(1, 6);
      lowest = Math.min(lowest, mesh.applyBoneTransform(v, point.fromBufferAttribute(position, v)).y);
    }
    expect(Math.abs(lowest)).toBeLessThan(0.008);
    model.dispose();
  });
});
