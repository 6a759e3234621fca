import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { drawLine, overlays, place } from '../scene/handle-layout.js';
import { PointerDrag } from '../scene/pointer-drag.js';
import { projectToCanvas, toWorld, view } from '../scene/view.js';
import { useStudio } from '../session/store.js';
import { type Arc, heightOf, pointOf, secondsFor, topTime } from './arc.js';
import { physical, usePhysical } from './physical.js';
import { seconds } from './words.js';

/** Handles at the tops of the arcs: dragged, they give the jump another height, and so another time in the air. */
export function Overlay() {
  const phase = usePhysical((state) => state.phase);
  usePhysical((state) => state.version);
  usePhysical((state) => state.off);
  usePhysical((state) => state.part);
  useStudio((studio) => studio.document);
  if (phase !== 'ready') return null;
  return (
    <div className="handles">
      {physical.arcs().map((arc) => (
        <Top key={arc.span.from} arc={arc} />
      ))}
    </div>
  );
}

function Top({ arc }: { arc: Arc }) {
  const button = useRef<HTMLButtonElement>(null);
  const line = useRef<SVGLineElement>(null);
  const press = useRef<PointerDrag | undefined>(undefined);
  /** While it is dragged, m. */
  const [height, setHeight] = useState<number>();
  const shown = height ?? heightOf(arc);
  const unit = physical.body?.unit ?? 1;
  const base = heightOf(arc);
  useEffect(() => {
    const top = pointOf(arc, topTime(arc));
    const layOut = () => {
      const moved = top.map((x, k) => x + (shown - base) * arc.up[k]);
      const floor = top.map((x, k) => x - base * arc.up[k]);
      const to = projectToCanvas(toWorld(moved));
      if (button.current) place(button.current, to);
      if (line.current) drawLine(line.current, projectToCanvas(toWorld(floor)), to);
    };
    overlays.add(layOut);
    layOut();
    return () => {
      overlays.delete(layOut);
    };
  }, [arc, shown, base]);
  const down = (event: PointerEvent<HTMLButtonElement>) => {
    if (event.button !== 0) return;
    const top = pointOf(arc, topTime(arc));
    press.current = PointerDrag.press(
      toWorld(top),
      event.clientX,
      event.clientY,
      () => {},
      (x, y, z) => {
        const rise = [x, y, z].reduce((sum, value, k) => sum + (value - top[k]) * arc.up[k], 0);
        setHeight(Math.max(0, base + rise));
      },
    );
    if (press.current !== undefined) event.currentTarget.setPointerCapture(event.pointerId);
  };
  const up = () => {
    const isDrag = press.current?.isDrag;
    press.current = undefined;
    if (isDrag && height !== undefined) physical.setHeight(arc, height);
    setHeight(undefined);
    view.invalidate();
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      press.current = undefined;
      setHeight(undefined);
      return;
    }
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (by === undefined) return;
    physical.addFrames(arc, by);
    event.preventDefault();
  };
  const inAir = height === undefined ? arc.span.to - arc.span.from : secondsFor(arc, height);
  const text = `${Math.round((100 * shown) / unit)} cm · ${seconds(inAir)}`;
  return (
    <>
      <svg className="tether" aria-hidden="true">
        <title>From where it leaves the floor to its top</title>
        <line ref={line} />
      </svg>
      <button
        ref={button}
        type="button"
        className="handle small top-of-arc"
        aria-label={`Top of the jump, ${text}: drag it up or down, or use the arrow keys`}
        onPointerDown={down}
        onPointerMove={({ clientX, clientY }) => press.current?.move(clientX, clientY)}
        onPointerUp={up}
        onLostPointerCapture={up}
        onKeyDown={key}
      >
        <span className="ring" />
        <span className="height">{text}</span>
      </button>
    </>
  );
}
