/**
 * The minimum of a step's model along its central path: for problems where so many sides change at once that an active set is not found by
 * trying. With s >= 0 and mu >= 0 for each side,
 *
 *   H p + g + sum of mu a = 0,   y + a.p + s = mu / k,   s mu = tau,
 *
 * tau going to zero, by Mehrotra's predictor and corrector (*On the implementation of a primal-dual interior point method*, SIAM J. Optim. 2,
 * 1992), for the soft sides k/2 max(0, y + a.p)^2. In practice 4 to 12 factorizations, whatever the number of sides. Walls stay as they are.
 */
import { factorEnvelope, multiplyEnvelope, solveEnvelope } from '../../math/linear/envelope-cholesky.js';
import { addPulls, addSideSquares, type Sides, writeAlong } from './inequality-constraints.js';
import type { CentralPath } from './slacks.js';
import type { Solver } from './solver-state.js';

/** How many factorizations at most. */
const MOST = 25;
/** Of the gain: how far from the minimum it may end, by the duality gap; and how much of the first gradient may be left. */
const GAP = 1e-3;
const UNBALANCED = 1e-3;
/** Of the way to where a side would be passed. */
const SHORT = 0.995;
/** Of what the first step of the active set would gain: the sum of s mu at the start. Too much costs a round or two, too little many. */
const OPENING = 3;

/**
 * Writes the minimum to `solver.step`, and where it is to `sides.beyond`.
 *
 * @param reach - What the model would gain if no side became active or inactive: more than it can gain, as a rule.
 * @returns whether the minimum was reached; where it was not, `step` is the last that was found.
 */
export function followCentralPath(solver: Solver, reach: number): boolean {
  const { sides, path, last, step } = solver;
  const { slack, push, slackWay, pushWay, product } = path;
  const count = sides.offset.length;
  begin(sides, path, Math.max((OPENING * reach) / count, Number.MIN_VALUE));
  last.fill(0);
  let left = 1;
  let isThere = false;
  for (let round = 0; ; round++) {
    isThere = isReached(solver, left);
    if (isThere || round === MOST || !factorPath(solver)) break;
    const total = sumOfProducts(path, 0);
    for (let c = 0; c < count; c++) product[c] = slack[c] * push[c];
    aim(solver);
    const sigma = (sumOfProducts(path, Math.min(1, roomAhead(path))) / total) ** 3;
    for (let c = 0; c < count; c++) product[c] += slackWay[c] * pushWay[c] - (sigma * total) / count;
    aim(solver);
    const length = Math.min(1, SHORT * roomAhead(path));
    for (let i = 0; i < last.length; i++) last[i] += length * step[i];
    for (let c = 0; c < count; c++) {
      slack[c] += length * slackWay[c];
      push[c] += length * pushWay[c];
    }
    left *= 1 - length;
  }
  step.set(last);
  for (let c = 0; c < count; c++) sides.lead[c] = push[c] - sides.weight[c] * sides.beyond[c];
  return isThere;
}

/** On the path for `tau`, where no step is made: mu - k s = k y and s mu = tau. */
function begin({ offset, stiffness }: Sides, { slack, push }: CentralPath, tau: number): void {
  for (let c = 0; c < offset.length; c++) {
    const k = stiffness[c];
    const y = offset[c];
    const root = Math.sqrt(y * y + (4 * tau) / k);
    // The larger of both without cancellation.
    const large = 0.5 * (Math.abs(y) + root);
    push[c] = y > 0 ? k * large : tau / large;
    slack[c] = y > 0 ? tau / (k * large) : large;
  }
}

/** Whether the step so far is the minimum; writes the gradient without sides, and how far sides are off the path. */
function isReached(solver: Solver, left: number): boolean {
  const { sides, rows, path, last, work, base, baseGradient, gradient } = solver;
  const { stiffness, offset, beyond } = sides;
  const { slack, push, off } = path;
  multiplyEnvelope(base, last, work);
  let gain = 0;
  for (let i = 0; i < last.length; i++) {
    gain -= last[i] * (baseGradient[i] + 0.5 * work[i]);
    gradient[i] = baseGradient[i] + work[i];
  }
  writeAlong(sides, rows, last, beyond);
  let gap = 0;
  for (let c = 0; c < offset.length; c++) {
    const k = stiffness[c];
    const y = beyond[c] + offset[c];
    beyond[c] = y;
    off[c] = y + slack[c] - push[c] / k;
    const now = Math.max(0, y);
    const before = Math.max(0, offset[c]);
    gain -= 0.5 * k * (now * now - before * before);
    // What the energy of a side and its conjugate are apart (Fenchel and Young).
    gap += 0.5 * k * now * now + push[c] * ((0.5 * push[c]) / k - y);
  }
  return left <= UNBALANCED && gap <= GAP * gain;
}

/** Factors H + sum of w a a^T, w = mu / (s + mu / k). */
function factorPath(solver: Solver): boolean {
  const { sides, rows, path, base, hessian } = solver;
  const { slack, push } = path;
  for (let c = 0; c < slack.length; c++) {
    sides.weight[c] = push[c] / (slack[c] + push[c] / sides.stiffness[c]);
  }
  hessian.values.set(base.values);
  addSideSquares(sides, rows, hessian);
  solver.systems++;
  return factorEnvelope(hessian, hessian);
}

/** Newton's direction that changes s mu by `product` less. */
function aim(solver: Solver): void {
  const { sides, rows, path, gradient, hessian, step } = solver;
  const { stiffness, weight, pull, way } = sides;
  const { slack, push, slackWay, pushWay, off, product } = path;
  for (let c = 0; c < pull.length; c++) {
    pull[c] = push[c] + weight[c] * off[c] - product[c] / (slack[c] + push[c] / stiffness[c]);
  }
  step.set(gradient);
  addPulls(sides, rows, step);
  for (let i = 0; i < step.length; i++) step[i] = -step[i];
  solveEnvelope(hessian, step);
  writeAlong(sides, rows, step, way);
  for (let c = 0; c < pull.length; c++) {
    pushWay[c] = weight[c] * (way[c] + off[c]) - product[c] / (slack[c] + push[c] / stiffness[c]);
    slackWay[c] = pushWay[c] / stiffness[c] - off[c] - way[c];
  }
}

/** The sum of s mu, a share of the way on. */
function sumOfProducts({ slack, push, slackWay, pushWay }: CentralPath, share: number): number {
  let sum = 0;
  for (let c = 0; c < slack.length; c++) {
    sum += (slack[c] + share * slackWay[c]) * (push[c] + share * pushWay[c]);
  }
  return sum;
}

/** How far the way goes until a slack or multiplier is zero. */
function roomAhead({ slack, push, slackWay, pushWay }: CentralPath): number {
  let room = Number.POSITIVE_INFINITY;
  for (let c = 0; c < slack.length; c++) {
    if (slackWay[c] < 0) room = Math.min(room, -slack[c] / slackWay[c]);
    if (pushWay[c] < 0) room = Math.min(room, -push[c] / pushWay[c]);
  }
  return room;
}
