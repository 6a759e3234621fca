/** A six-axis arm of our own, in URDF: metres, radians, z up. */
const joints: readonly (readonly [
  name: string,
  parent: string,
  child: string,
  xyz: string,
  axis: string,
  lower: number,
  upper: number,
])[] = [
  ['turn', 'base', 'shoulder', '0 0 0.16', '0 0 1', -3.05, 3.05],
  ['raise', 'shoulder', 'upper', '0 0.06 0.14', '0 1 0', -2.0, 2.0],
  ['bend', 'upper', 'fore', '0 0 0.42', '0 1 0', -2.6, 2.6],
  ['roll', 'fore', 'wrist', '0 -0.05 0.18', '0 0 1', -3.0, 3.0],
  ['tilt', 'wrist', 'hand', '0 0 0.2', '0 1 0', -2.1, 2.1],
  ['spin', 'hand', 'flange', '0 0 0.09', '0 0 1', -3.1, 3.1],
];

export const armUrdf = `<?xml version="1.0"?>
<robot name="six-axis arm">
  <link name="base"/>
${joints
  .map(
    ([name, parent, child, xyz, axis, lower, upper]) => `  <link name="${child}"/>
  <joint name="${name}" type="revolute">
    <parent link="${parent}"/>
    <child link="${child}"/>
    <origin xyz="${xyz}" rpy="0 0 0"/>
    <axis xyz="${axis}"/>
    <limit lower="${lower}" upper="${upper}" effort="100" velocity="2"/>
  </joint>`,
  )
  .join('\n')}
  <link name="tool"/>
  <joint name="mount" type="fixed">
    <parent link="flange"/>
    <child link="tool"/>
    <origin xyz="0 0 0.13" rpy="0 0 0"/>
  </joint>
</robot>`;
