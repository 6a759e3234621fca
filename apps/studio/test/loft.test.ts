import { createHumanFigure } from 'poise/humanoid';
import { type BufferGeometry, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { boneShape } from '../src/character/body-shapes.js';
import { loft, type Station } from '../src/character/loft.js';

/** Volume by the divergence theorem: positive where the triangles face outwards. */
function volume(geometry: BufferGeometry): number {
  const position = geometry.getAttribute('position');
  const index = geometry.getIndex();
  const corner = (k: number) => new Vector3().fromBufferAttribute(position, index?.getX(k) ?? 0);
  let sum = 0;
  for (let k = 0; k < (index?.count ?? 0); k += 3) {
    sum += corner(k).dot(corner(k + 1).cross(corner(k + 2))) / 6;
  }
  return sum;
}

/** Every edge belongs to two triangles, once in each direction. */
function isClosed(geometry: BufferGeometry): boolean {
  const index = geometry.getIndex();
  const edges = new Set<string>();
  for (let k = 0; k < (index?.count ?? 0); k += 3) {
    const [a, b, c] = [0, 1, 2].map((n) => index?.getX(k + n));
    for (const edge of [`${a}>${b}`, `${b}>${c}`, `${c}>${a}`]) {
      if (edges.has(edge)) return false;
      edges.add(edge);
    }
  }
  return [...edges].every((edge) => edges.has(edge.split('>').reverse().join('>')));
}

describe('loft', () => {
  it('between two circles is a capsule', () => {
    const stations: Station[] = [
      { at: [0, 0, 0], a: 0.1, b: 0.1 },
      { at: [0, 0.5, 0], a: 0.1, b: 0.1 },
    ];
    const capsule = Math.PI * 0.01 * 0.5 + (4 / 3) * Math.PI * 0.001;
    const got = volume(loft(stations, [1, 0, 0]));
    expect(got).toBeLessThan(capsule);
    expect(got).toBeGreaterThan(0.95 * capsule);
  });

  it('makes closed skins that face outwards for every part of the body, left and right alike', () => {
    for (const { name } of createHumanFigure().bones) {
      const { parts = [], dark = [] } = boneShape(name);
      for (const { stations, side, squareness, caps } of [...parts, ...dark]) {
        const geometry = loft(stations, side, squareness, caps);
        expect(isClosed(geometry), name).toBe(true);
        expect(volume(geometry), name).toBeGreaterThan(0);
      }
      if (!name.startsWith('left')) continue;
      const sizes = (shape: ReturnType<typeof boneShape>) =>
        (shape.parts ?? []).map((part) => volume(loft(part.stations, part.side, part.squareness, part.caps)));
      const right = sizes(boneShape(name.replace('left', 'right')));
      sizes(boneShape(name)).forEach((size, k) => {
        expect(right[k], name).toBeCloseTo(size, 9);
      });
    }
  });
});
