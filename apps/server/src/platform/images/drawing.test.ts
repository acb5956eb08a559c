import { describe, expect, it } from 'vitest';
import { cleanDrawing, looksLikeDrawing } from './drawing.ts';

const drawing = (content: string, root = 'viewBox="0 0 400 200"') =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${root}>${content}</svg>`,
  );
const cleaned = async (content: string, root?: string) =>
  (await cleanDrawing('anna', drawing(content, root))).bytes.toString();

/** Creates nine levels, each of which repeats the previous one ten times. */
const unfolding = (again: (id: string) => string) =>
  `<g id="a0"><rect/></g>${Array.from({ length: 9 }, (_, i) => `<g id="a${i + 1}">${again(`a${i}`).repeat(10)}</g>`).join('')}`;

const HOSTILE = [
  ['a script', '<script>alert(1)</script>'],
  ['a script in another namespace', '<h:script xmlns:h="http://www.w3.org/1999/xhtml" src="x.js"/>'],
  ['a handler', '<rect onload="alert(1)" onclick="alert(1)"/>'],
  ['a page inside', '<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>'],
  ['a link', '<a href="javascript:alert(1)"><rect/></a>'],
  ['a picture from elsewhere', '<image href="https://example.com/look.png"/>'],
  ['a drawing in a drawing', '<image href="data:image/svg+xml;base64,AAAA"/>'],
  ['a symbol from elsewhere', '<use xlink:href="https://example.com/#s"/>'],
  ['a style from elsewhere', '<style>@import url(https://example.com/a.css);</style>'],
  ['a style that fetches', '<rect style="fill:url(https://example.com/#a)"/>'],
  ['a fetch that is written in escapes', '<rect style="fill:u\\72l(https://example.com/)"/>'],
  ['an attribute that fetches', '<rect filter="url(\'//example.com/#f\')"/>'],
  ['an animation that sets a link', '<animate attributeName="href" to="javascript:alert(1)"/>'],
] as const;
const FOREIGN = /script|alert|example\.com|onload|onclick|iframe|foreignObject|svg\+xml|import/i;

describe('sanitising SVG drawings', () => {
  it('a drawing keeps shapes, text, gradients, symbols and styles', async () => {
    const parts = [
      '<linearGradient id="g"><stop offset="1"/></linearGradient>',
      '<symbol id="door"><path d="M0 0h1"/></symbol>',
      '<use href="#door"/>',
      '<rect fill="url(#g)" width="5"/>',
      '<style>.wall{stroke:#000}</style>',
      '<text x="3">冷库 Cámara 2</text>',
      '<image xlink:href="data:image/png;base64,AAAA" width="5"/>',
    ];
    const kept = await cleaned(parts.join(''));
    for (const part of parts) expect(kept).toContain(part);
  });

  it('a drawing loses scripts, links and external references, and nothing else', async () => {
    const kept = await cleaned(
      HOSTILE.map(([, content], at) => `<g id="g${at}">${content}<circle r="7"/></g>`).join(''),
      'viewBox="0 0 4 2" onload="alert(1)"',
    );
    const parts = kept.split('<g ').slice(1);
    const wrong = HOSTILE.filter(
      (_, at) => !parts[at]?.includes('<circle r="7"/></g>') || FOREIGN.test(parts[at] as string),
    );
    expect(parts).toHaveLength(HOSTILE.length);
    expect(wrong.map(([words]) => words)).toEqual([]);
    expect(kept).not.toMatch(FOREIGN);
  });

  it('a drawing gets a size with the proportions of its content', async () => {
    expect(await cleanDrawing('anna', drawing(''))).toMatchObject({ width: 2000, height: 1000 });
    expect(await cleanDrawing('anna', drawing('', 'width="297mm" height="420mm"'))).toMatchObject({
      width: 1414,
      height: 2000,
      mediaType: 'image/svg+xml',
    });
  });

  it.each([
    ['it is truncated', drawing('<rect/>').subarray(0, 60)],
    ['it has no size', drawing('', '')],
    ['it is a line without an area', drawing('', 'viewBox="0 0 4000 1"')],
    ['its symbols expand without limit', drawing(unfolding((id) => `<use href="#${id}"/>`))],
    [
      'its fill patterns expand without limit',
      drawing(unfolding((id) => `<rect style="fill:url('#${id}')"/>`)),
    ],
    [
      'it is another kind of document',
      Buffer.from('<html xmlns="http://www.w3.org/1999/xhtml"><svg/></html>'),
    ],
  ])('a drawing is refused: %s', async (_words, bytes) => {
    await expect(cleanDrawing('anna', bytes)).rejects.toMatchObject({ code: 'upload.unreadable' });
  });

  it('a drawing may contain reference cycles, and references to the same element many times', async () => {
    const door = '<symbol id="door"><use href="#door"/></symbol>';
    expect(await cleaned(door + '<use href="#door"/>'.repeat(2_000))).toContain('<use href="#door"/>');
  });

  it('nested XML entities in a drawing are not expanded', async () => {
    const entities = Array.from({ length: 40 }, (_, i) => `<!ENTITY a${i + 1} "&a${i};&a${i};&a${i};">`);
    const head = Buffer.from(`<!DOCTYPE svg [<!ENTITY a0 "ha">${entities.join('')}]>`);
    const { bytes } = await cleanDrawing('anna', Buffer.concat([head, drawing('<text>&a40;</text>')]));
    expect(bytes.length).toBeLessThan(1000);
  });
});

it.each([
  ['<svg xmlns="http://www.w3.org/2000/svg"/>', true],
  ['\uFEFF<?xml version="1.0"?>\n<!-- CAD --><!DOCTYPE svg><svg viewBox="0 0 1 1"/>', true],
  ['<html><body>', false],
  ['%PDF-1.7 <svg>', false],
  ['', false],
])('whether %j looks like a drawing is %s', (text, is) => {
  expect(looksLikeDrawing(Buffer.from(text))).toBe(is);
});
