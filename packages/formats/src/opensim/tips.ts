/** Ends of the bodies of an OpenSim model, for drawing. */
import {
  createFigure,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
  type Triple,
} from 'poise/figure';

/**
 * The figure with tips of its bodies: the mean of the origins of the bodies after it, at a pose. A body away from its joint moves by sliders, so rest
 * transforms do not say where it is. Bones of axes, the ground and bodies at the end of a chain have none.
 */
export function withBodyTips(
  figure: Figure,
  pose: Float64Array,
  bodies: { has(name: string): boolean },
  ground: string,
): Figure {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const placed = (bone: number) => state.worldFromBone.subarray(12 * bone, 12 * bone + 12);
  const origins = new Map<number, number[][]>();
  for (const { index, name, parent } of figure.bones) {
    if (!bodies.has(name)) continue;
    let above = parent;
    while (above >= 0 && !bodies.has(figure.bones[above].name)) above = figure.bones[above].parent;
    if (above < 0 || figure.bones[above].name === ground) continue;
    origins.set(above, [...(origins.get(above) ?? []), inFrame(placed(above), placed(index))]);
  }
  const tips = new Map<string, Triple>();
  for (const [bone, points] of origins) {
    const [x, y, z] = [0, 1, 2].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
    if (Math.hypot(x, y, z) > 0) tips.set(figure.bones[bone].name, [x, y, z]);
  }
  const data = figureToData(figure);
  return createFigure({
    ...data,
    bones: data.bones.map((bone) => {
      const tip = tips.get(bone.name);
      return tip === undefined ? bone : { ...bone, tip };
    }),
  });
}

/** Origin of the transform b in the axes of a: R_a^T (p_b - p_a). */
function inFrame(a: Float64Array, b: Float64Array): number[] {
  const d = [b[9] - a[9], b[10] - a[10], b[11] - a[11]];
  return [0, 1, 2].map((k) => a[k] * d[0] + a[3 + k] * d[1] + a[6 + k] * d[2]);
}
