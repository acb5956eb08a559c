import { expect, test } from 'vitest';
import { readPdf } from '../../testing/read-pdf.ts';
import { FAMILY, layOut, type PdfDefinition } from './pdf-thread.ts';

const definition = (text: string, pages = 1): PdfDefinition => ({
  defaultStyle: { font: FAMILY },
  header: 'Header',
  foot: { stack: ['Page {page} of {pages}'] },
  content: Array.from({ length: pages }, (_, page) =>
    page === 0 ? { text } : { text: `${text} ${page + 1}`, pageBreak: 'before' as const },
  ),
});

const pagesOf = async (bytes: Buffer): Promise<string[]> => (await readPdf(bytes.toString('base64'))).pages;

test('each page has its number, and texts in Chinese are readable', async () => {
  const pages = await pagesOf(await layOut(definition('疫苗冰箱', 3)));
  expect(pages).toHaveLength(3);
  pages.forEach((text, at) => {
    expect(text).toContain(`Page ${at + 1} of 3`);
    expect(text).toContain('疫苗冰箱');
  });
});

test('documents at the same time are not mixed up', async () => {
  const texts = ['First', 'Second', 'Third'];
  const made = await Promise.all(texts.map((text) => layOut(definition(text)).then(pagesOf)));
  made.forEach((pages, at) => {
    for (const each of texts) expect(pages.join().includes(each)).toBe(each === texts[at]);
  });
});

test.each([
  ['cannot be laid out', { image: 'data:image/png;base64,no picture' }],
  ['refers to a file', { image: '/etc/passwd' }],
  ['refers to an address', { image: 'http://127.0.0.1:9/picture.png' }],
  ['contains a function', { text: 'x', margin: (() => 1) as never }],
])('a document that %s fails alone', async (_what, content) => {
  const faulty = layOut({ ...definition('Faulty'), content });
  const next = layOut(definition('Next'));
  await expect(faulty).rejects.toThrow();
  expect((await pagesOf(await next)).join()).toContain('Next');
});
