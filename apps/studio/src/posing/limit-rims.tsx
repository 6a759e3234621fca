import { type PointerEvent, useEffect, useRef } from 'react';
import { changedLimits } from '../character/limits.js';
import { usePosing } from '../scene/posing-store.js';
import { projectToCanvas, toWorld, view } from '../scene/view.js';
import { session, useStudio } from '../session/store.js';
import { jointsOf, shownJoint } from './joints.js';
import { limitDraggedTo, type RimGrip } from './rim.js';
import { drawnRim, gripsOf, type RimElements, rimElements } from './rim-layout.js';
import './limit-rims.css';

/** Grips on the limits of a joint, to drag where it is selected, and how much room each leaves. */
export function LimitRims({ bone }: { bone: number }) {
  const character = useStudio((studio) => studio.character);
  const selected = shownJoint(character, usePosing());
  // They are put where the limits are drawn, which may have been before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another joint has others.
  useEffect(() => view.invalidate(), [bone]);
  const joint = jointsOf(character).find((each) => each.bone === bone);
  const components = character.figure.limitComponents.filter((each) => each.bone === bone);
  if (joint === undefined || components.length === 0) return null;
  return (
    <svg className="rims" data-rims={character.figure.bones[bone].name} aria-hidden="true">
      <title>Limits of the {joint.label.toLowerCase()}</title>
      {components.map((component, n) => (
        <RimGrips
          // biome-ignore lint/suspicious/noArrayIndexKey: a joint keeps its limits in their order.
          key={n}
          n={n}
          bone={bone}
          label={joint.label}
          grips={gripsOf(component)}
          canDrag={bone === selected}
        />
      ))}
    </svg>
  );
}

interface Press {
  readonly grip: RimGrip;
  readonly pointer: number;
  /** Whether it has moved the limit. */
  moved: boolean;
}

function RimGrips({
  n,
  bone,
  label,
  grips,
  canDrag,
}: {
  n: number;
  bone: number;
  label: string;
  grips: ReturnType<typeof gripsOf>;
  canDrag: boolean;
}) {
  const press = useRef<Press | undefined>(undefined);
  const elements = (): RimElements => {
    let each = rimElements.get(n);
    if (each === undefined) {
      each = { band: null, room: null, label: null, grips: [] };
      rimElements.set(n, each);
    }
    return each;
  };
  const down = (event: PointerEvent<SVGElement>, grip: RimGrip) => {
    if (event.button !== 0 || press.current !== undefined) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    press.current = { grip, pointer: event.pointerId, moved: false };
    event.stopPropagation();
  };
  const move = ({ clientX, clientY }: PointerEvent) => {
    const rim = drawnRim(n);
    const { current } = press;
    const box = view.canvas?.getBoundingClientRect();
    if (rim === undefined || current === undefined || box === undefined) return;
    // It was put back meanwhile, by Escape or Undo.
    if (current.moved && !session.dragsLimits) return;
    const { figure, pose, character } = session;
    const limit = limitDraggedTo(
      figure,
      pose,
      rim.component,
      current.grip,
      rim.radius,
      { x: clientX - box.left, y: clientY - box.top },
      (point) => projectToCanvas(toWorld(Array.from(point))),
    );
    if (limit === undefined) return;
    useStudio.getState().dragLimits(changedLimits(character, figure.bones[bone].name, limit));
    current.moved = true;
    view.invalidate();
  };
  const up = () => {
    press.current = undefined;
    useStudio.getState().endLimitDrag(`Set the limit of the ${label.toLowerCase()}`);
  };
  const listeners = (grip: RimGrip) => ({
    onPointerDown: (event: PointerEvent<SVGElement>) => down(event, grip),
    onPointerMove: move,
    onPointerUp: up,
    onPointerCancel: up,
    onLostPointerCapture: up,
  });
  /** Where on a loop the pointer is. */
  const onLoop = (event: PointerEvent<SVGElement>) => {
    const rim = drawnRim(n);
    const box = view.canvas?.getBoundingClientRect();
    if (rim === undefined || box === undefined) return;
    const away = rim.seen.map((at) =>
      at === undefined
        ? Number.POSITIVE_INFINITY
        : Math.hypot(at.x + box.left - event.clientX, at.y + box.top - event.clientY),
    );
    const nearest = away.indexOf(Math.min(...away));
    down(event, { angle: (2 * Math.PI * nearest) / rim.seen.length });
  };
  const isLoop = grips.length > 2;
  return (
    <g data-rim={n}>
      <line
        className="room"
        ref={(element) => {
          elements().room = element;
        }}
      />
      <path
        className={canDrag && isLoop ? 'band' : 'still'}
        ref={(element) => {
          elements().band = element;
        }}
        {...(canDrag && isLoop ? { ...listeners({ angle: 0 }), onPointerDown: onLoop } : {})}
      >
        {canDrag && isLoop && <title>Drag to set how far it goes</title>}
      </path>
      {grips.map(({ grip }, k) => (
        <circle
          // biome-ignore lint/suspicious/noArrayIndexKey: the grips of a rim stay.
          key={k}
          r="6"
          className="grip"
          data-grip={k}
          visibility={canDrag ? 'visible' : 'hidden'}
          ref={(element) => {
            elements().grips[k] = element;
          }}
          {...listeners(grip)}
        >
          <title>Drag to set how far it goes</title>
        </circle>
      ))}
      <text
        className="left"
        ref={(element) => {
          elements().label = element;
        }}
      />
    </g>
  );
}
