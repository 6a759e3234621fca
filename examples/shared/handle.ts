import { Object3D, Plane, Raycaster, Vector2, Vector3 } from 'three';
import type { Stage } from './stage.js';

export interface HandleOptions {
  /** Corners of the box in the world that bounds it, m. Default: three metres about the centre of the floor. */
  readonly min?: readonly [number, number, number];
  readonly max?: readonly [number, number, number];
  readonly onMove?: () => void;
}

/** Step of a key press, and of one with the shift key, m. */
const NUDGE = 0.02;
const LEAP = 0.1;

/**
 * A point in the scene that is dragged by mouse or touch in the plane of the screen, and moved with the arrow keys and page up and
 * down. It is a button over the canvas, accessible by keyboard and screen readers; the object returned has its position.
 */
export function createHandle(
  { scene, camera, controls, renderer, afterFrame }: Stage,
  label: string,
  position: readonly [number, number, number],
  { min = [-1.5, 0, -1.5], max = [1.5, 2.4, 1.5], onMove }: HandleOptions = {},
): Object3D {
  const object = new Object3D();
  object.name = label;
  object.position.set(...position);
  scene.add(object);

  const button = document.createElement('button');
  button.className = 'handle';
  button.type = 'button';
  button.dataset.handle = label;
  button.setAttribute(
    'aria-label',
    `${label}: drag it, or move it with the arrow keys, page up and page down`,
  );
  renderer.domElement.after(button);

  const low = new Vector3(...min);
  const high = new Vector3(...max);
  const moved = () => {
    object.position.clamp(low, high);
    onMove?.();
  };

  const plane = new Plane();
  const ray = new Raycaster();
  const hit = new Vector3();
  const offset = new Vector3();
  const forward = new Vector3();
  /** Intersection of the pointer's ray with the plane of the drag. */
  const meet = (event: PointerEvent): boolean => {
    const box = renderer.domElement.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (event.clientY - box.top)) / box.height;
    ray.setFromCamera(new Vector2(x, y), camera);
    return ray.ray.intersectPlane(plane, hit) !== null;
  };
  button.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    plane.setFromNormalAndCoplanarPoint(camera.getWorldDirection(forward), object.position);
    if (!meet(event)) return;
    offset.copy(object.position).sub(hit);
    button.setPointerCapture(event.pointerId);
    button.dataset.dragged = 'true';
    controls.enabled = false;
  });
  button.addEventListener('pointermove', (event) => {
    if (button.dataset.dragged !== 'true' || !meet(event)) return;
    object.position.copy(hit).add(offset);
    moved();
  });
  const end = () => {
    delete button.dataset.dragged;
    controls.enabled = true;
  };
  button.addEventListener('pointerup', end);
  button.addEventListener('pointercancel', end);
  button.addEventListener('keydown', (event) => {
    const direction = STEPS[event.key];
    if (direction === undefined) return;
    event.preventDefault();
    // Right, up, and away from the viewer.
    camera.getWorldDirection(forward).setY(0).normalize();
    const right = new Vector3(-forward.z, 0, forward.x);
    const step = event.shiftKey ? LEAP : NUDGE;
    object.position.addScaledVector(right, step * direction[0]);
    object.position.y += step * direction[1];
    object.position.addScaledVector(forward, step * direction[2]);
    moved();
  });

  const projected = new Vector3();
  afterFrame.push(() => {
    const { clientWidth: width, clientHeight: height } = renderer.domElement;
    object.getWorldPosition(projected).project(camera);
    const x = (0.5 + 0.5 * projected.x) * width;
    const y = (0.5 - 0.5 * projected.y) * height;
    button.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    button.style.visibility = projected.z < 1 ? 'visible' : 'hidden';
  });
  return object;
}

const STEPS: Readonly<Record<string, readonly [number, number, number]>> = {
  ArrowLeft: [-1, 0, 0],
  ArrowRight: [1, 0, 0],
  ArrowUp: [0, 1, 0],
  ArrowDown: [0, -1, 0],
  PageUp: [0, 0, 1],
  PageDown: [0, 0, -1],
};
