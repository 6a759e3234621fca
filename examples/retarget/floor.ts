import { CanvasTexture, Mesh, MeshBasicMaterial, PlaneGeometry, RepeatWrapping, SRGBColorSpace } from 'three';
import { onColor } from '../shared/page.js';

/** Distance of the lines, m; cells of a floor. */
const CELL = 0.2;
const CELLS = { x: 7, z: 14 };
/** Of a cell of the picture, px. */
const PIXELS = 64;

/** A floor with lines that moves under a character, so that it stays in the picture. */
export class Floor {
  readonly mesh: Mesh<PlaneGeometry, MeshBasicMaterial>;
  readonly #map: CanvasTexture;

  constructor() {
    const canvas = document.createElement('canvas');
    canvas.width = PIXELS;
    canvas.height = PIXELS;
    this.#map = new CanvasTexture(canvas);
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    context.lineWidth = 3;
    onColor('--floor', (color) => {
      context.fillStyle = color;
    });
    // After the other.
    onColor('--floor-line', (color) => {
      context.strokeStyle = color;
      context.fillRect(0, 0, PIXELS, PIXELS);
      context.strokeRect(0, 0, PIXELS, PIXELS);
      this.#map.needsUpdate = true;
    });
    this.#map.colorSpace = SRGBColorSpace;
    this.#map.wrapS = RepeatWrapping;
    this.#map.wrapT = RepeatWrapping;
    this.#map.repeat.set(CELLS.x, CELLS.z);
    this.#map.anisotropy = 8;
    this.mesh = new Mesh(
      new PlaneGeometry(CELL * CELLS.x, CELL * CELLS.z).rotateX(-Math.PI / 2),
      new MeshBasicMaterial({ map: this.#map }),
    );
    this.mesh.position.y = -0.002;
  }

  /** Moves it back by a distance, m. */
  move(x: number, z: number): void {
    // v of the plane goes backward.
    this.#map.offset.set(x / CELL - Math.floor(x / CELL), -z / CELL - Math.floor(-z / CELL));
  }
}
