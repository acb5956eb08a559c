import { FLOOR_PLAN_MAX_BYTES } from '@isotherm/contracts/fields';
import { useRef, useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useWhenChanged, useWhenGone } from '../../../shared/tabs/kept-page.ts';
import { FileField } from '../../../shared/ui/form/file-field.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { toast } from '../../../shared/ui/toast.tsx';
import { useObjectUrl } from '../../../shared/ui/use-object-url.ts';
import type { PdfPages } from './pdf-page.ts';

const ENDINGS = ['.png', '.jpg', '.jpeg', '.svg', '.pdf'];
const MEGABYTE = 1024 * 1024;
/** Size limit of a PDF. The PDF itself is not uploaded, only one rendered page of it. */
const PDF_MAX_BYTES = 50 * MEGABYTE;

/** Field for the image of a plan. Of a PDF, the chosen page is uploaded as an image. */
export function PictureField({ naming = false }: { naming?: boolean }) {
  const { text } = useText();
  const { value: name, set: setName } = useField<string>('name');
  const { value: file, set: setFile } = useField<File>('file');
  const [pages, setPages] = useState<PdfPages | null>(null);
  const [page, setPage] = useState(1);
  const [busy, setBusy] = useState(false);
  /** The last choice wins, even if an earlier one is rendered later. */
  const choice = useRef(0);
  const preview = useObjectUrl(file);
  const opened = useRef<PdfPages | null>(null);
  useWhenChanged([pages], () => {
    opened.current?.close();
    opened.current = pages;
  });
  useWhenGone(() => opened.current?.close());

  const refuse = (sentence: string) => {
    setFile(undefined);
    setPages(null);
    toast('failure', sentence);
  };
  async function take(from: PdfPages, number: number, title: string) {
    const mine = ++choice.current;
    setPage(number);
    setBusy(true);
    try {
      const picture = await from.picture(number);
      if (mine === choice.current) setFile(new File([picture], title, { type: 'image/png' }));
    } catch {
      if (mine === choice.current) refuse(text('assets.plan.pdf.unreadable'));
    } finally {
      if (mine === choice.current) setBusy(false);
    }
  }
  async function choose(chosen: File) {
    const mine = ++choice.current;
    const isPdf = /\.pdf$/i.test(chosen.name);
    const most = isPdf ? PDF_MAX_BYTES : FLOOR_PLAN_MAX_BYTES;
    setPages(null);
    setBusy(false);
    if (chosen.size > most) return refuse(text('assets.file.too-large', { size: most / MEGABYTE }));
    if (naming && !name) setName(chosen.name.replace(/\.[^.]*$/, ''));
    if (!isPdf) return;
    // While the page is being rendered, there is no image to upload.
    setFile(undefined);
    setBusy(true);
    try {
      const { openPdf } = await import('./pdf-page.ts');
      const opened = await openPdf(chosen);
      if (mine !== choice.current) return opened.close();
      setPages(opened);
      await take(opened, 1, chosen.name);
    } catch {
      if (mine === choice.current) {
        setBusy(false);
        refuse(text('assets.plan.pdf.unreadable'));
      }
    }
  }
  return (
    <>
      <FileField
        name="file"
        wide
        label={text('assets.plan.picture')}
        help={text('assets.plan.picture.help', {
          size: FLOOR_PLAN_MAX_BYTES / MEGABYTE,
          pdf: PDF_MAX_BYTES / MEGABYTE,
        })}
        accept={ENDINGS}
        chooseLabel={text('assets.file.choose')}
        onChosen={(chosen) => void choose(chosen)}
      />
      {pages && pages.count > 1 ? (
        <label className="plan-page-choice">
          <span className="field-label">{text('assets.plan.pdf.page')}</span>
          <select
            className="field"
            value={page}
            onChange={(event) =>
              void take(pages, Number(event.target.value), file?.name ?? `${name ?? 'plan'}.pdf`)
            }
          >
            {Array.from({ length: pages.count }, (_, at) => at + 1).map((number) => (
              <option key={number} value={number}>
                {text('assets.plan.pdf.page-of', { page: number, count: pages.count })}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {busy ? <output className="secondary">{text('assets.plan.pdf.drawing')}</output> : null}
      {preview ? <img className="plan-preview" src={preview} alt={text('assets.plan.preview')} /> : null}
    </>
  );
}
