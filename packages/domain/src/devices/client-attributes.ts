/** Longest name of an attribute, in characters. */
export const MAX_ATTRIBUTE_KEY = 255;
/** Longest value of an attribute, in characters of its JSON. */
export const MAX_ATTRIBUTE_VALUE = 1_024;
/** Attributes kept for one device. */
export const MAX_ATTRIBUTES = 100;

/** Attributes that a device published about itself: JSON texts by name. */
export type ClientAttributes = ReadonlyMap<string, string>;

export interface MergedAttributes {
  /** The same object as before if nothing changed. */
  attributes: ClientAttributes;
  /** Values that are too long or too many. */
  dropped: number;
}

/** The attributes after a message of the device; null removes an attribute. */
export function mergeAttributes(
  before: ClientAttributes,
  values: Readonly<Record<string, unknown>>,
): MergedAttributes {
  const after = new Map(before);
  let isChanged = false;
  let dropped = 0;
  for (const [key, value] of Object.entries(values)) {
    if (value === null) {
      isChanged = after.delete(key) || isChanged;
      continue;
    }
    const isFull = after.size >= MAX_ATTRIBUTES && !after.has(key);
    // Values are JSON, so that every one of them has a text.
    const text = isFull || key.length > MAX_ATTRIBUTE_KEY ? null : JSON.stringify(value);
    if (text === null || text.length > MAX_ATTRIBUTE_VALUE) {
      dropped++;
      continue;
    }
    isChanged ||= after.get(key) !== text;
    after.set(key, text);
  }
  return { attributes: isChanged ? after : before, dropped };
}

/** Values by name, as in an answer; those of `keys` only, unless all are asked for. */
export function chosenAttributes(
  attributes: ClientAttributes,
  keys: ReadonlySet<string> | 'all',
): Record<string, unknown> {
  return Object.fromEntries(
    [...attributes]
      .filter(([key]) => keys === 'all' || keys.has(key))
      .map(([key, text]) => [key, JSON.parse(text) as unknown]),
  );
}

/** Changes of attributes that a device was told before, in the form in which it is told them; null without one. */
export function attributeChanges(
  before: ClientAttributes,
  after: ClientAttributes,
): Record<string, unknown> | null {
  const changed = [...after].filter(([key, text]) => before.get(key) !== text);
  const deleted = [...before.keys()].filter((key) => !after.has(key));
  if (changed.length + deleted.length === 0) return null;
  return {
    ...Object.fromEntries(changed.map(([key, text]) => [key, JSON.parse(text) as unknown])),
    ...(deleted.length > 0 ? { deleted } : {}),
  };
}
