-- Refunds of paid orders: one person asks with a reason, a second one approves. The units are withdrawn in the transaction of the
-- approval; then a worker has the provider return the money, until its outcome is known (docs/ledger.md).
create table recharge_refund (
  id bigint generated always as identity primary key,
  order_id bigint not null references recharge_order (id),
  -- Number by which the provider knows the refund, so that repeating the request refunds nothing twice.
  number text not null unique,
  reason text not null,
  state text not null default 'pending' check (state in ('pending', 'rejected', 'approved', 'done', 'failed')),
  -- What the provider said last.
  detail text not null default '',
  created_by text not null,
  created_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  settled_at timestamptz,
  attempts integer not null default 0,
  -- When the provider is asked next; null unless approved.
  due_at timestamptz,
  check (decided_by is null or decided_by <> created_by)
);
-- An order has one refund at a time.
create unique index recharge_refund_open on recharge_refund (order_id) where state in ('pending', 'approved', 'done');
create index recharge_refund_due on recharge_refund (due_at) where state = 'approved';

alter table recharge_order drop constraint recharge_order_state_check;
alter table recharge_order add constraint recharge_order_state_check
  check (state in ('waiting', 'success', 'failed', 'timeout', 'cancelled', 'refunding', 'refunded'));

alter table sandbox_payment add column refund text;
