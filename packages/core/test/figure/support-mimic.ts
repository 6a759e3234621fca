import { createFigure, type Figure, type FigureData } from '../../src/figure/index.js';
import type { Numbers } from '../../src/math/linear/types.js';
import { randomFigureData, within } from './support.js';

/** A figure with mimic joints, and the same figure with independent joints. */
export interface MimicPair {
  readonly figure: Figure;
  readonly free: Figure;
  /** The equivalent pose of the independent figure, phi evaluated by powers. */
  freePose(pose: Numbers): Float64Array;
  /** d(free pose)/d(pose), phi' evaluated by powers, `free.dof` x `figure.dof`, row by row. */
  expansion(pose: Numbers): Float64Array;
}

/** A random forest in which about half the hinges and sliders are mimic joints with polynomials up to degree 4, half of these in pieces. */
export function randomMimicPair(random: () => number, count: number): MimicPair {
  for (;;) {
    const data = randomFigureData(random, count);
    const single = data.bones.filter(({ joint }) => joint?.type === 'hinge' || joint?.type === 'slider');
    const sources = single.filter(() => random() < 0.5).map(({ name }) => name);
    if (sources.length === 0 || sources.length === single.length) continue;
    const bones = data.bones.map((bone) => {
      if (!single.includes(bone) || sources.includes(bone.name)) return bone;
      const polynomial = Array.from({ length: 1 + Math.floor(random() * 5) }, () => within(random, 1));
      const pieces =
        random() < 0.5
          ? {}
          : { pieces: [-0.5, 0.3].map((from) => ({ from, polynomial: shifted(polynomial, from) })) };
      return {
        ...bone,
        mimic: { bone: sources[Math.floor(random() * sources.length)], polynomial, ...pieces },
      };
    });
    return mimicPair({ bones });
  }
}

/** The pair for the data of a figure with mimic joints. */
export function mimicPair(data: FigureData): MimicPair {
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
        const source = (named.get(mimic.bone) as typeof bone).coordinate;
        const derivative = mimic.polynomial.reduce(
          (sum, c, n) => sum + (n === 0 ? 0 : c * n * pose[source] ** (n - 1)),
          0,
        );
        out[coordinate * figure.dof + source] = derivative;
      }
      return out;
    },
  };
}

/** Coefficients of the same polynomial in powers of y - from. */
function shifted(polynomial: readonly number[], from: number): number[] {
  const out = [...polynomial];
  for (let k = 0; k < out.length; k++) for (let n = out.length - 2; n >= k; n--) out[n] += from * out[n + 1];
  return out;
}
