import { PAGE_SECONDS, type ScreenInput } from '@isotherm/contracts/screens';
import { clockText } from '@isotherm/domain/screens/layout';
import Select from 'antd/es/select';
import Switch from 'antd/es/switch';
import { useText } from '../../shared/i18n/use-text.ts';
import { FieldFrame } from '../../shared/ui/form/field-frame.tsx';

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
  const { name, pageSeconds, dim } = draft;
  const hours = (part: 'from' | 'to') => (
    <FieldFrame required={false} label={text(`screens.dim.${part}`)} fault={undefined}>
      {(control) => (
        <div className="field">
          <input
            {...control}
            type="time"
            disabled={!mayEdit}
            value={clockText((dim ?? NIGHT)[part])}
            onChange={({ target }) => {
              const minute = minuteOf(target.value);
              if (minute !== null) onChange({ dim: { ...(dim ?? NIGHT), [part]: minute } });
            }}
          />
        </div>
      )}
    </FieldFrame>
  );
  return (
    <section className="panel screen-panel" aria-label={text('screens.settings')}>
      <h2>{text('screens.settings')}</h2>
      <FieldFrame
        required
        label={text('screens.name')}
        fault={name.trim() === '' ? text('validation.required') : undefined}
      >
        {(control) => (
          <div className="field">
            <input
              {...control}
              type="text"
              maxLength={60}
              disabled={!mayEdit}
              value={name}
              onChange={({ target }) => onChange({ name: target.value })}
            />
          </div>
        )}
      </FieldFrame>
      <FieldFrame required={false} label={text('screens.page-seconds')} fault={undefined}>
        {(control) => (
          <Select
            {...control}
            className="form-select"
            disabled={!mayEdit}
            value={pageSeconds}
            onChange={(next) => onChange({ pageSeconds: next })}
            options={PAGE_SECONDS.map((count) => ({
              value: count,
              label: text('screens.seconds', { count }),
            }))}
          />
        )}
      </FieldFrame>
      <FieldFrame required={false} label={text('screens.dim')} fault={undefined}>
        {({ 'aria-required': _, ...control }) => (
          <Switch
            {...control}
            disabled={!mayEdit}
            checked={dim !== null}
            onChange={(checked) => onChange({ dim: checked ? NIGHT : null })}
          />
        )}
      </FieldFrame>
      {dim ? (
        <div className="screen-hours">
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
