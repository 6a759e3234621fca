/** Periodicity: the end of the motion equals its start. */
import { SpacetimeError } from '../../errors.js';
import { findFreeRoots } from '../../figure/model/floating-base.js';
import type { PeriodicTerm } from '../types/data.js';
import {
  checkedVector,
  chosenCoordinates,
  requireRows,
  type TermContext,
  type TermLocation,
} from './context.js';
import { selectCoordinates, writeDifference, writeDifferenceRows } from './pose-difference.js';
import type { CompiledPair } from './term.js';

export function periodicPair(context: TermContext, term: PeriodicTerm, location: TermLocation): CompiledPair {
  const { figure, parameterization, duration } = context;
  const { dof } = figure;
  const chosen = chosenCoordinates(figure, term.bones, location.path);
  const travel = new Float64Array(dof);
  const open = new Uint8Array(dof);
  const roots = findFreeRoots(figure);
  checkTravel(term.travel, roots.length, `${location.path}.travel`);
  for (const root of roots) {
    const { coordinate } = figure.bones[root];
    term.travel?.forEach((distance, k) => {
      if (distance === null) open[coordinate + k] = 1;
      else travel[coordinate + k] = distance;
    });
  }
  const selection = selectCoordinates(figure, (i) => chosen(i) && parameterization.columnOf[i] >= 0);
  const { coordinates } = selection;
  if (term.bones !== undefined) requireRows(coordinates, `${location.path}.bones`);
  const count = coordinates.length;
  const difference = new Float64Array(count);
  const isOpen = (k: number): boolean => open[coordinates[k]] === 1;
  return {
    ...location,
    kind: 'equality',
    rows: 3 * count,
    times: [0, duration],
    unit: 1,
    unitName: 'rad or m, and their rates',
    value(first, second, out, o) {
      writeDifference(selection, second.pose, first.pose, difference, 0);
      for (let k = 0; k < count; k++) {
        const i = coordinates[k];
        out[o + k] = isOpen(k) ? 0 : difference[k] - travel[i];
        out[o + count + k] = second.velocity[i] - first.velocity[i];
        out[o + 2 * count + k] = second.acceleration[i] - first.acceleration[i];
      }
    },
    derivatives(_first, _second, firstBlock, secondBlock) {
      writeDifferenceRows(selection, difference, 0, -1, dof, firstBlock.orders[0]);
      writeDifferenceRows(selection, difference, 0, 1, dof, secondBlock.orders[0]);
      for (let k = 0; k < count; k++) {
        const i = coordinates[k];
        if (isOpen(k)) {
          firstBlock.orders[0].fill(0, k * dof, (k + 1) * dof);
          secondBlock.orders[0].fill(0, k * dof, (k + 1) * dof);
        }
        for (const order of [1, 2]) {
          firstBlock.orders[order][(order * count + k) * dof + i] = -1;
          secondBlock.orders[order][(order * count + k) * dof + i] = 1;
        }
      }
    },
  };
}

/** @throws SpacetimeError unless there are three finite numbers or nulls, and a free root to apply them to. */
function checkTravel(travel: PeriodicTerm['travel'], roots: number, path: string): void {
  if (travel === undefined) return;
  checkedVector(
    Array.from(travel, (distance) => distance ?? 0),
    3,
    path,
  );
  if (roots > 0) return;
  throw new SpacetimeError('unsupported', 'applies to free roots; the figure has none.', {
    path,
    remedy: 'Leave it out.',
  });
}
