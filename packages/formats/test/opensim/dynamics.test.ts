import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { createDynamics, forwardDynamics } from 'poise/dynamics';
import { expect, test } from 'vitest';
import { readOsim, readStorage } from '../../src/index.js';

describeWithData('a pendulum that OpenSim simulated', 'opensim/dyn_single_pin', (folder) => {
  test('swings the same for 3 s, angle to 1e-6 rad and speed to 1e-5 rad/s', () => {
    const model = readOsim(readFileSync(join(folder, 'SinglePin.osim')));
    const { values, rows } = readStorage(readFileSync(join(folder, 'SinglePin_states.sto')));
    const dynamics = createDynamics(model.figure, { gravity: model.gravity });
    const accelerationAt = (q: number, v: number): number => forwardDynamics(dynamics, [q], [v], [0])[0];
    let [, q, v] = values;
    let time = 0;
    for (let row = 0; row < rows; row++) {
      // Runge and Kutta, a hundred steps a row.
      const h = (values[3 * row] - time) / 100;
      for (let k = 0; k < (h > 0 ? 100 : 0); k++) {
        const a1 = accelerationAt(q, v);
        const a2 = accelerationAt(q + (h / 2) * v, v + (h / 2) * a1);
        const a3 = accelerationAt(q + (h / 2) * (v + (h / 2) * a1), v + (h / 2) * a2);
        const a4 = accelerationAt(q + h * (v + (h / 2) * a2), v + h * a3);
        q += h * v + ((h * h) / 6) * (a1 + a2 + a3);
        v += (h / 6) * (a1 + 2 * a2 + 2 * a3 + a4);
      }
      time = values[3 * row];
      expect(Math.abs(q - values[3 * row + 1])).toBeLessThan(1e-6);
      expect(Math.abs(v - values[3 * row + 2])).toBeLessThan(1e-5);
    }
    expect(time).toBe(3);
  });
});
