import {
  HOLIDAY_TREATMENTS,
  type HolidayTreatment,
  MAX_SPANS,
  type Schedule,
  type ScheduleSpan,
  WEEKDAYS,
} from '@isotherm/domain/alarms/schedule';
import Select from 'antd/es/select';
import { useZoneOptions } from '../../../shared/format/zones.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { WORKING_HOURS } from './policy-draft.ts';

/** Cells that select when a condition may raise an alarm: always, or in spans of a week. */
export function ScheduleCells({
  schedule,
  isWrong,
  onChange,
}: {
  schedule: Schedule | null;
  isWrong: boolean;
  onChange: (schedule: Schedule | null) => void;
}) {
  const { text } = useText();
  const label = text('schedules.when');
  return (
    <div className={schedule ? 'graded-schedule' : 'graded-plain'}>
      <div className={schedule ? 'graded-signal' : undefined}>
        <div className="graded-cell">
          <span className="field-label" aria-hidden="true">
            {label}
          </span>
          <KeyFrame take={isTab}>
            <Select<'always' | 'spans'>
              className="form-select"
              aria-label={label}
              value={schedule ? 'spans' : 'always'}
              options={(['always', 'spans'] as const).map((value) => ({
                value,
                label: text(`schedules.when.${value}`),
              }))}
              onChange={(value) => onChange(value === 'spans' ? WORKING_HOURS : null)}
            />
          </KeyFrame>
        </div>
        {schedule ? <ZoneAndHolidays schedule={schedule} onChange={onChange} /> : null}
      </div>
      {schedule ? <Spans schedule={schedule} isWrong={isWrong} onChange={onChange} /> : null}
    </div>
  );
}

interface ScheduleProps {
  schedule: Schedule;
  onChange: (schedule: Schedule) => void;
}

function ZoneAndHolidays({ schedule, onChange }: ScheduleProps) {
  const { text } = useText();
  const zones = useZoneOptions();
  return (
    <>
      <div className="graded-cell">
        <span className="field-label" aria-hidden="true">
          {text('schedules.time-zone')}
        </span>
        <KeyFrame take={isTab}>
          <Select<string>
            className="form-select"
            aria-label={text('schedules.time-zone')}
            showSearch={{ optionFilterProp: 'label' }}
            value={schedule.timeZone}
            options={[{ value: '', label: text('schedules.time-zone.of-organization') }, ...zones]}
            popupMatchSelectWidth={false}
            onChange={(timeZone) => onChange({ ...schedule, timeZone })}
          />
        </KeyFrame>
      </div>
      <div className="graded-cell">
        <span className="field-label" aria-hidden="true">
          {text('schedules.holidays')}
        </span>
        <KeyFrame take={isTab}>
          <Select<HolidayTreatment>
            className="form-select"
            aria-label={text('schedules.holidays')}
            value={schedule.holidays}
            options={HOLIDAY_TREATMENTS.map((value) => ({
              value,
              label: text(`schedules.holidays.${value}`),
            }))}
            onChange={(holidays) => onChange({ ...schedule, holidays })}
          />
        </KeyFrame>
      </div>
    </>
  );
}

function Spans({ schedule, isWrong, onChange }: ScheduleProps & { isWrong: boolean }) {
  const { text } = useText();
  const { spans } = schedule;
  const change = (at: number, changes: Partial<ScheduleSpan>) =>
    onChange({ ...schedule, spans: spans.map((span, i) => (i === at ? { ...span, ...changes } : span)) });
  const time = (span: ScheduleSpan, at: number, key: 'from' | 'until') => (
    <label className="graded-time">
      <span>{text(`schedules.${key}`)}</span>
      <span className={isWrong ? 'field field-wrong' : 'field'}>
        <input
          type="text"
          inputMode="numeric"
          maxLength={5}
          autoComplete="off"
          placeholder="08:00"
          value={span[key]}
          onChange={(event) => change(at, { [key]: event.target.value })}
        />
      </span>
    </label>
  );
  return (
    <>
      {spans.map((span, at) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: a span has no identity but its position.
          key={at}
          className="graded-span"
          aria-label={text('schedules.span', { index: at + 1 })}
        >
          <div className="graded-days">
            {WEEKDAYS.map((day) => (
              <label key={day} className="graded-day">
                <input
                  type="checkbox"
                  checked={span.days.includes(day)}
                  onChange={(event) =>
                    change(at, {
                      days: WEEKDAYS.filter((each) =>
                        each === day ? event.target.checked : span.days.includes(each),
                      ),
                    })
                  }
                />
                {text(`schedules.day.${day}`)}
              </label>
            ))}
          </div>
          {time(span, at, 'from')}
          {time(span, at, 'until')}
          <Button
            variant="quiet"
            size="small"
            icon
            aria-label={text('schedules.span.remove', { index: at + 1 })}
            disabled={spans.length === 1}
            onClick={() => onChange({ ...schedule, spans: spans.filter((_, i) => i !== at) })}
          >
            <Icon name="bin" />
          </Button>
        </fieldset>
      ))}
      <Button
        size="small"
        disabled={spans.length >= MAX_SPANS}
        onClick={() =>
          onChange({ ...schedule, spans: [...spans, { days: [6, 7], from: '10:00', until: '14:00' }] })
        }
      >
        <Icon name="plus" />
        {text('schedules.span.add')}
      </Button>
      <p className="small secondary">{text('schedules.help')}</p>
    </>
  );
}
