import { useQuery } from '@tanstack/react-query';
import { useText } from '../../../shared/i18n/use-text.ts';
import { PageTabs } from '../../../shared/ui/detail-page.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { CalibrationList } from './calibration-list.tsx';
import { calibrationCountsQuery } from './calibrations.queries.ts';
import { UncalibratedList } from './uncalibrated-list.tsx';

/** Calibration page: the certificates, and the sensors without any. */
export default function CalibrationPage() {
  const { text } = useText();
  const { data: counts } = useQuery(calibrationCountsQuery);
  return (
    <div className="page">
      <PageHead title={text('menu.device-calibration')} purpose={text('calibration.purpose')} />
      <PageTabs
        tabs={[
          {
            key: 'certificates',
            label: text('calibration.certificates'),
            content: () => <CalibrationList />,
          },
          {
            key: 'never',
            label: text('calibration.never'),
            ...(counts && { count: counts.never }),
            content: () => <UncalibratedList />,
          },
        ]}
      />
    </div>
  );
}
