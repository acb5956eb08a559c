import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type NotificationBench, startNotificationBench } from '../../../testing/notification-bench.ts';

const MIN = 60_000;
const time = { now: Date.UTC(2026, 5, 1, 8) };
let bench: NotificationBench;
let names = 0;

beforeAll(async () => {
  bench = await startNotificationBench(time);
});
afterAll(() => bench.stop());
beforeEach(() => {
  time.now += 24 * 60 * MIN;
});

async function one(text: string, values: unknown[]): Promise<number> {
  const { rows } = await bench.pool.query<{ id: string }>(text, values);
  return Number(rows[0]?.id);
}

async function group(...members: [type: 'receivers' | 'accounts', id: number][]): Promise<number> {
  const id = await one(
    `insert into alarm_recipient_group (organization_id, name, description, changed_by, changed_at)
     select id, $1, '', 'test', now() from organization order by id limit 1 returning id`,
    [`Group ${++names}`],
  );
  for (const [type, member] of members)
    await bench.pool.query(
      'insert into alarm_recipient_group_member (group_id, type, member_id) values ($1, $2, $3)',
      [id, type, member],
    );
  return id;
}

const account = () =>
  one(
    `insert into account (organization_id, username, realname, password_hash, account_type, email)
     select id, $1, $1, '', 'staff', 'account@example.com' from organization order by id limit 1 returning id`,
    [`account.${++names}`],
  );

async function raise(channelId: number, value = 9): Promise<void> {
  time.now += MIN;
  await bench.send(channelId, [{ at: time.now, value }]);
}

const told = async (channelId: number) => {
  const { rows } = await bench.pool.query<{ told: string }>(
    `select concat_ws(' ', n.kind, n.recipient_type, n.recipient_id) as told
       from alarm_notification n join alarm a on a.id = n.alarm_id where a.channel_id = $1 order by 1`,
    [channelId],
  );
  return rows.map((row) => row.told);
};

test('each member of the groups of a step is notified once, also a member of two groups', async () => {
  const [nurse, head, chief] = [await bench.receiver(), await bench.receiver(), await account()];
  const first = await group(['receivers', nurse], ['receivers', head]);
  const second = await group(['receivers', head], ['accounts', chief]);
  const { channelId } = await bench.watched(
    [{ recipients: [first, second], channels: ['email'] }],
    0,
    'groups',
  );
  await raise(channelId);
  expect(await told(channelId)).toEqual(
    [`raised accounts ${chief}`, `raised receivers ${nurse}`, `raised receivers ${head}`].sort(),
  );
});

test('members are those of the moment at which the alarm is raised, and its end is sent to those who were notified', async () => {
  const [nurse, head] = [await bench.receiver(), await bench.receiver()];
  const id = await group(['receivers', nurse]);
  const { channelId } = await bench.watched([{ recipients: [id], channels: ['email'] }], 0, 'groups');
  await raise(channelId);
  await bench.pool.query('update alarm_recipient_group_member set member_id = $2 where group_id = $1', [
    id,
    head,
  ]);
  await raise(channelId, 5);
  expect(await told(channelId)).toEqual([`ended receivers ${nurse}`, `raised receivers ${nurse}`]);
  await raise(channelId);
  expect(await told(channelId)).toContain(`raised receivers ${head}`);
});

test('deleted receivers, disabled accounts and members outside the organisation of the group are skipped', async () => {
  const { rows } = await bench.pool.query<{ id: string }>(
    `insert into organization (name, path, code, level) values ('Elsewhere', '/970/', 'else', 'org') returning id`,
  );
  const [gone, moved, stays, disabled] = [
    await bench.receiver(),
    await bench.receiver(),
    await bench.receiver(),
    await account(),
  ];
  const id = await group(
    ['receivers', gone],
    ['receivers', moved],
    ['receivers', stays],
    ['accounts', disabled],
  );
  await bench.pool.query('delete from alarm_receiver where id = $1', [gone]);
  await bench.pool.query('update account set disabled_at = now() where id = $1', [disabled]);
  await bench.pool.query('update alarm_receiver set organization_id = $2 where id = $1', [
    moved,
    rows[0]?.id,
  ]);
  const { channelId } = await bench.watched([{ recipients: [id], channels: ['email'] }], 0, 'groups');
  await raise(channelId);
  expect(await told(channelId)).toEqual([`raised receivers ${stays}`]);
});

test('members of random groups are notified as a simple reference says', async () => {
  const people = [
    await bench.receiver(),
    await bench.receiver(),
    await bench.receiver(),
    await bench.receiver(),
  ];
  // A fixed sequence of bits decides who is a member, so that a failure can be repeated.
  for (let bits = 1; bits < 4_096; bits += 397) {
    const membersOf = [bits & 15, (bits >> 4) & 15, (bits >> 8) & 15].map((mask) =>
      people.filter((_, at) => mask & (1 << at)),
    );
    const groups: number[] = [];
    for (const members of membersOf)
      groups.push(await group(...members.map((id) => ['receivers', id] as ['receivers', number])));
    const { channelId } = await bench.watched([{ recipients: groups, channels: ['email'] }], 0, 'groups');
    await raise(channelId);
    expect(await told(channelId), String(bits)).toEqual(
      [...new Set(membersOf.flat())].map((id) => `raised receivers ${id}`).sort(),
    );
  }
});
