/** A report as one self-contained HTML file. */
import { escaped } from './markup.js';

/** @param parts - Markup; empty ones are left out. */
export function page(title: string, parts: readonly string[]): string {
  return (
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>` +
    `<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>\n${parts.filter((text) => text !== '').join('\n')}\n</body></html>\n`
  );
}

const STYLE = `
body{font:15px/1.5 system-ui,sans-serif;color:#222;background:#fff;margin:2rem auto;max-width:1080px;padding:0 1rem}
h1{font-size:1.5rem;margin:0 0 .3rem}h2{font-size:1.1rem;margin:1.8rem 0 .5rem}
.verdict{padding:.5rem .8rem;border-left:4px solid}.verdict.good{background:#e8f5ef;border-color:#009e73}.verdict.poor{background:#fdf0e6;border-color:#d55e00}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1.2rem;margin:0}dt{color:#666}dd{margin:0;overflow-wrap:anywhere}
.note{color:#666;font-size:.85rem}.wide{overflow-x:auto}.strip{max-width:100%;height:auto;display:block;margin:.4rem 0}
.charts{display:flex;flex-wrap:wrap;gap:.8rem}.chart{margin:0}.chart svg{display:block;width:340px;max-width:100%}.chart svg[viewBox^="0 0 520"]{width:520px}
figcaption{font-size:.8rem;max-width:340px}.key{margin-left:.7rem;white-space:nowrap;color:#555}.key i{display:inline-block;width:.8rem;height:.25rem;margin-right:.3rem;vertical-align:middle}
svg text{font:10px system-ui,sans-serif;fill:#666}.grid{stroke:#e5e5e5;fill:none}.level{stroke:#b00020;stroke-dasharray:5 3;fill:none}.curve{fill:none;stroke-width:1.4;stroke-linejoin:round}
.stick{fill:none;stroke-width:2.4;stroke-linecap:round;stroke-linejoin:round;stroke:#444}.stick.far{stroke:#9db4c6;stroke-width:2}.stick.near{stroke:#0b3c5d}.floor{stroke:#999;fill:none}.force{stroke:#d55e00;stroke-width:1.4;fill:none}
table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;padding:.2rem .7rem .2rem 0;border-bottom:1px solid #e5e5e5}.number{font-variant-numeric:tabular-nums;white-space:nowrap;position:relative}.number i{position:absolute;left:0;bottom:0;height:3px;background:#0072b2}
pre{font-size:.75rem;white-space:pre-wrap;overflow-wrap:anywhere}`;
