import { FigureError } from 'poise';
import {
  boneIndex,
  createPose,
  createState,
  type FigureState,
  forwardKinematics,
  type LimitComponent,
  limitShapes,
} from 'poise/figure';
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
import { checkFields, checkWord, type FieldsOf } from '../binding/validate-options.js';
import { createLimitPicture, type LimitPicture, updateLimitPicture } from './limit-picture.js';
import { bindingOf, boneFrame, extentOf, followFigure, type HelperSource, toMatrix4 } from './source.js';

/** `free`: inside. `touched`: on its boundary. `blocking`: there, and it holds a goal off (`result.activeLimits`). */
export type LimitState = 'free' | 'touched' | 'blocking';

/** Options of {@link LimitHelper}. */
export interface LimitHelperOptions {
  /** Which limits are drawn. Default `touched`: those that the pose touches, and those that block. */
  readonly show?: 'all' | 'touched' | 'blocking';
  /** Only limits of these bones, by name. Default: of all. */
  readonly bones?: readonly string[];
  /** Radius, m. Default: by the length of each bone. */
  readonly radius?: number;
  readonly colors?: Partial<Readonly<Record<LimitState, ColorRepresentation>>>;
}

const FIELDS: FieldsOf<LimitHelperOptions> = { show: true, bones: true, radius: true, colors: true };
const SHOWS = ['all', 'touched', 'blocking'];

const COLORS: Readonly<Record<LimitState, ColorRepresentation>> = {
  free: '#6f8196',
  touched: '#c79a3d',
  blocking: '#d9622b',
};

/** g of a limit above which it counts as touched: zero, but for rounding. */
const TOUCHING = -1e-7;

interface Materials {
  readonly surface: MeshBasicMaterial;
  readonly line: LineBasicMaterial;
  readonly solid: MeshBasicMaterial;
}

interface LimitDrawing {
  readonly part: LimitComponent;
  readonly picture: LimitPicture;
  readonly group: Group;
  readonly radius: number;
  readonly surface: Mesh<BufferGeometry, MeshBasicMaterial>;
  readonly rim: Line<BufferGeometry, LineBasicMaterial>;
  readonly hand: Line<BufferGeometry, LineBasicMaterial>;
  readonly dot: Mesh<SphereGeometry, MeshBasicMaterial>;
}

/**
 * Cones, arcs and ranges of joint limits, drawn at their joints from the parts of the figure that clamp and solver use
 * (`figure.limitComponents`), where the body stands, coloured by what the solution and the last result make of them. Add it to the scene and
 * call {@link update} after the solver.
 */
export class LimitHelper extends Object3D {
  override readonly type: string = 'LimitHelper';
  show: NonNullable<LimitHelperOptions['show']>;

  readonly #source: HelperSource;
  readonly #parts: readonly LimitComponent[];
  readonly #drawings = new Map<LimitComponent, LimitDrawing | undefined>();
  readonly #state: FigureState;
  /** As the body stands, which is not as the source has it where a solution is written in part. */
  readonly #pose: Float64Array;
  readonly #materials: Readonly<Record<LimitState, Materials>>;
  readonly #dot = new SphereGeometry(1, 16, 12);
  readonly #extent: number;
  readonly #radius: number | undefined;

  constructor(source: HelperSource, options: LimitHelperOptions = {}) {
    super();
    checkFields(options, FIELDS, 'options', FigureError);
    checkWord(options.show ?? 'touched', SHOWS, 'options.show', FigureError);
    checkFields(options.colors ?? {}, COLORS, 'options.colors', FigureError);
    const { figure } = source;
    const bones = options.bones?.map((name, n) => boneIndex(figure, name, `options.bones[${n}]`));
    this.#source = source;
    this.show = options.show ?? 'touched';
    this.#parts = figure.limitComponents.filter(({ bone }) => bones?.includes(bone) ?? true);
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

  /** The limits that are drawn now, and how they stand. */
  readonly shown: { readonly part: LimitComponent; readonly state: LimitState }[] = [];

  /** Brings the drawing up to the source's pose and result. */
  update(): void {
    const { figure, pose, result } = this.#source;
    const binding = bindingOf(this.#source);
    followFigure(this, binding);
    this.#pose.set(pose);
    binding?.readPose(this.#pose);
    forwardKinematics(this.#state, this.#pose);
    const blocking = new Set(result?.activeLimits.map(({ coordinate }) => coordinate));
    this.shown.length = 0;
    for (const part of this.#parts) {
      const state: LimitState = blocking.has(part.coordinate)
        ? 'blocking'
        : limitShapes[part.kind].value(part.parameters, pose, part.coordinate, part.size) > TOUCHING
          ? 'touched'
          : 'free';
      const isShown =
        this.show === 'all' || state === 'blocking' || (this.show === 'touched' && state === 'touched');
      let drawing = this.#drawings.get(part);
      if (!isShown) {
        if (drawing !== undefined) drawing.group.visible = false;
        continue;
      }
      if (!this.#drawings.has(part)) {
        drawing = this.#draw(part);
        this.#drawings.set(part, drawing);
      }
      if (drawing === undefined) continue;
      drawing.group.visible = true;
      this.shown.push({ part, state });
      this.#place(drawing, state);
      const { parent, rest } = figure.bones[part.bone];
      const local = rigid.fromQuatPosition(rest.rotation, rest.position);
      const frame = parent < 0 ? local : rigid.compose(boneFrame(this.#state, parent), local);
      toMatrix4(frame, drawing.group.matrix);
      drawing.group.matrixWorldNeedsUpdate = true;
    }
  }

  /** Frees geometries and materials, and takes the helper out of its parent. */
  override dispose(): void {
    this.removeFromParent();
    this.dispatchEvent({ type: 'dispose' });
    for (const drawing of this.#drawings.values()) {
      if (drawing === undefined) continue;
      drawing.surface.geometry.dispose();
      drawing.rim.geometry.dispose();
      drawing.hand.geometry.dispose();
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

  #draw(part: LimitComponent): LimitDrawing | undefined {
    const { figure } = this.#source;
    const picture = createLimitPicture(figure, part);
    if (picture === undefined) return undefined;
    const { tip } = figure.bones[part.bone];
    const length = tip === undefined ? 0.08 * this.#extent : vec3.norm(tip);
    const usual = Math.min(0.11 * this.#extent, Math.max(0.055 * this.#extent, 0.7 * length));
    const radius = this.#radius ?? usual * (part.role === 'twist' ? 0.75 : 1);
    const count = picture.boundary.length / 3;
    const points = new BufferAttribute(new Float32Array(3 * (count + 1)), 3).setUsage(DynamicDrawUsage);
    const last = picture.closed ? count : count - 1;
    const surface = new BufferGeometry();
    surface.setAttribute('position', points);
    surface.setIndex(Array.from({ length: last }, (_, k) => [0, k + 1, ((k + 1) % count) + 1]).flat());
    // The same points but for the apex.
    const rim = new BufferGeometry();
    rim.setAttribute('position', points);
    rim.setIndex(Array.from({ length: count }, (_, k) => k + 1));
    const hand = new BufferGeometry();
    hand.setAttribute('position', new BufferAttribute(new Float32Array(6), 3).setUsage(DynamicDrawUsage));
    const { surface: fill, line, solid } = this.#materials.free;
    const drawing: LimitDrawing = {
      part,
      picture,
      group: new Group(),
      radius,
      surface: new Mesh(surface, fill),
      rim: picture.closed ? new LineLoop(rim, line) : new Line(rim, line),
      hand: new Line(hand, line),
      dot: new Mesh(this.#dot, solid),
    };
    drawing.dot.scale.setScalar(0.09 * (picture.shape === 'places' ? 0.5 * usual : radius));
    drawing.group.matrixAutoUpdate = false;
    // Places of a slider make a line, and no fan.
    if (picture.shape === 'directions') drawing.group.add(drawing.surface, drawing.hand);
    drawing.group.add(drawing.rim, drawing.dot);
    for (const child of drawing.group.children) child.frustumCulled = false;
    this.#fill(drawing);
    this.add(drawing.group);
    return drawing;
  }

  #place(drawing: LimitDrawing, state: LimitState): void {
    if (updateLimitPicture(drawing.picture, this.#pose)) this.#fill(drawing);
    const { surface, line, solid } = this.#materials[state];
    drawing.surface.material = surface;
    drawing.rim.material = line;
    drawing.hand.material = line;
    drawing.dot.material = solid;
  }

  /** Writes the picture's points to the geometries. */
  #fill({ picture: { boundary, current, shape }, radius, surface, hand, dot }: LimitDrawing): void {
    const size = shape === 'places' ? 1 : radius;
    const points = surface.geometry.getAttribute('position');
    for (let k = 0; k < boundary.length; k++) points.array[k + 3] = size * boundary[k];
    points.needsUpdate = true;
    const end = hand.geometry.getAttribute('position');
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
    // Rim and hand show through the body: a limit is mostly met deep in a joint.
    line: new LineBasicMaterial({ color, transparent: true, opacity: 0.9, depthTest: false }),
    solid: new MeshBasicMaterial({ color, transparent: true, depthTest: false }),
  };
}
