import type { WorldShape } from 'poise/dynamics';
import { BoxGeometry, Group, Mesh, MeshStandardMaterial } from 'three';

/** Steps below the landing; their rise and run, m. */
const STEPS = 5;
const RISE = 0.17;
const RUN = 0.29;
/** Half the width, and start and end of the landing, m. */
const HALF = 1.3;
const START = -2;
const EDGE = -1.05;
/** Friction low enough to slide down. */
const FRICTION = 0.3;

/** Height of the landing, m. */
export const LANDING = (STEPS + 1) * RISE;

/** Boxes from the floor up: start and end along x, and height. */
const boxes = Array.from({ length: STEPS + 1 }, (_, k) => ({
  from: k === 0 ? START : EDGE + (k - 1) * RUN,
  to: EDGE + k * RUN,
  height: LANDING - k * RISE,
}));

/** Stairs that go down along x, and a floor. */
export const world: readonly WorldShape[] = [
  { type: 'plane' },
  ...boxes.map(
    ({ from, to, height }): WorldShape => ({
      type: 'box',
      friction: FRICTION,
      halfSizes: [(to - from) / 2, height / 2, HALF],
      placement: { position: [(from + to) / 2, height / 2, 0] },
    }),
  ),
];

/** The visible stairs. */
export function createStairs(): Group {
  const group = new Group();
  const material = new MeshStandardMaterial({ color: '#d5dae0', roughness: 0.9 });
  for (const { from, to, height } of boxes) {
    const mesh = new Mesh(new BoxGeometry(to - from, height, 2 * HALF), material);
    mesh.position.set((from + to) / 2, height / 2, 0);
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    group.add(mesh);
  }
  return group;
}
