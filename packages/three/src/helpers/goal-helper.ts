import { FigureError } from 'poise';
import { createState, type FigureState, forwardKinematics, setRestTransforms } from 'poise/figure';
import { type FieldsOf, requireFields, requirePositive } from 'poise/internal/checks';
import { quat, vec3 } from 'poise/math';
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  type ColorRepresentation,
  DoubleSide,
  DynamicDrawUsage,
  Float32BufferAttribute,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  Object3D,
  PlaneGeometry,
  SphereGeometry,
} from 'three';
import type { FigureSolverWith } from '../solver/figure-solver-with.js';
import { goalGeometry } from './goal-geometry.js';
import { extentOf, followFigure } from './source.js';

/** Options of {@link GoalHelper}. */
export interface GoalHelperOptions {
  /** Color of goals within their tolerance. */
  readonly color?: ColorRepresentation;
  /** Color of goals that are missed. */
  readonly missedColor?: ColorRepresentation;
  /** Radius of a target's sphere, m. Default: 1.2 % of the figure's extent. */
  readonly radius?: number;
}

const FIELDS: FieldsOf<GoalHelperOptions> = { color: true, missedColor: true, radius: true };

/** The objects that draw one goal. */
interface GoalDrawing {
  readonly group: Group;
  /** Created on demand. */
  readonly marks: Mesh<SphereGeometry, MeshBasicMaterial>[];
  readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  readonly axes: LineSegments<BufferGeometry, LineBasicMaterial>;
  readonly planeMesh: Mesh<PlaneGeometry, MeshBasicMaterial>;
}

/**
 * Draws the goals of a solver: a large sphere at the target, a small one at the point of the body, and a line between; in one
 * colour if the goal is met, in another if it is missed. Orientations are drawn as axes, planes as a square around the
 * projection of the point, a support as its outline with the centre of mass above, `up` as its two directions, a joint value
 * as the arc to it, and a posture as the bones in that pose. It shows the solution before the blend with the animation, and
 * follows the solver's goals as they change. Add it to the scene and call {@link update} after the solver.
 */
export class GoalHelper extends Object3D {
  override readonly type: string = 'GoalHelper';
  readonly #solver: FigureSolverWith;
  readonly #state: FigureState;
  readonly #drawings: GoalDrawing[] = [];
  readonly #met: MaterialsOfState;
  readonly #missed: MaterialsOfState;
  readonly #ball = new SphereGeometry(1, 20, 14);
  readonly #square: PlaneGeometry;
  readonly #cross = crossGeometry();
  readonly #axes = new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });
  readonly #radius: number;

  constructor(solver: FigureSolverWith, options: GoalHelperOptions = {}) {
    super();
    requireFields(options, FIELDS, 'options', FigureError);
    if (options.radius !== undefined) requirePositive(options.radius, 'options.radius', FigureError, 'm');
    this.#solver = solver;
    this.#state = createState(solver.figure);
    const extent = extentOf(solver.figure);
    this.#radius = options.radius ?? 0.012 * extent;
    this.#square = new PlaneGeometry(0.3 * extent, 0.3 * extent);
    this.#met = materialsOf(options.color ?? '#0f7d74');
    this.#missed = materialsOf(options.missedColor ?? '#d9622b');
    this.update();
  }

  /** Updates the drawing from the solver's goals and last solution. */
  update(): void {
    const { binding, bound, figure, pose, rests, result } = this.#solver;
    followFigure(this, binding);
    setRestTransforms(this.#state, rests);
    forwardKinematics(this.#state, pose);
    const drawingState = { figure, pose, state: this.#state, rests, size: 6 * this.#radius };
    const missed = new Set(result?.residuals.flatMap(({ index, satisfied }) => (satisfied ? [] : [index])));
    while (this.#drawings.length < bound.length) this.#drawings.push(this.#draw());
    this.#drawings.forEach(({ group, marks, lines, axes, planeMesh }, n) => {
      group.visible = n < bound.length && bound[n].blend > 0;
      if (!group.visible) return;
      const materials = missed.has(n) ? this.#missed : this.#met;
      const geometry = goalGeometry(bound[n].goal, drawingState);
      const points = [...geometry.targets, ...geometry.ends];
      while (marks.length < points.length) marks.push(this.#addMark(group));
      marks.forEach((mark, k) => {
        mark.visible = k < points.length;
        mark.material = materials.ball;
        mark.scale.setScalar((k < geometry.targets.length ? 1 : 0.5) * this.#radius);
        if (mark.visible) mark.position.fromArray(points[k]);
      });
      lines.material = materials.line;
      writeSegments(lines.geometry, geometry.segments);
      axes.visible = geometry.axes !== undefined;
      if (geometry.axes) {
        axes.position.fromArray(geometry.axes.at);
        axes.quaternion.fromArray(geometry.axes.rotation);
      }
      planeMesh.visible = geometry.plane !== undefined;
      planeMesh.material = materials.planeMesh;
      if (geometry.plane) {
        planeMesh.position.fromArray(geometry.plane.at);
        planeMesh.quaternion.fromArray(rotationFromZ(geometry.plane.normal));
      }
    });
  }

  /** Frees geometries and materials, and removes the helper from its parent. */
  override dispose(): void {
    this.removeFromParent();
    this.dispatchEvent({ type: 'dispose' });
    for (const { lines } of this.#drawings) lines.geometry.dispose();
    for (const resource of [this.#ball, this.#square, this.#cross, this.#axes]) resource.dispose();
    for (const { ball, line, planeMesh } of [this.#met, this.#missed]) {
      ball.dispose();
      line.dispose();
      planeMesh.dispose();
    }
    this.clear();
  }

  #draw(): GoalDrawing {
    const drawing: GoalDrawing = {
      group: new Group(),
      marks: [],
      lines: new LineSegments(new BufferGeometry(), this.#met.line),
      axes: new LineSegments(this.#cross, this.#axes),
      planeMesh: new Mesh(this.#square, this.#met.planeMesh),
    };
    drawing.axes.scale.setScalar(6 * this.#radius);
    for (const child of [drawing.lines, drawing.axes, drawing.planeMesh]) {
      child.frustumCulled = false;
      child.renderOrder = 2;
      drawing.group.add(child);
    }
    this.add(drawing.group);
    return drawing;
  }

  #addMark(group: Group): Mesh<SphereGeometry, MeshBasicMaterial> {
    const mark = new Mesh(this.#ball, this.#met.ball);
    mark.frustumCulled = false;
    mark.renderOrder = 2;
    group.add(mark);
    return mark;
  }
}

/** Writes pairs of points; the buffer grows if needed. */
function writeSegments(
  geometry: BufferGeometry,
  segments: readonly (readonly [readonly number[], readonly number[]])[],
): void {
  const count = 2 * segments.length;
  if (!geometry.hasAttribute('position') || geometry.getAttribute('position').count < count) {
    // Frees the old buffer.
    geometry.dispose();
    const buffer = new BufferAttribute(new Float32Array(3 * Math.max(2, count)), 3);
    geometry.setAttribute('position', buffer.setUsage(DynamicDrawUsage));
  }
  const points = geometry.getAttribute('position');
  points.array.set(segments.flat(2));
  points.needsUpdate = true;
  geometry.setDrawRange(0, count);
}

interface MaterialsOfState {
  readonly ball: MeshBasicMaterial;
  readonly line: LineBasicMaterial;
  readonly planeMesh: MeshBasicMaterial;
}

function materialsOf(representation: ColorRepresentation): MaterialsOfState {
  const color = new Color(representation);
  return {
    ball: new MeshBasicMaterial({ color, transparent: true, opacity: 0.9, depthTest: false }),
    line: new LineBasicMaterial({ color, transparent: true, depthTest: false }),
    planeMesh: new MeshBasicMaterial({
      color,
      transparent: true,
      opacity: 0.18,
      side: DoubleSide,
      depthWrite: false,
    }),
  };
}

/** A rotation that maps +Z to a unit vector. */
function rotationFromZ(normal: readonly number[]): number[] {
  const x = vec3.perpendicular(normal);
  const y = vec3.cross(normal, x);
  const [a, b, c] = [x, y, normal];
  return quat.fromMatrix([a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]]);
}

/** Three axes of length one in muted red, green and blue. */
function crossGeometry(): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute(
    'position',
    new Float32BufferAttribute([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1], 3),
  );
  const colors = ['#c8503c', '#4f9a4a', '#3a6fd0'].flatMap((name) => {
    const { r, g, b } = new Color(name);
    return [r, g, b, r, g, b];
  });
  geometry.setAttribute('color', new Float32BufferAttribute(colors, 3));
  return geometry;
}
