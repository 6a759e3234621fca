import loadMujoco, { type MainModule } from '@mujoco/mujoco';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { createRagdoll } from '../../../src/dynamics/index.js';
import { clampToLimits, type Figure } from '../../../src/figure/index.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import * as rigid from '../../../src/math/geometry/rigid-transform.js';
import { createClearance, createSelfClearance } from '../../../src/spacetime/clearance/index.js';
import { gapAlong, loose, norm, randomSolid, type Solid, type V } from '../../dynamics/collide/support.js';
import { createRandom, direction, randomPose, within } from '../../figure/support.js';
import { frameOf, probe, shapeAt, shapesOf, upright } from './support.js';

const TYPES: readonly Solid['type'][] = ['sphere', 'capsule', 'box'];
const PAIRS = TYPES.flatMap((a) => TYPES.map((b) => [a, b] as const));

/** A pose of free bones within `spread` of the origin: half the pairs of shapes overlap at 0.6 m. */
function scattered(figure: Figure, random: () => number, spread = 0.6): Float64Array {
  const pose = randomPose(figure, random);
  for (const { coordinate } of figure.bones) {
    for (let k = 0; k < 3; k++) pose[coordinate + k] = within(random, spread);
  }
  return pose;
}

/**
 * The signed distance of convex bodies is the greatest gap seen along any direction: of 1500 all round, then steps at random from the best and
 * from `start`, ever shorter. On ridges such a search stalls short of the top, never beyond it.
 */
function searchDirections(gap: (d: V) => number, start: V, random: () => number): number {
  let best = Number.NEGATIVE_INFINITY;
  let at: V = start;
  const sample = (d: readonly number[]): void => {
    const length = Math.hypot(...d);
    const unit: V = [d[0] / length, d[1] / length, d[2] / length];
    const found = gap(unit);
    if (found <= best) return;
    best = found;
    at = unit;
  };
  const refine = (): void => {
    for (let step = 0.1; step > 1e-8; step *= 0.5) {
      for (let n = 0; n < 40; n++) {
        const by = direction(random);
        sample(at.map((x, k) => x + step * by[k]));
      }
    }
  };
  const count = 1500;
  for (let n = 0; n < count; n++) {
    // A spiral of equal areas.
    const y = 1 - (2 * n + 1) / count;
    const angle = n * Math.PI * (3 - Math.sqrt(5));
    const r = Math.sqrt(1 - y * y);
    sample([r * Math.cos(angle), y, r * Math.sin(angle)]);
  }
  refine();
  const found = best;
  best = Number.NEGATIVE_INFINITY;
  at = start;
  refine();
  return Math.max(found, best);
}

describe.each(PAIRS)('a %s and a %s', (typeA, typeB) => {
  test('have the separation or penetration of a search over all directions, along the normal', () => {
    const random = createRandom(700 + 3 * TYPES.indexOf(typeA) + TYPES.indexOf(typeB));
    const figure = loose(2);
    let apart = 0;
    for (let n = 0; n < 40; n++) {
      const solids = [randomSolid(random, typeA), randomSolid(random, typeB)];
      const clearance = createClearance(
        figure,
        shapesOf(figure, (bone) => solids[bone]),
        { pairs: [[0, 1]] },
      );
      const { distances, state } = probe(clearance);
      const [distance] = distances(scattered(figure, random));
      const [a, b] = [frameOf(state, 0), frameOf(state, 1)];
      const gap = (d: V) => gapAlong(solids[0], a, solids[1], b, d);
      const [x, y, z] = clearance.normal;
      expect(norm([x, y, z])).toBeCloseTo(1, 12);
      expect(gap([x, y, z])).toBeCloseTo(distance, 12);
      // Seen along its normal the distance is there, and no direction shows more.
      const searched = searchDirections(gap, [x, y, z], random);
      expect(searched).toBeLessThan(distance + 1e-12);
      expect(searched).toBeGreaterThan(distance - 1e-2);
      if (distance > 0) apart++;
    }
    expect(apart).toBeGreaterThan(3);
    expect(apart).toBeLessThan(37);
  });

  test('of the world have the same distance', () => {
    const random = createRandom(720 + 3 * TYPES.indexOf(typeA) + TYPES.indexOf(typeB));
    const figure = loose(2);
    for (let n = 0; n < 20; n++) {
      const solids = [randomSolid(random, typeA), randomSolid(random, typeB)];
      const shapes = shapesOf(figure, (bone) => solids[bone]);
      const pose = scattered(figure, random);
      // The second bone at home.
      pose.fill(0, 6);
      const [carried] = probe(createClearance(figure, shapes, { pairs: [[0, 1]] })).distances(pose);
      const world = createClearance(figure, shapes.slice(0, 1), { world: [solids[1]] });
      expect(world.rows).toMatchObject([{ shape: 0, bone: 0, otherShape: 1, otherBone: -1, feature: 0 }]);
      const [standing] = probe(world).distances(pose);
      expect(standing).toBe(carried);
    }
  });
});

test('are Lipschitz in the motion of the shapes, across kinks and through each other', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 30 }),
      fc.constantFrom(...PAIRS),
      fc.boolean(),
      (salt, [typeA, typeB], isUpright) => {
        const random = createRandom(salt);
        const figure = loose(2);
        const solids = [randomSolid(random, typeA), randomSolid(random, typeB)];
        const clearance = createClearance(
          figure,
          shapesOf(figure, (bone) => solids[bone]),
          { pairs: [[0, 1]] },
        );
        const { distances } = probe(clearance);
        const pose = scattered(figure, random, 0.3);
        // Half of them straight through each other's centres, axes and faces parallel.
        if (isUpright) pose.fill(0);
        const by = Array.from(pose, (_, k) => (!isUpright || k % 6 === salt % 3 ? within(random, 1) : 0));
        const reach = Math.max(...solids.map(reachOf));
        let before = Number.NaN;
        const step = 1e-3;
        for (let n = -40; n <= 40; n++) {
          const [now] = distances(pose.map((p, k) => p + n * step * by[k]));
          expect(Number.isFinite(now)).toBe(true);
          // A bone turns no faster than its rotation vector changes.
          const speed = [0, 6].reduce(
            (sum, k) =>
              sum + Math.hypot(...by.slice(k, k + 3)) + reach * Math.hypot(...by.slice(k + 3, k + 6)),
            0,
          );
          if (n > -40) expect(Math.abs(now - before)).toBeLessThanOrEqual(step * speed + 1e-8);
          before = now;
        }
      },
    ),
  );
});

/** How far the points of a shape are from the origin of its bone. */
function reachOf(solid: Solid): number {
  if (solid.type === 'sphere') return solid.radius;
  return solid.type === 'box' ? Math.hypot(...solid.halfSizes) : norm(solid.to) + solid.radius;
}

describe('the ground', () => {
  const normal: V = [0.6, 0.8, 0];
  const world = [{ type: 'plane', normal: [1.2, 1.6, 0], offset: 0.25 }] as const;
  const height = (p: readonly number[]) => 0.6 * p[0] + 0.8 * p[1] - 0.25;

  test('has a distance for each end of a capsule and each corner of a box', () => {
    const random = createRandom(741);
    const figure = loose(3);
    for (let n = 0; n < 100; n++) {
      const solids = TYPES.map((type) => randomSolid(random, type));
      const clearance = createClearance(
        figure,
        shapesOf(figure, (bone) => solids[bone]),
        { pairs: 'world', world },
      );
      expect(clearance.rows.map(({ bone, feature }) => [bone, feature])).toEqual([
        [0, 0],
        [1, 0],
        [1, 1],
        ...[0, 1, 2, 3, 4, 5, 6, 7].map((feature) => [2, feature]),
      ]);
      const { distances, state } = probe(clearance);
      const found = distances(scattered(figure, random, 2));
      const frame = (bone: number) => frameOf(state, bone);
      const [ball, rod, box] = solids as [
        Extract<Solid, { type: 'sphere' }>,
        Extract<Solid, { type: 'capsule' }>,
        Extract<Solid, { type: 'box' }>,
      ];
      const expected = [
        height(frame(0).slice(9)) - ball.radius,
        height(rigid.transformPoint(frame(1), rod.from)) - rod.radius,
        height(rigid.transformPoint(frame(1), rod.to)) - rod.radius,
        ...[0, 1, 2, 3, 4, 5, 6, 7].map((c) =>
          height(
            rigid.transformPoint(
              frame(2),
              box.halfSizes.map((half, k) => (c & (1 << k) ? half : -half)) as unknown as V,
            ),
          ),
        ),
      ];
      expected.forEach((value, row) => {
        expect(found[row]).toBeCloseTo(value, 12);
      });
      for (let row = 0; row < found.length; row++) {
        expect([...clearance.normal.subarray(3 * row, 3 * row + 3)]).toEqual(
          normal.map((x) => expect.closeTo(x, 12)),
        );
        expect(height([...clearance.point.subarray(3 * row, 3 * row + 3)])).toBeCloseTo(0, 12);
      }
    }
  });
});

test('a cutoff clamps distances', () => {
  const random = createRandom(742);
  const figure = loose(6);
  let cut = 0;
  for (let n = 0; n < 100; n++) {
    const shapes = shapesOf(figure, (bone) => randomSolid(random, TYPES[bone % 3]));
    const options = { world: [{ type: 'plane' }] } as const;
    const pose = scattered(figure, random, 3);
    const all = probe(createClearance(figure, shapes, options)).distances(pose);
    const near = createClearance(figure, shapes, { ...options, cutoff: 0.8 });
    const found = probe(near).distances(pose);
    expect([...found]).toEqual([...all].map((d) => Math.min(d, 0.8)));
    expect([...near.within]).toEqual([...all].map((d) => (d < 0.8 ? 1 : 0)));
    cut += all.filter((d) => d >= 0.8).length / all.length;
  }
  expect(cut).toBeGreaterThan(20);
  expect(cut).toBeLessThan(80);
});

describe('the human', () => {
  let mujoco: MainModule;
  beforeAll(async () => {
    mujoco = await loadMujoco();
  });

  test('has the distances of MuJoCo from itself and from things in the world, at 12 poses within limits', () => {
    const figure = createHumanFigure();
    const { shapes } = createRagdoll(figure);
    const world = [
      { type: 'box', halfSizes: [0.5, 0.15, 0.05], placement: { position: [0.1, 0.15, 0.4] } },
      { type: 'capsule', from: [-0.4, 0.9, 0.3], to: [0.5, 1.1, 0.35], radius: 0.04 },
      { type: 'sphere', center: [0.2, 1.2, 0.5], radius: 0.2 },
      { type: 'plane' },
    ] as const;
    const clearance = createClearance(figure, shapes, { world });
    const { distances, state } = probe(clearance);
    const { rows } = clearance;
    const geoms = [...shapes, ...world];
    const xml = `<mujoco><option ccd_tolerance="1e-12" ccd_iterations="1000"/><worldbody>${geoms
      .map((shape) => (shape.type === 'plane' ? '' : `<body mocap="true"><geom ${geom(shape)}/></body>`))
      .join('')}</worldbody></mujoco>`;
    const model = mujoco.MjModel.from_xml_string(xml);
    const data = new mujoco.MjData(model);
    const ends = new mujoco.DoubleBuffer(6);
    const random = createRandom(743);
    let compared = 0;
    let overlapping = 0;
    try {
      for (let n = 0; n < 12; n++) {
        const pose = randomPose(figure, random, 1.2);
        pose.set([0, -0.2, 0], 0);
        clampToLimits(figure, pose);
        const found = distances(pose);
        geoms.slice(0, -1).forEach((shape, k) => {
          const bone = k < shapes.length ? figure.bones.findIndex(({ name }) => name === shapes[k].bone) : -1;
          const frame = frameOf(state, bone);
          const placed = shape.type === 'box' ? upright(shape as Solid, frame) : frame;
          const [x, y, z, w] = rigid.toQuat(placed);
          data.mocap_pos.set(placed.slice(9), 3 * k);
          data.mocap_quat.set([w, x, y, z], 4 * k);
        });
        mujoco.mj_kinematics(model, data);
        rows.forEach(({ shape, otherShape }, row) => {
          const other = shapeAt(shapes, world, otherShape);
          if (other.type === 'plane') return;
          // Where the axis of a capsule is inside a box, MuJoCo gives less than the least depth over all directions.
          const rod = [shapes[shape], other].find(({ type }) => type === 'capsule');
          if (rod?.type === 'capsule' && (shapes[shape].type === 'box' || other.type === 'box')) {
            if (found[row] < -rod.radius) return;
          }
          const theirs = mujoco.mj_geomDistance(model, data, shape, otherShape, 100, ends);
          expect(found[row]).toBeCloseTo(theirs, 6);
          compared++;
          if (theirs < 0) overlapping++;
        });
      }
    } finally {
      ends.delete();
      data.delete();
      model.delete();
    }
    expect(compared).toBeGreaterThan(1000);
    expect(overlapping).toBeGreaterThan(5);
  });

  test('is clear of itself at rest, and not with a hand in its head', () => {
    const figure = createHumanFigure();
    const clearance = createSelfClearance(figure);
    const nameOf = (bone: number) => figure.bones[bone].name;
    const names = clearance.rows.map(({ bone, otherBone }) => `${nameOf(bone)} ${nameOf(otherBone)}`);
    const { distances } = probe(clearance);
    const pose = new Float64Array(figure.dof);
    expect(Math.min(...distances(pose))).toBeGreaterThan(0.004);
    for (const pair of ['head leftHand', 'leftLowerLeg rightLowerLeg', 'leftHand rightHand']) {
      expect(names).toContain(pair);
    }
    // Neighbours are not.
    expect(names).not.toContain('leftUpperLeg leftLowerLeg');
    expect(names).not.toContain('hips leftUpperLeg');
    // No distance from itself depends on where the whole figure is.
    expect(clearance.rows.every(({ columns }) => columns[0] >= 6)).toBe(true);
  });
});

function geom(shape: ReturnType<typeof shapeAt>): string {
  if (shape.type === 'sphere') {
    return `type="sphere" size="${shape.radius}" pos="${(shape.center ?? [0, 0, 0]).join(' ')}"`;
  }
  if (shape.type === 'box') return `type="box" size="${shape.halfSizes.join(' ')}"`;
  if (shape.type !== 'capsule') throw new Error(shape.type);
  return `type="capsule" size="${shape.radius}" fromto="${[...shape.from, ...shape.to].join(' ')}"`;
}
