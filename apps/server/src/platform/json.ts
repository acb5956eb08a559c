/** Parses JSON; returns undefined for anything else. */
export function jsonOf(content: Buffer | string): unknown {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Parses a JSON object; returns an empty one for anything else. */
export function jsonObjectOf(content: Buffer | string): Record<string, unknown> {
  const value = jsonOf(content);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
