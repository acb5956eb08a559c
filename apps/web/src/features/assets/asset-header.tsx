import { switchLabel } from '@isotherm/i18n/alarm-words';
import './asset.css';
import type { AssetDetail } from '@isotherm/contracts/assets';
import { formatDuration } from '@isotherm/i18n/figures';
import type { TextId } from '@isotherm/i18n/text-id';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'react-router';
import { usePermission } from '../../shared/access/permissions.ts';
import { StateGlyph } from '../../shared/assets/asset-glyph.tsx';
import {
  deviationOf,
  isQuantity,
  levelOf,
  ownerText,
  peakText,
  stateTitle,
} from '../../shared/assets/asset-words.ts';
import { ASSET_KIND_LABEL, levelLabel } from '../../shared/format/labels.ts';
import { limitsText } from '../../shared/format/limits.ts';
import { useTicking } from '../../shared/format/now.ts';
import { EN_RULE, indicatorValue, unitOf, withUnit } from '../../shared/format/number.ts';
import { Age, Lasting, useViewer } from '../../shared/format/viewer.tsx';
import { StatusTag } from './status/status-words.tsx';

/** Signal strength in dBm from which a signal counts as good. */
const SIGNAL_GOOD = -85;
const SIGNAL_FAIR = -105;

/**
 * Header of the asset page: name, state, value, limits, and the time since which the asset is in this state.
 */
export function AssetHeader({
  asset,
  action,
  tools,
}: {
  asset: AssetDetail;
  /** The main button, which depends on the state. */
  action: ReactNode;
  /** Additional buttons. */
  tools?: ReactNode;
}) {
  const { text, time } = useViewer();
  const { state, main } = asset;
  const level = levelOf(state);
  const classes = ['panel', 'asset-header'];
  if (level !== null) classes.push(`level-${level}`);
  if (state.kind === 'alarm' && state.level >= 4) classes.push('asset-grave');
  if (state.kind === 'pending') classes.push('asset-pending');
  if (state.kind === 'ended') classes.push('asset-ended');
  if (state.kind === 'unknown' || state.kind === 'expired') classes.push('asset-unknown');
  const signal = asset.devices.find((device) => device.signal !== null)?.signal ?? null;
  return (
    <section className={classes.join(' ')}>
      <StateStrip asset={asset} action={action} />
      <div className="asset-identity">
        <div className="asset-names">
          <div className="asset-title">
            <h1>{asset.name}</h1>
            <span className="tag">{text(ASSET_KIND_LABEL[asset.kind])}</span>
            {asset.model ? <span className="tag">{asset.model}</span> : null}
            {asset.status === 'normal' ? null : <StatusTag status={asset.status} />}
            {tools}
          </div>
          <p className="tertiary">{[asset.place, asset.organizationName].filter(Boolean).join(' · ')}</p>
          <dl className="facts">
            <Fact label={text('asset.fact.limits')}>
              <bdi dir="ltr">{main ? limitsText(main, text) : EN_RULE}</bdi>
            </Fact>
            {state.kind === 'alarm' || state.kind === 'pending' || state.kind === 'ended' ? (
              <Fact label={text('asset.fact.outside-since')}>
                {time(state.since, 'day-time')},{' '}
                <Lasting since={state.since} until={state.kind === 'ended' ? state.endedAt : null} />
              </Fact>
            ) : null}
            <Fact label={text('asset.fact.measured')}>
              {main?.measuredAt ? (
                <>
                  <Age since={main.measuredAt} />, {time(main.measuredAt, 'time-seconds')}
                </>
              ) : state.kind === 'expired' ? (
                EN_RULE
              ) : (
                text('monitor.never-seen')
              )}
            </Fact>
            {asset.battery === null ? null : (
              <Fact label={text('common.indicator.battery')}>
                <bdi dir="ltr">{Math.round(asset.battery)} %</bdi>
              </Fact>
            )}
            {signal === null ? null : (
              <Fact label={text('common.indicator.signal')}>
                <bdi dir="ltr">{withUnit('signal', signal)}</bdi>, {text(signalWord(signal))}
              </Fact>
            )}
            <Fact label={text('asset.fact.device')}>
              <DeviceNumbers numbers={asset.devices.map((device) => device.number)} />
            </Fact>
            <Fact label={text('asset.fact.code')}>{asset.code}</Fact>
          </dl>
        </div>
        <HeaderValue asset={asset} />
      </div>
    </section>
  );
}

/** The numbers of the devices; users who may see devices get links to their pages. */
function DeviceNumbers({ numbers }: { numbers: readonly string[] }) {
  const seesDevices = usePermission('device-list:view');
  if (numbers.length === 0) return EN_RULE;
  return numbers.map((number, at) => (
    <Fragment key={number}>
      {at === 0 ? null : ', '}
      {seesDevices ? <Link to={`/device/list/${number}`}>{number}</Link> : number}
    </Fragment>
  ));
}

function signalWord(dbm: number): TextId {
  if (dbm >= SIGNAL_GOOD) return 'asset.signal.good';
  return dbm >= SIGNAL_FAIR ? 'asset.signal.fair' : 'asset.signal.weak';
}

function StateStrip({ asset, action }: { asset: AssetDetail; action: ReactNode }) {
  const { text } = useViewer();
  const { state } = asset;
  const label = useTicking((now) => {
    const lasting = (since: string) => formatDuration(now - Date.parse(since), text);
    const title = stateTitle(asset, text);
    switch (state.kind) {
      case 'alarm':
        return text(state.recovering ? 'asset.strip.recovering' : 'asset.strip.lasting', {
          title,
          duration: lasting(state.since),
        });
      case 'ended':
        return text('asset.strip.ended', { title, duration: lasting(state.endedAt) });
      case 'pending': {
        const level = levelLabel(state.level, text);
        const left = Date.parse(state.dueAt) - now;
        return left <= 0
          ? text('asset.strip.due-now', { title, level })
          : text('asset.strip.pending', { title, level, duration: formatDuration(left, text) });
      }
      case 'unknown':
        return state.since ? text('asset.strip.lasting', { title, duration: lasting(state.since) }) : title;
      case 'expired':
        return text('asset.strip.expired', { title, duration: lasting(state.since) });
      case 'unset':
        return text('asset.strip.unset');
      case 'normal':
        return '';
    }
  });
  if (state.kind === 'normal') return null;
  const owner = ownerText(asset, text);
  const peak = peakText(asset, text);
  return (
    <div className="asset-strip">
      <StateGlyph state={state} size={20} onStrip />
      <span className="asset-strip-text">{[label, peak, owner].filter(Boolean).join(' · ')}</span>
      <span className="end">{action}</span>
    </div>
  );
}

function HeaderValue({ asset }: { asset: AssetDetail }) {
  const { text } = useViewer();
  const { main } = asset;
  if (!main || main.value === null || asset.silent) {
    return (
      <div className="asset-value">
        <span className="value-huge value-unknown">{EN_RULE}</span>
        <div className="tertiary">
          {main && main.value !== null
            ? text('monitor.last-value', {
                value: isQuantity(main)
                  ? withUnit(main.indicator, main.value)
                  : text(switchLabel(main.indicator, main.value)),
              })
            : text('monitor.no-value')}
        </div>
      </div>
    );
  }
  if (!isQuantity(main)) {
    return (
      <div className="asset-value">
        <span className="value-huge">{text(switchLabel(main.indicator, main.value))}</span>
        <div className="tertiary">{main.name}</div>
      </div>
    );
  }
  const deviation = deviationOf(asset, text);
  return (
    <div className="asset-value">
      <bdi dir="ltr" className="value-huge">
        {indicatorValue(main.indicator, main.value)}
        <small>{unitOf(main.indicator)}</small>
      </bdi>
      <div>
        {deviation ? <span className="level-text strong">{deviation}</span> : null}
        <span className="tertiary">
          {deviation ? ' · ' : ''}
          {main.name}
        </span>
      </div>
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
