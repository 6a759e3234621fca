import { createFigure, createPose } from 'poise/figure';
import { createPointFabrik, createPositionsToPose, solvePointFabrik, solvePositionsToPose } from 'poise/ik';
import { expect, it } from 'vitest';
import { positionsOf } from './support.js';

/*
 * The picture of docs/fabrik.md, drawn from what the library computes; `vitest -u` writes it anew.
 */

const round = (x: number): string => (Math.round(10 * x) / 10).toString();
const path = (points: readonly (readonly [number, number])[], more: string): string =>
  `<path d="${points.map(([x, y], n) => `${n === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join(' ')}" ${more}/>`;
const text = (x: number, y: number, words: string, size = 13): string =>
  `<text x="${x}" y="${y}" font-size="${size}" text-anchor="middle" fill="#333">${words}</text>`;

/** A chain of four at the start, after the way back from its target and after the way forward from its root. */
function passes(): string {
  const lengths = [70, 60, 50, 40];
  const start = [0, ...lengths.map((_, n) => lengths.slice(0, n + 1).reduce((a, b) => a + b, 0))];
  const positions = start.flatMap((y) => [0.12 * y, y, 0]);
  const target = [70, 40, 0];
  const points = Float64Array.from(positions);
  const chain = { positions, parents: [-1, 0, 1, 2, 3] };
  const fabrik = createPointFabrik(chain, [{ point: 4, target }], { maxIterations: 1, tolerance: 1e-3 });
  solvePointFabrik(fabrik, points);
  const at = (p: ArrayLike<number>, k: number): [number, number] => [90 + p[3 * k], 250 - p[3 * k + 1]];
  const line = (p: ArrayLike<number>, more: string): string =>
    path(
      start.map((_, k) => at(p, k)),
      `fill="none" stroke-linejoin="round" ${more}`,
    );
  const [tx, ty] = at(target, 0);
  return [
    line(positions, 'stroke="#999" stroke-width="2"'),
    line(fabrik.tree.desired, 'stroke="#c60" stroke-width="2" stroke-dasharray="6 4"'),
    line(points, 'stroke="#114" stroke-width="4"'),
    `<circle cx="${tx}" cy="${ty}" r="6" fill="none" stroke="#c33" stroke-width="2"/>`,
    text(135, 285, 'start, way back (dashed), way forward'),
  ].join('\n');
}

/** Outline of a skinned arm whose hand is turned by 170 degrees, each vertex blended linearly between the two nearest bones. */
function arm(roll: 'rest' | 'spread', left: number, top: number): string {
  const names = ['upper', 'fore1', 'fore2', 'fore3', 'hand'];
  const figure = createFigure({
    bones: names.map((name, k) => ({
      name,
      parent: k === 0 ? null : names[k - 1],
      rest: { position: [k === 0 ? 0 : 1, 0, 0] as const },
      joint: { type: 'ball' as const },
    })),
  });
  const angle = (170 * Math.PI) / 180;
  const points = [
    ...names.map((bone) => ({ bone })),
    { bone: 'hand', point: [1, 0, 0] },
    { bone: 'hand', point: [1, 1, 0] },
  ];
  const wanted = positionsOf(figure, createPose(figure), points);
  wanted.set([5, Math.cos(angle), Math.sin(angle)], 18);
  const pose = createPose(figure);
  solvePositionsToPose(createPositionsToPose(figure, { points, roll }), wanted, pose);
  const twist = (k: number): number => pose[3 * Math.max(0, k)];
  const outline: [number, number][] = [];
  for (let s = 0; s <= 200; s++) {
    // Bone k fills (k, k + 1); around a joint both bones count, by how far the vertex is on either side.
    const along = s / 40;
    const k = Math.min(4, Math.max(1, Math.round(along)));
    const share = Math.min(1, Math.max(0, along - k + 0.5));
    const [x, y] = [1 - share + share * Math.cos(twist(k)), share * Math.sin(twist(k))];
    outline.push([left + 50 * along, Math.hypot(x, y)]);
  }
  const up = outline.map(([x, r]): [number, number] => [x, top - 22 * r]);
  const down = outline.map(([x, r]): [number, number] => [x, top + 22 * r]).reverse();
  return path([...up, ...down, up[0]], 'fill="#e8c9a8" stroke="#864" stroke-width="2"');
}

it('docs/figures/fabrik.svg is up to date', async () => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 300" font-family="sans-serif">
<title>FABRIK there and back, and the twist of a wrist with two roll policies</title>
<rect width="640" height="300" fill="#fff"/>
${passes()}
${arm('rest', 330, 70)}
${text(455, 120, 'roll rest: all 170 degrees at the wrist')}
${arm('spread', 330, 190)}
${text(455, 240, 'roll spread: 34 degrees at each of five joints')}
</svg>
`;
  await expect(svg).toMatchFileSnapshot('../../../../../docs/figures/fabrik.svg');
});
