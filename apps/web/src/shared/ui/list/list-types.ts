import type { RouteContract } from '@isotherm/contracts/route';
import type { MenuProps } from 'antd';
import type { ReactNode } from 'react';
import type { z } from 'zod';

/**
 * Contract of a list route: `paging`, `search`, `sort` and `order` in its query, `pageOf` in its response.
 */
export type ListRoute = RouteContract<
  z.ZodType,
  z.ZodObject,
  z.ZodType,
  z.ZodType<{ items: unknown[]; total: number }>
>;

export interface Page<Item> {
  items: readonly Item[];
  total: number;
}
export type ListQuery = Readonly<Record<string, string | number>>;

/** Source of the rows of a list. */
export interface ListSource<Item, Data extends Page<Item> = Page<Item>> {
  access: string;
  /** Schema of the valid parameters of the address. */
  query: z.ZodObject;
  load: (query: ListQuery, signal: AbortSignal) => Promise<Data>;
}
export type SortOrder = 'asc' | 'desc';

export interface ListColumn<Item> {
  /** Key of the column; for a sortable column it is also the contract's sort key. */
  key: string;
  title: string;
  render: (item: Item) => ReactNode;
  sortable?: boolean;
  /** Sort order of the first click; default `asc`. */
  firstOrder?: SortOrder;
  align?: 'end';
  /** True for a column that comes first, is always visible and is the title of the card on a phone. */
  pinned?: boolean;
  /** True for a column that is hidden by default. */
  offered?: boolean;
  /** True for a column that is not shown in the phone's card. */
  wideOnly?: boolean;
  /** Largest width in pixels; longer text ends with an ellipsis. */
  maxWidth?: number;
}

/** Values of filters by query key. */
export type FilterValues = Readonly<Record<string, string>>;

interface FilterBase {
  /** Query keys that the filter sets. */
  keys: readonly string[];
  label: string;
  /** True for a filter behind "More filters"; it is shown as a chip while it is active. */
  more?: boolean;
}
export interface ChoiceFilter extends FilterBase {
  options: readonly { value: string; label: string }[];
}
export interface CustomFilter extends FilterBase {
  control: (values: FilterValues, change: (values: Record<string, string | null>) => void) => ReactNode;
  /** Returns the text of the filter's chip. */
  describe: (values: FilterValues) => string;
}
export type ListFilter = ChoiceFilter | CustomFilter;

/** A tab above the list: a named set of filters. */
export interface ListView {
  key: string;
  label: string;
  query: FilterValues;
}

export interface Selection<Item> {
  items: readonly Item[];
  clear: () => void;
}

export type RowActions<Item> = (item: Item) => NonNullable<MenuProps['items']>;
