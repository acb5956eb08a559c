import type { Alarm } from '@isotherm/contracts/alarms';
import { type FormEvent, useId, useState } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { DictionaryPhrases } from '../../shared/ui/dictionary-phrases.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { useHandleAlarm } from './alarms.queries.ts';

const LONGEST = 1000;

/** Acknowledges an alarm; a comment is required. */
export function HandleForm({ alarm, onDone }: { alarm: Alarm; onDone?: () => void }) {
  const { text } = useText();
  const id = useId();
  const [comment, setComment] = useState('');
  const [missing, setMissing] = useState(false);
  const handle = useHandleAlarm();

  function submit(event: FormEvent) {
    event.preventDefault();
    const said = comment.trim();
    setMissing(said === '');
    if (said === '' || handle.isPending) return;
    handle.mutate({ id: alarm.id, comment: said }, { onSuccess: () => onDone?.() });
  }

  return (
    <form className="handle-form" onSubmit={submit} noValidate>
      <label className="field-label" htmlFor={id}>
        {text('alarms.handle.comment')}
      </label>
      <textarea
        id={id}
        className={missing ? 'handle-text field-wrong' : 'handle-text'}
        rows={3}
        maxLength={LONGEST}
        value={comment}
        placeholder={text('alarms.handle.placeholder')}
        aria-invalid={missing}
        onChange={(event) => setComment(event.target.value)}
      />
      <DictionaryPhrases dictionary="alarm-handling" value={comment} onChange={setComment} />
      <div role="alert">
        {missing || handle.error ? (
          <div className="field-fault">
            <Icon name="info" small />
            {missing ? text('alarms.handle.missing') : handle.error?.message}
          </div>
        ) : null}
      </div>
      <Button type="submit" variant="primary" disabled={handle.isPending}>
        <Icon name="check" />
        {text(handle.isPending ? 'alarms.handle.saving' : 'alarms.handle.submit')}
      </Button>
    </form>
  );
}
