import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react';
import { Vector3 } from 'three';
import { drawLine, overlays, place } from '../scene/handle-layout.js';
import { PointerDrag } from '../scene/pointer-drag.js';
import { keyDirection, projectToCanvas, toFigure, toWorld } from '../scene/view.js';
import { endKeyPress } from '../session/key-run.js';
import { session, useStudio } from '../session/store.js';
import './gaze-handle.css';

/** A step of the arrow keys, in the scene, where a body is 1.75 m high. */
const NUDGE = 0.05;

/** What the character looks at, to drag, and the line of sight to it. */
export function GazeHandle() {
  const dragged = useStudio((studio) => studio.dragging === 'gaze');
  const button = useRef<HTMLButtonElement>(null);
  const line = useRef<SVGLineElement>(null);
  const press = useRef<PointerDrag | undefined>(undefined);
  useEffect(() => {
    const layOut = () => {
      const { gaze } = session;
      const eyes = session.eyes();
      const to = gaze && projectToCanvas(toWorld([...gaze]));
      const from = eyes && projectToCanvas(toWorld(Array.from(eyes)));
      if (button.current) place(button.current, to);
      if (line.current) drawLine(line.current, from, to);
    };
    overlays.add(layOut);
    layOut();
    return () => {
      overlays.delete(layOut);
    };
  }, []);
  const { beginGaze, endGaze } = useStudio.getState();
  const down = (event: PointerEvent<HTMLButtonElement>) => {
    const { gaze } = session;
    if (event.button !== 0 || press.current !== undefined || gaze === undefined) return;
    press.current = PointerDrag.press(
      toWorld([...gaze]),
      event.clientX,
      event.clientY,
      beginGaze,
      (x, y, z) => session.gazeTo(x, y, z),
    );
    if (press.current !== undefined) event.currentTarget.setPointerCapture(event.pointerId);
  };
  const up = () => {
    const { current } = press;
    press.current = undefined;
    // Escape may have put it back before.
    if (current?.isDrag) endGaze();
  };
  const key = (event: KeyboardEvent) => {
    const step = keyDirection(event.key);
    const { gaze } = session;
    if (step === undefined || gaze === undefined) return;
    beginGaze();
    const [x, y, z] = toFigure(new Vector3().fromArray(toWorld([...gaze])).addScaledVector(step, NUDGE));
    session.gazeTo(x, y, z);
    endKeyPress(event, endGaze);
    event.preventDefault();
  };
  return (
    <>
      <svg className="sight" aria-hidden="true">
        <title>Line of sight</title>
        <line ref={line} />
      </svg>
      <button
        ref={button}
        type="button"
        className="handle gaze"
        data-dragged={dragged}
        data-handle="gaze"
        aria-label="What it looks at: drag or use the arrow keys to move"
        onPointerDown={down}
        onPointerMove={({ clientX, clientY }) => press.current?.move(clientX, clientY)}
        onPointerUp={up}
        onPointerCancel={up}
        onLostPointerCapture={up}
        onKeyDown={key}
      >
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M2 12s3.6-6 10-6 10 6 10 6-3.6 6-10 6S2 12 2 12z" />
          <circle cx="12" cy="12" r="3" />
        </svg>
        <span className="name">Looks here</span>
      </button>
    </>
  );
}
