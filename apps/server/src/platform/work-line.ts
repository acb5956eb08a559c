/** Work that is done in turn, and again when it is asked for meanwhile. */
export interface WorkLine {
  /** Begins a turn; if one is under way, which may have seen the state of before, another one follows it. */
  begin(): void;
  /** Resolves when no turn is under way. */
  ended(): Promise<void>;
}

export function createWorkLine(work: () => Promise<void>, onError: (error: Error) => void): WorkLine {
  let running: Promise<void> | null = null;
  let isAskedAgain = false;

  async function run(): Promise<void> {
    do {
      isAskedAgain = false;
      await work().catch(onError);
    } while (isAskedAgain);
    // In the same step as the last look, so that nothing can be asked for in between.
    running = null;
  }

  return {
    begin() {
      isAskedAgain = true;
      running ??= run();
    },
    ended: async () => {
      await running;
    },
  };
}
