import { readWebcamStream } from '@isotherm/contracts/webcams';
import type { Loader, LoaderCallbacks, LoaderConfiguration, LoaderContext, LoaderStats } from 'hls.js';
import { ApiError } from '../../../shared/api/api-error.ts';
import { callForFile } from '../../../shared/api/client.ts';

/** Creates a loader that fetches playlists and segments by signed requests to `readWebcamStream`. */
export function signedLoader(id: number, newStats: () => LoaderStats) {
  return class implements Loader<LoaderContext> {
    context: LoaderContext | null = null;
    stats = newStats();
    readonly #controller = new AbortController();

    destroy(): void {
      this.abort();
    }

    abort(): void {
      this.stats.aborted = true;
      this.#controller.abort();
    }

    load(
      context: LoaderContext,
      _settings: LoaderConfiguration,
      callbacks: LoaderCallbacks<LoaderContext>,
    ): void {
      this.context = context;
      void this.#load(context, callbacks);
    }

    async #load(context: LoaderContext, callbacks: LoaderCallbacks<LoaderContext>): Promise<void> {
      const { stats } = this;
      const { signal } = this.#controller;
      const part = new URL(context.url).searchParams.get('part') ?? undefined;
      const { rangeStart, rangeEnd } = context;
      const range = rangeEnd ? { from: rangeStart ?? 0, to: rangeEnd - 1 } : {};
      stats.loading.start = performance.now();
      try {
        const query = { ...(part ? { part } : {}), ...range };
        const { blob } = await callForFile(readWebcamStream, { params: { id }, query, signal, quiet: true });
        const data = context.responseType === 'arraybuffer' ? await blob.arrayBuffer() : await blob.text();
        stats.loading.first = stats.loading.end = performance.now();
        stats.loaded = stats.total = blob.size;
        if (!signal.aborted) callbacks.onSuccess({ url: context.url, data }, stats, context, null);
      } catch (error) {
        if (signal.aborted) return;
        const code = error instanceof ApiError ? error.httpStatus : 0;
        callbacks.onError({ code, text: (error as Error).message }, context, null, stats);
      }
    }
  };
}
