import { LATE_NOTIFICATIONS, type LateNotifications } from '@isotherm/domain/alarms/graded-policy';
import Select from 'antd/es/select';
import { useText } from '../../../shared/i18n/use-text.ts';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';

/** Field for which late alarms the policy notifies. */
export function LateField({
  value,
  onChange,
}: {
  value: LateNotifications;
  onChange: (value: LateNotifications) => void;
}) {
  const { text } = useText();
  return (
    <section className="panel graded-section">
      <h2>{text('policies.late')}</h2>
      <p className="small secondary">{text('policies.late.help')}</p>
      <div className="graded-cell graded-type">
        <KeyFrame take={isTab}>
          <Select<LateNotifications>
            className="form-select"
            aria-label={text('policies.late')}
            value={value}
            options={LATE_NOTIFICATIONS.map((each) => ({
              value: each,
              label: text(`policies.late.${each}`),
            }))}
            onChange={onChange}
          />
        </KeyFrame>
      </div>
    </section>
  );
}
