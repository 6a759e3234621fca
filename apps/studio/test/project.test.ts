import fc from 'fast-check';
import { PoiseError } from 'poise';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clipFor, emptyClip, putKeys } from '../src/animate/clip/clip.js';
import { jointGroups } from '../src/animate/clip/joint-groups.js';
import type { Document } from '../src/document/document.js';
import { isSameDocument } from '../src/document/document.js';
import { LINK_PREFIX, LONGEST_LINK, readLink, writeLink } from '../src/home/link.js';
import { documentOf } from '../src/home/project/open-project.js';
import { type ProjectData, projectName, projectOf } from '../src/home/project/project.js';
import {
  fromBase64,
  LARGEST_PROJECT,
  readProject,
  readProjectFile,
  toBase64,
  writeProject,
} from '../src/home/project/project-file.js';
import { takeProject } from '../src/home/take-project.js';
import { human, session, useStudio } from '../src/session/store.js';

const studio = () => useStudio.getState();

/** Any number of a project, -0 among them. */
const number = fc.double({ min: -1e6, max: 1e6, noNaN: true });
const bytes = fc.uint8Array({ maxLength: 200 }).map((each) => Uint8Array.from(each));
const name = fc.string({ maxLength: 20 });

const project: fc.Arbitrary<ProjectData> = fc.record({
  character: fc.oneof(
    fc.record({
      type: fc.constant('human' as const),
      height: fc.double({ min: 1.4, max: 2.1, noNaN: true }),
    }),
    fc.record({ type: fc.constant('made' as const), name }),
    fc.record({
      type: fc.constant('file' as const),
      files: fc
        .array(fc.record({ name, bytes }), { maxLength: 2 })
        .chain((others) => bytes.map((own) => [{ name: 'a.glb', bytes: own }, ...others])),
      bones: fc.dictionary(fc.constantFrom('hips', 'leftFoot', 'jaw'), fc.option(name)),
    }),
  ),
  limits: fc.dictionary(
    name,
    fc.constantFrom(
      { type: 'interval' as const, min: -1, max: 0.5 },
      { type: 'interval' as const, min: -1, max: null as unknown as number },
      {
        type: 'swing-twist' as const,
        swing: { type: 'quad-ellipse' as const, s: [-1, 2] as const, t: [-0.5, 0.75] as const },
        twist: { min: -1, max: 1 },
      },
    ),
  ),
  pose: fc.array(number, { maxLength: 8 }),
  pins: fc.dictionary(
    name,
    fc.record({
      holds: fc.constantFrom('place' as const, 'rotation' as const, 'both' as const),
      target: fc.array(number, { minLength: 3, maxLength: 3 }),
      orientation: fc.constantFrom([0, 0, 0, 1], [0.6, -0, 0.8, 0]),
    }),
  ),
  gaze: fc.constantFrom(undefined, [0.5, 1.6, 2]),
  poses: fc.array(fc.record({ name, pose: fc.array(number, { maxLength: 4 }) }), { maxLength: 3 }),
  clip: fc.option(
    fc.record({
      duration: fc.double({ min: 1e-3, max: 600, noNaN: true }),
      rate: fc.integer({ min: 1, max: 240 }),
      joints: fc.string(),
      size: fc.double({ min: 0.1, max: 10, noNaN: true }),
      base: fc.array(number, { maxLength: 4 }),
      keys: fc.dictionary(
        name,
        fc
          .uniqueArray(
            fc.double({ min: 0, max: 600, noNaN: true }).map((time) => time + 0),
            { maxLength: 4 },
          )
          .chain((times) =>
            fc
              .record({ values: fc.array(number, { maxLength: 4 }), isFree: fc.boolean() })
              .map(({ values, isFree }) =>
                times
                  .sort((a, b) => a - b)
                  .map((time) => ({
                    time,
                    values,
                    ...(isFree
                      ? { interpolation: 'free' as const, tangent: values }
                      : { interpolation: 'smooth' as const }),
                  })),
              ),
          ),
      ),
      imported: fc.constantFrom(undefined, {
        name: 'walk',
        sliding: { most: 3, median: 0.5 },
        deviation: 0.25,
        contacts: [{ label: 'Left heel', from: 0, to: 0.5 }],
      }),
      ground: fc.constantFrom('flat' as const, 'steps' as const),
    }),
    { nil: undefined },
  ),
  settings: fc.record({
    ground: fc.boolean(),
    balance: fc.boolean(),
    apart: fc.boolean(),
    limits: fc.boolean(),
  }),
});

/** A document with a clip of two keys and a kept pose. */
function somethingMade(): Document {
  studio().beginDrag('leftHand');
  const [x, y, z] = session.handlePosition('leftHand');
  for (let frame = 0; frame < 20; frame++) {
    session.dragTo(x + 0.1, y + 0.3, z);
    session.step(1 / 60);
  }
  studio().endDrag();
  const { character, pose } = session;
  const groups = jointGroups(character).map(({ id }) => id);
  const clip = putKeys(emptyClip(character, character.pose), character, 0, character.pose, groups);
  studio().change('Key', {
    clip: putKeys(clip, character, 1, pose, groups),
    poses: [{ name: 'Wave', pose: [...pose] }],
  });
  return studio().document;
}

let begun: Document;
beforeAll(() => {
  while (studio().steps.undo !== undefined) studio().undo();
  begun = studio().document;
});
afterAll(() => studio().take(begun));
beforeEach(() => {
  while (studio().steps.undo !== undefined) studio().undo();
});

describe('the file of a project', () => {
  it('gives back what was written, to the bit', () => {
    fc.assert(
      fc.property(project, (given) => {
        const text = writeProject(given);
        const read = readProject(text, 'a.poise');
        expect(read).toEqual(given);
        expect(writeProject(read)).toBe(text);
      }),
    );
  });

  it('holds the document of the page, which comes back to the bit', async () => {
    const document = somethingMade();
    const read = readProject(writeProject(projectOf(document, true)), 'a.poise');
    const back = await documentOf(read, human, 'a.poise');
    expect(back.character.source).toEqual(document.character.source);
    expect([back.clip, back.poses]).toEqual([document.clip, document.poses]);
    const { character, clip, poses } = document;
    expect(isSameDocument({ ...back, character, clip, poses }, document)).toBe(true);
    expect(projectName(document.character)).toBe('human.poise');
  });

  it('brings its switches, which Undo takes back', async () => {
    const before = studio().document;
    const other = { ...before, balance: false, apart: true };
    await takeProject(other, projectOf(other, true).settings, 'Open a.poise');
    expect([session.ground, session.balance, session.apart]).toEqual([true, false, true]);
    expect(projectOf(studio().document, true).settings).toMatchObject({ balance: false, apart: true });
    studio().undo();
    expect([session.ground, session.balance, session.apart]).toEqual([true, true, false]);
  });

  it('is not written where it would be too large to open', () => {
    const given = projectOf(studio().document, true);
    const files = [{ name: 'a.glb', bytes: new Uint8Array(200 * 2 ** 20) }];
    expect(() => writeProject({ ...given, character: { type: 'file', files, bones: {} } })).toThrow(
      /The project: has 267 MB/,
    );
  });

  it('is taken as one step of undo, or as that with which the page begins', async () => {
    const before = studio().document;
    const made = somethingMade();
    studio().take(await documentOf(projectOf(before, true), human, 'a'), 'Open a.poise');
    expect(studio().steps.undo).toBe('Open a.poise');
    expect(isSameDocument({ ...studio().document, character: before.character }, before)).toBe(true);
    studio().undo();
    expect(isSameDocument(studio().document, made)).toBe(true);
    studio().take(made);
    expect(studio().steps).toEqual({ undo: undefined, redo: undefined });
  });

  it('is refused in words where it is damaged, cut off or hostile: nothing else is thrown', () => {
    const text = writeProject(projectOf(somethingMade(), true));
    const refuses = (damaged: string) => {
      try {
        readProject(damaged, 'a.poise');
      } catch (error) {
        if (!(error instanceof PoiseError)) throw error;
        expect(error.message).toMatch(/^a\.poise/);
      }
    };
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(40), fc.string({ maxLength: 8 }), (at, count, put) => {
        refuses(text.slice(0, at) + put + text.slice(at + count));
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...paths(JSON.parse(text))), fc.jsonValue(), (path, value) => {
        const copy = JSON.parse(text);
        const owner = path.slice(0, -1).reduce((each, key) => each[key], copy);
        owner[path[path.length - 1]] = value;
        refuses(JSON.stringify(copy));
      }),
    );
    refuses(`${'['.repeat(1e6)}`);
    refuses(`{"format":"poise-project","version":1,"character":${'['.repeat(1e5)}${']'.repeat(1e5)}}`);
    for (const [damaged, words] of [
      ['', /no project, or was cut off/],
      ['{}', /is no project of the studio/],
      [text.slice(0, -20), /cut off/],
      [text.replace('"version":1', '"version":2'), /newer studio/],
      [text.replace(/"height":[^}]+/, '"height":5'), /character\.height: is not between 1\.4 and 2\.1/],
      [text.replace('"auto"', '"wild"'), /interpolation: is none that this studio has/],
      [text.replace('"auto"', '"free"'), /tangent: is no list of numbers/],
      [text.replace('"auto"', '"free","tangent":[1]'), /tangent: has not \d+ numbers/],
    ] as const)
      expect(() => readProject(damaged, 'a.poise')).toThrow(words);
  });

  it('fits together or is refused: a pose, a clip of other joints', async () => {
    const good = projectOf(somethingMade(), true);
    const { clip } = good;
    if (clip === undefined) throw new Error('no clip');
    const misfits: ProjectData[] = [
      { ...good, pose: [1, 2] },
      { ...good, clip: { ...clip, base: [0] } },
      { ...good, clip: { ...clip, keys: { ...clip.keys, spine: [{ ...clip.keys.spine[0], values: [] }] } } },
      { ...good, clip: { ...clip, keys: { wings: clip.keys.spine } } },
    ];
    for (const each of misfits)
      await expect(documentOf(each, human, 'a.poise')).rejects.toThrow(/does not fit/);
    // That of other joints is not shown, and stays.
    const foreign = { ...clip, joints: 'other', base: [0] };
    const kept = await documentOf({ ...good, clip: foreign }, human, 'a.poise');
    expect([kept.clip, clipFor(kept.clip, kept.character)]).toEqual([foreign, undefined]);
    const others = await documentOf(
      { ...good, pins: { ...good.pins, tail: good.pins.leftFoot } },
      human,
      'a',
    );
    expect([...others.pins.keys()]).toEqual(['leftFoot', 'rightFoot']);
  });

  it('is not read where it is too large', async () => {
    const large = { name: 'a.poise', size: LARGEST_PROJECT + 1 } as File;
    await expect(readProjectFile(large)).rejects.toThrow(/a\.poise: has 257 MB/);
  });

  it('writes base64 as Node does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20_000 }), (given) => {
        const text = toBase64(given);
        expect(text).toBe(Buffer.from(given).toString('base64'));
        expect(Buffer.from(fromBase64(text)).equals(Buffer.from(given))).toBe(true);
      }),
      { numRuns: 20 },
    );
  });
});

describe('a link', () => {
  it('holds the human with its pose and clip, to the bit', async () => {
    const given = projectOf(somethingMade(), true);
    const link = await writeLink(given);
    expect(link).toMatch(/^#scene=[\w-]+$/);
    console.log(`studio: a link with a pose and a clip of two keys has ${link.length} characters`);
    expect(await readLink(link)).toEqual(given);
    expect(await readLink('')).toBeUndefined();
    expect(await readLink('#poses')).toBeUndefined();
  });

  it('says so where the scene is too large, or the character is a file', async () => {
    const given = projectOf(somethingMade(), true);
    const poses = Array.from({ length: 200 }, (_, n) => ({
      name: `${n}`,
      pose: given.pose.map((x) => x + n),
    }));
    await expect(writeLink({ ...given, poses })).rejects.toThrow(/cannot hold so much/);
    const character = { type: 'file' as const, files: [], bones: {} };
    await expect(writeLink({ ...given, character })).rejects.toThrow(/cannot hold a character of a file/);
  });

  it('that is damaged, too long or unfolds without end is refused in words', async () => {
    const given = projectOf(somethingMade(), true);
    const link = await writeLink(given);
    const refused = async (fragment: string) => {
      try {
        await readLink(fragment);
      } catch (error) {
        if (!(error instanceof PoiseError)) throw error;
        expect(error.message).toMatch(/^The scene of the link/);
        return true;
      }
      return false;
    };
    await fc.assert(
      fc.asyncProperty(
        fc.nat(link.length),
        fc.nat(9),
        fc.string({ maxLength: 6 }),
        async (at, count, put) => {
          await refused(LINK_PREFIX + link.slice(LINK_PREFIX.length, at) + put + link.slice(at + count));
        },
      ),
      { numRuns: 60 },
    );
    expect(await refused(`${LINK_PREFIX}${'A'.repeat(LONGEST_LINK)}`)).toBe(true);
    const zeros = new Blob([new Uint8Array(5 * 2 ** 20)]).stream();
    const bomb = await new Response(zeros.pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer();
    expect(bomb.byteLength).toBeLessThan(LONGEST_LINK / 1.5);
    expect(await refused(LINK_PREFIX + Buffer.from(bomb).toString('base64url'))).toBe(true);
    const file = {
      ...given,
      character: { type: 'file', files: [{ name: 'a.glb', bytes: new Uint8Array(4) }], bones: {} },
    };
    const text = writeProject(file as ProjectData);
    const packed = await new Response(
      new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw')),
    ).arrayBuffer();
    expect(await refused(LINK_PREFIX + Buffer.from(packed).toString('base64url'))).toBe(true);
  });
});

/** Paths of all values of a JSON value. */
function paths(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return path.length === 0 ? [] : [path];
  const own = path.length === 0 ? [] : [path];
  return [...own, ...Object.entries(value).flatMap(([key, each]) => paths(each, [...path, key]))];
}
