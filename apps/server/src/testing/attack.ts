/**
 * Settings of `npm run attack`: a part of each attack runs in every test run, all of them with
 * `ISOTHERM_ATTACK=all`.
 */
export const ATTACK = {
  isAll: process.env.ISOTHERM_ATTACK === 'all',
  /** Random seed, printed on failure to repeat the run with `ISOTHERM_ATTACK_SEED`. */
  seed: Number(process.env.ISOTHERM_ATTACK_SEED ?? 20261123),
};

/** Returns the number of rounds: `usual` in a normal test run, `all` with all attacks. */
export const rounds = (usual: number, all: number): number => (ATTACK.isAll ? all : usual);
