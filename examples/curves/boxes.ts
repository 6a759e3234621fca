import '../shared/needs-webgl.js';
import type { RotationState } from 'poise/motion';
import * as THREE from 'three';
import { onColor } from '../shared/page.js';

export interface Boxes {
  /** Rotates the n-th box. */
  rotate: (n: number, state: RotationState) => void;
  draw: () => void;
}

const APART = 1.5;
/** Of the picture, for the tips of the first and the last. */
const MARGIN = 0.3;

/** A row of boxes with their names below. */
export function createBoxes(
  stage: HTMLElement,
  canvas: HTMLCanvasElement,
  kinds: readonly { readonly name: string; readonly color: string }[],
): Boxes {
  const renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
  onColor('--card', (color) => renderer.setClearColor(color));
  renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
  const scene = new THREE.Scene();
  const light = new THREE.DirectionalLight(0xffffff, 2.2);
  light.position.set(2, 3, 5);
  scene.add(light, new THREE.HemisphereLight(0xffffff, 0xb9c2cc, 1.6));
  const shape = new THREE.BoxGeometry(0.9, 0.5, 0.3);
  const nose = new THREE.ConeGeometry(0.12, 0.3, 16).rotateZ(-Math.PI / 2).translate(0.6, 0, 0);
  const dark = new THREE.MeshStandardMaterial();
  onColor('--soft', (color) => dark.color.set(color));
  const boxes = kinds.map(({ color }, n) => {
    const group = new THREE.Group();
    const material = new THREE.MeshStandardMaterial({ color, roughness: 0.6 });
    group.add(new THREE.Mesh(shape, material), new THREE.Mesh(nose, dark));
    group.position.x = APART * (n - (kinds.length - 1) / 2);
    scene.add(group);
    return group;
  });
  const names = kinds.map(({ name }) => {
    const label = document.createElement('div');
    label.className = 'name';
    label.textContent = name;
    stage.append(label);
    return label;
  });
  // From far away, so that all have the same perspective.
  const camera = new THREE.OrthographicCamera();
  camera.position.set(0, 2.2, 8);
  camera.lookAt(0, 0, 0);
  return {
    rotate(n, { quaternion: q }) {
      boxes[n].quaternion.set(q[0], q[1], q[2], q[3]);
    },
    draw() {
      const { clientWidth: width, clientHeight: height } = stage;
      renderer.setSize(width, height, false);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      const across = kinds.length * APART + MARGIN;
      const high = (across * height) / width;
      camera.left = -across / 2;
      camera.right = across / 2;
      camera.top = high / 2;
      camera.bottom = -high / 2;
      camera.updateProjectionMatrix();
      renderer.render(scene, camera);
      names.forEach((label, n) => {
        label.style.left = `${(n * width) / kinds.length}px`;
        label.style.width = `${width / kinds.length}px`;
      });
    },
  };
}
