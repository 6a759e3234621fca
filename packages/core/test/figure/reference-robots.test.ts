import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithData, sharedData } from '@poise/test-support/shared-data';
import { describe, expect, test } from 'vitest';
import {
  boneIndex,
  createFigure,
  createState,
  forwardKinematics,
  frameJacobianQ,
  updateMotionSubspaceQ,
} from '../../src/figure/index.js';
import * as quat from '../../src/math/geometry/quat.js';
import { largestGap } from './support.js';
import { childOfJoint, figureDataFromUrdf } from './support-urdf.js';

interface Reference {
  readonly robot: string;
  readonly joint_order: readonly string[];
  readonly tips: readonly string[];
  readonly samples: readonly {
    readonly q: readonly number[];
    readonly link_pose: Readonly<Record<string, readonly number[]>>;
    readonly jacobian: Readonly<Record<string, readonly (readonly number[])[]>>;
  }[];
}

/** The references are printed with 13 digits, over coordinates that were rounded to as many; 1.0e-12 is the most seen. */
const TOLERANCE = 3e-12;

const folder = sharedData('reference/urdf');
const robots = folder === undefined ? ['none'] : readdirSync(folder).map((file) => file.replace('.json', ''));

/** Reference values: numpy kinematics checked against MuJoCo, made by others (shared data, reference/urdf). */
describeWithData('reference robots', 'reference/urdf', (path) => {
  describe.each(robots)('%s', (robot) => {
    const load = () => {
      const reference: Reference = JSON.parse(readFileSync(join(path, `${robot}.json`), 'utf8'));
      const xml = readFileSync(join(path, '../../urdf', reference.robot), 'utf8');
      const figure = createFigure(figureDataFromUrdf(xml));
      const child = childOfJoint(xml);
      const coordinates = reference.joint_order.map(
        (name) => figure.bones[boneIndex(figure, child.get(name) ?? name)].coordinate,
      );
      return { reference, figure, state: createState(figure), coordinates };
    };

    const poseOf = (q: readonly number[], coordinates: readonly number[], dof: number) => {
      const pose = new Float64Array(dof);
      q.forEach((x, k) => {
        pose[coordinates[k]] = x;
      });
      return pose;
    };

    test('frames of all links', () => {
      const { reference, figure, state, coordinates } = load();
      expect(figure.dof).toBe(reference.joint_order.length);
      for (const sample of reference.samples) {
        forwardKinematics(state, poseOf(sample.q, coordinates, figure.dof));
        for (const [link, [x, y, z, ...rotation]] of Object.entries(sample.link_pose)) {
          const o = 12 * boneIndex(figure, link);
          const expected = [...quat.toMatrix(quat.normalize(rotation)), x, y, z];
          expect(largestGap(state.worldFromBone.slice(o, o + 12), expected)).toBeLessThan(TOLERANCE);
        }
      }
    });

    test('Jacobians of the tips', () => {
      const { reference, figure, state, coordinates } = load();
      for (const sample of reference.samples) {
        const pose = poseOf(sample.q, coordinates, figure.dof);
        forwardKinematics(state, pose);
        updateMotionSubspaceQ(state, pose);
        for (const tip of reference.tips) {
          const bone = boneIndex(figure, tip);
          const jacobian = new Float64Array(6 * figure.dof);
          frameJacobianQ(state, bone, state.worldFromBone.slice(12 * bone + 9, 12 * bone + 12), jacobian);
          const ours = sample.jacobian[tip].map((_, row) =>
            coordinates.map((c) => jacobian[row * figure.dof + c]),
          );
          expect(largestGap(ours.flat(), sample.jacobian[tip].flat())).toBeLessThan(TOLERANCE);
        }
      }
    });
  });
});
