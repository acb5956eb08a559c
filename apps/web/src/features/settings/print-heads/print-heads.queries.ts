import {
  createPrintHead,
  deletePrintHead,
  editPrintHead,
  getPrintHead,
  previewPrintHead,
  removePrintHeadLogo,
  uploadPrintHeadLogo,
} from '@isotherm/contracts/print-heads';
import { call } from '../../../shared/api/client.ts';
import { crudChanges, useRefreshing } from '../../../shared/api/crud-changes.ts';

export const PRINT_HEADS_KEY = ['settings', 'print-heads'] as const;

export const loadPrintHead = (id: number, signal: AbortSignal) =>
  call(getPrintHead, { params: { id }, signal });

/** A sample page with a print head. A failure is shown as a toast. */
export const loadPreview = (id: number) => call(previewPrintHead, { params: { id } });

const KEYS = [PRINT_HEADS_KEY];

const useCrud = crudChanges(
  PRINT_HEADS_KEY,
  { create: createPrintHead, edit: editPrintHead, remove: deletePrintHead },
  { wait: true },
);

/** Mutations of print heads. The caller shows failures, except those of the logo, which are shown as a toast. */
export function usePrintHeadChanges() {
  const crud = useCrud();
  const after = useRefreshing(KEYS, true);
  return {
    ...crud,
    setLogo: (id: number, image: File) =>
      after(call(uploadPrintHeadLogo, { params: { id }, body: { image } })),
    removeLogo: (id: number) => after(call(removePrintHeadLogo, { params: { id } })),
  };
}
