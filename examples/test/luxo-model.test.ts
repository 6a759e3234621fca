import { computeMomentum, createDynamics, inverseDynamics } from 'poise/dynamics';
import { createFigure, createState, forwardKinematics, limitViolation } from 'poise/figure';
import { describe, expect, it } from 'vitest';
import { luxo, luxoFeet, luxoSizes, luxoStance } from '../spacetime/luxo-model.js';

const figure = createFigure(luxo);
const dynamics = createDynamics(figure);
const still = new Float64Array(figure.dof);

function standing() {
  const state = createState(figure);
  forwardKinematics(state, luxoStance);
  return state.worldFromBone;
}

describe('the lamp', () => {
  it('has a free base that weighs as much as the rest, and three hinges', () => {
    expect(figure.bones.map(({ joint }) => joint.type)).toEqual(['free', 'hinge', 'hinge', 'hinge']);
    const [base, ...others] = figure.bones.map(({ mass }) => mass as number);
    expect(others.reduce((sum, mass) => sum + mass)).toBeCloseTo(base, 12);
  });

  it('stands within its limits, elbow behind, head ahead of the base and above it', () => {
    expect(limitViolation(figure, luxoStance)).toBeLessThanOrEqual(0);
    const world = standing();
    const [, , elbow, neck] = [0, 1, 2, 3].map((bone) => world.subarray(12 * bone + 9, 12 * bone + 12));
    expect(elbow[2]).toBeLessThan(-luxoSizes.base.radius);
    expect(neck[2]).toBeGreaterThan(0);
    expect(neck[1]).toBeGreaterThan(0.3);
    // The head looks ahead and down.
    expect(world[12 * 3 + 5]).toBeLessThan(0);
    expect(world[12 * 3 + 8]).toBeGreaterThan(0.8);
  });

  it('keeps its balance on its feet, which are level on the floor, with small torques', () => {
    for (const [x, y, z] of luxoFeet) {
      expect(y).toBe(0);
      expect(Math.hypot(x, z)).toBeCloseTo(luxoSizes.base.radius, 12);
    }
    const { center } = computeMomentum(dynamics, luxoStance, still);
    expect(center[0]).toBeCloseTo(0, 12);
    expect(Math.abs(center[2])).toBeLessThan(0.5 * luxoFeet[0][2]);
    const [, weight, , , , , ...torques] = inverseDynamics(dynamics, luxoStance, still, still);
    expect(weight).toBeCloseTo(1.6 * 9.81, 1);
    // N m; stretched out level it takes 3.1, 1.5 and 0.3.
    const bounds = [2.4, 1.8, 0.6];
    torques.forEach((torque, k) => {
      expect(Math.abs(torque)).toBeLessThan(bounds[k]);
    });
  });
});
