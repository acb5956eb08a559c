import type { RecipientType } from '@isotherm/domain/alarms/graded-policy';
import { onCallAt } from '@isotherm/domain/alarms/on-call';
import { type Person, personKey } from '@isotherm/domain/alarms/person';
import type { Tx } from '../../../platform/db/pool.ts';
import { loadSchedules } from '../on-call/on-call.repo.ts';
import { PEOPLE } from '../people.repo.ts';

/** A person named by a step, with the name and organisation of now. */
export interface NamedRecipient extends Person {
  name: string;
  organizationPath: string;
}

/**
 * The people that a step names now: groups are replaced by their members, schedules by whoever is on call.
 * `isUncovered` is true if nobody is on call in one of the schedules.
 */
export async function peopleOfStep(
  tx: Tx,
  recipientType: RecipientType,
  ids: readonly number[],
  now: number,
): Promise<{ people: NamedRecipient[]; isUncovered: boolean }> {
  let isUncovered = false;
  const people: Person[] = [];
  if (recipientType === 'on-call') {
    for (const schedule of (await loadSchedules(tx, ids, new Date(now))).values()) {
      const { person } = onCallAt(schedule, now);
      if (person) people.push(person);
      else isUncovered = true;
    }
  } else {
    const { rows } = await tx.query<Person>(
      `select type, id::float8 as id
         from step_recipients(jsonb_build_object('recipientType', $1::text), to_jsonb($2::bigint[]))`,
      [recipientType, ids],
    );
    people.push(...rows);
  }
  const once = [...new Map(people.map((person) => [personKey(person), person])).values()];
  const { rows: named } = await tx.query<NamedRecipient>(
    `select w.type, w.id::float8 as id, coalesce(x.name, '') as name, coalesce(x.path, '') as "organizationPath"
       from unnest($1::text[], $2::bigint[]) with ordinality as w(type, id, nth)
       left join (${PEOPLE}) x on x.type = w.type and x.id = w.id
      order by w.nth`,
    [once.map(({ type }) => type), once.map(({ id }) => id)],
  );
  return { people: named, isUncovered };
}
