import './maintenance.css';
import { type MaintenanceRecord, maintenanceFiles } from '@isotherm/contracts/maintenance';
import { MAINTENANCE_MEASURES, MAINTENANCE_NORMS } from '@isotherm/domain/assets/maintenance-norms';
import Drawer from 'antd/es/drawer';
import { Attachments } from '../../../shared/attachments/attachments.tsx';
import { EN_RULE, fixed } from '../../../shared/format/number.ts';
import { dayText } from '../../../shared/format/time.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { MAINTENANCE_KEY } from './maintenance.queries.ts';

/** Drawer with a maintenance record for users who have only read access. */
export function MaintenanceDrawer({ record, onClose }: { record: MaintenanceRecord; onClose: () => void }) {
  const { text } = useText();
  const { measured, outside, cost } = record;
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={720}
        closable={{ placement: 'end' }}
        title={`${record.asset.name} · ${dayText(record.doneOn)}`}
        rootClassName="form-drawer"
        onClose={onClose}
      >
        <Definitions
          facts={[
            { label: text('maintenance.kind'), value: text(`maintenance.kind.${record.kind}`) },
            { label: text('maintenance.done-by'), value: record.doneBy },
            {
              label: text('maintenance.next-due-on'),
              value: record.nextDueOn ? dayText(record.nextDueOn) : EN_RULE,
            },
            ...MAINTENANCE_MEASURES.flatMap((measure) => {
              const value = measured[measure];
              if (value === undefined) return [];
              const { unit, precision } = MAINTENANCE_NORMS[measure];
              return [
                {
                  label: text(`maintenance.measure.${measure}`),
                  value: (
                    <span className={outside.includes(measure) ? 'maintenance-outside' : undefined}>
                      {fixed(value, precision)} {unit}
                    </span>
                  ),
                },
              ];
            }),
            { label: text('maintenance.work'), value: record.work || EN_RULE },
            {
              label: text('maintenance.cost'),
              value: cost === null ? EN_RULE : `${fixed(cost, 2)} ${record.currency}`,
            },
          ]}
        />
        <Attachments routes={maintenanceFiles} recordId={record.id} listKey={MAINTENANCE_KEY} />
      </Drawer>
    </>
  );
}
