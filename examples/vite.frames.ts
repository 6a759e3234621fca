import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Groups of pages, in the order of the gallery, by what `<meta name="group">` says of them. */
const GROUPS = {
  lesson: { title: 'Lessons', about: 'From one rotation to whole motions, each a page to play with.' },
  gallery: { title: 'Gallery', about: 'What can be built of it, with the code beside each.' },
} as const;

type Group = keyof typeof GROUPS;

/** An example, as its own page describes it. */
export interface Page {
  /** Of its folder. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly group: Group;
  /** Among those of its group. */
  readonly order: number;
}

/** Folders that have no page of their own. */
const OTHERS = ['dist', 'node_modules', 'shared', 'test'];

/** Every folder with an index.html is a page, in the order in which one reads them: those that say no order are the last. */
export const pages: readonly Page[] = readdirSync(root)
  .filter((name) => !OTHERS.includes(name) && existsSync(join(root, name, 'index.html')))
  .map(read)
  .sort(
    (a, b) =>
      Object.keys(GROUPS).indexOf(a.group) - Object.keys(GROUPS).indexOf(b.group) ||
      a.order - b.order ||
      a.title.localeCompare(b.title),
  );

function read(name: string): Page {
  const html = readFileSync(join(root, name, 'index.html'), 'utf8');
  const meta = (key: string) => new RegExp(`<meta\\s+name="${key}"\\s+content="([^"]*)"`).exec(html)?.[1];
  const group = meta('group');
  return {
    name,
    title: /<title>([^<]*)<\/title>/.exec(html)?.[1] ?? name,
    description: meta('description') ?? '',
    group: group === 'lesson' || (group === undefined && name.startsWith('lesson-')) ? 'lesson' : 'gallery',
    order: Number(meta('order') ?? Number.POSITIVE_INFINITY),
  };
}

/** Cards of the gallery, and what is around each page: the way back, to its neighbours, and to its code. */
export const frames: Plugin = {
  name: 'frames',
  transformIndexHtml: {
    order: 'pre',
    handler(html, { filename }) {
      const folder = dirname(filename);
      const index = pages.findIndex(({ name }) => name === basename(folder));
      const isGallery = index < 0;
      const shared = isGallery ? './shared' : '../shared';
      return html
        .replace('<!-- pages -->', () =>
          Object.keys(GROUPS)
            .map((group) => cards(group as Group))
            .join('\n'),
        )
        .replace(
          /<meta name="viewport"/,
          (first) => `<link rel="stylesheet" href="${shared}/frame.css" />\n    ${first}`,
        )
        .replace(/<link rel="icon" href="data:," \/>/, () => ICON)
        .replace('</head>', () => `<script type="module" src="${shared}/frame.ts"></script>\n  </head>`)
        .replace(/<body[^>]*>/, (body) => `${body}\n${isGallery ? bar('../', '') : barOf(index)}`);
    },
  },
};

const ICON = `<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%23233044'/%3E%3Cpath d='M9 25 15 14l8-5' fill='none' stroke='%23fff' stroke-width='3' stroke-linecap='round' stroke-linejoin='round'/%3E%3Ccircle cx='15' cy='14' r='3' fill='%235b8def'/%3E%3C/svg%3E" />`;

function cards(group: Group): string {
  const { title, about } = GROUPS[group];
  const own = pages.filter((page) => page.group === group);
  if (own.length === 0) return '';
  return `<section aria-labelledby="${group}">
  <h2 id="${group}">${title}</h2>
  <p>${about}</p>
  <ol class="cards" data-group="${group}">
    ${own.map(card).join('\n    ')}
  </ol>
</section>`;
}

function card({ name, title, description }: Page): string {
  const picture = `${name}/thumbnail.webp`;
  const image = existsSync(join(root, picture))
    ? `<img src="./${picture}" alt="" width="480" height="300" loading="lazy" />`
    : '<span class="blank"></span>';
  return `<li><a href="./${name}/">${image}<span class="title">${title}</span></a><p>${description}</p></li>`;
}

function barOf(index: number): string {
  const { name, title, group } = pages[index];
  const own = pages.filter((page) => page.group === group);
  const place = `${group === 'lesson' ? `<span class="place">${own.indexOf(pages[index]) + 1} of ${own.length}</span> ` : ''}`;
  const to = (page: Page | undefined, says: string, path: string) =>
    page === undefined
      ? ''
      : `<a class="icon" href="../${page.name}/" aria-label="${says}: ${page.title}" title="${page.title}"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="${path}" /></svg></a>`;
  return bar(
    '../../',
    `<div class="here">${to(pages[index - 1], 'Previous', 'm12 5-5 5 5 5')}<span class="title">${place}${title}</span>${to(pages[index + 1], 'Next', 'm8 5 5 5-5 5')}</div>
    <button type="button" id="view-code" aria-expanded="false" data-page="${name}">View code</button>`,
  );
}

/** @param studio - Address of the studio. */
function bar(studio: string, rest: string): string {
  const learn = rest === '' ? '<a href="./" aria-current="page">Learn</a>' : '<a href="../">Learn</a>';
  return `<nav class="frame" aria-label="Poise">
    <a class="home" href="${studio}" title="The studio">Poise</a>
    ${learn}
    ${rest}
    <button type="button" id="scheme" class="icon" aria-pressed="false" aria-label="Dark colours"><svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="6.5" /><path class="filled" d="M10 3.5a6.5 6.5 0 0 1 0 13z" /></svg></button>
  </nav>`;
}
