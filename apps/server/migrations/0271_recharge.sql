-- Packages of prepaid units that the platform sells.
create table recharge_package (
  id bigint generated always as identity primary key,
  commodity text not null,
  units bigint not null check (units > 0),
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  enabled boolean not null default true,
  changed_by text not null,
  changed_at timestamptz not null
);
create unique index recharge_package_units on recharge_package (commodity, units, currency) where enabled;
insert into recharge_package (commodity, units, amount_minor, currency, changed_by, changed_at)
select commodity, units, amount, 'CNY', 'system', now()
  from (values ('sms', 1000, 6000), ('sms', 5000, 27500), ('sms', 10000, 50000),
               ('voice', 500, 6000), ('voice', 2000, 22000), ('voice', 5000, 50000),
               ('wechat', 5000, 5000), ('wechat', 20000, 16000)) as p(commodity, units, amount);

-- Orders of units, and what became of their payment (packages/domain/src/billing/order.ts).
create table recharge_order (
  id bigint generated always as identity primary key,
  -- The payer, whose balance is credited.
  organization_id bigint not null references organization (id),
  commodity text not null,
  units bigint not null check (units > 0),
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  provider text not null,
  -- Number by which the provider knows the order; random, so that it cannot be guessed.
  number text not null unique,
  -- Text of the QR code.
  code text not null,
  state text not null default 'waiting',
  -- The provider's number of the payment.
  payment text,
  -- A payment that does not match the order, for the operator.
  fault text,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  settled_at timestamptz,
  check (state in ('waiting', 'success', 'failed', 'timeout', 'cancelled', 'refunded'))
);
create index recharge_order_organization on recharge_order (organization_id, created_at desc);
create index recharge_order_waiting on recharge_order (expires_at) where state = 'waiting';

-- Recharges by an operator without a payment: a second person approves or rejects them.
create table recharge_grant (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  commodity text not null,
  units bigint not null check (units > 0),
  reason text not null,
  state text not null default 'pending' check (state in ('pending', 'approved', 'rejected')),
  created_by text not null,
  created_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  check (decided_by is null or decided_by <> created_by)
);
create index recharge_grant_organization on recharge_grant (organization_id, created_at desc);

-- Payments of the sandbox provider, which exists in development and sandbox environments only.
create table sandbox_payment (
  number text primary key,
  amount_minor bigint not null,
  currency text not null,
  payment text,
  created_at timestamptz not null
);

-- The group had only reminders until now; unless somebody chose another icon, it gets the one of recharges.
update menu set icon = 'recharge' where name = 'recharge' and icon = 'clock';
