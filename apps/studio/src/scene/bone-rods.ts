import {
  CylinderGeometry,
  DynamicDrawUsage,
  InstancedMesh,
  type Material,
  Matrix4,
  Quaternion,
  Vector3,
} from 'three';

const UP = new Vector3(0, 1, 0);
const from = new Vector3();
const to = new Vector3();
const size = new Vector3();
const turn = new Quaternion();
const matrix = new Matrix4();

/** Radius of a rod, over the height of the character. */
const RADIUS = 0.011;

/** A rod a bone. @param height - Of the character, in the units of its lines. */
export class BoneRods<M extends Material> extends InstancedMesh<CylinderGeometry, M> {
  constructor(count: number, height: number, material: M) {
    super(new CylinderGeometry(RADIUS * height, RADIUS * height, 1, 8), material, count);
    this.instanceMatrix.setUsage(DynamicDrawUsage);
    this.frustumCulled = false;
  }

  /** @param lines - Two points a bone. */
  place(lines: readonly number[]): void {
    for (let n = 0; n < this.count; n++) {
      from.fromArray(lines, 6 * n);
      to.fromArray(lines, 6 * n + 3);
      const length = Math.max(from.distanceTo(to), 1e-6);
      turn.setFromUnitVectors(UP, size.subVectors(to, from).divideScalar(length));
      matrix.compose(from.lerp(to, 0.5), turn, size.set(1, length, 1));
      this.setMatrixAt(n, matrix);
    }
    this.instanceMatrix.needsUpdate = true;
  }

  override dispose(): this {
    this.geometry.dispose();
    this.material.dispose();
    super.dispose();
    return this;
  }
}
