import { createState, type Figure, forwardKinematics, limitViolation, type Triple } from 'poise/figure';
import type { Numbers } from 'poise/math';
import type { SpacetimeTerm } from 'poise/spacetime';
import { describe, expect, it } from 'vitest';
import { posesOf } from '../src/animate/clip/clip-from-poses.js';
import { boxOf, presetProblem } from '../src/physical/presets.js';
import { solvePhysical } from '../src/physical/solve.js';
import { character, expectParabola, figure, LOCKED, placeOf, soles } from './support/presets.js';

type Segment = readonly [Triple, Triple];
/** Lower and upper corner. */
type Box = readonly [Triple, Triple];

/** Height of the box, of that on the page. */
const HEIGHT = 0.5;
/** Frames a second that are looked at: six times as many as the knots. */
const LOOKS = 100;

/** A pose in the world: points of bones, bones as segments to their children and tips, and the centre of mass. */
function placesOf({ bones }: Figure, pose: Float64Array) {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const at = (bone: number, point: Numbers) => placeOf(state, bone, point);
  const segments = bones.flatMap(({ index, parent, tip }): Segment[] => [
    ...(parent < 0 ? [] : [[at(parent, [0, 0, 0]), at(index, [0, 0, 0])] as const]),
    ...(tip === undefined ? [] : [[at(index, [0, 0, 0]), at(index, tip)] as const]),
  ]);
  let total = 0;
  const center = [0, 0, 0];
  for (const { index, mass = 0, centerOfMass = [0, 0, 0] } of bones) {
    total += mass;
    at(index, centerOfMass).forEach((x, k) => {
      center[k] += mass * x;
    });
  }
  return { at, segments, center: center.map((x) => x / total) };
}

/** How much of a segment is within a box, 0 to 1: what is left of it between each pair of faces. */
function within([from, to]: Segment, [lower, upper]: Box): number {
  let [enters, leaves] = [0, 1];
  for (let k = 0; k < 3; k++) {
    const way = to[k] - from[k];
    if (way === 0 && (from[k] < lower[k] || from[k] > upper[k])) return 0;
    if (way === 0) continue;
    const [a, b] = [(lower[k] - from[k]) / way, (upper[k] - from[k]) / way];
    enters = Math.max(enters, Math.min(a, b));
    leaves = Math.min(leaves, Math.max(a, b));
  }
  return Math.max(0, leaves - enters);
}

/** A term with a box of another height, on the floor too. */
function lower(term: SpacetimeTerm): SpacetimeTerm {
  if (term.type !== 'clearance') return term;
  const world = term.world?.map((shape) => {
    if (shape.type !== 'box' || shape.placement?.position === undefined) return shape;
    const { halfSizes, placement } = shape;
    const scaled = ([x, y, z]: Triple): Triple => [x, HEIGHT * y, z];
    return {
      ...shape,
      halfSizes: scaled(halfSizes),
      placement: { ...placement, position: scaled(placement.position as Triple) },
    };
  });
  return { ...term, ...(world && { world }) };
}

describe('the jump over a box', () => {
  const { size, position } = boxOf('over-box', character) as NonNullable<ReturnType<typeof boxOf>>;
  const cornerOf = (sign: number): Triple => [
    position[0] + (sign * size[0]) / 2,
    HEIGHT * (position[1] + (sign * size[1]) / 2),
    position[2] + (sign * size[2]) / 2,
  ];
  const box: Box = [cornerOf(-1), cornerOf(1)];

  it('looks into the box by itself', () => {
    const through = (y: number): Segment => [
      [0, y, 0],
      [0, y, 1],
    ];
    expect(box[0][1]).toBeCloseTo(0, 12);
    expect(within(through(0.1), box)).toBeCloseTo(size[2], 9);
    expect(within(through(0.2), box)).toBe(0);
  });

  it('is found: over the box, by weight alone in the air, within the limits', () => {
    const data = presetProblem('over-box', character);
    const frames = Math.round(LOOKS * (data.duration as number));
    const answer = solvePhysical({
      type: 'preset',
      figure,
      frames,
      data: { ...data, terms: data.terms.map(lower), locked: [...(data.locked ?? []), ...LOCKED] },
    });
    expect(answer.status).toBe('converged');
    const poses = posesOf(figure, answer.motion, figure, LOOKS);
    const seen = poses.map((pose) => placesOf(figure, pose));
    expect(soles).toHaveLength(2);
    poses.forEach((pose, n) => {
      expect(limitViolation(figure, pose)).toBeLessThan(1e-9);
      const { at, segments } = seen[n];
      const edges = soles.flatMap(([bone, [heel, ...others]]) =>
        others.map((point): Segment => [at(bone, heel), at(bone, point)]),
      );
      for (const segment of [...segments, ...edges]) expect(within(segment, box)).toBe(0);
    });
    // Flat on the floor before the box, and then beyond it.
    for (const [bone, corners] of soles)
      for (const point of corners) {
        const [first, last] = [seen[0], seen[frames]].map(({ at }) => at(bone, point));
        for (const [, y] of [first, last]) expect(Math.abs(y)).toBeLessThan(1e-3);
        expect(first[2]).toBeLessThan(box[0][2]);
        expect(last[2]).toBeGreaterThan(box[1][2]);
      }
    // Where no sole is near the floor the centre of mass is on the parabola through its first and last place.
    const air = seen.flatMap(({ at, center }, n) =>
      soles.every(([bone, corners]) => corners.every((point) => at(bone, point)[1] > 0.01))
        ? [{ time: n / LOOKS, center }]
        : [],
    );
    const [first, last] = [air[0], air[air.length - 1]];
    const seconds = last.time - first.time;
    expect(seconds).toBeGreaterThan(0.3);
    expect(air).toHaveLength(Math.round(LOOKS * seconds) + 1);
    expectParabola(
      air.map(({ center }) => center),
      LOOKS,
      1e-3,
    );
  });
});
