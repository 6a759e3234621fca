/** The strips of the documentation: every example solved and drawn. */
import {
  createSpacetimeProblem,
  type SpacetimeSolution,
  sampleTrajectory,
  solveSpacetime,
} from 'poise/spacetime';
import { spacetimeExamples } from './problems/index.js';
import { drawStrip, poseWidth } from './strip.js';

const MAX_ITERATIONS = 400;
/** Most poses, and about how wide a strip is at most, px: its times are to be read where it is as wide as a page. */
const POSES = 10;
const WIDTH = 1800;

export interface Drawn {
  readonly svg: string;
  readonly solution: SpacetimeSolution;
}

/** Solves an example and draws its strip. */
export function drawExample(name: string): Drawn {
  const example = spacetimeExamples[name]();
  const problem = createSpacetimeProblem(example.figure, example.data);
  const solution = solveSpacetime(problem, { ...example.options, maxIterations: MAX_ITERATIONS });
  const count = Math.min(POSES, Math.round(WIDTH / poseWidth(example)));
  const frames = Array.from({ length: count }, (_, k) => {
    const time = (solution.duration * k) / (count - 1);
    return { time, pose: sampleTrajectory(solution.trajectory, time).pose };
  });
  return { svg: drawStrip(example, frames), solution };
}

export const names: readonly string[] = Object.keys(spacetimeExamples);
