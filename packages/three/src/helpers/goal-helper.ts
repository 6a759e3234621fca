import { FigureError } from 'poise';
import { createState, type FigureState, forwardKinematics } from 'poise/figure';
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
import { checkFields, type FieldsOf } from '../binding/validate-options.js';
import type { FigureSolverWith } from '../solver/figure-solver-with.js';
import { placesOf } from './goal-places.js';
import { extentOf, followFigure } from './source.js';

/** Options of {@link GoalHelper}. */
export interface GoalHelperOptions {
  /** Of goals within their tolerance. */
  readonly color?: ColorRepresentation;
  /** Of goals that are missed. */
  readonly missedColor?: ColorRepresentation;
  /** Radius of a target's mark, m. Default: 1.2 % of the figure's extent. */
  readonly radius?: number;
}

const FIELDS: FieldsOf<GoalHelperOptions> = { color: true, missedColor: true, radius: true };

/** What is drawn of one goal. */
interface GoalDrawing {
  readonly group: Group;
  /** Made as they are needed. */
  readonly marks: Mesh<SphereGeometry, MeshBasicMaterial>[];
  readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  readonly axes: LineSegments<BufferGeometry, LineBasicMaterial>;
  readonly sheet: Mesh<PlaneGeometry, MeshBasicMaterial>;
}

/**
 * The goals of a solver: a ball where something is to be, a smaller one on what is to be there, and a line between the two; in one colour where
 * the goal is met, in another where it is missed. Orientations are axes, planes a square about the foot of the point, a support its
 * outline with the centre of mass above, up the two directions of it, a joint's value the arc to it, and a posture the bones as they would stand in it. It shows the solution, before the
 * blend with the animation, and the goals as they are, also those that came later. Add it to the scene and call {@link update}
 * after the solver.
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
    checkFields(options, FIELDS, 'options', FigureError);
    this.#solver = solver;
    this.#state = createState(solver.figure);
    const extent = extentOf(solver.figure);
    this.#radius = options.radius ?? 0.012 * extent;
    this.#square = new PlaneGeometry(0.3 * extent, 0.3 * extent);
    this.#met = materialsOf(options.color ?? '#0f7d74');
    this.#missed = materialsOf(options.missedColor ?? '#d9622b');
    this.update();
  }

  /** Brings the drawing up to the solver's goals and last solution. */
  update(): void {
    const { binding, bound, figure, pose, result } = this.#solver;
    followFigure(this, binding);
    forwardKinematics(this.#state, pose);
    const stage = { figure, pose, state: this.#state, size: 6 * this.#radius };
    const missed = new Set(result?.residuals.flatMap(({ index, satisfied }) => (satisfied ? [] : [index])));
    while (this.#drawings.length < bound.length) this.#drawings.push(this.#draw());
    this.#drawings.forEach(({ group, marks, lines, axes, sheet }, n) => {
      group.visible = n < bound.length && bound[n].blend > 0;
      if (!group.visible) return;
      const materials = missed.has(n) ? this.#missed : this.#met;
      const places = placesOf(bound[n].goal, stage);
      const balls = [...places.targets, ...places.ends];
      while (marks.length < balls.length) marks.push(this.#addMark(group));
      marks.forEach((mark, k) => {
        mark.visible = k < balls.length;
        mark.material = materials.ball;
        mark.scale.setScalar((k < places.targets.length ? 1 : 0.5) * this.#radius);
        if (mark.visible) mark.position.fromArray(balls[k]);
      });
      lines.material = materials.stroke;
      writeSegments(lines.geometry, places.segments);
      axes.visible = places.axes !== undefined;
      if (places.axes) {
        axes.position.fromArray(places.axes.at);
        axes.quaternion.fromArray(places.axes.turn);
      }
      sheet.visible = places.sheet !== undefined;
      sheet.material = materials.sheet;
      if (places.sheet) {
        sheet.position.fromArray(places.sheet.at);
        sheet.quaternion.fromArray(turnFromZ(places.sheet.normal));
      }
    });
  }

  /** Frees geometries and materials, and takes the helper out of its parent. */
  override dispose(): void {
    this.removeFromParent();
    this.dispatchEvent({ type: 'dispose' });
    for (const { lines } of this.#drawings) lines.geometry.dispose();
    for (const one of [this.#ball, this.#square, this.#cross, this.#axes]) one.dispose();
    for (const { ball, stroke, sheet } of [this.#met, this.#missed]) {
      ball.dispose();
      stroke.dispose();
      sheet.dispose();
    }
    this.clear();
  }

  #draw(): GoalDrawing {
    const drawing: GoalDrawing = {
      group: new Group(),
      marks: [],
      lines: new LineSegments(new BufferGeometry(), this.#met.stroke),
      axes: new LineSegments(this.#cross, this.#axes),
      sheet: new Mesh(this.#square, this.#met.sheet),
    };
    drawing.axes.scale.setScalar(6 * this.#radius);
    for (const child of [drawing.lines, drawing.axes, drawing.sheet]) {
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

/** Writes pairs of points; the memory grows where it has to. */
function writeSegments(
  geometry: BufferGeometry,
  segments: readonly (readonly [readonly number[], readonly number[]])[],
): void {
  const count = 2 * segments.length;
  if (!geometry.hasAttribute('position') || geometry.getAttribute('position').count < count) {
    // The memory of the old ones is freed with this.
    geometry.dispose();
    const room = new BufferAttribute(new Float32Array(3 * Math.max(2, count)), 3);
    geometry.setAttribute('position', room.setUsage(DynamicDrawUsage));
  }
  const points = geometry.getAttribute('position');
  points.array.set(segments.flat(2));
  points.needsUpdate = true;
  geometry.setDrawRange(0, count);
}

interface MaterialsOfState {
  readonly ball: MeshBasicMaterial;
  readonly stroke: LineBasicMaterial;
  readonly sheet: MeshBasicMaterial;
}

function materialsOf(representation: ColorRepresentation): MaterialsOfState {
  const color = new Color(representation);
  return {
    ball: new MeshBasicMaterial({ color, transparent: true, opacity: 0.9, depthTest: false }),
    stroke: new LineBasicMaterial({ color, transparent: true, depthTest: false }),
    sheet: new MeshBasicMaterial({
      color,
      transparent: true,
      opacity: 0.18,
      side: DoubleSide,
      depthWrite: false,
    }),
  };
}

/** The turn that takes +Z to a unit vector. */
function turnFromZ(normal: readonly number[]): number[] {
  const x = vec3.perpendicular(normal);
  const y = vec3.cross(normal, x);
  const [a, b, c] = [x, y, normal];
  return quat.fromMatrix([a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]]);
}

/** Three axes of length one in red, green and blue, toned down. */
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
