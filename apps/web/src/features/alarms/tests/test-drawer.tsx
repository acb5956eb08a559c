import './tests.css';
import {
  type AlarmTestDetail,
  type AlarmTestMessage,
  testConfirmation,
} from '@isotherm/contracts/alarm-tests';
import type { TextId } from '@isotherm/i18n/text-id';
import { useQuery } from '@tanstack/react-query';
import Drawer from 'antd/es/drawer';
import { useState } from 'react';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../../shared/ui/form/text-fields.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { TestStateTag } from './test-state-tag.tsx';
import { alarmTestQuery, useRecordConfirmation, useTestChanges } from './tests.queries.ts';

const NOBODY_ON_CALL = 'nobody on call';
const ERROR_WORDS: Readonly<Record<string, TextId>> = {
  'no e-mail address': 'alarm-tests.error.no-address',
  'no transport': 'alarm-tests.error.no-transport',
  [NOBODY_ON_CALL]: 'alarm-tests.error.nobody-on-call',
  'recipient removed': 'alarm-tests.error.removed',
};

/** Drawer with a test: who was sent what, whether it arrived, and who confirmed. */
export function TestDrawer({ id, onClose }: { id: number; onClose: () => void }) {
  const { text } = useText();
  const { data: test, error, refetch } = useQuery(alarmTestQuery(id));
  const [phoned, setPhoned] = useState<AlarmTestMessage | null>(null);
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={760}
        closable={{ placement: 'end' }}
        title={test ? test.policyName : text('menu.alarm-tests')}
        onClose={onClose}
      >
        {error && !test ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
        {!test && !error ? <div className="skeleton skeleton-body" /> : null}
        {test ? <Content test={test} onPhone={setPhoned} /> : null}
      </Drawer>
      {phoned ? <PhoneForm testId={id} message={phoned} onClose={() => setPhoned(null)} /> : null}
    </>
  );
}

function Content({ test, onPhone }: { test: AlarmTestDetail; onPhone: (message: AlarmTestMessage) => void }) {
  const { text, time } = useViewer();
  const changes = useTestChanges();
  const [failure, setFailure] = useState<Error | null>(null);
  async function confirm() {
    setFailure(null);
    try {
      await changes.confirm(test.id);
      toast('success', text('alarm-tests.confirm.done'));
    } catch (error) {
      setFailure(error as Error);
    }
  }
  return (
    <>
      {failure ? <FailureNotice error={failure} retry={() => void confirm()} /> : null}
      {test.waitsForCaller ? (
        <p>
          <Button variant="primary" onClick={() => void confirm()}>
            {text('alarm-tests.confirm')}
          </Button>
        </p>
      ) : null}
      <Definitions
        facts={[
          { label: text('alarm-tests.state'), value: <TestStateTag state={test.state} /> },
          { label: text('alarm-tests.level'), value: test.level },
          { label: text('alarm-tests.started'), value: time(test.startedAt, 'date-time') },
          { label: text('alarm-tests.started-by'), value: test.startedBy || test.scheduleName },
          ...(test.assetName ? [{ label: text('alarm-tests.asset'), value: test.assetName }] : []),
          { label: text('alarm-tests.organization'), value: test.organizationName },
        ]}
      />
      {test.sent.length === 0 ? (
        <p>{text('alarm-tests.nobody-told')}</p>
      ) : (
        <Sent test={test} onPhone={onPhone} />
      )}
    </>
  );
}

function Sent({ test, onPhone }: { test: AlarmTestDetail; onPhone: (message: AlarmTestMessage) => void }) {
  const { text } = useViewer();
  return (
    <div className="alarm-test-sent">
      <TableFrame label={text('alarm-tests.messages')}>
        <thead>
          <tr>
            <th scope="col">{text('alarm-tests.recipient')}</th>
            <th scope="col">{text('alarm-tests.channel')}</th>
            <th scope="col">{text('alarm-tests.delivery')}</th>
            <th scope="col">{text('alarm-tests.confirmed-by')}</th>
          </tr>
        </thead>
        <tbody>
          {test.sent.map((message) => (
            <tr key={message.id}>
              <td className="alarm-test-name">
                {message.error === NOBODY_ON_CALL ? '–' : message.name || text('alarm-tests.hidden-name')}
              </td>
              <td>{text(`alarm-tests.channel.${message.channel}`)}</td>
              <td>
                <Delivery message={message} />
              </td>
              <td>
                <Confirmation message={message} onPhone={onPhone} />
              </td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </div>
  );
}

function Delivery({ message: { state, error, settledAt } }: { message: AlarmTestMessage }) {
  const { text, time } = useViewer();
  const known = ERROR_WORDS[error];
  return (
    <>
      {text(`alarm-tests.delivery.${state}`)}
      {settledAt ? <div className="small secondary number">{time(settledAt, 'date-time')}</div> : null}
      {error ? <div className="small alarm-test-error">{known ? text(known) : error}</div> : null}
    </>
  );
}

function Confirmation({
  message,
  onPhone,
}: {
  message: AlarmTestMessage;
  onPhone: (message: AlarmTestMessage) => void;
}) {
  const { text, time } = useViewer();
  if (message.confirmedAt)
    return (
      <>
        {message.recordedBy
          ? text('alarm-tests.by-phone', { name: message.confirmedBy })
          : message.confirmedBy}
        <div className="small secondary">
          {time(message.confirmedAt, 'date-time')}
          {message.recordedBy ? ` · ${text('alarm-tests.recorded-by')}: ${message.recordedBy}` : ''}
        </div>
      </>
    );
  if (message.recipientType === 'url' || message.error === NOBODY_ON_CALL) return '–';
  if (message.recipientType === 'accounts' || message.name === '')
    return <span className="secondary">{text('alarm-tests.unconfirmed')}</span>;
  return (
    <PermissionButton permission="alarm-tests:confirm" onClick={() => onPhone(message)}>
      {text('alarm-tests.phone')}
    </PermissionButton>
  );
}

/** Form that records who confirmed by phone. */
function PhoneForm({
  testId,
  message,
  onClose,
}: {
  testId: number;
  message: AlarmTestMessage;
  onClose: () => void;
}) {
  const { text } = useText();
  const record = useRecordConfirmation();
  return (
    <FormDrawer
      title={text('alarm-tests.phone')}
      submitLabel={text('alarm-tests.phone.record')}
      schema={testConfirmation}
      initial={{ name: message.name }}
      submit={({ name }) => record(testId, message.id, String(name))}
      success={text('alarm-tests.phone.done')}
      faultFields={{}}
      onClose={onClose}
    >
      <FormSection>
        <TextField
          name="name"
          label={text('alarm-tests.phone.name')}
          help={text('alarm-tests.phone.name.help')}
        />
      </FormSection>
    </FormDrawer>
  );
}
