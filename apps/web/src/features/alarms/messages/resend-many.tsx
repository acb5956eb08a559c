import { type ListedMessage, resendAlarmMessages } from '@isotherm/contracts/alarm-messages';
import { useState } from 'react';
import { crudChanges } from '../../../shared/api/crud-changes.ts';
import { inPortions } from '../../../shared/api/portions.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { BatchReport, type BatchResult, wentWell } from '../../../shared/ui/batch-report.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import type { Selection } from '../../../shared/ui/list/list-types.ts';
import { MESSAGES_KEY } from './message-words.ts';

const useChanges = crudChanges(MESSAGES_KEY, { resend: resendAlarmMessages });

/** Button that sends the selected messages again, such as those that failed while a server was away. */
export function ResendMany({ selection }: { selection: Selection<ListedMessage> }) {
  const { text } = useText();
  const changes = useChanges();
  const [isAsking, setIsAsking] = useState(false);
  const [report, setReport] = useState<BatchResult | null>(null);
  const { items, clear } = selection;
  async function resend() {
    const result = await inPortions({ ids: items.map(({ id }) => id) }, (portion) => changes.resend(portion));
    if (!wentWell(result, text('alarm-messages.resent-many', { count: result.success }))) setReport(result);
    else clear();
  }
  return (
    <>
      <Button onClick={() => setIsAsking(true)}>{text('alarm-messages.resend')}</Button>
      {isAsking ? (
        <ConfirmWithReason
          weight="plain"
          title={text('alarm-messages.resend-many', { count: items.length })}
          confirmLabel={text('alarm-messages.resend')}
          onConfirm={resend}
          onClose={() => setIsAsking(false)}
        >
          {text('alarm-messages.resend-many.help')}
        </ConfirmWithReason>
      ) : null}
      {report ? (
        <BatchReport
          result={report}
          onClose={() => {
            setReport(null);
            clear();
          }}
        />
      ) : null}
    </>
  );
}
