import './back-test.css';
import { BACK_TEST_TARGETS, type BackTestChannel } from '@isotherm/contracts/back-test';
import type { PolicyDefinition } from '@isotherm/domain/alarms/graded-policy';
import { formatDuration } from '@isotherm/i18n/figures';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import Select from 'antd/es/select';
import { useMemo, useState } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { usePermission } from '../../../shared/access/permissions.ts';
import { formatSetting } from '../../../shared/format/duration.ts';
import { integer, withUnit } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { useSettled } from '../../../shared/ui/form/use-settled.ts';
import { LevelGlyph } from '../../../shared/ui/level-glyph.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { TreeSelect } from '../../../shared/ui/tree/tree-select.tsx';
import {
  BACK_TEST_DAYS,
  type BackTestScope,
  backTestChannelsQuery,
  backTestQuery,
} from './back-test.queries.ts';
import { BackTestAlarms } from './back-test-alarms.tsx';
import { BackTestChart } from './back-test-chart.tsx';
import {
  type BackTestAnswer,
  type Lever,
  leverKey,
  leversOf,
  pulled,
  rangeOf,
  rounded,
  testedPart,
  testedQuantities,
} from './back-test-draft.ts';
import { targetGroupsQuery } from './policies.queries.ts';
import type { DefinitionDraft } from './policy-draft.ts';
import { delayWords, quantityWords } from './policy-words.ts';

/**
 * Shows which alarms a draft would have raised on stored readings. Without `onChange`, the draft cannot be
 * changed here.
 */
export function BackTestPanel({
  draft,
  policyId,
  isAssigned,
  onChange,
}: {
  draft: DefinitionDraft;
  /** Null for a new policy. */
  policyId: number | null;
  isAssigned: boolean;
  onChange?: (draft: DefinitionDraft) => void;
}) {
  const { text } = useViewer();
  const tested = testedPart(draft);
  return (
    <section className="panel graded-section graded-test" aria-label={text('policies.test')}>
      {tested === null ? (
        <>
          <Head />
          <p className="secondary">{text('policies.test.incomplete')}</p>
        </>
      ) : (
        <Tested
          definition={tested}
          policyId={policyId}
          isAssigned={isAssigned}
          lever={onChange ? <LeverRow draft={draft} onChange={onChange} /> : null}
        />
      )}
    </section>
  );
}

function Head({ children }: { children?: React.ReactNode }) {
  const { text } = useViewer();
  return (
    <div className="graded-test-head">
      <h2>{text('policies.test')}</h2>
      <span className="small secondary">{text('policies.test.period', { days: BACK_TEST_DAYS })}</span>
      {children}
    </div>
  );
}

type ScopeKind = BackTestScope['kind'];

function Tested({
  definition,
  policyId,
  isAssigned,
  lever,
}: {
  definition: PolicyDefinition;
  policyId: number | null;
  isAssigned: boolean;
  lever: React.ReactNode;
}) {
  const { text } = useViewer();
  const [chosen, setChosen] = useState<ScopeKind | null>(null);
  const [targetId, setTargetId] = useState<number | undefined>();
  const kind: ScopeKind = chosen ?? (isAssigned && policyId !== null ? 'assigned' : 'examples');
  const scope: BackTestScope =
    kind === 'assigned' && policyId !== null
      ? { kind, policyId }
      : kind === 'organization' || kind === 'asset-group'
        ? { kind, id: targetId }
        : { kind: 'examples' };
  const quantities = testedQuantities(definition);
  const list = useQuery(backTestChannelsQuery(scope, quantities));
  const isToChoose = 'id' in scope && scope.id === undefined;
  const body = () => {
    if (quantities.length === 0) return <p className="secondary">{text('policies.test.no-quantity')}</p>;
    if (isToChoose) return <p className="secondary">{text('policies.test.choose')}</p>;
    if (list.error && !list.data)
      return <FailureNotice error={list.error} retry={() => void list.refetch()} />;
    if (!list.data) return <div className="skeleton" style={{ height: 96 }} />;
    if (list.data.channels.length === 0)
      return <p className="secondary">{text(`policies.test.no-channels.${scope.kind}`)}</p>;
    return (
      <Run definition={definition} channels={list.data.channels} total={list.data.total} lever={lever} />
    );
  };
  return (
    <>
      <Head>
        <ScopeChoice
          kind={scope.kind}
          hasPolicy={policyId !== null}
          targetId={targetId}
          onKind={(next) => {
            setChosen(next);
            setTargetId(undefined);
          }}
          onTarget={setTargetId}
        />
      </Head>
      {body()}
    </>
  );
}

/** Chooses the channels: assigned ones, those of an organisation or group, or examples. */
function ScopeChoice({
  kind,
  hasPolicy,
  targetId,
  onKind,
  onTarget,
}: {
  kind: ScopeKind;
  hasPolicy: boolean;
  targetId: number | undefined;
  onKind: (kind: ScopeKind) => void;
  onTarget: (id: number | undefined) => void;
}) {
  const { text } = useViewer();
  const organizations = useOrganizations();
  const groups = useQuery({ ...targetGroupsQuery, enabled: kind === 'asset-group' });
  const kinds: ScopeKind[] = [
    ...(hasPolicy ? (['assigned'] as const) : []),
    ...BACK_TEST_TARGETS,
    'examples',
  ];
  const trees = {
    organization: organizations,
    'asset-group': { nodes: groups.data ?? [], loading: groups.isPending },
  };
  return (
    <div className="graded-test-scope">
      <KeyFrame take={isTab}>
        <Select<ScopeKind>
          className="form-select"
          aria-label={text('policies.test.scope')}
          value={kind}
          options={kinds.map((value) => ({ value, label: text(`policies.test.scope.${value}`) }))}
          popupMatchSelectWidth={false}
          onChange={onKind}
        />
      </KeyFrame>
      {kind === 'organization' || kind === 'asset-group' ? (
        <TreeSelect
          aria-label={text(`policies.test.scope.${kind}`)}
          {...trees[kind]}
          placeholder={text(`policies.target.${kind}`)}
          value={targetId}
          onChange={onTarget}
        />
      ) : null}
    </div>
  );
}

function Run({
  definition,
  channels,
  total,
  lever,
}: {
  definition: PolicyDefinition;
  channels: readonly BackTestChannel[];
  total: number;
  lever: React.ReactNode;
}) {
  const { text, language } = useViewer();
  const client = useQueryClient();
  const maySeeReadings = usePermission('asset:view');
  const [done, setDone] = useState(0);
  const settledText = useSettled(JSON.stringify(definition));
  const settled = useMemo(() => JSON.parse(settledText) as PolicyDefinition, [settledText]);
  const query = backTestQuery(
    settled,
    channels.map(({ id }) => id),
    setDone,
  );
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(query);
  const isOld = isPlaceholderData || settledText !== JSON.stringify(definition);
  const isStopped = !isFetching && !error && (!data || isPlaceholderData);
  return (
    <>
      {isFetching ? (
        <div role="status">
          <div className="row">
            <span className="small secondary">
              {text('policies.test.running', { done, total: channels.length })}
            </span>
            <Button variant="link" onClick={() => void client.cancelQueries({ queryKey: query.queryKey })}>
              {text('common.action.cancel')}
            </Button>
          </div>
          <progress className="graded-test-progress" value={done} max={channels.length} aria-hidden="true" />
        </div>
      ) : null}
      {isStopped ? (
        <div className="row">
          <span className="secondary">{text('policies.test.cancelled')}</span>
          <Button size="small" onClick={() => void refetch()}>
            {text('policies.test.run')}
          </Button>
        </div>
      ) : null}
      {error && !isFetching ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data ? (
        <div className={isOld ? 'graded-test graded-test-old' : 'graded-test'} aria-busy={isOld}>
          <Figures answer={data} />
          <Notes answer={data} total={total} />
        </div>
      ) : null}
      {lever}
      {data && maySeeReadings ? (
        <BackTestChart answer={data} definition={settled} channels={channels} />
      ) : null}
      {data ? <BackTestAlarms answer={data} channels={channels} /> : null}
      <span className="visually-hidden" aria-live="polite">
        {data && !isOld ? integer(language, data.draft.total) : ''}
      </span>
    </>
  );
}

function Figures({ answer: { draft, inForce } }: { answer: BackTestAnswer }) {
  const { text, language } = useViewer();
  return (
    <>
      <div className="graded-test-numbers">
        <span>
          <span className="graded-test-count">{integer(language, draft.total)}</span>
          <span className="secondary">{text('policies.test.with-draft')}</span>
        </span>
        <span>
          <span className="graded-test-count tertiary">{integer(language, inForce.total)}</span>
          <span className="secondary">{text('policies.test.with-rules')}</span>
        </span>
      </div>
      <p className="secondary">
        {draft.total === 0
          ? text('policies.test.summary.none', { days: BACK_TEST_DAYS, today: inForce.total })
          : text('policies.test.summary', {
              days: BACK_TEST_DAYS,
              count: draft.total,
              longest: formatDuration(draft.longestMs, text),
              today: inForce.total,
            })}{' '}
        {text('policies.test.difference', { added: draft.onlyHere, removed: inForce.onlyHere })}
      </p>
      {draft.total === 0 ? null : (
        <div className="graded-test-levels">
          {draft.byLevel.map((count, at) => {
            const level = (at + 1) as 1 | 2 | 3 | 4 | 5;
            return count === 0 ? null : (
              <span key={level}>
                <LevelGlyph level={level} />
                <span className="number">{integer(language, count)}</span>
              </span>
            );
          })}
        </div>
      )}
    </>
  );
}

/** Notes on what the back-test does not cover, such as channels without readings. */
function Notes({ answer: { channels, leftOut }, total }: { answer: BackTestAnswer; total: number }) {
  const { text } = useViewer();
  const empty = channels.filter(({ days }) => days === 0).length;
  const notes = [
    ...(total > channels.length
      ? [text('policies.test.limited', { shown: channels.length, total })]
      : [text('policies.test.tested', { count: channels.length })]),
    ...(empty > 0 ? [text('policies.test.no-readings', { count: empty })] : []),
    ...(leftOut.length > 0 ? [text('policies.test.left-out')] : []),
  ];
  return <p className="small secondary">{notes.join(' ')}</p>;
}

/** A slider for one of the limits and delays of the draft. */
function LeverRow({
  draft,
  onChange,
}: {
  draft: DefinitionDraft;
  onChange: (draft: DefinitionDraft) => void;
}) {
  const { text } = useViewer();
  const levers = leversOf(draft);
  const [key, setKey] = useState<string | null>(null);
  const lever = levers.find((each) => leverKey(each) === key) ?? levers[0];
  // The middle of the slider must not change while the user drags the slider.
  const [middle, setMiddle] = useState<{ key: string; value: number } | null>(null);
  if (!lever) return null;
  const own = leverKey(lever);
  const around = middle?.key === own ? middle.value : lever.value;
  const { min, max, step } = rangeOf(lever, around);
  const nameOf = (each: Lever) =>
    each.type === 'delay'
      ? text('policies.test.lever.delay', { level: draft.steps[each.at]?.level ?? 1 })
      : text(`policies.test.lever.${each.side}`, { name: quantityWords(each.quantity, text) });
  return (
    <div className="graded-test-lever">
      <KeyFrame take={isTab}>
        <Select<string>
          className="form-select"
          aria-label={text('policies.test.try')}
          value={own}
          options={levers.map((each) => ({ value: leverKey(each), label: nameOf(each) }))}
          popupMatchSelectWidth={false}
          onChange={setKey}
        />
      </KeyFrame>
      <input
        type="range"
        aria-label={nameOf(lever)}
        aria-valuetext={valueWords(lever, text)}
        min={min}
        max={max}
        step={step}
        value={lever.value}
        onChange={(event) => {
          if (middle?.key !== own) setMiddle({ key: own, value: lever.value });
          onChange(pulled(draft, lever, rounded(Number(event.target.value), step)));
        }}
      />
      <output className="number">{valueWords(lever, text)}</output>
    </div>
  );
}

function valueWords(lever: Lever, text: ReturnType<typeof useViewer>['text']): string {
  if (lever.type === 'limit') return withUnit(lever.quantity, lever.value);
  return lever.value === 0 ? delayWords(0, text) : formatSetting(lever.value, text);
}
