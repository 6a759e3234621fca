import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { type Plane, Vector3 } from 'three';
import type { Handle } from '../character/handles.js';
import { session, useStudio } from '../session/store.js';
import { handleElements, tether } from './handle-layout.js';
import { facingPlane, pointOnPlane, toFigure, toWorld, view, viewAxes } from './view.js';

/** A press that moves less than this is a click, px. */
const CLICK_SLACK = 4;
/** Two clicks within this time are a double click, ms. */
const DOUBLE_CLICK = 350;
/** A step of the arrow keys, in the scene, where a body is 1.75 m high. */
const NUDGE = 0.02;
/** Frames solved after an arrow key press. */
const NUDGE_FRAMES = 12;

/**
 * The handles as buttons over the canvas: usable by mouse, touch and keyboard, and visible to screen readers.
 * The stage positions them every frame.
 */
export function HandleLayer() {
  const character = useStudio((studio) => studio.character);
  return (
    <div className="handles">
      <svg className="tether" aria-hidden="true">
        <title>Line to the target</title>
        <line
          ref={(element) => {
            tether.line = element;
          }}
        />
        <circle
          r="5"
          ref={(element) => {
            tether.target = element;
          }}
        />
      </svg>
      {character.handles.map((handle) => (
        <HandleButton key={handle.id} handle={handle} />
      ))}
    </div>
  );
}

interface Press {
  readonly x: number;
  readonly y: number;
  readonly plane: Plane;
  /** Offset from the pointer's point on the plane to the handle's. */
  readonly offset: Vector3;
  isDrag: boolean;
}

function HandleButton({ handle: { id, label, size } }: { handle: Handle }) {
  const pinned = useStudio((studio) => studio.pinned.has(id));
  const dragged = useStudio((studio) => studio.dragging === id);
  const { beginDrag, endDrag, togglePin } = useStudio.getState();
  const press = useRef<Press | null>(null);
  const lastClick = useRef(Number.NEGATIVE_INFINITY);

  const down = (event: PointerEvent<HTMLButtonElement>) => {
    if (event.button !== 0 || press.current !== null) return;
    const at = toWorld(session.handlePosition(id));
    const plane = facingPlane(at);
    const hit = pointOnPlane(plane, event.clientX, event.clientY);
    if (hit === undefined) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const offset = hit.clone().negate();
    offset.x += at[0];
    offset.y += at[1];
    offset.z += at[2];
    press.current = { x: event.clientX, y: event.clientY, plane, offset, isDrag: false };
  };
  const move = ({ clientX, clientY }: PointerEvent) => {
    const { current } = press;
    if (current === null) return;
    if (!current.isDrag) {
      if (Math.hypot(clientX - current.x, clientY - current.y) < CLICK_SLACK) return;
      current.isDrag = true;
      beginDrag(id);
    }
    const hit = pointOnPlane(current.plane, clientX, clientY)?.add(current.offset);
    if (hit === undefined || session.drag === undefined) return;
    const [x, y, z] = toFigure(hit);
    session.dragTo(x, y, z);
    view.invalidate();
  };
  const up = ({ timeStamp, type }: PointerEvent) => {
    const { current } = press;
    press.current = null;
    if (current === null) return;
    if (current.isDrag) {
      // Escape may have put it back before.
      endDrag();
      return;
    }
    if (type !== 'pointerup') return;
    const isDouble = timeStamp - lastClick.current < DOUBLE_CLICK;
    lastClick.current = isDouble ? Number.NEGATIVE_INFINITY : timeStamp;
    if (isDouble) togglePin(id);
  };
  const key = (event: KeyboardEvent) => {
    const { right, up: upward, back } = viewAxes();
    const step = {
      ArrowRight: right,
      ArrowLeft: right.clone().negate(),
      ArrowUp: upward,
      ArrowDown: upward.clone().negate(),
      PageDown: back,
      PageUp: back.clone().negate(),
    }[event.key];
    if (event.key === 'Enter' || event.key === ' ') togglePin(id);
    else if (step === undefined) return;
    else {
      beginDrag(id);
      const to = new Vector3().fromArray(toWorld(session.handlePosition(id))).addScaledVector(step, NUDGE);
      const [x, y, z] = toFigure(to);
      session.dragTo(x, y, z);
      for (let frame = 0; frame < NUDGE_FRAMES; frame++) session.step(1 / 60);
      endDrag();
    }
    event.preventDefault();
  };

  return (
    <button
      type="button"
      className={`handle ${size}`}
      ref={(element) => {
        if (element === null) handleElements.delete(id);
        else handleElements.set(id, element);
      }}
      data-handle={id}
      data-dragged={dragged}
      aria-pressed={pinned}
      aria-label={`${label}: drag or use the arrow keys to move, Enter to ${pinned ? 'release' : 'pin'}`}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={up}
      onLostPointerCapture={up}
      onKeyDown={key}
    >
      <span className="ring" />
      <span className="name">{label}</span>
    </button>
  );
}
