import { getDocument, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';

export interface ReadPdf {
  /** Text of each page. */
  pages: string[];
  /** Widths of lines, in their own units. */
  lineWidths: ReadonlySet<number>;
  title: string | undefined;
  language: string | undefined;
}

/** Reads the text of a PDF file in base64. */
export async function readPdf(content: string): Promise<ReadPdf> {
  const task = getDocument({ data: Uint8Array.from(Buffer.from(content, 'base64')), verbosity: 0 });
  const pdf = await task.promise;
  const pages: string[] = [];
  const lineWidths = new Set<number>();
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const { fnArray, argsArray } = await page.getOperatorList();
    for (const [at, operator] of fnArray.entries())
      if (operator === OPS.setLineWidth) lineWidths.add((argsArray[at] as [number])[0]);
    pages.push(items.map((item) => ('str' in item ? item.str : '')).join(''));
  }
  const { info } = (await pdf.getMetadata()) as { info: { Title?: string; Language?: string } };
  await task.destroy();
  return { pages, lineWidths, title: info.Title, language: info.Language };
}
