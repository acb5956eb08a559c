import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Content, createPdf } from 'pdfmake';

const require = createRequire(import.meta.url);
/** One font covers Latin and Chinese, so that names in either appear in a document of any language. */
const FACES = {
  normal: require.resolve('@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf'),
  bold: require.resolve('@expo-google-fonts/noto-sans-sc/700Bold/NotoSansSC_700Bold.ttf'),
};
export const FAMILY = 'Noto Sans SC';
/** Colour of texts and of the line below the head of a table. */
export const INK = '#13202a';
/** Colour of fine lines. */
export const RULE = '#d2d9de';
/** A document that takes longer is given up, with those that wait behind it. */
const WITHIN_MS = 5 * 60_000;
/** The thread ends after this time without a document, since its fonts take memory. */
const IDLE_MS = 60_000;

/** A document as data, because functions cannot be passed to a thread. */
export interface PdfDefinition
  extends Omit<Parameters<typeof createPdf>[0], 'footer' | 'header' | 'background'> {
  header: Content;
  /** At the bottom of each page; `{page}` and `{pages}` in its texts are replaced. */
  foot: Content;
}

/** Names of the table layouts that the thread knows. */
export type PdfLayout = 'rows' | 'strip';

/**
 * Layouts of tables. `rows`: no line above the header, a black one below it, and a fine one below each row. `strip`: fine lines above
 * and below.
 */
const WORKER = `
const { parentPort, workerData } = require('node:worker_threads');
const { library, family, faces, ink, rule } = workerData;
const pdfmake = require(library);
pdfmake.setFonts({ [family]: faces });
// This policy prevents texts of users from making the server fetch anything.
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy((path) => Object.values(faces).includes(path));
pdfmake.addTableLayouts({
  rows: {
    hLineWidth: (line, { table }) => (line < table.headerRows ? 0 : line === table.headerRows ? 0.75 : 0.5),
    hLineColor: (line, { table }) => (line === table.headerRows ? ink : rule),
    vLineWidth: () => 0,
    paddingLeft: (column) => (column === 0 ? 0 : 4),
    paddingRight: (column, { table }) => (column === table.widths.length - 1 ? 0 : 4),
  },
  strip: {
    hLineWidth: () => 0.75,
    hLineColor: () => rule,
    vLineWidth: () => 0,
    paddingLeft: () => 0,
    paddingTop: () => 5,
    paddingBottom: () => 4,
  },
});
/** A copy of a part of the document, with the numbers of its page. */
const filled = (part, page, pages) =>
  JSON.parse(JSON.stringify(part, (_key, value) =>
    typeof value === 'string' ? value.replace('{page}', page).replace('{pages}', pages) : value));
parentPort.on('message', async ({ id, definition: { foot, ...definition } }) => {
  try {
    const footer = (page, pages) => filled(foot, page, pages);
    const bytes = Uint8Array.from(await pdfmake.createPdf({ ...definition, footer }).getBuffer());
    parentPort.postMessage({ id, bytes }, [bytes.buffer]);
  } catch (error) {
    parentPort.postMessage({ id, error: error.message });
  }
});
`;

type Answer = { id: number } & ({ bytes: Uint8Array<ArrayBuffer> } | { error: string });

interface Waiting {
  resolve(bytes: Buffer<ArrayBuffer>): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

const waiting = new Map<number, Waiting>();
let worker: Worker | null = null;
let idle: NodeJS.Timeout | undefined;
let lastId = 0;

/**
 * Lays out a document in a thread, which every process has at most one of: a long report takes seconds, in which readings and alarms
 * must not wait.
 */
export function layOut(definition: PdfDefinition): Promise<Buffer<ArrayBuffer>> {
  worker ??= start();
  const thread = worker;
  const id = ++lastId;
  return new Promise((resolve, reject) => {
    // First, because it throws if the document contains anything but data.
    thread.postMessage({ id, definition });
    clearTimeout(idle);
    const timer = setTimeout(() => void thread.terminate(), WITHIN_MS);
    waiting.set(id, { resolve, reject, timer });
  });
}

function start(): Worker {
  const library = require.resolve('pdfmake');
  const workerData = { library, family: FAMILY, faces: FACES, ink: INK, rule: RULE };
  const made = new Worker(WORKER, { eval: true, workerData });
  // The thread must not keep the process alive.
  made.unref();
  made.on('message', (answer: Answer) => {
    const caller = waiting.get(answer.id);
    waiting.delete(answer.id);
    clearTimeout(caller?.timer);
    if ('error' in answer) caller?.reject(new Error(answer.error));
    else caller?.resolve(Buffer.from(answer.bytes.buffer));
    if (waiting.size > 0) return;
    idle = setTimeout(() => {
      // A document that comes while the thread ends begins another one.
      worker = null;
      void made.terminate();
    }, IDLE_MS);
    idle.unref();
  });
  const ended = (message: string) => {
    if (worker !== made) return;
    worker = null;
    const left = [...waiting.values()];
    waiting.clear();
    for (const { reject, timer } of left) {
      clearTimeout(timer);
      reject(new Error(message));
    }
  };
  made.on('error', ({ message }) => ended(message));
  made.on('exit', () => ended('the thread that lays out documents ended'));
  return made;
}
