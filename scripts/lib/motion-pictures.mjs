import { quatFromRotationVector, rotationVectorFromQuat } from 'poise';
import {
  bezierCurve,
  cubicSpline,
  cumulativeBSplineCurve,
  evaluateCurve,
  evaluateRotation,
  minimumAccelerationCurve,
  rotationSpline,
  rotationVectorCurve,
  slerpCurve,
  uniformKnots,
} from 'poise/motion';
import {
  compareRotations,
  sampleRotation,
  sphericalBezierCurve,
  squadCurve,
} from 'poise/motion/alternatives';
import { createSwingAxes, matrixFromBallAndSocket } from 'poise/rotation';
import { matrixFromEuler } from 'poise/rotation/alternatives';
import { AFTER, ASKED, BEFORE, Drawing, LIMIT, projection } from './drawing.mjs';
import { linePlot } from './plot.mjs';

/** @import { RotationCurve } from 'poise/motion' */
/** @import { Point, View } from './drawing.mjs' */

// Figures 1 to 3 of the paper, and how the kinds of curves turn, all from the library.

const DEGREE = 180 / Math.PI;
const COLORS = ['#c92a2a', '#2f9e44', '#1971c2'];

/** The keys of Figure 2, rad, at 0 to 4 s (docs/errata.md, erratum 8). */
const KEYS = [
  [0, 0, 0],
  [0.5, 0.3, -0.2],
  [0.9, -0.2, 0.4],
  [0.3, -0.6, 0.8],
  [-0.2, 0.1, 0.5],
];
const TIMES = [0, 1, 2, 3, 4];

/** @param {number} scale of the keys */
function figureTwo(scale) {
  const keys = KEYS.map((key) => key.map((x) => scale * x));
  const last = keys.length - 1;
  const points = keys.flatMap((key, i) => {
    const [before, after] = [keys[Math.max(0, i - 1)], keys[Math.min(last, i + 1)]];
    const share = i === 0 || i === last ? 1 / 3 : 1 / 6;
    /** @param {number} side */
    const handle = (side) => key.map((x, k) => x + side * share * (after[k] - before[k]));
    return [...(i > 0 ? [handle(-1)] : []), key, ...(i < last ? [handle(1)] : [])];
  });
  const vectors = bezierCurve({ times: TIMES, points: points.flat() });
  return {
    vectors,
    euclidean: rotationVectorCurve(vectors, { anyChart: true }),
    spherical: sphericalBezierCurve({
      times: TIMES,
      quaternions: points.flatMap((v) => quatFromRotationVector(v)),
    }),
  };
}

/** Figure 2: rotation vectors of both curves. @param {number} scale @param {number} reach of the axis, rad */
function comparison(scale, reach) {
  const { vectors, euclidean, spherical } = figureTwo(scale);
  const moments = Array.from({ length: 161 }, (_, n) => n / 40);
  const own = moments.map((t) => [...evaluateCurve(vectors, t).value]);
  const other = moments.map((t, n) =>
    rotationVectorFromQuat(evaluateRotation(spherical, t).quaternion, own[n]),
  );
  const { largest } = compareRotations(euclidean, spherical, 4001);
  const apart = `largest distance ${(largest * DEGREE).toFixed(scale > 1 ? 3 : 4)} degrees`;
  return linePlot({
    title: `Figure 2${scale === 1 ? '' : `, keys ${scale} times as far`}: ${apart}`,
    x: { label: 'time, s', from: 0, to: 4, step: 1 },
    y: { label: 'rotation vector, rad', from: -reach, to: reach, step: reach / 4 },
    lines: ['x', 'y', 'z'].flatMap((name, k) => [
      {
        name: `${name}, rotation-vector Bezier`,
        color: COLORS[k],
        points: moments.map((t, n) => /** @type {const} */ ([t, own[n][k]])),
      },
      {
        name: k === 0 ? 'spherical Bezier' : '',
        color: '#222',
        dashed: true,
        points: moments.map((t, n) => /** @type {const} */ ([t, other[n][k]])),
      },
    ]),
  });
}

function deviation() {
  const looks = [
    [3, '#c92a2a'],
    [2, '#e8590c'],
    [1, '#1971c2'],
    [0.5, '#2f9e44'],
  ];
  return linePlot({
    title: 'Distance of rotation-vector and spherical Bezier curves',
    x: { label: 'time, s', from: 0, to: 4, step: 1 },
    y: { label: 'geodesic angle, degrees', from: 0, to: 10, step: 2 },
    lines: looks.map(([scale, color]) => {
      const { euclidean, spherical } = figureTwo(Number(scale));
      const largest = compareRotations(euclidean, spherical, 4001).largest * DEGREE;
      return {
        name: `keys of Figure 2 times ${scale}: at most ${largest.toPrecision(4)}`,
        color: String(color),
        points: Array.from({ length: 201 }, (_, n) => {
          const t = n / 50;
          const [a, b] = [euclidean, spherical].map((curve) => evaluateRotation(curve, t).quaternion);
          const turn = rotationVectorFromQuat(product(conjugate(a), b));
          return /** @type {const} */ ([t, Math.hypot(...turn) * DEGREE]);
        }),
      };
    }),
  });
}

/** @param {ArrayLike<number>} q */
const conjugate = (q) => [-q[0], -q[1], -q[2], q[3]];
/** @param {ArrayLike<number>} b @param {ArrayLike<number>} a */
const product = (b, a) => [
  b[3] * a[0] + b[0] * a[3] + b[1] * a[2] - b[2] * a[1],
  b[3] * a[1] + b[1] * a[3] + b[2] * a[0] - b[0] * a[2],
  b[3] * a[2] + b[2] * a[3] + b[0] * a[1] - b[1] * a[0],
  b[3] * a[3] - b[0] * a[0] - b[1] * a[1] - b[2] * a[2],
];

/** How fast the kinds of curves through one set of keys turn. @param {'angularVelocities' | 'angularAccelerations'} what */
function turning(what) {
  const times = [0, 1, 1.6, 3, 4];
  const quaternions = KEYS.map((v) => v.map((x) => 1.6 * x)).flatMap((v) => quatFromRotationVector(v));
  const values = KEYS.flatMap((v) => v.map((x) => 1.6 * x));
  /** @type {[string, string, RotationCurve][]} */
  const curves = [
    ['slerp', '#868e96', slerpCurve({ times, quaternions })],
    ['squad', '#e8590c', squadCurve({ times, quaternions })],
    ['natural spline of rotation vectors', '#1971c2', rotationVectorCurve(cubicSpline({ times, values }))],
    ['C2 rotation spline', '#2f9e44', rotationSpline({ times, quaternions })],
    ['minimum acceleration', '#f08c00', minimumAccelerationCurve({ times, quaternions })],
    [
      'cumulative B-spline (misses its keys)',
      '#9c36b5',
      cumulativeBSplineCurve({ quaternions, knots: uniformKnots(5, 0, 4) }),
    ],
  ];
  const velocity = what === 'angularVelocities';
  return linePlot({
    title: `Angular ${velocity ? 'velocity' : 'acceleration'} of curves through the same keys`,
    x: { label: 'time, s (keys at 0, 1, 1.6, 3, 4)', from: 0, to: 4, step: 1 },
    y: velocity
      ? { label: 'rad/s', from: 0, to: 4, step: 1 }
      : { label: 'rad/s per s', from: 0, to: 16, step: 4 },
    lines: curves.map(([name, color, curve]) => {
      const samples = sampleRotation(curve, 321);
      return {
        name,
        color,
        points: Array.from(samples.times, (t, n) => {
          const v = samples[what].subarray(3 * n, 3 * n + 3);
          return /** @type {const} */ ([t, Math.hypot(...v)]);
        }),
      };
    }),
  });
}

/** @param {ArrayLike<number>} m row by row @param {readonly number[]} v @returns {Point} */
function turned(m, v) {
  const row = (/** @type {number} */ r) => m[3 * r] * v[0] + m[3 * r + 1] * v[1] + m[3 * r + 2] * v[2];
  return [row(0), row(1), row(2)];
}

/** A box at the origin, turned. @param {Drawing} drawing @param {ArrayLike<number>} m @param {View} view */
function box(drawing, m, view) {
  const project = projection(view);
  const half = [0.5, 0.3, 0.2];
  const corner = (/** @type {number} */ n) =>
    project(
      turned(
        m,
        half.map((h, k) => (n & (1 << k) ? h : -h)),
      ),
    );
  const edges = [];
  for (let n = 0; n < 8; n++) {
    for (let k = 0; k < 3; k++) if (!(n & (1 << k))) edges.push([corner(n), corner(n | (1 << k))]);
  }
  drawing.strokes(edges, `fill="none" stroke="${AFTER}" stroke-width="2" stroke-linejoin="round"`);
}

/** Figure 1: the axes of YXY Euler angles, locked and free. */
function gimbalLock() {
  const drawing = new Drawing('Figure 1: gimbal lock of YXY Euler angles', 640, 300);
  for (const [at, angles, says] of /** @type {const} */ ([
    [170, [0, 0, 0], 'all angles 0: first and third axis are one'],
    [480, [0, 1, 0], 'second angle 1 rad: three axes'],
  ])) {
    /** @type {View} */
    const view = { yaw: 30, pitch: 20, scale: 105, center: [0, 0, 0], at: [at, 160] };
    const project = projection(view);
    box(drawing, matrixFromEuler(angles, 'YXY'), view);
    const [first, second] = angles;
    const axes = [
      [0, 1, 0],
      turned(matrixFromEuler([first, 0, 0], 'YXY'), [1, 0, 0]),
      turned(matrixFromEuler([first, second, 0], 'YXY'), [0, 1, 0]),
    ];
    for (const [k, axis] of axes.entries()) {
      const length = k === 2 ? 0.85 : 1.1;
      const tip = project([length * axis[0], length * axis[1], length * axis[2]]);
      drawing.arrow(project([0, 0, 0]), tip, COLORS[k], k === 0 ? 5 : 2.5);
      const beside = k === 2 && second === 0 ? [tip[0] - 20, tip[1] + 14] : [tip[0] + 8, tip[1] - 4];
      drawing.text(beside, String(k + 1), `fill="${COLORS[k]}" font-weight="600"`);
    }
    if (second === 0) {
      const tip = project([0, 0, 1.2]);
      drawing.strokes(
        [[project([0, 0, 0]), tip]],
        `stroke="${ASKED}" stroke-width="2" stroke-dasharray="4 4"`,
      );
      drawing.text([tip[0] - 40, tip[1] + 20], 'no turn about Z', `fill="${ASKED}"`);
    }
    drawing.text([at, 286], says, 'text-anchor="middle"');
  }
  return drawing;
}

/** Figure 3: the twist of a ball-and-socket joint, and its swing round a circle. */
function ballAndSocket() {
  const drawing = new Drawing('Figure 3: twist and swing of a ball-and-socket joint', 640, 320);
  const axes = createSwingAxes([0, -1, 0], [1, 0, 0]);
  /** @param {View} view @param {readonly number[]} coordinates @param {string} color @param {number} width */
  const arm = (view, coordinates, color, width) => {
    const m = matrixFromBallAndSocket(coordinates, axes);
    const project = projection(view);
    const line = `fill="none" stroke="${color}" stroke-linecap="round"`;
    drawing.strokes(
      [
        [
          [0, 0, 0],
          [0, -1, 0],
        ].map((p) => project(turned(m, p))),
      ],
      `${line} stroke-width="${width}"`,
    );
    // A flag shows the turn about the arm.
    const flag = [
      [0, -0.75, 0],
      [0.22, -0.85, 0],
      [0, -0.95, 0],
    ].map((p) => project(turned(m, p)));
    drawing.strokes([flag], `fill="${color}" fill-opacity="0.7" stroke="${color}" stroke-linejoin="round"`);
  };
  /** @type {View} */
  const left = { yaw: 25, pitch: 18, scale: 190, center: [0, -0.5, 0], at: [150, 150] };
  for (const twist of [-1.4, -0.7, 0, 0.7, 1.4]) {
    arm(left, [0, 0, twist], twist === 0 ? AFTER : BEFORE, twist === 0 ? 5 : 3);
  }
  drawing.circle(projection(left)([0, 0, 0]), 7, `fill="${AFTER}"`);
  drawing.text([150, 300], 'twist: -80 to 80 degrees', 'text-anchor="middle"');
  /** @type {View} */
  const right = { ...left, at: [450, 150] };
  const swing = 0.9;
  const round = Array.from({ length: 12 }, (_, n) => (n * Math.PI) / 6);
  for (const phi of round) arm(right, [swing * Math.cos(phi), swing * Math.sin(phi), 0], BEFORE, 2.5);
  arm(right, [swing, 0, 0], AFTER, 5);
  const [c, s] = [Math.cos(swing), Math.sin(swing)];
  drawing.ring(
    [0, -c, 0],
    [s, 0, 0],
    [0, 0, s],
    projection(right),
    `fill="none" stroke="${LIMIT}" stroke-width="1.5"`,
  );
  drawing.circle(projection(right)([0, 0, 0]), 7, `fill="${AFTER}"`);
  drawing.text([450, 286], 'swing round a circle, twist coordinate 0:', 'text-anchor="middle"');
  const spin = ((1 - Math.cos(swing)) * 360).toFixed(0);
  drawing.text([450, 304], `the flags turn ${spin} degrees a round (erratum 10)`, 'text-anchor="middle"');
  return drawing;
}

/** The pictures of docs/motion.md by name. @type {Record<string, () => { toString(): string }>} */
export const motionPictures = {
  'figure-1-gimbal-lock': gimbalLock,
  'figure-2': () => comparison(1, 1.2),
  'figure-2-far': () => comparison(3, 4),
  'figure-2-distance': deviation,
  'figure-3-ball-and-socket': ballAndSocket,
  'angular-velocity': () => turning('angularVelocities'),
  'angular-acceleration': () => turning('angularAccelerations'),
};
