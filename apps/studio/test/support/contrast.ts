/** Contrast of what is no text (WCAG 1.4.11), read of the styles that a page computes. Runs in the page: it refers to nothing outside. */

/**
 * Borders of controls, their icons, and what stands for one that has neither text nor icon, below a contrast to what is behind them. Disabled
 * controls and what lies on the picture are left out.
 */
export function lowContrasts(least: number): { readonly faults: string[]; readonly seen: number } {
  type Colour = readonly [r: number, g: number, b: number, a: number];
  const CONTROLS = 'button, select, input, textarea, summary, .segments, .dot';
  const SHAPES = 'path, circle, line, rect, polyline, polygon, ellipse';
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const known = new Map<string, Colour>();

  function colourOf(text: string): Colour {
    let colour = known.get(text);
    if (colour === undefined && context !== null) {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = text;
      context.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
      colour = [r, g, b, a / 255];
      known.set(text, colour);
    }
    return colour ?? [0, 0, 0, 0];
  }

  const over = ([r, g, b, a]: Colour, [x, y, z]: Colour): Colour => [
    a * r + (1 - a) * x,
    a * g + (1 - a) * y,
    a * b + (1 - a) * z,
    1,
  ];
  const faded = ([r, g, b, a]: Colour, opacity: number): Colour => [r, g, b, a * opacity];

  /** What is behind an element, and how opaque its ancestors let it be. */
  function behind(element: Element): Colour {
    const { parentElement: parent } = element;
    if (parent === null) return [255, 255, 255, 1];
    return over(colourOf(getComputedStyle(parent).backgroundColor), behind(parent));
  }

  function opacityOf(element: Element): number {
    const own = Number(getComputedStyle(element).opacity);
    return element.parentElement === null ? own : own * opacityOf(element.parentElement);
  }

  function luminance([r, g, b]: Colour): number {
    const [x, y, z] = [r, g, b].map((value) =>
      value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  }

  function contrast(colour: Colour, ground: Colour): number {
    const [a, b] = [over(colour, ground), ground].map(luminance);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }

  /** Colours that a box is drawn with. */
  function boxColours(style: CSSStyleDeclaration): string[] {
    const hasBorder = Number.parseFloat(style.borderTopWidth) > 0 && style.borderTopStyle !== 'none';
    const shadow = /^(?:rgba?|color|oklab)\([^)]*\)/.exec(style.boxShadow);
    return [style.backgroundColor, ...(hasBorder ? [style.borderTopColor] : []), ...(shadow ?? [])];
  }

  function isShown(element: Element): boolean {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true });
  }

  /** As short as it is still found by somebody who reads it. */
  function nameOf(element: Element): string {
    const parts: string[] = [];
    for (let at: Element | null = element; at !== null && parts.length < 4; at = at.parentElement)
      parts.unshift(`${at.tagName.toLowerCase()}${[...at.classList].map((each) => `.${each}`).join('')}`);
    const control = element.closest('button, select, input, summary');
    const label = control?.getAttribute('aria-label') ?? control?.textContent?.slice(0, 30) ?? '';
    return `${parts.join(' > ')} (${label})`;
  }

  const faults = new Set<string>();
  let seen = 0;
  function check(element: Element, what: string, colours: readonly string[], ground: Colour): void {
    const opacity = opacityOf(element);
    const best = colours.map((colour) => contrast(faded(colourOf(colour), opacity), ground));
    seen++;
    const most = best.reduce((a, b) => Math.max(a, b), 0);
    if (most < least) faults.add(`${nameOf(element)}: ${what} ${most.toFixed(2)}:1, ${colours.join(' ')}`);
  }

  for (const control of document.querySelectorAll(CONTROLS)) {
    if (control.matches(':disabled, [aria-disabled=true], [data-handle]') || !isShown(control)) continue;
    if (control.closest('[inert], fieldset:disabled, .handles') !== null) continue;
    const style = getComputedStyle(control);
    const outside = behind(control);
    const inside = over(colourOf(style.backgroundColor), outside);
    const [, border] = boxColours({ ...style, boxShadow: 'none' } as CSSStyleDeclaration);
    const isNative = control.matches('[type=checkbox], [type=radio], [type=range], [type=file]');
    if (!isNative && border !== undefined && colourOf(border)[3] > 0)
      check(control, 'border', [border, style.backgroundColor], outside);
    const shapes = [...control.querySelectorAll(SHAPES)].filter(isShown);
    for (const shape of shapes) {
      const { fill, stroke } = getComputedStyle(shape);
      const colours = [fill, stroke].filter((colour) => colour !== 'none');
      if (colours.length > 0) check(shape, 'icon', colours, inside);
    }
    if (isNative) {
      if (style.accentColor !== 'auto' && style.opacity !== '0')
        check(control, 'accent', [style.accentColor], outside);
      continue;
    }
    if (shapes.length > 0 || control.textContent?.trim() || control.matches('input, textarea')) continue;
    const parts = [...control.querySelectorAll('*')].map((each) => getComputedStyle(each));
    const drawn = [
      style,
      ...parts,
      getComputedStyle(control, '::before'),
      getComputedStyle(control, '::after'),
    ];
    check(control, 'shape', drawn.flatMap(boxColours), outside);
  }
  return { faults: [...faults], seen };
}
