import { readFileSync } from 'node:fs';
import { plainGlb } from '@poise/test-support/plain-glb';
import { describeWithData } from '@poise/test-support/shared-data';
import { PoiseError } from 'poise';
import { clampToLimits, createState, forwardKinematics } from 'poise/figure';
import { vec3 } from 'poise/math';
import { createMotionSampler, type Motion, motionFromPoses, samplePose } from 'poise/motion';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Clip,
  emptyClip,
  hasKeys,
  keyId,
  keyTimes,
  putKeys,
  setTangents,
} from '../src/animate/clip/clip.js';
import { errorOf, posesOf } from '../src/animate/clip/clip-from-poses.js';
import { clipMotion, momentOf, poseAt } from '../src/animate/clip/clip-motion.js';
import { jointGroups } from '../src/animate/clip/joint-groups.js';
import { createHuman } from '../src/character/character.js';
import { createRobotArm } from '../src/character/made/robot-arm.js';
import { openCharacter } from '../src/character/open-character.js';
import { arcOf, heightOf, pointOf, secondsFor, topTime, withFlight } from '../src/physical/arc.js';
import { createPhysicalBody } from '../src/physical/body.js';
import { feetIn, flightsOf, slidingOf } from '../src/physical/feet.js';
import { physical, usePhysical } from '../src/physical/physical.js';
import { boxOf, presetProblem } from '../src/physical/presets.js';
import { type KeysRequest, type PhysicalRequest, solvePhysical } from '../src/physical/solve.js';
import type { PhysicalMessage } from '../src/physical/solve-worker.js';
import {
  nearestOf,
  posesIn,
  replaceSpan,
  type Span,
  timesWithKeys,
  withoutKeysAt,
} from '../src/physical/span.js';
import { answerWords, failureWords, lockedWords, missWords, progressWords } from '../src/physical/words.js';
import { Session } from '../src/session/session.js';
import { useStudio } from '../src/session/store.js';
import { placeOf, soles } from './support/presets.js';

const character = createHuman(1.75, () => {
  throw new Error('nothing is drawn');
});
const { figure } = character;
const body = createPhysicalBody(character);
const all = jointGroups(character).map(({ id }) => id);
const stand = Float64Array.from(character.pose);

const SOLVED = { misses: [], isPhysical: true, flies: false, footName: () => 'The left foot' };

/** The standing pose, the body moved up. */
function raised(by: number): Float64Array {
  const pose = stand.slice();
  pose[1] += by;
  return pose;
}

function clipOf(keys: readonly (readonly [number, Float64Array])[], duration: number): Clip {
  return keys.reduce<Clip>((clip, [time, pose]) => putKeys(clip, character, time, pose, all), {
    ...emptyClip(character, character.pose),
    duration,
  });
}

/** A motion through poses evenly over a part. */
function motionOf({ from, to }: Span, poses: readonly Float64Array[]): Motion {
  return motionFromPoses(
    figure,
    poses.map((_, k) => ((to - from) * k) / (poses.length - 1)),
    poses,
  );
}

/** Stands, hops 12 cm high and stands. */
const hop = clipOf(
  [
    [0, stand],
    [0.5, stand],
    [0.7, raised(0.12)],
    [0.9, stand],
    [1.4, stand],
  ],
  1.4,
);
const whole = { from: 0, to: 1.4 };

describe('what touches the floor in a clip', () => {
  it('is heel and toes of both feet before and after a hop, and the flight between', () => {
    const feet = feetIn(hop, character, whole);
    expect(feet.map(({ row }) => row).sort()).toEqual(
      ['Left heel', 'Left toes', 'Right heel', 'Right toes'].flatMap((row) => [row, row]),
    );
    const [flight, ...others] = flightsOf(feet.map(({ contact }) => contact));
    expect(others).toEqual([]);
    expect(flight.from).toBeGreaterThan(0.45);
    expect(flight.from).toBeLessThan(0.65);
    expect(flight.to).toBeGreaterThan(0.75);
    expect(flight.to).toBeLessThan(0.95);
  });

  it('is of the bones that were chosen', () => {
    const { humanoid } = character;
    if (humanoid === undefined) throw new Error('no human');
    const { leftFoot: _, ...bones } = humanoid.bones;
    const feet = feetIn(hop, { ...character, humanoid: { ...humanoid, bones } }, whole);
    expect(new Set(feet.map(({ row }) => row))).toEqual(new Set(['Right heel', 'Right toes']));
  });

  it('slides as far as the root does', () => {
    const moved = stand.slice();
    moved[2] += 0.05;
    const slides = clipOf(
      [
        [0, stand],
        [1, moved],
      ],
      1,
    );
    const contacts = feetIn(slides, character, { from: 0, to: 1 }).map(({ contact }) => contact);
    // From where it is in the middle.
    expect(slidingOf(slides, character, contacts, 1)).toBeCloseTo(25, 1);
    expect(slidingOf(slides, character, contacts, 0.5)).toBeCloseTo(50, 1);
  });
});

describe('a motion in place of a part', () => {
  it('is all of a clip that had no key, as a jump of the presets is', () => {
    const empty = { ...emptyClip(character, character.pose), duration: 1 };
    const poses = Array.from({ length: 61 }, (_, k) => {
      const pose = Float64Array.from(character.pose);
      pose[1] += 0.2 * Math.sin((Math.PI * k) / 60);
      return pose;
    });
    const made = replaceSpan(empty, character, { from: 0, to: 1 }, motionOf({ from: 0, to: 1 }, poses));
    expect(poseAt(made, character, 0.5)[1]).toBeCloseTo(poses[30][1], 3);
  });

  it('goes without a key that was let go as those beside it lead', () => {
    const out = stand.slice();
    out[2] += 0.3;
    const times = Array.from({ length: 61 }, (_, k) => k / 60);
    const clip = {
      ...clipOf(
        times.map((time) => [time, time === 0.5 ? out : stand] as const),
        1,
      ),
      rate: 60,
    };
    const way = (of: Clip) => {
      const poses = posesIn(of, character, { from: 0, to: 1 });
      return poses.reduce((most, pose) => Math.max(most, Math.abs(pose[2] - stand[2])), 0);
    };
    expect(way(clip)).toBeCloseTo(0.3, 6);
    const freed = withoutKeysAt(clip, new Set([0.5]));
    expect(keyTimes(freed)).toHaveLength(60);
    expect(way(freed)).toBeLessThan(1e-9);
    expect(withoutKeysAt(clip, new Set([0.123]))).toBe(clip);
  });

  it('keeps keys outside of it, and its frames within 0.2 degrees', () => {
    const span = { from: 0.5, to: 0.9 };
    const poses = posesIn({ ...hop, rate: 240 }, character, span).map((pose, k, { length }) => {
      const out = pose.slice();
      out[2] += 0.02 * Math.sin((Math.PI * k) / (length - 1)) ** 2;
      return out;
    });
    const changed = replaceSpan(hop, character, span, motionOf(span, poses));
    for (const time of [0, 0.25, 1.2, 1.4])
      expect(poseAt(changed, character, time)[2]).toBeCloseTo(poseAt(hop, character, time)[2], 2);
    poses.forEach((pose, k) => {
      const at = poseAt(changed, character, 0.5 + (0.4 * k) / (poses.length - 1));
      for (let n = 0; n < figure.dof; n++) expect(Math.abs(at[n] - pose[n])).toBeLessThan(0.004);
    });
    expect(keyTimes(changed)).toEqual(expect.arrayContaining([0, 0.5, 0.9, 1.4]));
    expect(
      new Set(keyTimes(changed).map((time) => (30 * time).toFixed(6) === `${(30 * time).toFixed(0)}.000000`)),
    ).toEqual(new Set([true]));
  });

  it('keeps soles within 0.3 mm, with keys at its rates', () => {
    const span = { from: 0, to: 1 };
    const poses = Array.from({ length: 241 }, (_, k) =>
      stand.map((x, n) => x + 0.02 * (1 + Math.cos(n)) * Math.sin((2 * Math.PI * k) / 240 + n)),
    );
    const motion = motionOf(span, poses);
    const empty = { ...emptyClip(character, character.pose), duration: 1 };
    const made = replaceSpan(empty, character, span, motion);
    const { leftLeg, rightLeg, root } = made.keys;
    expect(root.length).toBeLessThan(16);
    for (const leg of [leftLeg, rightLeg])
      expect(leg.map(({ time }) => time)).toEqual(root.map(({ time }) => time));
    const state = createState(figure);
    const corners = (pose: Float64Array) => {
      forwardKinematics(state, pose);
      return soles.flatMap(([bone, points]) => points.map((point) => placeOf(state, bone, point)));
    };
    for (let time = 0; time <= 1; time += 1 / 240) {
      const [is, was] = [poseAt(made, character, time), momentOf(motion, figure, time).pose].map(corners);
      expect(Math.max(...is.map((at, n) => vec3.distance(at, was[n])))).toBeLessThan(0.31e-3);
    }
  });

  it('leaves the motion beside it, where groups have no key at its ends too', () => {
    const pose = (by: number) => stand.map((x, n) => (n < 3 ? x : x + by * Math.sin(n)));
    const sparse = all.reduce<Clip>(
      (clip, group, k) => {
        // Each group has keys at times of its own; those of the part are of the root alone.
        const times = group === 'root' ? [0, 0.5, 0.9, 1.4] : [0.05 * k, 0.3 + 0.02 * k, 1 + 0.03 * k, 1.4];
        const kinds = ['auto', 'smooth', 'linear', 'step', 'flat'] as const;
        return times.reduce(
          (made, time, n) =>
            putKeys(made, character, time, pose(0.02 * ((k + 3 * n) % 5)), [group], kinds[k % 5]),
          clip,
        );
      },
      { ...emptyClip(character, character.pose), duration: 1.4 },
    );
    const span = { from: 0.5, to: 0.9 };
    const poses = posesIn(sparse, character, span).map((at, k, { length }) =>
      at.map((x, n) => x + 0.05 * Math.sin((Math.PI * k) / (length - 1)) ** 2 * Math.cos(n)),
    );
    const changed = replaceSpan(sparse, character, span, motionOf(span, poses));
    for (let time = 0; time < 1.4; time += 0.02) {
      if (time > 0.5 && time < 0.9) continue;
      const [is, was] = [changed, sparse].map((clip) => poseAt(clip, character, time));
      is.forEach((x, n) => {
        expect(Math.abs(x - was[n])).toBeLessThan(2e-4);
      });
    }
    poses.forEach((given, k) => {
      const allowed = given.slice();
      clampToLimits(figure, allowed);
      const at = poseAt(changed, character, 0.5 + (0.4 * k) / (poses.length - 1));
      for (const group of jointGroups(character))
        expect(errorOf(figure, group, at, allowed, character.size)).toBeLessThan(0.5 + 1e-6);
    });
  });

  it('keeps the tangents of the keys at its end, whatever they lead to', () => {
    const span = { from: 0.5, to: 0.9 };
    const ids = new Set(all.flatMap((group) => (hop.keys[group] ?? []).map((key) => keyId(group, key.time))));
    const free = setTangents(hop, ids, (_, key) => key.values.map((__, n) => 0.1 * n));
    const changed = replaceSpan(free, character, span, motionOf(span, posesIn(free, character, span)));
    for (const keys of Object.values(changed.keys))
      for (const key of keys)
        if (key.interpolation === 'free') expect(key.tangent).toHaveLength(key.values.length);
    const at = changed.keys.root.find(({ time }) => Math.abs(time - span.to) < 1e-6);
    expect(at?.tangent).toEqual(free.keys.root.find(({ time }) => Math.abs(time - span.to) < 1e-6)?.tangent);
  });
});

describe('the arc of a jump', () => {
  const span = { from: 0.5, to: 0.9 };
  const arc = arcOf(body.figure, body.gravity, span, (time) => poseAt(hop, character, time));

  it('is a parabola of g from where it leaves the floor to where it comes down', () => {
    expect(heightOf(arc)).toBeCloseTo((9.81 * 0.4 ** 2) / 8, 6);
    expect(topTime(arc)).toBeCloseTo(0.2, 6);
    const [before, at, after] = [0.1, 0.2, 0.3].map((time) => pointOf(arc, time)[1]);
    expect((before - 2 * at + after) / 0.01).toBeCloseTo(-9.81, 6);
    expect(secondsFor(arc, heightOf(arc))).toBeCloseTo(0.4, 6);
    expect(secondsFor(arc, 4 * heightOf(arc))).toBeCloseTo(0.8, 6);
  });

  it('higher, moves the keys after it in whole frames', () => {
    const higher = withFlight(hop, span, 0.8);
    expect(timesWithKeys(higher)).toEqual([0, 0.5, 0.9, 1.3, 1.8].map((time) => Math.round(30 * time) / 30));
    expect(higher.duration).toBeCloseTo(1.8, 9);
    const again = withFlight(higher, { from: 0.5, to: 1.3 }, 0.4);
    expect(timesWithKeys(again)).toEqual(timesWithKeys(hop));
    expect(withFlight(hop, span, 0.401)).toBe(hop);
  });
});

describe('making it physical', () => {
  it('holds two keys on the feet, and says so', () => {
    const bent = stand.slice();
    const bone = figure.bones.find(({ name }) => name === 'leftUpperArm');
    bent[bone?.coordinate ?? 0] += 0.3;
    const clip = clipOf(
      [
        [0, stand],
        [0.4, bent],
      ],
      0.4,
    );
    const span = { from: 0, to: 0.4 };
    const contacts = feetIn(clip, character, span).map(({ contact }) => contact);
    expect(contacts).toHaveLength(4);
    let [steps, worst] = [0, 0];
    const answer = solvePhysical(
      {
        type: 'keys',
        figure: body.figure,
        frames: 24,
        times: [0, 0.4],
        poses: [stand, bent],
        areExact: false,
        contacts,
        gravity: body.gravity,
        locked: body.locked,
      },
      (progress) => {
        steps++;
        const { step, violation, worst: most, round } = progress();
        worst = Math.max(worst, violation);
        expect([step, most, round]).toEqual([steps, worst, 1]);
        expect(progress().poses).toHaveLength(25);
      },
    );
    expect(steps).toBeGreaterThan(2);
    expect(answer.status).toBe('converged');
    expect(answer.force).toBeLessThan(0.05);
    const result = replaceSpan(clip, character, span, answer.motion);
    expect(slidingOf(result, character, contacts, 1)).toBeLessThan(0.3);
    expect(answerWords(answer, SOLVED).tone).toBe('good');
  });

  describeWithData('a VRM', 'vrm/cryptovoxels.vrm', (path) => {
    it('stands on its feet as its keys are written', async () => {
      const vrm = await openCharacter(new File([plainGlb(readFileSync(path))], 'cryptovoxels.vrm'));
      const { figure: massive, gravity, unit, locked } = createPhysicalBody(vrm);
      const session = new Session(vrm);
      const first = session.pose.slice();
      session.beginDrag('leftHand');
      const [x, y, z] = session.handlePosition('leftHand');
      session.dragTo(x, y + 0.1, z + 0.1);
      for (let frame = 0; frame < 60; frame++) session.step(1 / 60);
      const poses = [first, session.pose.slice()];
      const span = { from: 0, to: 0.6 };
      const clip = poses.reduce<Clip>(
        (made, pose, k) =>
          putKeys(
            made,
            vrm,
            0.6 * k,
            pose,
            jointGroups(vrm).map(({ id }) => id),
          ),
        { ...emptyClip(vrm, vrm.pose), duration: 0.6 },
      );
      const contacts = feetIn(clip, vrm, span).map(({ contact }) => contact);
      expect(contacts).toHaveLength(4);
      const answer = solvePhysical({
        type: 'keys',
        figure: massive,
        frames: 1,
        times: [0, 0.6],
        poses,
        areExact: false,
        contacts,
        gravity,
        locked,
      });
      expect(answer.status).toBe('converged');
      const result = replaceSpan(clip, vrm, span, answer.motion);
      expect(slidingOf(result, vrm, contacts, unit)).toBeLessThan(0.3);
      for (const keys of Object.values(result.keys)) expect(keys.length).toBeLessThan(8);
    });
  });

  it('cleans feet that slide, without weight', () => {
    const moved = stand.slice();
    moved[0] += 0.03;
    const clip = clipOf(
      [
        [0, stand],
        [0.4, moved],
      ],
      0.4,
    );
    const span = { from: 0, to: 0.4 };
    const contacts = feetIn(clip, character, span).map(({ contact }) => contact);
    expect(slidingOf(clip, character, contacts, 1)).toBeCloseTo(15, 0);
    const answer = solvePhysical({
      type: 'clean',
      figure: body.figure,
      frames: 24,
      motion: clipMotion(clip, character, 'slides'),
      isPhysical: false,
      contacts,
      gravity: body.gravity,
      locked: body.locked,
    });
    expect(answer.force).toBeUndefined();
    expect(answerWords(answer, { ...SOLVED, isPhysical: false }).title).toBe('The feet hold');
    const result = replaceSpan(clip, character, span, answer.motion);
    expect(slidingOf(result, character, contacts, 1)).toBeLessThan(0.3);
  });

  it('keeps an arm that swings twice a second, where the nearest motion is made physical', () => {
    const { coordinate = 0 } = figure.bones.find(({ name }) => name === 'leftUpperArm') ?? {};
    const times = Array.from({ length: 25 }, (_, k) => k / 24);
    const clip = clipOf(
      times.map((time) => {
        const pose = stand.slice();
        pose[coordinate] += 0.3 * Math.sin(4 * Math.PI * time);
        return [time, pose];
      }),
      1,
    );
    const { motion } = solvePhysical({
      type: 'clean',
      figure: body.figure,
      frames: 24,
      motion: clipMotion(clip, character, 'swings'),
      isPhysical: true,
      contacts: feetIn(clip, character, { from: 0, to: 1 }).map(({ contact }) => contact),
      gravity: body.gravity,
      locked: body.locked,
    });
    const poses = posesOf(figure, motion, figure, 24);
    const swing = (of: readonly Float64Array[]) => {
      const angles = of.map((pose) => pose[coordinate]);
      return Math.max(...angles) - Math.min(...angles);
    };
    expect(swing(poses)).toBeGreaterThan(0.5);
    expect(swing(poses)).toBeLessThan(0.7);
    // As keyed at its ends, where a part meets what is beside it.
    for (const pose of [poses[0], poses[24]])
      for (let n = 0; n < figure.dof; n++) expect(Math.abs(pose[n] - stand[n])).toBeLessThan(0.03);
  });

  it('has no masses of fingers to solve for, and knows gravity', () => {
    expect(body.isFree).toBe(true);
    expect(body.gravity.map((x) => x + 0)).toEqual([0, -9.81, 0]);
    expect(body.locked).toContain('leftToes');
    expect(body.locked).not.toContain('leftFoot');
  });

  it('has presets whose feet stand where the pose has them', () => {
    for (const id of ['jump', 'over-box', 'backflip'] as const) {
      const { terms, duration } = presetProblem(id, character);
      expect(terms.filter(({ type }) => type === 'contact')).toHaveLength(8);
      expect(duration).toBeGreaterThan(1);
    }
  });

  it('jumps over a box that it stands before and lands behind, and that its feet keep clear of', () => {
    expect(boxOf('jump', character)).toBeUndefined();
    for (const size of [1.75, 1.2]) {
      const human = createHuman(size, character.createModel);
      const { size: edges, position } = boxOf('over-box', human) as NonNullable<ReturnType<typeof boxOf>>;
      const [front, back] = [-0.5, 0.5].map((share) => position[2] + share * edges[2]);
      const { terms, duration } = presetProblem('over-box', human);
      for (const term of terms) {
        if (term.type !== 'contact') continue;
        for (const [, y, z] of term.positions as readonly (readonly number[])[]) {
          expect(y).toBe(0);
          if (term.over[0] === 0) expect(z).toBeLessThan(front);
          else expect(z).toBeGreaterThan(back);
        }
      }
      const [clearance] = terms.filter(({ type }) => type === 'clearance');
      expect(clearance).toMatchObject({ world: [{ type: 'box', placement: { position } }] });
      expect(duration).toBe(1.9);
    }
  });
});

describe('words', () => {
  it('say how far it is', () => {
    const progress = {
      step: 7,
      violation: 0.031,
      worst: 1.2,
      gain: 0.02,
      enough: 1e-3,
      round: 1,
      rounds: 4,
    };
    expect(progressWords(progress, true)).toBe('Step 7: off the physics by 3.1 %, from 120 %.');
    expect(progressWords({ ...progress, violation: 1e-6 }, true)).toBe(
      'Step 7: it fits. A step saves 2.0 % of the effort; below 0.1 % it is done.',
    );
    expect(progressWords({ ...progress, violation: 1e-6, gain: 1e-4, round: 2 }, true)).toBe(
      'Step 7 in round 2 of at most 4, at more moments: it fits.',
    );
    expect(progressWords(progress, false)).toBe('Step 7: feet are off by 31 mm, from 1200 mm.');
    for (const [gain, words] of [
      [0.02, 'Step 7: the feet hold. A step comes nearer to the clip by 2.0 %; below 0.1 % it is done.'],
      [1e-4, 'Step 7: the feet hold.'],
    ] as const)
      expect(progressWords({ ...progress, violation: 1e-6, gain }, false)).toBe(words);
    expect(lockedWords(body)).toMatch(/^18 of 22 joints are computed/);
    expect(lockedWords({ ...body, locked: [] })).toBe('');
    const stopped = { status: 'stopped' as const, violation: 0.02, force: undefined, conflicts: [] };
    expect(answerWords(stopped, SOLVED)).toMatchObject({ title: 'As far as it came', tone: 'far' });
    expect(answerWords(stopped, SOLVED).says).toContain('2.0 %');
    expect(answerWords(stopped, { ...SOLVED, isPhysical: false }).says).not.toContain('physics');
    for (const error of [new Error('hessian'), new PoiseError('singular', 'a', { path: 'b', remedy: 'c' })])
      expect(failureWords(error)).toMatch(/shorter part\.$/);
  });

  it('say why a jump is not as high as keyed, and what time it takes', () => {
    const air = { seconds: 0.3, height: (9.81 * 0.3 ** 2) / 8 };
    const words = missWords({ time: 0.6, distance: 0.3, joint: 'the hips', rise: -0.3, air });
    expect(words).toBe(
      'The jump is too high for 0.30 s in the air: give it more time: about 0.58 s, or move the key at 0.60 s.',
    );
  });

  it('say what conflicts, by the foot and the time', () => {
    const answer = {
      status: 'infeasible',
      violation: 0.2,
      force: 0.041,
      conflicts: [{ type: 'contact', bone: 'leftFoot', at: 0.42 }],
    } as const;
    expect(answerWords(answer, SOLVED).says).toBe(
      'The left foot cannot stay where it is at 0.42 s: switch that contact off, or move the key.',
    );
    expect(answerWords({ ...answer, status: 'coarse' }, SOLVED).title).toBe('It nearly holds');
    const converged = { ...answer, status: 'converged' } as const;
    expect(answerWords(converged, SOLVED).says).toBe(
      'Weight and feet hold at every moment that is computed; between two, up to 4.1 % of the weight comes from nowhere.',
    );
    expect(answerWords(converged, { ...SOLVED, flies: true }).title).toBe('It flies');
  });
});

describe('what a worker is asked', () => {
  // The store is that of all tests of a thread.
  const { document } = useStudio.getState();
  const asked: PhysicalRequest[] = [];
  let worker: {
    postMessage(request: PhysicalRequest): void;
    terminate(): void;
    onmessage?: (event: { data: PhysicalMessage }) => void;
  };
  beforeEach(() => {
    asked.length = 0;
    worker = { postMessage: (request) => asked.push(request), terminate: () => {} };
    vi.stubGlobal('Worker', function FakeWorker() {
      return worker;
    });
    vi.stubGlobal('matchMedia', () => ({ matches: true }));
  });
  afterEach(() => {
    physical.cancel();
    physical.leave();
    useStudio.getState().take(document);
    vi.unstubAllGlobals();
  });

  it('is the nearest motion where keys are as dense as what is computed, without what weighs nothing', () => {
    for (const [count, duration, type] of [
      [20, 1.2, 'clean'],
      [19, 1.2, 'keys'],
      [41, 10, 'clean'],
      [40, 10, 'keys'],
      [2, 0.1, 'keys'],
      [6, 0.2, 'keys'],
      [7, 0.2, 'clean'],
    ] as const) {
      const times = Array.from({ length: count }, (_, k) => (duration * k) / (count - 1));
      const clip = { ...clipOf([], duration), rate: 120 };
      const keyed = times.reduce((made, time) => putKeys(made, character, time, stand, all), clip);
      useStudio.getState().take({ ...useStudio.getState().document, character, clip: keyed });
      physical.enter(useStudio.getState().document);
      physical.make();
      const request = asked.at(-1);
      expect([count, request?.type]).toEqual([count, type]);
      if (request === undefined || request.type === 'preset') throw new Error('no keys were asked for');
      expect(request.locked).toEqual(body.locked);
      physical.cancel();
    }
  });

  it('is of the character on screen: what was computed of another is gone with it', () => {
    const clip = clipOf(
      [
        [0, stand],
        [1, stand],
      ],
      1,
    );
    const { take } = useStudio.getState();
    const shown = { ...useStudio.getState().document, character, clip };
    take(shown);
    physical.enter(useStudio.getState().document);
    physical.make();
    const answer = {
      status: 'converged' as const,
      violation: 0,
      force: 0,
      soles: 0,
      conflicts: [],
      motion: motionFromPoses(
        character.figure,
        [0, 1],
        [stand, stand].map((pose) => Float64Array.from(pose)),
      ),
    };
    worker.onmessage?.({ data: { answer } });
    expect(usePhysical.getState().phase).toBe('done');
    // It waits where another mode is looked at.
    physical.leave();
    physical.enter(useStudio.getState().document);
    expect(usePhysical.getState().phase).toBe('done');
    expect(physical.clip).not.toBe(clip);
    physical.cancel();
    // A clip that is changed in another mode, and changed back, ends what is computed.
    physical.make();
    physical.leave();
    take({ ...shown, clip: { ...clip, duration: 2 } });
    worker.onmessage?.({ data: { answer } });
    take(shown);
    physical.enter(useStudio.getState().document);
    expect(usePhysical.getState().phase).toBe('ready');
    physical.make();
    worker.onmessage?.({ data: { answer } });
    // Another character, which the scene has not been told of yet.
    const arm = createRobotArm();
    take({ ...shown, character: arm, pose: arm.pose, pins: new Map() });
    expect(hasKeys(physical.clip)).toBe(false);
    expect([physical.body, physical.before, physical.arcs(), physical.step(0.1)]).toEqual([
      undefined,
      undefined,
      [],
      undefined,
    ]);
    physical.enter(useStudio.getState().document);
    expect(usePhysical.getState().phase).toBe('ready');
    expect(physical.obstacle()).toMatch(/^Key two poses/);
  });

  it('has twice as many knots where keys leave the floor', () => {
    for (const [clip, rate] of [
      [hop, 32],
      [
        clipOf(
          [
            [0, stand],
            [1, stand],
          ],
          1,
        ),
        undefined,
      ],
    ] as const) {
      useStudio.getState().take({ ...useStudio.getState().document, character, clip });
      physical.enter(useStudio.getState().document);
      physical.make();
      expect(asked.at(-1)).toMatchObject({ type: 'keys' });
      expect((asked.at(-1) as KeysRequest).rate).toBe(rate);
      physical.cancel();
    }
  });

  it('has no keys that are let go where the nearest motion is made physical, not where the feet are cleaned', () => {
    const times = Array.from({ length: 50 }, (_, k) => k / 25);
    const clip = clipOf(
      times.map((time) => [time, time === 0.4 ? raised(0.1) : stand]),
      2,
    );
    useStudio.getState().take({ ...useStudio.getState().document, character, clip });
    physical.enter(useStudio.getState().document);
    expect(physical.innerKeys()).toEqual(times.slice(1, -1));
    expect(nearestOf(physical.innerKeys(), 0.41)).toBe(0.4);
    expect([nearestOf(physical.innerKeys(), 9), nearestOf([], 0)]).toEqual([times[48], undefined]);
    physical.toggleKey(0.4);
    physical.clean();
    physical.cancel();
    physical.make();
    const heights = asked.map((request) => {
      if (request.type !== 'clean') throw new Error(`${request.type} was asked for`);
      const { figure, motion } = request;
      return samplePose(createMotionSampler(figure, motion), 0.4, new Float64Array(figure.dof))[1] - stand[1];
    });
    // Frames are not at the times of the keys.
    expect(heights[0]).toBeGreaterThan(0.09);
    expect(heights[1]).toBeLessThan(0.01);
    expect(usePhysical.getState().phase).toBe('works');
  });
});
