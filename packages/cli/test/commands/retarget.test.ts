/** Clips on other characters: files, reports, and what is refused. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { posesFromRobotMotion, readBvh, readMjcf, readRobotMotion, readUrdf } from '@poise/formats';
import { describeWithChromium, launchChromium, openPage } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { describeWithData } from '@poise/test-support/shared-data';
import { limitViolation } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  createMotion,
  createMotionSampler,
  type MotionData,
  motionFromPoses,
  motionToData,
  samplePose,
} from 'poise/motion';
import { describe, expect, test } from 'vitest';
import type { RetargetList } from '../../src/commands/retarget.js';
import { physicalLines, physicalWarnings, statusOf } from '../../src/retarget/physical.js';
import type { RetargetClipReport } from '../../src/retarget/summary.js';
import { run } from '../../src/run.js';
import { poise, temporaryFolder } from '../support/command.js';
import { playedByThree, seenAnimations } from '../support/readers.js';

const folder = temporaryFolder();
const at = (...names: string[]): string => join(folder, ...names);
const EVIL = `</script><script>window.stolen = 1</script>"'&<img src=x onerror="window.stolen = 2">`;

const human = createHumanFigure({ height: 1.75 });

/** A squat of the built-in human as a motion file: hips down with bent legs, feet in place. */
function squat(name: string): string {
  const of = (bone: string): number => human.bones.find((each) => each.name === bone)?.coordinate as number;
  const thigh = 1.75 * (422.2 / 1741);
  const shank = 1.75 * (440.3 / 1741);
  const poses = Array.from({ length: 31 }, (_, f) => {
    const pose = new Float64Array(human.dof);
    const knee = 0.3 * (1 - Math.cos((2 * Math.PI * f) / 30));
    // The ankle stays below the hip joint, and within its limit.
    const hip = Math.atan2(shank * Math.sin(knee), thigh + shank * Math.cos(knee));
    const long = Math.hypot(shank * Math.sin(knee), thigh + shank * Math.cos(knee));
    pose[1] = long - thigh - shank;
    for (const side of ['left', 'right']) {
      pose[of(`${side}UpperLeg`)] = hip;
      pose[of(`${side}LowerLeg`)] = knee;
      pose[of(`${side}Foot`)] = knee - hip;
    }
    return pose;
  });
  const motion = motionFromPoses(
    human,
    poses.map((_, f) => f / 30),
    poses,
    { name },
  );
  const file = { format: 'poise-motion', version: 1, figure: 'human', motion: motionToData(motion) };
  writeFileSync(at(`${name.slice(0, 6).replace(/\W/g, '')}.json`), JSON.stringify(file));
  return at(`${name.slice(0, 6).replace(/\W/g, '')}.json`);
}

async function report(...argv: string[]): Promise<RetargetClipReport> {
  const { status, out, err } = await poise('retarget', ...argv, '--json');
  expect([status, err]).toEqual([0, '']);
  return JSON.parse(out) as RetargetClipReport;
}

describe('poise retarget', () => {
  const clip = squat('squat');

  test('of a motion .json on a smaller human: hips go down by the ratio of the legs, feet stay', async () => {
    const said = await report(clip, 'human', '--height', '1.2', '-o', at('small.json'));
    expect(said.scale).toBeCloseTo(1.2 / 1.75, 6);
    expect(said.moved).toHaveLength(22);
    expect(said.contacts.map(({ foot, point, over }) => [foot, point, over])).toEqual([
      ['left', 'heel', [[0, 1]]],
      ['left', 'ball', [[0, 1]]],
      ['right', 'heel', [[0, 1]]],
      ['right', 'ball', [[0, 1]]],
    ]);
    expect(said.summary).toMatchObject({ frames: 31, contactsKept: 1 });
    expect(said.summary.maxSliding).toBeLessThan(1);
    const small = createHumanFigure({ height: 1.2 });
    const file = JSON.parse(readFileSync(at('small.json'), 'utf8')) as { motion: MotionData };
    const descent = (figure: typeof human, data: MotionData): number => {
      const sampler = createMotionSampler(figure, createMotion(figure, data));
      const [start, middle] = [0, 0.5].map(
        (time) => samplePose(sampler, time, new Float64Array(figure.dof))[1],
      );
      return start - middle;
    };
    const given = descent(human, (JSON.parse(readFileSync(clip, 'utf8')) as { motion: MotionData }).motion);
    expect(given).toBeGreaterThan(0.03);
    expect(Math.abs(descent(small, file.motion) - (1.2 / 1.75) * given)).toBeLessThan(2e-3);
  });

  test('says in words what it did', async () => {
    const { status, out, err } = await poise('retarget', clip, 'human', '--height', '1.2');
    expect([status, err]).toEqual([0, '']);
    expect(out).toMatch(/^human: 'squat' of human, 1 s, 31 frames at 30 Hz\n22 bones matched/);
    expect(out).toMatch(/left heel {3}1 +0\.\d\d +0\.\d\d +100 %/);
    expect(out).toMatch(/sliding in contact: 0\.\d\d mm at most/);
    expect(out).toMatch(/contacts kept: 100 %\n/);
  });

  test('a skeleton whose offsets all go one way takes its rest pose from a frame that stands', async () => {
    const joint = (name: string, offset: string, ...children: string[]): string =>
      [
        `JOINT ${name}`,
        '{',
        `OFFSET ${offset}`,
        'CHANNELS 3 Zrotation Xrotation Yrotation',
        ...children,
        '}',
      ].join('\n');
    const limb = (side: string, parts: readonly string[], z: number): string =>
      parts.reduceRight(
        (below, part, k) => joint(side + part, `${k === 0 ? 10 : 40} 0 ${k === 0 ? z : 0}`, below),
        'End Site\n{\nOFFSET 10 0 0\n}',
      );
    const arms = [6, -6].map((z) =>
      limb(z > 0 ? 'Left' : 'Right', ['Shoulder', 'Arm', 'ForeArm', 'Hand'], z),
    );
    const legs = [10, -10].map((z) => limb(z > 0 ? 'Left' : 'Right', ['UpLeg', 'Leg', 'Foot'], z));
    const spine = joint(
      'Spine',
      '10 0 0',
      joint('Spine1', '10 0 0', joint('Neck', '20 0 0', joint('Head', '10 0 0')), ...arms),
    );
    const hips = joint('Hips', '0 0 0', ...legs, spine).replace('JOINT', 'ROOT');
    const names = [...hips.matchAll(/(?:ROOT|JOINT) (\w+)/g)].map(([, name]) => name);
    const turns: Readonly<Record<string, string>> = {
      ...{ Hips: '90 0 0', LeftUpLeg: '180 0 0', RightUpLeg: '180 0 0' },
      ...{ LeftFoot: '-90 0 0', RightFoot: '-90 0 0', LeftArm: '0 0 -90', RightArm: '0 0 90' },
    };
    const lying = names.map(() => '0 0 0').join(' ');
    const standing = names.map((name) => turns[name] ?? '0 0 0').join(' ');
    const write = (name: string, ...frames: string[]): string => {
      const text = `HIERARCHY\n${hips}\nMOTION\nFrames: ${frames.length}\nFrame Time: 0.1\n${frames.join('\n')}\n`;
      writeFileSync(at(name), text);
      return at(name);
    };
    const clip = write('line.bvh', lying, standing, standing);
    const never = write('lies.bvh', lying, lying);
    for (const argv of [
      ['retarget', clip, 'human'],
      ['limits', clip],
      ['inspect', clip],
    ]) {
      const { status, out, err } = await poise(...argv);
      expect(status).toBe(0);
      expect(out + err).toMatch(
        /warning: line\.bvh: its OFFSETs do not stand; frame 2 is the rest pose \(--rest-frame N sets another\)\./,
      );
    }
    expect((await poise('retarget', clip, 'human', '--rest-frame', '3')).err).not.toMatch(/do not stand/);
    for (const argv of [
      ['retarget', never, 'human'],
      ['limits', never],
      ['retarget', clip, 'human', '--rest-frame', '1'],
    ]) {
      const { status, err } = await poise(...argv);
      expect(status).toBe(2);
      expect(err).toMatch(
        /error\[unsupported\] .*\.bvh: has the bones of a human, but its rest pose does not stand\. .*--rest-frame/,
      );
    }
    const far = await poise('retarget', clip, 'human', '--rest-frame', '4');
    expect([far.status, far.err]).toEqual([2, expect.stringMatching(/--rest-frame 4.*no frame.*1 to 3/)]);
  });

  test('without contacts feet are carried as they are', async () => {
    const said = await report(clip, 'human', '--contacts', 'none');
    expect(said.contacts.every(({ over }) => over.length === 0)).toBe(true);
  });

  test('contacts of a report, corrected and given back', async () => {
    await report(clip, 'human', '--height', '1.2', '--report', at('found.json'), '-o', at('found.bvh'));
    await report(clip, 'human', '--height', '1.2', '--contacts', at('found.json'), '-o', at('given.bvh'));
    // As found: the same clip.
    expect(readFileSync(at('given.bvh'))).toEqual(readFileSync(at('found.bvh')));
    const file = JSON.parse(readFileSync(at('found.json'), 'utf8')) as RetargetClipReport;
    const contacts = file.contacts.map((contact) =>
      contact.foot === 'left' && contact.point === 'heel' ? { ...contact, over: [[0, 0.4]] } : contact,
    );
    writeFileSync(at('corrected.json'), JSON.stringify({ ...file, contacts }));
    const said = await report(clip, 'human', '--contacts', at('corrected.json'));
    expect(said.contacts.map(({ over }) => over)).toEqual([[[0, 0.4]], [[0, 1]], [[0, 1]], [[0, 1]]]);
  });

  test.each<[string, unknown, RegExp]>([
    ['no list', { feet: [] }, /has no list of contacts/],
    ['a limb', { contacts: [{ over: [[0, 1]] }] }, /#\/contacts\/0: is of neither a foot nor a hand/],
    ['a side', { contacts: [{ foot: 'middle', point: 'heel', over: [] }] }, /0\/foot: is neither 'left'/],
    ['a point', { contacts: [{ foot: 'left', point: 'toe', over: [] }] }, /0\/point: is neither 'heel'/],
    ['a member', { contacts: [{ foot: 'left', point: 'heel', ovr: [] }] }, /0\/ovr: is no member/],
    ['a span', { contacts: [{ hand: 'left', over: [[1, 0]] }] }, /0\/over\/0: is no span/],
    [
      'a time',
      {
        contacts: [
          {
            hand: 'left',
            over: [
              [0, 1],
              [7, 8],
            ],
          },
        ],
      },
      /0\/over\/1: .*no frame of the clip/,
    ],
  ])('contacts without %s are refused with their place in the file', async (_, data, message) => {
    writeFileSync(at('bad.json'), JSON.stringify(data));
    const { status, err } = await poise('retarget', clip, 'human', '--contacts', at('bad.json'));
    expect(status).toBe(2);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/options\./);
  });

  test('is made physical where asked, with the contacts that are held', async () => {
    const argv = ['retarget', clip, 'human', '--height', '1.2', '--physical'];
    const { status, out, err } = await poise(...argv, '-o', at('physical.json'), '--json');
    expect(status).toBe(0);
    // Elsewhere than on a terminal a line for each segment.
    expect(err).toMatch(/^physics: 0 of 31 frames done, iteration 1, [^\n]*\n$/);
    const { physical, contacts } = JSON.parse(out) as RetargetClipReport;
    expect(contacts.map(({ over }) => over)).toEqual([[[0, 1]], [[0, 1]], [[0, 1]], [[0, 1]]]);
    expect(physical).toMatchObject({ status: 'converged', time: 1, flights: [] });
    expect(physical?.residual.after.mean).toBeLessThan(0.01);
    expect(physical?.residual.after.max).toBeLessThan(0.05);
    expect(physical?.sliding).toBeLessThan(0.1);
    expect(physical?.penetration).toBeLessThan(0.1);
    expect(physical?.rotated.max).toBeLessThan(10);
    const file = JSON.parse(readFileSync(at('physical.json'), 'utf8')) as { motion: MotionData };
    const small = createHumanFigure({ height: 1.2 });
    const motion = createMotion(small, file.motion);
    expect([motion.start, motion.end]).toEqual([0, 1]);
  });

  test('a result that is far from the clip is told, with the flights', () => {
    const change = { mean: 1, max: 400, bone: 'head', at: 1.5 };
    const far = [[1.25, 1.5]] as const;
    const residual = { mean: 0, max: 0, at: 0 };
    const said = {
      ...{ status: 'far', segments: [], time: 2, mass: 70, sliding: 0, penetration: 0 },
      ...{ residual: { before: residual, after: residual }, rotated: change, moved: change },
    };
    expect(physicalWarnings({ ...said, far, flights: [[0.5, 0.75]] })).toEqual([
      expect.stringMatching(
        /moves head by 400 mm at 1\.5 s.*from 1\.25 to 1\.5 s.*0\.5 to 0\.75 s; --contacts FILE\.json/,
      ),
    ]);
    expect(physicalLines({ ...said, far, flights: [] }).slice(0, 2)).toEqual([
      'physics: far, 0 segments, 70 kg',
      '  another motion than the clip, as where a contact is missing: 1.25 to 1.5 s',
    ]);
    expect(physicalWarnings({ ...said, far: [], flights: [] })).toEqual([]);
    const all = [{ over: [0, 2] as const, status: 'converged', iterations: 9, violation: 0 }];
    const some = [...all, { ...all[0], status: 'coarse' }];
    expect(statusOf(all, far, false)).toBe('far');
    expect(statusOf(all, [], false)).toBe('converged');
    expect(statusOf(some, far, false)).toBe('coarse');
    expect(statusOf(some, far, true)).toBe('interrupted');
  });

  test('an interrupt leaves the clips that are still to do, and lists those that are done', async () => {
    mkdirSync(at('stopped'));
    for (const asJson of [[], ['--json']]) {
      let out = '';
      const argv = [
        'retarget',
        clip,
        squat('other'),
        'human',
        '-o',
        at('stopped'),
        '--format',
        'json',
        ...asJson,
      ];
      const status = await run(argv, {
        out: (text) => {
          out += text;
        },
        err: () => {},
        color: false,
        // Before the second clip.
        interrupts: () => readdirSync(at('stopped')).length,
      });
      expect(status).toBe(1);
      if (asJson.length === 0) expect(out).toMatch(/\n2 clips: 1 retargeted, 0 failed, 1 left\n$/);
      else expect(JSON.parse(out)).toMatchObject({ done: 1, failed: 0, results: [{ clip: { path: clip } }] });
      expect(readdirSync(at('stopped'))).toEqual(['squat.json']);
      rmSync(at('stopped', 'squat.json'));
    }
  });

  test('an interrupt leaves the rest as retargeted, and says so', async () => {
    let out = '';
    const status = await run(['retarget', clip, 'human', '--physical', '-o', at('interrupted.bvh')], {
      out: (text) => {
        out += text;
      },
      err: () => {},
      color: false,
      interrupts: () => 1,
    });
    expect(status).toBe(1);
    expect(out).toMatch(
      /\nphysics: interrupted, 0 segments, .* kg\n {2}physical up to 0 s, then as retargeted\n/,
    );
    expect(out).toMatch(/bones rotated by 0° in the mean/);
    expect(existsSync(at('interrupted.bvh'))).toBe(true);
  });

  test('hands keep the relations that are asked for, and the report says how well', async () => {
    const rest = await report(clip, 'human');
    expect(rest.relations).toEqual([]);
    const asked = ['--relation', 'leftHand=hips@0.2,0.6', '--relation', 'rightHand=-0.4,1,0.2'];
    const { relations } = await report(clip, 'human', ...asked);
    expect(relations.map(({ hand, to }) => [hand, to])).toEqual([
      ['left', 'hips'],
      ['right', 'point'],
    ]);
    expect(relations[0].over[0]).toBeCloseTo(0.2, 9);
    expect(relations[0].over[1]).toBeCloseTo(0.6, 9);
    expect(relations[1].over).toEqual([0, 1]);
    for (const { error } of relations) expect(error).toBeLessThan(1);
    const { out } = await poise('retarget', clip, 'human', ...asked);
    expect(out).toMatch(/\nleft hand to hips: 0\.\d\d mm off at most/);
  });

  test.each([
    ['leftFoot=head', /--relation leftFoot=head.*not a relation of a hand.*Write leftHand=head/],
    ['leftHand=nose', /--relation leftHand=nose.*nose/],
    ['leftHand=head@1', /--relation leftHand=head@1 \(times\).*instead of 2/],
    ['leftHand=head@5,6', /--relation leftHand=head@5,6.*has no frame/],
    ['leftHand=1,2', /--relation leftHand=1,2 \(point\).*instead of 3/],
  ])('refuses --relation %s', async (relation, message) => {
    const { status, err } = await poise('retarget', clip, 'human', '--relation', relation);
    expect(status).toBe(2);
    expect(err).toMatch(message);
  });

  test('writes .glb, .bvh, .csv, and samples at a rate', async () => {
    for (const name of ['out.glb', 'out.bvh', 'out.csv']) await report(clip, 'human', '-o', at(name));
    expect((await playedByThree(at('out.glb'), 'squat')).duration).toBeCloseTo(1, 6);
    expect(readBvh(readFileSync(at('out.bvh'))).frames).toBe(31);
    expect(readFileSync(at('out.csv'), 'utf8').trimEnd().split('\r\n')).toHaveLength(32);
    await report(clip, 'human', '--rate', '10', '-o', at('slow.csv'));
    expect(readFileSync(at('slow.csv'), 'utf8').trimEnd().split('\r\n')).toHaveLength(12);
  });

  test('writes all frames as JSON', async () => {
    await report(clip, 'human', '--report', at('frames.json'));
    await report(clip, 'human', '--height', '1.2', '--report', at('strip.svg'));
    const strip = readFileSync(at('strip.svg'), 'utf8');
    // A squat: both feet stand all the time, before as after.
    expect(strip.match(/(left|right) foot, 0\.00 to 1\.00 s/g)).toHaveLength(4);
    expect(strip).toContain('slides 0 mm forward or back, 0 mm below the ground');
    expect(strip).not.toContain('NaN');
    const file = JSON.parse(readFileSync(at('frames.json'), 'utf8'));
    expect(file).toMatchObject({ format: 'poise-retarget-frames', version: 1 });
    expect(file.times).toHaveLength(31);
    expect(file.orientationErrors.leftFoot).toHaveLength(31);
    expect(file.feet[0].inContact).toEqual(new Array(31).fill(1));
  });

  test('of a folder and of a pattern, each whatever becomes of the others', async () => {
    mkdirSync(at('clips'));
    mkdirSync(at('done'));
    await report(clip, 'human', '-o', at('clips', 'a.bvh'));
    copyFileSync(at('clips', 'a.bvh'), at('clips', 'b.bvh'));
    writeFileSync(at('clips', 'c.bvh'), 'HIERARCHY');
    writeFileSync(at('clips', 'notes.txt'), 'no clip');
    for (const given of [at('clips'), at('clips', '*.bvh')]) {
      const { status, out, err } = await poise('retarget', given, 'human', '-o', at('done'));
      expect(status).toBe(4);
      expect(out.trimEnd().split('\n').at(-1)).toBe('3 clips: 2 retargeted, 1 failed');
      expect(err).toMatch(/^error\[invalid-file\] c\.bvh/m);
      expect(readdirSync(at('done'))).toEqual(['a.glb', 'b.glb']);
    }
    mkdirSync(at('reports'));
    await poise('retarget', at('clips'), 'human', '-o', at('done'), '--report', at('reports'));
    expect(readdirSync(at('reports'))).toEqual(['a.html', 'b.html']);
    await poise('retarget', at('clips', 'a.bvh'), 'human', '--report', at('reports'), '-o', at('one.glb'));
    expect(existsSync(at('one.glb'))).toBe(true);
    // Without a folder the reports are all there is.
    const alone = await poise('retarget', at('clips'), 'human');
    expect([alone.status, alone.out]).toEqual([4, expect.stringMatching(/a\.bvh: 31 frames, sliding/)]);
    const { status, out } = await poise(
      'retarget',
      at('clips', 'c.bvh'),
      'human',
      '-o',
      at('done'),
      '--json',
    );
    expect([status, (JSON.parse(out) as RetargetList).failed]).toEqual([2, 1]);
  });
});

/** Each of the four feet close up is within its picture. */
function requireDrawn(strip: string): void {
  expect(strip).not.toContain('NaN');
  const pictures = strip
    .split('<clipPath ')
    .slice(1)
    .map((picture) => picture.split('</g>')[0]);
  expect(pictures).toHaveLength(4);
  for (const picture of pictures) {
    const box = /x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)"/.exec(picture) ?? [];
    const [left, top, width, height] = box.slice(1).map(Number);
    const points = [...picture.matchAll(/ d="M([L\d. -]+)Z"/g)].flatMap(([, d]) => d.split('L'));
    expect(points.length).toBeGreaterThan(20);
    for (const [x, y] of points.map((point) => point.split(' ').map(Number))) {
      expect([x >= left, x <= left + width, y >= top, y <= top + height]).toEqual([true, true, true, true]);
    }
  }
}

describe('poise retarget refuses', () => {
  const clip = squat('squat');
  const write = (name: string, content: unknown): string => {
    writeFileSync(at(name), JSON.stringify(content));
    return at(name);
  };
  const arm = write('arm.json', { name: 'arm', bones: [{ name: 'a', joint: { type: 'ball' } }] });
  const air = write('air.json', { contacts: [] });
  mkdirSync(at('empty'));
  mkdirSync(at('own'));
  const own = write('own/squat.json', { contacts: [] });
  const still = [0, 0.02].map(() => new Float64Array(human.dof));
  const short = write('short.json', {
    format: 'poise-motion',
    version: 1,
    figure: 'human',
    motion: motionToData(motionFromPoses(human, [0, 0.02], still)),
  });
  test.each([
    [[clip], 'missing-resource', /needs a clip and the rig/],
    [[], 'missing-argument', /files/i],
    [[clip, arm], 'unsupported', /arm\.json: is not a humanoid.*--human hips=NAME/],
    [[arm, 'human'], 'invalid-file', /arm\.json/],
    [[clip, '--rig', arm, 'human'], 'unsupported', /./],
    [[clip, at('none.glb')], 'missing-resource', /none\.glb/],
    [[at('none.bvh'), 'human'], 'missing-resource', /none\.bvh/],
    [[at('no*.bvh'), 'human'], 'missing-resource', /matches no file/],
    [[at('empty'), 'human'], 'missing-resource', /has no clips/],
    [[clip, 'human', '-o', clip], 'cannot-write', /input/],
    [[clip, 'human', '-o', at('x.fbx')], 'unsupported', /\.glb/],
    [[clip, 'human', '-o', at('x.glb'), '--report', at('x.txt')], 'unsupported', /\.html/],
    [[clip, 'human', '-o', at('x.json'), '--report', at('x.json')], 'cannot-write', /already the output/],
    [[clip, arm, 'human', '-o', at('x.glb')], 'unsupported', /2 clips do not go into one file/],
    [[clip, 'human', '-o', at('empty'), '--report', at('x.html')], 'unsupported', /one clip/],
    [[clip, 'human', '-o', at('x.glb'), '--rate', '10'], 'unsupported', /--rate/],
    [[clip, 'human', '--contacts', 'some'], 'unsupported', /found, none/],
    [[clip, 'human', '--contacts', at('none.json')], 'missing-resource', /none\.json/],
    [[clip, arm, 'human', '--contacts', clip, '-o', at('empty')], 'unsupported', /one clip/],
    [[clip, 'human', '--contacts', arm, '-o', arm], 'cannot-write', /input/],
    [[clip, 'human', '--contacts', own, '-o', at('own'), '--format', 'json'], 'cannot-write', /input/],
    [[short, 'human', '--physical'], 'out-of-range', /short\.json: lasts 0\.02 s, too short/],
    [[clip, 'human', '--contacts', 'none', '--physical'], 'unsupported', /would let it fall/],
    [[clip, 'human', '--contacts', air, '--physical'], 'unsupported', /nowhere from 0 to 1 s.*in place/],
    [[clip, 'human', '--clip-human', 'leftHand'], 'unsupported', /--clip-human leftHand=NAME/],
    [[clip, 'human', '--units', 'm'], 'unsupported', /--units/],
    [[clip, 'human', '--animation', '0'], 'unsupported', /--animation/],
  ])('%j: %s', async (argv, code, message) => {
    const { status, err } = await poise('retarget', ...argv);
    expect([status, err]).toEqual([2, expect.stringMatching(new RegExp(`^error\\[${code}\\]`, 'm'))]);
    expect(err).toMatch(message);
    expect(existsSync(at('x.glb'))).toBe(false);
  });
});

const shoot = screenshots('retarget-report');

describeWithChromium('the report', () => {
  test('plays, steals nothing, and is the same each time', async () => {
    const clip = squat(`squat ${EVIL}`);
    const pages = [at('first.html'), at('second.html')];
    for (const page of pages) await report(clip, 'human', '--height', '1.2', '--report', page);
    expect(readFileSync(pages[0])).toEqual(readFileSync(pages[1]));
    const browser = await launchChromium();
    try {
      const page = await openPage(browser, {
        viewport: { width: 1120, height: 1600 },
        // Pixels of curves are counted.
        deviceScaleFactor: 1,
      });
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      await page.goto(pathToFileURL(pages[0]).href);
      const clock = page.locator('output');
      const before = await clock.textContent();
      await page.waitForFunction((text) => document.querySelector('output')?.textContent !== text, before);
      await page.locator('button').click();
      expect(await page.locator('button').textContent()).toBe('play');
      const inked = await page.evaluate(() => {
        const canvas = document.querySelector('canvas') as HTMLCanvasElement;
        const { width, height } = canvas;
        const context = canvas.getContext('2d') as CanvasRenderingContext2D;
        const { data } = context.getImageData(0, 0, width, height);
        // Orange feet in contact, in both halves.
        const halves = [0, 0];
        for (let i = 0; i < data.length; i += 4) {
          if (data[i] === 0xd5 && data[i + 1] === 0x5e && data[i + 2] === 0)
            halves[(i / 4) % width < width / 2 ? 0 : 1]++;
        }
        return halves;
      });
      expect(Math.min(...inked)).toBeGreaterThan(50);
      expect(await page.evaluate(() => 'stolen' in window)).toBe(false);
      expect(errors).toEqual([]);
      await shoot(page, 'retarget.png', { fullPage: true });
    } finally {
      await browser.close();
    }
  });
});

describeWithData('poise retarget of a recorded walk', 'bvh/walk01.bvh', (walk) => {
  const knight = join(walk, '../../gltf/KayKit_Knight.glb');
  test("adds a clip to the character's own file, and nothing else changes", async () => {
    const { status } = await poise('retarget', walk, knight, '-o', at('knight.glb'));
    expect(status).toBe(0);
    const before = await seenAnimations(knight);
    const after = await seenAnimations(at('knight.glb'));
    expect(after).toHaveLength(before.length + 1);
    expect(after.slice(0, -1)).toEqual(before);
    expect(after.at(-1)).toMatchObject({ name: 'walk01' });
  });

  test('with the joints of a human it is written too', async () => {
    const { status } = await poise(
      'retarget',
      walk,
      knight,
      '--joints',
      'anatomical',
      '-o',
      at('limited.glb'),
    );
    expect(status).toBe(0);
    expect((await playedByThree(at('limited.glb'), 'walk01')).duration).toBeCloseTo(4.167, 2);
  });

  test('fingers that the clip does not have are counted', async () => {
    const { out } = await poise('retarget', walk, join(walk, '../../vrm/cryptovoxels.vrm'));
    expect(out).toContain('\nat rest, the clip has none: leftToes, rightToes, 30 finger bones\n');
  });

  test('corrections of the clip and of the rig are used', async () => {
    const { status, out } = await poise(
      'retarget',
      walk,
      knight,
      '--human',
      'leftHand=hand.l',
      '--clip-human',
      'rightHand=none',
      '--json',
    );
    expect(status).toBe(0);
    const said = JSON.parse(out) as RetargetClipReport;
    expect(said.target.bones.leftHand).toEqual({ bone: 'hand.l', confidence: 1 });
    expect(said.source.bones.rightHand).toBeUndefined();
    expect(said.atRest).toContain('rightHand');
  });

  const data = (name: string): string => join(walk, '../..', name);

  test('on a robot of hinges in series: the same report, a table and an .npz', async () => {
    const robot = data('mjcf/unitree_g1.xml');
    const outputs = [at('g1.csv'), at('g1.npz')];
    for (const output of outputs) {
      const { status, out } = await poise('retarget', walk, robot, '-o', output, '--json');
      expect(status).toBe(0);
      const said = JSON.parse(out) as RetargetClipReport;
      expect(said.target.bones.leftUpperArm.bone).toBe('left_shoulder_yaw_link');
      expect(said.summary.contactsKept).toBe(1);
    }
    // Its feet, which have neither toes nor tips, are drawn to the balls of the soles, so that a foot on the ground can be told.
    await poise('retarget', walk, robot, '--report', at('g1.html'));
    const [, shapes] = /"figures":(\[.*?\]),"takes"/.exec(readFileSync(at('g1.html'), 'utf8')) ?? [];
    const [, drawn] = JSON.parse(shapes) as { sticks: number[][] }[];
    expect(drawn.sticks.filter(([, , , isFoot]) => isFoot === 1)).toHaveLength(2);
    const physical = await poise('retarget', walk, robot, '--physical');
    expect([physical.status, physical.err]).toEqual([
      2,
      expect.stringMatching(/unitree_g1\.xml: is a robot/),
    ]);
    const model = readMjcf(readFileSync(robot));
    const motion = readRobotMotion(readFileSync(at('g1.npz')));
    expect([motion.frames, motion.joints]).toEqual([101, 29]);
    expect(motion.fps).toBeCloseTo(24, 3);
    const poses = posesFromRobotMotion(model, motion);
    for (const pose of poses) expect(limitViolation(model.figure, pose)).toBe(0);
    const [header, first] = readFileSync(at('g1.csv'), 'utf8').split('\r\n');
    const knee = header.split(',').indexOf('q:left_knee_joint [rad]');
    const { coordinate } = model.joints.get('left_knee_joint') ?? { coordinate: -1 };
    expect(Number(first.split(',')[knee])).toBeCloseTo(poses[0][coordinate], 9);
  });

  test('feet close up lie in their pictures, those that go deep below the ground too', async () => {
    await poise('retarget', walk, data('vrm/cryptovoxels.vrm'), '--report', at('deep.svg'));
    requireDrawn(readFileSync(at('deep.svg'), 'utf8'));
  });

  test('on a robot of a URDF, whose root is set free, and its pictures', async () => {
    const robot = data('urdf/atlas_minimal_contact.urdf');
    const { status } = await poise(
      'retarget',
      walk,
      robot,
      '-o',
      at('atlas.npz'),
      '--report',
      at('atlas.svg'),
    );
    expect(status).toBe(0);
    const motion = readRobotMotion(readFileSync(at('atlas.npz')));
    const links = [...readUrdf(readFileSync(robot)).joints.values()].filter(({ dof }) => dof === 1);
    expect([motion.frames, motion.joints]).toEqual([101, links.length]);
    // The pelvis goes forward with the walk.
    const [x, y] = [0, 1].map((k) => motion.rootPositions[3 * 100 + k] - motion.rootPositions[k]);
    expect(Math.hypot(x, y)).toBeGreaterThan(1);
    requireDrawn(readFileSync(at('atlas.svg'), 'utf8'));
    const refused = await poise('retarget', walk, 'human', '-o', at('human.npz'));
    expect([refused.status, refused.err]).toEqual([2, expect.stringMatching(/is for robots/)]);
  });
});
