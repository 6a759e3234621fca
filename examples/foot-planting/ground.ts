import { BufferAttribute, Color, Mesh, MeshStandardMaterial, PlaneGeometry, Vector3 } from 'three';

/** Height of the ground, m: gentle bumps, steepest about 1 in 4. */
export function groundHeight(x: number, z: number): number {
  return (
    0.05 * Math.sin(2.3 * x + 0.4) * Math.cos(2.1 * z) +
    0.035 * Math.sin(1.1 * x - 2.7 * z + 1) +
    0.02 * Math.sin(4.1 * x + 3.3 * z)
  );
}

/** Unit normal of the ground. */
export function groundNormal(x: number, z: number, out = new Vector3()): Vector3 {
  const h = 1e-3;
  const dx = (groundHeight(x + h, z) - groundHeight(x - h, z)) / (2 * h);
  const dz = (groundHeight(x, z + h) - groundHeight(x, z - h)) / (2 * h);
  return out.set(-dx, 1, -dz).normalize();
}

const LOW = new Color('#c3cbd3');
const HIGH = new Color('#f3f5f7');
const SIZE = 8;
const CELLS = 200;

/** The ground as a mesh, lighter where it is higher. */
export function createGround(): Mesh {
  const geometry = new PlaneGeometry(SIZE, SIZE, CELLS, CELLS).rotateX(-Math.PI / 2);
  const position = geometry.getAttribute('position');
  const colors = new Float32Array(3 * position.count);
  const color = new Color();
  for (let k = 0; k < position.count; k++) {
    const [x, z] = [position.getX(k), position.getZ(k)];
    // Flat towards the rim, so that it ends in the distance.
    const fade = Math.min(1, Math.max(0, (SIZE / 2 - Math.hypot(x, z)) / 0.8));
    const height = fade * groundHeight(x, z);
    position.setY(k, height);
    color.copy(LOW).lerp(HIGH, Math.min(1, Math.max(0, 0.5 + height / 0.18)));
    // A line each half metre, so that planted feet are seen to stand.
    const isLine =
      Math.abs(x / 0.5 - Math.round(x / 0.5)) < 0.045 || Math.abs(z / 0.5 - Math.round(z / 0.5)) < 0.045;
    if (isLine) color.multiplyScalar(0.93);
    color.toArray(colors, 3 * k);
  }
  geometry.setAttribute('color', new BufferAttribute(colors, 3));
  geometry.computeVertexNormals();
  const mesh = new Mesh(geometry, new MeshStandardMaterial({ vertexColors: true, roughness: 0.95 }));
  mesh.receiveShadow = true;
  return mesh;
}
