import './validation.css';
import {
  listValidationStudies,
  STUDY_STATES,
  type ValidationStudy,
} from '@isotherm/contracts/validation-studies';
import { STUDY_TYPES, STUDY_VERDICTS } from '@isotherm/domain/assets/validation-study';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { usePagePermission } from '../../shared/access/permissions.ts';
import { EN_RULE } from '../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { ConfirmWithReason } from '../../shared/ui/confirm-dialog.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { ListPage } from '../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../shared/ui/list/list-types.ts';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { StudyDrawer } from './study-drawer.tsx';
import { StudyForm } from './study-form.tsx';
import { celsius, StudyTag, zoneWords } from './study-words.tsx';
import { STUDIES_KEY, studyQuery, useValidationChanges } from './validation.queries.ts';

const EDIT = 'asset-validation:edit';
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
      render: (each) => each.dueOn ?? EN_RULE,
    },
    {
      key: 'unit',
      title: text('validations.unit'),
      maxWidth: 200,
      render: (each) => <span className="secondary">{each.verifierUnitName ?? EN_RULE}</span>,
    },
  ];
}

/** Studies of assets, planned, measured and judged. */
export function StudyList({ planOf }: { planOf: ((study: ValidationStudy) => ReactNode) | undefined }) {
  const viewer = useViewer();
  const { text } = viewer;
  const [params, change] = useUrlState();
  const changes = useValidationChanges();
  const editing = usePagePermission(EDIT);
  const [doomed, setDoomed] = useState<ValidationStudy | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const open = Number(params.get('study')) || null;
  const { data: study } = useQuery({ ...studyQuery(open ?? 0), enabled: open !== null });
  const shown = study?.id === open ? study : undefined;
  const isEdited = params.get('do') === 'edit' && editing === 'held';
  const nameOf = (each: ValidationStudy) => `${each.asset.name}, ${each.name}`;
  const addButton = (
    <PermissionButton
      permission={EDIT}
      className="button button-primary"
      onClick={() => change({ new: 1 }, 'push')}
    >
      <Icon name="plus" />
      {text('validations.create')}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        embedded
        name="validation-studies"
        title={text('validations.studies')}
        purpose={text('validations.purpose')}
        source={source}
        queryKey={STUDIES_KEY}
        columns={columns}
        rowKey={(each) => each.id}
        rowName={nameOf}
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
        onOpen={(each) => change({ study: each.id }, 'push')}
        actions={addButton}
        rowActions={(each) =>
          editing === 'held'
            ? [
                {
                  key: 'edit',
                  label: text('validations.edit'),
                  onClick: () => change({ study: each.id, do: 'edit' }, 'push'),
                },
                {
                  key: 'delete',
                  danger: true,
                  label: text('validations.delete'),
                  onClick: () => setDoomed(each),
                },
              ]
            : []
        }
        empty={{
          title: text('validations.empty.title'),
          reason: text('validations.empty.reason'),
          action: addButton,
        }}
      />
      {params.get('new') && editing === 'held' ? <StudyForm onClose={() => change({ new: null })} /> : null}
      {shown && isEdited ? (
        <StudyForm key={shown.id} study={shown} onClose={() => change({ do: null })} />
      ) : null}
      {shown && !isEdited ? (
        <StudyDrawer
          study={shown}
          plan={planOf?.(shown)}
          onEdit={() => change({ do: 'edit' })}
          onClose={() => change({ study: null, do: null })}
        />
      ) : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('validations.delete.title', { name: nameOf(doomed) })}
          confirmLabel={text('validations.delete')}
          onConfirm={async (reason) => {
            await changes.removeStudy(doomed.id, reason);
            toast('success', text('validations.deleted', { name: nameOf(doomed) }));
          }}
          onClose={() => setDoomed(null)}
        >
          {text('validations.delete.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}
