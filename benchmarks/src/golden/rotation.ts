import * as rotation from './all-names.js';
import type { Take } from './digest.js';
import { createDraw, type Draw, times } from './draw.js';
import type { Section } from './section.js';

const FRAMES = ['world', 'body'] as const;

/** Rotation vectors small, usual, near pi, near 2 pi and beyond. */
function vectors(draw: Draw): [number, number, number][] {
  const sizes = [0, 1e-9, 1e-4, 0.02, 0.5, 1.5, 3, Math.PI, 3.3, 6, 2 * Math.PI, 7, 20];
  return [...sizes, ...sizes].map((size) => {
    const [x, y, z] = draw.direction();
    return [size * x, size * y, size * z];
  });
}

const COUNT = 60;

const entries: Readonly<Record<string, (draw: Draw, take: Take) => void>> = {
  exponential: (draw, take) => {
    for (const v of vectors(draw)) {
      take(rotation.quatFromRotationVector(v), rotation.matrixFromRotationVector(v));
      const cache = rotation.evaluateRotationVector(v, rotation.createRotationCache());
      take(
        rotation.quatFromRotationVector(cache),
        rotation.leftJacobian(cache),
        rotation.matrixPartials(cache),
      );
    }
  },
  logarithm: (draw, take) => {
    for (const v of vectors(draw)) {
      const q = rotation.quatFromRotationVector(v);
      take(rotation.rotationVectorFromQuat(q), rotation.rotationVectorFromQuat(q, draw.vector(6)));
      take(rotation.rotationVectorFromMatrix(rotation.matrixFromRotationVector(v)));
      take(rotation.nearestRotationVector(v, draw.vector(6)));
    }
    times(COUNT, () => take(rotation.rotationVectorFromQuat(draw.quaternion())));
  },
  jacobians: (draw, take) => {
    for (const v of vectors(draw)) {
      take(rotation.leftJacobian(v), rotation.rightJacobian(v));
      if (Math.hypot(...v) < 6) take(rotation.leftJacobianInverse(v), rotation.rightJacobianInverse(v));
      const y = draw.vector();
      take(rotation.leftJacobianProductDerivative(v, y), rotation.rightJacobianProductDerivative(v, y));
      if (Math.hypot(...v) > 6) continue;
      take(rotation.leftJacobianInverseProductDerivative(v, y));
      take(rotation.rightJacobianInverseProductDerivative(v, y));
    }
  },
  partials: (draw, take) => {
    for (const v of vectors(draw)) {
      take(rotation.quatPartials(v), rotation.quatSecondPartials(v));
      take(rotation.matrixPartials(v), rotation.matrixSecondPartials(v));
    }
  },
  rates: (draw, take) => {
    for (const v of vectors(draw).filter((each) => Math.hypot(...each) < 6)) {
      for (const frame of FRAMES) {
        const [a, b] = [draw.vector(), draw.vector()];
        take(rotation.rateFromAngularVelocity(v, a, frame), rotation.angularVelocityFromRate(v, a, frame));
        take(rotation.angularAccelerationFromRates(v, a, b, frame));
        take(rotation.secondRateFromAngularAcceleration(v, a, b, frame));
      }
    }
  },
  charts: (draw, take) => {
    for (const v of vectors(draw)) {
      take(rotation.shellIndex(v), rotation.regularize(v));
      if (Math.hypot(...v) < 0.1) continue;
      take(rotation.reparameterize(v, 1), rotation.reparameterizeTangent(v, draw.vector(), -1));
    }
    const many = draw.numbers(90, 3);
    take(rotation.unwrapRotationVectors(many));
    const [group, tangents] = [draw.numbers(12, 5), draw.numbers(12)];
    take(rotation.regularizeGroup(group, tangents), group, tangents);
  },
  combine: (draw, take) => {
    times(COUNT, () => {
      const [a, b] = [draw.vector(2), draw.vector(2)];
      take(rotation.composeRotationVectors(a, b), rotation.composeRotationVectors(a, b, draw.vector(4)));
      take(rotation.invertRotationVector(a), rotation.angleBetweenRotationVectors(a, b));
      for (const frame of FRAMES) take(rotation.differenceOfRotationVectors(a, b, frame));
    });
  },
  swing: (draw, take) => {
    times(COUNT, (k) => {
      const axes = rotation.createSwingAxes(draw.direction(), k % 2 === 0 ? undefined : draw.direction());
      const r = [draw.normal(), draw.normal()];
      take(axes.s, axes.t, rotation.swingVector(r, axes), rotation.swingFromVector(draw.vector(), axes));
      take(rotation.quatFromSwing(r, axes), rotation.matrixFromSwing(r, axes));
      take(rotation.swingQuatPartials(r, axes), rotation.swingQuatSecondPartials(r, axes));
      take(rotation.swingMatrixPartials(r, axes), rotation.swingMatrixSecondPartials(r, axes));
      take(rotation.swingMetric(r, axes));
      for (const frame of FRAMES) {
        take(rotation.swingJacobian(r, axes, frame));
        take(rotation.angularVelocityFromSwingRate(r, axes, [draw.normal(), draw.normal()], frame));
        take(rotation.swingRateFromAngularVelocity(r, axes, draw.vector(), frame));
      }
    });
  },
  'swing and twist': (draw, take) => {
    times(COUNT, () => {
      const axes = rotation.createSwingAxes(draw.direction());
      const r = [draw.normal(), draw.normal()];
      take(rotation.quatFromSwingTwist(r, draw.normal(), axes));
      const { swing, twist } = rotation.decomposeSwingTwist(draw.quaternion(), axes);
      take(swing, twist);
    });
  },
  twist: (draw, take) => {
    times(COUNT, () => {
      const axis = draw.direction();
      const angle = 3 * draw.normal();
      take(rotation.quatFromTwist(axis, angle), rotation.matrixFromTwist(axis, angle));
      take(rotation.twistQuatPartial(axis, angle), rotation.twistMatrixPartial(axis, angle));
      take(rotation.twistMatrixSecondPartial(axis, angle));
      take(rotation.twistAngleFromQuat(draw.quaternion(), axis));
    });
  },
  'ball and socket': (draw, take) => {
    times(COUNT, () => {
      const axes = rotation.createSwingAxes(draw.direction());
      const q = draw.vector();
      take(rotation.matrixFromBallAndSocket(q, axes), rotation.ballAndSocketMatrixPartials(q, axes));
      take(rotation.ballAndSocketMatrixSecondPartials(q, axes), rotation.ballAndSocketDeterminant(q));
      for (const frame of FRAMES) {
        take(rotation.ballAndSocketJacobian(q, axes, frame));
        take(rotation.ballAndSocketRateFromAngularVelocity(q, axes, draw.vector(), frame));
      }
    });
  },
  euler: (draw, take) => {
    for (const order of rotation.EULER_ORDERS) {
      for (const frame of ['intrinsic', 'extrinsic'] as const) {
        times(8, () => {
          const angles = draw.vector();
          const m = rotation.matrixFromEuler(angles, order, frame);
          const q = rotation.quatFromEuler(angles, order, frame);
          take(m, q, rotation.eulerMatrixPartials(angles, order, frame));
          take(rotation.eulerFromMatrix(m, order, frame), rotation.eulerFromQuat(q, order, frame));
          take(rotation.convertEuler(angles, { order, frame }, { order: 'ZXY' }));
          for (const velocity of FRAMES) {
            take(rotation.eulerJacobian(angles, order, frame, velocity));
            take(rotation.eulerRateFromAngularVelocity(angles, order, frame, draw.vector(), velocity));
          }
          take(rotation.eulerGimbalMeasure(angles, order));
          take(rotation.nearestEulerAngles(angles, order, draw.vector(4)));
        });
      }
    }
  },
  quaternions: (draw, take) => {
    times(COUNT, () => {
      const q = draw.quaternion();
      const any = [draw.normal(), draw.normal(), draw.normal(), draw.normal()] as const;
      take(
        rotation.matrixFromAnyQuat(any),
        rotation.anyQuatMatrixPartials(any),
        rotation.quatMatrixPartials(q),
      );
      take(
        rotation.unitConstraint(any),
        rotation.unitConstraintGradient(any),
        rotation.unitConstraintHessian(),
      );
      for (const frame of FRAMES) {
        take(rotation.quatRateFromAngularVelocity(q, draw.vector(), frame));
        take(rotation.angularVelocityFromQuatRate(q, any, frame));
        take(rotation.matrixRates(rotation.matrixFromAnyQuat(q), frame));
      }
    });
  },
  cayley: (draw, take) => {
    times(COUNT, () => {
      const [g, h] = [draw.vector(), draw.vector()];
      take(rotation.matrixFromCayley(g), rotation.quatFromCayley(g), rotation.composeCayley(g, h));
      take(
        rotation.cayleyFromQuat(draw.quaternion()),
        rotation.cayleyFromMatrix(rotation.matrixFromCayley(h)),
      );
      take(rotation.cayleyFromRotationVector(g), rotation.rotationVectorFromCayley(h));
      for (const frame of FRAMES) take(rotation.cayleyRateFromAngularVelocity(g, h, frame));
    });
  },
  'axis and angle': (draw, take) => {
    times(COUNT, () => {
      const [axis, angle] = [draw.direction(), 4 * draw.normal()];
      take(rotation.matrixFromAxisAngle(axis, angle), rotation.rotationVectorFromAxisAngle(axis, angle));
      const { axis: found, angle: by } = rotation.axisAngleFromQuat(draw.quaternion());
      take(found, by);
    });
  },
};

export const rotations: Section = {
  name: 'rotation',
  run(entry) {
    for (const [k, [name, fill]] of Object.entries(entries).entries()) {
      entry(name, (take) => fill(createDraw(800 + k), take));
    }
  },
};
