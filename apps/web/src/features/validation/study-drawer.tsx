import './validation.css';
import type { ValidationStudy } from '@isotherm/contracts/validation-studies';
import type { StudyResult } from '@isotherm/domain/assets/validation-study';
import { formatDuration, shareWords } from '@isotherm/i18n/figures';
import Drawer from 'antd/es/drawer';
import { type ReactNode, useState } from 'react';
import { AssetLink } from '../../shared/assets/asset-link.tsx';
import { celsius, EN_RULE, zoneWords } from '../../shared/format/number.ts';
import { dayText } from '../../shared/format/time.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { currentLanguage } from '../../shared/i18n/language.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Definitions } from '../../shared/ui/detail-page.tsx';
import { FocusReturn } from '../../shared/ui/focus-return.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { TableFrame } from '../../shared/ui/table-frame.tsx';
import { StudyTag } from './study-words.tsx';
import { saveReport, useValidationChanges } from './validation.queries.ts';

const EDIT = 'asset-validation:edit';

/** Drawer of one validation study: its floor plan, its readings and its verdict. */
export function StudyDrawer({
  study,
  plan,
  onEdit,
  onClose,
}: {
  study: ValidationStudy;
  /**
   * The floor plan with the study's channels. The page passes it in, because floor plans belong to another
   * feature.
   */
  plan: ReactNode;
  onEdit: () => void;
  onClose: () => void;
}) {
  const { text, time, zone } = useViewer();
  const changes = useValidationChanges();
  const [judging, setJudging] = useState(false);
  const [reporting, setReporting] = useState(false);
  const { result, state } = study;
  const judge = async () => {
    setJudging(true);
    // The API client has already shown why the study cannot be evaluated.
    await changes.judge(study.id).catch(() => undefined);
    setJudging(false);
  };
  const report = async () => {
    setReporting(true);
    await saveReport(study, zone).catch(() => undefined);
    setReporting(false);
  };
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={860}
        closable={{ placement: 'end' }}
        title={`${study.asset.name} · ${study.name}`}
        rootClassName="form-drawer"
        onClose={onClose}
        extra={
          <PermissionButton permission={EDIT} onClick={onEdit}>
            {text('validations.edit')}
          </PermissionButton>
        }
      >
        <div className="study-verdict">
          <StudyTag study={study} />
          {state === 'to-judge' || state === 'judged' ? (
            <PermissionButton
              permission={EDIT}
              variant={result ? 'secondary' : 'primary'}
              size="small"
              disabled={judging}
              onClick={judge}
            >
              {text(result ? 'validations.judge.again' : 'validations.judge')}
            </PermissionButton>
          ) : (
            <span className="secondary">{text(`validations.state.${state}.means`)}</span>
          )}
          {result ? (
            <Button size="small" disabled={reporting} aria-busy={reporting} onClick={report}>
              <Icon name={reporting ? 'clock' : 'download'} small />
              {text(reporting ? 'validations.report.writing' : 'validations.report.save')}
            </Button>
          ) : null}
          {study.judgedAt ? (
            <span className="small tertiary">
              {text('validations.judged', {
                time: time(study.judgedAt, 'date-time'),
                by: study.judgedBy ?? '',
              })}
            </span>
          ) : null}
        </div>
        {result && study.uncalibrated.length > 0 ? <Reservation study={study} /> : null}
        <Definitions
          facts={[
            {
              label: text('validations.asset'),
              value: (
                <AssetLink assetId={study.asset.id}>{`${study.asset.name} (${study.asset.code})`}</AssetLink>
              ),
            },
            { label: text('validations.type'), value: text(`validations.type.${study.type}`) },
            { label: text('validations.zone'), value: zoneWords(study) },
            { label: text('validations.from'), value: time(study.from, 'date-time') },
            { label: text('validations.to'), value: time(study.to, 'date-time') },
            { label: text('validations.unit'), value: study.verifierUnitName ?? EN_RULE },
            { label: text('validations.due-on'), value: study.dueOn ? dayText(study.dueOn) : EN_RULE },
            { label: text('validations.note'), value: study.note || EN_RULE },
          ]}
        />
        {result ? <Result study={study} result={result} /> : null}
        {plan}
      </Drawer>
    </>
  );
}

/** Lists the sensors that had no valid certificate when the study was evaluated. */
function Reservation({ study: { uncalibrated, channelNames } }: { study: ValidationStudy }) {
  const { text } = useText();
  const names = channelNames.filter(({ id }) => uncalibrated.includes(id)).map(({ name }) => name);
  return (
    <p className="study-reservation">
      {text('validations.reservation', {
        count: names.length,
        names: new Intl.ListFormat(currentLanguage()).format(names),
      })}
    </p>
  );
}

function Result({ study, result }: { study: ValidationStudy; result: StudyResult }) {
  const { text } = useText();
  const names = new Map(study.channelNames.map(({ id, name }) => [id, name]));
  const low = Math.min(result.min, study.zoneMin);
  const high = Math.max(result.max, study.zoneMax);
  const share = (value: number) => `${((value - low) / (high - low)) * 100}%`;
  return (
    <section className="study-result">
      <h3>{text('validations.result')}</h3>
      <Definitions
        facts={[
          { label: text('validations.min'), value: celsius(result.min) },
          { label: text('validations.max'), value: celsius(result.max) },
          { label: text('validations.mean'), value: celsius(result.mean, 2) },
          { label: text('validations.mkt'), value: celsius(result.meanKinetic, 2) },
          { label: text('validations.uniformity'), value: celsius(result.uniformity) },
          { label: text('validations.hot-spot'), value: names.get(result.hotSpot) ?? EN_RULE },
          { label: text('validations.cold-spot'), value: names.get(result.coldSpot) ?? EN_RULE },
        ]}
      />
      <TableFrame label={text('validations.result')}>
        <thead>
          <tr>
            <th scope="col">{text('validations.channel')}</th>
            <th scope="col" className="study-range-head">
              {zoneWords(study)}
            </th>
            {(['min', 'max', 'mean', 'mkt', 'outside', 'coverage'] as const).map((each) => (
              <th key={each} scope="col" className="figure">
                {text(`validations.${each}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {result.points.map((point) => (
            <tr key={point.channelId}>
              <td>
                {names.get(point.channelId) ?? EN_RULE}
                {point.channelId === result.hotSpot ? <Spot name="hot-spot" /> : null}
                {point.channelId === result.coldSpot ? <Spot name="cold-spot" /> : null}
              </td>
              <td>
                <span className="study-range" aria-hidden="true">
                  <span
                    className="study-range-zone"
                    style={{ left: share(study.zoneMin), right: `calc(100% - ${share(study.zoneMax)})` }}
                  />
                  <span
                    className={`study-range-bar${point.outsideMs > 0 ? ' study-range-outside' : ''}`}
                    style={{ left: share(point.min), right: `calc(100% - ${share(point.max)})` }}
                  />
                </span>
              </td>
              <td className="figure">{celsius(point.min)}</td>
              <td className="figure">{celsius(point.max)}</td>
              <td className="figure">{celsius(point.mean, 2)}</td>
              <td className="figure">{celsius(point.meanKinetic, 2)}</td>
              <td className="figure">
                {point.outsideMs > 0 ? formatDuration(point.outsideMs, text) : EN_RULE}
              </td>
              <td className="figure">{shareWords(point.coverage)}</td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </section>
  );
}

function Spot({ name }: { name: 'hot-spot' | 'cold-spot' }) {
  const { text } = useText();
  return (
    <span className="small tertiary study-spot">
      <Icon name={name === 'hot-spot' ? 'arrow-up' : 'arrow-down'} small />
      {text(`validations.${name}`)}
    </span>
  );
}
