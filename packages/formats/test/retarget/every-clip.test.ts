import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { boneVertices, readAmc, readAsf, readBvh, readGltfRig } from '@poise/formats';
import { AMC_CLIPS, BVH_CLIPS, bvhOptions, CHARACTERS } from '@poise/test-support/recorded-clips';
import { describeWithData } from '@poise/test-support/shared-data';
import {
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  limitViolation,
  worldPoint,
} from 'poise/figure';
import { createHumanFigure, findHumanoid, withAnatomicalLimits } from 'poise/humanoid';
import { createMotionSampler, type Motion, motionToData, samplePose } from 'poise/motion';
import {
  createLiveRetargeter,
  createRetargeter,
  type Retargeter,
  type RetargetReport,
  retargetMotion,
  retargetPose,
} from 'poise/retarget';
import { describe, expect, test } from 'vitest';

interface Clip {
  readonly figure: Figure;
  readonly motion: Motion;
}

describeWithData('recorded clips on characters', '.', (folder) => {
  const read = (file: string): Buffer => readFileSync(join(folder, file));
  const bvh = (name: string): Clip => readBvh(read(`bvh/${name}.bvh`), bvhOptions(name));
  const clips: [string, () => Clip][] = [
    ...BVH_CLIPS.map((name): [string, () => Clip] => [name, () => bvh(name)]),
    ...AMC_CLIPS.map(({ skeleton, name }): [string, () => Clip] => [
      name,
      () => {
        const asf = readAsf(read(`amc/${skeleton}.asf`));
        return { figure: asf.figure, motion: readAmc(read(`amc/${name}.amc`), asf).motion };
      },
    ]),
  ];
  const rigs = CHARACTERS.map((file) => {
    const rig = readGltfRig(read(file));
    return { figure: rig.figure, targetVertices: boneVertices(rig) };
  });

  const retargeted = new Map<string, ReturnType<typeof onEveryCharacter>>();
  const onEveryCharacter = (load: () => Clip) => {
    const { figure, motion } = load();
    return rigs.map(({ figure: target, targetVertices }) => {
      const retargeter = createRetargeter(figure, target, { targetVertices });
      return { ...retargetMotion(retargeter, motion), target: retargeter.target, targetVertices };
    });
  };
  /** The clip on each character, made once for all tests. */
  const onCharacters = (name: string, load: () => Clip) => {
    const all = retargeted.get(name) ?? onEveryCharacter(load);
    retargeted.set(name, all);
    return all;
  };

  test.each(clips)(
    '%s: feet stay where they stand on every character, and are not below the ground',
    (name, load) => {
      for (const { report } of onCharacters(name, load)) {
        const { maxSliding, medianSliding, maxPenetration, contactsKept } = report.summary;
        expect(maxSliding).toBeLessThan(0.5);
        expect(medianSliding).toBeLessThan(0.1);
        expect(maxPenetration).toBeLessThan(1);
        expect(contactsKept).toBe(1);
      }
    },
  );

  test.each(clips)(
    '%s: no vertex of a sole is in the ground, and the sole below the toe joint stays',
    (name, load) => {
      for (const { target, motion, report, targetVertices } of onCharacters(name, load)) {
        const { depth, sliding } = measureFeet(target, motion, report, targetVertices);
        // The ends of feet were those of boxes about their meshes: vertices beside and behind them were up to 7 mm in the ground, and the ball slid 6 mm.
        expect(depth).toBeLessThan(2e-3);
        expect(sliding).toBeLessThan(5e-4);
      }
    },
  );

  test.each(clips)('%s: within limits feet stay out of the ground, and most contacts are kept', (_, load) => {
    const { figure, motion } = load();
    for (const target of [createHumanFigure(), withAnatomicalLimits(rigs[1].figure)]) {
      const retargeter = createRetargeter(figure, target);
      const { motion: result, report } = retargetMotion(retargeter, motion);
      const sampler = createMotionSampler(retargeter.target, result);
      const pose = new Float64Array(target.dof);
      let largest = 0;
      report.times.forEach((time, f) => {
        const next = report.times[f + 1] ?? time;
        for (const share of [0, 0.3, 0.7]) {
          samplePose(sampler, time + share * (next - time), pose);
          largest = Math.max(largest, limitViolation(target, pose));
        }
      });
      expect(largest).toBeLessThan(1e-9);
      // Ankles at their limits put soles 22 mm into the ground, and lost a quarter of the contacts of a walk.
      expect(report.summary.maxPenetration).toBeLessThan(0.6);
      // A foot that landed at the limits of its leg came down on its edge and slid 12 mm: 2 % of the contacts of the hop were lost, and 9 % of the jumping jacks'.
      expect(report.summary.contactsKept).toBeGreaterThan(0.99);
      expect(report.summary.medianSliding).toBeLessThan(0.2);
    }
  });

  // Legs that jumped from one solution of their limits to another, and feet that were pulled off the ground as the hips were moved: 2.3 to 4.4.
  test.each([
    ['fair_jumping', 2.4],
    ['pymo_meredith_walk_high_valence', 1.7],
  ])('%s: ankles have no pops where limits begin and end', (name, most) => {
    const { figure, motion } = bvh(name);
    const { figure: character, targetVertices } = rigs[1];
    const retargeters = [
      createRetargeter(figure, createHumanFigure()),
      createRetargeter(figure, withAnatomicalLimits(character), { targetVertices }),
    ];
    for (const retargeter of retargeters) {
      const { motion: result, report } = retargetMotion(retargeter, motion);
      const jerk = ankleJerk(retargeter.target, result, report.times);
      expect(jerk / retargeter.scale / ankleJerk(figure, motion, report.times)).toBeLessThan(most);
    }
  });

  describe('frame by frame', () => {
    test.each([0, 1, 2, 3])('a foot that is pinned stays, character %i', (index) => {
      const { figure, motion } = bvh('cmu_12_01_walk');
      const { figure: target, targetVertices } = rigs[index];
      const retargeter = createRetargeter(figure, target, { targetVertices });
      expect(slidingOf(retargeter, figure, motion)).toBeLessThan(1e-3);
    });
  });

  test('figures and clips given are not changed', () => {
    const { figure, motion } = bvh('walk01');
    const before = JSON.stringify([figure.bones, motionToData(motion), rigs[0].figure.bones]);
    retargetMotion(createRetargeter(figure, rigs[0].figure), motion);
    expect(JSON.stringify([figure.bones, motionToData(motion), rigs[0].figure.bones])).toBe(before);
  });

  test('a character whose feet stand beside its legs gets joints that let them move', () => {
    const { figure, motion } = bvh('walk01');
    const { target } = createRetargeter(figure, rigs[3].figure);
    const { leftFoot, rightFoot } = findHumanoid(rigs[3].figure)?.bones ?? {};
    expect([leftFoot, rightFoot].map((bone) => target.bones[bone as number].joint.type)).toEqual([
      'free',
      'free',
    ]);
    expect(retargetMotion(createRetargeter(figure, rigs[3].figure), motion).motion.dof).toBe(target.dof);
  });
});

/** Root of the sum of squared third differences of the ankles. */
function ankleJerk(figure: Figure, motion: Motion, times: Float64Array): number {
  const { leftFoot, rightFoot } = findHumanoid(figure)?.bones ?? {};
  const state = createState(figure);
  const sampler = createMotionSampler(figure, motion);
  const pose = new Float64Array(figure.dof);
  const rows = Array.from(times, (time) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    return [leftFoot, rightFoot].flatMap((foot) => Array.from(worldPoint(state, foot as number, [0, 0, 0])));
  });
  let sum = 0;
  for (let f = 3; f < rows.length; f++)
    for (let k = 0; k < 6; k++)
      sum += (rows[f][k] - 3 * rows[f - 1][k] + 3 * rows[f - 2][k] - rows[f - 3][k]) ** 2;
  return Math.sqrt(sum);
}

/** By the rig alone: depth of the lowest vertex of the soles, and how far the point below the joint of the toes moves in contacts of the ball, m. */
function measureFeet(
  figure: Figure,
  motion: Motion,
  { times, contacts }: RetargetReport,
  vertices: Readonly<Record<string, Float64Array>>,
): { readonly depth: number; readonly sliding: number } {
  const { bones = {} } = findHumanoid(figure) ?? {};
  const state = createState(figure);
  const sampler = createMotionSampler(figure, motion);
  const pose = new Float64Array(figure.dof);
  forwardKinematics(state, pose);
  // Of each side the vertices within 5 % of the foot's height at rest.
  const meshes = (['left', 'right'] as const).flatMap((side) => {
    const own = [bones[`${side}Foot`], bones[`${side}Toes`]].flatMap((bone) => {
      const list = bone === undefined ? undefined : vertices[figure.bones[bone].name];
      return bone === undefined || list === undefined ? [] : [{ bone, list }];
    });
    const heights = own.flatMap(({ bone, list }) => Array.from(heightsOf(state, bone, list)));
    const [low, high] = [Math.min(...heights), Math.max(...heights)];
    return own.map(({ bone, list }) => {
      const each = heightsOf(state, bone, list);
      return { bone, low, list: list.filter((_, i) => each[Math.floor(i / 3)] < low + 0.05 * (high - low)) };
    });
  });
  const balls = contacts.flatMap((contact) => {
    if (!('foot' in contact) || contact.point !== 'ball') return [];
    const [foot, toes] = [bones[`${contact.foot}Foot`], bones[`${contact.foot}Toes`]];
    if (foot === undefined || toes === undefined) return [];
    const sole = meshes.find(({ bone }) => bone === foot)?.low as number;
    const [x, , z] = worldPoint(state, toes, [0, 0, 0]);
    return [{ foot, spans: contact.spans, point: bonePoint(state, foot, [x, sole, z]), from: [0, 0] }];
  });
  let depth = 0;
  let sliding = 0;
  times.forEach((time, f) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    for (const { bone, list } of meshes)
      depth = Math.max(depth, ...heightsOf(state, bone, list).map((y) => -y));
    for (const ball of balls) {
      const span = ball.spans.find(([from, to]) => from <= f && f <= to);
      if (span === undefined) continue;
      const [x, , z] = worldPoint(state, ball.foot, ball.point);
      if (span[0] === f) ball.from = [x, z];
      sliding = Math.max(sliding, Math.hypot(x - ball.from[0], z - ball.from[1]));
    }
  });
  return { depth, sliding };
}

function heightsOf({ worldFromBone: w }: FigureState, bone: number, list: Float64Array): Float64Array {
  const o = 12 * bone;
  return Float64Array.from({ length: list.length / 3 }, (_, v) => {
    const i = 3 * v;
    return w[o + 3] * list[i] + w[o + 4] * list[i + 1] + w[o + 5] * list[i + 2] + w[o + 10];
  });
}

function bonePoint({ worldFromBone: w }: FigureState, bone: number, p: readonly number[]): number[] {
  const o = 12 * bone;
  const d = p.map((x, k) => x - w[o + 9 + k]);
  return [0, 1, 2].map((c) => w[o + c] * d[0] + w[o + 3 + c] * d[1] + w[o + 6 + c] * d[2]);
}

/** Largest distance along the ground of a pinned point from where it was first pinned, m. */
function slidingOf(retargeter: Retargeter, figure: Figure, motion: Motion): number {
  const live = createLiveRetargeter(retargeter);
  const sampler = createMotionSampler(figure, motion);
  const state = createState(retargeter.target);
  const out = new Float64Array(retargeter.target.dof);
  const pose = new Float64Array(figure.dof);
  const pinned = live.feet.map(() => ({ by: 0, from: [0, 0, 0] }));
  let most = 0;
  for (let time = motion.start; time < motion.end; time += 1 / 60) {
    retargetPose(live, samplePose(sampler, time, pose), time, out);
    forwardKinematics(state, out);
    live.feet.forEach(({ pinned: by }, l) => {
      const leg = retargeter.alignment.legs[l];
      const at = worldPoint(state, leg.foot, by === 2 ? leg.ball : leg.heel);
      if (by !== pinned[l].by) pinned[l] = { by, from: Array.from(at) };
      else if (by !== 0)
        most = Math.max(most, Math.hypot(at[0] - pinned[l].from[0], at[2] - pinned[l].from[2]));
    });
  }
  return most;
}
