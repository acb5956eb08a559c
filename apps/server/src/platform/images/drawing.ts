import { createRequire } from 'node:module';
import { AppError } from '@isotherm/contracts/errors';
import { createGate } from '../gate.ts';
import { runInThread } from '../in-thread.ts';
import { createTimeBudget } from '../time-budget.ts';

export interface Drawing {
  bytes: Buffer;
  mediaType: 'image/svg+xml';
  width: number;
  height: number;
}

/** Time limit; a drawing that takes longer is treated as malicious. */
const TIME_LIMIT_MS = 20_000;
const MEMORY_LIMIT_MB = 512;
/**
 * The svg element must begin within this number of bytes. Comments of editors and CAD programs may precede
 * it.
 */
const HEAD_BYTES = 16 * 1024;

/**
 * Worker script with DOMPurify's SVG profile, plus symbols referenced within the drawing, which plans often
 * use. References to anything outside are removed, so that an image cannot report that it is being viewed.
 */
const WORKER = `
const { parentPort, workerData } = require('node:worker_threads');
const { JSDOM } = require(workerData.jsdom);
const { window } = new JSDOM('');
const purify = require(workerData.dompurify)(window);
const SVG = 'http://www.w3.org/2000/svg';
const INSIDE = /^(#|data:image\\/(png|jpeg|gif|webp);base64,)/i;
const isForeign = (css) =>
  /\\\\|@import|image-set|expression|javascript:/i.test(css) ||
  [...css.matchAll(/(?:url|src)\\(\\s*['"]?([^)]*)/gi)].some(([, target]) => !INSIDE.test(target));
purify.addHook('uponSanitizeAttribute', (element, data) => {
  const isLink = data.attrName === 'href' || data.attrName === 'xlink:href' || data.attrName === 'src';
  if (isLink ? !INSIDE.test(data.attrValue.trim()) : isForeign(data.attrValue)) data.keepAttr = false;
});
purify.addHook('uponSanitizeElement', (element, data) => {
  if (data.tagName === 'style' && isForeign(element.textContent)) element.textContent = '';
});
function length(text) {
  const [, number, unit] = /^\\s*([0-9.]+(?:e[-+]?[0-9]+)?)\\s*(px|pt|pc|mm|cm|in)?\\s*$/i.exec(text || '') || [];
  const each = { px: 1, pt: 4 / 3, pc: 16, mm: 96 / 25.4, cm: 96 / 2.54, in: 96 };
  return number === undefined ? null : Number(number) * each[(unit || 'px').toLowerCase()];
}
function sizeOf(root) {
  const box = (root.getAttribute('viewBox') || '').trim().split(/[\\s,]+/).map(Number);
  const viewed = box.length === 4 && box.every(Number.isFinite) && box[2] > 0 && box[3] > 0;
  const width = length(root.getAttribute('width'));
  const height = length(root.getAttribute('height'));
  if (!viewed && !(width > 0 && height > 0)) return null;
  const ratio = viewed ? box[2] / box[3] : width / height;
  if (!viewed) root.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
  return ratio;
}
// Counts the elements drawn through nested references: a few lines could mean billions of shapes.
function drawn(root) {
  const named = new Map();
  for (const element of root.querySelectorAll('[id]')) if (!named.has(element.id)) named.set(element.id, element);
  const known = new Map();
  const count = (element) => {
    if (known.has(element)) return known.get(element);
    // A cyclic reference counts as zero.
    known.set(element, 0);
    let total = 1;
    for (const child of element.children) total += count(child);
    for (const { value } of element.attributes)
      for (const [, id] of value.matchAll(/(?:^\\s*|url\\(\\s*['"]?)#([^'")\\s]+)/gi))
        if (named.has(id)) total += count(named.get(id));
    known.set(element, total);
    return total;
  };
  return count(root);
}
const document = new window.DOMParser().parseFromString(workerData.text, 'image/svg+xml');
const root = document.documentElement;
let answer = {};
if (root && root.localName === 'svg' && root.namespaceURI === SVG && !document.querySelector('parsererror')) {
  purify.sanitize(root, {
    IN_PLACE: true,
    USE_PROFILES: { svg: true, svgFilters: true },
    ADD_TAGS: ['use'],
    FORBID_TAGS: ['a'],
    KEEP_CONTENT: true,
  });
  const ratio = drawn(root) > workerData.mostDrawn ? null : sizeOf(root);
  if (ratio !== null && ratio > 1 / 50 && ratio < 50) {
    const width = Math.round(ratio >= 1 ? workerData.side : workerData.side * ratio);
    const height = Math.round(ratio >= 1 ? workerData.side / ratio : workerData.side);
    root.setAttribute('width', String(width));
    root.setAttribute('height', String(height));
    answer = { svg: new window.XMLSerializer().serializeToString(root), width, height };
  }
}
parentPort.postMessage(answer);
`;

/** Maximum number of elements; more would block the viewer's browser. */
const MOST_DRAWN = 200_000;

/** Length of the longer side in the written size; a drawing is equally sharp at any size. */
const SIDE = 2000;

/** Limits of parallel work, since each thread may use half a gigabyte. Users are served in turn. */
const CROWD = { atOnce: 1, waiting: 8, ofOne: { atOnce: 1, waiting: 2 } };
const gate = createGate(CROWD, () => new AppError('request.too_many'));
/** Budget of processing time for one user's uploads, per quarter of an hour. */
const cleaning = createTimeBudget(60_000);

/** Returns whether bytes may be an SVG drawing; parsing them decides. */
export function looksLikeDrawing(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES))
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  return head.startsWith('<') && /<(\w+:)?svg[\s>]/.test(head);
}

/**
 * Rewrites an SVG drawing without scripts, handlers, links, foreign content and external references.
 *
 * @throws {AppError} `upload.unreadable` if it is not a drawing, has no size or is recursive,
 * `request.too_many` if the owner's uploads have used up their processing time
 */
export async function cleanDrawing(owner: string, bytes: Uint8Array): Promise<Drawing> {
  const { resolve: pathOf } = createRequire(import.meta.url);
  const text = Buffer.from(bytes)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
  const task = {
    jsdom: pathOf('jsdom'),
    dompurify: pathOf('dompurify'),
    text,
    side: SIDE,
    mostDrawn: MOST_DRAWN,
  };
  const limits = { withinMs: TIME_LIMIT_MS, megabytes: MEMORY_LIMIT_MB };
  const clean = () => runInThread<{ svg?: string; width: number; height: number }>(WORKER, task, limits);
  const answer = await gate
    .pass(() => cleaning.spend(owner, clean), owner)
    .catch((cause: Error) => {
      if (cause instanceof AppError) throw cause;
      throw new AppError('upload.unreadable', {}, { cause });
    });
  if (answer.svg === undefined) throw new AppError('upload.unreadable');
  const { svg, width, height } = answer;
  return { bytes: Buffer.from(svg), mediaType: 'image/svg+xml', width, height };
}
