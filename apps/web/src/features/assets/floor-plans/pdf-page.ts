import workerUrl from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';

/** Longer side of the rendered page in pixels, the size that the server stores. */
const SIDE_PX = 4096;

/** Character maps (CMaps) by file name. PDFs may refer to them instead of embedding them. */
const CHARACTER_MAPS = byName(
  import.meta.glob<string>('../../../../../../node_modules/pdfjs-dist/cmaps/*.bcmap', {
    query: '?url',
    import: 'default',
    eager: true,
  }),
);
const FONTS = byName(
  import.meta.glob<string>('../../../../../../node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}', {
    query: '?url',
    import: 'default',
    eager: true,
  }),
);

function byName(urls: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(Object.entries(urls).map(([path, url]) => [path.slice(path.lastIndexOf('/') + 1), url]));
}

async function bytesOf(urls: ReadonlyMap<string, string>, name: string): Promise<Uint8Array> {
  const url = urls.get(name);
  if (!url) throw new Error(`${name} is not known`);
  return new Uint8Array(await (await fetch(url)).arrayBuffer());
}

class CharacterMaps {
  async fetch({ name }: { name: string }) {
    return { cMapData: await bytesOf(CHARACTER_MAPS, `${name}.bcmap`), isCompressed: true };
  }
}

class Fonts {
  fetch({ filename }: { filename: string }) {
    return bytesOf(FONTS, filename);
  }
}

export interface PdfPages {
  count: number;
  /** Renders a page as an image. Pages are counted from 1. */
  picture(page: number): Promise<Blob>;
  close(): void;
}

/** Opens a PDF in the browser; throws if it is damaged or has a password. */
export async function openPdf(file: Blob): Promise<PdfPages> {
  const pdf = await import('pdfjs-dist/legacy/build/pdf.mjs');
  pdf.GlobalWorkerOptions.workerSrc = workerUrl;
  const loading = pdf.getDocument({
    data: new Uint8Array(await file.arrayBuffer()),
    useWorkerFetch: false,
    CMapReaderFactory: CharacterMaps,
    StandardFontDataFactory: Fonts,
    // Glyphs are drawn as shapes, because embedded fonts would need an exception in the content security
    // policy.
    disableFontFace: true,
    enableXfa: false,
    stopAtErrors: false,
  });
  const document = await loading.promise;
  return {
    count: document.numPages,
    async picture(number) {
      const page = await document.getPage(number);
      const { width, height } = page.getViewport({ scale: 1 });
      const viewport = page.getViewport({ scale: SIDE_PX / Math.max(width, height) });
      const canvas = window.document.createElement('canvas');
      canvas.width = Math.round(viewport.width);
      canvas.height = Math.round(viewport.height);
      await page.render({ canvas, viewport, background: '#fff' }).promise;
      page.cleanup();
      return new Promise((resolve, reject) =>
        canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'),
      );
    },
    close: () => void loading.destroy(),
  };
}
