import { useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import Switch from 'antd/es/switch';
import { useState } from 'react';
import { useText } from '../../i18n/use-text.ts';
import type { TreeNode } from '../tree/tree-index.ts';
import { TreeSelect } from '../tree/tree-select.tsx';
import { FieldFrame, type FieldProps } from './field-frame.tsx';
import { useField } from './form-context.ts';
import { isTab, KeyFrame } from './key-frame.tsx';
import { useSettled } from './use-settled.ts';

export interface Option<V extends string | number = string | number> {
  value: V;
  label: string;
  hint?: string;
  disabled?: boolean;
}

function status(fault: string | undefined) {
  return fault ? ({ status: 'error' } as const) : {};
}

function optionRow(option: Option) {
  return option.hint ? (
    <span>
      {option.label} <span className="small tertiary">{option.hint}</span>
    </span>
  ) : (
    option.label
  );
}

/** Field that selects one or several options from a known list. */
export function SelectField({
  options,
  multiple = false,
  placeholder,
  clearable = false,
  ...props
}: FieldProps & {
  options: readonly Option[];
  multiple?: boolean;
  placeholder?: string;
  clearable?: boolean;
}) {
  const { value, set, fault, required } = useField<string | number | (string | number)[]>(props.name);
  return (
    <FieldFrame {...props} required={required} fault={fault}>
      {(control) => (
        <KeyFrame take={isTab}>
          <Select
            {...control}
            {...status(fault)}
            {...(multiple ? { mode: 'multiple' as const } : {})}
            className="form-select"
            value={value}
            disabled={props.disabled ?? false}
            allowClear={clearable}
            placeholder={placeholder}
            showSearch={multiple || options.length > 10 ? { optionFilterProp: 'label' } : false}
            options={options as Option[]}
            optionRender={({ data }) => optionRow(data as Option)}
            onChange={(next) => set(next ?? undefined)}
          />
        </KeyFrame>
      )}
    </FieldFrame>
  );
}

export interface OptionSource {
  /** Key of the query that loads the options. */
  key: readonly unknown[];
  search: (typed: string) => Promise<readonly Option[]>;
}

/** Field that selects one option from a long list, which is searched while the user types. */
export function AsyncSelectField({
  source,
  chosen,
  placeholder,
  clearable = true,
  ...props
}: FieldProps & {
  source: OptionSource;
  /** The selected option, which provides the label. */
  chosen?: Option | undefined;
  placeholder?: string;
  clearable?: boolean;
}) {
  const { value, set, fault, required } = useField<string | number>(props.name);
  return (
    <FieldFrame {...props} required={required} fault={fault}>
      {(control) => (
        <AsyncSelect
          {...control}
          {...status(fault)}
          source={source}
          chosen={chosen}
          value={value}
          disabled={props.disabled ?? false}
          clearable={clearable}
          placeholder={placeholder}
          onChange={set}
        />
      )}
    </FieldFrame>
  );
}

/** Selects one option from a long list; `AsyncSelectField` for a field of a form. */
export function AsyncSelect({
  source,
  chosen,
  value,
  onChange,
  clearable,
  placeholder,
  ...rest
}: {
  source: OptionSource;
  chosen?: Option | undefined;
  value: string | number | undefined;
  onChange: (value: string | number | undefined) => void;
  clearable: boolean;
  placeholder?: string | undefined;
  disabled?: boolean;
  id?: string;
  status?: 'error';
  'aria-label'?: string;
}) {
  const { text } = useText();
  const [typed, setTyped] = useState('');
  const asked = useSettled(typed);
  const [open, setOpen] = useState(false);
  const { data, isFetching } = useQuery({
    queryKey: [...source.key, 'options', asked],
    queryFn: () => source.search(asked),
    enabled: open,
    staleTime: 30_000,
  });
  const known = data ?? [];
  const options =
    chosen && asked === '' && !known.some((option) => option.value === chosen.value)
      ? [chosen, ...known]
      : known;
  return (
    <KeyFrame take={isTab}>
      <Select
        {...rest}
        className="form-select"
        value={value}
        allowClear={clearable}
        placeholder={placeholder}
        loading={isFetching}
        showSearch={{ filterOption: false, onSearch: setTyped }}
        notFoundContent={text(isFetching ? 'common.loading' : 'common.list.no-match')}
        options={[...options] as Option[]}
        optionRender={({ data: option }) => optionRow(option as Option)}
        onOpenChange={setOpen}
        onChange={(next) => onChange(next ?? undefined)}
      />
    </KeyFrame>
  );
}

/** Field that selects a node of a tree. */
export function TreeField({
  nodes,
  loading = false,
  without,
  clearable = false,
  placeholder,
  ...props
}: FieldProps & {
  nodes: readonly TreeNode[];
  loading?: boolean;
  without?: ReadonlySet<number> | undefined;
  clearable?: boolean;
  placeholder?: string;
}) {
  const { value, set, fault, required } = useField<number>(props.name);
  return (
    <FieldFrame {...props} required={required} fault={fault}>
      {(control) => (
        <TreeSelect
          {...control}
          {...status(fault)}
          nodes={nodes}
          loading={loading}
          without={without}
          value={value}
          clearable={clearable}
          placeholder={placeholder}
          disabled={props.disabled ?? false}
          onChange={set}
        />
      )}
    </FieldFrame>
  );
}

export function SwitchField(props: FieldProps) {
  const { value, set, fault } = useField<boolean>(props.name);
  return (
    <FieldFrame {...props} required={false} fault={fault}>
      {({ 'aria-required': _, ...control }) => (
        <Switch {...control} checked={value ?? false} disabled={props.disabled ?? false} onChange={set} />
      )}
    </FieldFrame>
  );
}

/** Field for several short texts, each ended by Enter or a comma. */
export function TagsField({ placeholder, ...props }: FieldProps & { placeholder?: string }) {
  const { value, set, fault, required } = useField<string[]>(props.name);
  return (
    <FieldFrame {...props} required={required} fault={fault}>
      {(control) => (
        <Select
          {...control}
          {...status(fault)}
          mode="tags"
          className="form-select"
          open={false}
          suffixIcon={null}
          tokenSeparators={[',', ';', ' ']}
          value={value ?? []}
          disabled={props.disabled ?? false}
          placeholder={placeholder}
          onChange={(next: string[]) => set(next)}
        />
      )}
    </FieldFrame>
  );
}
