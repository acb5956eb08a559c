/** The number in a box, with a comma or a point; nothing for an empty one; the text itself where it is none. */
export function typedNumber(typed: string): number | string | undefined {
  const plain = typed.trim().replace(',', '.');
  if (plain === '') return undefined;
  return Number.isNaN(Number(plain)) ? typed : Number(plain);
}
