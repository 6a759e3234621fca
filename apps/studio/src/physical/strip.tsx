import './physical.css';
import { type CSSProperties, type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react';
import { timeline } from '../animate/timeline.js';
import { useStudio } from '../session/store.js';
import { ROWS } from './feet.js';
import { MOST_KEYS, physical, usePhysical } from './physical.js';
import { type Span, timesWithKeys } from './span.js';
import { seconds } from './words.js';

/** Between numbers of the ruler, s, and how many there are at most. */
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const NUMBERS = 12;

/** The part that is changed, its keys and what touches the floor, below the picture. */
export function Strip() {
  const phase = usePhysical((state) => state.phase);
  // Both change what is shown.
  usePhysical((state) => state.version);
  usePhysical((state) => state.part);
  useStudio((studio) => studio.document);
  const { duration } = physical.clip;
  const times = timesWithKeys(physical.given);
  // Those of a motion that is found from nothing are its own.
  const isOwn = phase !== 'ready' && physical.before === undefined;
  return (
    <section className="moments" aria-label="Moments">
      <Transport />
      <div className="tracks">
        <Ruler duration={duration} />
        {!isOwn && times.length > 1 && (
          <>
            <Part times={times} duration={duration} />
            <Keys times={times} duration={duration} />
            <Contacts duration={duration} />
          </>
        )}
        <Flights duration={duration} />
        <Playhead duration={duration} />
      </div>
    </section>
  );
}

function Transport() {
  const isPlaying = usePhysical((state) => state.isPlaying);
  const readout = useRef<HTMLOutputElement>(null);
  useEffect(
    () =>
      timeline.listen((time) => {
        if (readout.current !== null) readout.current.textContent = seconds(time);
      }),
    [],
  );
  return (
    <div className="line" role="toolbar" aria-label="Play">
      <button
        type="button"
        className="play"
        aria-label={isPlaying ? 'Pause' : 'Play'}
        title={isPlaying ? 'Pause (Space)' : 'Play (Space)'}
        onClick={() => physical.togglePlay()}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d={isPlaying ? 'M4 3h3v10H4zM9 3h3v10H9z' : 'M4 2.5 13 8l-9 5.5z'} />
        </svg>
      </button>
      <output ref={readout} aria-label="Time shown" />
    </div>
  );
}

function Row({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of a timeline, no fields.
    <div className="track-row" role="group" aria-label={name}>
      <span className="name">{name}</span>
      <div className="track">{children}</div>
    </div>
  );
}

function at(time: number, duration: number): CSSProperties {
  return { left: `${(100 * time) / duration}%` };
}

function over({ from, to }: Span, duration: number): CSSProperties {
  return { ...at(from, duration), width: `${(100 * (to - from)) / duration}%` };
}

/** The time at a place of the track, s. */
function timeAt({ currentTarget, clientX }: PointerEvent<HTMLElement>, duration: number): number {
  const track = currentTarget.closest('.track') ?? currentTarget;
  const { left, width } = track.getBoundingClientRect();
  return Math.min(Math.max(((clientX - left) / width) * duration, 0), duration);
}

/** Scrubs by dragging and by arrows. */
function Ruler({ duration }: { duration: number }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(
    () =>
      timeline.listen((time) => {
        element.current?.setAttribute('aria-valuenow', time.toFixed(3));
        element.current?.setAttribute('aria-valuetext', seconds(time));
      }),
    [],
  );
  const scrub = (event: PointerEvent<HTMLDivElement>) => {
    if (event.type === 'pointerdown') event.currentTarget.setPointerCapture(event.pointerId);
    else if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    physical.goTo(timeAt(event, duration));
  };
  const key = (event: KeyboardEvent) => {
    const frame = 1 / physical.clip.rate;
    const to = {
      ArrowLeft: timeline.time - frame,
      ArrowRight: timeline.time + frame,
      PageDown: timeline.time - 10 * frame,
      PageUp: timeline.time + 10 * frame,
      Home: 0,
      End: duration,
    }[event.key];
    if (to === undefined) return;
    physical.goTo(to);
    event.preventDefault();
  };
  const step = STEPS.find((each) => duration / each <= NUMBERS) ?? duration;
  const count = Math.floor(duration / step + 1e-6);
  return (
    <div className="track-row ruler-row">
      <span className="name">Time</span>
      <div
        ref={element}
        className="track"
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
        {Array.from({ length: count + 1 }, (_, n) => n * step).map((time) => (
          <span key={time} className="number" style={at(time, duration)}>
            {Number(time.toFixed(2))}
          </span>
        ))}
      </div>
    </div>
  );
}

interface RowProps {
  readonly times: readonly number[];
  readonly duration: number;
}

/** From one key to another: two handles. */
function Part({ times, duration }: RowProps) {
  const isReady = usePhysical((state) => state.phase === 'ready');
  const { from, to } = physical.chosenSpan();
  if (!isReady)
    return (
      <Row name="Part">
        <span className="part" style={over({ from, to }, duration)} />
      </Row>
    );
  return (
    <Row name="Part">
      <span className="part" style={over({ from, to }, duration)} />
      <End
        label="From"
        time={from}
        times={times.filter((time) => time < to)}
        duration={duration}
        move={(time) => physical.choose({ from: time, to })}
      />
      <End
        label="To"
        time={to}
        times={times.filter((time) => time > from)}
        duration={duration}
        move={(time) => physical.choose({ from, to: time })}
      />
    </Row>
  );
}

interface EndProps {
  readonly label: string;
  readonly time: number;
  /** Where it may be. */
  readonly times: readonly number[];
  readonly duration: number;
  move(time: number): void;
}

function End({ label, time, times, duration, move }: EndProps) {
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (event.type === 'pointerdown') event.currentTarget.setPointerCapture(event.pointerId);
    else if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const pointed = timeAt(event, duration);
    const nearest = times.reduce((a, b) => (Math.abs(b - pointed) < Math.abs(a - pointed) ? b : a));
    if (nearest !== time) move(nearest);
  };
  const key = (event: KeyboardEvent) => {
    const n = times.indexOf(time);
    const next = {
      ArrowLeft: times[n - 1],
      ArrowRight: times[n + 1],
      Home: times[0],
      End: times.at(-1),
    }[event.key];
    if (next === undefined) return;
    move(next);
    event.preventDefault();
  };
  return (
    <div
      className="end"
      role="slider"
      tabIndex={0}
      aria-label={`${label}: the part to change`}
      aria-valuemin={times[0]}
      aria-valuemax={times.at(-1)}
      aria-valuenow={time}
      aria-valuetext={seconds(time)}
      style={at(time, duration)}
      onPointerDown={drag}
      onPointerMove={drag}
      onKeyDown={key}
    />
  );
}

/** Keys hold, or are let go. */
function Keys({ times, duration }: RowProps) {
  const isReady = usePhysical((state) => state.phase === 'ready');
  const freeKeys = usePhysical((state) => state.freeKeys);
  const { from, to } = physical.chosenSpan();
  const own = times.filter((time) => time >= from && time <= to);
  const freed = physical.freedKeys().length;
  // Too near to each other to be pressed: the panel lets them go.
  if (own.length > MOST_KEYS)
    return (
      <Row name="Keys">
        <span className="many-keys" style={over({ from, to }, duration)}>
          {own.length} times{freed > 0 && `, ${freed} let go`}
        </span>
      </Row>
    );
  return (
    <Row name="Keys">
      {own.map((time) => {
        const isEnd = time === from || time === to;
        return (
          <button
            key={time}
            type="button"
            className="moment"
            aria-label={`Key at ${seconds(time)} holds`}
            aria-pressed={isEnd || !freeKeys.has(time)}
            disabled={isEnd || !isReady}
            title={
              isEnd
                ? 'The first and the last key of the part hold'
                : isReady
                  ? 'Press to let it go, or to hold it'
                  : ACCEPT_FIRST
            }
            style={at(time, duration)}
            onClick={() => physical.toggleKey(time)}
          />
        );
      })}
    </Row>
  );
}

/** Why what must hold cannot be changed. */
const ACCEPT_FIRST = 'Accept or cancel first';

/** Bars where heels and toes are down: each is switched by pressing it. */
function Contacts({ duration }: { duration: number }) {
  const isReady = usePhysical((state) => state.phase === 'ready');
  const off = usePhysical((state) => state.off);
  const feet = physical.feet();
  if (feet.length === 0) return null;
  return ROWS.filter((row) => feet.some((foot) => foot.row === row)).map((row) => (
    <Row key={row} name={row}>
      {feet
        .filter((foot) => foot.row === row)
        .map(({ id, contact: { over: span } }) => (
          <button
            key={id}
            type="button"
            className="bar"
            aria-label={`${row} on the floor, ${seconds(span[0])} to ${seconds(span[1])}`}
            aria-pressed={!off.has(id)}
            disabled={!isReady}
            title={
              !isReady
                ? ACCEPT_FIRST
                : off.has(id)
                  ? 'Let go: press to keep it on the floor'
                  : 'Stays on the floor: press to let go'
            }
            style={over({ from: span[0], to: span[1] }, duration)}
            onClick={() => physical.toggleContact(id)}
          />
        ))}
    </Row>
  ));
}

/** Where nothing touches the floor. */
function Flights({ duration }: { duration: number }) {
  usePhysical((state) => state.off);
  const flights = physical.flights();
  if (flights.length === 0) return null;
  return (
    <Row name="In the air">
      {flights.map((flight) => (
        <span key={flight.from} className="flight" style={over(flight, duration)}>
          {seconds(flight.to - flight.from)}
        </span>
      ))}
    </Row>
  );
}

function Playhead({ duration }: { duration: number }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(
    () =>
      timeline.listen((time) => {
        if (element.current !== null) element.current.style.left = `${(100 * time) / duration}%`;
      }),
    [duration],
  );
  return (
    <div className="heads" aria-hidden="true">
      <div className="track">
        <div ref={element} className="head" />
      </div>
    </div>
  );
}
