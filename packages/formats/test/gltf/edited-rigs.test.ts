/** Motion editing on rigs of files: fixed bones above the free joint, and no masses. */
import { readFileSync } from 'node:fs';
import { describeWithData } from '@poise/test-support/shared-data';
import { createIk, createPose, type Figure, type Motion } from 'poise';
import { createDynamics, createMotorGains, createRagdoll } from 'poise/dynamics';
import { cleanMotion, makePhysical, type PhysicalContact } from 'poise/editing';
import { centerOfMass, createState, findRootJoints, forwardKinematics, worldPoint } from 'poise/figure';
import { createMotion, createMotionSampler, cubicSpline, samplePose } from 'poise/motion';
import { sampleTrajectory } from 'poise/spacetime';
import { expect, test } from 'vitest';
import { readGltfRig } from '../../src/index.js';

/** Farthest that a point of a contact is from where it was at the start, m. */
function slide(figure: Figure, motion: Motion, contacts: readonly PhysicalContact[]): number {
  const state = createState(figure);
  const sampler = createMotionSampler(figure, motion);
  const at = (time: number): number[][] => {
    forwardKinematics(state, samplePose(sampler, time, createPose(figure)));
    return contacts.flatMap(({ bone, points }) => points.map((point) => worldPoint(state, bone, point)));
  };
  const first = at(0);
  return Math.max(
    ...Array.from({ length: 25 }, (_, k) =>
      Math.max(...at((motion.end * k) / 24).map((p, n) => Math.hypot(...p.map((x, i) => x - first[n][i])))),
    ),
  );
}

/** Standing for 0.4 s while the root sways by centimetres. */
function swaying(figure: Figure): Motion {
  const root = figure.bones[findRootJoints(figure)[0]].coordinate;
  const times = Array.from({ length: 13 }, (_, k) => k / 30);
  const values = times.flatMap((t, k) => {
    const pose = createPose(figure);
    for (let i = 0; i < 3; i++)
      pose[root + i] = 0.01 * Math.sin(9 * t + i) + 0.004 * Math.sin(1.7 * k * (i + 1));
    return Array.from(pose);
  });
  return createMotion(figure, { tracks: [{ coordinate: 0, curve: cubicSpline({ times, values }) }] });
}

for (const file of ['gltf/KayKit_Knight.glb', 'gltf/CesiumMan.gltf', 'vrm/cryptovoxels.vrm']) {
  describeWithData(file, file, (path) => {
    const read = (): Figure => readGltfRig(readFileSync(path)).figure;

    test('without masses each function says how to get some, and with those it works', () => {
      const figure = read();
      const keys = { times: [0, 0.4], poses: [createPose(figure), createPose(figure)] };
      const needMasses: ((figure: Figure) => unknown)[] = [
        (rig) => makePhysical(rig, keys, { maxIterations: 1 }),
        (rig) => cleanMotion(rig, swaying(rig), { maxIterations: 1 }),
        (rig) => createDynamics(rig),
        (rig) => createMotorGains(rig),
        (rig) => centerOfMass(createState(rig)),
        (rig) => createIk(rig, [{ type: 'center-of-mass', target: [0, 1, 0] }]),
      ];
      const weighted = createRagdoll(figure, { limits: 'given' }).figure;
      for (const run of needMasses) {
        expect(() => run(figure)).toThrow("take createRagdoll(figure, { limits: 'given' }).figure.");
        run(weighted);
      }
    });

    test('stands on its feet by gravity and contacts alone', () => {
      const { figure, mass } = createRagdoll(read(), { limits: 'given' });
      const keys = { times: [0, 0.4], poses: [createPose(figure), createPose(figure)] };
      const { motion, solution, contacts } = makePhysical(figure, keys, { rate: 10 });
      expect(solution.status).toBe('converged');
      expect(contacts).toHaveLength(4);
      for (const { over } of contacts) expect(over).toEqual([0, 0.4]);
      const root = figure.bones[findRootJoints(figure)[0]].coordinate;
      for (const time of [0, 0.05, 0.13, 0.2, 0.29, 0.4]) {
        const { torques } = sampleTrajectory(solution.trajectory, time);
        for (let i = root; i < root + 6; i++) expect(Math.abs(torques[i])).toBeLessThan(0.002 * 9.81 * mass);
      }
      expect(slide(figure, motion, contacts)).toBeLessThan(1e-3);
    });

    test('feet that slide are found and pinned without physics and without masses', () => {
      const figure = read();
      const clip = swaying(figure);
      const { motion, contacts } = cleanMotion(figure, clip, { physics: false });
      expect(contacts).toHaveLength(4);
      expect(slide(figure, clip, contacts)).toBeGreaterThan(0.01);
      expect(slide(figure, motion, contacts)).toBeLessThan(1e-4);
    });
  });
}
