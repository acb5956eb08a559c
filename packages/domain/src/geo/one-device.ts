const DAY_MS = 86_400_000;

/**
 * Keeps the positions of one device for each UTC day. Two devices of a vehicle never agree to the metre, and a track that
 * alternates between them would be a zigzag. The one with the most positions of the day is kept, the lower id if equal.
 */
export function ofOneDevice<T extends { deviceId: number; at: number }>(fixes: readonly T[]): T[] {
  const counts = new Map<number, Map<number, number>>();
  for (const { deviceId, at } of fixes) {
    const day = Math.floor(at / DAY_MS);
    const own = counts.get(day) ?? new Map<number, number>();
    counts.set(day, own.set(deviceId, (own.get(deviceId) ?? 0) + 1));
  }
  const kept = new Map(
    [...counts].map(([day, own]) => {
      const [first] = [...own].sort(([one, some], [other, more]) => more - some || one - other);
      return [day, first?.[0]];
    }),
  );
  return fixes.filter(({ deviceId, at }) => kept.get(Math.floor(at / DAY_MS)) === deviceId);
}
