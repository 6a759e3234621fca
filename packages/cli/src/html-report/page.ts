/** A report as one self-contained HTML file, light or dark, whose text, tables and curves need no program. */
import { createHash } from 'node:crypto';
import { escaped } from './markup.js';

/** A part of a report under a heading. */
export interface Section {
  readonly title: string;
  /** Markup; without any the section is left out. */
  readonly body: string;
}

export interface Page {
  readonly title: string;
  /** Whether all is well, markup. */
  readonly lead: string;
  /** Facts and warnings, markup: they stand below the first section, which is what the report is opened for. */
  readonly about: readonly string[];
  readonly sections: readonly Section[];
  /** Programs of the page, which run in this order at its end. */
  readonly programs?: readonly string[];
}

export function page({ title, lead, about, sections: [first, ...others], programs = [] }: Page): string {
  // No address is loaded, and no other program runs, whatever a name of a file holds.
  const hashes = programs.map(
    (program) => `'sha256-${createHash('sha256').update(program).digest('base64')}'`,
  );
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src ${hashes.length > 0 ? hashes.join(' ') : "'none'"}; base-uri 'none'; form-action 'none'`;
  const sections = [first, { title: 'About', body: about.join('') }, ...others];
  const parts = [
    `<h1>${escaped(title)}</h1>`,
    lead,
    ...sections
      .filter(({ body }) => body !== '')
      .map((section) => `<section><h2>${escaped(section.title)}</h2>\n${section.body}\n</section>`),
    ...programs.map((program) => `<script>${program}</script>`),
  ];
  return (
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">` +
    `<title>${escaped(title)}</title><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><style>${STYLE}</style></head><body>\n` +
    `${parts.filter((text) => text !== '').join('\n')}\n</body></html>\n`
  );
}

/** Names and values. */
export function facts(pairs: readonly (readonly [name: string, value: string])[]): string {
  return `<dl>${pairs.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join('')}</dl>`;
}

/** One sentence, in a box: whether all is well. */
export function verdict(isGood: boolean, text: string): string {
  return `<p class="verdict ${isGood ? 'good' : 'poor'}">${text}</p>`;
}

export function warningList(warnings: readonly string[]): string {
  if (warnings.length === 0) return '';
  return `<ul class="warnings">${warnings.map((text) => `<li>${escaped(text)}</li>`).join('')}</ul>`;
}

export function note(text: string): string {
  return `<p class="note">${escaped(text)}</p>`;
}

/** What is below another thing, shut at first. @param summary - Text. */
export function details(summary: string, body: string): string {
  return `<details><summary>${escaped(summary)}</summary>${body}</details>`;
}

/** A column of a table; numbers are on the right. */
export type Column = string | { readonly number: string };

/** @param rows - Texts, which are escaped. */
export function htmlTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const isNumber = columns.map((column) => typeof column !== 'string');
  const cell = (tag: 'th' | 'td', text: string, c: number): string =>
    `<${tag}${isNumber[c] ? ' class="number"' : ''}>${escaped(text)}</${tag}>`;
  const head = columns.map((column, c) => cell('th', typeof column === 'string' ? column : column.number, c));
  const body = rows.map((row) => `<tr>${row.map((text, c) => cell('td', text, c)).join('')}</tr>`);
  return `<div class="wide"><table><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}

/** Colours of {@link CURVES} are chosen for 3 : 1 on the paper of each theme. */
const STYLE = `
:root{color-scheme:light dark;--paper:#fff;--ink:#222;--soft:#5b636e;--line:#dde1e6;--card:#f6f7f9;--good:#e8f5ef;--poor:#fdf0e6;--c0:#0072b2;--c1:#d55e00;--c2:#008f68;--c3:#b0548f;--c4:#a07400;--c5:#2b87b8;--left:#0b5c96;--right:#8199ad;--trunk:#4a5563;--touch:#d55e00;--force:#d55e00;--late:#a07400}
@media (prefers-color-scheme:dark){:root{--paper:#14171b;--ink:#e6e9ed;--soft:#a4adb8;--line:#343b44;--card:#1d2228;--good:#16302a;--poor:#3a2a1c;--c0:#56b4e9;--c1:#f2843d;--c2:#2fc79b;--c3:#e09ac0;--c4:#e8bd4a;--c5:#a3d8f7;--left:#5cb3ec;--right:#7f93a6;--trunk:#c3cad3;--touch:#f2843d;--force:#f2843d;--late:#e8bd4a}}
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:1.5rem auto;max-width:1112px;padding:0 1rem}
h1{font-size:1.4rem;line-height:1.3;margin:0 0 .5rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:1.6rem 0 .5rem}p{margin:.5rem 0}
.verdict{padding:.5rem .8rem;border-left:4px solid;overflow-wrap:anywhere}.verdict.good{background:var(--good);border-color:var(--c2)}.verdict.poor{background:var(--poor);border-color:var(--c1)}
dl{display:grid;grid-template-columns:fit-content(45%) 1fr;gap:.1rem 1.2rem;margin:.5rem 0}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.warnings{margin:.5rem 0;padding-left:1.2rem;font-size:.9rem;overflow-wrap:anywhere}.note{color:var(--soft);font-size:.85rem}
.wide{overflow-x:auto}.strip,.picture{max-width:100%;height:auto;display:block;margin:.4rem 0}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(340px,100%),1fr));gap:.8rem 1.2rem}.chart{margin:0;min-width:0}.chart svg{display:block;width:100%;max-width:520px}
figcaption{font-size:.85rem}.key{margin-right:.8rem;color:var(--soft);overflow-wrap:anywhere;display:inline-block}.key i{display:inline-block;width:.8rem;height:.2rem;margin-right:.3rem;vertical-align:middle;background:var(--of)}figcaption b{display:block}
svg text{font:11px system-ui,sans-serif;fill:var(--soft)}.grid{stroke:var(--line);fill:none}.level{stroke:var(--c1);stroke-dasharray:5 3;fill:none}.curve{fill:none;stroke-width:1.6;stroke-linejoin:round}
.stick{fill:none;stroke-width:2.4;stroke-linecap:round;stroke-linejoin:round;stroke:var(--trunk)}.stick.far{stroke:var(--right);stroke-width:2}.stick.near{stroke:var(--left)}.stick.head{fill:var(--paper)}.floor{stroke:var(--soft);fill:none}.force{stroke:var(--force);stroke-width:1.4;fill:none}
.rows{display:grid;grid-template-columns:fit-content(35%) 1fr;gap:.2rem .8rem;font-size:.8rem;align-items:center}.rows>span{color:var(--soft);text-align:right;overflow-wrap:anywhere}.rows>div{position:relative;height:.8rem;background:var(--card)}.rows i{position:absolute;top:0;bottom:0;min-width:2px;background:var(--of)}.rows>.axis{height:1.1rem;background:none;display:flex;justify-content:space-between;color:var(--soft);font-variant-numeric:tabular-nums}
table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0;border-bottom:1px solid var(--line)}th{font-weight:600}.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.share{position:relative}.share i{position:absolute;left:0;bottom:0;height:3px;background:var(--c0)}
summary{cursor:pointer;margin:.5rem 0}pre{font-size:.75rem;white-space:pre-wrap;overflow-wrap:anywhere}
.player{background:var(--card);border-radius:6px}.player canvas{display:block;width:100%;height:min(clamp(240px,52vh,420px),max(240px,75vw));touch-action:pan-y;cursor:grab}.player .names{display:flex;text-align:center;font-size:.85rem}.player .names span{flex:1;min-width:0;padding:0 .4rem;overflow-wrap:anywhere}
.controls{display:flex;flex-wrap:wrap;gap:.4rem .8rem;align-items:center;padding:.5rem .8rem}.controls input[type=range]{flex:1 1 10rem;min-width:6rem}.controls output{font-variant-numeric:tabular-nums;min-width:4rem}.controls select{max-width:100%}.controls button{min-width:4.2rem}
button,select{font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--soft);border-radius:4px;padding:.15rem .6rem}:focus-visible{outline:2px solid var(--c0);outline-offset:2px}
.beside{display:grid;grid-template-columns:minmax(0,20rem) minmax(0,1fr);gap:1.2rem}.beside td:last-child{min-width:13rem}.tree td:first-child{white-space:pre;font-family:ui-monospace,monospace;font-size:.85em}
.limits{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(240px,100%),1fr));gap:.8rem}.limit{background:var(--card);border-radius:6px;padding:.5rem .7rem;font-size:.85rem;overflow-wrap:anywhere}.limit svg{display:block;width:100%;max-width:220px;margin:.2rem auto}.limit .outside{color:var(--c1)}
.allowed{fill:var(--c0);fill-opacity:.16;stroke:var(--c0)}.dots{fill:none;stroke:var(--trunk);stroke-width:2;stroke-linecap:round;stroke-opacity:.7}.dots.beyond{stroke:var(--c1);stroke-opacity:1}.seen{fill:var(--trunk)}.beyond{fill:var(--c1)}
.limit-picture>svg{max-width:100%;height:auto;display:block}.limit-picture>svg>rect:first-of-type{fill:none}.limit-picture>svg>path{stroke:var(--right)}.limit-picture text{font-size:13px}
@media (max-width:700px){.beside{grid-template-columns:minmax(0,1fr)}body{margin:.8rem auto}.wide .strip{max-width:none}}
@media print{.player{display:none}}`;
