import Popover from 'antd/es/popover';
import Select from 'antd/es/select';
import { useState } from 'react';
import { useText } from '../../i18n/use-text.ts';
import { Button } from '../button.tsx';
import { FilterBox } from '../filter-box.tsx';
import { Icon } from '../icon.tsx';
import type { ListState, ListStateChange } from './list-state.ts';
import type { ChoiceFilter, FilterValues, ListFilter } from './list-types.ts';

const ANY = '';

function pick(values: FilterValues, keys: readonly string[]): FilterValues {
  return Object.fromEntries(Object.entries(values).filter(([key]) => keys.includes(key)));
}

function isSet(filter: ListFilter, values: FilterValues): boolean {
  return filter.keys.some((key) => values[key] !== undefined);
}

function emptied(filter: ListFilter): Record<string, null> {
  return Object.fromEntries(filter.keys.map((key) => [key, null]));
}

function describe(filter: ListFilter, values: FilterValues): string {
  if (!('options' in filter)) return filter.describe(pick(values, filter.keys));
  const value = values[filter.keys[0] ?? ''];
  return filter.options.find((option) => option.value === value)?.label ?? value ?? '';
}

/**
 * Filter bar of a list: search, common filters, others behind "More filters", chips of active filters, and a
 * button to clear them (ui.md).
 */
export function ListFilters({
  filters,
  state,
  changes,
  searchLabel,
  narrow,
  children,
}: {
  filters: readonly ListFilter[];
  state: ListState;
  changes: ListStateChange;
  searchLabel: string;
  narrow: boolean;
  /** Content at the end of the bar. */
  children: React.ReactNode;
}) {
  const { text } = useText();
  const inSight = narrow ? [] : filters.filter((filter) => !filter.more);
  const behind = narrow ? filters : filters.filter((filter) => filter.more);
  const chips = behind.filter((filter) => isSet(filter, state.filters));
  return (
    <div className="list-filters">
      <FilterBox
        className="list-search"
        value={state.search}
        placeholder={searchLabel}
        onChange={changes.searchFor}
      />
      {inSight.map((filter) => (
        <FilterControl key={filter.keys.join()} filter={filter} state={state} changes={changes} named />
      ))}
      {chips.map((filter) => (
        <span key={filter.keys.join()} className="chip">
          {text('common.list.chip', { name: filter.label, value: describe(filter, state.filters) })}
          <button
            type="button"
            aria-label={text('common.list.remove-filter', { name: filter.label })}
            onClick={() => changes.filter(emptied(filter))}
          >
            <Icon name="close" small />
          </button>
        </span>
      ))}
      {behind.length > 0 ? (
        <MoreFilters filters={behind} state={state} changes={changes} narrow={narrow} />
      ) : null}
      {state.narrowed ? (
        <Button variant="link" onClick={changes.clear}>
          {text('common.action.clear')}
        </Button>
      ) : null}
      <div className="list-filters-end">{children}</div>
    </div>
  );
}

function MoreFilters({
  filters,
  state,
  changes,
  narrow,
}: {
  filters: readonly ListFilter[];
  state: ListState;
  changes: ListStateChange;
  narrow: boolean;
}) {
  const { text } = useText();
  const [open, setOpen] = useState(false);
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      trigger="click"
      placement="bottomLeft"
      arrow={false}
      content={
        <div className="list-more">
          {filters.map((filter) => (
            <div key={filter.keys.join()}>
              <div className="field-label">{filter.label}</div>
              <FilterControl filter={filter} state={state} changes={changes} />
            </div>
          ))}
        </div>
      }
    >
      <Button variant="quiet" aria-expanded={open}>
        <Icon name="filter" />
        {text(narrow ? 'common.list.filters' : 'common.list.more-filters')}
      </Button>
    </Popover>
  );
}

function FilterControl({
  filter,
  state,
  changes,
  named = false,
}: {
  filter: ListFilter;
  state: ListState;
  changes: ListStateChange;
  /** True if the label is inside the control, as in "State: any". */
  named?: boolean;
}) {
  if (!('options' in filter)) {
    return (
      <div className="list-filter">
        {filter.control(pick(state.filters, filter.keys), (values) => changes.filter(values))}
      </div>
    );
  }
  return <ChoiceControl filter={filter} state={state} changes={changes} named={named} />;
}

function ChoiceControl({
  filter,
  state,
  changes,
  named,
}: {
  filter: ChoiceFilter;
  state: ListState;
  changes: ListStateChange;
  named: boolean;
}) {
  const { text } = useText();
  const key = filter.keys[0] ?? '';
  const value = state.filters[key] ?? ANY;
  const any = text('common.list.any');
  return (
    <Select<string>
      className={named ? 'list-choice' : 'list-choice list-choice-wide'}
      aria-label={filter.label}
      value={value}
      popupMatchSelectWidth={false}
      showSearch={filter.options.length > 10 ? { optionFilterProp: 'label' } : false}
      labelRender={({ label }) =>
        named ? text('common.list.chip', { name: filter.label, value: String(label) }) : label
      }
      onChange={(next) => changes.filter({ [key]: next === ANY ? null : next })}
      options={[{ value: ANY, label: any }, ...filter.options]}
    />
  );
}
