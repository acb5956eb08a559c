import type { QuietHoursInput } from '@isotherm/contracts/quiet-hours';
import Select from 'antd/es/select';
import Switch from 'antd/es/switch';
import { useText } from '../../i18n/use-text.ts';
import { FieldFrame } from './field-frame.tsx';
import { useField, useFormContext } from './form-context.ts';
import { isTab, KeyFrame } from './key-frame.tsx';

const WEEK = [1, 2, 3, 4, 5, 6, 7];
/** Every night, as a start for the user. */
const NIGHTS = { days: WEEK, from: '22:00', until: '07:00' };

/** Name of a weekday; 1 is Monday. */
function weekday(day: number, language: string): string {
  // 1 January 2024 was a Monday.
  return new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' }).format(
    Date.UTC(2024, 0, day),
  );
}

/** Field `quietHours` of a form: off, or weekdays and local times. */
export function QuietHoursField() {
  const { text, language } = useText();
  const { faults } = useFormContext();
  const { value = null, set } = useField<QuietHoursInput>('quietHours');
  const faultOf = (part: string) => faults[`quietHours.${part}`];
  return (
    <>
      <FieldFrame
        wide
        label={text('quiet-hours.title')}
        help={text('quiet-hours.help')}
        required={false}
        fault={faults.quietHours}
      >
        {({ 'aria-required': _, ...control }) => (
          <Switch {...control} checked={value !== null} onChange={(on) => set(on ? NIGHTS : null)} />
        )}
      </FieldFrame>
      {value === null ? null : (
        <>
          <FieldFrame wide required label={text('quiet-hours.days')} fault={faultOf('days')}>
            {(control) => (
              <KeyFrame take={isTab}>
                <Select
                  {...control}
                  mode="multiple"
                  className="form-select"
                  value={value.days}
                  options={WEEK.map((day) => ({ value: day, label: weekday(day, language) }))}
                  onChange={(days: number[]) => set({ ...value, days: days.sort((a, b) => a - b) })}
                />
              </KeyFrame>
            )}
          </FieldFrame>
          {(['from', 'until'] as const).map((edge) => (
            <FieldFrame key={edge} required label={text(`quiet-hours.${edge}`)} fault={faultOf(edge)}>
              {(control) => (
                <div className={faultOf(edge) ? 'field field-wrong' : 'field'}>
                  <input
                    {...control}
                    type="time"
                    value={value[edge]}
                    onChange={({ target }) => set({ ...value, [edge]: target.value })}
                  />
                </div>
              )}
            </FieldFrame>
          ))}
        </>
      )}
    </>
  );
}
