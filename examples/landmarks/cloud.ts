import { BODY_LANDMARKS } from 'poise/ik';
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  MeshBasicMaterial,
  SphereGeometry,
} from 'three';

/** Pairs of points joined by a line. */
const LINES: readonly (readonly [string, string])[] = [
  ['left_shoulder', 'right_shoulder'],
  ['left_hip', 'right_hip'],
  ...(['left', 'right'] as const).flatMap((side): (readonly [string, string])[] => [
    [`${side}_shoulder`, `${side}_elbow`],
    [`${side}_elbow`, `${side}_wrist`],
    [`${side}_wrist`, `${side}_index`],
    [`${side}_shoulder`, `${side}_hip`],
    [`${side}_hip`, `${side}_knee`],
    [`${side}_knee`, `${side}_ankle`],
    [`${side}_ankle`, `${side}_heel`],
    [`${side}_heel`, `${side}_foot_index`],
    [`${side}_ear`, 'nose'],
  ]),
];

const ACCENT = '#d9622b';
const RADIUS = 0.013;

/** The visible points, and lines between them, drawn over the body. */
export function createCloud(): {
  readonly object: Group;
  update(positions: Float64Array, confidences: Float64Array): void;
} {
  const names: readonly string[] = BODY_LANDMARKS;
  const pairs = LINES.map((pair) => pair.map((name) => names.indexOf(name)));
  const points = new InstancedMesh(
    new SphereGeometry(RADIUS, 12, 8),
    new MeshBasicMaterial({ color: new Color(ACCENT), depthTest: false, transparent: true, opacity: 0.9 }),
    names.length,
  );
  const lines = new BufferGeometry();
  lines.setAttribute(
    'position',
    new BufferAttribute(new Float32Array(6 * pairs.length), 3).setUsage(DynamicDrawUsage),
  );
  const segments = new LineSegments(
    lines,
    new LineBasicMaterial({ color: new Color(ACCENT), depthTest: false, transparent: true, opacity: 0.7 }),
  );
  points.frustumCulled = false;
  segments.frustumCulled = false;
  const object = new Group();
  object.add(points, segments);
  const matrix = new Matrix4();
  return {
    object,
    update(positions, confidences) {
      for (let m = 0; m < names.length; m++) {
        // Zero size if not visible.
        if (confidences[m] > 0) {
          matrix.makeTranslation(positions[3 * m], positions[3 * m + 1], positions[3 * m + 2]);
        } else matrix.makeScale(0, 0, 0);
        points.setMatrixAt(m, matrix);
      }
      points.instanceMatrix.needsUpdate = true;
      const ends = lines.getAttribute('position');
      pairs.forEach(([a, b], n) => {
        const isSeen = confidences[a] > 0 && confidences[b] > 0;
        for (let k = 0; k < 3; k++) {
          ends.array[6 * n + k] = isSeen ? positions[3 * a + k] : 0;
          ends.array[6 * n + 3 + k] = isSeen ? positions[3 * b + k] : 0;
        }
      });
      ends.needsUpdate = true;
    },
  };
}
