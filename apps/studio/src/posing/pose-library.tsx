import { useState } from 'react';
import type { NamedPose } from '../document/document.js';
import { Fold } from '../preferences/fold.js';
import { Loaded } from '../session/lazy-component.js';
import { problemOf, session, useStudio } from '../session/store.js';
import { blend } from './blend.js';
import type { Side } from './mirror.js';

const mirroring = new Loaded(() => import('./mirror.js'), 'What mirrors a pose');

/** The pose as its mirror image, and one side as that of the other. */
function Sides() {
  const humanoid = useStudio((studio) => studio.character.humanoid);
  const [problem, setProblem] = useState('');
  if (humanoid === undefined) return null;
  const act = (change: (mirror: typeof import('./mirror.js')) => void) => async () => {
    await mirroring.ask();
    if (mirroring.it === undefined) return;
    try {
      change(mirroring.it);
      setProblem('');
    } catch (error) {
      setProblem(problemOf(error, 'The pose'));
    }
  };
  const { keepPose } = useStudio.getState();
  const mirror = act(({ mirrored, mirroredPins, mirroredPoint }) =>
    keepPose('Mirror the pose', mirrored(session.character, session.pose), {
      pins: mirroredPins(session.character, session.pins),
      gaze: session.gaze && mirroredPoint(session.character, session.gaze),
    }),
  );
  const copy = (from: Side, to: Side) =>
    act(({ copySide }) =>
      keepPose(`Copy the ${from} side to the ${to}`, copySide(session.character, session.pose, from)),
    );
  return (
    <div className="sides compact">
      <div className="row">
        <button type="button" onClick={mirror}>
          Mirror
        </button>
        <button type="button" title="Copies the left side to the right" onClick={copy('left', 'right')}>
          Left → right
        </button>
        <button type="button" title="Copies the right side to the left" onClick={copy('right', 'left')}>
          Right → left
        </button>
      </div>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

/** A slider that moves the pose, until something else does. */
interface Gesture {
  readonly label: string;
  /** The pose that it began at. */
  readonly from: readonly number[];
  readonly amount: number;
  /** The pose of the document that it led to. */
  readonly pose: readonly number[];
}

/** Poses kept by name: applied, blended, deleted; and what lies between two of them. */
export function PoseLibrary() {
  const poses = useStudio((studio) => studio.document.poses);
  const pose = useStudio((studio) => studio.document.pose);
  const dof = useStudio((studio) => studio.character.figure.dof);
  const { change, keepPose } = useStudio.getState();
  const [name, setName] = useState('');
  const [gesture, setGesture] = useState<Gesture | undefined>(undefined);
  const current = gesture?.pose === pose ? gesture : undefined;
  const fits = poses.filter((each) => each.pose.length === dof);

  const keep = () => {
    const called = name.trim() || freeName(poses);
    const kept = { name: called, pose: [...session.pose] };
    const others = poses.filter((each) => each.name !== called);
    change(`Keep the pose ${called}`, { poses: [...others, kept] });
    setName('');
  };
  const slide = (label: string, amount: number, poseAt: (from: readonly number[]) => ArrayLike<number>) => {
    const from = current?.label === label ? current.from : pose;
    keepPose(label, poseAt(from), { replaces: true });
    setGesture({ label, from, amount, pose: useStudio.getState().document.pose });
  };
  const amountOf = (label: string) => (current?.label === label ? current.amount : 0);

  return (
    <Fold name="poses" title="Poses" note="kept by name" className="poses compact">
      <Sides />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          keep();
        }}
      >
        <input
          type="text"
          aria-label="Name of the pose"
          maxLength={60}
          placeholder={freeName(poses)}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <button type="submit">Keep</button>
      </form>
      <ul>
        {poses.map((kept) => {
          const label = `Blend towards ${kept.name}`;
          const isOther = kept.pose.length !== dof;
          return (
            <li key={kept.name} data-pose={kept.name}>
              <button
                type="button"
                disabled={isOther}
                title={isOther ? 'Of another character' : `Take the pose ${kept.name}`}
                onClick={() => keepPose(`Take the pose ${kept.name}`, kept.pose)}
              >
                {kept.name}
              </button>
              <input
                type="range"
                aria-label={label}
                disabled={isOther}
                min={0}
                max={1}
                step={0.01}
                value={amountOf(label)}
                onChange={({ target }) => {
                  const amount = Number(target.value);
                  slide(label, amount, (from) => blend(session.figure, from, kept.pose, amount));
                }}
              />
              <button
                type="button"
                aria-label={`Delete the pose ${kept.name}`}
                title="Delete"
                onClick={() =>
                  change(`Delete the pose ${kept.name}`, { poses: poses.filter((each) => each !== kept) })
                }
              >
                ×
              </button>
            </li>
          );
        })}
      </ul>
      {fits.length > 1 && <Tween poses={fits} amountOf={amountOf} slide={slide} />}
    </Fold>
  );
}

function Tween({
  poses,
  amountOf,
  slide,
}: {
  poses: readonly NamedPose[];
  amountOf: (label: string) => number;
  slide: (label: string, amount: number, poseAt: () => ArrayLike<number>) => void;
}) {
  const [names, setNames] = useState<readonly [string?, string?]>([]);
  const [from, to] = [names[0], names[1]].map(
    (name, n) => poses.find((each) => each.name === name) ?? poses[n],
  );
  const label = `Between ${from.name} and ${to.name}`;
  const choose = (n: 0 | 1) => (
    <select
      aria-label={n === 0 ? 'From the pose' : 'To the pose'}
      value={[from, to][n].name}
      onChange={({ target }) => setNames(n === 0 ? [target.value, to.name] : [from.name, target.value])}
    >
      {poses.map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
  return (
    <div className="tween">
      {choose(0)}
      <input
        type="range"
        aria-label="Between the two poses"
        min={0}
        max={1}
        step={0.01}
        value={amountOf(label)}
        onChange={({ target }) => {
          const amount = Number(target.value);
          slide(label, amount, () => blend(session.figure, from.pose, to.pose, amount));
        }}
      />
      {choose(1)}
    </div>
  );
}

function freeName(poses: readonly NamedPose[]): string {
  let n = poses.length + 1;
  while (poses.some(({ name }) => name === `Pose ${n}`)) n++;
  return `Pose ${n}`;
}
