import './trail.css';
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef } from 'react';
import { Vector3 } from 'three';
import type { Handle } from '../../character/handles.js';
import { overlays, place } from '../../scene/handle-layout.js';
import { PointerDrag } from '../../scene/pointer-drag.js';
import {
  type CanvasPoint,
  keyDirection,
  projectToCanvas,
  toFigure,
  toWorld,
  view,
} from '../../scene/view.js';
import { useStudio } from '../../session/store.js';
import { hasKeys } from '../clip/clip.js';
import { clipOf, goTo, useAnimate, useClip } from '../store.js';
import { Bending, canBend } from './bending.js';
import { type TrailPoint, trailPoints, trailTimes } from './trail.js';

/** A step of the arrow keys, in the scene, where a body is 1.75 m high. */
const NUDGE = 0.02;
/** Least distance of two points, px: room for a finger. */
const POINTS_APART = 24;

/** The points of the path of a handle: dragged, they bend the motion around them. */
export function TrailHandles() {
  const isShown = useAnimate(({ showsTrail, isPlaying }) => showsTrail && !isPlaying);
  const id = useAnimate((animate) => animate.handle);
  const character = useStudio((studio) => studio.character);
  const clip = useClip();
  const kept = useStudio(({ document }) => clipOf(document));
  // While one is dragged the others stay, whatever keys there are.
  const times = useMemo(() => trailTimes(kept), [kept]);
  const handle = character.handles.find((each) => each.id === id);
  const points = useMemo(
    () =>
      isShown && handle !== undefined && hasKeys(clip) ? trailPoints(clip, character, handle, times) : [],
    [isShown, handle, clip, character, times],
  );
  const elements = useRef(new Map<number, HTMLElement>());
  useEffect(() => {
    const layOut = () => layOutPoints(points, elements.current);
    overlays.add(layOut);
    layOut();
    return () => {
      overlays.delete(layOut);
    };
  }, [points]);
  if (handle === undefined) return null;
  return points.map((point) => (
    <TrailHandle key={point.time} handle={handle} point={point} elements={elements.current} />
  ));
}

/** Puts points at their places on the canvas; of some that lie on each other one is shown, the one that is used or a key. */
function layOutPoints(points: readonly TrailPoint[], elements: ReadonlyMap<number, HTMLElement>): void {
  const rank = ({ time, isKey }: TrailPoint) =>
    elements.get(time)?.matches(':active, :focus') ? 2 : Number(isKey);
  const shown: CanvasPoint[] = [];
  for (const point of [...points].sort((a, b) => rank(b) - rank(a) || a.time - b.time)) {
    const element = elements.get(point.time);
    const at = projectToCanvas(toWorld(point.at));
    if (element === undefined) continue;
    const isCovered =
      at !== undefined && shown.some(({ x, y }) => Math.hypot(at.x - x, at.y - y) < POINTS_APART);
    place(element, isCovered ? undefined : at);
    if (at !== undefined && !isCovered) shown.push(at);
  }
}

interface TrailProps {
  readonly handle: Handle;
  readonly point: TrailPoint;
  /** By time: it adds itself. */
  readonly elements: Map<number, HTMLElement>;
}

function TrailHandle({ handle, point: { time, isKey, at }, elements }: TrailProps) {
  const press = useRef<{ readonly drag: PointerDrag; bending: Bending | undefined } | undefined>(undefined);
  useEffect(() => {
    const cancel = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape' || press.current === undefined) return;
      press.current.bending?.cancel();
      press.current = undefined;
      event.stopPropagation();
    };
    window.addEventListener('keydown', cancel, true);
    return () => {
      window.removeEventListener('keydown', cancel, true);
      press.current?.bending?.cancel();
    };
  }, []);
  const down = (event: PointerEvent<HTMLButtonElement>) => {
    if (event.button !== 0 || press.current !== undefined) return;
    const from = at;
    const drag = PointerDrag.press(
      toWorld(at),
      event.clientX,
      event.clientY,
      () => {
        if (press.current && canBend()) press.current.bending = new Bending(handle, time);
      },
      (x, y, z) => press.current?.bending?.by([x - from[0], y - from[1], z - from[2]]),
    );
    if (drag === undefined) return;
    press.current = { drag, bending: undefined };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const up = ({ type }: PointerEvent) => {
    const { current } = press;
    press.current = undefined;
    if (type === 'pointercancel') current?.bending?.cancel();
    else if (current?.bending) current.bending.end();
    else if (current && type === 'pointerup') goTo(time);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Enter') goTo(time);
    const step = keyDirection(event.key);
    if (step === undefined || !canBend()) return;
    const to = toFigure(new Vector3().fromArray(toWorld(at)).addScaledVector(step, NUDGE));
    const bending = new Bending(handle, time);
    bending.by(to.map((x, n) => x - at[n]));
    bending.end();
    view.invalidate();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <button
      ref={(element) => {
        if (element === null) elements.delete(time);
        else elements.set(time, element);
      }}
      type="button"
      className="handle trail-point"
      data-trail={time}
      data-is-key={isKey}
      aria-label={`${handle.label} at ${time.toFixed(2)} s: drag or use the arrow keys to bend the path`}
      onPointerDown={down}
      onPointerMove={({ clientX, clientY }) => press.current?.drag.move(clientX, clientY)}
      onPointerUp={up}
      onPointerCancel={up}
      onLostPointerCapture={up}
      onKeyDown={key}
    >
      <span className="mark" />
      <span className="name">{time.toFixed(2)} s</span>
    </button>
  );
}
