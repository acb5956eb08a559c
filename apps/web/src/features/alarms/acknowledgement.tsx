import type { Alarm } from '@isotherm/contracts/alarms';
import { useState } from 'react';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { AcknowledgeForm } from './acknowledge-form.tsx';
import { AcknowledgementFacts } from './acknowledgement-facts.tsx';
import { FIELD_LABEL } from './alarm-words.ts';
import { useAlarmActions } from './alarms.queries.ts';

/** The panel of the acknowledgement on the page of an alarm: what was said, or the form. */
export function Acknowledgement({
  alarm,
  mayAct,
  hasEarlier,
}: {
  alarm: Alarm;
  mayAct: boolean;
  hasEarlier: boolean;
}) {
  const { text } = useViewer();
  const { acknowledgement, required } = alarm;
  const [typed, setTyped] = useState('');
  return (
    <section className="panel alarm-panel alarm-panel-body" aria-label={text('alarms.acknowledgement')}>
      <header className="alarm-panel-head">
        <h2>{text('alarms.acknowledgement')}</h2>
        <span className="small tertiary">
          {acknowledgement || required.length === 0
            ? null
            : text('alarms.page.required', {
                fields: required.map((field) => text(FIELD_LABEL[field])).join(text('logs.value.between')),
              })}
        </span>
      </header>
      {acknowledgement ? <AcknowledgementFacts said={acknowledgement} /> : null}
      {acknowledgement && typed !== '' ? (
        <TypedMeanwhile alarm={alarm} by={acknowledgement.by} typed={typed} onDone={() => setTyped('')} />
      ) : null}
      {acknowledgement === null ? (
        <p className="secondary small alarm-panel-lead">
          {text(hasEarlier ? 'alarms.page.climbed' : 'alarms.page.not-acknowledged')}{' '}
          {mayAct && alarm.endedAt === null ? text('alarms.acknowledge.means') : null}
        </p>
      ) : null}
      {acknowledgement === null && mayAct ? <AcknowledgeForm alarm={alarm} onTyped={setTyped} /> : null}
    </section>
  );
}

/** What the user has typed when another person acknowledged the alarm first; it can be saved as a comment. */
function TypedMeanwhile({
  alarm,
  by,
  typed,
  onDone,
}: {
  alarm: Alarm;
  by: string;
  typed: string;
  onDone: () => void;
}) {
  const { text } = useViewer();
  const actions = useAlarmActions(alarm);
  return (
    <div role="status">
      <p>{text('alarms.acknowledge.meanwhile', { name: by })}</p>
      <p className="alarm-message-text">{typed}</p>
      <Button onClick={() => void actions.comment(typed).then(onDone, () => undefined)}>
        {text('alarms.acknowledge.meanwhile.save')}
      </Button>{' '}
      <Button variant="link" onClick={onDone}>
        {text('alarms.acknowledge.meanwhile.discard')}
      </Button>
    </div>
  );
}
