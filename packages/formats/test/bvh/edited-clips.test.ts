import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBvh } from '@poise/formats';
import { describeWithData } from '@poise/test-support/shared-data';
import { createTransition, detectContacts, editMotion, loopMotion } from 'poise/editing';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { quat } from 'poise/math';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import { quatFromRotationVector, rotationVectorFromQuat } from 'poise/rotation';
import { expect, test } from 'vitest';

/** Pose of a clip at a time. */
function poseOf(figure: Figure, motion: Motion): (time: number) => Float64Array {
  const sampler = createMotionSampler(figure, motion);
  return (time) => samplePose(sampler, time, new Float64Array(figure.dof));
}

/** Where a clip has a point of a bone, world, m. */
function pointOf(
  figure: Figure,
  motion: Motion,
  bone: string,
  point: readonly number[] = [0, 0, 0],
): (time: number) => number[] {
  const pose = poseOf(figure, motion);
  const state = createState(figure);
  const index = figure.bones.findIndex(({ name }) => name === bone);
  return (time) => {
    forwardKinematics(state, pose(time));
    const w = state.worldFromBone.subarray(12 * index, 12 * index + 12);
    return [0, 1, 2].map(
      (r) => w[3 * r] * point[0] + w[3 * r + 1] * point[1] + w[3 * r + 2] * point[2] + w[9 + r],
    );
  };
}

function distance(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...a.map((x, k) => x - b[k]));
}

/** Evenly spaced moments, ends included. */
function moments(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, k) => from + ((to - from) * k) / (count - 1));
}

describeWithData('real clips', 'bvh', (folder) => {
  const load = (file: string, scale: number) => readBvh(readFileSync(join(folder, file)), { scale });
  const rotationsOf = (motion: Motion) =>
    motion.tracks.flatMap(({ coordinate, curve }) => (curve.size >= 3 ? [coordinate + curve.size - 3] : []));

  test.each([
    ['fair_jumping.bvh', 0.04, 2.5, [0.1, 0.15, 0.05]],
    ['cmu_12_01_walk.bvh', 0.056, 2, [0.05, 0.2, 0.1]],
    ['fair_wave_hello.bvh', 0.04, 4, [-0.05, 0.1, 0.05]],
  ] as const)(
    '%s: a hand moves at one time; high-frequency detail and everything outside the window stay',
    (file, scale, at, by) => {
      const { figure, motion: clip } = load(file, scale);
      const { motion, solution } = editMotion(figure, clip, [{ at, bone: 'RightHand', by }]);
      expect(solution.status).toBe('converged');
      const wanted = pointOf(figure, clip, 'RightHand')(at).map((x, k) => x + by[k]);
      expect(distance(pointOf(figure, motion, 'RightHand')(at), wanted)).toBeLessThan(1e-6);
      for (const foot of ['LeftFoot', 'RightFoot']) {
        const directions = [clip, motion].map((each) => pointOf(figure, each, foot)(at));
        expect(directions[1]).toEqual(directions[0]);
      }
      const before = poseOf(figure, clip);
      const after = poseOf(figure, motion);
      for (const t of [0, at - 1.02, at + 1.02, clip.end]) expect(after(t)).toEqual(before(t));
      // At the keys the turn from clip to result is smooth: its fourth differences are far below those of the clip.
      const { knots } = clip.tracks[0].curve;
      const keys = Array.from(knots as ArrayLike<number>).filter((t) => Math.abs(t - at) < 0.9);
      const step = Math.max(1, Math.round(0.03 / (keys[1] - keys[0])));
      const chosen = keys.filter((_, k) => k % step === 0);
      for (const i of rotationsOf(clip)) {
        const change = chosen.map((t) => {
          const from = quatFromRotationVector(
            Array.from(before(t).slice(i, i + 3)) as [number, number, number],
          );
          const to = quatFromRotationVector(Array.from(after(t).slice(i, i + 3)) as [number, number, number]);
          return rotationVectorFromQuat(quat.multiply(to, quat.conjugate(from)));
        });
        const largest = Math.max(...change.flat().map(Math.abs));
        for (let k = 4; k < change.length; k++) {
          for (let c = 0; c < 3; c++) {
            const fourth =
              change[k][c] -
              4 * change[k - 1][c] +
              6 * change[k - 2][c] -
              4 * change[k - 3][c] +
              change[k - 4][c];
            // A cubic spline with knots 0.25 s apart bends its third derivative at knots alone.
            expect(Math.abs(fourth)).toBeLessThan(0.02 * largest + 1e-12);
          }
        }
      }
    },
  );

  test('the hand of an arm that snaps about itself is not kicked by an edit then', () => {
    // The nearly straight arm twists at 26 rad/s, which the hand of the clip hardly sees.
    const { figure, motion: clip } = load('cmu_01_01_hop_turn.bvh', 0.0254 / 0.45);
    const at = clip.start + 0.47 * (clip.end - clip.start);
    const { motion, solution, velocityChange } = editMotion(
      figure,
      clip,
      [{ at, bone: 'RightHand', by: [0.2, -0.15, 0.2] }],
      { pinned: ['LeftFoot', 'RightFoot', 'LeftToeBase', 'RightToeBase'].map((bone) => ({ bone })) },
    );
    expect(solution.status).toBe('converged');
    const [before, after] = [clip, motion].map((each) => {
      const point = pointOf(figure, each, 'RightHand');
      const places = moments(at - 1, at + 1, 481).map(point);
      return Math.max(...places.slice(1).map((p, k) => 240 * distance(p, places[k])));
    });
    // The displacement of 0.32 m alone takes 0.6 m/s; it was 6.9 m/s where the clip has 3.1.
    expect(after).toBeLessThan(before + 0.6);
    expect(velocityChange.change).toBeLessThan(2.5);
  });

  test('feet stay while the hips sink', () => {
    const { figure, motion: clip } = load('cmu_12_01_walk.bvh', 0.056);
    const { motion, solution } = editMotion(figure, clip, [{ at: 2, bone: 'Hips', by: [0, -0.05, 0] }], {
      pinned: [{ bone: 'LeftFoot' }, { bone: 'RightFoot' }],
    });
    expect(solution.status).toBe('converged');
    const directions = [clip, motion].map((each) => pointOf(figure, each, 'Hips')(2));
    expect(
      distance(directions[1], [directions[0][0], directions[0][1] - 0.05, directions[0][2]]),
    ).toBeLessThan(1e-6);
    for (const foot of ['LeftFoot', 'RightFoot']) {
      const was = pointOf(figure, clip, foot);
      const is = pointOf(figure, motion, foot);
      for (const t of moments(1, 3, 9)) expect(distance(is(t), was(t))).toBeLessThan(1e-6);
      for (const t of moments(1, 3, 101)) expect(distance(is(t), was(t))).toBeLessThan(2e-2);
    }
  });

  test.each([
    ['fair_jumping.bvh', 0.04, 'z', 'RightHand', ['LeftFoot', 'RightFoot'], ['LeftToeBase', 'RightToeBase']],
    [
      'cmu_jumping_jacks.bvh',
      0.0254 / 0.45,
      'y',
      'RightWrist',
      ['LeftAnkle', 'RightAnkle'],
      ['LeftToe', 'RightToe'],
    ],
  ] as const)(
    '%s: pinned feet that stand stay between the times of the solve too',
    (file, scale, up, hand, ankles, toes) => {
      const { figure, motion: clip } = readBvh(readFileSync(join(folder, file)), { scale, fileUpAxis: up });
      const at = 0.5 * (clip.start + clip.end);
      const edit = { at, bone: hand, by: [0, 0.2, 0] } as const;
      const pinned = [...ankles, ...toes].map((bone) => ({ bone }));
      const { motion, solution } = editMotion(figure, clip, [edit], { pinned });
      expect(solution.status).toBe('converged');
      expect(
        distance(
          pointOf(figure, motion, hand)(at),
          pointOf(figure, clip, hand)(at).map((x, k) => x + edit.by[k]),
        ),
      ).toBeLessThan(1e-5);
      toes.forEach((toe, foot) => {
        for (const bone of [toe, ankles[foot]]) {
          const [before, after] = [pointOf(figure, clip, bone), pointOf(figure, motion, bone)];
          for (const { over } of detectContacts(figure, clip, [{ bone: toe }]))
            for (const time of moments(over[0], over[1], 121))
              expect(distance(before(time), after(time))).toBeLessThan(2e-3);
        }
      });
    },
  );

  test('the same edit gives the same bits', () => {
    const { figure, motion: clip } = load('cmu_12_01_walk.bvh', 0.056);
    const once = (): Motion =>
      editMotion(figure, clip, [
        { at: [1, 1.4], bone: 'LeftHand', by: [0, 0.1, 0] },
        { at: 3, goal: { type: 'orientation', bone: 'Head', target: [0, 0, 0, 1] } },
      ]).motion;
    const a = once();
    const b = once();
    expect(a.tracks.map(({ curve }) => curve.controls)).toEqual(b.tracks.map(({ curve }) => curve.controls));
  });
});

describeWithData('walks', 'bvh/cmu_12_01_walk.bvh', (path) => {
  const load = () => readBvh(readFileSync(path), { scale: 0.056 });
  const standing = [
    { bone: 'LeftToeBase', points: [[0, 0, 0]] },
    { bone: 'RightToeBase', points: [[0, 0, 0]] },
  ] as const;

  test('contacts are seen where toes are low and slow', () => {
    const { figure, motion } = load();
    const spans = detectContacts(figure, motion, standing);
    expect(spans.length).toBeGreaterThanOrEqual(4);
    for (const { bone, over } of spans) {
      const at = pointOf(figure, motion, bone);
      expect(distance(at(over[0]), at(over[1]))).toBeLessThan(0.12);
    }
    for (const { bone } of standing) {
      const own = spans.filter((span) => span.bone === bone);
      for (let k = 1; k < own.length; k++) expect(own[k].over[0]).toBeGreaterThan(own[k - 1].over[1]);
    }
  });

  test('feet that stand stay at their place at every key of a transition', () => {
    const { figure, motion: clip } = load();
    const { motion, contacts, contactError } = createTransition(figure, clip, clip, {
      at: 3,
      from: 0.9,
      duration: 0.4,
      contactPoints: standing,
    });
    expect(contacts.length).toBeGreaterThan(0);
    // Between keys too.
    expect(contactError).toBeLessThan(1e-4);
    const { knots } = motion.tracks[0].curve;
    for (const { bone, positions, over } of contacts) {
      const at = pointOf(figure, motion, bone);
      const keys = Array.from(knots as ArrayLike<number>).filter((t) => t >= over[0] && t <= over[1]);
      for (const t of keys) expect(distance(at(t), positions[0] as number[])).toBeLessThan(1e-6);
      for (const t of moments(over[0], over[1], 100))
        expect(distance(at(t), positions[0] as number[])).toBeLessThan(2e-4);
    }
  });

  test('and over the seam of a loop', () => {
    const { figure, motion: clip } = load();
    const { motion, contacts, contactError, transform } = loopMotion(figure, clip, {
      from: 1,
      to: 2.1,
      contactPoints: standing,
    });
    // Between keys too.
    expect(contactError).toBeLessThan(1e-4);
    expect(contacts.length).toBeGreaterThan(0);
    expect(Math.hypot(...transform.translation)).toBeGreaterThan(0.5);
    const { knots } = motion.tracks[0].curve;
    for (const { bone, positions, over } of contacts) {
      const at = pointOf(figure, motion, bone);
      const keys = Array.from(knots as ArrayLike<number>).filter((t) => t >= over[0] && t <= over[1]);
      expect(keys.length).toBeGreaterThan(1);
      for (const t of keys) expect(distance(at(t), positions[0] as number[])).toBeLessThan(1e-6);
      for (const t of moments(over[0], over[1], 60))
        expect(distance(at(t), positions[0] as number[])).toBeLessThan(3e-4);
    }
    const hand = pointOf(figure, motion, 'RightHand');
    const h = 1e-3;
    for (let k = 0; k < 3; k++) {
      const left = (hand(motion.end)[k] - hand(motion.end - h)[k]) / h;
      const right = (hand(motion.end + h)[k] - hand(motion.end)[k]) / h;
      expect(Math.abs(right - left)).toBeLessThan(0.05);
    }
  });
});
