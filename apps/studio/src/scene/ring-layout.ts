import { vec3 } from 'poise/math';
import { Vector3 } from 'three';
import { live } from '../live/driver.js';
import { session } from '../session/store.js';
import { usePosing } from './posing-store.js';
import { circle } from './ring.js';
import { projectToCanvas, toWorld, view } from './view.js';

export const RING_AXES = ['x', 'y', 'z'] as const;
export type RingAxis = (typeof RING_AXES)[number];

/** The parts of a ring: what lies behind the joint, what lies before it, and what is pressed. */
interface RingElements {
  back: SVGPathElement | null;
  front: SVGPathElement | null;
  band: SVGPathElement | null;
}

export const ringElements: Readonly<Record<RingAxis, RingElements>> = {
  x: { back: null, front: null, band: null },
  y: { back: null, front: null, band: null },
  z: { back: null, front: null, band: null },
};

/** Radius on the screen, px. */
const RADIUS = 58;

export function selectedBone(): number | undefined {
  const { selected } = usePosing.getState();
  const handle = session.character.handles.find(({ id }) => id === selected);
  return handle?.turns ?? handle?.bone;
}

/** Axis of a bone in the scene, unit. */
export function axisInScene(bone: number, n: number): number[] {
  const f = session.frameOf(bone);
  const from = toWorld([0, 0, 0]);
  return vec3.normalize(vec3.subtract(toWorld([f[n], f[3 + n], f[6 + n]]), from));
}

/** Radius of the rings in the scene, the same on the screen wherever the joint is. */
export function ringRadius(center: readonly number[]): number {
  const { camera } = view;
  const from = projectToCanvas(center);
  if (camera === undefined || from === undefined) return 0;
  const aside = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0).add(new Vector3().fromArray(center));
  const to = projectToCanvas(aside.toArray());
  return to === undefined ? 0 : RADIUS / Math.hypot(to.x - from.x, to.y - from.y);
}

/** Draws the rings about the joint of the selected handle; none while something else moves it. */
export function layOutRings(): void {
  const bone = selectedBone();
  const { camera } = view;
  if (bone === undefined || camera === undefined || ringElements.x.band === null) return;
  const f = session.frameOf(bone);
  const center = toWorld([f[9], f[10], f[11]]);
  const radius = ringRadius(center);
  const back = camera.position.toArray().map((x, k) => x - center[k]);
  RING_AXES.forEach((axis, n) => {
    const points = live.driver === undefined ? circle(center, axisInScene(bone, n), radius) : [];
    const paths = { back: '', front: '', band: '' };
    let before: string | undefined;
    let last: 'back' | 'front' | undefined;
    for (const point of points) {
      const place = projectToCanvas(point);
      if (place === undefined) {
        before = undefined;
        continue;
      }
      const now = `${place.x.toFixed(1)} ${place.y.toFixed(1)}`;
      const side = vec3.dot(vec3.subtract(point, center), back) < 0 ? 'back' : 'front';
      if (before !== undefined) {
        paths[side] += last === side ? `L${now}` : `M${before}L${now}`;
        paths.band += `L${now}`;
      } else paths.band += `M${now}`;
      last = before === undefined ? undefined : side;
      before = now;
    }
    for (const [name, path] of Object.entries(paths)) {
      ringElements[axis][name as keyof RingElements]?.setAttribute('d', path);
    }
  });
}
