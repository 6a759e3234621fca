/** Order of three elementary rotations, first letter first: intrinsic (about the moving axes) unless said otherwise. */
export type EulerOrder =
  | 'XYZ'
  | 'XZY'
  | 'YXZ'
  | 'YZX'
  | 'ZXY'
  | 'ZYX'
  | 'XYX'
  | 'XZX'
  | 'YXY'
  | 'YZY'
  | 'ZXZ'
  | 'ZYZ';

/**
 * `intrinsic`: each rotation is about an axis of the already rotated frame, R = R_1 R_2 R_3.
 * `extrinsic`: each is about a fixed axis, R = R_3 R_2 R_1. Extrinsic abc is intrinsic cba with the angles
 * reversed; the twelve orders in both frames are the 24 conventions.
 */
export type EulerFrame = 'intrinsic' | 'extrinsic';
