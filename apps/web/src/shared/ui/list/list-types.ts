import type { RouteContract } from '@isotherm/contracts/route';
import type { MenuProps } from 'antd';
import type { ReactNode } from 'react';
import type { z } from 'zod';

/** A contract of a list: `paging`, `search`, `sort` and `order` in its query, `pageOf` in its response. */
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

/** Source of the rows. */
export interface ListSource<Item, Data extends Page<Item> = Page<Item>> {
  access: string;
  /** Valid parameters of the address. */
  query: z.ZodObject;
  load: (query: ListQuery, signal: AbortSignal) => Promise<Data>;
}
export type SortOrder = 'asc' | 'desc';

export interface ListColumn<Item> {
  /** The contract's sort key if the column is sortable. */
  key: string;
  title: string;
  render: (item: Item) => ReactNode;
  sortable?: boolean;
  /** Order of the first click; default `asc`. */
  firstOrder?: SortOrder;
  align?: 'end';
  /** First, not removable, always visible, and the title of the card on a phone. */
  pinned?: boolean;
  /** Hidden by default. */
  offered?: boolean;
  /** Not shown in the phone's card. */
  wideOnly?: boolean;
  /** Largest width in pixels; longer text is cut with an ellipsis. */
  maxWidth?: number;
}

/** Values of one filter by query key. */
export type FilterValues = Readonly<Record<string, string>>;

interface FilterBase {
  /** Query keys that this filter sets. */
  keys: readonly string[];
  label: string;
  /** Behind "More filters"; shown as a chip while it is active. */
  more?: boolean;
}
export interface ChoiceFilter extends FilterBase {
  options: readonly { value: string; label: string }[];
}
export interface CustomFilter extends FilterBase {
  control: (values: FilterValues, change: (values: Record<string, string | null>) => void) => ReactNode;
  /** Text of its chip. */
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
