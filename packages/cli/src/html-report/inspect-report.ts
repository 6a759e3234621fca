/** What a file holds, as one self-contained HTML file: the figure with its clips, which bone is which, contacts and curves. */
import { basename } from 'node:path';
import type { MarkerClip } from '@poise/formats';
import { PoiseError } from 'poise';
import type { Figure } from 'poise/figure';
import { type Humanoid, humanRestPose } from 'poise/humanoid';
import type { Motion } from 'poise/motion';
import { type ContactReport, createRetargeter, type Retargeter, retargetMotion } from 'poise/retarget';
import type { InspectedMarkers, Inspection } from '../inspect/inspection.js';
import { humanoidOf } from '../io/humanoid.js';
import { count, decimals } from '../io/parse-number.js';
import type { Source } from '../io/source.js';
import { contactName } from '../retarget/summary.js';
import type { AllClips } from '../trajectory/all-clips.js';
import { evenTimes } from '../trajectory/sampling.js';
import { clipCharts, SHOWN_RATE } from './curves.js';
import { CURVES, escaped } from './markup.js';
import { details, facts, htmlTable, note, page, type Section, verdict, warningList } from './page.js';
import { PLAYER, player, type Take } from './player.js';
import { restPicture, SURE } from './rest-picture.js';
import { spansWhere, timeline } from './timeline.js';

/** Clips that are played and have curves. */
export const MAX_CLIPS = 12;
/** Frames of a clip in the player. */
const MAX_TIMES = 400;
const TURN = 'Drag the picture or use the arrow keys to turn it.';

export interface InspectedFile {
  readonly source: Source;
  readonly inspection: Inspection;
  readonly clips: AllClips;
  /** Rows of the table of bones, the names of its columns first. */
  readonly rows: readonly (readonly string[])[];
}

/** Deterministic: the same file gives the same bytes. */
export function inspectHtml({ source, inspection, clips, rows }: InspectedFile): Uint8Array {
  const { figure } = clips;
  const named = source.human && { human: source.human };
  const humanoid = humanoidOf({ figure, ...named });
  const shown = clips.motions.slice(0, MAX_CLIPS);
  const retargeter = humanoid && shown.length > 0 ? retargeterOf(figure, source) : undefined;
  const contacts = shown.map((motion) => retargeter && contactsOf(retargeter, motion));
  const takes = shown.map((motion, k): Take => {
    const found = contacts[k];
    const times = found?.times ?? evenTimes(motion.start, motion.end, SHOWN_RATE, MAX_TIMES);
    return { name: motion.name, times, motions: [motion], contacts: found?.contacts ?? [] };
  });
  takes.push({ name: 'rest pose', times: [0], motions: [undefined] });
  const drawn = source.drawn.length === figure.bones.length ? { drawn: source.drawn } : {};
  const title = inspection.name;
  const legend = humanoid ? `${TURN} Blue: left, grey: right, orange: a foot on the ground.` : TURN;
  const left = (inspection.clips?.length ?? 0) - MAX_CLIPS;
  const more =
    left > 0
      ? ` The first ${MAX_CLIPS} clips are here; poise convert --animation NAME --report FILE.html shows another.`
      : '';
  const sections: Section[] = [
    {
      title: shown.length > 0 ? 'The clips' : 'The figure',
      body: player([{ title, figure, ...drawn, ...(humanoid && { humanoid }) }], takes) + note(legend + more),
    },
    ...shown.slice(0, 1).map((motion, k) => ({
      title: shown.length > 1 ? `The first clip: '${motion.name}'` : 'Contacts and curves',
      body: clipBody(figure, motion, humanoid, contacts[k]),
    })),
    { title: 'Which bone is which', body: humanoid ? humanMap(inspection, figure, humanoid, source) : '' },
    {
      title: 'Contacts and curves of the other clips',
      body: shown
        .slice(1)
        .map((motion, k) => details(motion.name, clipBody(figure, motion, humanoid, contacts[k + 1])))
        .join(''),
    },
    { title: 'All clips', body: clipTable(inspection) },
    {
      title: 'All bones',
      body: details(
        count(figure.bones.length, 'bone'),
        `<div class="tree">${htmlTable(rows[0], rows.slice(1))}</div>`,
      ),
    },
  ];
  const lead = humanoid ? humanVerdict(inspection) : '';
  const about = [
    facts(factsOf(inspection, figure, humanoid)),
    warningList([...inspection.warnings, ...clips.notes]),
  ];
  return new TextEncoder().encode(page({ title, lead, about, sections, programs: [PLAYER] }));
}

const REST_POSES = { T: 'a T-pose', A: 'an A-pose', other: 'neither T nor A' } as const;

function factsOf(
  { source, totals, clips = [] }: Inspection,
  figure: Figure,
  humanoid: Humanoid | undefined,
): (readonly [string, string])[] {
  const rest = humanoid && humanRestPose(figure, humanoid);
  return [
    ['file', source.path === undefined ? 'built-in figure' : source.path],
    ['skeleton', `${count(totals.bones, 'bone')}, ${decimals(totals.height)} m high`],
    [
      'rest pose',
      rest
        ? `${REST_POSES[rest.kind]}, upper arms ${decimals((180 / Math.PI) * rest.armAngle, 1)}° below level`
        : 'no human was recognised',
    ],
    ['clips', clips.length === 0 ? 'none' : String(clips.length)],
  ];
}

function humanVerdict({ humanoid }: Inspection): string {
  const all = Object.entries(humanoid?.bones ?? {});
  if (all.length === 0) return '';
  const unsure = all.filter(([, { confidence }]) => confidence < SURE);
  const list = unsure.map(([human, { bone }]) => `${human} '${bone}'`).join(', ');
  return unsure.length === 0
    ? verdict(true, `<b>A human</b>: ${count(all.length, 'bone')} recognised, all of them sure.`)
    : verdict(
        false,
        `<b>A human</b>: ${count(all.length, 'bone')} recognised, not sure of ${escaped(list)}. <code>--human BONE=NAME</code> names another.`,
      );
}

function humanMap({ humanoid }: Inspection, figure: Figure, found: Humanoid, source: Source): string {
  const drawn = source.drawn.length === figure.bones.length ? source.drawn : figure.bones.map(() => true);
  const rows = Object.entries(humanoid?.bones ?? {}).map(([human, { bone, confidence, reasons }]) => [
    human,
    bone,
    decimals(confidence, 2),
    reasons.join('; '),
  ]);
  if (rows.length === 0) return '';
  const table = htmlTable(['human bone', 'bone', { number: 'sure' }, 'because'], rows);
  return `<div class="beside"><div>${restPicture(figure, found, drawn)}${note('Green: sure, orange: not sure. Grey: bones that are none of a human.')}</div>${table}</div>`;
}

interface FoundContacts {
  readonly times: ArrayLike<number>;
  readonly contacts: readonly ContactReport[];
}

/** From the rig to itself. @returns undefined for a rig that is not retargeted. */
function retargeterOf(figure: Figure, { human }: Source): Retargeter | undefined {
  try {
    return createRetargeter(figure, figure, human && { sourceBones: human, targetBones: human });
  } catch (error) {
    if (error instanceof PoiseError) return undefined;
    throw error;
  }
}

/** Contacts as `poise retarget` finds them. @returns undefined for a clip that is not retargeted, as one of no length. */
function contactsOf(retargeter: Retargeter, motion: Motion): FoundContacts | undefined {
  try {
    const { times, contacts } = retargetMotion(retargeter, motion).report;
    return { times, contacts };
  } catch (error) {
    if (error instanceof PoiseError) return undefined;
    throw error;
  }
}

function clipBody(
  figure: Figure,
  motion: Motion,
  humanoid: Humanoid | undefined,
  found: FoundContacts | undefined,
): string {
  return (found === undefined ? '' : contactRows(found)) + clipCharts(figure, motion, humanoid);
}

function contactRows({ times, contacts }: FoundContacts): string {
  if (contacts.every(({ inContact }) => inContact.every((value) => value === 0)))
    return note('No foot stands in this clip.');
  const rows = contacts.map((contact) => ({
    name: contactName(contact),
    spans: spansWhere(times, (f) => contact.inContact[f] === 1, CURVES[2]),
  }));
  return (
    timeline('Contacts with the ground', rows, times[0], times[times.length - 1]) +
    note('On the ground, as poise retarget finds it.')
  );
}

function clipTable({ clips = [] }: Inspection): string {
  if (clips.length === 0) return '';
  const rows = clips.map(({ name, start, end, frames, rate, channels }, k) => [
    name || `#${k}`,
    decimals(end - start),
    String(frames),
    rate === undefined ? '-' : decimals(rate),
    String(channels),
  ]);
  const numbers = ['length (s)', 'frames', 'per second', 'channels'].map((number) => ({ number }));
  const table = htmlTable(['clip', ...numbers], rows);
  return rows.length > MAX_CLIPS ? details(count(rows.length, 'clip'), table) : table;
}

/** Measured markers. */
export function markersHtml(said: InspectedMarkers, clip: MarkerClip): Uint8Array {
  const { name, source, markers, frames, rate, start, end, warnings } = said;
  const up = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] }[clip.up ?? 'y'];
  const { times, positions, names } = clip;
  const at = (f: number, m: number): number[] | undefined => {
    const point = positions.subarray(3 * (names.length * f + m), 3 * (names.length * f + m) + 3);
    return Number.isNaN(point[0]) ? undefined : Array.from(point);
  };
  const take = { name, times, motions: [undefined], points: (f: number) => names.map((_, m) => at(f, m)) };
  const gaps = markers.flatMap((marker, m) =>
    marker.gaps > 0
      ? [{ name: marker.name, spans: spansWhere(times, (f) => at(f, m) === undefined, CURVES[1]) }]
      : [],
  );
  const rows = markers.map((marker) => [
    marker.name,
    String(marker.observed),
    String(marker.gaps),
    marker.gaps > 0 ? String(marker.longestGap) : '-',
  ]);
  const numbers = ['frames seen', 'gaps', 'longest gap'].map((number) => ({ number }));
  const told: (readonly [string, string])[] = [
    ['file', basename(source.path)],
    ['recording', `${count(markers.length, 'marker')}, ${count(frames, 'frame')} at ${decimals(rate)} Hz`],
    ['length', `${decimals(end - start)} s`],
  ];
  const sections: Section[] = [
    { title: 'The markers', body: player([{ title: name, up, points: 'dots' }], [take]) + note(TURN) },
    {
      title: 'Gaps',
      body:
        gaps.length === 0 ? note('Every marker is seen in every frame.') : timeline('Gaps', gaps, start, end),
    },
    { title: 'All markers', body: htmlTable(['marker', ...numbers], rows) },
  ];
  const about = [facts(told), warningList(warnings)];
  return new TextEncoder().encode(page({ title: name, lead: '', about, sections, programs: [PLAYER] }));
}
