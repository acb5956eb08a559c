import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { useState } from 'react';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { PAPERS, type PaperName, savePaper } from './waybills.queries.ts';

/** Buttons that save the waybill and the report of its trip as PDF. */
export function PaperButtons({ waybill }: { waybill: WaybillDetail }) {
  const { text, zone } = useViewer();
  const [busy, setBusy] = useState<PaperName | null>(null);
  async function print(paper: PaperName) {
    setBusy(paper);
    // Failures are shown as a toast.
    await savePaper(paper, waybill, zone).catch(() => undefined);
    setBusy(null);
  }
  const papers = PAPERS.filter((paper) => paper === 'waybill' || waybill.departedAt !== null);
  return (
    <>
      {papers.map((paper) => (
        <Button key={paper} disabled={busy !== null} onClick={() => void print(paper)}>
          {text(`waybills.print.${paper}`)}
        </Button>
      ))}
    </>
  );
}
