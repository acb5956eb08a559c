import type { Rollout, UpgradeRecord } from '@isotherm/contracts/firmware';
import { type RolloutState, UPGRADE_STATES, type UpgradeState } from '@isotherm/domain/devices/rollout';
import { integer } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';
import { Icon, type IconName } from '../../../shared/ui/icon.tsx';

const ICONS: Readonly<Record<UpgradeState, IconName>> = {
  waiting: 'clock',
  offered: 'arrow-up',
  downloading: 'download',
  installing: 'settings',
  done: 'check',
  failed: 'close',
  refused: 'lock',
  expired: 'unlinked',
  cancelled: 'close',
};

/**
 * Returns why an upgrade failed or was refused: a translated reason of the server, or the device's own text.
 */
function reasonWords(reason: string, text: Text): string {
  if (reason === 'silent' || reason === 'other-version') return text(`upgrade.reason.${reason}`);
  return /^\d+$/.test(reason) ? text('upgrade.reason.number', { reason }) : reason;
}

/** State of a device as icon and text, with download progress and failure reason. */
export function UpgradeTag({
  upgrade: { state, percent, reason },
}: {
  upgrade: Pick<UpgradeRecord, 'state' | 'percent' | 'reason'>;
}) {
  const { text } = useText();
  return (
    <span className="upgrade-state">
      <span className={`tag upgrade-tag upgrade-${state}`}>
        <Icon name={ICONS[state]} small />
        {text(`upgrade.state.${state}`)}
        {state === 'downloading' ? <span className="number">{`${percent} %`}</span> : null}
      </span>
      {reason === '' ? null : <span className="small secondary">{reasonWords(reason, text)}</span>}
    </span>
  );
}

export function RolloutTag({ state }: { state: RolloutState }) {
  const { text } = useText();
  return <span className={`tag rollout-${state}`}>{text(`upgrade.rollout.state.${state}`)}</span>;
}

type Counts = Rollout['waves'][number]['states'];
const shownOf = (counts: Counts) => UPGRADE_STATES.filter((state) => counts[state] > 0);

/** Bar with the number of devices in each state. */
export function StateBar({ counts }: { counts: Counts }) {
  return (
    <span className="upgrade-bar" aria-hidden="true">
      {shownOf(counts).map((state) => (
        <span key={state} className={`upgrade-${state}`} style={{ flexGrow: counts[state] }} />
      ))}
    </span>
  );
}

export function StateCounts({ counts }: { counts: Counts }) {
  const { text, language } = useViewer();
  return (
    <ul className="upgrade-counts">
      {shownOf(counts).map((state) => (
        <li key={state} className={`upgrade-${state}`}>
          <Icon name={ICONS[state]} small />
          {text(`upgrade.state.${state}`)}
          <strong className="number">{integer(language, counts[state])}</strong>
        </li>
      ))}
    </ul>
  );
}

/** Returns the counts of all waves together. */
export function sumOf(waves: Rollout['waves']): Counts {
  return Object.fromEntries(
    UPGRADE_STATES.map((state) => [state, waves.reduce((sum, { states }) => sum + states[state], 0)]),
  ) as Counts;
}

export function devicesOf(waves: Rollout['waves']): number {
  return waves.reduce((sum, { devices }) => sum + devices, 0);
}
