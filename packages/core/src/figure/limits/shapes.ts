import { diskShape } from './disk.js';
import { ellipseShape, quadEllipseShape } from './ellipse.js';
import { intervalShape } from './interval.js';
import type { LimitKind, LimitShape } from './limit.js';

/** The convex set behind each kind of limit part. */
export const limitShapes: Readonly<Record<LimitKind, LimitShape>> = {
  interval: intervalShape,
  disk: diskShape,
  ellipse: ellipseShape,
  'quad-ellipse': quadEllipseShape,
};
