import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { Clip } from './clip/clip.js';
import { goFrames, goTo, goToKey, useAnimate, useClip } from './store.js';
import { timeline } from './timeline.js';

/** Height of the ruler, px. */
const RULER = 26;
/** Width of what stands at the left, room before the start, and after the end for its number, px. */
export const NAMES = 84;
const MARGIN = 14;
const END = 44;
/** Smallest distance of numbers on the ruler, and of its marks of frames, px. */
const NUMBERS_APART = 54;
const FRAMES_APART = 5;
const NUMBERS = [1 / 60, 1 / 30, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200];
/** Beyond what is in sight, px. */
export const AROUND = 200;

/** Times to places, px. */
export interface Scale {
  readonly width: number;
  x(time: number): number;
  time(x: number): number;
}

/** What of the scale is in sight, px. */
export interface Sight {
  readonly left: number;
  readonly width: number;
}

/** The ruler, the playhead, and what lies over time between them; it scrolls and is zoomed. */
export function TimeSheet({ children }: { children: (scale: Scale, sight: Sight) => ReactNode }) {
  const clip = useClip();
  const scroller = useRef<HTMLDivElement>(null);
  const zoom = useAnimate((animate) => animate.zoom);
  const [sight, setSight] = useState<Sight>({ left: 0, width: 600 });
  const look = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const left = AROUND * Math.floor(element.scrollLeft / AROUND);
    const width = element.clientWidth - NAMES;
    setSight((sight) => (sight.left === left && sight.width === width ? sight : { left, width }));
  }, []);
  useLayoutEffect(() => {
    look();
    const observer = new ResizeObserver(look);
    if (scroller.current !== null) observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [look]);
  const width = Math.max(100, zoom * sight.width);
  const perSecond = (width - MARGIN - END) / clip.duration;
  const scale: Scale = {
    width,
    x: (time) => MARGIN + perSecond * time,
    time: (x) => (x - MARGIN) / perSecond,
  };
  // What is shown stays in its place.
  const { x } = scale;
  const zoomed = useRef(zoom);
  useLayoutEffect(() => {
    if (scroller.current !== null && zoomed.current !== zoom)
      scroller.current.scrollLeft += x(timeline.time) * (1 - zoomed.current / zoom);
    zoomed.current = zoom;
  }, [zoom, x]);
  return (
    <div className="scroller" ref={scroller} onScroll={look}>
      <div className="content" style={{ width: NAMES + width }}>
        <Ruler clip={clip} scale={scale} sight={sight} />
        {children(scale, sight)}
        <Playhead scale={scale} />
      </div>
    </div>
  );
}

/** Scrubs by dragging and by arrows. */
function Ruler({ clip, scale, sight }: { clip: Clip; scale: Scale; sight: Sight }) {
  const element = useRef<HTMLDivElement>(null);
  const { duration, rate } = clip;
  useEffect(
    () =>
      timeline.listen((time) => {
        element.current?.setAttribute('aria-valuenow', time.toFixed(3));
        element.current?.setAttribute(
          'aria-valuetext',
          `${time.toFixed(2)} s, frame ${Math.round(time * rate)}`,
        );
      }),
    [rate],
  );
  const scrub = (event: PointerEvent<HTMLDivElement>) => {
    if (event.type === 'pointerdown') event.currentTarget.setPointerCapture(event.pointerId);
    else if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    goTo(scale.time(event.clientX - event.currentTarget.getBoundingClientRect().left));
  };
  const key = (event: KeyboardEvent) => {
    const act = {
      ArrowLeft: () => goFrames(-1),
      ArrowRight: () => goFrames(1),
      PageDown: () => goFrames(-10),
      PageUp: () => goFrames(10),
      ArrowUp: () => goToKey(1),
      ArrowDown: () => goToKey(-1),
      Home: () => goTo(0),
      End: () => goTo(duration),
    }[event.key];
    if (act === undefined) return;
    act();
    event.preventDefault();
  };
  const perSecond = scale.x(1) - scale.x(0);
  const step =
    NUMBERS.find((each) => each * perSecond >= NUMBERS_APART && each * rate >= 1 - 1e-9) ?? duration;
  const [from, to] = [sight.left - AROUND, sight.left + sight.width + AROUND].map((x) => scale.time(x));
  const numbers: number[] = [];
  for (let n = Math.max(0, Math.floor(from / step)); n * step <= Math.min(duration + 1e-9, to); n++)
    numbers.push(n * step);
  const frame = perSecond / rate;
  return (
    <div className="ruler" style={{ height: RULER }}>
      <span className="name" style={{ width: NAMES }}>
        {rate} /s
      </span>
      <div
        ref={element}
        className="scale"
        style={{ left: NAMES, width: scale.width }}
        role="slider"
        tabIndex={0}
        aria-label="Time"
        aria-valuemin={0}
        aria-valuemax={duration}
        aria-valuenow={0}
        onPointerDown={scrub}
        onPointerMove={scrub}
        onKeyDown={key}
      >
        {frame >= FRAMES_APART && (
          <span
            className="frames"
            style={{
              left: scale.x(0),
              width: scale.x(duration) - scale.x(0) + 1,
              backgroundSize: `${frame}px 100%`,
            }}
          />
        )}
        {numbers.map((time) => (
          <span key={time} className="number" style={{ left: scale.x(time) }}>
            {Number(time.toFixed(2))} s <small>{Math.round(time * rate)}</small>
          </span>
        ))}
      </div>
    </div>
  );
}

function Playhead({ scale }: { scale: Scale }) {
  const element = useRef<HTMLDivElement>(null);
  const { x } = scale;
  useEffect(
    () =>
      timeline.listen((time) => {
        if (element.current !== null) element.current.style.transform = `translateX(${NAMES + x(time)}px)`;
      }),
    [x],
  );
  return <div className="playhead" ref={element} />;
}
