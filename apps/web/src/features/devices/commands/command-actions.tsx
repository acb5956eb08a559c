import type { DeviceCommand } from '@isotherm/contracts/commands';
import { type ReactNode, useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useCommandChanges } from './commands.queries.ts';

export const COMMAND_ACTIONS = ['again', 'cancel'] as const;
type CommandAction = (typeof COMMAND_ACTIONS)[number];

interface Asked {
  action: CommandAction;
  ids: number[];
  done: (() => void) | undefined;
}

/** Commands for firmware cannot be resent here; only the firmware roll-out offers them. */
export const isRetryable = ({ state, order }: DeviceCommand): boolean =>
  order.kind !== 'firmware' && (state === 'failed' || state === 'timeout');
/** Only commands that were not sent yet can be cancelled. */
export const isCancellable = ({ state }: DeviceCommand): boolean => state === 'reserved';

/** Hook with the actions on commands, including confirmation and result messages. */
export function useCommandActions(): {
  act: (action: CommandAction, commands: readonly DeviceCommand[], done?: () => void) => void;
  dialogs: ReactNode;
} {
  const { text } = useText();
  const changes = useCommandChanges();
  const [asked, setAsked] = useState<Asked | null>(null);

  async function confirm({ action, ids, done }: Asked): Promise<void> {
    if (action === 'again') {
      const { again } = await changes.again(ids);
      toast('success', text('commands.again.done', { count: again }));
    } else {
      const { cancelled } = await changes.cancel(ids);
      const gone = ids.length - cancelled;
      if (gone === 0) toast('success', text('commands.cancel.done', { count: cancelled }));
      else toast('failure', text('commands.cancel.partly', { cancelled, gone }));
    }
    done?.();
  }

  return {
    act: (action, commands, done) => setAsked({ action, ids: commands.map(({ id }) => id), done }),
    dialogs: asked ? (
      <ConfirmWithReason
        weight="plain"
        title={text(`commands.${asked.action}.title`, { count: asked.ids.length })}
        confirmLabel={text(`commands.${asked.action}`)}
        onConfirm={() => confirm(asked)}
        onClose={() => setAsked(null)}
      >
        {text(`commands.${asked.action}.means`)}
      </ConfirmWithReason>
    ) : null,
  };
}
