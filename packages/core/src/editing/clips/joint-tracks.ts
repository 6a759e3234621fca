import type { Figure } from '../../figure/model/figure.js';
import type { Motion } from '../../motion/motion.js';
import type { Curve } from '../../motion/representation/curve.js';
import type { MotionTrack } from '../../motion/track.js';

/** The tracks of a clip, cut into those of single joints; a joint whose coordinates are in several tracks has several. */
export function jointTracks(figure: Figure, { tracks }: Motion): MotionTrack[] {
  return tracks.flatMap(({ coordinate, curve }) => {
    const parts: MotionTrack[] = [];
    for (let i = coordinate; i < coordinate + curve.size; ) {
      const bone = figure.bones[figure.boneOfCoordinate[i]];
      const end = Math.min(bone.coordinate + bone.dof, coordinate + curve.size);
      parts.push({ coordinate: i, curve: columnsOf(curve, i - coordinate, end - i) });
      i = end;
    }
    return parts;
  });
}

/** Some numbers of a curve. */
function columnsOf(curve: Curve, from: number, size: number): Curve {
  if (size === curve.size) return curve;
  const points = curve.controls.length / curve.size;
  const controls = new Float64Array(points * size);
  for (let p = 0; p < points; p++)
    for (let c = 0; c < size; c++) controls[p * size + c] = curve.controls[p * curve.size + from + c];
  return { ...curve, size, controls };
}
