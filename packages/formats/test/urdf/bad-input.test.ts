import { describe, expect, test } from 'vitest';
import { expectRefusal, jointText, refusal, robotText } from './support.js';

const J = "robot.urdf#/robot/joint[@name='j']";
const two = (joint: string) => robotText(joint, ['base', 'a']);

describe('malformed XML', () => {
  test.each([
    ['nothing', ''],
    ['white space', ' \n '],
    ['text', 'solid cube'],
    ['an element that never ends', '<robot name="r"><link name="a"/>'],
    ['tags that cross', '<robot name="r"><a><b></a></b></robot>'],
    ['an attribute without quotes', '<robot name=r></robot>'],
    ['an attribute twice', '<robot name="r" name="s"><link name="a"/></robot>'],
    ['two roots', '<robot name="r"><link name="a"/></robot><robot/>'],
    ['JSON', '{"asset": {"version": "2.0"}}'],
    ['a binary file', 'glTF\u0002\u0000\u0000\u0000'],
  ])('%s', (_, text) => {
    const error = refusal(text);
    expect(error.code).toBe('invalid-file');
    expect(error.path).toBe('robot.urdf');
    expect(error.remedy).not.toBe('');
  });

  test('the message has line and column', () => {
    expect(refusal('<robot>\n<link name="a">\n</robot>', { source: 'arm.urdf' }).message).toMatch(
      /^arm\.urdf: .*line \d+, column \d+/,
    );
  });

  test.each([
    [
      'after an element',
      '<robot>\n<link name="a"/>\n<link\nname="b">\n',
      /line 5, and <link> of line 3 is not/,
    ],
    ['in a name', '<robot>\n<link name="a"/>\n<li', /line 3, and the tag <li of line 3 is not closed/],
    ['in a value', '<robot>\n<link name="a"/>\n<link name="b', /line 3, and the tag <link of line 3 is not/],
    ['in a closing tag', '<robot>\n<link name="a">\r\n</lin', /line 3, and <link> of line 2 is not closed/],
    ['in a comment', '<robot>\n<!-- <link>', /line 2, and the section <!-- of line 2 is not closed/],
  ])('a file cut off %s says what is not closed, and where', (_, text, words) => {
    expectRefusal(text, 'invalid-file', 'robot.urdf', words);
  });

  test('a message is short, whatever the file has', () => {
    const long = 'n'.repeat(40_000);
    for (const text of [
      '<robot>'.repeat(100_000),
      '<'.repeat(100_000),
      `<robot><${long}></a></robot>`,
      `<${long}/>`,
      robotText(jointText('fixed', '', 'j', long), ['base', 'a']),
      robotText(jointText('fixed', '', long, 'x'), ['base', 'a']),
      robotText('', ['base', long, long]),
      robotText(jointText('revolute', `<mimic joint="${long}"/>`), ['base', 'a']),
      robotText(jointText('fixed', '', 'j', long, 'base') + jointText('fixed', '', 'k', 'base', long), [
        'base',
        long,
      ]),
    ]) {
      expect(refusal(text).message.length).toBeLessThan(500);
    }
  });

  test('bytes that are not UTF-8', () => {
    expectRefusal(new Uint8Array([0x3c, 0x72, 0xff, 0xfe]), 'invalid-file', 'robot.urdf', /UTF-8/);
  });

  test('excessive nesting', () => {
    const text = `<robot name="r">${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}</robot>`;
    expectRefusal(text, 'invalid-file', 'robot.urdf');
  });

  test('a document type: the only source of entity expansion and of external entities', () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
      <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><robot name="&c;"><link name="a"/></robot>`;
    const external = `<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"><link name="a"/></robot>`;
    for (const text of [bomb, external, '<!doctype robot><robot name="r"><link name="a"/></robot>']) {
      expectRefusal(text, 'unsupported', 'robot.urdf', /DOCTYPE/);
    }
    const declaration = '<!DOCTYPE robot [<!ENTITY a "b">]>';
    const robot = '<robot name="&a;"><link name="&a;"/></robot>';
    // An opener of one section inside another is text, and so is a quote in a processing instruction.
    for (const [before, after] of [
      ['<?x <!-- ?>', '<?y --> ?>'],
      ['<?x <![CDATA[ ?>', '<?y ]]> ?>'],
      ['<?x " ?>', '<?y " ?>'],
      ['<!-- <?x -->', '<!-- ?> -->'],
      ['<!-- <![CDATA[ -->', '<!-- ]]> -->'],
      ["<!-- ' -->", "<!-- ' -->"],
      ['<?xml version="1.0"?>', ''],
    ]) {
      for (const type of [declaration, declaration.toLowerCase(), '<!ENTITY a "b">']) {
        expectRefusal(`${before}${type}${after}${robot}`, 'unsupported', 'robot.urdf', /DOCTYPE/);
      }
    }
    const inside = `<robot name="r" x="<!--">${declaration}<link name="&a;" x="-->"/></robot>`;
    expectRefusal(inside, 'unsupported', 'robot.urdf', /DOCTYPE/);
    // An entity without a document type is text.
    expect(refusal('<robot name="&c;"></robot>').code).toBe('invalid-file');
  });
});

describe('not a URDF', () => {
  test('another root', () => {
    expectRefusal('<mujoco model="x"/>', 'invalid-file', 'robot.urdf', /<mujoco>/);
    expectRefusal('<sdf version="1.7"/>', 'invalid-file', 'robot.urdf', /<sdf>/);
  });

  test('xacro, with the remedy', () => {
    for (const text of [
      '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:property name="l" value="1"/></robot>',
      '<robot name="r"><link name="a"><xacro:inertial/></link></robot>',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: xacro writes expressions like this.
      '<robot name="r"><link name="${prefix}a"/></robot>',
      '<robot name="$(arg name)"><link name="a"/></robot>',
    ]) {
      const error = refusal(text, { source: 'arm.urdf.xacro' });
      expect(error.code).toBe('unsupported');
      expect(error.remedy).toMatch(/xacro arm\.urdf\.xacro > /);
    }
  });

  test('no link', () => {
    expectRefusal('<robot name="r"/>', 'invalid-file', 'robot.urdf#/robot', /no link/);
  });
});

describe('names', () => {
  test('that are missing or empty', () => {
    expectRefusal('<robot><link/></robot>', 'invalid-file', 'robot.urdf#/robot/link/@name', /missing/);
    expectRefusal(
      '<robot><link name="a"/><link name=" "/></robot>',
      'invalid-file',
      "robot.urdf#/robot/link[@name='']/@name",
      /empty/,
    );
    expectRefusal(
      two('<joint type="fixed"><parent link="base"/><child link="a"/></joint>'),
      'invalid-file',
      'robot.urdf#/robot/joint/@name',
    );
    expectRefusal(two('<joint name="j"><parent link="base"/></joint>'), 'invalid-file', `${J}/@type`);
  });

  test('that are duplicates', () => {
    expectRefusal(
      '<robot><link name="a"/><link name="a"/></robot>',
      'duplicate-name',
      "robot.urdf#/robot/link[@name='a']",
    );
    expectRefusal(
      robotText(jointText('fixed') + jointText('fixed', '', 'j', 'a', 'b')),
      'duplicate-name',
      J,
      /'j'/,
    );
  });

  test('of joint types, with the nearest name', () => {
    expectRefusal(two(jointText('revolut')), 'unsupported', `${J}/@type`, /did you mean 'revolute'/);
    expectRefusal(two(jointText('Fixed')), 'unsupported', `${J}/@type`, /did you mean 'fixed'/);
    expectRefusal(two(jointText('hinge')), 'unsupported', `${J}/@type`, /revolute, continuous/);
  });
});

describe('the tree', () => {
  test('unknown links, with the nearest name', () => {
    expectRefusal(
      two(jointText('fixed', '', 'j', 'bose')),
      'unknown-name',
      `${J}/parent/@link`,
      /Did you mean 'base'/,
    );
    expectRefusal(
      two(jointText('fixed', '', 'j', 'base', 'gripper')),
      'unknown-name',
      `${J}/child/@link`,
      /<link name="gripper"\/>/,
    );
    // 'world' as a child is not the ground.
    expectRefusal(two(jointText('fixed', '', 'j', 'base', 'world')), 'unknown-name', `${J}/child/@link`);
  });

  test('parent or child missing or duplicated', () => {
    expectRefusal(
      two('<joint name="j" type="fixed"><parent link="base"/></joint>'),
      'invalid-file',
      J,
      /child/,
    );
    expectRefusal(two('<joint name="j" type="fixed"><child link="a"/></joint>'), 'invalid-file', J, /parent/);
    expectRefusal(
      two(jointText('fixed', '<parent link="base"/>')),
      'invalid-file',
      `${J}/parent[2]`,
      /second <parent>/,
    );
    expectRefusal(
      two('<joint name="j" type="fixed"><parent/><child link="a"/></joint>'),
      'invalid-file',
      `${J}/parent/@link`,
    );
  });

  test('a link with two parents: both joints are named', () => {
    expectRefusal(
      robotText(jointText('fixed', '', 'i', 'base', 'b') + jointText('fixed', '', 'j', 'a', 'b')),
      'unsupported',
      `${J}/child/@link`,
      /'i'/,
      /loops are constraints/,
    );
  });

  test('cycles are listed, with or without another root', () => {
    const loop = jointText('fixed', '', 'i', 'a', 'b') + jointText('fixed', '', 'j', 'b', 'a');
    expectRefusal(robotText(loop), 'cycle', "robot.urdf#/robot/joint[@name='j']", /a -> b -> a/);
    expectRefusal(robotText(loop, ['a', 'b']), 'cycle', "robot.urdf#/robot/joint[@name='j']", /a -> b -> a/);
    expectRefusal(robotText(jointText('fixed', '', 'j', 'a', 'a')), 'cycle', J, /a -> a/);
  });

  test('several roots, named', () => {
    expectRefusal(
      robotText(jointText('fixed')),
      'unsupported',
      'robot.urdf#/robot',
      /2 root links.*'base', 'b'/,
    );
    expectRefusal(
      robotText('', ['a', 'b', 'c', 'd', 'e', 'f', 'g']),
      'unsupported',
      'robot.urdf#/robot',
      /'e' and 2 more/,
    );
  });
});

describe('numbers', () => {
  test.each([
    ['<origin xyz="0 nan 0"/>', 'not-finite', '/origin/@xyz', /nan/],
    ['<origin rpy="0 0 inf"/>', 'not-finite', '/origin/@rpy', /inf/],
    ['<origin xyz="0 0 1e999"/>', 'not-finite', '/origin/@xyz', /1e999/],
    ['<origin xyz="0 0"/>', 'wrong-size', '/origin/@xyz', /three numbers/],
    ['<origin xyz=""/>', 'wrong-size', '/origin/@xyz', /three numbers/],
    ['<origin xyz="0 0 0 0"/>', 'wrong-size', '/origin/@xyz', /three numbers/],
    ['<origin xyz="0,0 0 0"/>', 'invalid-file', '/origin/@xyz', /0,0/],
    ['<origin xyz="0x10 0 0"/>', 'invalid-file', '/origin/@xyz', /0x10/],
    ['<origin xyz="one 0 0"/>', 'invalid-file', '/origin/@xyz', /one/],
    ['<axis xyz="0 0 0"/>', 'not-unit', '/axis/@xyz', /zero/],
    ['<axis xyz="0 0 z"/>', 'invalid-file', '/axis/@xyz', /z/],
    ['<limit lower="1" upper="0"/>', 'invalid-limit', '/limit', /1 to upper 0/],
    ['<limit lower="1"/>', 'invalid-limit', '/limit', /missing bound is zero/],
    ['<limit lower="NaN" upper="0"/>', 'not-finite', '/limit/@lower', /NaN/],
    ['<limit lower="" upper="0"/>', 'invalid-file', '/limit/@lower', /not a number/],
    ['<limit lower="0" upper="1" effort="much"/>', 'invalid-file', '/limit/@effort', /much/],
    ['<limit/><dynamics damping="inf"/>', 'not-finite', '/dynamics/@damping', /inf/],
    ['<limit/><origin/><origin/>', 'invalid-file', '/origin[2]', /second/],
  ] as const)('%s', (inner, code, path, word) => {
    expectRefusal(two(jointText('revolute', inner)), code, `${J}${path}`, word);
  });

  test.each([
    ['<mass value="-1"/>', 'out-of-range', '/mass/@value', /-1 kg/],
    ['<mass value="heavy"/>', 'invalid-file', '/mass/@value', /heavy/],
    ['<inertia ixx="nan"/>', 'not-finite', '/inertia/@ixx', /nan/],
    [
      '<inertia ixx="1.7e308" iyy="1.7e308" izz="1.7e308" ixy="1.7e308" iyz="1.7e308"/><origin rpy="1 2 3"/>',
      'not-finite',
      '/inertia',
      /overflows/,
    ],
    ['<origin xyz="0 0 -"/>', 'invalid-file', '/origin/@xyz', /-/],
  ] as const)('of inertias: %s', (inner, code, path, word) => {
    expectRefusal(
      `<robot name="r"><link name="a"><inertial>${inner}</inertial></link></robot>`,
      code,
      `robot.urdf#/robot/link[@name='a']/inertial${path}`,
      word,
    );
  });
});
