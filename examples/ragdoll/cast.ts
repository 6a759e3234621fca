import type { FigureSimulation, RagdollBinding } from '@poise/three';
import { type Bone, Box3, type Object3D, type SkinnedMesh, Sphere, Vector3 } from 'three';
import { clone } from 'three/examples/jsm/utils/SkeletonUtils.js';
import { standAtEase } from '../shared/at-ease.js';
import { LANDING } from './stairs.js';

/** A character and its copies, each with a ragdoll. */
interface Member {
  readonly root: Object3D;
  readonly ragdoll: RagdollBinding;
  readonly skins: readonly SkinnedMesh[];
}

/** Time between the two animated poses that give a character its initial velocity, s. */
const FRAME = 1 / 60;
/** Characters in a row across the stairs. */
const COLUMNS = 5;
/** Extent to which characters of a very different size are scaled, m. */
const USUAL = 1.75;

/** Scales a character to fit the stairs if its size is very different. */
export function fitToStairs(root: Object3D): void {
  root.updateMatrixWorld(true);
  const extent = Math.max(...new Box3().setFromObject(root).getSize(new Vector3()));
  if (extent > 0.6 * USUAL && extent < 1.3 * USUAL) return;
  root.scale.multiplyScalar(USUAL / extent);
  root.updateMatrixWorld(true);
}

/** All simulated characters. */
export class Cast {
  readonly simulation: FigureSimulation;
  readonly scene: Object3D;
  #first: Object3D;
  #members: Member[] = [];

  /** @param first - In its rest pose; the others are copies of it. */
  constructor(simulation: FigureSimulation, scene: Object3D, first: Object3D) {
    this.simulation = simulation;
    this.scene = scene;
    this.#first = first;
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  /** Replaces all characters by another. */
  recast(first: Object3D): void {
    const { length } = this.#members;
    this.#resize(0);
    this.#first = first;
    this.drop(length);
  }

  /** Drops this number of characters from the start, deterministically. */
  drop(count: number): void {
    this.#resize(count);
    const { simulation } = this;
    for (const { ragdoll } of this.#members) simulation.stop(ragdoll);
    // Two poses of an animation: they give the initial velocity.
    for (const seconds of [0, FRAME]) {
      this.#members.forEach(({ root }, k) => {
        place(root, k, seconds);
      });
      simulation.update(FRAME);
    }
    for (const { ragdoll } of this.#members) simulation.start(ragdoll);
  }

  /** Current bounding spheres of the skins, for ray casts. */
  bound(): void {
    for (const { root, ragdoll, skins } of this.#members) {
      root.updateMatrixWorld(true);
      const { min, max } = new Box3().setFromPoints(
        ragdoll.binding.objects.flatMap((object) => (object ? [object.getWorldPosition(new Vector3())] : [])),
      );
      const center = min.clone().add(max).multiplyScalar(0.5);
      const radius = 0.5 * min.distanceTo(max) + 0.3 * ragdoll.ragdoll.height;
      for (const skin of skins) {
        const scale = skin.matrixWorld.getMaxScaleOnAxis();
        skin.boundingSphere = new Sphere(skin.worldToLocal(center.clone()), radius / scale);
      }
    }
  }

  #resize(count: number): void {
    const { simulation, scene } = this;
    while (this.#members.length > count) {
      const { root, ragdoll } = this.#members.pop() as Member;
      simulation.remove(ragdoll);
      root.removeFromParent();
    }
    while (this.#members.length < count) {
      const root = clone(this.#first);
      scene.add(root);
      root.updateMatrixWorld(true);
      // All copies share one ragdoll.
      const ragdoll = this.#members[0]?.ragdoll.ragdoll;
      const bound = simulation.add(root, { ...(ragdoll && { ragdoll }) });
      const bones: Record<string, Bone> = {};
      const skins: SkinnedMesh[] = [];
      root.traverse((object) => {
        if ('isBone' in object) bones[object.name] = object as Bone;
        if ('isSkinnedMesh' in object) skins.push(object as SkinnedMesh);
        object.frustumCulled = false;
      });
      standAtEase(bones);
      this.#members.push({ root, ragdoll: bound, skins });
    }
  }
}

/** Initial transform of character k at a time: the first tips over the edge of the landing, others fall on stairs and floor. */
function place(root: Object3D, k: number, seconds: number): void {
  const column = [0, -1, 1, -2, 2][k % COLUMNS];
  const row = Math.floor(k / COLUMNS);
  // Each with its own, deterministic heading and lean.
  const odd = (n: number): number => Math.sin(12.9898 * (k + 1) * n);
  const lean = k === 0 ? 0.25 : 0.4 * odd(1);
  const angle = k === 0 ? 0.6 : 2.5 * odd(2);
  const height =
    (Math.abs(column) < 2 && row === 0 ? LANDING : 0.9) + 0.1 + (k === 0 ? 0 : 0.3 + 0.3 * odd(3));
  root.position.set(-1.42 + 1.35 * row + 0.7 * seconds, height, 1.05 * column);
  root.rotation.set(0, Math.PI / 2 + angle, -lean - 0.4 * seconds, 'ZYX');
}
