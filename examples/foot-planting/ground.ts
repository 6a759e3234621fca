import { BufferAttribute, Color, Mesh, MeshStandardMaterial, PlaneGeometry, Vector3 } from 'three';

/** Bumps as sums of waves, m: steepest slope about 1 in 4. */
function wavesAt(x: number, z: number): number {
  return (
    0.05 * Math.sin(2.3 * x + 0.4) * Math.cos(2.1 * z) +
    0.035 * Math.sin(1.1 * x - 2.7 * z + 1) +
    0.02 * Math.sin(4.1 * x + 3.3 * z)
  );
}

const LOW = new Color('#c3cbd3');
const HIGH = new Color('#f3f5f7');
const SIZE = 8;
const CELLS = 200;

/** Uneven ground: heights and slopes, and a mesh of them that is lighter where it is higher. */
export class Ground {
  readonly mesh: Mesh;
  #bumps: number;

  /** @param bumps - Scale of the bumps' height. */
  constructor(bumps = 0.75) {
    this.#bumps = bumps;
    const geometry = new PlaneGeometry(SIZE, SIZE, CELLS, CELLS).rotateX(-Math.PI / 2);
    const colors = new Float32Array(3 * geometry.getAttribute('position').count);
    geometry.setAttribute('color', new BufferAttribute(colors, 3));
    this.mesh = new Mesh(geometry, new MeshStandardMaterial({ vertexColors: true, roughness: 0.95 }));
    this.mesh.receiveShadow = true;
    this.#shape();
  }

  /** Height, m. */
  heightAt(x: number, z: number): number {
    return this.#bumps * wavesAt(x, z);
  }

  /** Unit normal. */
  normalAt(x: number, z: number, out = new Vector3()): Vector3 {
    const h = 1e-3;
    const dx = (this.heightAt(x + h, z) - this.heightAt(x - h, z)) / (2 * h);
    const dz = (this.heightAt(x, z + h) - this.heightAt(x, z - h)) / (2 * h);
    return out.set(-dx, 1, -dz).normalize();
  }

  /** Scale of the bumps' height: 0 is a plane. */
  set bumps(share: number) {
    if (share === this.#bumps) return;
    this.#bumps = share;
    this.#shape();
  }

  #shape(): void {
    const { geometry } = this.mesh;
    const position = geometry.getAttribute('position');
    const colors = geometry.getAttribute('color');
    const color = new Color();
    for (let k = 0; k < position.count; k++) {
      const [x, z] = [position.getX(k), position.getZ(k)];
      // Flat towards the rim, so that the edge is not visible.
      const fade = Math.min(1, Math.max(0, (SIZE / 2 - Math.hypot(x, z)) / 0.8));
      const height = fade * this.heightAt(x, z);
      position.setY(k, height);
      color.copy(LOW).lerp(HIGH, Math.min(1, Math.max(0, 0.5 + height / 0.16)));
      // A grid line each half metre, so that a sliding foot would be visible.
      const isLine =
        Math.abs(x / 0.5 - Math.round(x / 0.5)) < 0.045 || Math.abs(z / 0.5 - Math.round(z / 0.5)) < 0.045;
      if (isLine) color.multiplyScalar(0.93);
      color.toArray(colors.array, 3 * k);
    }
    position.needsUpdate = true;
    colors.needsUpdate = true;
    geometry.computeVertexNormals();
  }
}
