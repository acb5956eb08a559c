import type { User } from '@isotherm/contracts/users';
import type { TextId } from '@isotherm/i18n/text-id';
import Checkbox from 'antd/es/checkbox';
import { type ReactNode, useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { BatchReport, type BatchResult, wentWell } from '../../../shared/ui/batch-report.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { OneTimeSecret } from '../../../shared/ui/one-time-secret.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUserChanges } from './users.queries.ts';

export type UserAction = 'disable' | 'enable' | 'reset' | 'unlock' | 'delete';
type Subject = Pick<User, 'id' | 'username' | 'realname' | 'secondFactor'>;

interface Asked {
  action: UserAction;
  users: readonly Subject[];
  done: (() => void) | undefined;
}

/**
 * Hook with the actions on accounts for the list and the account page, including dialogs and result
 * messages.
 */
export function useUserActions(): {
  act: (action: UserAction, users: readonly Subject[], done?: () => void) => void;
  dialogs: ReactNode;
} {
  const { text } = useText();
  const changes = useUserChanges();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [report, setReport] = useState<BatchResult | null>(null);
  const [password, setPassword] = useState<{ name: string; password: string } | null>(null);
  const [withFactor, setWithFactor] = useState(false);

  const subject = asked?.users[0];
  const close = () => {
    setAsked(null);
    setWithFactor(false);
  };
  const batch = (sentence: TextId) => (result: BatchResult) => {
    if (!wentWell(result, text(sentence, { count: result.success }))) setReport(result);
    asked?.done?.();
  };

  async function confirm(reason: string): Promise<void> {
    if (!asked || !subject) return;
    const ids = asked.users.map(({ id }) => id);
    switch (asked.action) {
      case 'disable':
        return batch('users.disable.done')(await changes.disable({ ids, reason }));
      case 'enable':
        return batch('users.enable.done')(await changes.enable({ ids }));
      case 'reset': {
        const answer = await changes.resetPassword(subject.id, { reason, secondFactor: withFactor });
        setPassword({ name: subject.username, password: answer.password });
        return;
      }
      case 'unlock':
        await changes.unlock(subject.id);
        toast('success', text('users.unlock.done', { name: subject.realname }));
        return;
      case 'delete':
        await changes.remove(subject.id, reason);
        toast('success', text('users.delete.done', { name: subject.realname }));
        asked.done?.();
    }
  }

  const values = { count: asked?.users.length ?? 0, name: subject?.realname ?? '' };
  const dialogs = (
    <>
      {asked && subject ? (
        <ConfirmWithReason
          key={asked.action}
          weight={WEIGHT[asked.action]}
          name={subject.username}
          {...(asked.action === 'disable' ? { reasons: 'disable-reason' } : {})}
          grave={asked.action === 'delete' || asked.action === 'disable'}
          title={text(`users.${asked.action}.title`, values)}
          confirmLabel={text(`users.${asked.action}`)}
          onConfirm={confirm}
          onClose={close}
        >
          {text(`users.${asked.action}.means`, values)}
          {asked.action === 'reset' && subject.secondFactor ? (
            <p>
              <Checkbox checked={withFactor} onChange={(event) => setWithFactor(event.target.checked)}>
                {text('users.reset.second-factor')}
              </Checkbox>
            </p>
          ) : null}
        </ConfirmWithReason>
      ) : null}
      {report ? <BatchReport result={report} onClose={() => setReport(null)} /> : null}
      {password ? (
        <OneTimeSecret
          title={text('users.reset.password', { name: password.name })}
          secret={password.password}
          onClose={() => setPassword(null)}
        >
          {text('users.reset.pass-on')}
        </OneTimeSecret>
      ) : null}
    </>
  );
  return { act: (action, users, done) => setAsked({ action, users, done }), dialogs };
}

const WEIGHT: Record<UserAction, 'plain' | 'reason' | 'name'> = {
  disable: 'reason',
  enable: 'plain',
  reset: 'reason',
  unlock: 'plain',
  delete: 'name',
};
