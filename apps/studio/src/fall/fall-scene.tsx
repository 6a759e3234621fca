import { useFrame, useThree } from '@react-three/fiber';
import { useEffect, useMemo, useRef } from 'react';
import {
  BufferAttribute,
  BufferGeometry,
  Line,
  LineBasicMaterial,
  Plane,
  Raycaster,
  Vector2,
  Vector3,
} from 'three';
import { GroundBlocks } from '../scene/ground-blocks.js';
import { useStudio } from '../session/store.js';
import { falling, useFall } from './falling.js';
import type { Hit } from './pick.js';

/** A press that moves less, px, and is shorter, ms, is a click, which pushes; others pull. */
const STILL = 5;
const CLICK = 300;
const TETHER_COLOR = '#cf5a22';

/** The ground, the line of the grab, and the pointer on the body. */
export function FallScene() {
  const ground = useFall((fall) => fall.ground);
  const isFree = useFall((fall) => fall.isFree);
  const document = useStudio((studio) => studio.document);
  const actions = useStudio((studio) => studio.actions);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an action may have set another driver.
  useEffect(() => falling.enter(document), [document, actions]);
  useEffect(() => () => falling.leave(), []);
  usePointer();
  return (
    <>
      {isFree && <GroundBlocks id={ground} />}
      <Tether />
    </>
  );
}

/** From the point that is held to where it is pulled. */
function Tether() {
  const line = useMemo(() => {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(6), 3));
    const made = new Line(geometry, new LineBasicMaterial({ color: TETHER_COLOR, depthTest: false }));
    made.frustumCulled = false;
    made.renderOrder = 3;
    return made;
  }, []);
  useEffect(
    () => () => {
      line.geometry.dispose();
      line.material.dispose();
    },
    [line],
  );
  useFrame(() => {
    const tether = falling.fall?.tether;
    line.visible = tether !== undefined;
    if (tether === undefined) return;
    const { position } = line.geometry.attributes;
    [tether.from, tether.to].forEach(([x, y, z], k) => {
      position.setXYZ(k, x, y, z);
    });
    position.needsUpdate = true;
  });
  return <primitive object={line} />;
}

interface Press {
  readonly id: number;
  readonly x: number;
  readonly y: number;
  readonly at: number;
  readonly hit: Hit;
  readonly direction: Vector3;
  /** Facing the camera, through the point that was pressed. */
  readonly plane: Plane;
}

/** A click on the body pushes it, a drag pulls it; all else turns the view. */
function usePointer(): void {
  const { camera, gl } = useThree();
  const press = useRef<Press | undefined>(undefined);
  useEffect(() => {
    const canvas = gl.domElement;
    const raycaster = new Raycaster();
    const aim = ({ clientX, clientY }: PointerEvent) => {
      const box = canvas.getBoundingClientRect();
      const x = (2 * (clientX - box.left)) / box.width - 1;
      const y = 1 - (2 * (clientY - box.top)) / box.height;
      raycaster.setFromCamera(new Vector2(x, y), camera);
      return raycaster.ray;
    };
    const pick = (event: PointerEvent) => {
      const { origin, direction } = aim(event);
      return falling.fall?.pick(origin.toArray(), direction.toArray());
    };
    const down = (event: PointerEvent) => {
      if (event.button !== 0 || press.current !== undefined) return;
      const hit = pick(event);
      if (hit === undefined) return;
      const { origin, direction } = raycaster.ray;
      const point = origin.clone().addScaledVector(direction, hit.distance);
      const plane = new Plane().setFromNormalAndCoplanarPoint(camera.getWorldDirection(new Vector3()), point);
      press.current = {
        id: event.pointerId,
        x: event.clientX,
        y: event.clientY,
        at: event.timeStamp,
        hit,
        direction: direction.clone(),
        plane,
      };
      // It turns no view.
      event.stopImmediatePropagation();
      canvas.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent) => {
      const { current } = press;
      if (current === undefined) {
        if (event.buttons === 0) canvas.style.cursor = pick(event) === undefined ? '' : 'grab';
        return;
      }
      if (event.pointerId !== current.id) return;
      if (!falling.fall?.isHeld) {
        if (Math.hypot(event.clientX - current.x, event.clientY - current.y) < STILL) return;
        falling.grab(current.hit);
        canvas.style.cursor = 'grabbing';
      }
      const at = aim(event).intersectPlane(current.plane, new Vector3());
      if (at !== null) falling.pull(at.toArray());
    };
    const up = (event: PointerEvent) => {
      const { current } = press;
      if (current === undefined || event.pointerId !== current.id) return;
      press.current = undefined;
      canvas.style.cursor = '';
      if (falling.fall?.isHeld) falling.release();
      else if (event.type === 'pointerup' && event.timeStamp - current.at < CLICK)
        falling.push(current.direction.toArray(), 1, current.hit);
    };
    const ends = ['pointerup', 'pointercancel', 'lostpointercapture'] as const;
    canvas.addEventListener('pointerdown', down, { capture: true });
    canvas.addEventListener('pointermove', move);
    for (const end of ends) canvas.addEventListener(end, up);
    return () => {
      canvas.removeEventListener('pointerdown', down, { capture: true });
      canvas.removeEventListener('pointermove', move);
      for (const end of ends) canvas.removeEventListener(end, up);
      canvas.style.cursor = '';
    };
  }, [camera, gl]);
}
