/** Types of people who can be notified: receivers (contacts without an account) and accounts. */
export const PERSON_TYPES = ['receivers', 'accounts'] as const;
export type PersonType = (typeof PERSON_TYPES)[number];

/** A person who can be notified. Ids are unique within a type. */
export interface Person {
  type: PersonType;
  id: number;
}

/** Returns a text that identifies a person among people of both types, such as `accounts:7`. */
export const personKey = ({ type, id }: Person): string => `${type}:${id}`;

/** Returns the person of a key; null if the text is not a key. */
export function personOf(key: string): Person | null {
  const [type, id = ''] = key.split(':');
  const known = PERSON_TYPES.find((each) => each === type);
  return known && /^[1-9]\d{0,14}$/.test(id) && key === `${known}:${id}`
    ? { type: known, id: Number(id) }
    : null;
}
