import { BufferGeometry, CatmullRomCurve3, Float32BufferAttribute, Vector3 } from 'three';

/** A cross-section of a body part: an ellipse about `at`, half-widths `a` along the side axis and `b` perpendicular to it. */
export interface Station {
  readonly at: readonly [number, number, number];
  readonly a: number;
  readonly b: number;
}

const RINGS_BETWEEN = 4;
const CAP_RINGS = 4;
const SEGMENTS = 28;

/**
 * A smooth closed surface over elliptical cross-sections, all perpendicular to the line from the first to the last, with
 * rounded ends. `side` is the direction of half-width `a`.
 *
 * @param squareness - 2 is an ellipse; more fills the corners.
 * @param caps - Depth of the rounded ends over the narrower half-width.
 */
export function loft(
  stations: readonly Station[],
  side: readonly [number, number, number],
  squareness = 2,
  caps: readonly [number, number] = [1, 1],
): BufferGeometry {
  const axis = new Vector3(...stations[stations.length - 1].at)
    .sub(new Vector3(...stations[0].at))
    .normalize();
  const s = new Vector3(...side);
  s.addScaledVector(axis, -s.dot(axis)).normalize();
  const t = new Vector3().crossVectors(axis, s);

  const rings = withCaps(interpolated(stations), axis, caps);
  const positions: number[] = [];
  for (const { at, a, b } of rings) {
    for (let k = 0; k < SEGMENTS; k++) {
      const angle = (2 * Math.PI * k) / SEGMENTS;
      const u = a * rounded(Math.cos(angle), squareness);
      const v = b * rounded(Math.sin(angle), squareness);
      positions.push(at.x + u * s.x + v * t.x, at.y + u * s.y + v * t.y, at.z + u * s.z + v * t.z);
    }
  }
  const first = positions.length / 3;
  positions.push(...rings[0].at.toArray(), ...rings[rings.length - 1].at.toArray());
  const indices: number[] = [];
  for (let r = 0; r + 1 < rings.length; r++) {
    for (let k = 0; k < SEGMENTS; k++) {
      const a = r * SEGMENTS + k;
      const b = r * SEGMENTS + ((k + 1) % SEGMENTS);
      indices.push(a, b, a + SEGMENTS, b, b + SEGMENTS, a + SEGMENTS);
    }
  }
  const last = (rings.length - 1) * SEGMENTS;
  for (let k = 0; k < SEGMENTS; k++) {
    const next = (k + 1) % SEGMENTS;
    indices.push(first, next, k, first + 1, last + k, last + next);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
  geometry.setIndex(indices);
  geometry.computeVertexNormals();
  return geometry;
}

interface Ring {
  readonly at: Vector3;
  readonly a: number;
  readonly b: number;
}

/** sign(x) |x|^(2/p): the superellipse. */
function rounded(x: number, squareness: number): number {
  return Math.sign(x) * Math.abs(x) ** (2 / squareness);
}

/** Stations interpolated by a Catmull-Rom curve through centres and half-widths. */
function interpolated(stations: readonly Station[]): Ring[] {
  if (stations.length < 3) return stations.map(({ at, a, b }) => ({ at: new Vector3(...at), a, b }));
  const centres = new CatmullRomCurve3(stations.map(({ at }) => new Vector3(...at)));
  const widths = new CatmullRomCurve3(stations.map(({ a, b }) => new Vector3(a, b, 0)));
  const count = (stations.length - 1) * RINGS_BETWEEN;
  return Array.from({ length: count + 1 }, (_, k) => {
    const { x, y } = widths.getPoint(k / count);
    return { at: centres.getPoint(k / count), a: x, b: y };
  });
}

/** Half an ellipsoid at each end. */
function withCaps(rings: readonly Ring[], axis: Vector3, caps: readonly [number, number]): Ring[] {
  const cap = ({ at, a, b }: Ring, depthOf: number): Ring[] =>
    Array.from({ length: CAP_RINGS }, (_, k) => {
      const angle = ((k + 1) / (CAP_RINGS + 0.3)) * (Math.PI / 2);
      const depth = depthOf * Math.min(a, b) * Math.sin(angle);
      return {
        at: at.clone().addScaledVector(axis, depth),
        a: a * Math.cos(angle),
        b: b * Math.cos(angle),
      };
    });
  return [...cap(rings[0], -caps[0]).reverse(), ...rings, ...cap(rings[rings.length - 1], caps[1])];
}
