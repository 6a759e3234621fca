import { BufferGeometry, Color, Float32BufferAttribute, LineBasicMaterial, LineSegments } from 'three';
import type { Palette } from './palette.js';

/** Half the side of the grid, the spacing of its lines and of the stronger ones, and the length of a piece of a line, m. */
const REACH = 6;
const CELL = 0.25;
const SECTION = 1;
const PIECE = 0.5;

export type Grid = LineSegments<BufferGeometry, LineBasicMaterial>;

/** A grid on the floor that fades out from the middle. */
export function createGrid({ cell, section }: Palette): Grid {
  const places: number[] = [];
  const colours: number[] = [];
  const [weak, strong] = [new Color(cell), new Color(section)];
  const count = Math.round(REACH / CELL);
  const pieces = Math.round(REACH / PIECE);
  const end = (x: number, z: number, { r, g, b }: Color) => {
    places.push(x, 0, z);
    colours.push(r, g, b, Math.max(0, 1 - Math.hypot(x, z) / REACH) ** 1.6);
  };
  for (let n = -count; n <= count; n++) {
    const at = n * CELL;
    const colour = Number.isInteger(at / SECTION) ? strong : weak;
    for (let k = -pieces; k < pieces; k++) {
      const [from, to] = [k * PIECE, (k + 1) * PIECE];
      end(at, from, colour);
      end(at, to, colour);
      end(from, at, colour);
      end(to, at, colour);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(places, 3));
  geometry.setAttribute('color', new Float32BufferAttribute(colours, 4));
  return new LineSegments(
    geometry,
    new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }),
  );
}
