import { boneIndex, createState, type FigureState, forwardKinematics } from 'poise/figure';
import type { Goal } from 'poise/ik';
import { type Numbers, quat, rigid, vec3 } from 'poise/math';
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  type ColorRepresentation,
  DoubleSide,
  DynamicDrawUsage,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  Object3D,
  PlaneGeometry,
  SphereGeometry,
} from 'three';
import type { FigureSolverWith } from '../figure-solver-with.js';
import type { BoundGoal } from '../goal-binding.js';
import { boneFrame, extentOf, followFigure } from './source.js';

/** Options of {@link GoalHelper}. */
export interface GoalHelperOptions {
  /** Of goals within their tolerance. */
  readonly color?: ColorRepresentation;
  /** Of goals that are missed. */
  readonly missedColor?: ColorRepresentation;
  /** Radius of a target's mark, m. Default: 1.2 % of the figure's extent. */
  readonly radius?: number;
}

/** What is drawn of one goal. */
interface GoalDrawing {
  readonly bound: BoundGoal;
  readonly group: Group;
  readonly target: Mesh<SphereGeometry, MeshBasicMaterial>;
  readonly end: Mesh<SphereGeometry, MeshBasicMaterial>;
  readonly line: Line<BufferGeometry, LineBasicMaterial>;
  readonly axes: LineSegments<BufferGeometry, LineBasicMaterial>;
  readonly plane: Mesh<PlaneGeometry, MeshBasicMaterial>;
}

/** Places of a goal in the figure's world; what it does not have is not drawn. */
interface GoalPlaces {
  /** What is held to the target: a point of the bone, or where its line of sight starts. */
  readonly end?: readonly number[];
  readonly target?: readonly number[];
  /** Wanted orientation, drawn as three axes at `end`. */
  readonly orientation?: readonly number[];
  /** Normal of a plane through `target`. */
  readonly normal?: readonly number[];
}

/**
 * The goals of a solver: a ball at each target, a line to it from the point of the bone that is to be there, axes where an
 * orientation is wanted, a square for a plane; in one colour where the goal is met, in another where it is missed. It shows the solution,
 * before the blend with the animation. Add it to the scene and call {@link update} after the solver.
 */
export class GoalHelper extends Object3D {
  override readonly type: string = 'GoalHelper';
  readonly #solver: FigureSolverWith;
  readonly #state: FigureState;
  readonly #drawings: readonly GoalDrawing[];
  readonly #met: MaterialsOfState;
  readonly #missed: MaterialsOfState;
  readonly #ball = new SphereGeometry(1, 20, 14);
  readonly #square: PlaneGeometry;
  readonly #cross = crossGeometry();
  readonly #axes = new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });

  constructor(solver: FigureSolverWith, options: GoalHelperOptions = {}) {
    super();
    this.#solver = solver;
    this.#state = createState(solver.figure);
    const extent = extentOf(solver.figure);
    const radius = options.radius ?? 0.012 * extent;
    this.#square = new PlaneGeometry(0.3 * extent, 0.3 * extent);
    this.#met = materialsOf(options.color ?? '#0f7d74');
    this.#missed = materialsOf(options.missedColor ?? '#d9622b');
    this.#drawings = solver.bound.map((bound) => this.#draw(bound, radius));
    this.update();
  }

  /** Brings the drawing up to the solver's goals and last solution. */
  update(): void {
    const { binding, figure, pose, result } = this.#solver;
    followFigure(this, binding);
    forwardKinematics(this.#state, pose);
    const missed = new Set(result?.residuals.flatMap(({ index, satisfied }) => (satisfied ? [] : [index])));
    this.#drawings.forEach((drawing, n) => {
      const { bound, group, target, end, line, axes, plane } = drawing;
      group.visible = bound.blend > 0;
      if (!group.visible) return;
      const { ball, stroke, sheet } = missed.has(n) ? this.#missed : this.#met;
      const places = placesOf(bound.goal, (bone) => boneFrame(this.#state, boneIndex(figure, bone)));
      target.visible = places.target !== undefined;
      end.visible = places.end !== undefined;
      line.visible = places.target !== undefined && places.end !== undefined;
      axes.visible = places.orientation !== undefined;
      plane.visible = places.normal !== undefined;
      target.material = ball;
      end.material = ball;
      line.material = stroke;
      plane.material = sheet;
      if (places.target) target.position.fromArray(places.target);
      if (places.end) end.position.fromArray(places.end);
      if (places.orientation && places.end) {
        axes.position.fromArray(places.end);
        axes.quaternion.fromArray(places.orientation);
      }
      if (places.normal && places.target) {
        plane.position.fromArray(places.target);
        plane.quaternion.fromArray(turnFromZ(places.normal));
      }
      const points = line.geometry.getAttribute('position');
      points.array.set([...(places.end ?? NONE), ...(places.target ?? NONE)]);
      points.needsUpdate = true;
    });
  }

  /** Frees geometries and materials, and takes the helper out of its parent. */
  override dispose(): void {
    this.removeFromParent();
    this.dispatchEvent({ type: 'dispose' });
    for (const { line } of this.#drawings) line.geometry.dispose();
    for (const one of [this.#ball, this.#square, this.#cross, this.#axes]) one.dispose();
    for (const { ball, stroke, sheet } of [this.#met, this.#missed]) {
      ball.dispose();
      stroke.dispose();
      sheet.dispose();
    }
    this.clear();
  }

  #draw(bound: BoundGoal, radius: number): GoalDrawing {
    const { ball, stroke, sheet } = this.#met;
    const ends = new BufferGeometry();
    ends.setAttribute('position', new BufferAttribute(new Float32Array(6), 3).setUsage(DynamicDrawUsage));
    const drawing: GoalDrawing = {
      bound,
      group: new Group(),
      target: new Mesh(this.#ball, ball),
      end: new Mesh(this.#ball, ball),
      line: new Line(ends, stroke),
      axes: new LineSegments(this.#cross, this.#axes),
      plane: new Mesh(this.#square, sheet),
    };
    drawing.target.scale.setScalar(radius);
    drawing.end.scale.setScalar(0.5 * radius);
    drawing.axes.scale.setScalar(6 * radius);
    drawing.group.add(drawing.target, drawing.end, drawing.line, drawing.axes, drawing.plane);
    for (const child of drawing.group.children) {
      child.frustumCulled = false;
      child.renderOrder = 2;
    }
    this.add(drawing.group);
    return drawing;
  }
}

const NONE: readonly number[] = [0, 0, 0];

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

/** Where a goal has its ends. */
function placesOf(goal: Goal, frameOf: (bone: string | number) => Float64Array): GoalPlaces {
  switch (goal.type) {
    case 'position':
    case 'distance':
    case 'relative-pose':
      return { end: pointOf(frameOf(goal.bone), goal.point), target: placeOf(goal.target, frameOf) };
    case 'points-at':
      return { end: pointOf(frameOf(goal.bone), goal.origin), target: placeOf(goal.target, frameOf) };
    case 'look-at': {
      const [bone] = [goal.bone].flat();
      return { end: pointOf(frameOf(bone), goal.origin), target: placeOf(goal.target, frameOf) };
    }
    case 'pole':
      return {
        target: placeOf(goal.target, frameOf),
        ...(goal.middle !== undefined && { end: pointOf(frameOf(goal.middle)) }),
      };
    case 'orientation':
      return { end: pointOf(frameOf(goal.bone)), orientation: orientationOf(goal.target, frameOf) };
    case 'plane':
    case 'half-space': {
      const { point, normal, bone } = goal.target;
      const end = pointOf(frameOf(goal.bone), goal.point);
      if (bone === undefined) return { end, target: Array.from(point), normal: vec3.normalize(normal) };
      const frame = frameOf(bone);
      return {
        end,
        target: rigid.transformPoint(frame, point),
        normal: vec3.normalize(rigid.transformVector(frame, normal)),
      };
    }
    case 'center-of-mass':
      return goal.target === undefined ? {} : { target: Array.from(goal.target) };
    default:
      return {};
  }
}

function pointOf(frame: Float64Array, point: Numbers = NONE): number[] {
  return rigid.transformPoint(frame, point);
}

type Target = Numbers | { readonly bone: string | number; readonly point?: Numbers };

function placeOf(target: Target, frameOf: (bone: string | number) => Float64Array): number[] {
  return 'bone' in target ? pointOf(frameOf(target.bone), target.point) : Array.from(target);
}

type Orientation = Numbers | { readonly bone: string | number; readonly offset?: Numbers };

function orientationOf(target: Orientation, frameOf: (bone: string | number) => Float64Array): number[] {
  if (!('bone' in target)) return quat.normalize(target);
  const turn = rigid.toQuat(frameOf(target.bone));
  return target.offset === undefined ? turn : quat.multiply(turn, quat.normalize(target.offset));
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
