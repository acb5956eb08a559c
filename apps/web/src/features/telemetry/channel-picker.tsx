import type { Indicator } from '@isotherm/domain/readings/indicator';
import Dropdown from 'antd/es/dropdown';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';

export interface CurveChannel {
  channelId: number;
  name: string;
  indicator: Indicator;
}

/** Largest number of channels in a chart; more lines cannot be told apart. */
const AT_MOST = 6;

/** Selection of the channels in the chart; at least one must be selected. */
export function ChannelPicker({
  channels,
  chosen,
  onChange,
}: {
  channels: readonly CurveChannel[];
  chosen: readonly number[];
  onChange: (channelIds: number[]) => void;
}) {
  const { text } = useText();
  if (channels.length < 2) return null;
  return (
    <Dropdown
      trigger={['click']}
      menu={{
        multiple: true,
        selectable: true,
        selectedKeys: chosen.map(String),
        items: channels.map(({ channelId, name }) => ({
          key: String(channelId),
          label: name,
          disabled: chosen.length >= AT_MOST && !chosen.includes(channelId),
        })),
        onSelect: ({ key }) => onChange([...chosen, Number(key)]),
        onDeselect: ({ key }) => {
          const rest = chosen.filter((each) => String(each) !== key);
          if (rest.length > 0) onChange(rest);
        },
      }}
    >
      <Button variant="quiet" size="small">
        <Icon name="channels" small />
        {text('curve.channels')}
      </Button>
    </Dropdown>
  );
}
