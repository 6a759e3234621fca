import { createState, type Figure, forwardKinematics, limitViolation, type Triple } from 'poise/figure';
import type { Numbers } from 'poise/math';
import { describe, expect, it } from 'vitest';
import { posesOf } from '../src/animate/clip/clip-from-poses.js';
import { presetProblem } from '../src/physical/presets.js';
import { solvePhysical } from '../src/physical/solve.js';
import { character, expectParabola, figure, LOCKED, placeOf, soles } from './support/presets.js';

/** Knots a second: fewer than on the page. */
const RATE = 16;
/** Frames a second that are looked at. */
const LOOKS = 200;

interface Seen {
  /** Place of a point of a bone. */
  readonly at: (bone: number, point: Numbers) => Triple;
  /** Rotation of a bone, row by row. */
  readonly rotations: readonly Float64Array[];
  /** Of the mass of each bone, and of all. */
  readonly centers: readonly Triple[];
  readonly center: Triple;
}

const total = figure.bones.reduce((sum, { mass = 0 }) => sum + mass, 0);

function seenOf({ bones }: Figure, pose: Float64Array): Seen {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const frames = bones.map(({ index }) => state.worldFromBone.slice(12 * index, 12 * index + 12));
  const at = (bone: number, point: Numbers) => placeOf(state, bone, point);
  const centers = bones.map(({ index, centerOfMass = [0, 0, 0] }) => at(index, centerOfMass));
  const mean = (k: number) =>
    centers.reduce((sum, each, n) => sum + (bones[n].mass ?? 0) * each[k], 0) / total;
  return {
    at,
    rotations: frames.map((frame) => frame.slice(0, 9)),
    centers,
    center: [mean(0), mean(1), mean(2)],
  };
}

/** Rate of a number of which there are two values before and two after, to the fourth order. */
function rate([before2, before, , after, after2]: readonly number[]): number {
  return ((8 * (after - before) - (after2 - before2)) * LOOKS) / 12;
}

/** Angular momentum about the centre of mass in the middle of five frames, kg m^2/s: of the masses where they are, and of their own rotation. */
function angularMomentum(five: readonly Seen[]): Triple {
  const momentum: [number, number, number] = [0, 0, 0];
  const middle = five[2];
  for (const { index, mass = 0, inertia = [0, 0, 0, 0, 0, 0] } of figure.bones) {
    if (mass === 0) continue;
    const arm = [0, 1, 2].map((k) => middle.centers[index][k] - middle.center[k]);
    const speed = [0, 1, 2].map((k) =>
      rate(five.map(({ centers, center }) => centers[index][k] - center[k])),
    );
    // Second moments of the mass, of which the inertia is the rest of their trace: the integral of x (dx/dt)^T is R S (dR/dt)^T.
    const [xx, yy, zz, xy, xz, yz] = inertia;
    const half = 0.5 * (xx + yy + zz);
    const moments = [half - xx, -xy, -xz, -xy, half - yy, -yz, -xz, -yz, half - zz];
    const rotation = middle.rotations[index];
    const rates = rotation.map((_, k) => rate(five.map(({ rotations }) => rotations[index][k])));
    const product = (i: number, j: number): number => {
      let sum = mass * arm[i] * speed[j];
      for (let a = 0; a < 3; a++)
        for (let b = 0; b < 3; b++) sum += rotation[3 * i + a] * moments[3 * a + b] * rates[3 * j + b];
      return sum;
    };
    for (let k = 0; k < 3; k++) {
      const [i, j] = [(k + 1) % 3, (k + 2) % 3];
      momentum[k] += product(i, j) - product(j, i);
    }
  }
  return momentum;
}

it('knows the angular momentum of a body that turns as one, as its inertia says', () => {
  // Bodies turn about the hips: what the centre of mass does is left out.
  const rates = 2;
  const five = [-2, -1, 0, 1, 2].map((k) => {
    const pose = Float64Array.from(character.pose);
    pose[4] += (rates * k) / LOOKS;
    return seenOf(figure, pose);
  });
  const { centers, center, rotations } = five[2];
  let about = 0;
  figure.bones.forEach(({ mass = 0, inertia = [0, 0, 0, 0, 0, 0] }, n) => {
    const [x, , z] = [0, 1, 2].map((k) => centers[n][k] - center[k]);
    const [r, s, t] = rotations[n].slice(3, 6);
    const [xx, yy, zz, xy, xz, yz] = inertia;
    about +=
      mass * (x * x + z * z) +
      xx * r * r +
      yy * s * s +
      zz * t * t +
      2 * (xy * r * s + xz * r * t + yz * s * t);
  });
  const [x, y, z] = angularMomentum(five);
  expect(Math.abs(x) + Math.abs(z)).toBeGreaterThan(0.1);
  expect(y).toBeCloseTo(rates * about, 6);
});

describe('the backflip', () => {
  it('is found: by weight alone in the air, once around, from both feet to both feet', () => {
    const data = presetProblem('backflip', character);
    const duration = data.duration as number;
    const frames = Math.round(LOOKS * duration);
    const answer = solvePhysical({
      type: 'preset',
      figure,
      frames,
      data: { ...data, intervals: Math.round(RATE * duration), locked: [...(data.locked ?? []), ...LOCKED] },
    });
    expect(answer.status).toBe('converged');
    const poses = posesOf(figure, answer.motion, figure, LOOKS);
    const seen = poses.map((pose) => seenOf(figure, pose));
    for (const pose of poses) expect(limitViolation(figure, pose)).toBeLessThan(1e-9);

    // Soles are flat and still where it stands, and then a step behind.
    expect(soles).toHaveLength(2);
    const cornersOf = ({ at }: Seen) =>
      soles.flatMap(([bone, corners]) => corners.map((point) => at(bone, point)));
    const heights = (each: Seen) => cornersOf(each).map(([, y]) => y);
    const isDown = (each: Seen) => heights(each).every((y) => Math.abs(y) < 1e-3);
    const leaves = seen.findIndex((each) => !isDown(each));
    const lands = seen.length - [...seen].reverse().findIndex((each) => !isDown(each));
    expect(leaves / LOOKS).toBeGreaterThan(0.5);
    expect((frames - lands) / LOOKS).toBeGreaterThan(0.5);
    for (const planted of [seen.slice(0, leaves), seen.slice(lands)]) {
      const first = cornersOf(planted[0]);
      for (const each of planted)
        cornersOf(each).forEach(([x, , z], n) => {
          expect(Math.hypot(x - first[n][0], z - first[n][2])).toBeLessThan(1e-3);
        });
    }
    const [before, after] = [seen[0], seen[frames]].map((each) => cornersOf(each)[0]);
    expect(after[2] - before[2]).toBeCloseTo(-0.35, 3);

    // Where no sole is near the floor the centre of mass is on the parabola through its first and last place, and the angular momentum about it stays.
    const air = seen.flatMap((each, n) => (heights(each).every((y) => y > 0.01) ? [n] : []));
    const [first, last] = [air[0], air[air.length - 1]];
    expect(air).toHaveLength(last - first + 1);
    expect((last - first) / LOOKS).toBeGreaterThan(0.5);
    expectParabola(
      air.map((n) => seen[n].center),
      LOOKS,
      1e-4,
    );
    const momenta = air.slice(2, -2).map((n) => angularMomentum(seen.slice(n - 2, n + 3)));
    // Backwards.
    expect(momenta[0][0]).toBeLessThan(-30);
    for (const momentum of momenta)
      momentum.forEach((x, k) => {
        expect(Math.abs(x - momenta[0][k])).toBeLessThan(0.05);
      });

    // Frame by frame the hips turn by less than half a turn.
    const hips = figure.bones.findIndex(({ name }) => name === 'hips');
    const tilts = seen.map(({ rotations }) => Math.atan2(rotations[hips][7], rotations[hips][4]));
    const angle = tilts.slice(1).reduce((sum, tilt, n) => {
      const step = tilt - tilts[n];
      return sum + step - 2 * Math.PI * Math.round(step / (2 * Math.PI));
    }, 0);
    expect(angle).toBeCloseTo(-2 * Math.PI, 3);
  });
});
