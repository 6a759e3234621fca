/** Valid files that the fuzz tests damage: small ones made here, and real ones of the shared data where it is present. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  poseToData,
  type RobotMotion,
  writeFigureGltf,
  writeRobotMotion,
  writeVrmAnimation,
} from '@poise/formats';
import { c3dOf } from '@poise/test-support/c3d';
import { createFigure, createPose, figureToData } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createMotion, motionToData } from 'poise/motion';

/** Larger files take milliseconds to read: thousands of them would take hours. */
const MAX_BYTES = 100_000;

export interface Sample {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The files of a folder of the shared data with one of the endings, up to 100 kB. */
export function realFiles(data: string, folder: string, ...endings: string[]): Sample[] {
  const path = join(data, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter(
      (name) =>
        endings.some((ending) => name.endsWith(ending)) && statSync(join(path, name)).size <= MAX_BYTES,
    )
    .sort()
    .map((name) => ({ name, bytes: new Uint8Array(readFileSync(join(path, name))) }));
}

/** Skeletons of CMU. */
export function realSkeletons(data: string): Sample[] {
  return realFiles(data, 'amc', '.asf');
}

/** The first frames of CMU's takes, which are too long: all have the degrees of freedom of each skeleton. */
export function realTakes(data: string): Sample[] {
  const path = join(data, 'amc');
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => name.endsWith('.amc'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(path, name), 'utf8');
      return sampleOf(name, text.slice(0, text.indexOf('\n30') + 1));
    });
}

export function sampleOf(name: string, content: unknown): Sample {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return { name, bytes: new TextEncoder().encode(text) };
}

const human = createHumanFigure();

/** A step of a robot with two joints. */
const robotMotion: RobotMotion = {
  fps: 30,
  frames: 3,
  rootPositions: Float64Array.of(0, 0, 0.8, 0.1, 0, 0.8, 0.2, 0, 0.8),
  rootRotations: Float64Array.of(0, 0, 0, 1, 0, 0, 0.6, 0.8, 0, 0, 0, 1),
  joints: 2,
  values: Float64Array.of(0, 0.1, 0.2, 0.3, 0.4, 0.5),
  jointNames: ['hip', 'knee'],
};

/** A robot and a character of few bones with every kind of joint, limit and mass. */
const machine = createFigure({
  name: 'machine',
  bones: [
    {
      name: 'base',
      parent: null,
      joint: { type: 'free' },
      mass: 2,
      inertia: [1, 1, 1, 0, 0, 0],
      tip: [0, 1, 0],
    },
    {
      name: 'ball',
      parent: 'base',
      rest: { position: [0, 1, 0] },
      joint: { type: 'ball' },
      limit: { type: 'angle', max: 1 },
      mass: 1,
    },
    {
      name: 'hinge',
      parent: 'ball',
      joint: { type: 'hinge', axis: [1, 0, 0] },
      limit: { type: 'interval', min: -1, max: 2 },
    },
    { name: 'slider', parent: 'hinge', joint: { type: 'slider', axis: [0, 1, 0] } },
    {
      name: 'mimic',
      parent: 'slider',
      joint: { type: 'hinge', axis: [0, 0, 1] },
      mimic: { bone: 'hinge', polynomial: [0, 0.5, 0.1] },
    },
    { name: 'fixed', parent: 'base', rest: { rotation: [0, 0.6, 0, 0.8] }, joint: { type: 'fixed' } },
  ],
});

const motion = createMotion(machine, {
  name: 'wave',
  tracks: [
    { bone: 'hinge', keys: { times: [0, 0.5, 1], values: [0, 1, 0] } },
    { bone: 'ball', keys: { times: [0, 1], values: [0, 0, 0, 0.2, 0.1, 0] } },
  ],
});

export const figures = { human, machine } as const;

/** The human lifts an arm. */
const wave = createMotion(human, {
  name: 'wave',
  tracks: [{ bone: 'leftUpperArm', keys: { times: [0, 1], values: [0, 0, 0, 0.1, 0.2, 0.3] } }],
});

export const made = {
  figure: [sampleOf('machine.json', figureToData(machine)), sampleOf('human.json', figureToData(human))],
  glb: [{ name: 'machine.glb', bytes: writeFigureGltf(machine, createPose(machine)) }],
  vrma: [{ name: 'made.vrma', bytes: writeVrmAnimation(human, wave) }],
  pose: [sampleOf('pose.json', poseToData(human, createPose(human), { height: 1.75, pins: ['leftFoot'] }))],
  motion: [
    sampleOf('motion.json', {
      format: 'poise-motion',
      version: 1,
      figure: machine.name,
      motion: motionToData(motion),
    }),
  ],
  state: [
    sampleOf('state.json', {
      format: 'poise-optimize-state',
      version: 1,
      unknowns: [0, 0.5, 1],
      multipliers: [0],
      penalties: [10],
      damping: 0.1,
      iterations: 3,
    }),
  ],
  world: [
    sampleOf('world.json', [
      { type: 'plane', normal: [0, 1, 0], offset: 0, friction: 0.8 },
      { type: 'sphere', radius: 0.3, center: [0, 1, 0] },
      { type: 'capsule', from: [0, 0, 0], to: [0, 1, 0], radius: 0.1 },
      { type: 'box', halfSizes: [1, 1, 1], placement: { position: [0, 0, 0], rotation: [0, 0, 0, 1] } },
      { type: 'heightfield', columns: 3, rows: 2, spacing: [1, 1], heights: [0, 1, 0, 1, 0, 1] },
    ]),
  ],
  scene: [
    sampleOf('scene.json', {
      format: 'poise-scene',
      version: 1,
      figure: { type: 'human', height: 1.75 },
      reference: { type: 'keys', times: [0, 1], poses: ['rest', { bones: { leftLowerArm: [0.4] } }] },
      duration: { min: 0.5, max: 2, start: 1, pieces: 2 },
      intervals: 8,
      gravity: [0, -9.81, 0],
      armature: 0.01,
      terms: [
        { type: 'pose', at: 0, pose: 'rest' },
        { type: 'velocity', at: 0 },
        {
          type: 'goal',
          at: 1,
          weight: 2,
          goal: { type: 'position', bone: 'leftHand', target: [0.3, 1.2, 0.3] },
        },
        { type: 'contact', bone: 'leftFoot', points: 'sole', over: [0, 0.5] },
        { type: 'effort', weight: 1, bones: { leftUpperArm: 2 } },
        { type: 'smoothness', order: 2, weight: 0.1, over: [0, 1] },
        { type: 'torque-limit', limit: 100 },
        { type: 'tracking', weight: 1 },
        {
          type: 'clearance',
          shapes: [{ type: 'sphere', bone: 'leftHand', radius: 0.1 }],
          world: [{ type: 'plane' }],
        },
      ],
    }),
    sampleOf('small.json', {
      format: 'poise-scene',
      version: 1,
      duration: 0.5,
      terms: [{ type: 'physics' }, { type: 'smoothness', weight: 1 }],
    }),
  ],
  urdf: [
    sampleOf(
      'machine.urdf',
      `<?xml version="1.0"?>
<robot name="machine">
  <!-- every joint -->
  <link name="base"><inertial><origin xyz="0 0 0.1" rpy="0 0 0"/><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/>
  <joint name="i" type="revolute"><parent link="base"/><child link="a"/><origin xyz="0 0.1 1" rpy="0.3 0 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="2" velocity="3"/><safety_controller soft_lower_limit="-0.5" soft_upper_limit="0.5"/></joint>
  <joint name="p" type="planar"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
  <joint name="j" type="prismatic"><parent link="b"/><child link="c"/><limit lower="-2" upper="2"/><mimic joint="i" multiplier="2" offset="0.1"/></joint>
  <joint name="k" type="floating"><parent link="c"/><child link="d"/></joint>
  <joint name="l" type="continuous"><parent link="d"/><child link="e"/><dynamics damping="1" friction="0.1"/></joint>
</robot>
`,
    ),
  ],
  mjcf: [
    sampleOf(
      'machine.xml',
      `<mujoco model="machine">
  <compiler angle="radian" eulerseq="xYz" boundmass="0.05" settotalmass="7" inertiagrouprange="0 3"/>
  <option gravity="0 0 -9"/>
  <include file="more.xml"/>
  <default><geom density="700"/><default class="limb"><geom type="capsule" size="0.05" fromto="0 0 0 0.1 0.2 0.3"/><joint pos="0.1 0 0"/></default></default>
  <worldbody>
    <body name="root" pos="1 2 3" euler="1 0 2"><freejoint name="free"/><geom type="box" size="0.1 0.2 0.3" zaxis="1 2 3"/>
      <body name="limb" xyaxes="1 1 0 0 1 1" childclass="limb"><joint name="a" type="slide" ref="0.2" range="-1 1"/><joint name="b"/><joint name="c" type="ball" range="0 2"/><geom/>
        <frame axisangle="0 0 1 2"><site name="tip"/><body name="end"><joint name="d" armature="1"/><inertial pos="0 0 0" mass="1" fullinertia="1 2 2 0.1 0 0"/></body></frame>
      </body>
    </body>
  </worldbody>
  <equality><joint joint1="b" joint2="d" polycoef="0 2 0.1 0 0"/></equality>
  <actuator><motor joint="d" gear="3" ctrlrange="-1 1"/></actuator>
  <keyframe><key name="k" qpos="0 0 0 1 0 0 0 0 0 1 0 0 0 1"/></keyframe>
</mujoco>
`,
    ),
  ],
  osim: [
    sampleOf(
      'leg.osim',
      `<OpenSimDocument Version="40000"><Model name="leg"><gravity>0 -9 0</gravity>
  <BodySet><objects>
    <Body name="thigh"><mass>7</mass><mass_center>0 -0.2 0</mass_center><inertia>0.1 0.02 0.1 0 0 0</inertia></Body>
    <Body name="shank"><mass>3</mass></Body><Body name="patella"/><Body name="scapula"/>
  </objects></BodySet>
  <JointSet><objects>
    <FreeJoint name="hip"><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/thigh</socket_child_frame>
      <coordinates><Coordinate name="rx"/><Coordinate name="ry"/><Coordinate name="rz"/><Coordinate name="tx"/><Coordinate name="ty"><locked>true</locked></Coordinate></coordinates></FreeJoint>
    <CustomJoint name="knee"><socket_parent_frame>in_thigh</socket_parent_frame><socket_child_frame>in_shank</socket_child_frame>
      <frames><PhysicalOffsetFrame name="in_thigh"><socket_parent>/bodyset/thigh</socket_parent><translation>0 -0.4 0</translation><orientation>0 0.1 0</orientation></PhysicalOffsetFrame>
        <PhysicalOffsetFrame name="in_shank"><socket_parent>/bodyset/shank</socket_parent><orientation>0.2 0 0</orientation></PhysicalOffsetFrame></frames>
      <coordinates><Coordinate name="time_knee"><range>-2 0.2</range><clamped>true</clamped><default_value>-0.1</default_value></Coordinate></coordinates>
      <SpatialTransform>
        <TransformAxis name="rotation1"><coordinates>time_knee</coordinates><axis>0 0 1</axis><LinearFunction name="function"><coefficients>-1 0.1</coefficients></LinearFunction></TransformAxis>
        <TransformAxis name="rotation2"><coordinates>time_knee</coordinates><axis>0 1 0</axis><PolynomialFunction name="function"><coefficients>0.1 0.2 0</coefficients></PolynomialFunction></TransformAxis>
        <TransformAxis name="rotation3"><axis>1 0 0</axis><Constant name="function"><value>0</value></Constant></TransformAxis>
        <TransformAxis name="translation1"><coordinates>time_knee</coordinates><axis>1 0 0</axis><MultiplierFunction name="function"><function><SimmSpline><x>-2 -1 0 0.2</x><y>-0.02 0 0.005 0.004</y></SimmSpline></function><scale>1.1</scale></MultiplierFunction></TransformAxis>
        <TransformAxis name="translation2"><axis>0 1 0</axis><function><PiecewiseLinearFunction><x>-2 0 1</x><y>0 1 1</y></PiecewiseLinearFunction></function></TransformAxis>
        <TransformAxis name="translation3"><axis>0 0 1</axis></TransformAxis>
      </SpatialTransform></CustomJoint>
    <UniversalJoint name="kneecap"><socket_parent_frame>shank</socket_parent_frame><socket_child_frame>patella</socket_child_frame><coordinates><Coordinate name="a"/><Coordinate name="b"/></coordinates></UniversalJoint>
    <EllipsoidJoint name="shoulder"><socket_parent_frame>thigh</socket_parent_frame><socket_child_frame>scapula</socket_child_frame><radii_x_y_z>0.1 0.2 0.15</radii_x_y_z></EllipsoidJoint>
  </objects></JointSet>
  <ConstraintSet><objects><CoordinateCouplerConstraint name="c"><isEnforced>true</isEnforced><coupled_coordinates_function><PiecewiseLinearFunction><x>-1 0 1</x><y>-3 0 1</y></PiecewiseLinearFunction></coupled_coordinates_function><independent_coordinate_names>time_knee</independent_coordinate_names><dependent_coordinate_name>a</dependent_coordinate_name><scale_factor>2</scale_factor></CoordinateCouplerConstraint></objects></ConstraintSet>
  <MarkerSet><objects><Marker name="THI"><socket_parent_frame>/bodyset/thigh</socket_parent_frame><location>0 -0.2 0.1</location></Marker><Marker name="TIB"><socket_parent_frame>in_shank</socket_parent_frame><location>0.05 -0.2 0</location></Marker></objects></MarkerSet>
</Model></OpenSimDocument>
`,
    ),
  ],
  ikTasks: [
    sampleOf(
      'setup.xml',
      `<OpenSimDocument Version="40000"><InverseKinematicsTool name="leg"><model_file>leg.osim</model_file><time_range>0.5 1.5</time_range>
  <IKTaskSet><objects><IKMarkerTask name="THI"><apply>true</apply><weight>10</weight></IKMarkerTask><IKCoordinateTask name="rx"><weight>1</weight><value_type>manual_value</value_type><value>0.1</value></IKCoordinateTask></objects></IKTaskSet>
</InverseKinematicsTool></OpenSimDocument>
`,
    ),
  ],
  storage: [
    sampleOf(
      'walk.mot',
      'walk\nversion=1\nnRows=2\nnColumns=4\ninDegrees=yes\nendheader\ntime\trx\ttx\t/jointset/knee/time_knee/value\n0\t1\t0.1\t-20\n0.01\t2\t0.2\t-21\n',
    ),
  ],
  trc: [
    sampleOf(
      'walk.trc',
      'PathFileType\t4\t(X/Y/Z)\twalk.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n60\t60\t2\t2\tmm\nFrame#\tTime\tTHI\t\t\tTIB\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n1\t0\t1\t2\t3\t4\t5\t6\n2\t0.017\t1\t2\t3\t\t\t\n',
    ),
  ],
  c3d: (['intel', 'dec', 'mips'] as const).flatMap((processor) =>
    [true, false].map((isFloat) => ({
      name: `${processor}.c3d`,
      bytes: c3dOf({
        processor,
        isFloat,
        labels: ['THI', 'TIB'],
        frames: [
          [[1, 2, 3], undefined],
          [
            [4, 5, 6],
            [7, 8, 9],
          ],
        ],
        rate: 60,
        yScreen: '+Z',
        analog: 2,
      }),
    })),
  ),
  gmr: [
    sampleOf('gmr.json', {
      robot_root_name: 'pelvis',
      human_root_name: 'Hips',
      ground_height: 0,
      human_height_assumption: 1.8,
      use_ik_match_table1: true,
      human_scale_table: { Hips: 0.9, Spine: 0.8 },
      ik_match_table1: { pelvis: ['Hips', 0, 10, [0, 0, 0], [0.5, 0.5, 0.5, 0.5]] },
      ik_match_table2: { pelvis: ['Hips', 100, 5, [0, 0.1, 0], [1, 0, 0, 0]] },
    }),
  ],
  npz: [{ name: 'step.npz', bytes: writeRobotMotion(robotMotion, { format: 'npz' }) }],
  robotCsv: [true, false].map((header) => ({
    name: 'step.csv',
    bytes: writeRobotMotion(robotMotion, { format: 'csv', header }),
  })),
  asf: [
    sampleOf(
      'two.asf',
      `:version 1.10
:name two
:units
  mass 1.0
  length 0.45
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name thigh
    direction 0 -1 0
    length 9
    axis 0 0 20 XYZ
    dof rx rz
    limits (-160.0 20.0)
           (-60.0 inf)
  end
  begin
    id 2
    name shin
    direction 0 -1 0
    length 4.5
    axis 10 20 30 XYZ
    dof rx
  end
:hierarchy
  begin
    root thigh
    thigh shin
  end
`,
    ),
  ],
  amc: [
    sampleOf(
      'two.amc',
      `:FULLY-SPECIFIED
:DEGREES
1
root 1 2 3 10 20 30
thigh 10 20
shin 30
2
root 1 2 3 10 20 30
thigh 10 20
shin 60
`,
    ),
  ],
  bvh: [
    sampleOf(
      'two.bvh',
      `HIERARCHY
ROOT hips
{
  OFFSET 0 1 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT chest
  {
    OFFSET 0 0.3 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 0.2 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.033333
0 1 0 0 0 0 10 20 30
0 1.1 0 0 5 0 10 25 30
0 1 0 0 10 0 10 20 30
`,
    ),
  ],
  contacts: [
    sampleOf('contacts.json', {
      contacts: [
        {
          foot: 'left',
          point: 'heel',
          over: [
            [0, 0.33],
            [1.12, 1.46],
          ],
          sliding: 0.1,
          penetration: 0,
          kept: 1,
        },
        { foot: 'right', point: 'ball', over: [[0.5, 0.9]] },
        { hand: 'left', point: 'palm', over: [[2, 2.5]] },
      ],
    }),
  ],
  markers: [
    sampleOf('markers.json', {
      LASI: { bone: 'hips', point: [0.1, 0.05, 0.12] },
      LKNE: { bone: 'leftLowerLeg', point: [0.06, 0, 0], weight: 2 },
      HEAD: { bone: 'head' },
    }),
  ],
  goals: [
    'leftHand=0.35,1.45,0.45',
    'hips=+0,-0.3,-0.3',
    'rightHand=@head.tip',
    'head:z=0.5,1.2,1',
    'head=+0,30,0deg',
    'leftFoot:pose',
    'hand.r.tip=1e-3,2,-3',
    'head=0,0,0,1',
    'head:1:0:2=@leftHand',
    'chest:0,0,40',
    'head:20,0,0@0.5',
    'hips:0,60,0@1/0,1.2,0.1',
  ].map((text, k) => sampleOf(`goal-${k}.txt`, text)),
} as const;
