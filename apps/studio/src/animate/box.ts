/** A box that is drawn to select what is in it, px. */
export interface Box {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

interface Corner {
  readonly x: number;
  readonly y: number;
}

export function boxBetween(a: Corner, b: Corner): Box {
  return { x0: Math.min(a.x, b.x), y0: Math.min(a.y, b.y), x1: Math.max(a.x, b.x), y1: Math.max(a.y, b.y) };
}
