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
  }

  return {
    begin() {
      isAskedAgain = true;
      running ??= run().finally(() => {
        running = null;
      });
    },
    ended: async () => {
      await running;
    },
  };
}
