import { serialize } from 'node:v8';
import { limitViolation } from 'poise/figure';
import { beforeEach, describe, expect, it } from 'vitest';
import { HEIGHTS } from '../src/character/character.js';
import { type Document, EMPTY, type SessionState } from '../src/document/document.js';
import { commit, createHistory, redo, undo } from '../src/document/history.js';
import { endKeyPress, endKeyRun } from '../src/session/key-run.js';
import { Session } from '../src/session/session.js';
import { human, session, useStudio } from '../src/session/store.js';

describe('a history', () => {
  const start: Document = { ...EMPTY, ...session.snapshot() };
  const at = (x: number): Document => ({ ...start, pose: start.pose.map(() => x) });

  it('goes back and forth through documents, and forgets what was undone when something else is done', () => {
    const [a, b, c, d] = [1, 2, 3, 4].map(at);
    let history = createHistory(a);
    expect(undo(history)).toBe(history);
    expect(redo(history)).toBe(history);
    history = commit(commit(history, 'to b', b), 'to c', c);
    expect(history.past.map(({ label }) => label)).toEqual(['to b', 'to c']);
    history = undo(history);
    expect([history.present, history.future[0].label]).toEqual([b, 'to c']);
    expect(redo(history).present).toEqual(c);
    history = commit(history, 'to d', d);
    expect([history.present, history.future]).toEqual([d, []]);
    expect(undo(undo(history)).present).toEqual(a);
  });

  it('gives back to the bit what any fields were, and the order of pins', () => {
    const pin = (x: number) => ({ holds: 'both' as const, target: [x, 0, -0], orientation: [0, 0, 0, 1] });
    const one = { ...start, pose: start.pose.map((x, n) => (n === 3 ? -0 : x)), gaze: [1, 2, 3] };
    const two = { ...one, pins: new Map([...one.pins].reverse()).set('head', pin(1)), gaze: undefined };
    const three = { ...two, pins: new Map(two.pins).set('head', pin(2)), pose: [1, 2, 3], balance: false };
    const documents = [start, one, two, three];
    let history = createHistory(start);
    for (const document of documents.slice(1)) history = commit(history, 'next', document);
    const check = ({ pins, ...rest }: Document, k: number) => {
      const { pins: expected, ...others } = documents[k];
      expect(rest).toStrictEqual(others);
      expect([...pins]).toStrictEqual([...expected]);
    };
    for (let round = 0; round < 2; round++) {
      for (let k = 2; k >= 0; k--) {
        history = undo(history);
        check(history.present, k);
      }
      for (let k = 1; k < 4; k++) {
        history = redo(history);
        check(history.present, k);
      }
    }
  });

  it('holds less than a kilobyte a step of dragging', () => {
    const session = new Session(human(HEIGHTS.usual));
    const steps = 300;
    let history = createHistory({ ...EMPTY, ...session.snapshot() });
    const go = (count: number): number => {
      for (let k = 0; k < count; k++) {
        const pose = session.pose.map((x, n) => x + 1e-3 * Math.sin(k + n));
        session.setPose(session.character, pose, [...session.pins.keys()]);
        session.pin('leftHand', 'place');
        history = commit(history, 'Move the left hand', { ...EMPTY, ...session.snapshot() });
      }
      // Whatever several steps share is written once.
      return serialize(history.past).length;
    };
    const before = go(steps);
    const bytes = (go(steps) - before) / steps;
    expect(history.past).toHaveLength(2 * steps);
    expect(bytes).toBeLessThan(1024);
  });
});

describe('undo in the studio', () => {
  const studio = () => useStudio.getState();

  beforeEach(() => {
    while (studio().steps.undo !== undefined) studio().undo();
  });

  function drag(id: string, by: readonly number[]): void {
    studio().beginDrag(id);
    const [x, y, z] = session.handlePosition(id);
    for (let frame = 1; frame <= 20; frame++) {
      session.dragTo(x + (frame / 20) * by[0], y + (frame / 20) * by[1], z + (frame / 20) * by[2]);
      session.step(1 / 60);
    }
  }

  it('takes back a run of keys on a handle at once, and no drag before it', () => {
    const handle = {};
    const press = (currentTarget: object, timeStamp: number, repeat = false) => {
      drag('leftHand', [0.01, 0, 0]);
      endKeyPress({ currentTarget, timeStamp, repeat }, studio().endDrag);
    };
    const steps = () => {
      let count = 0;
      for (; studio().steps.undo !== undefined; count++) studio().undo();
      return count;
    };
    drag('leftHand', [0.1, 0, 0]);
    studio().endDrag();
    // Held, pressed again and again, a while later, on another.
    press(handle, 0);
    press(handle, 1500, true);
    press(handle, 1900);
    expect(steps()).toBe(2);
    press(handle, 5000);
    press(handle, 6500);
    press({}, 6600, true);
    expect(steps()).toBe(3);
    // With another key between, or the pointer, or a press that moved nothing after a drag of the same handle.
    press(handle, 9000);
    endKeyRun();
    press(handle, 9100);
    drag('leftHand', [0.1, 0, 0]);
    studio().endDrag();
    press(handle, 9200);
    expect(steps()).toBe(4);
    drag('leftHand', [0.1, 0, 0]);
    studio().endDrag();
    endKeyPress({ currentTarget: handle, timeStamp: 20_000, repeat: false }, () => {});
    press(handle, 20_100);
    expect(steps()).toBe(2);
  });

  it('puts back a drag under way, and nothing else', () => {
    studio().togglePin('leftHand');
    const before = session.snapshot();
    drag('leftFoot', [0.1, 0.3, 0.1]);
    studio().undo();
    expect(session.drag).toBeUndefined();
    expect(session.snapshot()).toEqual(before);
    expect(studio().steps).toEqual({ undo: 'Pin the left hand', redo: undefined });
    studio().undo();
    expect(studio().steps).toEqual({ undo: undefined, redo: 'Pin the left hand' });
  });

  it('takes back every action, one by one and to the bit, and does them again', () => {
    const documents: SessionState[] = [session.snapshot()];
    const labels: (string | undefined)[] = [];
    const act = (...actions: (() => void)[]) => {
      for (const action of actions) action();
      documents.push(session.snapshot());
      labels.push(studio().steps.undo);
    };
    session.character.handles.forEach(({ id }, k) => {
      act(
        () => drag(id, [0.3 * Math.sin(k), 0.2 * Math.cos(k), 0.1]),
        () => studio().endDrag(),
      );
    });
    act(() => studio().togglePin('leftHand'));
    act(() => studio().setHeight(1.5));
    act(() => studio().releasePins());
    act(() => studio().reset());
    expect(labels.slice(-5)).toEqual([
      'Move the right toes',
      'Pin the left hand',
      'Change the height',
      'Release all pins',
      'Reset the pose',
    ]);
    for (let k = documents.length - 2; k >= 0; k--) {
      studio().undo();
      // Frames that follow change nothing.
      for (let frame = 0; frame < 3; frame++) session.step(1 / 60);
      expect(session.snapshot()).toEqual(documents[k]);
      expect(limitViolation(session.figure, session.pose)).toBeLessThan(1e-12);
    }
    expect(studio().steps.undo).toBeUndefined();
    for (const document of documents.slice(1)) {
      studio().redo();
      expect(session.snapshot()).toEqual(document);
    }
    expect(studio().steps.redo).toBeUndefined();
  });

  it('keeps the height of the human within its bounds, and a height that is none changes nothing', () => {
    studio().setHeight(99);
    expect(session.character.source).toEqual({ type: 'human', height: HEIGHTS.max });
    studio().setHeight(Number.NaN);
    expect(session.character.source).toEqual({ type: 'human', height: HEIGHTS.max });
  });

  it('takes a height that a slider went through for one action', () => {
    const before = session.character;
    for (const height of [1.6, 1.65, 1.9]) studio().setHeight(height);
    studio().undo();
    expect(session.character).toBe(before);
  });

  it('has nothing of a drag that Escape put back', () => {
    const before = session.snapshot();
    drag('leftHand', [0.2, 0.5, 0]);
    expect(session.snapshot().pose).not.toEqual(before.pose);
    studio().cancelDrag();
    session.step(1 / 60);
    studio().endDrag();
    expect(session.snapshot()).toEqual(before);
    expect(studio().steps.undo).toBeUndefined();
  });
});
