import type { StatusChange } from '@isotherm/contracts/asset-status';
import { type AssetStatus, STATUS_QUIET } from '@isotherm/domain/assets/asset-status';
import type { TimeRange } from '../../../shared/chart/curve-model.ts';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';

/** Tag with the status of an asset; the normal status is not emphasised. */
export function StatusTag({ status }: { status: AssetStatus }) {
  const { text } = useText();
  const label = text(`assets.status.${status}`);
  return status === 'normal' ? (
    <span className="secondary">{label}</span>
  ) : (
    <span className="tag">{label}</span>
  );
}

export function changeText({ from, to }: StatusChange, text: Text): string {
  return text('assets.history.from-to', {
    from: text(`assets.status.${from}`),
    to: text(`assets.status.${to}`),
  });
}

/** Returns the periods in which limits are not evaluated, for the chart; an ongoing period has no end. */
export function quietBands(changes: readonly StatusChange[], text: Text): (TimeRange & { label: string })[] {
  return changes
    .filter(({ to }) => STATUS_QUIET[to] !== 'nothing')
    .map(({ to, changedAt, untilAt, endedAt }) => ({
      from: Date.parse(changedAt),
      to: Math.min(
        ...[untilAt, endedAt].map((each) => (each === null ? Number.MAX_SAFE_INTEGER : Date.parse(each))),
      ),
      label: text('assets.quiet', { status: text(`assets.status.${to}`) }),
    }));
}
