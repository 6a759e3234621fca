/**
 * Judges a run from the recorded places and velocities of bodies alone. It imports nothing of any engine: geometry and mechanics are its own. Thresholds
 * and their reasons stand in `thresholds.ts`.
 */
import { conjugate, dot, length, plus, product, rotate, type V } from '../../rigid/vectors.js';
import type { Bone, Drag, Scene, Wall } from '../scene.js';
import { type BodyState, dragForce, firstBodies, pointOf, statesOf, targetOf, teleport } from '../states.js';
import { centerOf, dampingPower, energyOf } from './energy.js';
import { jointError } from './joints.js';
import { largestOverlap } from './overlap.js';
import {
  BEYOND,
  DAMPED_SHARE,
  DEPTH,
  EXPLODED_SHARE,
  GAP_AT_REST,
  GAP_EVER,
  KEPT_SHARE,
  KEPT_STEP,
  LIMIT_AT_REST,
  LIMIT_EVER,
  REST_DISTANCE,
  REST_SECONDS,
  REST_SPEED,
  REST_SPIN,
  SPAN_SHARE,
  SPEED_FACTOR,
  SPEED_FLOOR,
  THROWN_FACTOR,
} from './thresholds.js';

export const FAULTS = [
  'not finite',
  'failed',
  'cut',
  'exploded',
  'separated',
  'limit',
  'deep',
  'tunnelled',
  'moving',
  'gained',
  'lost',
] as const;
export type Fault = (typeof FAULTS)[number];

export interface Verdict {
  /** Each with its measure. */
  readonly faults: ReadonlyMap<Fault, string>;
  readonly worst: {
    /** Of joints and connections at any time and in the last half second, m. */
    readonly gap: number;
    readonly lastGap: number;
    /** Beyond a limit, likewise, rad. */
    readonly limit: number;
    readonly lastLimit: number;
    /** At the end, m. */
    readonly depth: number;
    /** m/s */
    readonly speed: number;
    /** Largest rise of the energy beside what was put in, of all energy there was. */
    readonly rise: number;
  };
}

export interface Judge {
  /** The state before the first step. */
  start(states: Float64Array): void;
  /** The state after a step; what the engine said was wrong with it. False ends the run: there is nothing left to judge. */
  step(step: number, states: Float64Array, trouble?: string): boolean;
  end(): Verdict;
}

/** The error of the joint of a body whose limits an engine was given in another form, rad; undefined for those it has as the scene does. */
export type OwnJointError = (bone: Bone, body: number, rotation: V) => number | undefined;

export function createJudge(scene: Scene, ownError: OwnJointError = () => undefined): Judge {
  const first = firstBodies(scene);
  const bodies = scene.figures.flatMap(({ bones }, f) =>
    bones.map((bone, b) => ({
      bone,
      body: first[f] + b,
      parent: bone.parent < 0 ? -1 : first[f] + bone.parent,
    })),
  );
  const enabled = scene.connections.map(() => true);
  const duration = scene.steps.reduce((sum, dt) => sum + dt, 0);
  const mass = bodies.reduce((sum, { bone }) => sum + bone.mass, 0);
  const hasFloor = scene.world.some(({ type }) => type === 'plane');
  const faults = new Map<Fault, string>();
  const worst = { gap: 0, lastGap: 0, limit: 0, lastLimit: 0, depth: 0, speed: 0, rise: 0 };
  let recorded = new Float64Array(0);
  let last: readonly BodyState[] = [];
  let time = 0;
  /** Energy put in so far: signed, and the sum of its sizes. */
  let [given, handled] = [0, 0];
  let [least, most, lowest, startEnergy, startScale] = [0, 0, 0, 0, 0];
  /** Of the last second: energy times time, and time. */
  let [weighed, weight] = [0, 0];
  /** Of the last second: energy at its start and now; what damping took since, and its power now. */
  let [restEnergy, ownEnergy, damped, power] = [Number.NaN, 0, 0, 0];
  let rise = 0;
  let fastest = 0;
  let thrown = 0;
  let still: number[][] | undefined;
  let [lastSpeed, lastSpin] = [0, 0];
  let broken = false;
  /** Of each wall, the bodies that flew around its end. */
  const around = scene.expect.walls.map(() => new Set<number>());

  const fault = (name: Fault, text: string): void => {
    if (!faults.has(name)) faults.set(name, text);
  };
  const centers = (states: readonly BodyState[]): number[][] =>
    bodies.map(({ bone, body }) => centerOf(bone, states[body]));

  /** What the events of a step put in: exactly for a teleport, at most for an impulse J on a body of velocity v, |J| |v| + J^2 / 2 m. */
  function give(step: number): void {
    for (const event of scene.events) {
      if (event.step !== step) continue;
      if (event.type === 'release') enabled[event.connection] = false;
      if (event.type === 'teleport') {
        const before = total(last);
        teleport(scene, recorded, event);
        last = statesOf(recorded);
        put(total(last) - before);
      }
      if (event.type === 'impulse') {
        const body = scene.figures[event.figure].bones[event.bone];
        const size = length(event.impulse);
        const { velocity, spin } = last[first[event.figure] + event.bone];
        thrown = Math.max(thrown, size / body.mass);
        put(size * (length(velocity) + length(spin) * length(body.center)) + size ** 2 / (2 * body.mass));
      }
    }
  }

  /** Work of the drags in a step: of a force, exactly; of a constraint at most that of its largest force along the target's way and its first gap. */
  function work(step: number, states: readonly BodyState[]): void {
    for (const drag of scene.drags) {
      if (step < drag.from || step >= drag.until) continue;
      if (drag.by === 'force') {
        const from = pointOf(last, first, drag.at);
        const force = dragForce(drag, step, from);
        const way = plus(pointOf(states, first, drag.at).position, from.position, -1);
        if (force) put(dot(force, way));
      } else put(drag.maxForce * targetWay(drag, step));
    }
  }

  function targetWay(drag: Drag, step: number): number {
    const before = step === drag.from ? pointOf(last, first, drag.at).position : targetOf(drag, step - 1);
    return length(plus(targetOf(drag, step), before, -1));
  }

  function put(joules: number): void {
    given += joules;
    handled += Math.abs(joules);
  }

  function total(states: readonly BodyState[]): number {
    const { kinetic, potential } = energyOf(scene, states);
    return kinetic + potential;
  }

  function judgeJoints(states: readonly BodyState[]): void {
    let [gap, limit] = [0, 0];
    for (const { bone, body, parent } of bodies) {
      if (parent < 0) continue;
      const [above, own] = [states[parent], states[body]];
      const joint = plus(above.position, rotate(above.rotation, bone.at));
      gap = Math.max(gap, length(plus(own.position, joint, -1)));
      const rotation = product(conjugate(above.rotation), own.rotation);
      limit = Math.max(limit, ownError(bone, body, rotation) ?? jointError(bone, rotation));
    }
    scene.connections.forEach(({ a, b }, c) => {
      if (!enabled[c]) return;
      const other = 'bone' in b ? pointOf(states, first, b).position : b.point;
      gap = Math.max(gap, length(plus(pointOf(states, first, a).position, other, -1)));
    });
    worst.gap = Math.max(worst.gap, gap);
    worst.limit = Math.max(worst.limit, limit);
    if (duration - time > REST_SECONDS / 2) return;
    worst.lastGap = Math.max(worst.lastGap, gap);
    worst.lastLimit = Math.max(worst.lastLimit, limit);
  }

  function judgeEnergy(states: readonly BodyState[], dt: number): void {
    const { kinetic, potential } = energyOf(scene, states);
    const own = kinetic + potential - given;
    rise = Math.max(rise, own - least);
    least = Math.min(least, own);
    most = Math.max(most, own);
    lowest = Math.min(lowest, potential);
    if (duration - time <= REST_SECONDS) {
      weighed += own * dt;
      weight += dt;
      const before = power;
      power = dampingPower(scene, states);
      if (Number.isNaN(restEnergy)) restEnergy = own;
      else damped += 0.5 * dt * (before + power);
    }
    ownEnergy = own;
  }

  function judgeMotion(states: readonly BodyState[]): void {
    const left = duration - time;
    const [before, here] = [centers(last), centers(states)];
    if (left <= REST_SECONDS) still ??= here;
    bodies.forEach(({ body }, n) => {
      const { velocity, spin } = states[body];
      fastest = Math.max(fastest, length(velocity));
      if (left <= REST_SECONDS / 2) {
        lastSpeed = Math.max(lastSpeed, length(velocity));
        lastSpin = Math.max(lastSpin, length(spin));
      }
      scene.expect.walls.forEach((wall, w) => {
        const outside = wall.offset - dot(wall.normal, here[n]);
        if (outside <= BEYOND || around[w].has(n)) return;
        const passage = crossing(wall, before[n], here[n]);
        if (length(plus(passage, wall.center, -1)) > wall.reach) around[w].add(n);
        else fault('tunnelled', `by ${outside.toFixed(2)} m at ${time.toFixed(2)} s`);
      });
    });
  }

  /** All energy that the scene had and was given: of motion, of the height of its things above each other or the floor, and of what was done to it. */
  const scale = (): number => startScale + handled;

  function judgeEnd(): void {
    const { expect } = scene;
    const here = centers(last);
    const lost = restEnergy - ownEnergy;
    const isDamped = lost > 0 && Math.abs(damped - lost) < DAMPED_SHARE * lost;
    if (expect.rest && !isDamped) {
      const way = Math.max(...here.map((x, n) => length(plus(x, still?.[n] ?? x, -1))));
      if (way > REST_DISTANCE) fault('moving', `${(1000 * way).toFixed(0)} mm in the last second`);
      if (lastSpeed > REST_SPEED) fault('moving', `at ${lastSpeed.toFixed(2)} m/s`);
      if (lastSpin > REST_SPIN) fault('moving', `at ${lastSpin.toFixed(2)} rad/s`);
    }
    const below = hasFloor ? -Math.min(...here.map(([, y]) => y)) : 0;
    if (below > BEYOND && !expect.mayStayInside) fault('tunnelled', `${below.toFixed(2)} m below the floor`);
    worst.depth = largestOverlap(scene, last);
    if (worst.depth > DEPTH && !expect.mayStayInside)
      fault('deep', `${(1000 * worst.depth).toFixed(0)} mm at the end`);
    if (worst.lastLimit > LIMIT_AT_REST) fault('limit', `by ${degrees(worst.lastLimit)} degrees at the end`);
    if (worst.lastGap > GAP_AT_REST) fault('separated', `${(1000 * worst.lastGap).toFixed(1)} mm at the end`);
    if (expect.energy === 'any') return;
    const span = Math.max(startEnergy - lowest, SPAN_SHARE * scale());
    const gained = (most - startEnergy) / span;
    if (gained > KEPT_SHARE) fault('gained', `${(100 * gained).toFixed(2)} % of its energy`);
    const share = (startEnergy - weighed / weight) / span;
    if (share > KEPT_SHARE && expect.energy === 'kept' && scene.steps.every((dt) => dt < KEPT_STEP))
      fault('lost', `${(100 * share).toFixed(1)} % of its energy`);
  }

  return {
    start(numbers) {
      recorded = Float64Array.from(numbers);
      last = statesOf(recorded);
      const states = last;
      const { kinetic, potential } = energyOf(scene, states);
      [startEnergy, least, most, lowest] = [
        kinetic + potential,
        kinetic + potential,
        kinetic + potential,
        potential,
      ];
      const here = centers(states);
      const bounds = [0, 1, 2].map((k) => here.map((x) => x[k]));
      const size = Math.hypot(...bounds.map((xs) => Math.max(...xs) - Math.min(...xs)));
      const height = hasFloor ? Math.max(...bounds[1]) : 0;
      startScale = kinetic + mass * scene.gravity * Math.max(0.5, size, height);
      thrown = Math.max(...bodies.map(({ body }) => length(states[body].velocity)));
    },
    step(step, numbers, trouble) {
      if (trouble !== undefined) fault('failed', `${trouble} at ${time.toFixed(2)} s`);
      give(step);
      time += scene.steps[step];
      if (!numbers.every((x) => Number.isFinite(x))) {
        fault('not finite', `at ${time.toFixed(2)} s`);
        broken = true;
        return false;
      }
      const states = statesOf(numbers);
      work(step, states);
      judgeEnergy(states, scene.steps[step]);
      judgeJoints(states);
      judgeMotion(states);
      recorded.set(numbers);
      last = states;
      return true;
    },
    end() {
      worst.speed = fastest;
      worst.rise = rise / scale();
      if (rise > EXPLODED_SHARE * scale() + scene.expect.released)
        fault('exploded', `by ${rise.toPrecision(3)} J beside ${scale().toPrecision(3)}`);
      const entitled =
        SPEED_FACTOR * Math.sqrt((2 * (scale() + scene.expect.released)) / mass) +
        THROWN_FACTOR * thrown +
        SPEED_FLOOR;
      if (fastest > entitled) fault('exploded', `at ${fastest.toFixed(0)} m/s beside ${entitled.toFixed(0)}`);
      if (worst.gap > GAP_EVER) fault('separated', `${(1000 * worst.gap).toFixed(0)} mm`);
      if (worst.limit > LIMIT_EVER) fault('limit', `by ${degrees(worst.limit)} degrees`);
      if (!broken) {
        if (time > duration - REST_SECONDS / 2) judgeEnd();
        else fault('cut', `after ${time.toFixed(2)} s of ${duration.toFixed(2)}`);
      }
      return { faults, worst };
    },
  };
}

const degrees = (radians: number): string => ((180 * radians) / Math.PI).toFixed(1);

/** Where the way from `before` to `here` passes the plane of a wall. */
function crossing({ normal, offset }: Wall, before: V, here: V): number[] {
  const [from, to] = [dot(normal, before) - offset, dot(normal, here) - offset];
  return from > 0 ? plus(before, plus(here, before, -1), from / (from - to)) : [...before];
}
