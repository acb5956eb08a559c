import { Worker } from 'node:worker_threads';

/**
 * Runs a script in a separate thread, so that processing of user files does not delay ingest, and excessive
 * memory use is stopped by the thread's memory limit. The script posts one message, the result.
 */
export function runInThread<Answer>(
  script: string,
  workerData: object,
  limits: { withinMs: number; megabytes: number },
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
  });
}
