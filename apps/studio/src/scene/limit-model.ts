import type { Figure, FigureState } from 'poise/figure';
import { affine, rigid } from 'poise/math';
import {
  BufferGeometry,
  Color,
  DoubleSide,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  LineLoop,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  SphereGeometry,
} from 'three';
import { limitPicture } from './limit-picture.js';

const HELD = new Color('#d9622b');
const TOUCHED = new Color('#c79a3d');

/** Cones and arcs of the limits that a pose touches, drawn at their joints. Rebuilt whenever these change. */
export class LimitModel {
  readonly root = new Group();
  readonly #dot = new SphereGeometry(1, 16, 12);
  #disposables: { dispose(): void }[] = [];

  /** @param parts - Indices of limit parts, and whether each blocks. */
  update(
    figure: Figure,
    state: FigureState,
    pose: Float64Array,
    height: number,
    parts: readonly { readonly index: number; readonly blocks: boolean }[],
  ): void {
    this.clear();
    for (const { index, blocks } of parts) {
      const part = figure.limitParts[index];
      const picture = limitPicture(figure, part, pose);
      if (picture === undefined) continue;
      const bone = figure.bones[part.bone];
      const length = bone.tip === undefined ? 0.08 * height : Math.hypot(...bone.tip);
      const radius =
        Math.min(0.11 * height, Math.max(0.055 * height, 0.7 * length)) * (part.role === 'twist' ? 0.75 : 1);
      const group = new Group();
      group.matrixAutoUpdate = false;
      group.matrix.copy(frameOf(figure, state, part.bone));
      group.add(
        ...this.#drawings(picture.boundary, picture.closed, picture.current, radius, blocks ? HELD : TOUCHED),
      );
      this.root.add(group);
    }
  }

  clear(): void {
    this.root.clear();
    for (const one of this.#disposables) one.dispose();
    this.#disposables = [];
  }

  dispose(): void {
    this.clear();
    this.#dot.dispose();
  }

  #drawings(
    boundary: Float32Array,
    closed: boolean,
    current: readonly [number, number, number],
    radius: number,
    color: Color,
  ) {
    const edge = boundary.map((x) => x * radius);
    const count = edge.length / 3;
    const fan = new BufferGeometry();
    fan.setAttribute('position', new Float32BufferAttribute([0, 0, 0, ...edge], 3));
    fan.setIndex(
      Array.from({ length: closed ? count : count - 1 }, (_, k) => [0, k + 1, ((k + 1) % count) + 1]).flat(),
    );
    const rim = new BufferGeometry();
    rim.setAttribute('position', new Float32BufferAttribute(edge, 3));
    const hand = new BufferGeometry();
    hand.setAttribute(
      'position',
      new Float32BufferAttribute([0, 0, 0, ...current.map((x) => x * radius)], 3),
    );
    const surface = new MeshBasicMaterial({
      color,
      transparent: true,
      opacity: 0.2,
      side: DoubleSide,
      depthWrite: false,
    });
    // The rim shows through the body: a limit is mostly met deep in a joint.
    const line = new LineBasicMaterial({ color, transparent: true, opacity: 0.9, depthTest: false });
    const solid = new MeshBasicMaterial({ color, transparent: true, depthTest: false });
    this.#disposables.push(fan, rim, hand, surface, line, solid);
    const dot = new Mesh(this.#dot, solid);
    dot.scale.setScalar(0.09 * radius);
    dot.position.set(current[0] * radius, current[1] * radius, current[2] * radius);
    return [
      new Mesh(fan, surface),
      closed ? new LineLoop(rim, line) : new Line(rim, line),
      new Line(hand, line),
      dot,
    ];
  }
}

/** The frame that a joint starts from: the parent's, then the rest transform. */
function frameOf(figure: Figure, { worldFromBone: w }: FigureState, index: number): Matrix4 {
  const { parent, rest } = figure.bones[index];
  const local = new Matrix4().fromArray(
    affine.toColumnMajor4(rigid.fromQuatPosition(rest.rotation, rest.position)),
  );
  if (parent < 0) return local;
  const o = 12 * parent;
  const outer = new Matrix4().fromArray(affine.toColumnMajor4(w.subarray(o, o + 12)));
  return outer.multiply(local);
}
