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
import { crudChanges } from '../../../shared/api/crud-changes.ts';

export const PRINT_HEADS_KEY = ['settings', 'print-heads'] as const;

export const loadPrintHead = (id: number, signal: AbortSignal) =>
  call(getPrintHead, { params: { id }, signal });

/** A sample page with a print head. A failure is shown as a toast. */
export const loadPreview = (id: number) => call(previewPrintHead, { params: { id } });

/** Mutations of print heads. The caller shows failures. */
export const usePrintHeadChanges = crudChanges(
  PRINT_HEADS_KEY,
  {
    create: createPrintHead,
    edit: editPrintHead,
    remove: deletePrintHead,
    setLogo: uploadPrintHeadLogo,
    removeLogo: removePrintHeadLogo,
  },
  { wait: true },
);
