import type { AlarmPolicy } from '@isotherm/contracts/alarm-policies';
import {
  type AlarmTest,
  alarmTestInput,
  exportAlarmTests,
  listAlarmTests,
} from '@isotherm/contracts/alarm-tests';
import { ALARM_LEVELS, type AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { usePermission } from '../../../shared/access/permissions.ts';
import { levelLabel } from '../../../shared/format/labels.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { AsyncSelectField, SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { LevelGlyph } from '../../../shared/ui/level-glyph.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../../shared/ui/list/organization-filter.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { policyQuery, policySource } from '../policies/policies.queries.ts';
import { TestDrawer } from './test-drawer.tsx';
import { TestStateTag } from './test-state-tag.tsx';
import { TESTS_KEY, useTestChanges } from './tests.queries.ts';

const RUN = 'alarm-tests:run';
const REFRESH_MS = 15_000;
const source = pagesOf(listAlarmTests);

function columnsFor({ text, time }: Viewer): ListColumn<AlarmTest>[] {
  return [
    {
      key: 'policy',
      title: text('alarm-tests.policy'),
      sortable: true,
      pinned: true,
      maxWidth: 260,
      render: ({ policyName }) => policyName,
    },
    {
      key: 'level',
      title: text('alarm-tests.level'),
      render: ({ level }) => (
        <>
          <LevelGlyph level={level} /> {level}
        </>
      ),
    },
    { key: 'state', title: text('alarm-tests.state'), render: ({ state }) => <TestStateTag state={state} /> },
    {
      key: 'startedAt',
      title: text('alarm-tests.started'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ startedAt }) => <span className="number">{time(startedAt, 'date-time')}</span>,
    },
    {
      key: 'messages',
      title: text('alarm-tests.messages'),
      align: 'end',
      render: ({ messages }) => <span className="number">{messages}</span>,
    },
    {
      key: 'failed',
      title: text('alarm-tests.failed'),
      align: 'end',
      render: ({ failed }) => <span className="number">{failed}</span>,
    },
    {
      key: 'unconfirmed',
      title: text('alarm-tests.unconfirmed'),
      align: 'end',
      render: ({ unconfirmed }) => <span className="number">{unconfirmed}</span>,
    },
    {
      key: 'asset',
      title: text('alarm-tests.asset'),
      maxWidth: 220,
      render: ({ assetName }) => assetName,
    },
    {
      key: 'startedBy',
      title: text('alarm-tests.started-by'),
      maxWidth: 200,
      render: ({ startedBy, scheduleName }) => startedBy || scheduleName,
    },
    {
      key: 'organization',
      title: text('alarm-tests.organization'),
      offered: true,
      maxWidth: 220,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
  ];
}

/** List of the alarm tests. The address names the open one. */
export function TestList() {
  const viewer = useViewer();
  const { text } = viewer;
  const organizations = useOrganizations();
  const [params, change] = useUrlState();
  const mayRun = usePermission(RUN);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const opened = Number(params.get('test')) || null;
  const run = (
    <PermissionButton permission={RUN} variant="primary" onClick={() => change({ new: 1 }, 'push')}>
      {text('alarm-tests.run')}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        embedded
        name="alarm-tests"
        title={text('menu.alarm-tests')}
        purpose={text('alarm-tests.purpose')}
        source={source}
        queryKey={TESTS_KEY}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ policyName }) => policyName}
        searchLabel={text('alarm-tests.search')}
        defaultSort={{ sort: 'startedAt', order: 'desc' }}
        filters={[organizationFilter(text, organizations)]}
        views={[
          { key: 'all', label: text('alarm-tests.view.all'), query: {} },
          { key: 'open', label: text('alarm-tests.view.open'), query: { open: 'true' } },
        ]}
        refreshAfter={() => REFRESH_MS}
        actions={run}
        exporting={exportAlarmTests}
        onOpen={({ id }) => change({ test: id }, 'push')}
        empty={{ title: text('alarm-tests.empty'), reason: text('alarm-tests.empty-reason'), action: run }}
      />
      {opened ? <TestDrawer id={opened} onClose={() => change({ test: null })} /> : null}
      {params.get('new') && mayRun ? (
        <RunForm onClose={() => change({ new: null })} onStarted={(id) => change({ new: null, test: id })} />
      ) : null}
    </>
  );
}

/** Form that sends a test to the recipients of a step, and then shows it. */
function RunForm({ onClose, onStarted }: { onClose: () => void; onStarted: (id: number) => void }) {
  const { text } = useText();
  const changes = useTestChanges();
  return (
    <FormDrawer
      title={text('alarm-tests.run')}
      submitLabel={text('alarm-tests.run')}
      schema={alarmTestInput}
      initial={{ level: 1 }}
      submit={async (values) => {
        const { id } = await changes.run({ ...values, policyId: Number(values.policyId) });
        onStarted(id);
      }}
      success={text('alarm-tests.run.done')}
      faultFields={{ 'policy.not_found': 'policyId', 'alarm_test.nobody': 'level' }}
      onClose={onClose}
    >
      <FormSection>
        <p className="form-wide secondary">{text('alarm-tests.run.means')}</p>
        <StepFields />
      </FormSection>
    </FormDrawer>
  );
}

/** Fields that choose a step of a policy: of those that notify anybody, the one with the lowest level at first. */
export function StepFields({ chosen }: { chosen?: { value: number; label: string } }) {
  const { text } = useText();
  const policyId = Number(useField<number | string>('policyId').value ?? 0);
  const level = useField<AlarmLevel>('level');
  const seesPolicies = usePermission('alarm-policies:view');
  const { data: policy } = useQuery({ ...policyQuery(policyId), enabled: policyId > 0 && seesPolicies });
  const levels = policy ? notifyingLevels(policy.definition.steps) : ALARM_LEVELS;
  const [lowest] = levels;
  useEffect(() => {
    if (lowest !== undefined && level.value !== undefined && !levels.includes(level.value)) level.set(lowest);
  });
  return (
    <>
      <AsyncSelectField
        wide
        name="policyId"
        label={text('alarm-tests.policy')}
        source={policySource}
        {...(chosen ? { chosen } : {})}
      />
      <SelectField
        name="level"
        label={text('alarm-tests.level')}
        help={text('alarm-tests.level.help')}
        options={levels.map((value) => ({ value, label: levelLabel(value, text) }))}
      />
      {policy && lowest === undefined ? (
        <p className="form-wide small secondary">{text('alarm-tests.nobody')}</p>
      ) : null}
    </>
  );
}

const notifyingLevels = (steps: AlarmPolicy['definition']['steps']): AlarmLevel[] =>
  steps.flatMap(({ level, recipients, url }) => ((recipients?.length ?? 0) > 0 || url ? [level] : []));
