import {
  type ComponentType,
  type KeyboardEvent,
  type PointerEvent,
  Suspense,
  useEffect,
  useRef,
} from 'react';
import { Vector3 } from 'three';
import type { Handle } from '../character/handles.js';
import { endKeyPress, endKeyRun } from '../session/key-run.js';
import { lazyPart } from '../session/lazy-component.js';
import { session, useStudio } from '../session/store.js';
import { handleElements, tether } from './handle-layout.js';
import { PointerDrag } from './pointer-drag.js';
import { usePosing } from './posing-store.js';
import { takeSkinDrags } from './skin-drag.js';
import { directionToFigure, keyDirection, toFigure, toWorld, view, viewAxes } from './view.js';

const RotationRings = lazyPart(
  () => import('./rotation-rings.js').then((module) => module.RotationRings),
  'The rings that turn a part',
);

/** Two clicks within this time are a double click, ms. */
const DOUBLE_CLICK = 350;
/** A step of the arrow keys, in the scene, where a body is 1.75 m high. */
const NUDGE = 0.02;
/** A step of the arrow keys that turn, rad. */
const TURN = Math.PI / 36;
/** Frames solved after an arrow key press. */
const NUDGE_FRAMES = 12;

/**
 * The handles as buttons over the canvas: usable by mouse, touch and keyboard, and visible to screen readers.
 * The stage positions them every frame.
 *
 * @param Overlay - What the mode shows among them.
 */
export function HandleLayer({ Overlay }: { Overlay: ComponentType | undefined }) {
  const character = useStudio((studio) => studio.character);
  const layer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const stage = layer.current?.parentElement;
    if (!stage) return;
    const stops = [takeSkinDrags(stage)];
    let isGone = false;
    if (matchMedia('(any-pointer: coarse)').matches)
      void import('./pinch.js').then(
        ({ takePinches }) => void (isGone || stops.push(takePinches(stage))),
        // Without it a finger drags as before.
        () => {},
      );
    return () => {
      isGone = true;
      for (const stop of stops) stop();
    };
  }, []);
  return (
    <div className="handles" ref={layer}>
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
      <Rings />
      {Overlay && (
        <Suspense fallback={null}>
          <Overlay />
        </Suspense>
      )}
      {character.handles.map((handle) => (
        <HandleButton key={handle.id} handle={handle} />
      ))}
    </div>
  );
}

/** Those of the selected handle, where it turns. */
function Rings() {
  const selected = usePosing((posing) => posing.selected);
  const character = useStudio((studio) => studio.character);
  const handle = character.handles.find(({ id, rotates }) => rotates && id === selected);
  useEffect(takeEscape, []);
  return handle === undefined ? null : <RotationRings handle={handle} />;
}

function HandleButton({ handle: { id, label, size, rotates } }: { handle: Handle }) {
  const pinned = useStudio((studio) => studio.pinned.has(id));
  const dragged = useStudio((studio) => studio.dragging === id);
  const selected = usePosing((posing) => posing.selected === id);
  const { beginDrag, beginTurn, endDrag, togglePin } = useStudio.getState();
  const press = useRef<PointerDrag | undefined>(undefined);
  const lastClick = useRef(Number.NEGATIVE_INFINITY);

  const down = (event: PointerEvent<HTMLButtonElement>) => {
    if (event.button !== 0 || press.current !== undefined) return;
    const at = toWorld(session.handlePosition(id));
    press.current = PointerDrag.press(at, event.clientX, event.clientY, () => beginDrag(id));
    if (press.current !== undefined) event.currentTarget.setPointerCapture(event.pointerId);
  };
  const move = ({ clientX, clientY }: PointerEvent) => press.current?.move(clientX, clientY);
  const up = ({ timeStamp, type }: PointerEvent) => {
    const { current } = press;
    press.current = undefined;
    if (current === undefined) return;
    if (current.isDrag) {
      // Escape may have put it back before.
      endDrag();
      return;
    }
    if (type !== 'pointerup') return;
    const { selected: before, select } = usePosing.getState();
    select(id);
    view.invalidate();
    // A click elsewhere comes between two.
    const isDouble = before === id && timeStamp - lastClick.current < DOUBLE_CLICK;
    lastClick.current = isDouble ? Number.NEGATIVE_INFINITY : timeStamp;
    if (isDouble) togglePin(id);
  };
  const key = (event: KeyboardEvent) => {
    const { right, up: upward, back } = viewAxes();
    const step = keyDirection(event.key);
    const { turning, select, setTurning } = usePosing.getState();
    const isTurning = selected && turning && rotates;
    if (event.key === 'Enter' || event.key === ' ') togglePin(id);
    else if (event.key.toLowerCase() === 'r' && rotates && !event.ctrlKey && !event.metaKey) {
      select(id);
      setTurning(!isTurning);
      view.invalidate();
    } else if (step === undefined) {
      endKeyRun();
      return;
    } else if (isTurning) {
      // Up tips it away from the viewer, right turns its near side to the right.
      const axis =
        { ArrowRight: upward, ArrowLeft: upward, ArrowUp: right, ArrowDown: right }[event.key] ?? back;
      const sign = ['ArrowRight', 'ArrowDown', 'PageUp'].includes(event.key) ? 1 : -1;
      beginTurn(id);
      session.turnTo(directionToFigure(axis), sign * TURN);
      for (let frame = 0; frame < NUDGE_FRAMES; frame++) session.step(1 / 60);
      endKeyPress(event, endDrag);
    } else {
      beginDrag(id);
      const to = new Vector3().fromArray(toWorld(session.handlePosition(id))).addScaledVector(step, NUDGE);
      const [x, y, z] = toFigure(to);
      session.dragTo(x, y, z);
      for (let frame = 0; frame < NUDGE_FRAMES; frame++) session.step(1 / 60);
      endKeyPress(event, endDrag);
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
      data-selected={selected}
      aria-pressed={pinned}
      aria-label={`${label}: drag or use the arrow keys to move, ${rotates ? 'R and the arrow keys to turn, ' : ''}Enter to ${pinned ? 'release' : 'pin'}`}
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

/** Escape puts the rings away where nothing is dragged. */
function takeEscape(): () => void {
  const press = ({ key, target }: globalThis.KeyboardEvent) => {
    // That of a menu or a dialog closes it.
    if (target instanceof Element && target.closest('#file-menu, dialog') !== null) return;
    if (key === 'Escape' && session.drag === undefined) usePosing.getState().select(undefined);
  };
  // Before the drag is put back by the same key.
  window.addEventListener('keydown', press, true);
  return () => window.removeEventListener('keydown', press, true);
}
