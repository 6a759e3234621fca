import type { FigureSimulation, Grab } from '@poise/three';
import {
  BufferAttribute,
  BufferGeometry,
  type Intersection,
  Line,
  LineBasicMaterial,
  Plane,
  Raycaster,
  Vector2,
  Vector3,
} from 'three';
import { find } from '../shared/page.js';
import type { Stage } from '../shared/stage.js';
import type { Cast } from './cast.js';

/** A press shorter than this, px and ms, is a click that applies an impulse; others drag. */
const STILL = 6;
const CLICK = 300;
/** Impulse of a click over the mass of the body, m/s. */
const PUSH = 1.6;
/** Largest force of a drag, in body weights. */
const PULL = 3;

/** What a ray has hit, wherever its bone has moved since; undefined where it is on no character. */
export function followHit(simulation: FigureSimulation, hit: Intersection): (() => Intersection) | undefined {
  const found = simulation.boneAt(hit);
  const object = found?.ragdoll.binding.objects[found.bone];
  if (object === undefined) return undefined;
  const local = object.worldToLocal(hit.point.clone());
  return () => ({ ...hit, object, point: object.localToWorld(local.clone()) });
}

/** Pointer input: a click applies an impulse at the point hit, a drag pulls the bone grabbed. */
export class Pointer {
  readonly #stage: Stage;
  readonly #simulation: FigureSimulation;
  readonly #cast: Cast;
  readonly #ray = new Raycaster();
  readonly #plane = new Plane();
  readonly #line: Line<BufferGeometry, LineBasicMaterial>;
  #hit: (() => Intersection) | undefined;
  #pressed = { id: -1, x: 0, y: 0, at: 0 };
  #grab: Grab | undefined;

  constructor(stage: Stage, simulation: FigureSimulation, cast: Cast) {
    this.#stage = stage;
    this.#simulation = simulation;
    this.#cast = cast;
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(6), 3));
    this.#line = new Line(geometry, new LineBasicMaterial({ color: '#b84a17', depthTest: false }));
    this.#line.frustumCulled = false;
    this.#line.renderOrder = 3;
    this.#line.visible = false;
    stage.scene.add(this.#line);
    const canvas = stage.renderer.domElement;
    canvas.addEventListener('pointerdown', (event) => this.#press(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.#move(event));
    canvas.addEventListener('pointerup', (event) => this.#lift(event, true));
    canvas.addEventListener('pointercancel', (event) => this.#lift(event, false));
  }

  /** Whether a bone is grabbed. */
  get holds(): boolean {
    return this.#grab !== undefined;
  }

  /** Releases a grab whose character may have been removed, until the next press. */
  release(): void {
    this.#grab?.release();
    this.#grab = undefined;
    this.#hit = undefined;
    find('#stage').dataset.held = 'false';
  }

  /** Draws the line from the grabbed point to its target. */
  update(): void {
    const grab = this.#grab;
    this.#line.visible = grab !== undefined;
    const object = grab?.ragdoll.binding.objects[grab.bone];
    if (grab === undefined || object === undefined) return;
    const { worldFromBone: m } = grab.ragdoll.state;
    const { position } = this.#line.geometry.attributes;
    const [x, y, z] = grab.point;
    const o = 12 * grab.bone;
    position.setXYZ(
      0,
      m[o] * x + m[o + 1] * y + m[o + 2] * z + m[o + 9],
      m[o + 3] * x + m[o + 4] * y + m[o + 5] * z + m[o + 10],
      m[o + 6] * x + m[o + 7] * y + m[o + 8] * z + m[o + 11],
    );
    position.setXYZ(1, grab.target.x, grab.target.y, grab.target.z);
    position.needsUpdate = true;
  }

  #press(event: PointerEvent): void {
    if (event.button !== 0 || this.#pressed.id >= 0) return;
    this.#aim(event);
    this.#cast.bound();
    const [hit] = this.#ray.intersectObjects(
      this.#cast.members.flatMap(({ skins }) => skins),
      false,
    );
    this.#hit = hit && followHit(this.#simulation, hit);
    if (this.#hit === undefined) return;
    this.#pressed = { id: event.pointerId, x: event.clientX, y: event.clientY, at: event.timeStamp };
    this.#stage.controls.enabled = false;
    this.#stage.renderer.domElement.setPointerCapture(event.pointerId);
  }

  #move(event: PointerEvent): void {
    const { id, x, y } = this.#pressed;
    if (event.pointerId !== id || this.#hit === undefined) return;
    if (this.#grab === undefined && Math.hypot(event.clientX - x, event.clientY - y) > STILL) this.#catch();
    if (this.#grab === undefined) return;
    this.#aim(event);
    this.#ray.ray.intersectPlane(this.#plane, this.#grab.target);
  }

  #catch(): void {
    const { camera } = this.#stage;
    const hit = this.#hit?.();
    if (hit === undefined) return;
    this.#plane.setFromNormalAndCoplanarPoint(camera.getWorldDirection(new Vector3()), hit.point);
    const mass = this.#simulation.boneAt(hit)?.ragdoll.ragdoll.mass ?? 0;
    this.#grab = this.#simulation.grab(hit, { maxForce: PULL * 9.81 * mass });
    find('#stage').dataset.held = String(this.holds);
  }

  #lift(event: PointerEvent, done: boolean): void {
    const { id, at } = this.#pressed;
    if (event.pointerId !== id) return;
    const hit = this.#grab ? undefined : this.#hit?.();
    if (done && hit && event.timeStamp - at < CLICK) {
      const mass = this.#simulation.boneAt(hit)?.ragdoll.ragdoll.mass ?? 0;
      this.#simulation.applyImpulseAt(hit, this.#ray.ray.direction.clone().multiplyScalar(PUSH * mass));
    }
    this.release();
    this.#pressed.id = -1;
    this.#stage.controls.enabled = true;
  }

  #aim(event: PointerEvent): void {
    const box = this.#stage.renderer.domElement.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (event.clientY - box.top)) / box.height;
    this.#ray.setFromCamera(new Vector2(x, y), this.#stage.camera);
  }
}
