/** A point of a bone that can be dragged and pinned, with a name. */
export interface Handle {
  readonly id: HandleId;
  readonly label: string;
  readonly bone: string;
  /** In the bone frame, as a fraction of stature. */
  readonly point: readonly [number, number, number];
  /** Elbows and knees are drawn smaller. */
  readonly size: 'large' | 'small';
  /** Whether a pin also fixes the orientation: a planted foot stays flat. */
  readonly pinsOrientation: boolean;
  /** Whether a drag keeps the bone's orientation as far as possible, so that dragging the pelvis down does not twist it. */
  readonly dragsUpright: boolean;
}

export type HandleId =
  | 'head'
  | 'hips'
  | 'leftHand'
  | 'rightHand'
  | 'leftElbow'
  | 'rightElbow'
  | 'leftFoot'
  | 'rightFoot'
  | 'leftKnee'
  | 'rightKnee';

const large = { size: 'large', pinsOrientation: false, dragsUpright: false } as const;
const small = { ...large, size: 'small' } as const;
const foot = { ...large, pinsOrientation: true, point: [0, -0.012, 0.03] } as const;

export const HANDLES: readonly Handle[] = [
  { id: 'head', label: 'Head', bone: 'head', point: [0, 0.035, 0.012], ...large },
  { id: 'leftHand', label: 'Left hand', bone: 'leftHand', point: [0.045, 0, 0], ...large },
  { id: 'rightHand', label: 'Right hand', bone: 'rightHand', point: [-0.045, 0, 0], ...large },
  { id: 'hips', label: 'Hips', bone: 'hips', point: [0, 0, 0], ...large, dragsUpright: true },
  { id: 'leftFoot', label: 'Left foot', bone: 'leftFoot', ...foot },
  { id: 'rightFoot', label: 'Right foot', bone: 'rightFoot', ...foot },
  { id: 'leftElbow', label: 'Left elbow', bone: 'leftLowerArm', point: [0, 0, 0], ...small },
  { id: 'rightElbow', label: 'Right elbow', bone: 'rightLowerArm', point: [0, 0, 0], ...small },
  { id: 'leftKnee', label: 'Left knee', bone: 'leftLowerLeg', point: [0, 0, 0], ...small },
  { id: 'rightKnee', label: 'Right knee', bone: 'rightLowerLeg', point: [0, 0, 0], ...small },
];

export function handleOf(id: HandleId): Handle {
  return HANDLES.find((handle) => handle.id === id) as Handle;
}
