import { createRoot, events, extend } from '@react-three/fiber';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CircleGeometry,
  Color,
  CylinderGeometry,
  DirectionalLight,
  Fog,
  Group,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  PlaneGeometry,
  ShadowMaterial,
  SphereGeometry,
  type WebGLRenderer,
} from 'three';

// The objects of three.js that scenes name as elements: all of it would be a third of what the page loads. A scene that
// needs another one extends with it where it uses it.
extend({
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CircleGeometry,
  Color,
  CylinderGeometry,
  DirectionalLight,
  Fog,
  Group,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  PlaneGeometry,
  ShadowMaterial,
  SphereGeometry,
});

/** A canvas of three.js that fills what it is in, drawn when something asks for a frame. Its children are those of the first render. */
export function Picture({
  label,
  fieldOfView,
  children,
}: {
  label: string;
  fieldOfView: number;
  children: ReactNode;
}) {
  const holder = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the canvas is made once.
  useLayoutEffect(() => {
    const { current: box } = holder;
    if (box === null) return;
    // A root that was taken down leaves its canvas without a context: each has its own.
    const canvas = document.createElement('canvas');
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', label);
    box.append(canvas);
    const root = createRoot(canvas);
    const size = () => ({ width: box.clientWidth, height: box.clientHeight, top: 0, left: 0 });
    void root.configure({
      events,
      frameloop: 'demand',
      dpr: [0.25, 2],
      shadows: 'percentage',
      camera: { fov: fieldOfView, near: 0.05, far: 60, position: [1.45, 1.5, 4] },
      gl: { antialias: true, powerPreference: 'high-performance' },
      size: size(),
      onCreated: (state) => {
        state.events.connect?.(box);
        state.scene.onAfterRender = keepPrograms;
      },
    });
    const store = root.render(children);
    const observer = new ResizeObserver(() => {
      const { width, height } = size();
      if (width > 0 && height > 0) store.getState().setSize(width, height);
    });
    observer.observe(box);
    return () => {
      observer.disconnect();
      root.unmount();
      canvas.remove();
    };
  }, []);
  return <div className="picture" ref={holder} />;
}

/** Compiled shaders that are kept. */
const kept = new WeakSet<object>();

/**
 * Keeps the shaders that were compiled: their kinds are few, and the next character or limit needs them again. With its last material
 * three.js would drop one, and compile it anew under another number; what it keeps by that number grows.
 */
function keepPrograms({ info }: WebGLRenderer): void {
  for (const program of info.programs ?? []) {
    if (kept.has(program)) continue;
    kept.add(program);
    program.usedTimes++;
  }
}
