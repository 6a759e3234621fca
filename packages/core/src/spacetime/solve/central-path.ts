/**
 * The minimum of a step's model along its central path: for problems where so many sides change at once that an active set is not found by
 * trying. With s >= 0 and mu >= 0 for each side,
 *
 *   H p + g + sum of mu a = 0,   y + a.p + s = mu / k,   s mu = tau,
 *
 * tau going to zero, by Mehrotra's predictor and corrector (*On the implementation of a primal-dual interior point method*, SIAM J. Optim. 2,
 * 1992), for the soft sides k/2 max(0, y + a.p)^2. In practice 4 to 12 factorizations, whatever the number of sides.
 */
import { factorEnvelope, multiplyEnvelope, solveEnvelope } from '../../math/envelope-cholesky.js';
import { addPulls, addSideSquares, type Sides, writeAlong } from './sides.js';
import type { CentralPath } from './slacks.js';
import type { Solver } from './state.js';

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
 * Writes the minimum to `solver.best`, and where it is to `sides.beyond`.
 *
 * @param reach - What the model would gain if no side became active or inactive: more than it can gain, as a rule.
 * @returns whether the minimum was reached; where it was not, `best` is the best that was found.
 */
export function followCentralPath(solver: Solver, reach: number): boolean {
  const { sides, path, best, step } = solver;
  const { count, stiffness } = sides;
  const { slack, push, slackWay, pushWay, product } = path;
  let open = 0;
  for (let c = 0; c < count; c++) if (stiffness[c] > 0) open++;
  begin(sides, path, Math.max((OPENING * reach) / open, Number.MIN_VALUE));
  best.fill(0);
  let left = 1;
  for (let round = 0; ; round++) {
    if (isReached(solver, left)) return true;
    if (round === MOST || !factorPath(solver)) return false;
    const total = sumOfProducts(path, 0);
    for (let c = 0; c < count; c++) product[c] = slack[c] * push[c];
    aim(solver);
    const sigma = (sumOfProducts(path, Math.min(1, roomAhead(path))) / total) ** 3;
    for (let c = 0; c < count; c++) {
      if (stiffness[c] > 0) product[c] += slackWay[c] * pushWay[c] - (sigma * total) / open;
    }
    aim(solver);
    const length = Math.min(1, SHORT * roomAhead(path));
    for (let i = 0; i < best.length; i++) best[i] += length * step[i];
    for (let c = 0; c < count; c++) {
      slack[c] += length * slackWay[c];
      push[c] += length * pushWay[c];
    }
    left *= 1 - length;
  }
}

/** On the path for `tau`, where no step is made: mu - k s = k y and s mu = tau. */
function begin({ count, stiffness, offset }: Sides, { slack, push }: CentralPath, tau: number): void {
  for (let c = 0; c < count; c++) {
    const k = stiffness[c];
    slack[c] = 0;
    push[c] = 0;
    if (k === 0) continue;
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
  const { sides, path, best, work, gradient, modelGradient } = solver;
  const { count, stiffness, offset, beyond } = sides;
  const { slack, push, off } = path;
  multiplyEnvelope(solver.steady, best, work);
  let gain = 0;
  for (let i = 0; i < best.length; i++) {
    const pulled = work[i] + solver.damping * best[i];
    gain -= best[i] * (modelGradient[i] + 0.5 * pulled);
    gradient[i] = modelGradient[i] + pulled;
  }
  writeAlong(sides, solver, best, beyond);
  let gap = 0;
  for (let c = 0; c < count; c++) {
    const k = stiffness[c];
    if (k === 0) continue;
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
  const { sides, path, steady, hessian, damping } = solver;
  const { n, base, values } = hessian;
  for (let c = 0; c < sides.count; c++) {
    const k = sides.stiffness[c];
    sides.weight[c] = k > 0 ? path.push[c] / (path.slack[c] + path.push[c] / k) : 0;
  }
  values.set(steady.values);
  for (let i = 0; i < n; i++) values[base[i] + i] += damping;
  addSideSquares(sides, solver, hessian);
  return factorEnvelope(hessian, hessian);
}

/** Newton's direction that changes s mu by `product` less. */
function aim(solver: Solver): void {
  const { sides, path, gradient, hessian, step } = solver;
  const { count, stiffness, weight, pull, way } = sides;
  const { slack, push, slackWay, pushWay, off, product } = path;
  for (let c = 0; c < count; c++) {
    const k = stiffness[c];
    pull[c] = k > 0 ? push[c] + weight[c] * off[c] - product[c] / (slack[c] + push[c] / k) : 0;
  }
  step.set(gradient);
  addPulls(sides, solver, step);
  for (let i = 0; i < step.length; i++) step[i] = -step[i];
  solveEnvelope(hessian, step);
  writeAlong(sides, solver, step, way);
  for (let c = 0; c < count; c++) {
    const k = stiffness[c];
    if (k === 0) continue;
    pushWay[c] = weight[c] * (way[c] + off[c]) - product[c] / (slack[c] + push[c] / k);
    slackWay[c] = pushWay[c] / k - off[c] - way[c];
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
