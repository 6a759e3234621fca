import type { BoneData, FigureData } from '../../src/figure/index.js';

/** Joint of a URDF file, as far as kinematics goes. */
interface UrdfJoint {
  readonly name: string;
  readonly type: string;
  readonly parent: string;
  readonly child: string;
  readonly xyz: number[];
  readonly rpy: number[];
  readonly axis: number[];
}

/**
 * Just enough of URDF to build the figures of the reference set: links, joints, origins, axes. Bones are links in the
 * file's own frame (+Z up), without limits. The reader for users is in @poise/formats.
 */
export function figureDataFromUrdf(xml: string): FigureData {
  const text = xml.replace(/<!--[\s\S]*?-->/g, '');
  // <joint> inside <transmission> or <gazebo> only names one.
  const body = text.replace(/<(transmission|gazebo)\b[\s\S]*?<\/\1>/g, '');
  const joints = [...body.matchAll(/<joint\b([^>]*)>([\s\S]*?)<\/joint>/g)].map(([, head, inner]) =>
    readJoint(head, inner),
  );
  const declared = [...body.matchAll(/<link\b([^>]*)>/g)].map(([, head]) => attribute(head, 'name'));
  // One robot hangs on a link 'world' that its file never declares.
  const links = new Set([...declared, ...joints.map((joint) => joint.parent)]);
  const jointOf = new Map(joints.map((joint) => [joint.child, joint]));
  return { bones: Array.from(links, (link) => boneOf(link, jointOf.get(link))) };
}

function readJoint(head: string, inner: string): UrdfJoint {
  const tag = (name: string) => new RegExp(`<${name}\\b([^>]*)>`).exec(inner)?.[1] ?? '';
  return {
    name: attribute(head, 'name'),
    type: attribute(head, 'type'),
    parent: attribute(tag('parent'), 'link'),
    child: attribute(tag('child'), 'link'),
    xyz: numbers(attribute(tag('origin'), 'xyz'), [0, 0, 0]),
    rpy: numbers(attribute(tag('origin'), 'rpy'), [0, 0, 0]),
    axis: numbers(attribute(tag('axis'), 'xyz'), [1, 0, 0]),
  };
}

function attribute(text: string, name: string): string {
  return new RegExp(`\\b${name}\\s*=\\s*"([^"]*)"`).exec(text)?.[1] ?? '';
}

function numbers(text: string, otherwise: number[]): number[] {
  const found = text.trim() === '' ? [] : text.trim().split(/\s+/).map(Number);
  return found.length === 3 ? found : otherwise;
}

function boneOf(link: string, joint: UrdfJoint | undefined): BoneData {
  if (joint === undefined) return { name: link, parent: null };
  const axis = joint.axis as [number, number, number];
  return {
    name: link,
    parent: joint.parent,
    rest: { position: joint.xyz as [number, number, number], rotation: fromRollPitchYaw(joint.rpy) },
    joint:
      joint.type === 'revolute' || joint.type === 'continuous'
        ? { type: 'hinge', axis }
        : joint.type === 'prismatic'
          ? { type: 'slider', axis }
          : { type: 'fixed' },
  };
}

/** Rz(yaw) Ry(pitch) Rx(roll). */
function fromRollPitchYaw([roll, pitch, yaw]: number[]): [number, number, number, number] {
  const [cr, cp, cy] = [roll, pitch, yaw].map((x) => Math.cos(x / 2));
  const [sr, sp, sy] = [roll, pitch, yaw].map((x) => Math.sin(x / 2));
  return [
    sr * cp * cy - cr * sp * sy,
    cr * sp * cy + sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
    cr * cp * cy + sr * sp * sy,
  ];
}

/** Child link of each joint by joint name, to place the reference's coordinates. */
export function childOfJoint(xml: string): Map<string, string> {
  const body = xml.replace(/<!--[\s\S]*?-->/g, '').replace(/<(transmission|gazebo)\b[\s\S]*?<\/\1>/g, '');
  return new Map(
    [...body.matchAll(/<joint\b([^>]*)>([\s\S]*?)<\/joint>/g)].map(([, head, inner]) => {
      const joint = readJoint(head, inner);
      return [joint.name, joint.child];
    }),
  );
}
