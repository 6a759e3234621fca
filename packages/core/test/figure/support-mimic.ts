import { createFigure, type Figure, type FigureData } from '../../src/figure/index.js';
import type { Numbers } from '../../src/math/linear/types.js';
import { randomFigureData, within } from './support.js';

/** A figure in which joints follow others, and the same figure in which every joint moves by itself. */
export interface CoupledPair {
  readonly figure: Figure;
  readonly free: Figure;
  /** The pose of the free figure that puts every bone where a pose of the coupled one does: powers, one by one. */
  freePose(pose: Numbers): Float64Array;
  /** d(free pose)/d(pose) by the rule for powers, `free.dof` x `figure.dof`, row by row. */
  expansion(pose: Numbers): Float64Array;
}

/** A random forest in which about half the hinges and sliders follow others by polynomials up to degree 4. */
export function randomCoupledPair(random: () => number, count: number): CoupledPair {
  for (;;) {
    const data = randomFigureData(random, count);
    const single = data.bones.filter(({ joint }) => joint?.type === 'hinge' || joint?.type === 'slider');
    const leaders = single.filter(() => random() < 0.5).map(({ name }) => name);
    if (leaders.length === 0 || leaders.length === single.length) continue;
    const bones = data.bones.map((bone) => {
      if (!single.includes(bone) || leaders.includes(bone.name)) return bone;
      const polynomial = Array.from({ length: 1 + Math.floor(random() * 5) }, () => within(random, 1));
      return { ...bone, mimic: { bone: leaders[Math.floor(random() * leaders.length)], polynomial } };
    });
    return coupledPair({ bones });
  }
}

/** The pair of a figure's data. */
export function coupledPair(data: FigureData): CoupledPair {
  const figure = createFigure(data);
  const free = createFigure({
    ...data,
    bones: data.bones.map(({ mimic: _, limit: __, ...bone }) => bone),
  });
  const named = new Map(figure.bones.map((bone) => [bone.name, bone]));
  return {
    figure,
    free,
    freePose(pose) {
      const out = new Float64Array(free.dof);
      for (const { name, coordinate, dof } of free.bones) {
        const bone = named.get(name) as Figure['bones'][number];
        const { mimic } = bone;
        for (let k = 0; k < dof; k++) out[coordinate + k] = pose[bone.coordinate + k];
        if (mimic === undefined) continue;
        const y = pose[(named.get(mimic.bone) as typeof bone).coordinate];
        out[coordinate] = mimic.polynomial.reduce((sum, c, n) => sum + c * y ** n, 0);
      }
      return out;
    },
    expansion(pose) {
      const out = new Float64Array(free.dof * figure.dof);
      for (const { name, coordinate, dof } of free.bones) {
        const bone = named.get(name) as Figure['bones'][number];
        const { mimic } = bone;
        if (mimic === undefined) {
          for (let k = 0; k < dof; k++) out[(coordinate + k) * figure.dof + bone.coordinate + k] = 1;
          continue;
        }
        const leader = (named.get(mimic.bone) as typeof bone).coordinate;
        const slope = mimic.polynomial.reduce(
          (sum, c, n) => sum + (n === 0 ? 0 : c * n * pose[leader] ** (n - 1)),
          0,
        );
        out[coordinate * figure.dof + leader] = slope;
      }
      return out;
    },
  };
}
