/** What a conversion made of a clip, as one self-contained HTML file: both side by side, how they differ, curves. */
import { basename } from 'node:path';
import { humanoidOf } from '../io/humanoid.js';
import { count, decimals } from '../io/parse-number.js';
import type { Source } from '../io/source.js';
import { type BoneDifference, type Differences, differencesOf } from '../trajectory/differences.js';
import type { ReadClip } from '../trajectory/read-back.js';
import { evenTimes } from '../trajectory/sampling.js';
import { chart, thinned } from './chart.js';
import { clipCharts, SHOWN_RATE } from './curves.js';
import { CURVES, escaped } from './markup.js';
import { facts, htmlTable, note, page, type Section, verdict, warningList } from './page.js';
import { PLAYER, type PlayedFigure, player } from './player.js';

export interface ConvertedClip extends ReadClip {
  readonly source: Source;
  /** Paths as given. */
  readonly input: string;
  readonly output?: string;
  /** The clip of the written file, read again; undefined for a table. */
  readonly back?: ReadClip | undefined;
  /** What was written, in words. */
  readonly what: string;
  readonly warnings: readonly string[];
}

/** Differences up to which a motion is the same to the eye; farther off a contact counts as lost in `poise retarget`. */
const SAME = { degrees: 0.5, millimetres: 5 } as const;
/** A file of frames ends with a whole one: lengths that differ by less than that of 24 a second are the same, s. */
const SAME_LENGTH = 1 / 24;
/** Points of a curve at most. */
const MAX_POINTS = 600;
const DIGITS = { degrees: 3, millimetres: 2 } as const;
const UNITS = { degrees: '°', millimetres: ' mm' } as const;
type Kind = keyof typeof UNITS;

/** Deterministic: the same clip gives the same bytes. */
export function convertHtml(clip: ConvertedClip): Uint8Array {
  const { source, input, output, figure, motion, back, what, warnings } = clip;
  const own = source.human && { human: source.human };
  const humanoid = humanoidOf({ figure, ...own });
  const length = motion.end - motion.start;
  const drawn = source.figure.bones.length === figure.bones.length ? { drawn: source.drawn } : {};
  const shown: PlayedFigure[] = [
    {
      title: back ? `before: ${basename(input)}` : basename(input),
      figure,
      ...drawn,
      ...(humanoid && { humanoid }),
    },
  ];
  const times = evenTimes(
    0,
    back ? Math.min(length, back.motion.end - back.motion.start) : length,
    SHOWN_RATE,
  );
  let compared: Differences | undefined;
  if (back) {
    const named = back.figure === figure ? humanoid : humanoidOf({ figure: back.figure, ...own });
    const other = named ?? humanoidOf({ figure: back.figure });
    compared = differencesOf({ figure, motion, humanoid }, { ...back, humanoid: other }, SHOWN_RATE);
    shown.push({
      title: `after: ${basename(output as string)}`,
      ground: 'first',
      figure: back.figure,
      ...(back.figure.bones.length === figure.bones.length && drawn),
      ...(other && { humanoid: other }),
    });
  }
  const title = `'${motion.name}' of ${figure.name}`;
  const told: (readonly [string, string])[] = [
    ['from', input],
    ['to', `${output ?? 'standard output'}: ${what}`],
    ['length', `${decimals(length)} s`],
    ['skeleton', count(figure.bones.length, 'bone')],
    ...(compared ? [['compared', comparedText(compared)] as const] : []),
    ...(compared && compared.rotated > SAME.degrees
      ? [
          [
            'rotated',
            `the written figure stands rotated by ${decimals(compared.rotated, 1)}°: compared without that`,
          ] as const,
        ]
      : []),
  ];
  const take = {
    name: motion.name,
    times: times.map((time) => time + motion.start),
    motions: back ? [motion, back.motion] : [motion],
  };
  const sections: Section[] = [
    {
      title: back ? 'Before and after' : 'The clip',
      body:
        player(shown, [take]) +
        note('Drag the picture or use the arrow keys to turn it. Blue: left, grey: right.'),
    },
    { title: 'What the conversion changed', body: compared ? differenceCharts(compared) : '' },
    { title: 'The motion', body: clipCharts(figure, motion, humanoid) },
    { title: 'Bones', body: compared ? boneTable(compared) : '' },
  ];
  const lead = compared ? verdictOf(compared) : '';
  const about = [facts(told), warningList(warnings)];
  return new TextEncoder().encode(page({ title, lead, about, sections, programs: [PLAYER] }));
}

/** What was compared, in words. */
function comparedText({ times, available, lengths }: Differences): string {
  const chosen = times.length < available ? `${times.length} of ` : '';
  const over = Math.abs(lengths[1] - lengths[0]) > SAME_LENGTH ? `${decimals(Math.min(...lengths))} s, ` : '';
  return `${over}${chosen}${count(available, 'moment')}: the samples of the clip and, between those farther apart, ${SHOWN_RATE} a second`;
}

interface Worst {
  readonly value: number;
  readonly bone: string;
  readonly time: number;
}

function worstOf({ bones, times }: Differences, kind: Kind): Worst {
  let worst: Worst = { value: 0, bone: '', time: 0 };
  for (const bone of bones) {
    bone[kind].forEach((value, k) => {
      if (value > worst.value) worst = { value, bone: bone.bone, time: times[k] };
    });
  }
  return worst;
}

function sizeText(value: number, kind: Kind): string {
  return `${decimals(value, DIGITS[kind])}${UNITS[kind]}`;
}

function verdictOf(differences: Differences): string {
  const { bones, lost, lengths } = differences;
  if (bones.length === 0) return verdict(false, 'The written file has none of these bones.');
  const [turn, move] = (['degrees', 'millimetres'] as const).map((kind) => worstOf(differences, kind));
  const longer = lengths[1] - lengths[0];
  const hasLength = Math.abs(longer) <= SAME_LENGTH;
  const isSame =
    turn.value <= SAME.degrees && move.value <= SAME.millimetres && hasLength && lost.length === 0;
  const said = (worst: Worst, kind: Kind): string => {
    const size = sizeText(worst.value, kind);
    return Number.parseFloat(size) === 0
      ? size
      : `${size} (${escaped(worst.bone)} at ${decimals(worst.time, 2)} s)`;
  };
  const gone =
    lost.length === 0
      ? ''
      : ` ${count(lost.length, 'moving bone')} not in the file: ${escaped(lost.join(', '))}.`;
  const other = hasLength
    ? ''
    : ` It is ${decimals(Math.abs(longer))} s ${longer < 0 ? 'shorter' : 'longer'} than the clip.`;
  return verdict(
    isSame,
    `<b>${isSame ? 'The same motion' : 'The motion changed'}</b>: read again, bones are turned by ${said(turn, 'degrees')} and displaced by ${said(move, 'millimetres')} at most.${other}${gone}`,
  );
}

function differenceCharts({ bones, times }: Differences): string {
  const { first, peaks } = thinned(times.length, MAX_POINTS);
  const charts = (['degrees', 'millimetres'] as const).map((kind) =>
    chart({
      title: kind === 'degrees' ? 'How far bones are turned' : 'How far joints are displaced',
      x: first.map((k) => times[k]),
      xName: 's',
      yName: kind === 'degrees' ? 'degrees' : 'mm',
      series: [
        {
          name: 'largest of all bones',
          color: CURVES[1],
          values: peaks((k) => bones.reduce((most, bone) => Math.max(most, bone[kind][k]), 0)),
        },
        {
          name: 'mean of all bones',
          color: CURVES[0],
          values: peaks((k) => bones.reduce((sum, bone) => sum + bone[kind][k], 0) / bones.length),
        },
      ],
    }),
  );
  return bones.length === 0 ? '' : `<div class="charts">${charts.join('')}</div>`;
}

function boneTable({ bones, times }: Differences): string {
  const rows = bones.map((bone: BoneDifference) => {
    const cells = (['degrees', 'millimetres'] as const).flatMap((kind) => {
      const values = bone[kind];
      const at = values.reduce((most, value, k) => (value > values[most] ? k : most), 0);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const most = sizeText(values[at], kind);
      const when = Number.parseFloat(most) === 0 ? '' : ` at ${times[at].toFixed(2)} s`;
      return [sizeText(mean, kind), `${most}${when}`];
    });
    return [bone.bone, ...cells];
  });
  const numbers = ['turned, mean', 'at most', 'displaced, mean', 'at most'].map((number) => ({ number }));
  return htmlTable(['bone', ...numbers], rows);
}
