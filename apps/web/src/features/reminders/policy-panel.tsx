import './reminders.css';
import { renewalPolicyForm } from '@isotherm/contracts/renewal';
import { useQuery } from '@tanstack/react-query';
import { usePermission } from '../../shared/access/permissions.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { RenewalNote } from '../../shared/renewal/renewal-note.tsx';
import { renewalPolicyQuery } from '../../shared/renewal/renewal-policy.ts';
import { DateField } from '../../shared/ui/form/date-field.tsx';
import { FormPanel } from '../../shared/ui/form/form-panel.tsx';
import { NumberField, TextField } from '../../shared/ui/form/text-fields.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { useReminderChanges } from './reminders.queries.ts';

/** Panel with the renewal policy; users with the permission can edit it. */
export function PolicyPanel() {
  const { text, time } = useViewer();
  const changes = useReminderChanges();
  const mayEdit = usePermission('recharge-reminders:policy');
  const { data, error, refetch } = useQuery(renewalPolicyQuery);
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="panel skeleton settings-waiting" />;
  const { changedBy, changedAt, ...initial } = data;
  return (
    <section className="panel reminder-policy">
      <RenewalNote />
      {mayEdit ? <p className="reminder-lead small secondary">{text('reminders.policy.purpose')}</p> : null}
      {mayEdit ? (
        <FormPanel
          key={changedAt}
          schema={renewalPolicyForm}
          initial={initial}
          submit={async (values) => {
            await changes.editPolicy(values);
            toast('success', text('reminders.policy.saved'));
          }}
          submitLabel={text('common.action.save')}
        >
          <DateField name="effectiveOn" label={text('reminders.policy.effective-on')} />
          <NumberField name="expiringMonths" label={text('reminders.policy.expiring-months')} step={1} />
          <NumberField name="lapsedMonths" label={text('reminders.policy.lapsed-months')} step={1} />
          <NumberField name="fee" label={text('reminders.policy.fee')} />
          <TextField name="currency" label={text('reminders.policy.currency')} />
          <TextField name="hotline" label={text('reminders.policy.hotline')} />
        </FormPanel>
      ) : null}
      {changedAt ? (
        <p className="small tertiary">
          {text('reminders.policy.changed', { time: time(changedAt, 'date-time'), by: changedBy })}
        </p>
      ) : null}
    </section>
  );
}
