/** Gives the browser a file to keep. Base64 where the server sends bytes, text otherwise. */
export function saveFile(fileName: string, content: string, encoding: 'base64' | 'text' = 'base64'): void {
  const bytes =
    encoding === 'base64' ? Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0)) : content;
  saveBlob(fileName, new Blob([bytes]));
}

export function saveBlob(fileName: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The download has the blob by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Shows it in a tab of its own: the browser knows how to show a PDF or a picture. */
export function openBlob(blob: Blob): void {
  const url = URL.createObjectURL(blob);
  window.open(url, '_blank', 'noopener');
  // The tab has the blob by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
