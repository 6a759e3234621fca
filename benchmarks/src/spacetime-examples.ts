import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readScene, type SceneFigure, spacetimeFromScene } from '@poise/formats';
import { createFigure, createState, type Figure, forwardKinematics } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  createSpacetimeProblem,
  type SpacetimeData,
  type SpacetimeSolution,
  sampleTrajectory,
  solveSpacetime,
} from 'poise/spacetime';
import { spacetimeExamples } from '../../examples/spacetime/problems/index.js';
import { machineLines } from './machine.js';
import { repositoryRoot } from './problems.js';
import { writeResults } from './results.js';
import { jump, kneeBends } from './spacetime/problems.js';

const USAGE = `npm run bench -- spacetime-examples [options]
Every example of spacetime optimization with all defaults: status, iterations, cost, time.
  --accuracy     and how far each is from its solution to 1e-8 and 1e-8
  --only NAME    of one problem, nothing written
  --out DIR      where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    accuracy: { type: 'boolean', default: false },
    only: { type: 'string' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const EXACT = { tolerance: 1e-8, gain: 1e-8, maxIterations: 600 };
/** Times at which two solutions are compared. */
const SAMPLES = 200;

interface Problem {
  readonly figure: Figure;
  readonly data: SpacetimeData;
}

function sceneProblem(name: string): Problem {
  const file = join(repositoryRoot(), 'examples/spacetime/scenes', `${name}.json`);
  const scene = readScene(readFileSync(file, 'utf8'));
  const figure = figureOf(scene.figure);
  return { figure, data: spacetimeFromScene(scene, figure) };
}

function figureOf(asked: SceneFigure | undefined): Figure {
  if (asked?.type === 'human') {
    const { type: _, ...human } = asked;
    return createHumanFigure(human);
  }
  if (asked?.type !== 'bones') throw new Error(`a scene of ${asked?.type}`);
  const { type: _, ...bones } = asked;
  return createFigure(bones);
}

const problems: Readonly<Record<string, () => Problem>> = {
  'luxo-jump': spacetimeExamples['luxo-jump'],
  'robot-arm': spacetimeExamples['robot-arm'],
  throw: spacetimeExamples.throw,
  'step-over': spacetimeExamples['step-over'],
  'arm-minimum-effort.json': () => sceneProblem('arm-minimum-effort'),
  'block-move.json': () => sceneProblem('block-move'),
  'knee bends, 1 s': () => kneeBends(1),
  'knee bends, 2 s': () => kneeBends(2),
  'jump of 2 s': jump,
  'jump.json': () => sceneProblem('jump'),
  'standing-jump': spacetimeExamples['standing-jump'],
  backflip: spacetimeExamples.backflip,
};

/** The largest distance of a bone, mm, and of a joint force or torque, relative to the largest of all. */
function difference(a: SpacetimeSolution, b: SpacetimeSolution): readonly [number, number] {
  const { figure } = a.trajectory.problem;
  const states = [createState(figure), createState(figure)];
  let distance = 0;
  let change = 0;
  let largest = 0;
  for (let k = 0; k <= SAMPLES; k++) {
    const moments = [a, b].map(({ trajectory, duration }) =>
      sampleTrajectory(trajectory, (k / SAMPLES) * duration),
    );
    for (const [i, { pose }] of moments.entries()) forwardKinematics(states[i], pose);
    for (let bone = 0; bone < figure.bones.length; bone++) {
      const [p, q] = states.map(({ worldFromBone }) => worldFromBone.slice(12 * bone + 9, 12 * bone + 12));
      distance = Math.max(distance, Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
    }
    const [first, second] = moments.map(({ torques }) => torques);
    for (let i = 0; i < first.length; i++) {
      change = Math.max(change, Math.abs(first[i] - second[i]));
      largest = Math.max(largest, Math.abs(second[i]));
    }
  }
  return [1e3 * distance, largest > 0 ? change / largest : 0];
}

const HEAD = ['problem', 'unknowns', 'status', 'iterations', 'cost', 'violation', 'solve, s'];
const ACCURACY_HEAD = [
  'iterations to 1e-8',
  'cost to 1e-8',
  'difference of the cost',
  'of bones, mm',
  'of joint forces',
];

function rowOf(name: string): string {
  const { figure, data } = problems[name]();
  const problem = createSpacetimeProblem(figure, data);
  const begin = performance.now();
  const solution = solveSpacetime(problem);
  const seconds = (performance.now() - begin) / 1e3;
  const { status, iterations, cost, violation } = solution;
  const cells = [
    name,
    problem.system.size,
    status,
    iterations,
    cost.toPrecision(6),
    violation.toExponential(1),
    seconds.toFixed(2),
  ];
  if (options.accuracy) {
    const exact = solveSpacetime(problem, EXACT);
    const [distance, force] = difference(solution, exact);
    cells.push(
      `${exact.iterations}${exact.status === 'converged' ? '' : ` (${exact.status})`}`,
      exact.cost.toPrecision(8),
      (cost / exact.cost - 1).toExponential(1),
      distance.toPrecision(2),
      `${(100 * force).toPrecision(2)} %`,
    );
  }
  const line = `| ${cells.join(' | ')} |`;
  console.error(line);
  return line;
}

function main(): void {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const machine = machineLines(`npm run bench -- spacetime-examples${options.accuracy ? ' --accuracy' : ''}`);
  const head = options.accuracy ? [...HEAD, ...ACCURACY_HEAD] : HEAD;
  const names = Object.keys(problems).filter((name) => (options.only ?? name) === name);
  const report = [
    '# Examples of spacetime optimization, with all defaults',
    '',
    ...machine,
    '',
    ...(options.accuracy
      ? [
          'The last columns compare with a solution to a tolerance and a gain of 1e-8: the largest distance of a bone, and the largest change of a joint force or torque, over the largest of all.',
          '',
        ]
      : []),
    `| ${head.join(' | ')} |`,
    `| ${head.map((_, k) => (k === 0 || k === 2 ? '---' : '---:')).join(' | ')} |`,
    ...names.map(rowOf),
    '',
  ].join('\n');
  console.log(report);
  if (options.only === undefined) writeResults({ 'spacetime-examples.md': report }, options.out);
}

main();
