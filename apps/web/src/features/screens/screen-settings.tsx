import { PAGE_SECONDS, type ScreenInput } from '@isotherm/contracts/screens';
import { clockText } from '@isotherm/domain/screens/layout';
import Select from 'antd/es/select';
import Switch from 'antd/es/switch';
import { useId } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';

/** From 22:00 to 06:00. */
const NIGHT = { from: 1_320, to: 360 };

type Settings = Pick<ScreenInput, 'name' | 'pageSeconds' | 'dim'>;

/** Name of a screen, how long each page is shown, and when it is dimmed. */
export function ScreenSettings({
  draft,
  mayEdit,
  onChange,
}: {
  draft: Settings;
  mayEdit: boolean;
  onChange: (change: Partial<Settings>) => void;
}) {
  const { text } = useText();
  const id = useId();
  const { name, pageSeconds, dim } = draft;
  const hours = (part: 'from' | 'to') => (
    <label className="screen-field">
      <span>{text(`screens.dim.${part}`)}</span>
      <input
        type="time"
        disabled={!mayEdit}
        value={clockText((dim ?? NIGHT)[part])}
        onChange={({ target }) => {
          const minute = minuteOf(target.value);
          if (minute !== null) onChange({ dim: { ...(dim ?? NIGHT), [part]: minute } });
        }}
      />
    </label>
  );
  return (
    <section className="panel screen-panel" aria-label={text('screens.settings')}>
      <h2>{text('screens.settings')}</h2>
      <label className="screen-field">
        <span>{text('screens.name')}</span>
        <input
          type="text"
          maxLength={60}
          disabled={!mayEdit}
          value={name}
          onChange={({ target }) => onChange({ name: target.value })}
        />
      </label>
      <div className="screen-field">
        <span id={`${id}s`}>{text('screens.page-seconds')}</span>
        <Select
          aria-labelledby={`${id}s`}
          disabled={!mayEdit}
          value={pageSeconds}
          onChange={(next) => onChange({ pageSeconds: next })}
          options={PAGE_SECONDS.map((count) => ({ value: count, label: text('screens.seconds', { count }) }))}
        />
      </div>
      <div className="screen-field screen-field-row">
        <span id={`${id}d`}>{text('screens.dim')}</span>
        <Switch
          size="small"
          aria-labelledby={`${id}d`}
          disabled={!mayEdit}
          checked={dim !== null}
          onChange={(checked) => onChange({ dim: checked ? NIGHT : null })}
        />
      </div>
      {dim ? (
        <div className="screen-field-row">
          {hours('from')}
          {hours('to')}
        </div>
      ) : null}
    </section>
  );
}

function minuteOf(clock: string): number | null {
  const [hour, minute] = clock.split(':').map(Number);
  return hour === undefined || minute === undefined || Number.isNaN(hour + minute)
    ? null
    : hour * 60 + minute;
}
