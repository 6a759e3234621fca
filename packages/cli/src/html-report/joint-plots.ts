/** Plots of joint forces and contact forces. */
import type { Bone } from 'poise/figure';
import { vec3 } from 'poise/math';
import type { SpacetimeProblem, TorqueLimitTerm } from 'poise/spacetime';
import type { Frame } from '../optimize/sample.js';
import { type Chart, chart } from './chart.js';
import { CURVES, label } from './markup.js';
import { details } from './page.js';

/** Joints with smaller peaks, relative to the largest, are not drawn. */
const MIN_PEAK = 1e-9;
/** Joints that are not folded away. */
const SHOWN = 6;

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
  // The hardest work first: near a limit, or else large.
  const worked = driven.flatMap((bone, k) => {
    if (!(peaks[k] > MIN_PEAK * largest)) return [];
    const limit = limitOf(bone, limits);
    return [{ bone, limit, peak: peaks[k], share: limit ? peaks[k] / limit : 0 }];
  });
  worked.sort((a, b) => b.share - a.share || b.peak - a.peak);
  const plots = worked.map(({ bone, limit, peak: own }) => chart(torquePlot(bone, frames, own, limit)));
  const [first, others] = [plots.slice(0, SHOWN), plots.slice(SHOWN)];
  const more =
    others.length === 0
      ? ''
      : details(
          `${others.length} more joints, by their load`,
          `<div class="charts">${others.join('')}</div>`,
        );
  const idle = driven.length - worked.length;
  const rest = idle > 0 ? `<p>${idle} more joints have no force.</p>` : '';
  return `<div class="charts">${first.join('')}</div>${more}${rest}`;
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
      color: CURVES[k % CURVES.length],
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
        { name: 'normal', color: CURVES[0], values: sums.map(({ normalForce }) => normalForce) },
        { name: 'tangential', color: CURVES[1], values: sums.map(({ tangentialForce }) => tangentialForce) },
        {
          name: 'friction limit',
          color: 'var(--soft)',
          values: sums.map(({ normalForce }) => friction * normalForce),
          dash: '3 3',
        },
      ],
    };
  });
  return `<div class="charts">${plots.map(chart).join('')}</div>`;
}
