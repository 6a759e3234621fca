import { FigureError } from 'poise';
import { contactImpulse } from 'poise/dynamics';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  type ColorRepresentation,
  DynamicDrawUsage,
  LineBasicMaterial,
  LineSegments,
  Object3D,
  Points,
  PointsMaterial,
} from 'three';
import type { FigureSimulation } from '../simulation/figure-simulation.js';
import type { RagdollBinding } from '../simulation/ragdoll-binding.js';
import { shapeLines } from './shape-lines.js';

/** Options of {@link SimulationHelper}. */
export interface SimulationHelperOptions {
  /** Colors of simulated, sleeping and animated shapes, and of the world. */
  readonly color?: ColorRepresentation;
  readonly sleepColor?: ColorRepresentation;
  readonly animatedColor?: ColorRepresentation;
  readonly worldColor?: ColorRepresentation;
  readonly contactColor?: ColorRepresentation;
  /** Length of a contact's line, m per newton of normal force. Default 0.0005. */
  readonly forceScale?: number;
}

const FIELDS: FieldsOf<SimulationHelperOptions> = {
  color: true,
  sleepColor: true,
  animatedColor: true,
  worldColor: true,
  contactColor: true,
  forceScale: true,
};

/** Longest line drawn for a contact, m. */
const MAX_CONTACT_LINE = 1.5;
/** Initial capacity of the contact buffers; they grow. */
const INITIAL_CONTACTS = 256;

/** Outlines of the shapes of one ragdoll. */
interface Outlines {
  readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  /** Points in the frames of their bones. */
  readonly local: Float64Array;
  /** Bone of each point. */
  readonly bones: Int32Array;
}

/**
 * Draws the collision shapes of a simulation, and a line at each contact with a normal force, along the normal, proportional
 * to the force. Drawn over everything else. Add it to the scene and call {@link update} after the simulation's.
 */
export class SimulationHelper extends Object3D {
  override readonly type: string = 'SimulationHelper';
  readonly #simulation: FigureSimulation;
  readonly #colors: { readonly awake: Color; readonly asleep: Color; readonly animated: Color };
  readonly #forceScale: number;
  readonly #outlines = new Map<RagdollBinding, Outlines>();
  readonly #world: LineSegments<BufferGeometry, LineBasicMaterial>;
  readonly #normals: LineSegments<BufferGeometry, LineBasicMaterial>;
  readonly #points: Points<BufferGeometry, PointsMaterial>;

  constructor(simulation: FigureSimulation, options: SimulationHelperOptions = {}) {
    super();
    requireFields(options, FIELDS, 'options', FigureError);
    this.#simulation = simulation;
    this.#colors = {
      awake: new Color(options.color ?? '#2f66d0'),
      asleep: new Color(options.sleepColor ?? '#5f6b7a'),
      animated: new Color(options.animatedColor ?? '#17794f'),
    };
    this.#forceScale = options.forceScale ?? 5e-4;
    const positions = Float32Array.from(
      simulation.world.flatMap((shape) => shapeLines(shape, simulation.up)),
    );
    this.#world = segments(positions, options.worldColor ?? '#b9c0c9', true);
    const contactColor = options.contactColor ?? '#d9622b';
    this.#normals = segments(new Float32Array(6 * INITIAL_CONTACTS), contactColor, false);
    this.#points = new Points(
      dynamic(new Float32Array(3 * INITIAL_CONTACTS)),
      new PointsMaterial({ color: contactColor, size: 6, sizeAttenuation: false, depthTest: false }),
    );
    this.#points.frustumCulled = false;
    this.#points.renderOrder = 2;
    this.#normals.renderOrder = 2;
    this.add(this.#world, this.#normals, this.#points);
    // The helper's frame is the simulation's world.
    this.scale.setScalar(1 / simulation.metersPerUnit);
    this.update();
  }

  /** Updates the drawing from the simulation. */
  update(): void {
    const { ragdolls } = this.#simulation;
    for (const ragdoll of this.#outlines.keys()) if (!ragdolls.includes(ragdoll)) this.#remove(ragdoll);
    for (const ragdoll of ragdolls) this.#updateOutlines(ragdoll);
    this.#drawContacts();
  }

  /** Frees geometries and materials, and removes the helper from its parent. */
  override dispose(): void {
    this.removeFromParent();
    this.dispatchEvent({ type: 'dispose' });
    for (const ragdoll of [...this.#outlines.keys()]) this.#remove(ragdoll);
    for (const { geometry, material } of [this.#world, this.#normals, this.#points]) {
      geometry.dispose();
      material.dispose();
    }
    this.clear();
  }

  #updateOutlines(ragdoll: RagdollBinding): void {
    let outlines = this.#outlines.get(ragdoll);
    if (outlines === undefined) {
      outlines = outlinesOf(ragdoll);
      this.#outlines.set(ragdoll, outlines);
      this.add(outlines.lines);
    }
    const { lines, local, bones } = outlines;
    const { worldFromBone: m } = ragdoll.state;
    const { array } = lines.geometry.attributes.position;
    for (let p = 0; p < bones.length; p++) {
      const o = 12 * bones[p];
      const [x, y, z] = [local[3 * p], local[3 * p + 1], local[3 * p + 2]];
      for (let k = 0; k < 3; k++) {
        array[3 * p + k] = m[o + 3 * k] * x + m[o + 3 * k + 1] * y + m[o + 3 * k + 2] * z + m[o + 9 + k];
      }
    }
    lines.geometry.attributes.position.needsUpdate = true;
    const actor = this.#simulation.actorOf(ragdoll);
    const { awake, asleep, animated } = this.#colors;
    lines.material.color.copy(actor === undefined ? animated : actor.asleep ? asleep : awake);
  }

  #drawContacts(): void {
    const { simulation, timeStep } = this.#simulation;
    const count = simulation?.contacts.count ?? 0;
    if (this.#points.geometry.attributes.position.count < count) this.#grow(count);
    const points = this.#points.geometry.attributes.position;
    const normals = this.#normals.geometry.attributes.position;
    let drawn = 0;
    for (let c = 0; c < count && simulation; c++) {
      const impulse = contactImpulse(simulation, c);
      if (!(impulse > 0)) continue;
      const { pointA, normal } = simulation.contacts;
      const length = Math.min(MAX_CONTACT_LINE, (this.#forceScale * impulse) / timeStep);
      for (let k = 0; k < 3; k++) {
        const x = pointA[3 * c + k];
        points.array[3 * drawn + k] = x;
        normals.array[6 * drawn + k] = x;
        normals.array[6 * drawn + 3 + k] = x + length * normal[3 * c + k];
      }
      drawn++;
    }
    this.#points.geometry.setDrawRange(0, drawn);
    this.#normals.geometry.setDrawRange(0, 2 * drawn);
    points.needsUpdate = true;
    normals.needsUpdate = true;
  }

  #grow(count: number): void {
    this.#points.geometry.dispose();
    this.#normals.geometry.dispose();
    this.#points.geometry = dynamic(new Float32Array(6 * count));
    this.#normals.geometry = dynamic(new Float32Array(12 * count));
  }

  #remove(ragdoll: RagdollBinding): void {
    const lines = this.#outlines.get(ragdoll)?.lines;
    this.#outlines.delete(ragdoll);
    lines?.removeFromParent();
    lines?.geometry.dispose();
    lines?.material.dispose();
  }
}

function outlinesOf({ ragdoll: { shapes }, figure }: RagdollBinding): Outlines {
  const local: number[] = [];
  const bones: number[] = [];
  for (const shape of shapes) {
    const points = shapeLines(shape, [0, 1, 0]);
    const bone =
      typeof shape.bone === 'number' ? shape.bone : figure.bones.findIndex(({ name }) => name === shape.bone);
    local.push(...points);
    for (let p = 0; p < points.length; p += 3) bones.push(bone);
  }
  return {
    lines: segments(new Float32Array(local.length), '#2f66d0', false),
    local: Float64Array.from(local),
    bones: Int32Array.from(bones),
  };
}

function segments(
  positions: Float32Array,
  color: ColorRepresentation,
  depthTest: boolean,
): LineSegments<BufferGeometry, LineBasicMaterial> {
  const lines = new LineSegments(
    dynamic(positions),
    new LineBasicMaterial({ color, depthTest, transparent: true, opacity: depthTest ? 1 : 0.8 }),
  );
  lines.frustumCulled = false;
  lines.renderOrder = depthTest ? 0 : 1;
  return lines;
}

function dynamic(positions: Float32Array): BufferGeometry {
  const geometry = new BufferGeometry();
  const attribute = new BufferAttribute(positions, 3);
  attribute.setUsage(DynamicDrawUsage);
  geometry.setAttribute('position', attribute);
  return geometry;
}
