import { FigureError } from 'poise';
import {
  createPose,
  createState,
  type FigureState,
  forwardKinematics,
  setRestTransforms,
} from 'poise/figure';
import { type FieldsOf, requireFields, requirePositive } from 'poise/internal/checks';
import { vec3 } from 'poise/math';
import {
  BufferGeometry,
  Color,
  type ColorRepresentation,
  Float32BufferAttribute,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Object3D,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';
import { leafTip } from './leaf-tip.js';
import { bindingOf, boneFrame, extentOf, followFigure, type HelperSource, toMatrix4 } from './source.js';

/** Options of {@link FigureHelper}. */
export interface FigureHelperOptions {
  readonly color?: ColorRepresentation;
  /** Color of bones whose limit blocks a goal. */
  readonly blockedColor?: ColorRepresentation;
  /** Radius of the joints, m. Default: 0.7 % of the figure's extent. */
  readonly radius?: number;
}

const FIELDS: FieldsOf<FigureHelperOptions> = { color: true, blockedColor: true, radius: true };

/** Segment from a bone's origin to a child's origin, or to its tip, in its own frame. */
interface Link {
  readonly bone: number;
  readonly matrix: Matrix4;
}

/**
 * Draws the bones of a figure in their current pose; with a binding, in the pose of its objects. Drawn over everything
 * else. Add it to the scene and call {@link update} after the solver.
 */
export class FigureHelper extends Object3D {
  override readonly type: string = 'FigureHelper';
  readonly #source: HelperSource;
  readonly #state: FigureState;
  readonly #pose: Float64Array;
  readonly #links: readonly Link[];
  readonly #radius: number;
  readonly #bones: InstancedMesh<BufferGeometry, MeshBasicMaterial>;
  readonly #joints: InstancedMesh<SphereGeometry, MeshBasicMaterial>;
  readonly #color: Color;
  readonly #blocked: Color;

  constructor(source: HelperSource, options: FigureHelperOptions = {}) {
    super();
    requireFields(options, FIELDS, 'options', FigureError);
    if (options.radius !== undefined) requirePositive(options.radius, 'options.radius', FigureError, 'm');
    const { figure } = source;
    this.#source = source;
    this.#state = createState(figure);
    this.#pose = createPose(figure);
    const extent = extentOf(figure);
    this.#radius = options.radius ?? 0.007 * extent;
    this.#color = new Color(options.color ?? '#2f66d0');
    this.#blocked = new Color(options.blockedColor ?? '#d9622b');
    this.#links = figure.bones.flatMap(({ index }) => {
      const starts = figure.bones.filter(({ parent }) => parent === index).map(({ rest }) => rest.position);
      // A child at the bone's own origin has no segment.
      const ends: (readonly number[])[] = starts.filter((start) => vec3.norm(start) > 0);
      const tip = ends.length > 0 ? undefined : leafTip(figure, index, 0.06 * extent);
      return (tip === undefined ? ends : [tip]).map((end) => ({ bone: index, matrix: along(end) }));
    });
    // Without a depth test: visible through the body.
    const material = () => new MeshBasicMaterial({ transparent: true, opacity: 0.75, depthTest: false });
    this.#bones = new InstancedMesh(boneGeometry(), material(), this.#links.length);
    this.#joints = new InstancedMesh(new SphereGeometry(1, 12, 8), material(), figure.bones.length);
    for (const mesh of [this.#bones, this.#joints]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 1;
      for (let n = 0; n < mesh.count; n++) mesh.setColorAt(n, this.#color);
      this.add(mesh);
    }
    this.update();
  }

  /** Updates the drawing from the source. */
  update(): void {
    const { figure, pose, result } = this.#source;
    const binding = bindingOf(this.#source);
    followFigure(this, binding);
    this.#pose.set(pose);
    binding?.readPose(this.#pose);
    if (binding) setRestTransforms(this.#state, binding.rests);
    forwardKinematics(this.#state, this.#pose);
    const blocked = new Set(result?.activeLimits.map(({ bone }) => bone));
    const colorOf = (bone: number) => (blocked.has(figure.bones[bone].name) ? this.#blocked : this.#color);
    this.#links.forEach(({ bone, matrix }, n) => {
      toMatrix4(boneFrame(this.#state, bone), frame).multiply(matrix);
      this.#bones.setMatrixAt(n, frame);
      this.#bones.setColorAt(n, colorOf(bone));
    });
    size.setScalar(this.#radius);
    for (const { index } of figure.bones) {
      this.#joints.setMatrixAt(index, toMatrix4(boneFrame(this.#state, index), frame).scale(size));
      this.#joints.setColorAt(index, colorOf(index));
    }
    for (const mesh of [this.#bones, this.#joints]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  /** Frees geometries and materials, and removes the helper from its parent. */
  override dispose(): void {
    this.removeFromParent();
    this.dispatchEvent({ type: 'dispose' });
    for (const mesh of [this.#bones, this.#joints]) {
      mesh.geometry.dispose();
      mesh.material.dispose();
      mesh.dispose();
    }
    this.clear();
  }
}

const frame = /* @__PURE__ */ new Matrix4();
const size = /* @__PURE__ */ new Vector3();

/** Matrix that maps the unit vector +Y to a vector. */
function along(end: readonly number[]): Matrix4 {
  const vector = new Vector3().fromArray(end);
  const length = vector.length();
  const rotation = new Quaternion().setFromUnitVectors(
    new Vector3(0, 1, 0),
    vector.clone().divideScalar(length),
  );
  return new Matrix4().compose(new Vector3(), rotation, new Vector3(length, length, length));
}

/** Bone shape: two four-sided pyramids along +Y, of length one, widest near the start. */
function boneGeometry(): BufferGeometry {
  const geometry = new BufferGeometry();
  const w = 0.07;
  const h = 0.14;
  geometry.setAttribute(
    'position',
    new Float32BufferAttribute([0, 0, 0, w, h, 0, 0, h, w, -w, h, 0, 0, h, -w, 0, 1, 0], 3),
  );
  geometry.setIndex([0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 1, 5, 2, 1, 5, 3, 2, 5, 4, 3, 5, 1, 4]);
  return geometry;
}
