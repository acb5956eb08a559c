import { Worker } from 'node:worker_threads';

/**
 * Runs a script in a thread of its own: what somebody sent does not hold up readings, and what grows without end
 * meets the thread's limits, not the server's. The script posts one message, the answer. What is too large to be handed
 * over in one piece is fed to it in several.
 */
export function runInThread<Answer>(
  script: string,
  workerData: object,
  limits: { withinMs: number; megabytes: number },
  feed: (post: (piece: unknown) => void) => Promise<void> = async () => {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(script, {
      eval: true,
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: limits.megabytes },
    });
    const timer = setTimeout(() => {
      void worker.terminate();
      reject(new Error('the thread took too long'));
    }, limits.withinMs);
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => {
      clearTimeout(timer);
      reject(new Error('the thread ended without an answer'));
    });
    feed((piece) => worker.postMessage(piece)).catch(reject);
  });
}
