import {
  DAMPINGS,
  type DragReport,
  deadCoordinates,
  drag,
  leastDamping,
  timeSteps,
} from '../../../examples/parameterizations/model/drag.js';
import type { DraggedFigure } from '../../../examples/parameterizations/model/figures.js';
import { type Form, forms } from '../../../examples/parameterizations/model/forms.js';
import { createMotion } from '../../../examples/parameterizations/model/path.js';
import { median } from '../statistics.js';

/** The damping that all forms are compared at, over the arm's length and a radian: little, as one would choose without singularities. */
export const COMMON_DAMPING = 1e-3;

/** One form on one figure over several paths. */
export interface FormRow {
  readonly form: Form;
  readonly unknowns: number;
  readonly dead: number;
  /** Largest of the dampings needed, infinite where a path jumps at any. */
  readonly damping: number;
  /** Paths that jump at COMMON_DAMPING. */
  readonly jumps: number;
  /** At COMMON_DAMPING, the worst over the paths. */
  readonly common: DragReport;
  /** At the damping needed (the largest, where none is enough), the worst over the paths. */
  readonly calm: DragReport;
  /** us */
  readonly step: number;
}

/** All forms on a figure over the paths of the seeds. */
export function measureForms(
  figure: DraggedFigure,
  seeds: readonly number[],
  timingRounds: number,
): FormRow[] {
  const { links, turns } = figure;
  const motions = seeds.map((seed) => createMotion(links, seed, turns));
  return forms.map((form) => {
    const needed = motions.map((motion) => leastDamping(form, links, motion) ?? Number.POSITIVE_INFINITY);
    const damping = Math.max(...needed);
    const common = motions.map((motion) => drag(form, links, motion, COMMON_DAMPING));
    const calm = motions.map((motion) =>
      drag(form, links, motion, Math.min(damping, DAMPINGS[DAMPINGS.length - 1])),
    );
    return {
      form,
      unknowns: links.length * (form.rates + form.constraints),
      dead: deadCoordinates(form, links),
      damping,
      jumps: needed.filter((least) => least > COMMON_DAMPING).length,
      common: worstOf(common),
      calm: worstOf(calm),
      step: median(
        motions.slice(0, 3).map((motion) => timeSteps(form, links, motion, COMMON_DAMPING, timingRounds)),
      ),
    };
  });
}

/** The worst of every number; means are averaged. */
function worstOf(reports: readonly DragReport[]): DragReport {
  const most = (pick: (report: DragReport) => number): number => Math.max(...reports.map(pick));
  const mean = (pick: (report: DragReport) => number): number =>
    reports.reduce((sum, report) => sum + pick(report), 0) / reports.length;
  return {
    jump: most(({ jump }) => jump),
    coordinateJump: most(({ coordinateJump }) => coordinateJump),
    worstDistance: most(({ worstDistance }) => worstDistance),
    meanDistance: mean(({ meanDistance }) => meanDistance),
    worstAngle: most(({ worstAngle }) => worstAngle),
    meanAngle: mean(({ meanAngle }) => meanAngle),
    drift: most(({ drift }) => drift),
    leastTurning: Math.min(...reports.map(({ leastTurning }) => leastTurning)),
    finite: reports.every(({ finite }) => finite),
  };
}
