import { type PointerEvent, useEffect, useRef } from 'react';
import { Plane, Vector3 } from 'three';
import type { Handle } from '../character/handles.js';
import { session, useStudio } from '../session/store.js';
import { overlays } from './handle-layout.js';
import { pointOnPlane, projectToCanvas, toWorld, view } from './view.js';
import './rotation-rings.css';
import { usePosing } from './posing-store.js';
import { RingDrag, type Sight } from './ring.js';
import {
  axisInScene,
  layOutRings,
  RING_AXES,
  type RingAxis,
  ringElements,
  ringRadius,
  selectedBone,
} from './ring-layout.js';

const AXIS_WORDS: Readonly<Record<RingAxis, string>> = { x: 'first', y: 'second', z: 'third' };

/** Three circles about the axes of the selected handle's bone, at its joint: dragged, they turn it. */
export function RotationRings({ handle }: { handle: Handle }) {
  const turning = usePosing((posing) => posing.turning);
  useEffect(() => {
    overlays.add(layOutRings);
    return () => {
      overlays.delete(layOutRings);
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is selected is drawn at once.
  useEffect(layOutRings, [handle]);
  return (
    <svg className="rings" data-rings={handle.id} data-turning={turning} aria-hidden="true">
      <title>Circles that turn the {handle.label.toLowerCase()}</title>
      {RING_AXES.map((axis) => (
        <Ring key={axis} axis={axis} id={handle.id} />
      ))}
    </svg>
  );
}

interface Press {
  readonly ring: RingDrag;
  readonly axis: number[];
}

function Ring({ axis, id }: { axis: RingAxis; id: string }) {
  const press = useRef<Press | null>(null);
  const { beginTurn, endDrag } = useStudio.getState();
  const down = (event: PointerEvent<SVGPathElement>) => {
    const bone = selectedBone();
    if (event.button !== 0 || press.current !== null || bone === undefined) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const frame = session.frameOf(bone);
    const center = toWorld([frame[9], frame[10], frame[11]]);
    const n = RING_AXES.indexOf(axis);
    const ring = new RingDrag(
      center,
      axisInScene(bone, n),
      ringRadius(center),
      sight(),
      event.clientX,
      event.clientY,
    );
    press.current = { ring, axis: [frame[n], frame[3 + n], frame[6 + n]] };
    beginTurn(id);
    event.stopPropagation();
  };
  const move = ({ clientX, clientY }: PointerEvent) => {
    const { current } = press;
    if (current === null) return;
    session.turnTo(current.axis, current.ring.to(clientX, clientY));
    view.invalidate();
  };
  const up = () => {
    if (press.current === null) return;
    press.current = null;
    // Escape may have put it back before.
    endDrag();
  };
  const part = (name: 'back' | 'front' | 'band') => (element: SVGPathElement | null) => {
    ringElements[axis][name] = element;
  };
  return (
    <g data-axis={axis}>
      <path className="back" ref={part('back')} />
      <path className="front" ref={part('front')} />
      <path
        className="band"
        ref={part('band')}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={up}
        onLostPointerCapture={up}
      >
        <title>Turn about the {AXIS_WORDS[axis]} axis</title>
      </path>
    </g>
  );
}

function sight(): Sight {
  const back = new Vector3(0, 0, 1);
  view.camera?.getWorldDirection(back).negate();
  return {
    back: back.toArray(),
    onPlane: (point, normal, x, y) =>
      pointOnPlane(
        new Plane().setFromNormalAndCoplanarPoint(
          new Vector3(...Array.from(normal)),
          new Vector3(...Array.from(point)),
        ),
        x,
        y,
      )?.toArray(),
    toScreen: (point) => projectToCanvas(Array.from(point)),
  };
}
