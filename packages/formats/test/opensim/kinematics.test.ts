import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { createPose, createState, forwardKinematics } from 'poise/figure';
import { expect, test } from 'vitest';
import { readOsim } from '../../src/index.js';

/** Written by scripts/oracles/opensim_kinematics.py. */
interface Reference {
  readonly model: string;
  readonly cases: readonly {
    readonly coordinates: Readonly<Record<string, number>>;
    /** Rotation row by row, then position. */
    readonly bodies: Readonly<Record<string, readonly number[]>>;
  }[];
}

const references = JSON.parse(
  readFileSync(new URL('../fixtures/opensim-kinematics.json', import.meta.url), 'utf8'),
) as readonly Reference[];

describeWithData('bodies of OpenSim models by the equations of OpenSim', 'opensim', (folder) => {
  test.each(references.map(({ model, cases }) => ({ model, cases })))('$model, 1e-11', ({ model, cases }) => {
    const read = readOsim(readFileSync(join(folder, model)), { source: model });
    const state = createState(read.figure);
    let compared = 0;
    for (const { coordinates, bodies } of cases) {
      expect(Object.keys(coordinates).sort()).toEqual([...read.coordinates.keys()].sort());
      const pose = createPose(read.figure);
      for (const { name, coordinate } of read.coordinates.values()) {
        if (coordinate >= 0) pose[coordinate] = coordinates[name];
      }
      forwardKinematics(state, pose);
      for (const [name, expected] of Object.entries(bodies)) {
        const { index } = read.figure.bones.find((bone) => bone.name === name) as { index: number };
        for (let k = 0; k < 12; k++) {
          expect(Math.abs(state.worldFromBone[12 * index + k] - expected[k]), `${name} ${k}`).toBeLessThan(
            1e-11,
          );
          compared++;
        }
      }
    }
    expect(compared).toBeGreaterThan(0);
  });
});
