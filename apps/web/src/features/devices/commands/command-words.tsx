import type { CommandOrder, DeviceCommand } from '@isotherm/contracts/commands';
import type { RequestState } from '@isotherm/domain/devices/command';
import { formatSetting } from '../../../shared/format/duration.ts';
import { shortLimit, unitOf } from '../../../shared/format/number.ts';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';
import { Icon, type IconName } from '../../../shared/ui/icon.tsx';

export const STATE_ICONS: Readonly<Record<RequestState, IconName>> = {
  reserved: 'clock',
  requesting: 'arrow-up',
  configuring: 'settings',
  success: 'check',
  failed: 'close',
  timeout: 'unlinked',
};

/** Returns a command as text: "Acquisition every 30 s". */
export function orderWords(order: CommandOrder, text: Text): string {
  switch (order.kind) {
    case 'reboot':
    case 'shutdown':
      return text(`commands.kind.${order.kind}`);
    case 'acquisition-interval':
    case 'upload-interval':
      return text(`commands.order.${order.kind}`, { every: formatSetting(order.seconds * 1000, text) });
    case 'offline-standard':
      return text('commands.order.offline-standard', { after: formatSetting(order.minutes * 60_000, text) });
    case 'firmware':
      return text('commands.order.firmware', { version: order.version });
    case 'alarm-limits': {
      const { indicator, sensor } = order;
      const limit = (value: number | null) =>
        value === null ? text('commands.order.none') : `${shortLimit(value)} ${unitOf(indicator)}`.trim();
      return text('commands.order.alarm-limits', {
        indicator: text(`common.indicator.${indicator}`),
        sensor,
        low: limit(order.low),
        high: limit(order.high),
      });
    }
  }
}

/** State of a command as icon and text; a failed command also has its reason. */
export function CommandState({
  command: { state, failure, failureReason },
}: {
  command: Pick<DeviceCommand, 'state' | 'failure' | 'failureReason'>;
}) {
  const { text } = useText();
  return (
    <span className="command-state">
      <span className={`tag command-tag command-${state}`}>
        <Icon name={STATE_ICONS[state]} small />
        {text(`commands.state.${state}`)}
      </span>
      {failure ? (
        <span className="small secondary">
          {text(`commands.failure.${failure}`, { reason: failureReason })}
        </span>
      ) : null}
    </span>
  );
}
