/**
 * The data of `createHumanFigure` with its sources. Lengths are fractions of stature, masses fractions of body mass, angles
 * degrees.
 *
 * - de Leva: P. de Leva (1996), Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters, J. Biomechanics
 *   29(9), 1223-1230, table 4, male column (73.0 kg, 1741 mm).
 * - Drillis: R. Drillis & R. Contini (1966), Body segment parameters, as printed in D. Winter, Biomechanics and Motor
 *   Control of Human Movement, fig. 4.1.
 * - Rajagopal: A. Rajagopal et al. (2016), Full-body musculoskeletal model, IEEE Trans. Biomed. Eng. 63(10); 1.70 m.
 * - AAOS: American Academy of Orthopaedic Surgeons, Joint Motion: Method of Measuring and Recording (1965).
 * - Sheet: the US Veterans examination sheet; Merck: Merck Manual, normal values for range of motion of joints.
 */

/** Stature and body mass of de Leva's sample: mm and kg. */
const SAMPLE_STATURE = 1741;
const SAMPLE_MASS = 73;

/** Body mass index of de Leva's sample, kg/m^2: the default. */
export const BODY_MASS_INDEX: number = SAMPLE_MASS / (SAMPLE_STATURE / 1000) ** 2;

/** A body segment. */
export interface Segment {
  /** Fraction of body mass. */
  readonly mass: number;
  /** Distance of its end points, fraction of stature. */
  readonly length: number;
  /** Centre of mass from the proximal end (the heel for the foot), fraction of its length. */
  readonly center: number;
  /** Radii of gyration about the sagittal, transverse and longitudinal axis, fractions of its length. */
  readonly gyration: readonly [sagittal: number, transverse: number, long: number];
}

function segment(mass: number, mm: number, center: number, ...gyration: [number, number, number]): Segment {
  return { mass, length: mm / SAMPLE_STATURE, center, gyration };
}

/** de Leva's table, centres measured from the hips outwards: 1 - 0.5002 where he measures from the vertex, and so on. */
export const segments = {
  /** Cervicale to vertex: neck and head. */
  head: segment(0.0694, 242.9, 1 - 0.5002, 0.303, 0.315, 0.261),
  /** Xiphion to cervicale. */
  upperTrunk: segment(0.1596, 242.1, 1 - 0.5066, 0.505, 0.32, 0.465),
  /** Omphalion to xiphion. */
  middleTrunk: segment(0.1633, 215.5, 1 - 0.4502, 0.482, 0.383, 0.468),
  /** Middle of the hip joints to omphalion. */
  lowerTrunk: segment(0.1117, 145.7, 1 - 0.6115, 0.615, 0.551, 0.587),
  upperArm: segment(0.0271, 281.7, 0.5772, 0.285, 0.269, 0.158),
  forearm: segment(0.0162, 268.9, 0.4574, 0.276, 0.265, 0.121),
  /** Wrist to the tip of the third finger. */
  hand: segment(0.0061, 187.9, 0.3624, 0.288, 0.235, 0.184),
  thigh: segment(0.1416, 422.2, 0.4095, 0.329, 0.329, 0.149),
  /** Knee to ankle joint centre. */
  shank: segment(0.0433, 440.3, 0.4395, 0.251, 0.246, 0.102),
  /** Heel to toe tip; its sagittal axis is vertical. */
  foot: segment(0.0137, 258.1, 0.4415, 0.257, 0.245, 0.124),
} as const satisfies Record<string, Segment>;

/** Dimensions that are not in the segment table, fractions of stature. */
export const dimensions = {
  /** Ankle above the floor (Drillis). */
  ankleHeight: 0.039,
  /** Middle of the hips to middle of the shoulder joints, and to suprasternale, along the trunk (de Leva). */
  shoulderAboveHips: 515.5 / SAMPLE_STATURE,
  sternumAboveHips: 531.9 / SAMPLE_STATURE,
  /** Hip and shoulder joints from the middle plane (Rajagopal: 77.26 mm and 170 mm). */
  hipHalfWidth: 77.26 / 1700,
  shoulderHalfWidth: 170 / 1700,
  /** Sternoclavicular joint from the middle plane: half the breadth of the jugular notch (our estimate). */
  sternoclavicularHalfWidth: 25 / SAMPLE_STATURE,
  /** Ball of the foot above the floor (our estimate). */
  ballHeight: 0.012,
  /** Foot breadth (Drillis) and neck radius (our estimate). */
  footBreadth: 0.055,
  neckRadius: 0.035,
} as const;

/** Fractions of a segment's length or mass, for segments divided between two bones. */
export const fractions = {
  /** Ankle and ball of the foot, from the heel, over foot length (Rajagopal: 49 mm and 179 mm of 260 mm). */
  ankleFromHeel: 0.19,
  ballFromHeel: 0.69,
  /** Mass of the toes over that of the foot (Rajagopal: 0.2166 of 1.5666 kg). */
  toesMass: 0.138,
  /** Upper neck joint between cervicale and vertex, and mass of the neck over that of head and neck (our estimates). */
  neckLength: 0.34,
  neckMass: 0.17,
} as const;

/** Minimum and maximum angle in degrees. */
export type Range = readonly [min: number, max: number];

/**
 * Clinical ranges of motion, relative to the T-pose. Where a clinical joint is divided between several bones (spine, neck,
 * shoulder) their ranges add up to the clinical one.
 */
export const ranges = {
  /**
   * Trunk, AAOS: flexion 80, extension 25, lateral bending 35, rotation 45; neck, AAOS: 45, 45, 45, 60. Divided by region: the
   * lumbar spine bends and hardly rotates, the thorax rotates, half of the neck's rotation is at the atlas.
   */
  spine: { flexion: [-14, 45], lateralBending: 15, rotation: 8 },
  chest: { flexion: [-7, 20], lateralBending: 12, rotation: 17 },
  upperChest: { flexion: [-4, 15], lateralBending: 8, rotation: 20 },
  neck: { flexion: [-20, 20], lateralBending: 20, rotation: 25 },
  head: { flexion: [-25, 25], lateralBending: 25, rotation: 35 },
  /** Clavicle; adds with the upper arm to horizontal flexion 135, and flexion and abduction 180 (AAOS). */
  shoulder: { forward: [-20, 20], up: [-10, 30] },
  /** 120 degrees of the arm's elevation are glenohumeral. Extension is a compromise: docs/figure.md. */
  upperArm: { forward: [-60, 115], up: [-110, 60], lateralRotation: [-70, 90] },
  lowerArm: { flexion: [0, 150] },
  hand: { supination: [-80, 80], extension: [-80, 70], radialDeviation: [-30, 20] },
  /** Hip, Sheet. */
  upperLeg: { flexion: [-30, 125], abduction: [-25, 45], externalRotation: [-40, 60] },
  /** Knee, Sheet. */
  lowerLeg: { flexion: [0, 140] },
  /** Ankle: plantar flexion, Sheet; dorsiflexion, Rajagopal (of a foot that bears weight; 20 degrees without); eversion and inversion, Merck. */
  foot: { dorsiflexion: [-45, 30], eversion: [-35, 25] },
  /** Ball of the foot, Merck. */
  toes: { extension: [-30, 80] },
} as const satisfies Record<string, Record<string, number | Range>>;
