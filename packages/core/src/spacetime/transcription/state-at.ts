/** What a motion is at one moment: coordinates, pose, velocities, contact forces; and how these follow from the spline there. */
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { updateMotionSubspaceQ, updateMotionSubspaceV } from '../../figure/kinematics/jacobians.js';
import { createState, type FigureState } from '../../figure/model/state.js';
import type { Path } from './parameterization.js';
import type { ReferenceState } from './reference.js';
import { createTurningBlock, type TurningBlock, writeTurning } from './rotation-chain-rule.js';
import type { ClockRow } from './time-scaling.js';

/** Where a force spline stands at a moment. */
export interface ForceRow {
  /** Index of the contact in the problem. */
  readonly contact: number;
  /** Index of its first control point here. */
  readonly first: number;
  /** Basis values, one for each control point here. */
  readonly values: Float64Array;
}

/** A moment that the problem looks at: all that does not change while it is solved. */
export interface Instant {
  /** Nominal time, s. */
  readonly time: number;
  /** First control point that acts here. */
  readonly first: number;
  /** Rows of the basis: value, first, second and third derivative. */
  readonly basis: Float64Array;
  readonly clock: ClockRow;
  readonly reference: ReferenceState;
  readonly forces: readonly ForceRow[];
}

/** Scratch for one moment, filled by {@link evaluateMoment}. All arrays of coordinates have `figure.dof` numbers. */
export interface Moment {
  readonly path: Path;
  instant: Instant;
  /** Counts evaluations, so that what is worked out once is known to be of this one. */
  stamp: number;
  /** Real time, s; s = dt/du, and ds/du. */
  time: number;
  stretch: number;
  stretchRate: number;
  /** Unknown coordinates x and their derivatives against nominal time. */
  readonly x: readonly Float64Array[];
  /** Pose for the functions of figures; displaced rotations as their principal rotation vectors. */
  readonly pose: Float64Array;
  /** Joint velocities and accelerations against nominal time. */
  readonly nominalVelocity: Float64Array;
  readonly nominalAcceleration: Float64Array;
  /** nu and nu', against real time. */
  readonly velocity: Float64Array;
  readonly acceleration: Float64Array;
  /** For each rotation vector, against nominal time. */
  readonly turnings: readonly TurningBlock[];
  /** Forces at the contact points, N, world axes; those of contacts that are not there are zero. */
  readonly forces: Float64Array;
  readonly state: FigureState;
  /** Stamps of what `state` holds. */
  kinematics: number;
  columnsQ: number;
  columnsNu: number;
}

export function createMoment(path: Path, forcePoints: number): Moment {
  const { dof } = path.figure;
  const room = (): Float64Array => new Float64Array(dof);
  return {
    path,
    instant: undefined as unknown as Instant,
    stamp: 0,
    time: 0,
    stretch: 1,
    stretchRate: 0,
    x: [room(), room(), room(), room()],
    pose: room(),
    nominalVelocity: room(),
    nominalAcceleration: room(),
    velocity: room(),
    acceleration: room(),
    turnings: path.turnings.map(() => createTurningBlock()),
    forces: new Float64Array(3 * forcePoints),
    state: createState(path.figure),
    kinematics: -1,
    columnsQ: -1,
    columnsNu: -1,
  };
}

/** Where the unknown numbers stand. */
export interface Places {
  readonly motion: Int32Array;
  /** First point of each contact among all, how many it has, and where its force numbers stand: 3 a point for each control point. */
  readonly contacts: readonly { readonly point: number; readonly points: number; readonly ids: Int32Array }[];
  readonly clock: Int32Array;
  /** Newtons a unit of the force unknowns. */
  readonly forceScale: number;
}

/** Fills a moment from the unknowns. */
export function evaluateMoment(
  moment: Moment,
  instant: Instant,
  places: Places,
  unknowns: Float64Array,
): void {
  const { path } = moment;
  moment.instant = instant;
  moment.stamp++;
  writeTime(moment, places.clock, unknowns);
  writeSpline(moment, places.motion, unknowns);
  writePose(moment);
  const { stretch: s, stretchRate } = moment;
  const { nominalVelocity, nominalAcceleration, velocity, acceleration } = moment;
  const rate = 1 / s;
  const square = rate * rate;
  const turn = -stretchRate * square * rate;
  for (let i = 0; i < path.figure.dof; i++) {
    velocity[i] = rate * nominalVelocity[i];
    acceleration[i] = square * nominalAcceleration[i] + turn * nominalVelocity[i];
  }
  writeForces(moment, places, unknowns);
}

function writeTime(moment: Moment, clock: Int32Array, unknowns: Float64Array): void {
  const { instant } = moment;
  const { values, slopes, integrals } = instant.clock;
  if (clock.length === 0) {
    moment.time = instant.time;
    return;
  }
  moment.time = 0;
  moment.stretch = 0;
  moment.stretchRate = 0;
  for (let m = 0; m < clock.length; m++) {
    const value = unknowns[clock[m]];
    moment.time += integrals[m] * value;
    moment.stretch += values[m] * value;
    moment.stretchRate += slopes[m] * value;
  }
}

function writeSpline({ path, instant, x }: Moment, places: Int32Array, unknowns: Float64Array): void {
  const { free, basis } = path;
  const width = basis.degree + 1;
  const row = instant.basis;
  for (let c = 0; c < free.length; c++) {
    let x0 = 0;
    let x1 = 0;
    let x2 = 0;
    let x3 = 0;
    for (let j = 0; j < width; j++) {
      const value = unknowns[places[(instant.first + j) * free.length + c]];
      x0 += row[j] * value;
      x1 += row[width + j] * value;
      x2 += row[2 * width + j] * value;
      x3 += row[3 * width + j] * value;
    }
    const i = free[c];
    x[0][i] = x0;
    x[1][i] = x1;
    x[2][i] = x2;
    x[3][i] = x3;
  }
}

/** Pose, and joint velocities against nominal time. */
function writePose(moment: Moment): void {
  const { path, x, pose, nominalVelocity, nominalAcceleration, instant, turnings } = moment;
  const { reference } = instant;
  const { additive, figure } = path;
  for (let i = 0; i < figure.dof; i++) {
    const add = additive[i];
    pose[i] = x[0][i] + (add === 1 ? reference.pose[i] : 0);
    nominalVelocity[i] = x[1][i] + (add === 1 ? reference.rates[i] : 0);
    nominalAcceleration[i] = x[2][i] + (add === 1 ? reference.seconds[i] : 0);
  }
  for (let b = 0; b < turnings.length; b++) {
    const { coordinate, displaced } = path.turnings[b];
    const block = turnings[b];
    writeTurning(x[0], x[1], x[2], coordinate, displaced ? reference.turns[b] : undefined, block);
    for (let k = 0; k < 3; k++) {
      pose[coordinate + k] = block.vector[k];
      nominalVelocity[coordinate + k] = block.nu[k];
      nominalAcceleration[coordinate + k] = block.nuRate[k];
    }
  }
}

function writeForces({ instant, forces }: Moment, places: Places, unknowns: Float64Array): void {
  forces.fill(0);
  for (const { contact, first, values } of instant.forces) {
    const { point, points, ids } = places.contacts[contact];
    const size = 3 * points;
    for (let k = 0; k < size; k++) {
      let sum = 0;
      for (let j = 0; j < values.length; j++) sum += values[j] * unknowns[ids[(first + j) * size + k]];
      forces[3 * point + k] = places.forceScale * sum;
    }
  }
}

/** Forward kinematics of the moment, once. */
export function placed(moment: Moment): FigureState {
  if (moment.kinematics !== moment.stamp) forwardKinematics(moment.state, moment.pose);
  moment.kinematics = moment.stamp;
  return moment.state;
}

/** With the motion columns against q', once. */
export function withColumnsQ(moment: Moment): FigureState {
  const state = placed(moment);
  if (moment.columnsQ !== moment.stamp) updateMotionSubspaceQ(state, moment.pose);
  moment.columnsQ = moment.stamp;
  return state;
}

/** With the motion columns against nu, once. */
export function withColumnsNu(moment: Moment): FigureState {
  const state = placed(moment);
  if (moment.columnsNu !== moment.stamp) updateMotionSubspaceV(state, moment.pose);
  moment.columnsNu = moment.stamp;
  return state;
}
