import './detail.css';
import Tabs from 'antd/es/tabs';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Icon } from './icon.tsx';
import { useUrlState } from './use-url-state.ts';

export interface Tab {
  key: string;
  label: string;
  count?: number | undefined;
  content: () => ReactNode;
}

/**
 * Layout of a detail page (ui.md, "Patterns"): the header with the name on top, the rest in tabs that the
 * address selects.
 */
export function DetailPage({
  title,
  back,
  mark,
  tags,
  facts,
  actions,
  notice,
  tabs,
}: {
  title: string;
  /** Link back to the list. */
  back?: { to: string; label: string };
  /** Avatar or icon before the title. */
  mark?: ReactNode;
  tags?: ReactNode;
  facts: readonly Fact[];
  actions?: ReactNode;
  /** An important notice, such as the reason why the record is disabled. */
  notice?: ReactNode;
  tabs: readonly Tab[];
}) {
  return (
    <div className="page">
      <section className="panel detail-head">
        {back ? (
          <Link className="detail-back small" to={back.to}>
            <Icon name="left" small />
            {back.label}
          </Link>
        ) : null}
        <div className="detail-identity">
          {mark}
          <div className="detail-names">
            <h1>{title}</h1>
            {tags}
          </div>
          {actions ? <div className="detail-actions">{actions}</div> : null}
        </div>
        {notice ? <div className="detail-notice">{notice}</div> : null}
        <Definitions facts={facts} />
      </section>
      <PageTabs tabs={tabs} />
    </div>
  );
}

export interface Fact {
  label: string;
  value: ReactNode;
}

/** List of labels and values, in as many columns as fit. */
export function Definitions({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="definitions">
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Tabs whose selection is in the address. Only the open tab is rendered. */
export function PageTabs({ tabs, param = 'tab' }: { tabs: readonly Tab[]; param?: string }) {
  const [params, change] = useUrlState();
  const current = tabs.find(({ key }) => key === params.get(param)) ?? tabs[0];
  if (!current) return null;
  return (
    <Tabs
      className="page-tabs"
      animated={false}
      destroyOnHidden
      activeKey={current.key}
      onChange={(key) => change({ [param]: key === tabs[0]?.key ? null : key })}
      items={tabs.map(({ key, label, count, content }) => ({
        key,
        label: (
          <>
            {label} {count === undefined ? null : <span className="count">{count}</span>}
          </>
        ),
        children: key === current.key ? content() : null,
      }))}
    />
  );
}
