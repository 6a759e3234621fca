import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import type { Plane, Vector3 } from 'three';
import { HANDLES, type Handle } from '../session/handles.js';
import { session, useStudio } from '../session/store.js';
import { handleElements, tether } from './handle-layout.js';
import { facingPlane, pointOnPlane, view, viewAxes } from './view.js';

/** A press that moves less than this is a click, px. */
const CLICK_SLACK = 4;
/** Two clicks within this time are a double click, ms. */
const DOUBLE_CLICK = 350;
/** A step of the arrow keys, m. */
const NUDGE = 0.02;
/** Frames solved after an arrow key press. */
const NUDGE_FRAMES = 12;

/**
 * The handles as buttons over the canvas: usable by mouse, touch and keyboard, and visible to screen readers.
 * The stage positions them every frame.
 */
export function HandleLayer() {
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
      {HANDLES.map((handle) => (
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
    const at = session.handlePosition(id);
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
    session.dragTo(hit.x, hit.y, hit.z);
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
      const [x, y, z] = session.handlePosition(id);
      session.dragTo(x + NUDGE * step.x, y + NUDGE * step.y, z + NUDGE * step.z);
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
