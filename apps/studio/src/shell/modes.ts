import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { ModeId } from '../session/store.js';

/** What is done with the character: each has its panel, and is loaded when it is first chosen. */
export interface Mode {
  readonly id: ModeId;
  readonly label: string;
  readonly Panel: ComponentType | LazyExoticComponent<ComponentType>;
  /** Objects beside the character, within the canvas. */
  readonly Scene?: ComponentType | LazyExoticComponent<ComponentType>;
  /** Over the picture, among the handles. */
  readonly Overlay?: ComponentType | LazyExoticComponent<ComponentType>;
  /** Below the picture: a timeline. */
  readonly Strip?: ComponentType | LazyExoticComponent<ComponentType>;
  /** Whether the handles of posing are shown. */
  readonly hasHandles: boolean;
}

export const MODES: readonly Mode[] = [
  {
    id: 'pose',
    label: 'Pose',
    Panel: lazy(() => import('../panel/panel.js').then(({ Panel }) => ({ default: Panel }))),
    Scene: lazy(() => import('../posing/scene.js').then(({ PosingScene }) => ({ default: PosingScene }))),
    Overlay: lazy(() =>
      import('../posing/overlay.js').then(({ PosingOverlay }) => ({ default: PosingOverlay })),
    ),
    hasHandles: true,
  },
  {
    id: 'animate',
    label: 'Animate',
    Panel: lazy(() => import('../animate/panel.js').then(({ Panel }) => ({ default: Panel }))),
    Scene: lazy(() => import('../animate/scene.js').then(({ Scene }) => ({ default: Scene }))),
    Overlay: lazy(() =>
      import('../animate/trail/trail-handles.js').then(({ TrailHandles }) => ({ default: TrailHandles })),
    ),
    Strip: lazy(() => import('../animate/strip.js').then(({ Strip }) => ({ default: Strip }))),
    hasHandles: true,
  },
  {
    id: 'fall',
    label: 'Let\u00a0it fall',
    Panel: lazy(() => import('../fall/fall-panel.js').then(({ FallPanel }) => ({ default: FallPanel }))),
    Scene: lazy(() => import('../fall/fall-scene.js').then(({ FallScene }) => ({ default: FallScene }))),
    hasHandles: false,
  },
  {
    id: 'physical',
    label: 'Make\u00a0it physical',
    Panel: lazy(() => import('../physical/panel.js').then(({ Panel }) => ({ default: Panel }))),
    Scene: lazy(() => import('../physical/scene.js').then(({ Scene }) => ({ default: Scene }))),
    Overlay: lazy(() => import('../physical/overlay.js').then(({ Overlay }) => ({ default: Overlay }))),
    Strip: lazy(() => import('../physical/strip.js').then(({ Strip }) => ({ default: Strip }))),
    hasHandles: false,
  },
];
