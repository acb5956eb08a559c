import { openAsBlob } from 'node:fs';
import { rm } from 'node:fs/promises';
import { AwsClient } from 'aws4fetch';
import { type FileStore, StoreAway } from './file-store.ts';

export interface S3Settings {
  /** Address of the service, as `https://s3.example.com`; the bucket is the first part of the path. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKey: string;
  secretKey: string;
}

/** Longest time for the response to a request. */
const ANSWER_WITHIN_MS = 60_000;
/** Longest time for an upload, which may be several hundred megabytes. */
const UPLOAD_WITHIN_MS = 900_000;

/** Creates a storage in a bucket of an S3-compatible service. */
export function createS3Store({ endpoint, bucket, region, accessKey, secretKey }: S3Settings): FileStore {
  const client = new AwsClient({
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    region,
    service: 's3',
    // A job decides itself how often it tries.
    retries: 0,
  });
  const urlOf = (key: string) => `${endpoint}/${bucket}/${encodeURIComponent(key)}`;

  async function ask(method: string, key: string, withinMs: number, body?: Blob): Promise<Response> {
    let response: Response;
    try {
      const signed = await client.sign(urlOf(key), {
        method,
        // The body is a file that is read while it is sent, so its hash is not known here.
        headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
      });
      response = await fetch(signed.url, {
        method,
        headers: signed.headers,
        signal: AbortSignal.timeout(withinMs),
        ...(body ? { body } : {}),
      });
    } catch (error) {
      throw new StoreAway(reasonOf(error), { cause: error });
    }
    if (response.ok || (response.status === 404 && method !== 'PUT')) return response;
    await response.body?.cancel();
    throw new StoreAway(`${method} answered ${response.status}`);
  }

  return {
    async put(key, path) {
      const response = await ask('PUT', key, UPLOAD_WITHIN_MS, await openAsBlob(path));
      await response.body?.cancel();
      await rm(path, { force: true });
    },
    async read(key) {
      const response = await ask('GET', key, UPLOAD_WITHIN_MS);
      if (response.status !== 404) return response.body as AsyncIterable<Uint8Array> | null;
      await response.body?.cancel();
      return null;
    },
    async remove(key) {
      const response = await ask('DELETE', key, ANSWER_WITHIN_MS);
      await response.body?.cancel();
    },
  };
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message || message : message;
}
