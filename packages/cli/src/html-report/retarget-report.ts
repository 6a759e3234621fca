/** What retargeting did to a clip, as one self-contained HTML file: a player, contacts, curves, bones. */
import { decimals } from '../io/parse-number.js';
import { type PhysicalReport, spansText } from '../retarget/physical.js';
import type { RetargetedClip } from '../retarget/retarget-clip.js';
import { contactName, degrees, percent, placeOf, type RetargetClipReport } from '../retarget/summary.js';
import { chart, thinned } from './chart.js';
import { CURVES, escaped } from './markup.js';
import { facts, htmlTable, note, page, type Section, verdict, warningList } from './page.js';
import { PLAYER, player } from './player.js';
import { spansWhere, timeline } from './timeline.js';

/** Points of a curve at most. */
const MAX_POINTS = 600;
/** Bones whose limits have a row. */
const MAX_ROWS = 16;

/** A contact that is farther off is lost, mm. */
const KEPT_UP_TO = [{ value: 5, name: 'a contact is kept up to here' }];

/** Share of the frames of contact that are kept in a good result. */
const KEPT_SHARE = 0.98;

const KEPT = CURVES[2];
const LOST = CURVES[1];

/** Deterministic: the same clip and rig give the same bytes. */
export function retargetHtml(retargeted: RetargetedClip, said: RetargetClipReport): Uint8Array {
  const { clip, retargeter, from, to, motion, report } = retargeted;
  const { times, bones, contacts } = report;
  const { summary, worst } = said;
  const title = `'${said.clip.name}' of ${said.source.figure} on ${said.target.figure}`;
  const told: (readonly [string, string])[] = [
    ['clip', `${said.clip.path}, ${decimals(motion.end - motion.start)} s, ${times.length} frames`],
    ['limits at work', `in ${percent(summary.limitedFrames)} of the frames`],
    [
      'directions of the limbs',
      `${degrees(summary.meanOrientationError)} off in the mean, ${degrees(summary.maxOrientationError)} at most${placeOf(worst.orientation)}`,
    ],
    ['jerk', `${summary.jerkRatio.toFixed(2)} of the clip's`],
    ['path of the hips', `times ${decimals(said.scale)}`],
    ...(said.physical === undefined ? [] : [['physics', physicsText(said.physical)] as const]),
  ];
  const { first, peaks } = thinned(times.length, MAX_POINTS);
  const x = first.map((f) => times[f]);
  const feet = (what: 'sliding' | 'penetration') =>
    contacts.map((contact, k) => ({
      name: contactName(contact),
      color: CURVES[k % CURVES.length],
      values: peaks((f) => contact[what][f]),
    }));
  const errorAt = (f: number, b: number): number => report.orientationError[bones.length * f + b];
  const start = times[0];
  const end = times[times.length - 1];
  const limited = said.limits
    .slice(0, MAX_ROWS)
    .map(({ bone }) => bones.indexOf(bone as (typeof bones)[number]));
  const { alignment } = retargeter;
  const clipFigure = {
    title: `the clip: ${said.source.figure}`,
    figure: clip.figure,
    humanoid: from,
    legs: alignment.source.legs,
  };
  const result = {
    title: `the result: ${said.target.figure}`,
    figure: retargeter.target,
    humanoid: to,
    legs: alignment.result.legs,
  };
  const take = { name: said.clip.name, times, motions: [clip.motion, motion], contacts };
  const sections: Section[] = [
    {
      title: 'The clip and the result',
      body: `${player(
        [clipFigure, { ...result, ground: retargeter.ground }],
        [take],
      )}${note('Drag the picture or use the arrow keys to turn it. Blue: left, grey: right, orange: a foot on the ground.')}`,
    },
    {
      title: 'Contacts',
      body: `${timeline(
        'Contacts with the ground',
        contacts.map((contact) => ({
          name: contactName(contact),
          spans: [
            ...spansWhere(times, (f) => contact.inContact[f] === 1 && contact.kept[f] === 1, KEPT),
            ...spansWhere(times, (f) => contact.inContact[f] === 1 && contact.kept[f] !== 1, LOST),
          ],
        })),
        start,
        end,
      )}${note('Contacts of the clip; green where the result keeps them (no more than 5 mm off, the dashed line below), orange where not.')}`,
    },
    {
      title: 'Feet and hands',
      body: `<div class="charts">${[
        chart({
          title: 'Sliding since the contact began',
          x,
          xName: 's',
          yName: 'mm',
          series: feet('sliding'),
          levels: KEPT_UP_TO,
        }),
        chart({
          title: 'Depth below the ground',
          x,
          xName: 's',
          yName: 'mm',
          series: feet('penetration'),
          levels: KEPT_UP_TO,
        }),
      ].join('')}</div>`,
    },
    {
      title: 'Directions of the limbs',
      body: `<div class="charts">${chart({
        title: 'Angle to what the clip asks for',
        x,
        xName: 's',
        yName: 'degrees',
        series: [
          {
            name: 'largest of all bones',
            color: CURVES[1],
            values: peaks((f) => bones.reduce((most, _, b) => Math.max(most, errorAt(f, b)), 0)),
          },
          {
            name: 'mean',
            color: CURVES[0],
            values: peaks((f) => bones.reduce((sum, _, b) => sum + errorAt(f, b), 0) / bones.length),
          },
        ],
      })}</div>`,
    },
    {
      title: 'Limits at work',
      body:
        limited.length === 0
          ? ''
          : timeline(
              'Joints at their limits',
              limited.map((b) => ({
                name: bones[b],
                spans: spansWhere(times, (f) => report.atLimit[bones.length * f + b] === 1, CURVES[3]),
              })),
              start,
              end,
            ),
    },
    { title: 'Bones', body: boneTable(said) },
  ];
  const lead = verdictOf(said);
  const about = [facts(told), warningList(said.warnings)];
  return new TextEncoder().encode(page({ title, lead, about, sections, programs: [PLAYER] }));
}

function physicsText({ status, far, residual: { before, after }, sliding }: PhysicalReport): string {
  const where = far.length > 0 ? `, another motion than the clip from ${spansText(far)}` : '';
  return `${status}${where}: force and torque at the root that neither gravity nor contacts give ${percent(before.mean)} of the weight in the mean before, ${percent(after.mean)} after; contact points slide by ${sliding.toFixed(2)} mm at most. The player has the result; all numbers and curves beside these are of the clip before`;
}

/** Feet first: what a viewer sees at once. */
function verdictOf({ summary, worst }: RetargetClipReport): string {
  const { maxSliding, maxPenetration, contactsKept } = summary;
  const isGood = contactsKept >= KEPT_SHARE && Math.max(maxSliding, maxPenetration) <= KEPT_UP_TO[0].value;
  const mm = (value: number): string => `${value.toFixed(2)} mm`;
  return verdict(
    isGood,
    `<b>${isGood ? 'Feet stay where they stand' : 'Look at the feet'}</b>: contacts slide by ${mm(maxSliding)} at most${escaped(placeOf(worst.sliding))}, are ${mm(maxPenetration)} below the ground at most${escaped(placeOf(worst.penetration))}, and ${percent(contactsKept)} of them are kept.`,
  );
}

function boneTable({ bones, source, target, limits }: RetargetClipReport): string {
  const shares = new Map(limits.map(({ bone, share }) => [bone, share]));
  const rows = bones.map(({ bone, meanError, maxError, at, jerkRatio }) => {
    const [own, theirs] = [source, target].map((figure) =>
      Object.hasOwn(figure.bones, bone) ? figure.bones[bone] : undefined,
    );
    return [
      bone,
      own ? `${own.bone} (${decimals(own.confidence, 2)})` : '',
      theirs ? `${theirs.bone} (${decimals(theirs.confidence, 2)})` : '',
      degrees(meanError),
      maxError < 0.05 ? '0°' : `${degrees(maxError)} at ${at.toFixed(2)} s`,
      jerkRatio === null ? '-' : jerkRatio.toFixed(2),
      shares.has(bone) ? percent(shares.get(bone) as number) : '',
    ];
  });
  const numbers = ['mean angle', 'largest angle', 'jerk ratio', 'at a limit'].map((number) => ({ number }));
  return htmlTable(['bone', 'of the clip (how sure)', 'of the rig (how sure)', ...numbers], rows);
}
