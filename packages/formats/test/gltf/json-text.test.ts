import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyEdits, elementSpans, memberSpans, rootSpan, setMembers } from '../../src/text/json-text.js';

/** JSON text with white space wherever the grammar allows it. */
const spaced = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t', ' \n'))
  .map(([value, indent]) => ({ value, text: `  ${JSON.stringify(value, null, indent)} \n` }));

test('the root span holds the value and no space', () => {
  fc.assert(
    fc.property(spaced, ({ value, text }) => {
      const { start, end } = rootSpan(text);
      expect(JSON.parse(text.slice(start, end))).toEqual(JSON.parse(JSON.stringify(value)));
      expect(text.slice(start, end)).toBe(text.trim());
    }),
  );
});

test('spans of members and elements are the values that JSON.parse gives', () => {
  fc.assert(
    fc.property(spaced, ({ text }) => {
      const root = rootSpan(text);
      const parsed: unknown = JSON.parse(text);
      const at = ({ start, end }: { start: number; end: number }) =>
        JSON.parse(text.slice(start, end)) as unknown;
      if (Array.isArray(parsed)) expect(elementSpans(text, root).map(at)).toEqual(parsed);
      else if (typeof parsed === 'object' && parsed !== null) {
        const members = memberSpans(text, root);
        expect(members.size).toBe(Object.keys(parsed).length);
        for (const [key, span] of members) expect(at(span)).toEqual((parsed as Record<string, unknown>)[key]);
      }
    }),
    { numRuns: 300 },
  );
});

test('setting members changes them and leaves the text of all others alone', () => {
  const key = fc.constantFrom('a', 'b', '"quoted"', 'ünï', '\\', '}');
  fc.assert(
    fc.property(fc.dictionary(key, fc.jsonValue()), fc.dictionary(key, fc.jsonValue()), (before, changes) => {
      const text = ` ${JSON.stringify(before, null, 2)}`;
      const values = new Map(Object.entries(changes).map(([name, value]) => [name, JSON.stringify(value)]));
      const after = applyEdits(text, setMembers(text, rootSpan(text), values));
      const clean = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
      expect(JSON.parse(after)).toEqual(clean({ ...before, ...changes }));
      if (Object.keys(changes).length === 0) expect(after).toBe(text);
    }),
  );
});

test('what JavaScript cannot hold survives beside an edit: -0, long integers, 1.0, repeated keys, 1e999', () => {
  const rest = '"extras":{"id":12345678901234567890,"z":-0.0,"one":1.0,"huge":1e999,"k":1,"k":2}';
  const text = `{"nodes":[{"rotation":[0,0,0,1]}],${rest}}`;
  const nodes = memberSpans(text, rootSpan(text)).get('nodes');
  const [node] = elementSpans(text, nodes ?? { start: 0, end: 0 });
  const edited = applyEdits(text, setMembers(text, node, new Map([['rotation', '[1,0,0,0]']])));
  expect(edited).toBe(`{"nodes":[{"rotation":[1,0,0,0]}],${rest}}`);
});

test('of repeated keys the last one is edited, which is the one that readers see', () => {
  const text = '{"a":1,"a":2}';
  expect(applyEdits(text, setMembers(text, rootSpan(text), new Map([['a', '3']])))).toBe('{"a":1,"a":3}');
});

test('nesting a hundred thousand deep costs no stack', () => {
  const depth = 100_000;
  const text = `{"a":${'['.repeat(depth)}${']'.repeat(depth)},"b":1}`;
  const span = memberSpans(text, rootSpan(text)).get('b');
  expect(text.slice(span?.start, span?.end)).toBe('1');
});
