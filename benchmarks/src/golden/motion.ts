import { createHumanFigure, createPose, matrixFromRotationVector } from 'poise';
import * as motion from './all-names.js';
import type { Take } from './digest.js';
import { createDraw, type Draw, times } from './draw.js';
import { mixedFigure } from './figures.js';
import type { Section } from './section.js';

const COUNT = 7;
const SIZE = 3;

/** Rising times, values and orientations that follow each other by less than a right angle. */
function keysOf(draw: Draw) {
  let t = 0;
  const moments = Array.from({ length: COUNT }, () => (t += draw.between(0.3, 1.2)));
  const values = draw.numbers(COUNT * SIZE);
  const tangents = draw.numbers(COUNT * SIZE);
  const orientations = motion.slerpCurve({
    times: [0, 1, 2],
    quaternions: [...draw.quaternion(), ...draw.quaternion(), ...draw.quaternion()],
  });
  const quaternions = moments.flatMap((_, k) => [
    ...motion.evaluateRotation(orientations, (2 * k) / (COUNT - 1)).quaternion,
  ]);
  return { times: moments, values, tangents, quaternions };
}

type Kind<C> = (keys: ReturnType<typeof keysOf>, draw: Draw) => C;

const curves: Readonly<Record<string, Kind<motion.Curve>>> = {
  linear: (keys) => motion.linearCurve(keys),
  hermite: (keys, draw) => motion.hermiteCurve({ ...keys, arriving: draw.numbers(COUNT * SIZE) }),
  'cubic spline, natural': (keys) => motion.cubicSpline(keys),
  'cubic spline, clamped': (keys, draw) =>
    motion.cubicSpline(keys, { ends: 'clamped', startVelocity: draw.vector(), endVelocity: draw.vector() }),
  'cubic spline, periodic': (keys) => motion.cubicSpline(closed(keys), { ends: 'periodic' }),
  'Catmull-Rom': (keys) => motion.catmullRomCurve(keys, { outside: 'linear' }),
  'Catmull-Rom, closed': (keys) => motion.catmullRomCurve(closed(keys), { closed: true, outside: 'loop' }),
  cardinal: (keys) => motion.cardinalCurve(keys, { tension: 0.3, outside: 'mirror' }),
  'Kochanek-Bartels': (keys) =>
    motion.kochanekBartelsCurve(keys, { tension: 0.2, continuity: -0.3, bias: 0.4, outside: 'offset' }),
  'minimum jerk': (keys, draw) =>
    motion.minimumJerkCurve(keys, { startVelocity: draw.vector(), endAcceleration: draw.vector() }),
  quintic: (keys, draw) =>
    motion.quinticCurve({ ...keys, velocities: keys.tangents, accelerations: draw.numbers(COUNT * SIZE) }),
  bezier: ({ times: moments }, draw) =>
    motion.bezierCurve({ times: moments, points: draw.numbers((3 * (COUNT - 1) + 1) * SIZE) }),
  'B-spline': (_, draw) =>
    motion.bSplineCurve({ size: SIZE, points: draw.numbers(9 * SIZE), knots: motion.uniformKnots(9, 0, 4) }),
  'B-spline of degree 5': (_, draw) =>
    motion.bSplineCurve({
      size: SIZE,
      degree: 5,
      points: draw.numbers(9 * SIZE),
      knots: motion.uniformKnots(9, 0, 4, { degree: 5, clamped: false }),
    }),
};

const rotationCurves: Readonly<Record<string, Kind<motion.RotationCurve>>> = {
  slerp: (keys) => motion.slerpCurve(keys),
  squad: (keys) => motion.squadCurve(keys),
  'spherical Bezier': ({ times: moments, quaternions }) =>
    motion.sphericalBezierCurve({
      times: [moments[0], moments[2], moments[4]],
      quaternions: quaternions.slice(0, 28),
    }),
  'cumulative B-spline': ({ quaternions }) =>
    motion.cumulativeBSplineCurve({ quaternions, knots: motion.uniformKnots(COUNT, 0, 3) }),
  'rotation spline': (keys, draw) =>
    motion.rotationSpline(keys, { startVelocity: draw.vector(), outside: 'linear' }),
  'minimum acceleration': (keys) => motion.minimumAccelerationCurve(keys),
  'minimum acceleration, velocities given': (keys, draw) =>
    motion.minimumAccelerationCurve({
      times: keys.times.slice(0, 3),
      quaternions: keys.quaternions.slice(0, 12),
      angularVelocities: [draw.vector(0.3), null, draw.vector(0.3)],
    }),
  'normalized Hermite': (keys, draw) =>
    motion.normalizedHermiteCurve({ ...keys, tangents: draw.numbers(4 * COUNT, 0.3) }),
  'rotation vector Hermite': (keys) => motion.rotationVectorCurve(motion.rotationVectorHermite(keys)),
  'rotation vector Hermite by its own tangents': ({ times: moments, values }) =>
    motion.rotationVectorCurve(
      motion.rotationVectorHermite({
        times: moments,
        values,
        ...motion.rotationVectorTangents({ times: moments, values }),
      }),
    ),
  'rotation vector Bezier': ({ times: moments }, draw) =>
    motion.rotationVectorCurve(
      motion.rotationVectorBezier({ times: moments, points: draw.numbers((3 * (COUNT - 1) + 1) * 3, 0.6) }),
    ),
  'orientation Hermite': (keys, draw) =>
    motion.rotationVectorCurve(
      motion.orientationHermite({ ...keys, angularVelocities: draw.numbers(3 * COUNT), frame: 'world' }),
    ),
  euler: (keys) => motion.eulerCurve(motion.catmullRomCurve(keys), 'ZXY'),
};

function closed<K extends { values: Float64Array }>(keys: K): K {
  const values = keys.values.slice();
  values.set(values.subarray(0, SIZE), values.length - SIZE);
  return { ...keys, values };
}

function takeCurve(curve: motion.Curve, take: Take): void {
  const data = motion.curveToData(curve);
  take(data.size, data.degree, data.knots, data.controls, data.outside);
  const [start, end] = [motion.curveStart(curve), motion.curveEnd(curve)];
  times(41, (k) => {
    const { value, first, second } = motion.evaluateCurve(curve, start + (end - start) * (k / 32 - 0.125));
    take(value, first, second);
  });
}

function takeRotation(curve: motion.RotationCurve, take: Take): void {
  take(curve.knots, curve.kind);
  const start = curve.knots[0];
  const end = curve.knots[curve.knots.length - 1];
  times(41, (k) => {
    const state = motion.evaluateRotation(curve, start + (end - start) * (k / 32 - 0.125));
    take(state.quaternion, state.angularVelocity, state.angularAcceleration);
  });
}

function takeTiming(timing: motion.Timing, take: Take): void {
  times(33, (k) => {
    const { value, first, second } = motion.evaluateTiming(timing, timing.knots[0] + 0.1 * k);
    take(value, first, second);
  });
}

/** Samples of a curve, dense enough to be fitted. */
function samplesOf(curve: motion.Curve, count: number): motion.Keys {
  const [start, end] = [motion.curveStart(curve), motion.curveEnd(curve)];
  const moments = Array.from({ length: count }, (_, k) => start + ((end - start) * k) / (count - 1));
  return { times: moments, values: moments.flatMap((t) => [...motion.evaluateCurve(curve, t).value]) };
}

const rest: Readonly<Record<string, (draw: Draw, take: Take) => void>> = {
  'fit curve': (draw, take) => {
    const samples = samplesOf(motion.catmullRomCurve(keysOf(draw)), 200);
    for (const tolerance of [0.1, 0.01]) {
      const { keys, curve, deviation } = motion.fitCurve(samples, { tolerance, corners: [77] });
      take(keys, deviation);
      takeCurve(curve, take);
    }
  },
  'fit rotations': (draw, take) => {
    const curve = motion.squadCurve(keysOf(draw));
    const { times: moments, quaternions } = motion.sampleRotation(curve, 150);
    for (const tolerance of [0.05, 0.005]) {
      const found = motion.fitRotations({ times: moments, quaternions }, { tolerance });
      take(found.keys, found.deviation);
      takeRotation(found.curve, take);
    }
  },
  simplify: (draw, take) => {
    const keys = keysOf(draw);
    const simple = motion.simplifyCurve(motion.cubicSpline(keys), { tolerance: 0.02 });
    take(simple.keys, simple.deviation);
    const simplified = motion.simplifyRotation(motion.squadCurve(keys), { tolerance: 0.02 });
    take(simplified.keys, simplified.deviation);
  },
  eases: (_, take) => {
    for (const name of motion.EASE_NAMES) {
      const ease = motion.namedEase(name);
      times(17, (k) => take({ ...ease(k / 16) }, name));
    }
    const own = motion.cubicBezierEase(0.3, -0.2, 0.6, 1.4);
    times(17, (k) => take({ ...own(k / 16) }));
  },
  'arc length': (draw, take) => {
    const keys = keysOf(draw);
    const curve = motion.catmullRomCurve(keys);
    take(motion.arcLength(curve), motion.arcLength(motion.squadCurve(keys)));
    const timing = motion.arcLengthTiming(curve, { duration: 4 });
    takeCurve(timing, take);
    const retimed = motion.retimeCurve(curve, timing);
    times(30, (k) => {
      const { value, first, second } = motion.evaluateRetimed(retimed, 0.13 * k);
      take(value, first, second);
    });
  },
  'retimed by an ease': (draw, take) => {
    const keys = keysOf(draw);
    const timing = motion.easeTiming('cubic-in-out', {
      start: 0,
      end: 3,
      from: keys.times[0],
      to: keys.times[COUNT - 1],
    });
    takeTiming(timing, take);
    takeRotation(motion.retimeRotation(motion.rotationSpline(keys), timing), take);
  },
  'speed limits': (draw, take) => {
    const keys = keysOf(draw);
    const curve = motion.cubicSpline(keys);
    const rotation = motion.rotationSpline(keys);
    const timing = motion.speedLimitTiming(
      [
        { motion: curve, rate: 1.5, acceleration: 4 },
        { motion: rotation, rate: 2, acceleration: 6 },
      ],
      { atRest: 'both', resolution: 60 },
    );
    takeCurve(timing, take);
    takeCurve(
      motion.bakeTiming(
        motion.linearCurve(keys),
        motion.linearCurve({ times: [0, 2], values: [keys.times[0], keys.times[3]] }),
      ),
      take,
    );
  },
  convert: (draw, take) => {
    const keys = keysOf(draw);
    const curve = motion.hermiteCurve(keys);
    const [early, late] = motion.splitCurve(curve, keys.times[2] + 0.1);
    takeCurve(early, take);
    takeCurve(motion.joinCurves([early, late]), take);
    takeCurve(motion.sliceCurve(curve, keys.times[1] + 0.05, keys.times[4]), take);
    takeCurve(motion.reverseCurve(curve), take);
    takeCurve(motion.raiseDegree(curve, 5), take);
    take(motion.toBSpline(curve, { repeatKnots: true }), motion.toBezier(curve), motion.toHermite(curve));
  },
  'change of frame': (draw, take) => {
    const keys = keysOf(draw);
    const change = { world: draw.quaternion(), body: draw.quaternion() };
    const curve = motion.squadCurve(keys);
    takeRotation(motion.changeFrame(curve, change), take);
    take(motion.changeKeyFrame(keys, change), motion.compareRotations(curve, motion.slerpCurve(keys)));
    take(motion.frameDependence((of) => motion.squadCurve(of), keys, change));
  },
  'rotation states': (draw, take) => {
    times(30, () => {
      const state = () => ({
        quaternion: draw.quaternion(),
        angularVelocity: draw.vector(),
        angularAcceleration: draw.vector(),
      });
      const out = motion.createRotationState();
      for (const each of [
        motion.composeRotationStates(state(), state(), out),
        motion.invertRotationState(state(), motion.createRotationState()),
        motion.toWorldAxes(state()),
        motion.expRotationState({ value: draw.vector(), first: draw.vector(), second: draw.vector() }, out),
      ]) {
        take(each.quaternion, each.angularVelocity, each.angularAcceleration);
      }
      const { value, first, second } = motion.logRotationState(state(), motion.createCurvePoint(3));
      take(value, first, second, matrixFromRotationVector([value[0], value[1], value[2]]));
    });
  },
  'sampled motions': (draw, take) => {
    for (const figure of [createHumanFigure(), mixedFigure()]) {
      const moments = [0, 0.5, 1.2, 2];
      const clip = motion.createMotion(figure, {
        tracks: Array.from(createPose(figure), (_, coordinate) => ({
          coordinate,
          keys: { times: moments, values: draw.numbers(4, 0.5), tangents: draw.numbers(4) },
        })),
        outside: { before: 'clamp', after: 'offset' },
      });
      const sampler = motion.createMotionSampler(figure, clip);
      const [pose, rates, second] = [0, 0, 0].map(() => createPose(figure));
      times(40, (k) => {
        motion.samplePose(sampler, 0.1 * k - 0.5, pose, rates, second);
        take(pose, rates, second);
        take(motion.sampleQuaternions(sampler, 0.1 * k - 0.5, new Float64Array(4 * figure.bones.length)));
      });
      take(motion.motionToData(clip));
    }
  },
};

export const motions: Section = {
  name: 'motion',
  run(entry) {
    for (const [k, [name, make]] of Object.entries(curves).entries()) {
      const draw = createDraw(700 + k);
      entry(`curve ${name}`, (take) => takeCurve(make(keysOf(draw), draw), take));
    }
    for (const [k, [name, make]] of Object.entries(rotationCurves).entries()) {
      const draw = createDraw(720 + k);
      entry(`rotation curve ${name}`, (take) => takeRotation(make(keysOf(draw), draw), take));
    }
    for (const [k, [name, fill]] of Object.entries(rest).entries()) {
      entry(name, (take) => fill(createDraw(740 + k), take));
    }
  },
};
