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

/** What forward kinematics leaves in the state of a figure. */
interface BallState {
  readonly worldFromBone: Float64Array;
  readonly columnsQ: Numbers;
}

/**
 * A figure of one ball joint without a rest transform. Its kinematics write R and J_r out once more, for speed, so they
 * answer to a bound of their own, {@link FIGURE_BOUND}.
 */
export interface BallFigure<S extends BallState> {
  readonly state: S;
  readonly forwardKinematics: (state: S, pose: Numbers) => void;
  readonly updateMotionSubspaceQ: (state: S, pose: Numbers) => void;
}

/** What R and J_r of a figure may be off by, up to pi. Columns are their product, whose error is about the sum. */
export const FIGURE_BOUND = 1e-15;

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

/** What is read off a figure. */
type FigureQuantity = 'R' | 'Jr' | 'Jl';

/** One row of the table. */
export interface AccuracyRow {
  readonly band: string;
  readonly angle: number;
  /** Bound for the inverse group at this angle, 4 eps x/|sin x|. */
  readonly inverseBound: number;
  /** Largest error of each quantity. */
  readonly errors: Readonly<Record<string, number>>;
  readonly withinBounds: boolean;
  /** Largest errors of a figure's R, J_r and R J_r = J_l. */
  readonly figureErrors: Readonly<Record<FigureQuantity, number>>;
  /** Whether R and J_r keep {@link FIGURE_BOUND} (up to pi). */
  readonly figureWithinBound: boolean;
}

/** Largest errors over `directions` rotation vectors per band, drawn with `seed`. */
export function measureRotationAccuracy<S extends BallState>(
  library: RotationLibrary,
  ball: BallFigure<S>,
  directions: number,
  seed: number,
): AccuracyRow[] {
  const random = seededRandom(seed);
  return ACCURACY_BANDS.map(({ name, angle }) => {
    const errors: Record<string, number> = {};
    for (const [key] of QUANTITIES) errors[key] = 0;
    const figureErrors = { R: 0, Jr: 0, Jl: 0 };
    for (const v of directionsAt(angle, angle === 0 ? 4 : directions, random)) {
      const y = [0, 1, 2].map(() => 4 * random() - 2);
      const exact = rotationVectorOracle(v, y);
      for (const [key, formula] of QUANTITIES) {
        errors[key] = Math.max(errors[key], frobeniusRelativeError(formula(library, v, y), exact[key]));
      }
      const read = readBall(ball, v);
      for (const key of ['R', 'Jr', 'Jl'] as const) {
        figureErrors[key] = Math.max(figureErrors[key], frobeniusRelativeError(read[key], exact[key]));
      }
    }
    const x = 0.5 * angle;
    const inverseBound = 4 * Number.EPSILON * (x === 0 ? 1 : x / Math.abs(Math.sin(x)));
    const withinBounds = QUANTITIES.every(([key, , limit]) => {
      if (limit === 'forward' && angle <= Math.PI) return errors[key] <= 7e-16;
      return limit === 'inverse' ? errors[key] <= inverseBound : true;
    });
    const figureWithinBound = angle > Math.PI || Math.max(figureErrors.R, figureErrors.Jr) <= FIGURE_BOUND;
    return { band: name, angle, inverseBound, errors, withinBounds, figureErrors, figureWithinBound };
  });
}

/**
 * R of a figure at the pose v, and its angular columns, R_world J_r (six numbers a column): as they are for a root, which
 * is J_l, and with R_world set to the identity, which is J_r alone.
 */
function readBall<S extends BallState>(ball: BallFigure<S>, v: Numbers): Record<FigureQuantity, number[]> {
  const { state } = ball;
  const columns = (): number[] => {
    ball.updateMotionSubspaceQ(state, v);
    return Array.from({ length: 9 }, (_, e) => state.columnsQ[6 * (e % 3) + Math.floor(e / 3)]);
  };
  ball.forwardKinematics(state, v);
  const R = Array.from(state.worldFromBone.subarray(0, 9));
  const Jl = columns();
  state.worldFromBone.set([1, 0, 0, 0, 1, 0, 0, 0, 1]);
  return { R, Jl, Jr: columns() };
}
