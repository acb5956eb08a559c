import type { download, RouteContract } from '@isotherm/contracts/route';
import { saveBlob } from '../ui/save-file.ts';
import { type CallInput, callForFile } from './client.ts';

/** Downloads a file of the server and saves it, under the name that the server gave it unless `name` is given. */
export async function saveDownload<R extends RouteContract & { response: typeof download }>(
  route: R,
  input: CallInput<R>,
  name?: string,
): Promise<void> {
  try {
    const { fileName, blob } = await callForFile(route, input);
    saveBlob(name ?? fileName, blob);
  } catch {
    // The API client has already shown the error.
  }
}
