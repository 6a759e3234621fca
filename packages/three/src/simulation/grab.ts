import { attachConnection, type Connection, type Simulation } from 'poise/dynamics';
import { Vector3 } from 'three';
import type { RagdollBinding } from './ragdoll-binding.js';

/** A bone grabbed at a point: write `target`, and the point is dragged there with a bounded force. */
export class Grab {
  readonly ragdoll: RagdollBinding;
  /** Index of the bone. */
  readonly bone: number;
  /** The grabbed point, in the frame of the bone, m. */
  readonly point: readonly number[];
  /** Target position: the scene's world and its units. */
  readonly target = new Vector3();
  /** N */
  maxForce: number;
  /** Drag on the motion of the character while it is grabbed, 1/s: what hangs comes to rest. Of several grabs the largest counts. */
  drag: number;
  readonly #metersPerUnit: number;
  readonly #onRelease: (grab: Grab) => void;
  #connection: Connection | undefined;

  /** @internal Use `FigureSimulation.grab`. */
  constructor(
    ragdoll: RagdollBinding,
    bone: number,
    point: readonly number[],
    target: Vector3,
    maxForce: number,
    drag: number,
    metersPerUnit: number,
    onRelease: (grab: Grab) => void,
  ) {
    this.ragdoll = ragdoll;
    this.bone = bone;
    this.point = point;
    this.target.copy(target);
    this.maxForce = maxForce;
    this.drag = drag;
    this.#metersPerUnit = metersPerUnit;
    this.#onRelease = onRelease;
  }

  /** Releases the bone. */
  release(): void {
    if (this.#connection) this.#connection.enabled = false;
    this.#connection = undefined;
    this.#onRelease(this);
  }

  /** @internal */
  attach(simulation: Simulation, connection: Connection): void {
    const [x, y, z] = this.point;
    attachConnection(simulation, connection, {
      actor: this.ragdoll.index,
      bone: this.bone,
      position: [x, y, z],
    });
    connection.enabled = true;
    this.#connection = connection;
    this.updateConnection();
  }

  /** @internal Writes target and force to the connection. */
  updateConnection(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    const { x, y, z } = this.target;
    const unit = this.#metersPerUnit;
    connection.positionB[0] = unit * x;
    connection.positionB[1] = unit * y;
    connection.positionB[2] = unit * z;
    connection.maxForce = this.maxForce;
  }
}
