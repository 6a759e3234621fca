import { limitViolation } from 'poise/figure';
import { beforeEach, describe, expect, it } from 'vitest';
import { HEIGHTS } from '../src/character/character.js';
import type { SessionState } from '../src/document/document.js';
import { commit, createHistory, redo, undo } from '../src/document/history.js';
import { session, useStudio } from '../src/session/store.js';

describe('a history', () => {
  it('goes back and forth through documents, and forgets what was undone when something else is done', () => {
    let history = createHistory('a');
    expect(undo(history)).toBe(history);
    expect(redo(history)).toBe(history);
    history = commit(commit(history, 'to b', 'b'), 'to c', 'c');
    expect(history.past.map(({ label }) => label)).toEqual(['to b', 'to c']);
    history = undo(history);
    expect([history.present, history.future[0].label]).toEqual(['b', 'to c']);
    expect(redo(history).present).toBe('c');
    history = commit(history, 'to d', 'd');
    expect([history.present, history.future]).toEqual(['d', []]);
    expect(undo(undo(history)).present).toBe('a');
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
