import { FigureError } from 'poise';
import {
  boneIndex,
  createLimitPicture,
  createPose,
  createState,
  type FigureState,
  forwardKinematics,
  type LimitComponent,
  type LimitPicture,
  limitShapes,
  setRestTransforms,
  updateLimitPicture,
} from 'poise/figure';
import { type FieldsOf, requireFields, requireOneOf, requirePositive } from 'poise/internal/checks';
import { rigid, vec3 } from 'poise/math';
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  type ColorRepresentation,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  Line,
  LineBasicMaterial,
  LineLoop,
  Mesh,
  MeshBasicMaterial,
  Object3D,
  SphereGeometry,
} from 'three';
import { bindingOf, boneFrame, extentOf, followFigure, type HelperSource, toMatrix4 } from './source.js';

/** `free`: inside. `touched`: on its boundary. `blocking`: on its boundary and blocking a goal (`result.activeLimits`). */
export type LimitState = 'free' | 'touched' | 'blocking';

/** Options of {@link LimitHelper}. */
export interface LimitHelperOptions {
  /** Which limits are drawn. Default `touched`: touched and blocking ones. */
  readonly show?: 'all' | 'touched' | 'blocking';
  /** Only limits of these bones, by name. Default: all. */
  readonly bones?: readonly string[];
  /** Radius, m. Default: from the length of each bone. */
  readonly radius?: number;
  readonly colors?: Partial<Readonly<Record<LimitState, ColorRepresentation>>>;
}

const FIELDS: FieldsOf<LimitHelperOptions> = { show: true, bones: true, radius: true, colors: true };
const SHOW_OPTIONS = ['all', 'touched', 'blocking'];

const COLORS: Readonly<Record<LimitState, ColorRepresentation>> = {
  free: '#6f8196',
  touched: '#c79a3d',
  blocking: '#d9622b',
};

/** Value of a limit's function above which it counts as touched: zero up to rounding. */
const TOUCH_TOLERANCE = -1e-7;

interface Materials {
  readonly surface: MeshBasicMaterial;
  readonly line: LineBasicMaterial;
  readonly solid: MeshBasicMaterial;
}

interface LimitDrawing {
  readonly component: LimitComponent;
  readonly picture: LimitPicture;
  readonly group: Group;
  readonly radius: number;
  readonly surface: Mesh<BufferGeometry, MeshBasicMaterial>;
  readonly rim: Line<BufferGeometry, LineBasicMaterial>;
  readonly needle: Line<BufferGeometry, LineBasicMaterial>;
  readonly dot: Mesh<SphereGeometry, MeshBasicMaterial>;
}

/**
 * Draws joint limits as cones, arcs and ranges at their joints, in the pose of the body, coloured by their state in the
 * solution. The shapes come from `figure.limitComponents`, which clamp and solver use too. Add it to the scene and call
 * {@link update} after the solver.
 */
export class LimitHelper extends Object3D {
  override readonly type: string = 'LimitHelper';
  show: NonNullable<LimitHelperOptions['show']>;

  readonly #source: HelperSource;
  readonly #components: readonly LimitComponent[];
  readonly #drawings = new Map<LimitComponent, LimitDrawing | undefined>();
  readonly #state: FigureState;
  /** Pose of the body; it differs from the source's if a solution is written with a weight below 1. */
  readonly #pose: Float64Array;
  readonly #materials: Readonly<Record<LimitState, Materials>>;
  readonly #dot = new SphereGeometry(1, 16, 12);
  readonly #extent: number;
  readonly #radius: number | undefined;

  constructor(source: HelperSource, options: LimitHelperOptions = {}) {
    super();
    requireFields(options, FIELDS, 'options', FigureError);
    if (options.radius !== undefined) requirePositive(options.radius, 'options.radius', FigureError, 'm');
    requireOneOf(options.show ?? 'touched', SHOW_OPTIONS, 'options.show', FigureError);
    requireFields(options.colors ?? {}, COLORS, 'options.colors', FigureError);
    const { figure } = source;
    const bones = options.bones?.map((name, n) => boneIndex(figure, name, `options.bones[${n}]`));
    this.#source = source;
    this.show = options.show ?? 'touched';
    this.#components = figure.limitComponents.filter(({ bone }) => bones?.includes(bone) ?? true);
    this.#state = createState(figure);
    this.#pose = createPose(figure);
    this.#extent = extentOf(figure);
    this.#radius = options.radius;
    const colors = { ...COLORS, ...options.colors };
    this.#materials = {
      free: materialsOf(colors.free),
      touched: materialsOf(colors.touched),
      blocking: materialsOf(colors.blocking),
    };
  }

  /** The limits drawn at the last update, their states, and the radius of each, m. A slider's range has its own length. */
  readonly shown: {
    readonly component: LimitComponent;
    readonly state: LimitState;
    readonly radius: number;
  }[] = [];

  /** Updates the drawing from the source's pose and result. */
  update(): void {
    const { figure, pose, result } = this.#source;
    const binding = bindingOf(this.#source);
    followFigure(this, binding);
    this.#pose.set(pose);
    binding?.readPose(this.#pose);
    if (binding) setRestTransforms(this.#state, binding.rests);
    forwardKinematics(this.#state, this.#pose);
    const blocking = new Set(result?.activeLimits.map(({ coordinate }) => coordinate));
    this.shown.length = 0;
    for (const component of this.#components) {
      const state: LimitState = blocking.has(component.coordinate)
        ? 'blocking'
        : limitShapes[component.kind].value(
              component.parameters,
              pose,
              component.coordinate,
              component.size,
            ) > TOUCH_TOLERANCE
          ? 'touched'
          : 'free';
      const isShown =
        this.show === 'all' || state === 'blocking' || (this.show === 'touched' && state === 'touched');
      let drawing = this.#drawings.get(component);
      if (!isShown) {
        if (drawing !== undefined) drawing.group.visible = false;
        continue;
      }
      if (!this.#drawings.has(component)) {
        drawing = this.#draw(component);
        this.#drawings.set(component, drawing);
      }
      if (drawing === undefined) continue;
      drawing.group.visible = true;
      this.shown.push({ component, state, radius: drawing.radius });
      this.#updateDrawing(drawing, state);
      const { parent, rest } = figure.bones[component.bone];
      const local = rigid.fromQuatPosition(rest.rotation, rest.position);
      const frame = parent < 0 ? local : rigid.compose(boneFrame(this.#state, parent), local);
      toMatrix4(frame, drawing.group.matrix);
      drawing.group.matrixWorldNeedsUpdate = true;
    }
  }

  /** Frees geometries and materials, and removes the helper from its parent. */
  override dispose(): void {
    this.removeFromParent();
    this.dispatchEvent({ type: 'dispose' });
    for (const drawing of this.#drawings.values()) {
      if (drawing === undefined) continue;
      drawing.surface.geometry.dispose();
      drawing.rim.geometry.dispose();
      drawing.needle.geometry.dispose();
    }
    this.#drawings.clear();
    this.clear();
    for (const { surface, line, solid } of Object.values(this.#materials)) {
      surface.dispose();
      line.dispose();
      solid.dispose();
    }
    this.#dot.dispose();
  }

  #draw(component: LimitComponent): LimitDrawing | undefined {
    const { figure } = this.#source;
    const picture = createLimitPicture(figure, component);
    if (picture === undefined) return undefined;
    const { tip } = figure.bones[component.bone];
    const length = tip === undefined ? 0.08 * this.#extent : vec3.norm(tip);
    const defaultRadius = Math.min(0.11 * this.#extent, Math.max(0.055 * this.#extent, 0.7 * length));
    const radius = this.#radius ?? defaultRadius * (component.role === 'twist' ? 0.75 : 1);
    const count = picture.boundary.length / 3;
    const points = new BufferAttribute(new Float32Array(3 * (count + 1)), 3).setUsage(DynamicDrawUsage);
    const last = picture.closed ? count : count - 1;
    const surface = new BufferGeometry();
    surface.setAttribute('position', points);
    surface.setIndex(Array.from({ length: last }, (_, k) => [0, k + 1, ((k + 1) % count) + 1]).flat());
    // The same points without the apex.
    const rim = new BufferGeometry();
    rim.setAttribute('position', points);
    rim.setIndex(Array.from({ length: count }, (_, k) => k + 1));
    const needle = new BufferGeometry();
    needle.setAttribute('position', new BufferAttribute(new Float32Array(6), 3).setUsage(DynamicDrawUsage));
    const { surface: fill, line, solid } = this.#materials.free;
    const drawing: LimitDrawing = {
      component: component,
      picture,
      group: new Group(),
      radius,
      surface: new Mesh(surface, fill),
      rim: picture.closed ? new LineLoop(rim, line) : new Line(rim, line),
      needle: new Line(needle, line),
      dot: new Mesh(this.#dot, solid),
    };
    drawing.dot.scale.setScalar(0.09 * (picture.shape === 'positions' ? 0.5 * defaultRadius : radius));
    drawing.group.matrixAutoUpdate = false;
    // Positions of a slider form a line without a surface.
    if (picture.shape === 'directions') drawing.group.add(drawing.surface, drawing.needle);
    drawing.group.add(drawing.rim, drawing.dot);
    for (const child of drawing.group.children) child.frustumCulled = false;
    this.#writePoints(drawing);
    this.add(drawing.group);
    return drawing;
  }

  #updateDrawing(drawing: LimitDrawing, state: LimitState): void {
    if (updateLimitPicture(drawing.picture, this.#pose)) this.#writePoints(drawing);
    const { surface, line, solid } = this.#materials[state];
    drawing.surface.material = surface;
    drawing.rim.material = line;
    drawing.needle.material = line;
    drawing.dot.material = solid;
  }

  /** Writes the picture's points to the geometries. */
  #writePoints({ picture: { boundary, current, shape }, radius, surface, needle, dot }: LimitDrawing): void {
    const size = shape === 'positions' ? 1 : radius;
    const points = surface.geometry.getAttribute('position');
    for (let k = 0; k < boundary.length; k++) points.array[k + 3] = size * boundary[k];
    points.needsUpdate = true;
    const end = needle.geometry.getAttribute('position');
    for (let k = 0; k < 3; k++) end.array[k + 3] = size * current[k];
    end.needsUpdate = true;
    dot.position.fromArray(current).multiplyScalar(size);
  }
}

function materialsOf(representation: ColorRepresentation): Materials {
  const color = new Color(representation);
  return {
    surface: new MeshBasicMaterial({
      color,
      transparent: true,
      opacity: 0.2,
      side: DoubleSide,
      depthWrite: false,
    }),
    // Rim and needle are visible through the body, because joints are inside it.
    line: new LineBasicMaterial({ color, transparent: true, opacity: 0.9, depthTest: false }),
    solid: new MeshBasicMaterial({ color, transparent: true, depthTest: false }),
  };
}
