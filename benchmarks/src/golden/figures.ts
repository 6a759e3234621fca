import { createFigure, type Figure } from 'poise';

/** A tree with every type of joint, masses, limits of several kinds, and optionally a mimic joint. */
export function mixedFigure({ couplings = true }: { readonly couplings?: boolean } = {}): Figure {
  const body = {
    mass: 1.3,
    centerOfMass: [0.02, 0.1, -0.03] as const,
    inertia: [0.02, 0.015, 0.03, 0.001, -0.002, 0.0015] as const,
  };
  const up = { position: [0.03, 0.25, 0.02] as const };
  const rotated = {
    position: [0.1, 0.2, -0.05] as const,
    rotation: [0.1, -0.3, 0.2, 0.9273618495495703] as const,
  };
  return createFigure({
    name: 'mixed',
    bones: [
      { name: 'root', joint: { type: 'free' }, ...body },
      {
        name: 'ball',
        parent: 'root',
        rest: up,
        joint: { type: 'ball' },
        limit: { type: 'angle', max: 2 },
        ...body,
      },
      {
        name: 'hinge',
        parent: 'ball',
        rest: rotated,
        joint: { type: 'hinge', axis: [1, 0, 0] },
        limit: { type: 'interval', min: -1, max: 1.5 },
        ...body,
      },
      { name: 'slide', parent: 'hinge', rest: up, joint: { type: 'slider', axis: [0, 1, 0] }, ...body },
      { name: 'swing', parent: 'root', rest: rotated, joint: { type: 'swing', axis: [0, 1, 0] }, ...body },
      {
        name: 'socket',
        parent: 'swing',
        rest: up,
        joint: { type: 'ball-and-socket', axis: [0, 1, 0] },
        ...body,
      },
      { name: 'euler', parent: 'socket', rest: up, joint: { type: 'euler', order: 'ZXY' }, ...body },
      { name: 'fixed', parent: 'euler', rest: rotated, joint: { type: 'fixed' }, ...body },
      { name: 'finger', parent: 'slide', rest: up, joint: { type: 'hinge', axis: [0, 0, 1] }, ...body },
      {
        name: 'follower',
        parent: 'finger',
        rest: up,
        joint: { type: 'hinge', axis: [0, 0, 1] },
        ...(couplings && { mimic: { bone: 'finger', polynomial: [0.1, 0.7, -0.2] } }),
        ...body,
      },
    ],
  });
}
