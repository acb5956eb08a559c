import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

export interface ReadPdf {
  /** Text of each page. */
  pages: string[];
  title: string | undefined;
  language: string | undefined;
}

/** Reads the text of a PDF file in base64. */
export async function readPdf(content: string): Promise<ReadPdf> {
  const task = getDocument({ data: Uint8Array.from(Buffer.from(content, 'base64')), verbosity: 0 });
  const pdf = await task.promise;
  const pages: string[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    pages.push(items.map((item) => ('str' in item ? item.str : '')).join(''));
  }
  const { info } = (await pdf.getMetadata()) as { info: { Title?: string; Language?: string } };
  await task.destroy();
  return { pages, title: info.Title, language: info.Language };
}
