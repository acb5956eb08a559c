import type { payloadMapping } from '@isotherm/contracts/payload-mappings';
import { wordIssues } from '@isotherm/contracts/validation';
import { INDICATOR_NAMES, type Indicator } from '@isotherm/domain/readings/indicator';
import Select from 'antd/es/select';
import { useId, useLayoutEffect, useRef } from 'react';
import { INDICATOR_LABEL } from '../../../shared/format/labels.ts';
import { unitOf } from '../../../shared/format/number.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { type EntryDraft, entriesOf, withDraft } from './entry-drafts.ts';

const CELLS = ['path', 'channel', 'factor', 'offset'] as const;
type Cell = (typeof CELLS)[number];

/** Options for the sensor index; 64 is the largest index of a channel. */
const SENSORS = Array.from({ length: 64 }, (_, at) => ({ value: at + 1, label: String(at + 1) }));

/** Field for the entries of a mapping, one row each: name in the payload, channel, conversion. */
export function EntriesField({
  name,
  entryRule,
}: {
  name: string;
  /** Schema that validates all entries together. */
  entryRule: typeof payloadMapping.shape.entries;
}) {
  const { text } = useText();
  const { value, set, fault } = useField<EntryDraft[]>(name);
  const drafts = value ?? [];
  const faults = useEntryFaults(fault === undefined ? undefined : drafts, entryRule);
  const list = useRef<HTMLDivElement>(null);
  const added = useRef(false);
  const noteId = useId();
  useLayoutEffect(() => {
    if (!added.current) return;
    added.current = false;
    list.current?.querySelector<HTMLElement>('fieldset:last-of-type input')?.focus();
  });
  const change = (key: number, changes: Partial<EntryDraft>) =>
    set(drafts.map((each) => (each.key === key ? { ...each, ...changes } : each)));
  return (
    <div className="form-wide">
      <div className="mapping-entries" ref={list}>
        <div className="mapping-entry mapping-entry-head" aria-hidden="true">
          <span>{text('mappings.path')}</span>
          <span>{text('mappings.channel')}</span>
          <span>{text('mappings.sensor')}</span>
          <span>{text('mappings.factor')}</span>
          <span>{text('mappings.offset')}</span>
        </div>
        {drafts.map((draft, at) => (
          <EntryRow
            key={draft.key}
            draft={draft}
            title={text('mappings.entry', { row: at + 1 })}
            wrong={(cell) => faults.some((each) => each.row === at && each.cell === cell)}
            noteId={noteId}
            onChange={(changes) => change(draft.key, changes)}
            onRemove={() => set(drafts.filter(({ key }) => key !== draft.key))}
          />
        ))}
      </div>
      <div id={noteId}>
        {faults.length === 0 && fault ? <Fault words={fault} /> : null}
        {faults.map(({ row, cell, words }) => (
          <Fault
            key={`${row}.${cell}`}
            words={text('mappings.fault', { row: row + 1, field: text(`mappings.${cell}`), fault: words })}
          />
        ))}
      </div>
      <Button
        size="small"
        className="mapping-add"
        onClick={() => {
          added.current = true;
          set(withDraft(drafts));
        }}
      >
        <Icon name="plus" />
        {text('mappings.add-entry')}
      </Button>
    </div>
  );
}

/** Label of a cell in the narrow layout, which has no table header. */
function CellName({ words }: { words: string }) {
  return (
    <span className="small tertiary mapping-cell-name" aria-hidden="true">
      {words}
    </span>
  );
}

function Fault({ words }: { words: string }) {
  return (
    <div className="field-fault">
      <Icon name="info" small />
      {words}
    </div>
  );
}

/** Returns the errors per cell. The form itself has only one error per field. */
function useEntryFaults(
  drafts: readonly EntryDraft[] | undefined,
  rule: typeof payloadMapping.shape.entries,
): { row: number; cell: Cell; words: string }[] {
  const { text } = useText();
  if (!drafts) return [];
  const entries = entriesOf(drafts);
  const { error } = rule.safeParse(entries);
  if (!error) return [];
  return wordIssues(error, entries).flatMap(({ field, rule: broken, params }) => {
    const [row, name] = field.split('.');
    const cell = CELLS.find((each) => each === name);
    return cell ? [{ row: Number(row), cell, words: text(`validation.${broken}`, params) }] : [];
  });
}

function EntryRow({
  draft,
  title,
  wrong,
  noteId,
  onChange,
  onRemove,
}: {
  draft: EntryDraft;
  title: string;
  wrong: (cell: Cell) => boolean;
  noteId: string;
  onChange: (changes: Partial<EntryDraft>) => void;
  onRemove: () => void;
}) {
  const { text } = useText();
  const control = (cell: Cell) => ({
    'aria-invalid': wrong(cell),
    ...(wrong(cell) ? { 'aria-describedby': noteId } : {}),
  });
  const select = (cell: Cell) => ({
    ...control(cell),
    className: 'form-select',
    ...(wrong(cell) ? { status: 'error' as const } : {}),
  });
  const box = (cell: Cell) => (wrong(cell) ? 'field field-wrong' : 'field');
  const number = (cell: 'factor' | 'offset', unit = '') => (
    <div className={box(cell)}>
      <CellName words={text(`mappings.${cell}`)} />
      <input
        {...control(cell)}
        type="text"
        inputMode="decimal"
        autoComplete="off"
        aria-label={text(`mappings.${cell}`)}
        value={draft[cell]}
        onChange={(event) => onChange({ [cell]: event.target.value })}
      />
      {unit ? <span className="small tertiary">{unit}</span> : null}
    </div>
  );
  return (
    <fieldset className="mapping-entry" aria-label={title}>
      <div className={`${box('path')} mapping-path`}>
        <input
          {...control('path')}
          type="text"
          autoComplete="off"
          spellCheck={false}
          aria-label={text('mappings.path')}
          placeholder="probe.temperature"
          value={draft.path}
          onChange={(event) => onChange({ path: event.target.value })}
        />
      </div>
      <KeyFrame take={isTab}>
        <Select<Indicator>
          {...select('channel')}
          aria-label={text('mappings.channel')}
          placeholder={text('mappings.channel.choose')}
          popupMatchSelectWidth={false}
          showSearch={{ optionFilterProp: 'label' }}
          value={draft.indicator ?? null}
          options={INDICATOR_NAMES.map((value) => ({ value, label: text(INDICATOR_LABEL[value]) }))}
          onChange={(indicator) => onChange({ indicator })}
        />
      </KeyFrame>
      <KeyFrame take={isTab}>
        <Select<number>
          {...select('channel')}
          aria-label={text('mappings.sensor')}
          prefix={<CellName words={text('mappings.sensor')} />}
          showSearch={{ optionFilterProp: 'label' }}
          value={draft.sensor}
          options={SENSORS}
          onChange={(sensor) => onChange({ sensor })}
        />
      </KeyFrame>
      {number('factor')}
      {number('offset', draft.indicator && unitOf(draft.indicator))}
      <Button
        variant="quiet"
        size="small"
        icon
        aria-label={text('mappings.remove-entry', { entry: draft.path || title })}
        onClick={onRemove}
      >
        <Icon name="bin" />
      </Button>
    </fieldset>
  );
}
