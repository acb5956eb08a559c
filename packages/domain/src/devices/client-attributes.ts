/** Longest name of an attribute, in characters. */
export const MAX_ATTRIBUTE_KEY = 255;
/** Longest value of an attribute, in characters of its JSON. */
export const MAX_ATTRIBUTE_VALUE = 1_024;
/** Largest number of attributes that are stored for one device. */
export const MAX_ATTRIBUTES = 100;

/** Attributes that a device published about itself, as JSON texts by name. */
export type ClientAttributes = ReadonlyMap<string, string>;

export interface MergedAttributes {
  /** The new attributes; the same object as before if nothing changed. */
  attributes: ClientAttributes;
  /** Number of values that were dropped because they are too long or too many. */
  dropped: number;
}

/** Returns the attributes after a message of the device; null removes an attribute. */
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
    // `JSON.stringify` returns a text for every value, because the values come from JSON.
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

/** Returns values by name, as in a response: those of `keys`, or all of them if no keys are requested. */
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

/**
 * Returns the changes since the attributes that were last sent to the device, in the format in which they
 * are sent; null if there are none.
 */
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
