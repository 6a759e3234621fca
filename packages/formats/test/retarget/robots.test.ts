/** Recorded clips on robots whose joints of the body are hinges in series. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBvh, readMjcf, readUrdf } from '@poise/formats';
import { describeWithData } from '@poise/test-support/shared-data';
import { createState, type Figure, forwardKinematics, limitViolation } from 'poise/figure';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import { createRetargeter, retargetMotion } from 'poise/retarget';
import { describe, expect, test } from 'vitest';

/** Angle at the middle of three bones, rad: 0 for a straight limb. */
function bendAt(
  figure: Figure,
  motion: Motion,
  names: readonly string[],
  times: readonly number[],
): number[] {
  const state = createState(figure);
  const sampler = createMotionSampler(figure, motion);
  const pose = new Float64Array(figure.dof);
  const bones = names.map((name) => figure.bones.findIndex((bone) => bone.name === name));
  return times.map((time) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    const [a, b, c] = bones.map((bone) => state.worldFromBone.slice(12 * bone + 9, 12 * bone + 12));
    const [u, v] = [b.map((x, k) => x - a[k]), c.map((x, k) => x - b[k])];
    const dot = u.reduce((sum, x, k) => sum + x * v[k], 0);
    return Math.acos(dot / (Math.hypot(...u) * Math.hypot(...v)));
  });
}

describeWithData('a recorded walk on a robot', 'bvh/walk01.bvh', (path) => {
  const folder = join(path, '../..');
  const clip = readBvh(readFileSync(path), { scale: 'auto', fileUpAxis: 'auto' });
  const robots = {
    'Unitree G1': () => readMjcf(readFileSync(join(folder, 'mjcf/unitree_g1.xml'))).figure,
    'PAL Talos': () => readMjcf(readFileSync(join(folder, 'mjcf/pal_talos.xml'))).figure,
    Atlas: () => readUrdf(readFileSync(join(folder, 'urdf/atlas_minimal_contact.urdf'))).figure,
  };
  describe.each(Object.entries(robots))('%s', (_, read) => {
    const retargeter = createRetargeter(clip.figure, read());
    const { motion, report } = retargetMotion(retargeter, clip.motion);

    test('no joint leaves its limits, between frames too', () => {
      const sampler = createMotionSampler(retargeter.target, motion);
      const pose = new Float64Array(retargeter.target.dof);
      for (let k = 0; k <= 400; k++) {
        samplePose(sampler, (motion.end * k) / 400, pose);
        expect(limitViolation(retargeter.target, pose)).toBe(0);
      }
    });

    test('limbs are where the clip has them, whatever the zero of the hinges', () => {
      expect(report.summary.meanOrientationError).toBeLessThan(8);
    });

    test('feet stay where they stand', () => {
      const { summary } = report;
      expect(summary.contactsKept).toBe(1);
      expect(summary.maxSliding).toBeLessThan(1);
      expect(summary.maxPenetration).toBeLessThan(1);
    });
  });

  test('knees and elbows of a G1 bend as those of the person', () => {
    const retargeter = createRetargeter(clip.figure, robots['Unitree G1']());
    const { motion, report } = retargetMotion(retargeter, clip.motion);
    const times = [...report.times];
    const sampler = createMotionSampler(retargeter.target, motion);
    const pose = new Float64Array(retargeter.target.dof);
    const hinge = (name: string): number[] => {
      const { coordinate } = retargeter.target.bones.find((bone) => bone.name === name) as Figure['bones'][0];
      return times.map((time) => samplePose(sampler, time, pose)[coordinate]);
    };
    const meanDifference = (a: readonly number[], b: readonly number[]): number =>
      a.reduce((sum, x, f) => sum + Math.abs(x - b[f]), 0) / a.length;
    for (const [side, letter] of [
      ['left', 'Left'],
      ['right', 'Right'],
    ]) {
      const knee = bendAt(
        clip.figure,
        clip.motion,
        [`${letter}UpLeg`, `${letter}Leg`, `${letter}Foot`],
        times,
      );
      // Hip, knee and ankle of a G1 are not in line at zero.
      expect(meanDifference(hinge(`${side}_knee_link`), knee)).toBeLessThan(0.15);
      // At rest the forearm of a G1 points forward.
      const elbow = bendAt(
        clip.figure,
        clip.motion,
        [`${letter}Arm`, `${letter}ForeArm`, `${letter}Hand`],
        times,
      );
      const own = hinge(`${side}_elbow_link`).map((angle) => Math.PI / 2 - angle);
      expect(meanDifference(own, elbow)).toBeLessThan(0.15);
    }
  });
});

describeWithData('a recorded hop on a robot', 'bvh/cmu_01_01_hop_turn.bvh', (path) => {
  const clip = readBvh(readFileSync(path), { scale: 'auto', fileUpAxis: 'auto' });
  const talos = readMjcf(readFileSync(join(path, '../../mjcf/pal_talos.xml'))).figure;

  test('whose ankles come to their limits: contacts kept, and no jerk of its own', () => {
    const { summary } = retargetMotion(createRetargeter(clip.figure, talos), clip.motion).report;
    expect(summary.contactsKept).toBeGreaterThan(0.98);
    expect(summary.jerkRatio).toBeLessThan(1.5);
  });
});
