import type { ValidationStudy } from '@isotherm/contracts/validation-studies';
import type { ReactNode } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';
import { PageTabs } from '../../shared/ui/detail-page.tsx';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { StudyList } from './study-list.tsx';
import { UnitList } from './unit-list.tsx';

/** Page for the validation of assets: studies and verifier units. */
export function ValidationPage({ planOf }: { planOf?: (study: ValidationStudy) => ReactNode }) {
  const { text } = useText();
  return (
    <div className="page">
      <PageHead title={text('menu.asset-validation')} purpose={text('validations.purpose')} />
      <PageTabs
        tabs={[
          {
            key: 'studies',
            label: text('validations.studies'),
            content: () => <StudyList planOf={planOf} />,
          },
          { key: 'units', label: text('validations.units'), content: () => <UnitList /> },
        ]}
      />
    </div>
  );
}
