/** Small scenes whose answers are known. */
import { createFigure, type Figure, type FigureData } from 'poise/figure';

/** A block that slides along x, 1 kg. */
const block: FigureData = {
  name: 'block',
  bones: [
    {
      name: 'block',
      joint: { type: 'slider', axis: [1, 0, 0] },
      tip: [0, 0.2, 0],
      mass: 1,
      inertia: [0.01, 0.01, 0.01, 0, 0, 0],
    },
  ],
};

/** The figure of {@link blockScene}. */
export function blockFigure(): Figure {
  return createFigure(block);
}

/**
 * From rest at 0 to rest at 1 m in 1 s with least effort: u = 6 - 12 t, x = 3 t^2 - 2 t^3, cost 12 (Witkin and Kass 1988, and any text on
 * optimal control).
 */
export function blockScene(more: object = {}, terms: readonly object[] = []): Record<string, unknown> {
  return {
    format: 'poise-scene',
    version: 1,
    name: 'move',
    figure: { type: 'bones', ...block },
    duration: 1,
    terms: [
      { type: 'pose', at: 'start', pose: [0] },
      { type: 'velocity', at: 0 },
      { type: 'pose', name: 'there', at: 1, pose: [1] },
      { type: 'velocity', at: 1 },
      { type: 'effort' },
      ...terms,
    ],
    ...more,
  };
}
