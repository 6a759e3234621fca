import {
  type DragReport,
  deadCoordinates,
  drag,
  REGIONS,
  smallestRegion,
  targetsOf,
  timeSteps,
  unknownsOf,
} from '../../../examples/parameterizations/model/drag.js';
import type { DraggedFigure } from '../../../examples/parameterizations/model/figures.js';
import {
  type Parameterization,
  parameterizations,
} from '../../../examples/parameterizations/model/parameterizations.js';
import { createMotion } from '../../../examples/parameterizations/model/path.js';
import { median } from '../statistics.js';

/** Singular region of the comparison: the smallest tried, a choice for paths without locks. */
export const LITTLE = REGIONS[0];

/** One parameterization on one figure over several paths. */
export interface ParameterizationRow {
  readonly parameterization: Parameterization;
  readonly unknowns: number;
  readonly constraints: number;
  readonly dead: number;
  /** Largest of the singular regions needed, infinite where a path jumps at any. */
  readonly region: number;
  /** Paths that jump at LITTLE. */
  readonly jumps: number;
  /** At LITTLE, the worst over the paths. */
  readonly little: DragReport;
  /** At the region needed (the largest, where none is enough), the worst over the paths. */
  readonly calm: DragReport;
  /** us, with the default region */
  readonly step: number;
}

/** All parameterizations on a figure over the paths of the seeds. */
export function measureParameterizations(
  figure: DraggedFigure,
  seeds: readonly number[],
  timingRounds: number,
): ParameterizationRow[] {
  const paths = seeds.map((seed) => {
    const motion = createMotion(figure, seed);
    return { motion, targets: targetsOf(figure, motion) };
  });
  return parameterizations.map((parameterization) => {
    const needed = paths.map(
      ({ motion, targets }) =>
        smallestRegion(figure, parameterization, motion, targets) ?? Number.POSITIVE_INFINITY,
    );
    const region = Math.max(...needed);
    const at = (share: number): DragReport =>
      worstOf(paths.map(({ motion, targets }) => drag(figure, parameterization, motion, share, targets)));
    return {
      parameterization,
      ...unknownsOf(figure, parameterization),
      dead: deadCoordinates(figure, parameterization),
      region,
      jumps: needed.filter((min) => min > LITTLE).length,
      little: at(LITTLE),
      calm: at(Math.min(region, REGIONS[REGIONS.length - 1])),
      step: median(
        paths
          .slice(0, 3)
          .map(({ motion, targets }) => timeSteps(figure, parameterization, motion, targets, timingRounds)),
      ),
    };
  });
}

/** The worst of every number; means are averaged. */
function worstOf(reports: readonly DragReport[]): DragReport {
  const maxOf = (pick: (report: DragReport) => number): number => Math.max(...reports.map(pick));
  const mean = (pick: (report: DragReport) => number): number =>
    reports.reduce((sum, report) => sum + pick(report), 0) / reports.length;
  return {
    jump: maxOf(({ jump }) => jump),
    coordinateJump: maxOf(({ coordinateJump }) => coordinateJump),
    worstDistance: maxOf(({ worstDistance }) => worstDistance),
    meanDistance: mean(({ meanDistance }) => meanDistance),
    worstAngle: maxOf(({ worstAngle }) => worstAngle),
    meanAngle: mean(({ meanAngle }) => meanAngle),
    drift: maxOf(({ drift }) => drift),
    minReciprocalCondition: Math.min(...reports.map(({ minReciprocalCondition }) => minReciprocalCondition)),
    exact: reports.every(({ exact }) => exact),
  };
}
