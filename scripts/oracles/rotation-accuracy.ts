/**
 * Measures the accuracy of a library of rotation-vector formulas, per band of angle: the largest Frobenius-relative error
 * over many directions against double-double values. The library is handed in, so that tests and the benchmark measure
 * the same thing and this folder still imports nothing of it.
 */
import { ACCURACY_BANDS, directionsAt, seededRandom } from './accuracy-bands.js';
import {
  frobeniusRelativeError,
  type RotationVectorOracle,
  rotationVectorOracle,
} from './rotation-vector.js';

type Numbers = ArrayLike<number>;
type At = (v: Numbers) => Numbers;
type AtWith = (v: Numbers, y: Numbers) => Numbers;
type Framed = (v: Numbers, y: Numbers, frame: 'world' | 'body') => Numbers;

/** The functions measured, under the names that `poise/rotation` gives them. */
export interface RotationLibrary {
  readonly quatFromRotationVector: At;
  readonly quatPartials: At;
  readonly quatSecondPartials: At;
  readonly matrixFromRotationVector: At;
  readonly matrixPartials: At;
  readonly matrixSecondPartials: At;
  readonly leftJacobian: At;
  readonly rightJacobian: At;
  readonly leftJacobianInverse: At;
  readonly rightJacobianInverse: At;
  readonly rateFromAngularVelocity: Framed;
  readonly angularVelocityFromRate: Framed;
  readonly leftJacobianProductDerivative: AtWith;
  readonly rightJacobianProductDerivative: AtWith;
  readonly leftJacobianInverseProductDerivative: AtWith;
  readonly rightJacobianInverseProductDerivative: AtWith;
}

type Formula = (library: RotationLibrary, v: Numbers, y: Numbers) => Numbers;
type Limit = 'forward' | 'inverse' | 'none';

/** What is measured: name, the oracle's values, the library's, and which bound it answers to. */
const QUANTITIES: readonly [keyof RotationVectorOracle, Formula, Limit][] = [
  ['q', (f, v) => f.quatFromRotationVector(v), 'forward'],
  ['dq', (f, v) => f.quatPartials(v), 'forward'],
  ['d2q', (f, v) => f.quatSecondPartials(v), 'forward'],
  ['R', (f, v) => f.matrixFromRotationVector(v), 'forward'],
  ['dR', (f, v) => f.matrixPartials(v), 'forward'],
  ['d2R', (f, v) => f.matrixSecondPartials(v), 'forward'],
  ['Jl', (f, v) => f.leftJacobian(v), 'forward'],
  ['Jr', (f, v) => f.rightJacobian(v), 'forward'],
  ['JlInv', (f, v) => f.leftJacobianInverse(v), 'inverse'],
  ['JrInv', (f, v) => f.rightJacobianInverse(v), 'inverse'],
  ['rateWorld', (f, v, y) => f.rateFromAngularVelocity(v, y, 'world'), 'inverse'],
  ['rateBody', (f, v, y) => f.rateFromAngularVelocity(v, y, 'body'), 'inverse'],
  ['velocityWorld', (f, v, y) => f.angularVelocityFromRate(v, y, 'world'), 'none'],
  ['velocityBody', (f, v, y) => f.angularVelocityFromRate(v, y, 'body'), 'none'],
  ['dJlY', (f, v, y) => f.leftJacobianProductDerivative(v, y), 'none'],
  ['dJrY', (f, v, y) => f.rightJacobianProductDerivative(v, y), 'none'],
  ['dJlInvY', (f, v, y) => f.leftJacobianInverseProductDerivative(v, y), 'none'],
  ['dJrInvY', (f, v, y) => f.rightJacobianInverseProductDerivative(v, y), 'none'],
];

/** One row of the table. */
export interface AccuracyRow {
  readonly band: string;
  readonly angle: number;
  /** Bound for the inverse group at this angle, 4 eps x/|sin x|. */
  readonly inverseBound: number;
  /** Largest error of each quantity. */
  readonly errors: Readonly<Record<string, number>>;
  readonly withinBounds: boolean;
}

/** Largest errors over `directions` rotation vectors per band, drawn with `seed`. */
export function measureRotationAccuracy(
  library: RotationLibrary,
  directions: number,
  seed: number,
): AccuracyRow[] {
  const random = seededRandom(seed);
  return ACCURACY_BANDS.map(({ name, angle }) => {
    const errors: Record<string, number> = {};
    for (const [key] of QUANTITIES) errors[key] = 0;
    for (const v of directionsAt(angle, angle === 0 ? 4 : directions, random)) {
      const y = [0, 1, 2].map(() => 4 * random() - 2);
      const exact = rotationVectorOracle(v, y);
      for (const [key, formula] of QUANTITIES) {
        errors[key] = Math.max(errors[key], frobeniusRelativeError(formula(library, v, y), exact[key]));
      }
    }
    const x = 0.5 * angle;
    const inverseBound = 4 * Number.EPSILON * (x === 0 ? 1 : x / Math.abs(Math.sin(x)));
    const withinBounds = QUANTITIES.every(([key, , limit]) => {
      if (limit === 'forward' && angle <= Math.PI) return errors[key] <= 7e-16;
      return limit === 'inverse' ? errors[key] <= inverseBound : true;
    });
    return { band: name, angle, inverseBound, errors, withinBounds };
  });
}
