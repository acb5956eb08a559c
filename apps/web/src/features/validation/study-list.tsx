import './validation.css';
import {
  listValidationStudies,
  STUDY_STATES,
  type ValidationStudy,
} from '@isotherm/contracts/validation-studies';
import { STUDY_TYPES, STUDY_VERDICTS } from '@isotherm/domain/assets/validation-study';
import { type ReactNode, useMemo } from 'react';
import { celsius, EN_RULE, zoneWords } from '../../shared/format/number.ts';
import { dayText } from '../../shared/format/time.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../shared/ui/list/list-types.ts';
import { RecordList } from '../../shared/ui/list/record-list.tsx';
import { StudyDrawer } from './study-drawer.tsx';
import { StudyForm } from './study-form.tsx';
import { StudyTag } from './study-words.tsx';
import { loadStudy, STUDIES_KEY, useValidationChanges } from './validation.queries.ts';

const source = pagesOf(listValidationStudies);

function columnsFor({ text, time }: Viewer): ListColumn<ValidationStudy>[] {
  return [
    {
      key: 'assetName',
      title: text('validations.asset'),
      sortable: true,
      pinned: true,
      maxWidth: 240,
      render: ({ asset }) => (
        <span>
          {asset.name} <span className="small tertiary">{asset.code}</span>
        </span>
      ),
    },
    {
      key: 'name',
      title: text('validations.name'),
      sortable: true,
      maxWidth: 220,
      render: (each) => each.name,
    },
    {
      key: 'type',
      title: text('validations.type'),
      render: (each) => <span className="secondary">{text(`validations.type.${each.type}`)}</span>,
    },
    { key: 'verdict', title: text('validations.verdict'), render: (each) => <StudyTag study={each} /> },
    { key: 'zone', title: text('validations.zone'), render: zoneWords },
    {
      key: 'range',
      title: text('validations.measured'),
      render: ({ result }) =>
        result ? (
          `${celsius(result.min)} … ${celsius(result.max)}`
        ) : (
          <span className="tertiary">{EN_RULE}</span>
        ),
    },
    {
      key: 'from',
      title: text('validations.from'),
      sortable: true,
      firstOrder: 'desc',
      render: (each) => time(each.from, 'date-time'),
    },
    {
      key: 'dueOn',
      title: text('validations.due-on'),
      sortable: true,
      render: (each) => (each.dueOn ? dayText(each.dueOn) : EN_RULE),
    },
    {
      key: 'unit',
      title: text('validations.unit'),
      maxWidth: 200,
      render: (each) => <span className="secondary">{each.verifierUnitName ?? EN_RULE}</span>,
    },
  ];
}

/** List of the validation studies with their state: planned, measured or evaluated. */
export function StudyList({ planOf }: { planOf: ((study: ValidationStudy) => ReactNode) | undefined }) {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useValidationChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  return (
    <RecordList
      embedded
      name="validation-studies"
      title={text('validations.studies')}
      purpose={text('validations.purpose')}
      permission="asset-validation:edit"
      param="study"
      source={source}
      queryKey={STUDIES_KEY}
      load={loadStudy}
      columns={columns}
      nameOf={(each) => `${each.asset.name}, ${each.name}`}
      searchLabel={text('validations.search')}
      defaultSort={{ sort: 'from', order: 'desc' }}
      filters={[
        {
          keys: ['state'],
          label: text('validations.state'),
          options: STUDY_STATES.map((state) => ({
            value: state,
            label: text(`validations.state.${state}`),
          })),
        },
        {
          keys: ['verdict'],
          label: text('validations.verdict'),
          options: STUDY_VERDICTS.map((verdict) => ({
            value: verdict,
            label: text(`validations.verdict.${verdict}`),
          })),
        },
        {
          keys: ['type'],
          label: text('validations.type'),
          options: STUDY_TYPES.map((type) => ({ value: type, label: text(`validations.type.${type}`) })),
        },
      ]}
      words={{
        create: text('validations.create'),
        edit: text('validations.edit'),
        remove: text('validations.delete'),
      }}
      empty={{ title: text('validations.empty.title'), reason: text('validations.empty.reason') }}
      form={(study, close) => <StudyForm study={study} onClose={close} />}
      view={(study, close, edit) => (
        <StudyDrawer study={study} plan={planOf?.(study)} onEdit={edit} onClose={close} />
      )}
      viewFirst
      removal={{
        title: (name) => text('validations.delete.title', { name }),
        means: () => text('validations.delete.means'),
        done: (name) => text('validations.deleted', { name }),
        run: ({ id }, reason) => changes.removeStudy(id, reason),
      }}
    />
  );
}
