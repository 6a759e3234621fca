/** Curves of a clip: the joints that move most, and the path of the body. */
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import type { Humanoid } from 'poise/humanoid';
import { rigid, type Vec3, vec3 } from 'poise/math';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import { angleBetween, evenTimes } from '../trajectory/sampling.js';
import { chart } from './chart.js';
import { CURVES } from './markup.js';

/** Joints that have a curve. */
const JOINTS = 6;
/** A joint that turns by less stands still, degrees. */
const STILL = 0.5;
const DEGREES = 180 / Math.PI;

/** Samples per second of what is shown of a clip. */
export const SHOWN_RATE = 60;

/** Charts of a clip. */
export function clipCharts(figure: Figure, motion: Motion, humanoid: Humanoid | undefined): string {
  const times = evenTimes(motion.start, motion.end, SHOWN_RATE);
  const state = createState(figure);
  const sampler = createMotionSampler(figure, motion);
  const pose = new Float64Array(figure.dof);
  forwardKinematics(state, pose);
  const rest = Float64Array.from(state.parentFromBone);
  const root = humanoid?.bones.hips ?? figure.bones.find(({ dof }) => dof > 0)?.index ?? 0;
  const up = humanoid?.up ?? figure.up;
  // The bone that carries the others turns in the world, as the body does.
  const moving = figure.bones.filter(({ dof, index, parent }) => dof > 0 && index !== root && parent >= 0);
  const angles = moving.map((): number[] => []);
  const path: Vec3[] = [];
  for (const time of times) {
    forwardKinematics(state, samplePose(sampler, time, pose));
    moving.forEach(({ index }, k) => {
      angles[k].push(DEGREES * angleBetween(rest, state.parentFromBone, 12 * index));
    });
    path.push(rigid.toPosition(state.worldFromBone.subarray(12 * root, 12 * root + 12)));
  }
  const spans = moving.map((bone, k) => ({
    bone,
    values: angles[k],
    span: Math.max(...angles[k]) - Math.min(...angles[k]),
  }));
  const most = spans
    .filter(({ span }) => span > STILL)
    .sort((a, b) => b.span - a.span)
    .slice(0, JOINTS);
  const step = times[1] - times[0];
  const speeds = path.map((_, k) => {
    const [a, b] = [Math.max(0, k - 1), Math.min(path.length - 1, k + 1)];
    return vec3.distance(path[a], path[b]) / ((b - a) * step);
  });
  const common = { x: times, xName: 's' };
  const name = figure.bones[root].name;
  const charts = [
    most.length === 0
      ? ''
      : chart({
          ...common,
          title: 'The joints that move most: angle from the rest pose',
          yName: 'degrees',
          series: most.map(({ bone, values }, k) => ({ name: bone.name, color: CURVES[k], values })),
        }),
    chart({
      ...common,
      title: `Height of ${name}`,
      yName: 'm',
      series: [{ name, color: CURVES[0], values: path.map((point) => vec3.dot(point, up)) }],
    }),
    chart({
      ...common,
      title: `Speed of ${name}`,
      yName: 'm/s',
      series: [{ name, color: CURVES[1], values: speeds }],
    }),
  ];
  return `<div class="charts">${charts.join('')}</div>`;
}
