import '../shared/needs-webgl.js';
import * as THREE from 'three';
import { onColor } from '../shared/page.js';

/** Bodies in a row, each with its angular momentum and a caption. */
export interface Bodies {
  /** Sets the orientation of the n-th body, unit quaternion x, y, z, w, and the direction of its arrow, world axes. */
  rotate(n: number, attitude: ArrayLike<number>, momentum: ArrayLike<number>): void;
  /** The true, constant direction of all arrows. */
  aim(momentum: ArrayLike<number>): void;
  say(n: number, text: string, isStopped: boolean): void;
  draw(): void;
}

const APART = 2.2;
const HEIGHT = 1.9;
const LENGTH = 0.82;

/** A box with the proportions of a solid one with these moments of inertia, its longest side 1.1. */
function boxOf([A, B, C]: readonly number[]): [number, number, number] {
  const sides = [B + C - A, A + C - B, A + B - C].map((x) => Math.sqrt(Math.max(1e-3 * A, x)));
  const scale = 1.1 / Math.max(...sides);
  return sides.map((side) => scale * side) as [number, number, number];
}

export function createBodies(
  stage: HTMLElement,
  canvas: HTMLCanvasElement,
  inertia: readonly number[],
  bodies: readonly { readonly name: string; readonly color: string }[],
): Bodies {
  const renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
  onColor('--card', (color) => renderer.setClearColor(color));
  renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
  const scene = new THREE.Scene();
  const light = new THREE.DirectionalLight(0xffffff, 2.2);
  light.position.set(2, 3, 5);
  scene.add(light, new THREE.HemisphereLight(0xffffff, 0xb9c2cc, 1.6));
  const [x, y, z] = boxOf(inertia);
  const shape = new THREE.BoxGeometry(x, y, z);
  const peg = new THREE.ConeGeometry(0.07, 0.26, 20).translate(0, y / 2 + 0.13, 0);
  const dark = new THREE.MeshStandardMaterial({ roughness: 0.7 });
  onColor('--soft', (color) => dark.color.set(color));
  const straight = new THREE.LineBasicMaterial({ color: 0xaab3bf });
  const groups = bodies.map(({ color }, n) => {
    const place = new THREE.Group();
    place.position.x = APART * (n - (bodies.length - 1) / 2);
    const body = new THREE.Group();
    body.add(
      new THREE.Mesh(shape, new THREE.MeshStandardMaterial({ color, roughness: 0.6 })),
      new THREE.Mesh(peg, dark),
    );
    const arrow = new THREE.ArrowHelper(
      new THREE.Vector3(0, 1, 0),
      new THREE.Vector3(),
      LENGTH,
      0xd6336c,
      0.14,
      0.09,
    );
    const line = new THREE.Line(new THREE.BufferGeometry(), straight);
    place.add(body, arrow, line);
    scene.add(place);
    const label = document.createElement('div');
    label.className = 'name';
    const name = document.createElement('b');
    name.textContent = bodies[n].name;
    const text = document.createElement('span');
    label.append(name, text);
    stage.append(label);
    return { body, arrow, line, label, text };
  });
  const camera = new THREE.OrthographicCamera();
  camera.position.set(0, 3, 8);
  camera.lookAt(0, 0, 0);
  const direction = new THREE.Vector3();
  return {
    rotate(n, q, momentum) {
      groups[n].body.quaternion.set(q[0], q[1], q[2], q[3]);
      direction.set(momentum[0], momentum[1], momentum[2]).normalize();
      groups[n].arrow.setDirection(direction);
    },
    aim(momentum) {
      direction.set(momentum[0], momentum[1], momentum[2]).setLength(LENGTH + 0.06);
      for (const { line } of groups) {
        line.geometry.setFromPoints([direction.clone().negate(), direction]);
      }
    },
    say(n, text, isStopped) {
      const { label, text: span } = groups[n];
      if (span.textContent !== text) span.textContent = text;
      label.toggleAttribute('data-stopped', isStopped);
    },
    draw() {
      const { clientWidth: width, clientHeight: height } = stage;
      renderer.setSize(width, height, false);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      const across = bodies.length * APART;
      // Fits the width, and the height with the captions.
      const scale = Math.max(across / width, HEIGHT / Math.max(1, height - 44));
      camera.left = (-scale * width) / 2;
      camera.right = (scale * width) / 2;
      camera.top = (scale * (height - 44)) / 2;
      camera.bottom = camera.top - scale * height;
      camera.updateProjectionMatrix();
      renderer.render(scene, camera);
      const column = APART / scale;
      groups.forEach(({ label }, n) => {
        label.style.left = `${width / 2 + (n - bodies.length / 2) * column}px`;
        label.style.width = `${column}px`;
      });
    },
  };
}
