import type { Page } from 'playwright-core';

/** A thing that is drawn on a map. */
export interface DrawnFeature {
  properties: Record<string, unknown>;
  geometry: { type: string; coordinates: number[] | number[][] };
}

/**
 * Watches what a page draws on its map: the data of each source, as they are sent to the worker of the map, which is what the
 * map draws. It must be called before the page is opened.
 */
export async function watchDrawing(page: Page): Promise<(source: string) => Promise<DrawnFeature[]>> {
  await page.addInitScript(`
    window.drawnPlaces = {};
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...more) {
      const { source, data } = message?.data ?? {};
      if (source && data?.type === 'FeatureCollection') window.drawnPlaces[source] = data.features;
      return post.call(this, message, ...more);
    };
  `);
  return (source) =>
    page.evaluate((name) => {
      const { drawnPlaces } = window as unknown as { drawnPlaces: Record<string, DrawnFeature[]> };
      return drawnPlaces[name] ?? [];
    }, source);
}
