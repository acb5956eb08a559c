import { describe, expect, it } from 'vitest';
import { differenceOf } from './difference.ts';

const text = (id: string) => id.slice(id.lastIndexOf('.') + 1);

describe("a logged change as text in the user's language", () => {
  it.each([
    {
      what: 'made',
      before: null,
      after: { name: 'A' },
      rows: [{ field: 'name', before: undefined, after: 'A' }],
    },
    {
      what: 'deleted',
      before: { name: 'A' },
      after: null,
      rows: [{ field: 'name', before: 'A', after: undefined }],
    },
    {
      what: 'changed, in the order of the names',
      before: { b: 1, a: true },
      after: { a: false, b: 2 },
      rows: [
        { field: 'a', before: 'yes', after: 'no' },
        { field: 'b', before: '1', after: '2' },
      ],
    },
    {
      what: 'emptied',
      before: { a: 'x' },
      after: { a: null },
      rows: [{ field: 'a', before: 'x', after: '' }],
    },
    { what: 'nothing to show', before: null, after: null, rows: [] },
  ])('the changed fields are described: $what', ({ before, after, rows }) => {
    expect(differenceOf('crate', before, after, text)).toEqual(rows);
  });
});
