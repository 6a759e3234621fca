import { parseArgs } from 'node:util';
import { quat } from 'poise/math';
import {
  cardinalCurve,
  createRotationState,
  cubicSpline,
  cumulativeBSplineCurve,
  evaluateCurve,
  evaluateRotation,
  minimumAccelerationCurve,
  type RotationCurve,
  type RotationKeys,
  rotationSpline,
  rotationVectorCurve,
  rotationVectorHermite,
  rotationVectorTangents,
  slerpCurve,
  uniformKnots,
} from 'poise/motion';
import {
  compareRotations,
  eulerCurve,
  frameDependence,
  normalizedHermiteCurve,
  sphericalBezierCurve,
  squadCurve,
} from 'poise/motion/alternatives';
import { quatFromRotationVector, rotationVectorFromQuat, unwrapRotationVectors } from 'poise/rotation';
import { eulerFromQuat, nearestEulerAngles } from 'poise/rotation/alternatives';
import { machineLines } from './machine.js';
import { writeResults } from './results.js';
import { markdownTable, median } from './statistics.js';

const USAGE = `npm run bench -- rotation-curves [options]
Kinds of rotation curves through the same keys: what they do at keys and in other frames, and what they cost.
  --quick          fewer rounds, nothing written
  --out DIR        where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const DEGREES = 180 / Math.PI;
/** The keys of Figure 2 (docs/errata.md, erratum 8), rad, a second apart. */
const KEYS = [
  [0, 0, 0],
  [0.5, 0.3, -0.2],
  [0.9, -0.2, 0.4],
  [0.3, -0.6, 0.8],
  [-0.2, 0.1, 0.5],
];
const TIMES = [0, 1, 2, 3, 4];

type Interpolate = (keys: RotationKeys) => RotationCurve;

const list = ({ quaternions }: RotationKeys): number[][] =>
  TIMES.map((_, i) => Array.from(quaternions).slice(4 * i, 4 * i + 4));
const vectorKeys = (keys: RotationKeys) => ({
  times: keys.times,
  values: unwrapRotationVectors(list(keys).flatMap((q) => rotationVectorFromQuat(q))),
});
/** Signs chosen for the shortest arc between neighbours. */
const aligned = (keys: RotationKeys): number[] => {
  const all = list(keys);
  for (let i = 1; i < all.length; i++) {
    if (quat.dot(all[i - 1], all[i]) < 0) all[i] = all[i].map((x) => -x);
  }
  return all.flat();
};

const kinds: Readonly<Record<string, Interpolate>> = {
  slerp: (keys) => slerpCurve(keys),
  squad: squadCurve,
  'spherical Bezier, Catmull-Rom handles': sphericalCatmullRom,
  'C2 rotation spline': rotationSpline,
  'minimum acceleration': (keys) => minimumAccelerationCurve(keys),
  'rotation vectors, Catmull-Rom': (keys) => {
    const vectors = vectorKeys(keys);
    const curve = rotationVectorHermite({ ...vectors, ...rotationVectorTangents(vectors) });
    return rotationVectorCurve(curve, { anyChart: true });
  },
  'rotation vectors, natural spline': (keys) =>
    rotationVectorCurve(cubicSpline(vectorKeys(keys)), { anyChart: true }),
  'Euler angles YXZ, natural spline': (keys) => {
    let near = [0, 0, 0];
    const values = list(keys).flatMap((q) => {
      near = nearestEulerAngles(eulerFromQuat(q, 'YXZ'), 'YXZ', near);
      return near;
    });
    return eulerCurve(cubicSpline({ times: keys.times, values }), 'YXZ');
  },
  'four numbers normalized, Catmull-Rom (glTF)': (keys) => {
    const quaternions = aligned(keys);
    const curve = cardinalCurve({ times: keys.times, values: quaternions });
    const tangents = TIMES.flatMap((t) => Array.from(evaluateCurve(curve, t).first));
    return normalizedHermiteCurve({ times: keys.times, quaternions, tangents });
  },
  'cumulative B-spline (misses its keys)': ({ quaternions }) =>
    cumulativeBSplineCurve({ quaternions, knots: uniformKnots(TIMES.length, 0, 4) }),
};

/** Control points from the rotation vectors to both neighbours, independent of the frame: q exp(+-(to the next - to the previous)/6). */
function sphericalCatmullRom(keys: RotationKeys): RotationCurve {
  const q = list({ ...keys, quaternions: aligned(keys) });
  const rotationBetween = (a: number[], b: number[]) =>
    rotationVectorFromQuat(quat.multiply(quat.conjugate(a), b));
  const points = q.flatMap((key, i) => {
    const end = i === 0 || i + 1 === q.length;
    const on = i + 1 < q.length ? rotationBetween(key, q[i + 1]) : [0, 0, 0];
    const back = i > 0 ? rotationBetween(key, q[i - 1]) : [0, 0, 0];
    const handle = (side: number) =>
      quat.multiply(key, quatFromRotationVector(on.map((x, k) => (side * (x - back[k])) / (end ? 3 : 6))));
    return [...(i > 0 ? [handle(-1)] : []), key, ...(i + 1 < q.length ? [handle(1)] : [])];
  });
  return sphericalBezierCurve({ times: keys.times, quaternions: points.flat() });
}

const keysAt = (scale: number): RotationKeys => ({
  times: TIMES,
  quaternions: KEYS.flatMap((v) => quatFromRotationVector(v.map((x) => scale * x))),
});

/** Largest jumps of angular velocity and acceleration at the inner keys. */
function jumps(curve: RotationCurve): [velocity: number, acceleration: number] {
  const before = createRotationState();
  const after = createRotationState();
  let velocity = 0;
  let acceleration = 0;
  for (const t of TIMES.slice(1, -1)) {
    // A step that changes a smooth curve by less than the digits shown.
    evaluateRotation(curve, t - 1e-7, before);
    evaluateRotation(curve, t, after);
    const gap = (a: ArrayLike<number>, b: ArrayLike<number>) =>
      Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    velocity = Math.max(velocity, gap(before.angularVelocity, after.angularVelocity));
    acceleration = Math.max(acceleration, gap(before.angularAcceleration, after.angularAcceleration));
  }
  return [velocity, acceleration];
}

/** Rotations of the world axes, spread evenly, the same in every run. */
const FRAMES = Array.from({ length: 24 }, (_, n) => {
  const angle = 0.4 + 2.4 * ((n * 0.618034) % 1);
  const z = 1 - (2 * n + 1) / 24;
  const r = Math.sqrt(1 - z * z);
  return quatFromRotationVector([
    angle * r * Math.cos(2.399963 * n),
    angle * r * Math.sin(2.399963 * n),
    angle * z,
  ]);
});

function dependence(interpolate: Interpolate, keys: RotationKeys): number {
  return Math.max(...FRAMES.map((world) => frameDependence(interpolate, keys, { world }, 201).largest));
}

/** Nanoseconds for orientation, angular velocity and acceleration at one time; kinds in turn, medians of rounds. */
function costs(rounds: number): Map<string, number> {
  const curves = Object.entries(kinds).map(([name, make]) => [name, make(keysAt(1))] as const);
  const samples = new Map(curves.map(([name]) => [name, [] as number[]]));
  const state = createRotationState();
  const count = 20_000;
  for (let round = 0; round < rounds + 2; round++) {
    for (const [name, curve] of curves) {
      const begin = performance.now();
      for (let n = 0; n < count; n++) evaluateRotation(curve, ((n * 0.618034) % 1) * 4, state);
      // Two rounds to warm up.
      if (round > 1) samples.get(name)?.push(((performance.now() - begin) * 1e6) / count);
    }
  }
  return new Map([...samples].map(([name, times]) => [name, median(times)]));
}

function main(): void {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const machine = machineLines('npm run bench -- rotation-curves');
  const cost = costs(options.quick ? 3 : 15);
  const degrees = (x: number): string => (x < 1e-9 ? '0' : (x * DEGREES).toPrecision(3));
  const small = (x: number): string => (x < 1e-5 ? '0' : x.toPrecision(3));
  const rows = Object.entries(kinds).map(([name, make]) => {
    const [velocity, acceleration] = jumps(make(keysAt(1)));
    const apart = [1, 2, 3].map((scale) =>
      degrees(compareRotations(make(keysAt(scale)), rotationSpline(keysAt(scale))).largest),
    );
    const frames = [1, 2, 3].map((scale) => degrees(dependence(make, keysAt(scale))));
    return [
      name,
      small(velocity),
      small(acceleration),
      ...frames,
      ...apart,
      (cost.get(name) ?? Number.NaN).toFixed(0),
    ];
  });
  const report = [
    '# Rotation curves through the same keys',
    machine.join('\n'),
    `Five keys a second apart: those of Figure 2, within 1.1 rad of each other, and the same two and three times as far from the first. Jumps at
inner keys on the keys as they are. "Frame": the largest angle by which the motion changes when the world's axes do (24 of them). "From C2":
the largest angle from the C2 rotation spline. Cost: orientation, angular velocity and acceleration at one moment, median.`,
    markdownTable(
      [
        'kind',
        'jump of w, rad/s',
        "jump of w', rad/s^2",
        'frame x1, deg',
        'x2',
        'x3',
        'from C2 x1, deg',
        'x2',
        'x3',
        'ns',
      ],
      rows,
    ),
  ].join('\n\n');
  console.log(report);
  if (options.quick) return;
  writeResults({ 'rotation-curves.md': `${report}\n` }, options.out);
}

main();
