// npm run bench -- differential-figures: draws the figures of docs/differential.md into docs/figures.
import { join } from 'node:path';
import { createFigure } from 'poise/figure';
import { createDifferentialControl, stepDifferentialControl } from 'poise/ik';
import { createArm, largestRate, stepArm } from '../../examples/parameterizations/model/arm.js';
import { figures } from '../../examples/parameterizations/model/figures.js';
import { parameterizations } from '../../examples/parameterizations/model/parameterizations.js';
import { createMotion, DURATION, targetAt } from '../../examples/parameterizations/model/path.js';
import { linePlot } from '../../scripts/lib/plot.mjs';
import { LITTLE } from './parameterizations/rows.js';
import { repositoryRoot } from './problems.js';
import { writeResults } from './results.js';

/** Joint velocity per task velocity against sigma / epsilon: sigma / (sigma^2 + lambda^2), times epsilon. */
function dampingFigure(): string {
  const xs = Array.from({ length: 301 }, (_, k) => k / 100);
  const curve = (lambda: (t: number) => number): (readonly [number, number])[] =>
    xs.map((t) => [t, t === 0 && lambda(0) === 0 ? Number.POSITIVE_INFINITY : t / (t * t + lambda(t))]);
  return linePlot({
    title: 'Joint velocity per task velocity, times epsilon',
    x: { label: 'singular value / epsilon', from: 0, to: 3, step: 0.5 },
    y: { label: 'epsilon sigma / (sigma^2 + lambda^2)', from: 0, to: 2, step: 0.5 },
    lines: [
      { name: 'no damping', color: '#c0262d', points: curve(() => 0) },
      { name: 'everywhere alike, lambda = epsilon', color: '#8a94a3', points: curve(() => 1) },
      {
        name: 'damping of small singular values only',
        color: '#2f62c9',
        points: curve((t) => (t < 1 ? (1 - t * t) ** 2 : 0)),
      },
    ],
  });
}

/** A hinge dragged into its limit at 1 rad, in frames of three lengths. */
function limitFigure(): string {
  const figure = createFigure({
    bones: [
      {
        name: 'base',
        joint: { type: 'hinge', axis: [0, 0, 1] },
        limit: { type: 'interval', min: -1, max: 1 },
      },
      { name: 'tip', parent: 'base', rest: { position: [1, 0, 0] } },
    ],
  });
  const run = (dt: number): (readonly [number, number])[] => {
    const target = new Float64Array(3);
    const control = createDifferentialControl(figure, [{ type: 'position', bone: 'tip', target }]);
    const pose = new Float64Array([0.2]);
    const points: (readonly [number, number])[] = [];
    for (let frame = 0; frame * dt <= 1.6; frame++) {
      points.push([frame * dt, pose[0]]);
      // There and back, at 2 rad/s.
      const angle = 0.2 + 2 * Math.min(frame * dt, 1.6 - frame * dt);
      target.set([Math.cos(angle), Math.sin(angle), 0]);
      stepDifferentialControl(control, pose, dt);
    }
    return points;
  };
  return linePlot({
    title: 'A hinge dragged past its limit at 1 rad and back',
    x: { label: 'time, s', from: 0, to: 1.6, step: 0.2 },
    y: { label: 'angle, rad', from: 0, to: 2, step: 0.5 },
    lines: [
      {
        name: 'the target',
        color: '#d9822b',
        points: Array.from(
          { length: 161 },
          (_, k) => [k / 100, 0.2 + 2 * Math.min(k / 100, 1.6 - k / 100)] as const,
        ),
      },
      { name: 'frames of 1/240 s', color: '#2f62c9', points: run(1 / 240) },
      { name: '1/60 s', color: '#3fa36b', points: run(1 / 60) },
      { name: '1/10 s', color: '#8a5bc9', points: run(1 / 10), marks: true },
    ],
  });
}

/** How far the coordinates of one ball change in a frame along the path of the benchmark. */
function formsFigure(): string {
  const motion = createMotion(figures[0], 1997);
  const colors: Readonly<Record<string, string>> = {
    euler: '#c0262d',
    rate: '#8a94a3',
    vector: '#d9822b',
    regularized: '#2f62c9',
  };
  const lines = parameterizations
    .filter(({ key }) => key in colors)
    .map((parameterization) => {
      const arm = createArm(figures[0], parameterization, motion(0), LITTLE);
      const points: (readonly [number, number])[] = [];
      for (let t = 0; t < DURATION; t += 1 / 60) {
        stepArm(arm, targetAt(figures[0], motion, t), 1 / 60);
        points.push([t, (180 * largestRate(arm)) / Math.PI / 60]);
      }
      return { name: parameterization.name, color: colors[parameterization.key], points };
    });
  return linePlot({
    title: 'Change of one ball in a frame of 1/60 s, singular region 0.0016',
    x: { label: 'time, s', from: 0, to: DURATION, step: 2 },
    y: { label: 'degrees', from: 0, to: 40, step: 10 },
    lines,
  });
}

writeResults(
  {
    'differential-damping.svg': dampingFigure(),
    'differential-limit.svg': limitFigure(),
    'differential-forms.svg': formsFigure(),
  },
  join(repositoryRoot(), 'docs', 'figures'),
);
