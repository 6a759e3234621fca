/** Apart from the modes, whose code needs the store that names them. */
export type ModeId = 'pose' | 'animate' | 'fall' | 'physical' | 'learn';
