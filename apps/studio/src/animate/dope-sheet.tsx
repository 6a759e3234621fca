import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { useStudio } from '../session/store.js';
import { type Box, boxBetween } from './box.js';
import { type Clip, type ClipKey, keyId, moveKeys } from './clip/clip.js';
import { type JointGroup, jointGroups } from './clip/joint-groups.js';
import {
  cancelPreview,
  clipOf,
  currentClip,
  goTo,
  hasDrag,
  moveSelected,
  previewClip,
  select,
  toggleSelected,
  useAnimate,
  useClip,
} from './store.js';
import { AROUND, NAMES, type Scale, type Sight, TimeSheet } from './time-sheet.js';

/** Height of a row, px. */
const ROW = 22;
/** More keys of a row than these in sight are drawn as a bar: closer in they are single. */
const SINGLE_KEYS = 160;
/** A press that moves less is a click, px. */
const SLACK = 4;

interface Focus {
  readonly group: string;
  readonly time: number;
}

/** A row of keys for each group of joints. */
export function DopeSheet() {
  const character = useStudio((studio) => studio.character);
  const clip = useClip();
  const groups = jointGroups(character);
  const [box, setBox] = useState<Box>();
  const [focus, setFocus] = useState<Focus>();
  return (
    <TimeSheet>
      {(scale, sight) => (
        <>
          <Rows {...{ clip, groups, scale, sight, box, setBox, focus, setFocus }} />
          <Contacts clip={clip} scale={scale} />
        </>
      )}
    </TimeSheet>
  );
}

function Contacts({ clip: { imported }, scale }: { clip: Clip; scale: Scale }) {
  const contacts = imported?.contacts ?? [];
  if (contacts.length === 0) return null;
  return (
    <div className="row contacts" style={{ height: ROW }}>
      <span className="name" style={{ width: NAMES }}>
        Contacts
      </span>
      {contacts.map(({ label, from, to }) => (
        <span
          key={`${label} ${from}`}
          className="contact"
          data-label={label}
          title={`${label}: ${from.toFixed(2)} to ${to.toFixed(2)} s`}
          style={{ left: NAMES + scale.x(from), width: Math.max(2, scale.x(to) - scale.x(from)) }}
        />
      ))}
    </div>
  );
}

interface RowsProps {
  readonly clip: Clip;
  readonly groups: readonly JointGroup[];
  readonly scale: Scale;
  readonly sight: Sight;
  readonly box: Box | undefined;
  setBox(box: Box | undefined): void;
  readonly focus: Focus | undefined;
  setFocus(focus: Focus): void;
}

interface Press {
  readonly type: 'keys' | 'box';
  readonly x: number;
  readonly y: number;
  readonly adds: boolean;
  /** The key that is pressed, and whether it was selected before. */
  readonly id: string | undefined;
  readonly wasSelected: boolean;
  isDrag: boolean;
  /** s. */
  by: number;
}

function Rows({ clip, groups, scale, sight, box, setBox, focus, setFocus }: RowsProps) {
  const selected = useAnimate((animate) => animate.selected);
  const rows = useRef<HTMLDivElement>(null);
  const press = useRef<Press | undefined>(undefined);
  const first = groups.flatMap(({ id }) => (clip.keys[id] ?? []).map(({ time }) => ({ group: id, time })))[0];
  const stands =
    focus !== undefined && (clip.keys[focus.group] ?? []).some(({ time }) => time === focus.time);
  const roving = stands ? focus : first;

  const down = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0 || !(event.target instanceof HTMLElement)) return;
    const id = event.target.closest<HTMLElement>('.key')?.dataset.key;
    const { left, top } = event.currentTarget.getBoundingClientRect();
    // A box from the names begins beside them, also where what it is drawn over is scrolled.
    const names = event.currentTarget.querySelector('.name')?.getBoundingClientRect().right ?? 0;
    const [x, y] = [Math.max(event.clientX, names) - left, event.clientY - top];
    event.currentTarget.setPointerCapture(event.pointerId);
    const adds = event.shiftKey || event.ctrlKey || event.metaKey;
    const wasSelected = id !== undefined && selected.has(id);
    press.current = {
      type: id === undefined ? 'box' : 'keys',
      x,
      y,
      adds,
      id,
      wasSelected,
      isDrag: false,
      by: 0,
    };
    if (id !== undefined && !wasSelected) select([id], adds);
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
    const given = clipOf(useStudio.getState().document);
    const by = scale.time(x) - scale.time(current.x);
    // By whole frames; Alt moves freely.
    current.by = event.altKey ? by : Math.round(by * given.rate) / given.rate;
    const { selected } = useAnimate.getState();
    previewClip(moveKeys(given, selected, current.by).clip);
  };
  const up = (event: PointerEvent) => {
    const { current } = press;
    press.current = undefined;
    setBox(undefined);
    if (current === undefined) return;
    if (event.type === 'pointercancel') {
      cancelPreview();
      return;
    }
    // It may have been put back meanwhile.
    const isShown = hasDrag();
    previewClip(undefined);
    if (current.type === 'box') {
      const found = current.isDrag && box !== undefined ? keysIn(clip, groups, scale, box) : [];
      select(found, current.adds);
    } else if (current.isDrag) {
      if (isShown && current.by !== 0) moveSelected(current.by);
    } else if (current.id !== undefined && current.wasSelected) {
      if (current.adds) toggleSelected(current.id);
      else select([current.id]);
    }
  };
  // Escape puts it back, whatever has the focus.
  useEffect(() => {
    const cancel = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape' || press.current === undefined) return;
      press.current = undefined;
      setBox(undefined);
      cancelPreview();
      event.stopPropagation();
    };
    window.addEventListener('keydown', cancel, true);
    return () => window.removeEventListener('keydown', cancel, true);
  }, [setBox]);
  const focusKey = (next: Focus | undefined) => {
    if (next === undefined) return;
    setFocus(next);
    requestAnimationFrame(() => {
      const id = CSS.escape(keyId(next.group, next.time));
      rows.current?.querySelector<HTMLElement>(`[data-key="${id}"]`)?.focus();
    });
  };
  const key = (event: KeyboardEvent) => {
    if (roving === undefined || !(event.target instanceof HTMLElement) || !event.target.closest('.key'))
      return;
    const { group, time } = roving;
    const own = clip.keys[group];
    const at = own.findIndex((each) => each.time === time);
    const id = keyId(group, time);
    const inRow = (k: number) => (own[k] === undefined ? undefined : { group, time: own[k].time });
    const inColumn = (direction: 1 | -1) => {
      const row = groups.findIndex((each) => each.id === group);
      for (let r = row + direction; r >= 0 && r < groups.length; r += direction) {
        const keys: readonly ClipKey[] = clip.keys[groups[r].id] ?? [];
        const near = keys.reduce<ClipKey | undefined>(
          (best, each) => (best && Math.abs(best.time - time) <= Math.abs(each.time - time) ? best : each),
          undefined,
        );
        if (near) return { group: groups[r].id, time: near.time };
      }
      return undefined;
    };
    if (event.altKey) {
      const frames = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (frames === undefined) return;
      if (!selected.has(id)) select([id]);
      const moved = moveKeys(currentClip(), useAnimate.getState().selected, frames / clip.rate);
      moveSelected(frames / clip.rate);
      // The focus stays on the key.
      const before = own.filter((each) => each.time <= time && selected.has(keyId(group, each.time))).length;
      const after = (moved.clip.keys[group] ?? []).filter((each) =>
        moved.selected.has(keyId(group, each.time)),
      );
      const there = after[Math.max(0, before - 1)];
      focusKey(there && { group, time: there.time });
    } else if (event.key === 'Enter') {
      if (event.shiftKey || event.ctrlKey) toggleSelected(id);
      else {
        select([id]);
        goTo(time);
      }
    } else {
      const next = {
        ArrowLeft: () => inRow(at - 1),
        ArrowRight: () => inRow(at + 1),
        Home: () => inRow(0),
        End: () => inRow(own.length - 1),
        ArrowUp: () => inColumn(-1),
        ArrowDown: () => inColumn(1),
      }[event.key];
      if (next === undefined) return;
      const found = next();
      focusKey(found);
      if (event.shiftKey && found) select([keyId(found.group, found.time)], true);
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its keys are buttons; here they are dragged, and boxes drawn.
    <div
      className="rows"
      ref={rows}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={up}
      onKeyDown={key}
    >
      {groups.map((group) => (
        <Row key={group.id} {...{ group, clip, scale, sight, selected, roving, setFocus }} />
      ))}
      {box && (
        <span
          className="box"
          style={{ left: box.x0, top: box.y0, width: box.x1 - box.x0, height: box.y1 - box.y0 }}
        />
      )}
    </div>
  );
}

interface RowProps extends Pick<RowsProps, 'clip' | 'scale' | 'sight' | 'setFocus'> {
  readonly group: JointGroup;
  readonly selected: ReadonlySet<string>;
  readonly roving: Focus | undefined;
}

function Row({ group: { id, label }, clip, scale, sight, selected, roving, setFocus }: RowProps) {
  const keys = clip.keys[id] ?? [];
  const inSight = keys.filter(({ time }) => {
    const x = scale.x(time);
    return x > sight.left - AROUND && x < sight.left + sight.width + 2 * AROUND;
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of buttons, no fields.
    <div
      className="row"
      style={{ height: ROW }}
      role="group"
      aria-label={`Keys of ${label.toLowerCase()}`}
      data-row={id}
    >
      <span className="name" style={{ width: NAMES }} title={label}>
        {label}
      </span>
      {inSight.length > SINGLE_KEYS ? (
        <span
          className="many"
          style={{
            left: NAMES + scale.x(inSight[0].time),
            width: scale.x(inSight[inSight.length - 1].time) - scale.x(inSight[0].time),
          }}
        />
      ) : (
        inSight.map(({ time, interpolation }) => {
          const key = keyId(id, time);
          const isRoving = roving?.group === id && roving.time === time;
          return (
            <button
              key={key}
              type="button"
              className="key"
              data-key={key}
              data-interpolation={interpolation}
              style={{ left: NAMES + scale.x(time) }}
              tabIndex={isRoving ? 0 : -1}
              aria-pressed={selected.has(key)}
              aria-label={`${label}, ${time.toFixed(2)} s, ${interpolation}`}
              onFocus={() => setFocus({ group: id, time })}
            />
          );
        })
      )}
    </div>
  );
}

/** Keys within a box of the rows, px. */
function keysIn(clip: Clip, groups: readonly JointGroup[], scale: Scale, { x0, y0, x1, y1 }: Box): string[] {
  const [from, to] = [x0, x1].map((x) => scale.time(x - NAMES));
  return groups.flatMap(({ id }, row) => {
    const middle = ROW * (row + 0.5);
    if (middle < y0 - ROW / 4 || middle > y1 + ROW / 4) return [];
    return (clip.keys[id] ?? []).flatMap(({ time }) => (time >= from && time <= to ? [keyId(id, time)] : []));
  });
}
