import { afterEach, expect, it } from 'vitest';
import { Loaded } from '../src/session/lazy-component.js';
import { useStudio } from '../src/session/store.js';

afterEach(() => useStudio.setState({ problem: '' }));

it('what cannot be loaded is said, and is asked for again the next time', async () => {
  let count = 0;
  let hasNetwork = false;
  const load = async () => {
    count++;
    if (!hasNetwork) throw new TypeError('Failed to fetch dynamically imported module');
    return 'rings';
  };
  const rings = new Loaded(load, 'The rings that turn a part');
  await Promise.all([rings.ask(), rings.ask()]);
  expect(count).toBe(1);
  expect(rings.it).toBeUndefined();
  expect(useStudio.getState().problem).toBe(
    'The rings that turn a part could not be loaded: try again with a network.',
  );
  hasNetwork = true;
  await rings.ask();
  expect([count, rings.it, useStudio.getState().problem]).toEqual([2, 'rings', '']);
});
