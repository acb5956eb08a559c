import type pg from 'pg';

/** A token that no public link has. */
export const GUESS = 'b'.repeat(22);
/** Wrong tokens that one address may send in a quarter of an hour. */
export const MOST_GUESSES = 300;

/** Sets how many wrong tokens the addresses have sent that sent one before. */
export async function countGuesses(pool: pg.Pool, guesses: number): Promise<void> {
  const { rowCount } = await pool.query(
    `update login_failure set failures = $1 where subject like 'link:%'`,
    [guesses],
  );
  if (!rowCount) throw new Error('no address has sent a wrong token');
}
