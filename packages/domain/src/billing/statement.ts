/** The balance after each entry of a statement, and the closing balance. */
export function statementLines<Entry extends { change: number }>(
  opening: number,
  entries: readonly Entry[],
): { lines: { entry: Entry; balance: number }[]; closing: number } {
  let balance = opening;
  const lines = entries.map((entry) => {
    balance += entry.change;
    return { entry, balance };
  });
  return { lines, closing: balance };
}
