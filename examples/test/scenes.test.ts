import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readScene, spacetimeFromScene } from '@poise/formats';
import { createState, forwardKinematics } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createSpacetimeProblem, sampleTrajectory, solveSpacetime } from 'poise/spacetime';
import { expect, test } from 'vitest';

const SAMPLES = 40;

test('the jump of the scenes keeps its forearms out of its body', () => {
  const file = fileURLToPath(new URL('../spacetime/scenes/jump.json', import.meta.url));
  const figure = createHumanFigure({ height: 1.75 });
  const data = spacetimeFromScene(readScene(readFileSync(file, 'utf8')), figure);
  // Coarse enough for a test: the same motion in a fifth of the time.
  const problem = createSpacetimeProblem(figure, { ...data, intervals: 16 });
  const options = { tolerance: 1e-3, gain: 1e-2, maxRefinements: 0 };
  const { violation, trajectory, duration } = solveSpacetime(problem, options);
  expect(violation).toBeLessThan(1e-3);
  const state = createState(figure);
  const placeOf = (name: string): number[] => {
    const o = 12 * figure.bones.findIndex((bone) => bone.name === name) + 9;
    return Array.from(state.worldFromBone.slice(o, o + 3));
  };
  let least = Number.POSITIVE_INFINITY;
  for (let k = 0; k <= SAMPLES; k++) {
    forwardKinematics(state, sampleTrajectory(trajectory, (k / SAMPLES) * duration).pose);
    for (const side of ['left', 'right']) {
      const [elbow, wrist] = [placeOf(`${side}LowerArm`), placeOf(`${side}Hand`)];
      for (const center of ['hips', 'spine', 'chest'].map(placeOf)) {
        for (const share of [0, 0.5, 1]) {
          const from = center.map((x, i) => elbow[i] + share * (wrist[i] - elbow[i]) - x);
          least = Math.min(least, Math.hypot(...from));
        }
      }
    }
  }
  expect(least).toBeGreaterThan(0.2);
});
