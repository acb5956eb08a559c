import type { CalibratedSensor } from '@isotherm/contracts/calibrations';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import Select from 'antd/es/select';
import { useId } from 'react';
import { EN_RULE, fixed, unitOf } from '../../../shared/format/number.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { errorOf, type PointDraft, withDraft } from './point-drafts.ts';

/** Additional decimals: laboratories state values with one decimal more than the sensor has. */
const FINER = 1;

/** Field for the points of a certificate, one row each: reference, reading and error. */
export function PointsField({ name, channels }: { name: string; channels: CalibratedSensor['channels'] }) {
  const { text } = useText();
  const { value: drafts = [], set, fault } = useField<PointDraft[]>(name);
  const quantities = channels.filter(({ indicator }) => INDICATORS[indicator].kind === 'quantity');
  const change = (key: number, changes: Partial<PointDraft>) =>
    set(drafts.map((each) => (each.key === key ? { ...each, ...changes } : each)));
  const first = quantities[0]?.id;
  const none = quantities.length === 0;
  const reasonId = useId();
  return (
    <div className="form-wide">
      <div className={`calibration-points${quantities.length > 1 ? ' calibration-points-several' : ''}`}>
        {drafts.map((draft, at) => (
          <PointRow
            key={draft.key}
            draft={{ ...draft, channelId: draft.channelId ?? first }}
            row={at + 1}
            channels={quantities}
            onChange={(changes) => change(draft.key, { channelId: draft.channelId ?? first, ...changes })}
            onRemove={() => set(drafts.filter(({ key }) => key !== draft.key))}
          />
        ))}
      </div>
      {fault ? (
        <div className="field-fault">
          <Icon name="info" small />
          {fault}
        </div>
      ) : null}
      <Button
        size="small"
        className="calibration-add"
        disabled={none}
        aria-describedby={none ? reasonId : undefined}
        onClick={() => set(withDraft(drafts, first))}
      >
        <Icon name="plus" />
        {text('calibration.add-point')}
      </Button>
      {none ? (
        <p className="form-help" id={reasonId}>
          {text(channels.length === 0 ? 'calibration.add-point.sensor' : 'calibration.add-point.nothing')}
        </p>
      ) : null}
    </div>
  );
}

function PointRow({
  draft,
  row,
  channels,
  onChange,
  onRemove,
}: {
  draft: PointDraft;
  row: number;
  channels: CalibratedSensor['channels'];
  onChange: (changes: Partial<PointDraft>) => void;
  onRemove: () => void;
}) {
  const { text } = useText();
  const channel = channels.find(({ id }) => id === draft.channelId);
  const unit = channel ? unitOf(channel.indicator) : '';
  const error = errorOf(draft);
  const figure = (cell: 'reference' | 'reading' | 'uncertainty') => (
    <div className="calibration-cell">
      <span className="small tertiary" aria-hidden="true">
        {text(`calibration.${cell}`)}
      </span>
      <span className="field">
        <input
          type="text"
          inputMode="decimal"
          autoComplete="off"
          aria-label={text(`calibration.${cell}`)}
          value={draft[cell]}
          onChange={(event) => onChange({ [cell]: event.target.value })}
        />
        <span className="small tertiary">{unit}</span>
      </span>
    </div>
  );
  return (
    <fieldset className="calibration-point" aria-label={text('calibration.point', { row })}>
      {channels.length > 1 ? (
        <div className="calibration-cell calibration-channel">
          <span className="small tertiary">{text('calibration.channel')}</span>
          <KeyFrame take={isTab}>
            <Select<number>
              className="form-select"
              aria-label={text('calibration.channel')}
              value={draft.channelId ?? null}
              options={channels.map(({ id, name }) => ({ value: id, label: name }))}
              onChange={(channelId) => onChange({ channelId })}
            />
          </KeyFrame>
        </div>
      ) : null}
      {figure('reference')}
      {figure('reading')}
      {figure('uncertainty')}
      <div className="calibration-cell">
        <span className="small tertiary">{text('calibration.error')}</span>
        <output className="calibration-error">
          {error === null || !channel
            ? EN_RULE
            : `${error > 0 ? '+' : ''}${fixed(error, INDICATORS[channel.indicator].precision + FINER)} ${unit}`}
        </output>
      </div>
      <Button
        variant="quiet"
        size="small"
        icon
        aria-label={text('calibration.remove-point', { row })}
        onClick={onRemove}
      >
        <Icon name="bin" />
      </Button>
    </fieldset>
  );
}
