import type { RouteContract } from '@isotherm/contracts/route';
import type { MenuProps } from 'antd';
import type { ReactNode } from 'react';
import type { z } from 'zod';

/** A contract of a list: `paging`, `search`, `sort` and `order` in its query, `pageOf` in its answer. */
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

/** Where the rows come from. */
export interface ListSource<Item, Data extends Page<Item> = Page<Item>> {
  access: string;
  /** What an address may ask. */
  query: z.ZodObject;
  load: (query: ListQuery, signal: AbortSignal) => Promise<Data>;
}
export type SortOrder = 'asc' | 'desc';

export interface ListColumn<Item> {
  /** The contract's own word for it where the column sorts. */
  key: string;
  title: string;
  render: (item: Item) => ReactNode;
  sortable?: boolean;
  /** Which way the first press sorts; `asc` unless told. */
  firstOrder?: SortOrder;
  align?: 'end';
  /** Stands first, cannot be taken away, stays in sight, and is the title of the card on a phone. */
  pinned?: boolean;
  /** Not shown until somebody chooses it. */
  offered?: boolean;
  /** Left out of the phone's card. */
  wideOnly?: boolean;
  /** Widest in pixels; longer text is cut with an ellipsis. */
  maxWidth?: number;
}

/** The values of one filter by query key. */
export type FilterValues = Readonly<Record<string, string>>;

interface FilterBase {
  /** Query keys of the contract that this filter sets. */
  keys: readonly string[];
  label: string;
  /** Stands behind "More filters"; shown as a chip while it is set. */
  more?: boolean;
}
export interface ChoiceFilter extends FilterBase {
  options: readonly { value: string; label: string }[];
}
export interface CustomFilter extends FilterBase {
  control: (values: FilterValues, change: (values: Record<string, string | null>) => void) => ReactNode;
  /** What stands in its chip. */
  describe: (values: FilterValues) => string;
}
export type ListFilter = ChoiceFilter | CustomFilter;

/** A tab over the list: a few filters under one name. */
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
