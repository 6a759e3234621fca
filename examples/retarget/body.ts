import type { FigureBinding, SolePoint } from '@poise/three';
import type { Humanoid } from 'poise/humanoid';
import type { ContactReport } from 'poise/retarget';
import {
  type AnimationAction,
  type AnimationClip,
  AnimationMixer,
  Box3,
  CircleGeometry,
  Group,
  type Material,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  type Object3D,
  Vector3,
} from 'three';

/** Slide from which a foot visibly does not stay, mm of the character. */
export const VISIBLE = 5;
const STAYS = '#17794f';
const SLIDES = '#d9622b';
/** Opacity of a ghost. */
const GHOST = 0.4;
const DISC = 0.6;
/** Radius of a disc, and its height over the floor, over the distance from heel to ball. */
const RADIUS = 0.5;
const OVER = 0.03;

/** A point of a sole: its way over the frames, three numbers each, and how far it has slid in its contact, mm. */
interface SolePath {
  readonly sole: SolePoint;
  readonly positions: Float64Array;
  readonly sliding: Float64Array;
  readonly contact: ContactReport | undefined;
  readonly disc: Mesh<CircleGeometry, MeshBasicMaterial>;
}

export interface BodyOptions {
  readonly binding: FigureBinding;
  readonly humanoid: Humanoid;
  readonly root: Object3D;
  readonly soles: readonly SolePoint[];
  readonly clip: AnimationClip;
  /** Of the clip's feet, at `times`, s. */
  readonly contacts: readonly ContactReport[];
  readonly times: ArrayLike<number>;
  /** Metres of the group over those of the figure. */
  readonly scale: number;
  /** Whether to put feet in contact on the floor: a clip may have its floor anywhere. */
  readonly isGrounded: boolean;
}

/** A character that plays a clip: upright and to the front, with discs under its feet. */
export class Body {
  /** Add it to the scene. */
  readonly group = new Group();
  /** Middle of the hips in the group over the frames, three numbers each. */
  readonly hips: Float64Array;
  /** Largest slide in a contact, and depth of a sole below the floor, mm. */
  readonly mostSliding: number;
  readonly depth: number;
  /** Largest slide of a foot in contact over the frames, mm. */
  readonly sliding: Float64Array;
  readonly #root: Object3D;
  readonly #stand = new Group();
  readonly #action: AnimationAction;
  readonly #soles: readonly SolePath[];
  /** Of the meshes, as given. */
  readonly #materials = new Map<Mesh, Material | Material[]>();
  /** Distance from heel to ball, m. */
  readonly #foot: number;

  constructor(options: BodyOptions) {
    const { binding, humanoid, root, soles, clip, contacts, times, scale } = options;
    this.#root = root;
    root.updateMatrixWorld(true);
    const figure = binding.worldFromFigure(new Matrix4());
    // Left, up and forward of the body become x, y and z.
    const axes = [humanoid.left, humanoid.up, humanoid.forward].map((v) =>
      new Vector3(v[0], v[1], v[2]).transformDirection(figure),
    );
    const stand = this.#stand;
    stand.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(axes[0], axes[1], axes[2]).transpose());
    stand.scale.setScalar(scale / figure.getMaxScaleOnAxis());
    stand.add(root);
    this.group.add(stand);
    root.traverse((object) => {
      object.castShadow = true;
      object.frustumCulled = false;
    });
    this.#action = new AnimationMixer(root).clipAction(clip).play();
    const count = times.length;
    const hips = binding.objects[humanoid.bones.hips as number] ?? root;
    this.hips = new Float64Array(3 * count);
    this.group.updateMatrixWorld(true);
    const [heel, ball] = soles.map(({ object, position }) => object.localToWorld(position.clone()));
    this.#foot = heel.distanceTo(ball);
    this.#soles = soles.map((sole) => {
      const disc = new Mesh(
        new CircleGeometry(RADIUS * this.#foot, 24).rotateX(-Math.PI / 2),
        new MeshBasicMaterial({ transparent: true, opacity: DISC, depthTest: false }),
      );
      this.group.add(disc);
      const contact = contacts.find(
        (point) => 'foot' in point && point.foot === sole.foot && point.point === sole.point,
      );
      return {
        sole,
        contact,
        disc,
        positions: new Float64Array(3 * count),
        sliding: new Float64Array(count),
      };
    });
    for (let f = 0; f < count; f++) {
      this.#play(times[f]);
      this.group.updateMatrixWorld(true);
      hips.getWorldPosition(point).toArray(this.hips, 3 * f);
      for (const { sole, positions } of this.#soles) {
        sole.object.localToWorld(point.copy(sole.position)).toArray(positions, 3 * f);
      }
    }
    if (options.isGrounded) stand.position.y = -this.#floor();
    this.mostSliding = this.#slide();
    this.sliding = Float64Array.from(times, (_, f) =>
      this.#soles.reduce((most, { sliding }) => Math.max(most, sliding[f]), 0),
    );
    const lowest = this.#soles.flatMap(({ positions }) => [...positions.filter((_, i) => i % 3 === 1)]);
    this.depth = 1000 * Math.max(0, -lowest.reduce((a, b) => Math.min(a, b), 0));
  }

  /** Height and width at the start of the clip, m. */
  size(): Vector3 {
    this.show(0, 0);
    this.group.updateMatrixWorld(true);
    return new Box3().setFromObject(this.group, true).getSize(new Vector3());
  }

  /** Shows a frame of the report, and the clip at a time, s. Returns how far a foot in contact has slid, mm. */
  show(frame: number, time: number): number {
    this.#play(time);
    let most = 0;
    for (const { positions, sliding, contact, disc } of this.#soles) {
      disc.visible = contact?.inContact[frame] === 1;
      if (!disc.visible) continue;
      disc.position.set(positions[3 * frame], OVER * this.#foot, positions[3 * frame + 2]);
      disc.material.color.set(sliding[frame] > VISIBLE ? SLIDES : STAYS);
      most = Math.max(most, sliding[frame]);
    }
    return most;
  }

  /** Calls `use` while the objects are how and where they were given. */
  withGiven<T>(use: () => T): T {
    this.rest();
    this.#root.removeFromParent();
    try {
      return use();
    } finally {
      this.#stand.add(this.#root);
      this.play();
    }
  }

  /** Returns the objects to how they were, until `play`. */
  rest(): void {
    this.#action.getMixer().stopAllAction();
  }

  play(): void {
    this.#action.play();
  }

  /** Shows the body pale, to look through, or as it is. */
  setGhost(isGhost: boolean): void {
    this.#root.traverse((object) => {
      if (!('isMesh' in object)) return;
      const mesh = object as Mesh;
      const own = this.#materials.get(mesh) ?? mesh.material;
      this.#materials.set(mesh, own);
      mesh.castShadow = !isGhost;
      if (mesh.material !== own) for (const pale of [mesh.material].flat()) pale.dispose();
      mesh.material =
        isGhost && Array.isArray(own) ? own.map(paleOf) : isGhost ? paleOf(own as Material) : own;
    });
    for (const { disc } of this.#soles) disc.material.opacity = isGhost ? 0 : DISC;
  }

  /** Returns the objects to how they were, for good. */
  dispose(): void {
    const mixer = this.#action.getMixer();
    mixer.stopAllAction();
    mixer.uncacheRoot(this.#root);
    this.setGhost(false);
    this.#root.removeFromParent();
    this.group.removeFromParent();
    for (const { disc } of this.#soles) {
      disc.geometry.dispose();
      disc.material.dispose();
    }
  }

  #play(time: number): void {
    this.#action.time = time;
    this.#action.getMixer().update(0);
  }

  /** Median height of soles in contact; the lowest without contacts. The positions become those over it. */
  #floor(): number {
    const heights = (isDown: (path: SolePath, frame: number) => boolean): number[] =>
      this.#soles.flatMap((path) =>
        [...path.sliding.keys()].filter((f) => isDown(path, f)).map((f) => path.positions[3 * f + 1]),
      );
    const down = heights(({ contact }, f) => contact?.inContact[f] === 1).sort((a, b) => a - b);
    const floor =
      down[Math.floor(down.length / 2)] ?? heights(() => true).reduce((a, b) => Math.min(a, b), 0);
    for (const { positions } of this.#soles)
      for (let i = 1; i < positions.length; i += 3) positions[i] -= floor;
    return floor;
  }

  /** Distances along the floor from where each contact began, mm; the largest. */
  #slide(): number {
    let most = 0;
    for (const { positions, sliding, contact } of this.#soles) {
      for (const [from, to] of contact?.spans ?? []) {
        for (let f = from; f <= to; f++) {
          const [x, z] = [0, 2].map((k) => positions[3 * f + k] - positions[3 * from + k]);
          sliding[f] = 1000 * Math.hypot(x, z);
          most = Math.max(most, sliding[f]);
        }
      }
    }
    return most;
  }
}

/** A material to look through, over all others. */
function paleOf(material: Material): Material {
  return Object.assign(material.clone(), {
    transparent: true,
    opacity: GHOST,
    depthWrite: false,
    depthTest: false,
  });
}

const point = new Vector3();
