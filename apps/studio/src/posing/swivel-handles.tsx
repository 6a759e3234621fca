import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react';
import { Vector3 } from 'three';
import { type Limb, limbsOf } from '../character/limbs.js';
import { drawLine, overlays, place } from '../scene/handle-layout.js';
import { PointerDrag } from '../scene/pointer-drag.js';
import { keyDirection, projectToCanvas, toFigure, toWorld } from '../scene/view.js';
import { endKeyPress, endKeyRun } from '../session/key-run.js';
import { session, useStudio } from '../session/store.js';
import './swivel-handles.css';

/** A step of the arrow keys, in the scene, where a body is 1.75 m high. */
const NUDGE = 0.03;
/** Frames solved after an arrow key press. */
const NUDGE_FRAMES = 4;

/** A handle beside the elbow or knee of the limb of a selected handle: dragged, it swivels the limb, while hand and foot stay. */
export function SwivelHandles({ selected }: { selected: string }) {
  const character = useStudio((studio) => studio.character);
  return limbsOf(character)
    .filter(({ handles }) => handles.includes(selected))
    .map((limb) => <SwivelHandle key={limb.id} limb={limb} />);
}

function SwivelHandle({ limb }: { limb: Limb }) {
  const button = useRef<HTMLButtonElement>(null);
  const line = useRef<SVGLineElement>(null);
  const press = useRef<PointerDrag | undefined>(undefined);
  useEffect(() => {
    const layOut = () => {
      const from = projectToCanvas(toWorld(session.swivelFrom(limb)));
      const to = projectToCanvas(toWorld(session.swivelAt(limb)));
      if (button.current) place(button.current, to);
      if (line.current) drawLine(line.current, from, to);
    };
    overlays.add(layOut);
    layOut();
    return () => {
      overlays.delete(layOut);
    };
  }, [limb]);
  const { beginSwivel, endDrag } = useStudio.getState();
  const down = (event: PointerEvent<HTMLButtonElement>) => {
    if (event.button !== 0 || press.current !== undefined) return;
    const at = toWorld(session.swivelAt(limb));
    press.current = PointerDrag.press(at, event.clientX, event.clientY, () => beginSwivel(limb));
    if (press.current !== undefined) event.currentTarget.setPointerCapture(event.pointerId);
  };
  const up = () => {
    const { current } = press;
    press.current = undefined;
    // Escape may have put it back before.
    if (current?.isDrag) endDrag();
  };
  const key = (event: KeyboardEvent) => {
    const step = keyDirection(event.key);
    if (step === undefined) {
      endKeyRun();
      return;
    }
    const at = new Vector3().fromArray(toWorld(session.swivelAt(limb))).addScaledVector(step, NUDGE);
    beginSwivel(limb);
    const [x, y, z] = toFigure(at);
    session.dragTo(x, y, z);
    for (let frame = 0; frame < NUDGE_FRAMES; frame++) session.step(1 / 60);
    endKeyPress(event, endDrag);
    event.preventDefault();
  };
  return (
    <>
      <svg className="sight" aria-hidden="true">
        <title>From the joint to its swivel</title>
        <line ref={line} />
      </svg>
      <button
        ref={button}
        type="button"
        className="handle swivel"
        data-swivel={limb.id}
        aria-label={`Swivel of the ${limb.label.toLowerCase()}: drag or use the arrow keys`}
        onPointerDown={down}
        onPointerMove={({ clientX, clientY }) => press.current?.move(clientX, clientY)}
        onPointerUp={up}
        onPointerCancel={up}
        onLostPointerCapture={up}
        onKeyDown={key}
      >
        <span className="diamond" />
        <span className="name">Swivel</span>
      </button>
    </>
  );
}
