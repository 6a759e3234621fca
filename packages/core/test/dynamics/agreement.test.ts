import { expect, it } from 'vitest';
import {
  biasForces,
  createDynamics,
  forwardDynamics,
  inverseDynamics,
  kineticEnergy,
  massMatrix,
} from '../../src/dynamics/index.js';
import { createFigure } from '../../src/figure/figure.js';
import { humanFigure } from '../../src/figure/human.js';
import type { JointData } from '../../src/figure/types.js';

const joints: JointData[] = [
  { type: 'free' },
  { type: 'ball' },
  { type: 'hinge', axis: [0.6, 0, 0.8] },
  { type: 'swing', axis: [0, 1, 0] },
  { type: 'ball-and-socket', axis: [1, 0, 0] },
  { type: 'euler', order: 'ZXY' },
  { type: 'slider', axis: [0, 0.6, 0.8] },
  { type: 'free' },
  { type: 'ball' },
];
const figure = createFigure({
  bones: joints.map((joint, k) => ({
    name: `b${k}`,
    ...(k > 0 ? { parent: `b${k > 5 ? k - 3 : k - 1}` } : {}),
    rest: { position: [0.1, 0.3, -0.2], rotation: k % 2 ? [0.6, 0, 0, 0.8] : [0, 0, 0, 1] },
    joint,
    mass: 1 + k,
    centerOfMass: [0.05, 0.1 * k, -0.1],
    inertia: [0.3, 0.4, 0.5, 0.02, -0.03, 0.01],
  })),
});

it("M nu' + h is the inverse dynamics, and forward dynamics undo it", () => {
  for (const f of [figure, humanFigure({ height: 1.8 })]) {
    const d = createDynamics(f, {
      armature: Array.from({ length: f.dof }, (_, i) => (i % 4 === 0 ? 0.1 : 0)),
    });
    let seed = 3;
    const rnd = () => {
      seed = (seed * 16807) % 2147483647;
      return (2 * seed) / 2147483647 - 1;
    };
    for (let n = 0; n < 20; n++) {
      const q = Array.from({ length: f.dof }, () => rnd());
      const nu = Array.from({ length: f.dof }, () => 2 * rnd());
      const acc = Array.from({ length: f.dof }, () => 3 * rnd());
      const tau = inverseDynamics(d, q, nu, acc);
      const h = biasForces(d, q, nu);
      const M = massMatrix(d, q);
      let scale = 0;
      for (let i = 0; i < f.dof; i++) scale = Math.max(scale, Math.abs(tau[i]));
      let worst = 0;
      let energy = 0;
      for (let i = 0; i < f.dof; i++) {
        let sum = h[i];
        for (let j = 0; j < f.dof; j++) {
          sum += M[i * f.dof + j] * acc[j];
          energy += 0.5 * nu[i] * M[i * f.dof + j] * nu[j];
        }
        worst = Math.max(worst, Math.abs(sum - tau[i]) / scale);
      }
      expect(worst).toBeLessThan(1e-13);
      expect(kineticEnergy(d, q, nu)).toBeCloseTo(energy, 8);
      const back = forwardDynamics(d, q, nu, tau);
      for (let i = 0; i < f.dof; i++) expect(back[i]).toBeCloseTo(acc[i], 9);
    }
  }
});
