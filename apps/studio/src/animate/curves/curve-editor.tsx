import './curves.css';
import {
  type KeyboardEvent,
  type PointerEvent,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { rangeOf } from '../../posing/joint-numbers.js';
import { useStudio } from '../../session/store.js';
import { type Box, boxBetween } from '../box.js';
import { type Clip, type ClipKey, keyId, moveKeys } from '../clip/clip.js';
import { poseAt } from '../clip/clip-motion.js';
import { isCurved } from '../clip/tangents.js';
import {
  cancelPreview,
  changeClip,
  clipOf,
  currentClip,
  goTo,
  hasDrag,
  keyWords,
  moveSelected,
  previewClip,
  select,
  toggleSelected,
  useAnimate,
  useClip,
} from '../store.js';
import { AROUND, NAMES, type Scale, type Sight, TimeSheet } from '../time-sheet.js';
import { timeline } from '../timeline.js';
import { addToValues, sampleLines, tangentOf, withRate } from './curve-edit.js';
import { pathOf, type ValueScale, valueScale } from './curve-layout.js';
import { type CurveLine, type CurveSet, curveSets, usualSet } from './curve-sets.js';

/** Distance of samples, px. */
const SAMPLES_APART = 3;
/** More points of a line in sight than these are not drawn: closer in they are. */
const SINGLE_KEYS = 160;
/** A press that moves less is a click, px. */
const SLACK = 4;
/** Length of a tangent, and the least of it along time, px. */
const TANGENT = 46;
const STEEPEST = 3;
/** Steps of the arrow keys: of a value, and with Shift; of a rate; in the unit that is shown. */
const STEP = 1;
const LARGE_STEP = 10;
const RATE_STEP = 10;
const TURN = Math.PI;

interface Focus {
  readonly line: number;
  readonly time: number;
}

/** The coordinates of a joint over time, with the keys as points and the rates of one of them as a tangent. */
export function CurveEditor() {
  const character = useStudio((studio) => studio.character);
  const handle = useAnimate((animate) => animate.handle);
  const chosen = useAnimate((animate) => animate.curves);
  const sets = curveSets(character);
  const set = sets.find(({ id }) => id === chosen) ?? usualSet(character, handle, new Set());
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set());
  const [focus, setFocus] = useState<Focus>();
  if (set === undefined) return null;
  const toggle = (coordinate: number) => {
    const next = new Set(hidden);
    if (!next.delete(coordinate)) next.add(coordinate);
    setHidden(next);
  };
  return (
    <div className="curves">
      <CurveBar {...{ sets, set, hidden, toggle, focus }} />
      <TimeSheet>{(scale, sight) => <Plot {...{ set, hidden, scale, sight, focus, setFocus }} />}</TimeSheet>
    </div>
  );
}

interface BarProps {
  readonly sets: readonly CurveSet[];
  readonly set: CurveSet;
  readonly hidden: ReadonlySet<number>;
  toggle(coordinate: number): void;
  readonly focus: Focus | undefined;
}

/** Which joint is shown, and the values of its curves at the time. */
function CurveBar({ sets, set, hidden, toggle, focus }: BarProps) {
  const character = useStudio((studio) => studio.character);
  const clip = useClip();
  const legend = useRef<HTMLDivElement>(null);
  const { lines, scale, unit, group } = set;
  useEffect(
    () =>
      timeline.listen((time) => {
        const pose = poseAt(clip, character, time);
        const outputs = legend.current?.querySelectorAll('output') ?? [];
        lines.forEach(({ coordinate }, n) => {
          const output = outputs[n];
          if (output !== undefined) output.textContent = shown(scale * pose[coordinate], unit);
        });
      }),
    [clip, character, lines, scale, unit],
  );
  const groups = [...new Map(sets.map((each) => [each.group, each.groupLabel]))];
  const line = lines.find(({ coordinate }) => coordinate === focus?.line);
  const key = clip.keys[group]?.find(({ time }) => time === focus?.time);
  return (
    <div className="curve-bar compact">
      <select
        aria-label="Joint"
        value={set.id}
        onChange={({ target }) => useAnimate.setState({ curves: target.value })}
      >
        {groups.map(([id, label]) => (
          <optgroup key={id} label={label}>
            {sets
              .filter((each) => each.group === id)
              .map((each) => (
                <option key={each.id} value={each.id}>
                  {each.label}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
      <div className="legend" ref={legend} role="toolbar" aria-label="Curves">
        {lines.map(({ coordinate, label }, n) => (
          <button
            key={coordinate}
            type="button"
            data-curve={n}
            aria-pressed={!hidden.has(coordinate)}
            onClick={() => toggle(coordinate)}
          >
            {label} <output />
          </button>
        ))}
      </div>
      {line && key && (
        <output className="point-word">
          {key.time.toFixed(2)} s: {shown(scale * key.values[line.value], unit)},{' '}
          {shown(scale * tangentOf(clip, character, group, key)[line.value], unit)}/s
        </output>
      )}
    </div>
  );
}

function shown(value: number, unit: string): string {
  const rounded = Math.abs(value) < 0.05 ? 0 : value;
  return `${rounded.toFixed(1).replace('-', '−')}${unit === '°' ? '°' : ` ${unit}`}`;
}

interface PlotProps {
  readonly set: CurveSet;
  readonly hidden: ReadonlySet<number>;
  readonly scale: Scale;
  readonly sight: Sight;
  readonly focus: Focus | undefined;
  setFocus(focus: Focus | undefined): void;
}

interface Press {
  readonly type: 'points' | 'tangent' | 'box';
  readonly x: number;
  readonly y: number;
  readonly adds: boolean;
  readonly line: CurveLine | undefined;
  readonly id: string | undefined;
  readonly time: number;
  readonly wasSelected: boolean;
  readonly side: number;
  /** The values as they are drawn until it ends. */
  readonly values: ValueScale;
  isDrag: boolean;
  change: { readonly label: string; readonly clip: Clip; readonly selected: ReadonlySet<string> } | undefined;
}

function Plot({ set, hidden, scale, sight, focus, setFocus }: PlotProps) {
  const character = useStudio((studio) => studio.character);
  const clip = useClip();
  const selected = useAnimate((animate) => animate.selected);
  const plot = useRef<HTMLDivElement>(null);
  const press = useRef<Press | undefined>(undefined);
  const [height, setHeight] = useState(150);
  const [box, setBox] = useState<Box>();
  const { group, unit, scale: perUnit } = set;
  const lines = set.lines.filter(({ coordinate }) => !hidden.has(coordinate));
  const keys = clip.keys[group] ?? [];
  useLayoutEffect(() => {
    const element = plot.current;
    if (element === null) return;
    const measure = () => setHeight(element.clientHeight);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const times = timesInSight(clip, scale, sight);
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the same times is the same.
  const rows = useMemo(
    () => sampleLines(clip, character, lines, times),
    [clip, character, set, hidden, times[0], times[times.length - 1], times.length],
  );
  const inSight = keys.filter(({ time }) => {
    const x = scale.x(time);
    return x > sight.left - AROUND && x < sight.left + sight.width + 2 * AROUND;
  });
  const values =
    press.current?.values ??
    valueScale([...rows.flatMap((row) => Array.from(row, (value) => perUnit * value))], height);
  const y = (value: number) => values.y(perUnit * value);
  const xs = times.map((time) => scale.x(time));
  const focused = lines.find(({ coordinate }) => coordinate === focus?.line);
  const focusedKey = focused && keys.find(({ time }) => time === focus?.time);
  const range = focused && rangeOf(character.figure, focused.coordinate);

  const end = () => {
    press.current = undefined;
    setBox(undefined);
  };
  const down = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0 || !(event.target instanceof HTMLElement) || press.current !== undefined) return;
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const pressed = event.target.closest<HTMLElement>('.point, .tangent');
    const time = Number(pressed?.dataset.time);
    const line = lines.find(({ coordinate }) => coordinate === Number(pressed?.dataset.line));
    const id = pressed === null ? undefined : keyId(group, time);
    const adds = event.shiftKey || event.ctrlKey || event.metaKey;
    const wasSelected = id !== undefined && selected.has(id);
    press.current = {
      type: pressed === null ? 'box' : pressed.matches('.tangent') ? 'tangent' : 'points',
      x: event.clientX - left,
      y: event.clientY - top,
      adds,
      line,
      id,
      time,
      wasSelected,
      side: Number(pressed?.dataset.side),
      values,
      isDrag: false,
      change: undefined,
    };
    event.currentTarget.setPointerCapture(event.pointerId);
    if (id !== undefined && !wasSelected) select([id], adds);
    if (line !== undefined) setFocus({ line: line.coordinate, time });
  };
  const move = (event: PointerEvent<HTMLDivElement>) => {
    const { current } = press;
    if (current === undefined) return;
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    if (!current.isDrag && Math.hypot(x - current.x, y - current.y) < SLACK) return;
    current.isDrag = true;
    if (current.type === 'box') {
      setBox(boxBetween(current, { x, y }));
      return;
    }
    const { line } = current;
    if (line === undefined) return;
    const given = clipOf(useStudio.getState().document);
    const ids = ofGroup(useAnimate.getState().selected, group);
    if (current.type === 'tangent') {
      const rate = draggedRate(given, current, line, x, y);
      if (rate === undefined) return;
      current.change = {
        label: `Turn the tangent of ${keyWords(ids.size)}`,
        clip: withRate(given, character, line, ids, rate),
        selected: ids,
      };
    } else {
      const [dx, dy] = [x - current.x, y - current.y];
      // Shift holds the one that moves less.
      const isLevel = event.shiftKey && Math.abs(dx) > Math.abs(dy);
      const isUpright = event.shiftKey && !isLevel;
      const by = isUpright ? 0 : scale.time(x) - scale.time(current.x);
      // By whole frames; Alt moves freely.
      const seconds = event.altKey ? by : Math.round(by * given.rate) / given.rate;
      const added = isLevel ? 0 : (values.value(y) - values.value(current.y)) / perUnit;
      const raised = added === 0 ? given : addToValues(given, character, set, line, ids, added);
      const moved = moveKeys(raised, ids, seconds);
      current.change = { label: `Move ${keyWords(ids.size)}`, ...moved };
      const at = keys.find((each) => each.time === focus?.time);
      const [there] = moved.selected;
      if (ids.size === 1 && at !== undefined && there !== undefined)
        setFocus({ line: line.coordinate, time: Number(there.slice(there.lastIndexOf(' ') + 1)) });
    }
    previewClip(current.change.clip, current.change.selected);
  };
  /** The rate that a tangent has which points at a place. */
  const draggedRate = (
    given: Clip,
    { time, side, line: own }: Press,
    line: CurveLine,
    x: number,
    y: number,
  ) => {
    const key = given.keys[group]?.find((each) => each.time === time);
    if (key === undefined || own === undefined) return undefined;
    const dx = side * Math.max(STEEPEST, side * (x - scale.x(time)));
    const seconds = dx / (scale.x(1) - scale.x(0));
    return (values.value(y) / perUnit - key.values[line.value]) / seconds;
  };
  const up = (event: PointerEvent) => {
    const { current } = press;
    if (current === undefined) return;
    end();
    if (event.type === 'pointercancel') {
      cancelPreview();
      return;
    }
    if (current.type === 'box') {
      const found =
        current.isDrag && box !== undefined ? keysIn(keys, lines, group, perUnit, scale, values, box) : [];
      select(found, current.adds);
    } else if (current.change !== undefined && hasDrag()) {
      const { label, clip, selected } = current.change;
      previewClip(undefined);
      changeClip(label, clip, selected);
    } else if (current.id !== undefined && current.wasSelected && current.type === 'points') {
      if (current.adds) toggleSelected(current.id);
      else select([current.id]);
    }
  };
  // Escape puts it back, whatever has the focus.
  useEffect(() => {
    const cancel = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape' || press.current === undefined) return;
      const { time, line } = press.current;
      press.current = undefined;
      setBox(undefined);
      if (line !== undefined) setFocus({ line: line.coordinate, time });
      cancelPreview();
      event.stopPropagation();
    };
    window.addEventListener('keydown', cancel, true);
    return () => window.removeEventListener('keydown', cancel, true);
  }, [setFocus]);

  const focusPoint = (next: Focus) => {
    setFocus(next);
    requestAnimationFrame(() => {
      const id = `[data-line="${next.line}"][data-time="${next.time}"]`;
      plot.current?.querySelector<HTMLElement>(`.point${id}`)?.focus();
    });
  };
  const key = (event: KeyboardEvent<HTMLDivElement>) => {
    if (!(event.target instanceof HTMLElement) || !event.target.matches('.point') || hasDrag()) return;
    const time = Number(event.target.dataset.time);
    const line = lines.find(
      ({ coordinate }) => coordinate === Number((event.target as HTMLElement).dataset.line),
    );
    const at = keys.findIndex((each) => each.time === time);
    if (line === undefined || at < 0) return;
    const id = keyId(group, time);
    const change = (act: (ids: ReadonlySet<string>) => void) => {
      if (!selected.has(id)) select([id]);
      act(ofGroup(useAnimate.getState().selected, group));
    };
    const raise = (by: number) =>
      change((ids) =>
        changeClip(
          `Move ${keyWords(ids.size)}`,
          addToValues(currentClip(), character, set, line, ids, by / perUnit),
          undefined,
          true,
        ),
      );
    const turn = (by: number) =>
      change((ids) => {
        const rate = tangentOf(clip, character, group, keys[at])[line.value] + by / perUnit;
        const free = withRate(currentClip(), character, line, ids, rate);
        changeClip(`Turn the tangent of ${keyWords(ids.size)}`, free, undefined, true);
      });
    const retime = (frames: number) =>
      change((ids) => {
        const moved = moveKeys(currentClip(), ids, frames / clip.rate);
        moveSelected(frames / clip.rate);
        const there = moved.clip.keys[group][Math.min(at, moved.clip.keys[group].length - 1)];
        focusPoint({ line: line.coordinate, time: there.time });
      });
    const to = (k: number) => keys[k] && focusPoint({ line: line.coordinate, time: keys[k].time });
    const step = event.shiftKey ? LARGE_STEP : STEP;
    const act = event.altKey
      ? {
          ArrowUp: () => turn(RATE_STEP),
          ArrowDown: () => turn(-RATE_STEP),
          ArrowLeft: () => retime(-1),
          ArrowRight: () => retime(1),
        }[event.key]
      : {
          ArrowUp: () => raise(step),
          ArrowDown: () => raise(-step),
          ArrowLeft: () => to(at - 1),
          ArrowRight: () => to(at + 1),
          Home: () => to(0),
          End: () => to(keys.length - 1),
          Enter: () => {
            if (event.shiftKey || event.ctrlKey) toggleSelected(id);
            else {
              select([id]);
              goTo(time);
            }
          },
        }[event.key];
    if (act === undefined) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="plot-row">
      <div className="name axis" style={{ width: NAMES }} aria-hidden="true">
        {values.marks.map((mark) => (
          <span key={mark} style={{ top: values.y(mark) }}>
            {shown(mark, unit).replace('.0', '')}
          </span>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its points are buttons; here they are dragged, and boxes drawn. */}
      <div
        className="plot"
        ref={plot}
        style={{ left: NAMES, width: scale.width }}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={up}
        onKeyDown={key}
      >
        <svg aria-hidden="true" width={scale.width} height={height}>
          <title>{set.label}</title>
          {values.marks.map((mark) => (
            <line
              key={mark}
              className={mark === 0 ? 'zero' : 'mark'}
              x1={0}
              x2={scale.width}
              y1={values.y(mark)}
              y2={values.y(mark)}
            />
          ))}
          {range?.map((limit) => (
            <line key={limit} className="limit" x1={0} x2={scale.width} y1={y(limit)} y2={y(limit)} />
          ))}
          {lines.map((line, n) => (
            <path
              key={line.coordinate}
              data-curve={set.lines.indexOf(line)}
              d={pathOf(xs, rows[n], y, unit === '°' ? TURN : Infinity)}
            />
          ))}
        </svg>
        {inSight.length <= SINGLE_KEYS &&
          lines.map((line) =>
            inSight.map(({ time, values: own }) => (
              <button
                key={`${line.coordinate} ${time}`}
                type="button"
                className="point"
                data-curve={set.lines.indexOf(line)}
                data-line={line.coordinate}
                data-time={time}
                style={{ left: scale.x(time), top: y(own[line.value]) }}
                tabIndex={
                  time === (focus?.line === line.coordinate && focusedKey ? focus.time : inSight[0].time)
                    ? 0
                    : -1
                }
                aria-pressed={selected.has(keyId(group, time))}
                aria-label={`${set.label}, ${line.label}, ${time.toFixed(2)} s, ${shown(perUnit * own[line.value], unit)}`}
                onFocus={() => setFocus({ line: line.coordinate, time })}
              />
            )),
          )}
        {focused && focusedKey && isCurved(focusedKey.interpolation) && (
          <Tangent
            {...{ clip, set, line: focused, scale, values, height }}
            keyAt={focusedKey}
            x={scale.x(focusedKey.time)}
            y={y(focusedKey.values[focused.value])}
          />
        )}
        {box && (
          <span
            className="box"
            style={{ left: box.x0, top: box.y0, width: box.x1 - box.x0, height: box.y1 - box.y0 }}
          />
        )}
        {keys.length === 0 && <p className="no-keys">{set.groupLabel} has no keys: K keys the pose.</p>}
      </div>
    </div>
  );
}

interface TangentProps {
  readonly clip: Clip;
  readonly set: CurveSet;
  readonly line: CurveLine;
  readonly keyAt: ClipKey;
  readonly scale: Scale;
  readonly values: ValueScale;
  readonly x: number;
  readonly y: number;
}

/** The rate at a key as a line through its point, with a grip on each side where there is a curve. */
function Tangent({ clip, set, line, keyAt, scale, values, x, y }: TangentProps) {
  const character = useStudio((studio) => studio.character);
  const keys = clip.keys[set.group] ?? [];
  const k = keys.indexOf(keyAt);
  const rate = tangentOf(clip, character, set.group, keyAt)[line.value];
  const perSecond = scale.x(1) - scale.x(0);
  const slope = -(rate * set.scale * (values.y(0) - values.y(1))) / perSecond;
  const length = TANGENT / Math.hypot(1, slope);
  const hasSide = { '-1': k > 0 && isCurved(keys[k - 1].interpolation), '1': k + 1 < keys.length };
  const sides = ([-1, 1] as const).filter((side) => hasSide[side]);
  return (
    <>
      <svg className="tangent-line" aria-hidden="true" width={scale.width} height={values.height}>
        <title>Tangent</title>
        {sides.map((side) => (
          <line key={side} x1={x} y1={y} x2={x + side * length} y2={y + side * length * slope} />
        ))}
      </svg>
      {sides.map((side) => (
        <span
          key={side}
          className="tangent"
          data-side={side}
          data-line={line.coordinate}
          data-time={keyAt.time}
          style={{ left: x + side * length, top: y + side * length * slope }}
        />
      ))}
    </>
  );
}

/** Times of samples over what is in sight, s: the same while it scrolls by less than a step. */
function timesInSight({ duration }: Clip, scale: Scale, sight: Sight): number[] {
  const from = Math.max(0, scale.time(sight.left - AROUND));
  const to = Math.min(duration, scale.time(sight.left + sight.width + AROUND));
  const count = Math.max(2, Math.ceil((scale.x(to) - scale.x(from)) / SAMPLES_APART));
  return Array.from({ length: count + 1 }, (_, n) => from + (n / count) * (to - from));
}

function ofGroup(selected: ReadonlySet<string>, group: string): ReadonlySet<string> {
  return new Set([...selected].filter((id) => id.slice(0, id.lastIndexOf(' ')) === group));
}

/** Keys with a point within a box of the plot, px. */
function keysIn(
  keys: readonly ClipKey[],
  lines: readonly CurveLine[],
  group: string,
  perUnit: number,
  scale: Scale,
  values: ValueScale,
  { x0, y0, x1, y1 }: Box,
): string[] {
  return keys.flatMap(({ time, values: own }) => {
    const x = scale.x(time);
    const isIn = lines.some(({ value }) => {
      const y = values.y(perUnit * own[value]);
      return y >= y0 && y <= y1;
    });
    return x >= x0 && x <= x1 && isIn ? [keyId(group, time)] : [];
  });
}
