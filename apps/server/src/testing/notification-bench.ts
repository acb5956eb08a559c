import type { PolicyDefinition, PolicyStep, RecipientType } from '@isotherm/domain/alarms/graded-policy';
import { createTestDatabase } from '@isotherm/testkit/test-database';
import { createCompiler, createRuleBook } from '../features/alarms/index.ts';
import { insertAssignment } from '../features/alarms/policies/assignments.repo.ts';
import { insertPolicy, updatePolicy } from '../features/alarms/policies/policies.repo.ts';
import { createInvalidations } from '../platform/cache/invalidations.ts';
import { transaction } from '../platform/db/pool.ts';
import { type AlarmBench, startAlarmBench } from './alarm-bench.ts';

export interface StoredNotification {
  id: number;
  kind: string;
  step: number;
  channel: string;
  to: number | string;
  nth: number;
  state: string;
  /** Time in epoch ms. */
  dueAt: number;
  late: boolean;
  attempts: number;
  error: string;
}

export interface NotificationBench extends Omit<AlarmBench, 'edit'> {
  receiver(fields?: {
    email?: string;
    mobile?: string;
    language?: string;
    timeZone?: string;
  }): Promise<number>;
  /**
   * Creates a channel whose policy raises an alarm above 8 °C. Each step notifies the receivers in its
   * fields.
   */
  watched(
    steps: readonly Partial<PolicyStep>[],
    recoverAfterMs?: number,
    recipientType?: RecipientType,
    more?: Partial<PolicyDefinition>,
  ): Promise<{ channelId: number; policyId: number }>;
  edit(policyId: number, steps: readonly Partial<PolicyStep>[]): Promise<void>;
  told(channelId: number): Promise<StoredNotification[]>;
  acknowledge(channelId: number): Promise<void>;
}

const definitionOf = (
  steps: readonly Partial<PolicyStep>[],
  recoverAfterMs: number,
  recipientType?: RecipientType,
): PolicyDefinition => ({
  recipientType,
  conditions: [{ quantity: 'temperature', low: null, high: 8, recoveryMargin: 0, recoverAfterMs }],
  steps: steps.map((step, at) => ({
    level: (at + 1) as PolicyStep['level'],
    triggerAfterMs: at * 60_000,
    limits: [],
    ...step,
  })),
  limitIsOutside: false,
});

/** Starts a test setup for alarms of policies with notifications, on a clock of the test. */
export async function startNotificationBench(time: { now: number }): Promise<NotificationBench> {
  const clock = { now: () => time.now };
  const bench = await startAlarmBench(await createTestDatabase(), clock);
  const { pool } = bench;
  // The job queue requires its pool to handle errors of connections.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const compiler = createCompiler(pool, createRuleBook(createInvalidations(true)), clock, () => undefined);
  const { id: organizationId } = await one<{ id: number }>('select id from organization');
  let names = 0;

  async function one<T extends object>(text: string, values: unknown[] = []): Promise<T> {
    const { rows } = await pool.query<T>(text, values);
    return rows[0] as T;
  }

  const fieldsOf = (
    steps: readonly Partial<PolicyStep>[],
    recoverAfterMs = 0,
    recipientType?: RecipientType,
  ) => ({
    name: `Policy ${++names}`,
    description: '',
    enabled: true,
    definition: definitionOf(steps, recoverAfterMs, recipientType),
    changedBy: 'test',
    changedAt: new Date(time.now),
  });

  return {
    ...bench,
    async receiver({ email = 'nurse@example.com', mobile = '1', language = 'en', timeZone = 'UTC' } = {}) {
      const { id } = await one<{ id: number }>(
        `insert into alarm_receiver (organization_id, name, country_code, mobile, email, wechat, language, time_zone,
                                     description, changed_by, changed_at)
         values ($1, $2, '+86', $6, $3, '', $4, $5, '', 'test', now()) returning id`,
        [organizationId, `Receiver ${++names}`, email, language, timeZone, mobile],
      );
      return id;
    },
    async watched(steps, recoverAfterMs, recipientType, more = {}) {
      const { channelId } = await bench.channel({ versions: [] });
      const fields = fieldsOf(steps, recoverAfterMs, recipientType);
      const definition = { ...fields.definition, ...more };
      const policyId = await transaction(pool, (tx) =>
        insertPolicy(tx, organizationId, { ...fields, definition }),
      );
      await transaction(pool, (tx) =>
        insertAssignment(
          tx,
          policyId,
          { kind: 'channel', id: channelId, assetKind: null },
          new Date(time.now),
          'test',
        ),
      );
      await compiler.compile();
      return { channelId, policyId };
    },
    async edit(policyId, steps) {
      await transaction(pool, (tx) => updatePolicy(tx, policyId, fieldsOf(steps)));
      await compiler.compile();
    },
    async told(channelId) {
      const { rows } = await pool.query<StoredNotification>(
        `select n.id::int as id, n.kind, n.step_level as step, n.channel, n.nth, n.state, n.late, n.attempts, n.error,
                case when n.url = '' then to_jsonb(n.recipient_id) else to_jsonb(n.url) end as "to",
                (extract(epoch from n.due_at) * 1000)::float8 as "dueAt"
           from alarm_notification n join alarm a on a.id = n.alarm_id
          where a.channel_id = $1 order by n.first_due_at, n.id`,
        [channelId],
      );
      return rows;
    },
    async acknowledge(channelId) {
      await pool.query(
        `update alarm set acknowledged_at = $2, acknowledged_level = peak_level
          where channel_id = $1 and ended_at is null`,
        [channelId, new Date(time.now)],
      );
    },
  };
}
