/** Plots of joint forces and contact forces. */
import type { Bone } from 'poise/figure';
import { vec3 } from 'poise/math';
import type { SpacetimeProblem, TorqueLimitTerm } from 'poise/spacetime';
import type { Frame } from '../optimize/sample.js';
import { type Chart, chart } from './chart.js';
import { COLORS, label } from './markup.js';

/** Joints with smaller peaks, relative to the largest, are not drawn. */
const MIN_PEAK = 1e-9;

/** A plot for each actuated joint, with its limits.  */
export function torquePlots(problem: SpacetimeProblem, frames: readonly Frame[]): string {
  const { figure, data } = problem;
  const undriven = new Set(
    data.terms.flatMap((term) => (term.type === 'physics' ? (term.undriven ?? []) : [])),
  );
  const driven = figure.bones.filter(
    ({ dof, joint, mimic, name }) =>
      dof > 0 && mimic === undefined && joint.type !== 'free' && !undriven.has(name),
  );
  const peak = (coordinate: number): number =>
    Math.max(...frames.map(({ torques }) => Math.abs(torques[coordinate])));
  const peaks = driven.map(({ coordinate, dof }) =>
    Math.max(...Array.from({ length: dof }, (_, k) => peak(coordinate + k))),
  );
  const largest = Math.max(0, ...peaks);
  if (!(largest > 0)) return '<p>All joint forces are zero: the figure has no mass or is in free motion.</p>';
  const limits = data.terms.filter((term) => term.type === 'torque-limit');
  const plots = driven.flatMap((bone, k) =>
    peaks[k] > MIN_PEAK * largest ? [torquePlot(bone, frames, peaks[k], limitOf(bone, limits))] : [],
  );
  const idle = driven.filter((_, k) => !(peaks[k] > MIN_PEAK * largest)).map(({ name }) => name);
  const rest = idle.length > 0 ? `<p>${idle.length} more joints have no force.</p>` : '';
  return `<div class="charts">${plots.map(chart).join('')}</div>${rest}`;
}

/** The smallest limit over the motion. */
function limitOf({ name, torqueLimit }: Bone, terms: readonly TorqueLimitTerm[]): number | undefined {
  const found = terms.flatMap(({ limit = torqueLimit }) => {
    const own = typeof limit === 'object' ? (Object.hasOwn(limit, name) ? limit[name] : undefined) : limit;
    return own === undefined ? [] : [own];
  });
  return found.length === 0 ? undefined : Math.min(...found);
}

function torquePlot(bone: Bone, frames: readonly Frame[], peak: number, limit: number | undefined): Chart {
  const unit = bone.joint.type === 'slider' ? 'N' : 'N m';
  const share =
    limit !== undefined && limit > 0 ? `, ${Math.round((100 * peak) / limit)} % of ${label(limit)}` : '';
  // A limit far above the peak would flatten the curves.
  const drawn = limit !== undefined && limit <= 4 * peak;
  const names = namesOf(bone);
  return {
    title: `${bone.name}: up to ${label(Number(peak.toPrecision(3)))} ${unit}${share}`,
    x: frames.map(({ time }) => time),
    xName: 's',
    yName: unit,
    series: names.map((name, k) => ({
      name,
      color: COLORS[k % COLORS.length],
      values: frames.map(({ torques }) => torques[bone.coordinate + k]),
    })),
    levels: drawn ? [limit, -limit].map((value) => ({ value, name: `limit ${label(value)} ${unit}` })) : [],
  };
}

function namesOf({ joint, dof }: Bone): readonly string[] {
  if (joint.type === 'ball') return ['x', 'y', 'z'];
  if (joint.type === 'ball-and-socket') return ['swing 1', 'swing 2', 'twist'];
  if (dof === 1) return ['torque'];
  return Array.from({ length: dof }, (_, k) => `angle ${k + 1}`);
}

/** A plot for each contact: normal and tangential force, and the friction limit. */
export function contactPlots({ contacts, figure }: SpacetimeProblem, frames: readonly Frame[]): string {
  const plots = contacts.map(({ bone, points, firstPoint, normal, friction, from, to }): Chart => {
    const sums = frames.map(({ forces }) => {
      const sum = points.reduce<ArrayLike<number>>(
        (so, _, k) => vec3.add(so, forces[firstPoint + k]),
        [0, 0, 0],
      );
      const normalForce = vec3.dot(sum, normal);
      return { normalForce, tangentialForce: vec3.norm(vec3.addScaled(sum, normal, -normalForce)) };
    });
    return {
      title: `${figure.bones[bone].name}, ${label(from)} to ${label(to)} s, friction ${label(friction)}`,
      x: frames.map(({ time }) => time),
      xName: 's',
      yName: 'N',
      series: [
        { name: 'normal', color: COLORS[0], values: sums.map(({ normalForce }) => normalForce) },
        { name: 'tangential', color: COLORS[1], values: sums.map(({ tangentialForce }) => tangentialForce) },
        {
          name: 'friction limit',
          color: '#999999',
          values: sums.map(({ normalForce }) => friction * normalForce),
          dash: '3 3',
        },
      ],
    };
  });
  return `<div class="charts">${plots.map(chart).join('')}</div>`;
}
