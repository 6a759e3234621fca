import { expect, test } from 'vitest';
import {
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  type JointData,
  ratesFromVelocity,
  updateAxisDerivatives,
  velocityFromRates,
} from '../../../src/figure/index.js';
import { COORDINATE_SPACE, VELOCITY_SPACE } from '../../../src/figure/joints/joint.js';
import {
  angularVelocity,
  createRandom,
  derivative,
  expectClose,
  expectSameBits,
  oneJoint,
  randomCoordinates,
  within,
  worldByThree,
} from '../support.js';

const POSES = 100;

/** Poses of one figure with its state. */
interface Case {
  readonly figure: Figure;
  readonly state: FigureState;
  readonly q: Float64Array;
}

/** Tests of every joint type; `data` creates one with random axes. */
export function describeJointAxioms(data: (random: () => number) => JointData, dof: number): void {
  /** Calls `check` at random poses with angles up to `max`, of joints with random axes and rests. */
  const atRandomPoses = (salt: number, max: number, check: (c: Case, random: () => number) => void) => {
    const random = createRandom(salt);
    for (let n = 0; n < POSES; n++) {
      const joint = data(random);
      const figure = oneJoint(joint, random);
      check(
        { figure, state: createState(figure), q: Float64Array.from(randomCoordinates(joint, random, max)) },
        random,
      );
    }
  };

  test(`has ${dof} coordinates`, () => {
    expect(oneJoint(data(createRandom(1)), createRandom(2)).dof).toBe(dof);
  });

  test('J(0) is the identity: at q = 0 the bone is exactly at its rest transform', () => {
    atRandomPoses(3, 3, ({ state, q }) => {
      const rest = Float64Array.from(state.parentFromBone);
      forwardKinematics(state, q);
      forwardKinematics(state, new Float64Array(dof));
      expectClose(state.parentFromBone, rest, 0);
    });
  });

  test('the transform is that of three.js quaternions, 2e-15, angles to 3 rad and past pi', () => {
    for (const max of [1e-9, 0.1, 3, 6]) {
      atRandomPoses(4, max, ({ figure, state, q }) => {
        forwardKinematics(state, q);
        expectClose(state.worldFromBone, worldByThree(figure, q), 2e-15 * Math.max(1, max));
      });
    }
  });

  test('columns with respect to q` are the derivatives of the frame, 1e-12, angles to 3 rad and past pi', () => {
    for (const max of [0.01, 3, 6]) {
      atRandomPoses(5, max, ({ state, q }) => {
        const columns = columnsAt(state, q, 'q');
        for (let i = 0; i < dof; i++) {
          const rate = frameRate(state, q, (p, x) => {
            p[i] += x;
          });
          expectClose(columns.slice(6 * i, 6 * i + 6), rate, 1e-12, `column ${i}`);
        }
      });
    }
  });

  test('columns with respect to v times v are the velocity along q(t) with q` = N v, 1e-11', () => {
    atRandomPoses(6, 3, ({ state, q }, random) => {
      const columns = columnsAt(state, q, 'v');
      const velocity = Float64Array.from({ length: dof }, () => within(random, 1));
      const rates = new Float64Array(dof);
      ratesFromVelocity(state, q, velocity, rates);
      const rate = frameRate(state, q, (p, x) => {
        for (let i = 0; i < dof; i++) p[i] += x * rates[i];
      });
      const boneVelocity = [0, 1, 2, 3, 4, 5].map((row) => {
        let sum = 0;
        for (let i = 0; i < dof; i++) sum += columns[6 * i + row] * velocity[i];
        return sum;
      });
      expectClose(boneVelocity, rate, 1e-11);
    });
  });

  test('axis derivatives are differences of the columns, 1e-11', () => {
    for (const max of [0.01, 3, 6]) {
      atRandomPoses(9, max, ({ state, q }) => {
        const columns = columnsAt(state, q, 'q');
        const own = axisDerivativesAt(state, q);
        for (let j = 0; j < dof; j++) {
          const rate = derivative((x) => {
            const p = Float64Array.from(q);
            p[j] += x;
            return columnsAt(state, p, 'q');
          });
          for (let i = 0; i < dof; i++) {
            // da_i/dq_j is given for i <= j; for j < i it is da_j/dq_i + a_j x a_i.
            const expected = [0, 0, 0];
            const [first, last] = i <= j ? [i, j] : [j, i];
            if (last - first < 3) {
              for (let k = 0; k < 3; k++) expected[k] = own[9 * first + 3 * (last - first) + k];
            }
            if (j < i) {
              const [a, b] = [columns.slice(6 * j, 6 * j + 3), columns.slice(6 * i, 6 * i + 3)];
              for (let k = 0; k < 3; k++) {
                const [m, n] = [(k + 1) % 3, (k + 2) % 3];
                expected[k] += a[m] * b[n] - a[n] * b[m];
              }
            }
            expectClose(rate.slice(6 * i, 6 * i + 3), expected, 1e-11, `axis ${i} by coordinate ${j}`);
            // Translation axes do not depend on the joint's coordinates.
            expectClose(rate.slice(6 * i + 3, 6 * i + 6), [0, 0, 0], 1e-11, `slide ${i} by coordinate ${j}`);
          }
        }
      });
    }
  });

  test('N and N^-1 are inverse, and columns with respect to q` are those with respect to v times N^-1', () => {
    atRandomPoses(7, 3, ({ state, q }, random) => {
      const rates = Float64Array.from({ length: dof }, () => within(random, 1));
      const velocity = new Float64Array(dof);
      const back = new Float64Array(dof);
      velocityFromRates(state, q, rates, velocity);
      ratesFromVelocity(state, q, velocity, back);
      expectClose(back, rates, 1e-13);
      const columnsQ = columnsAt(state, q, 'q');
      const columnsV = columnsAt(state, q, 'v');
      for (let row = 0; row < 6; row++) {
        let byQ = 0;
        let byVelocity = 0;
        for (let i = 0; i < dof; i++) {
          byQ += columnsQ[6 * i + row] * rates[i];
          byVelocity += columnsV[6 * i + row] * velocity[i];
        }
        expectClose([byQ], [byVelocity], 1e-14);
      }
    });
  });

  test('rates and velocities may be written over their input', () => {
    atRandomPoses(8, 3, ({ state, q }, random) => {
      const x = Float64Array.from({ length: dof }, () => within(random, 1));
      const separate = new Float64Array(dof);
      const inPlace = Float64Array.from(x);
      ratesFromVelocity(state, q, x, separate);
      ratesFromVelocity(state, q, inPlace, inPlace);
      expectSameBits(inPlace, separate);
      inPlace.set(x);
      velocityFromRates(state, q, x, separate);
      velocityFromRates(state, q, inPlace, inPlace);
      expectSameBits(inPlace, separate);
    });
  });
}

/** Columns of the moving bone's joint at q, 6 numbers a coordinate. */
export function columnsAt(state: FigureState, q: Float64Array, space: 'q' | 'v'): Float64Array {
  forwardKinematics(state, q);
  const out = new Float64Array(6 * state.figure.dof);
  for (const { type, batch } of state.groups) {
    type.writeColumns(batch, q, state.worldFromBone, space === 'q' ? COORDINATE_SPACE : VELOCITY_SPACE, out);
  }
  return out;
}

/** Axis derivatives of the moving bone's joint at q, 9 numbers a coordinate. */
function axisDerivativesAt(state: FigureState, q: Float64Array): Float64Array {
  forwardKinematics(state, q);
  updateAxisDerivatives(state, q);
  return Float64Array.from(state.axisDerivatives);
}

/** World angular and linear velocity of the moving bone (index 1) along `move` of the pose at q, by differences. */
function frameRate(
  state: FigureState,
  q: Float64Array,
  move: (pose: Float64Array, x: number) => void,
): number[] {
  const frame = (x: number) => {
    const p = Float64Array.from(q);
    move(p, x);
    forwardKinematics(state, p);
    return state.worldFromBone.slice(12, 24);
  };
  const rate = derivative(frame);
  return [...angularVelocity(frame(0), rate), rate[9], rate[10], rate[11]];
}
