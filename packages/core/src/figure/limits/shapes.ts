import type { LimitShape } from '../../math/optimization/active-limits.js';
import { diskShape } from './disk.js';
import { ellipseShape, quadEllipseShape } from './ellipse.js';
import { intervalShape } from './interval.js';
import type { LimitKind } from './limit.js';

/** The convex set of each kind of limit component. A new limit is a file in this folder, a name in `LimitKind` and a line here. */
export const limitShapes: Readonly<Record<LimitKind, LimitShape>> = {
  interval: intervalShape,
  disk: diskShape,
  ellipse: ellipseShape,
  'quad-ellipse': quadEllipseShape,
};
