/**
 * Accuracy of the rotation-vector formulas, per band of angle: the largest Frobenius-relative error over many directions
 * against double-double values (themselves held against 50-digit ones by the tests). Run with `npm run bench -- rotation-accuracy [SEED [DIRECTIONS]]`;
 * exit status 1 when a bound is missed.
 *
 * Asked for: q, R, their first and second partials and J at most 7e-16 up to pi; J^-1 and the rates at most
 * 4 eps x/|sin x|, x = theta/2, everywhere. Beyond pi the first group is reported only.
 */
import * as rotation from 'poise/rotation';
import { formatRotationAccuracy, measureRotationAccuracy } from '../../scripts/oracles/rotation-accuracy.js';

/** Prints the table on a seed drawn now (or given), and sets the exit status when a bound is missed. */
function main(args: readonly string[] = process.argv.slice(2)): void {
  const seed = args[0] === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(args[0]);
  const directions = args[1] === undefined ? 2000 : Number(args[1]);
  console.log(
    `Rotation accuracy: largest Frobenius-relative error over ${directions} directions, seed ${seed}`,
  );
  const rows = measureRotationAccuracy(rotation, directions, seed);
  console.log(formatRotationAccuracy(rows));
  if (rows.some((row) => !row.withinBounds)) process.exitCode = 1;
}

main();
