/** Downloads a file in the browser. The content is Base64 for bytes, otherwise text. */
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
  // After this time the download has started.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Opens a blob in a new tab; browsers can show PDFs and images. */
export function openBlob(blob: Blob): void {
  const url = URL.createObjectURL(blob);
  window.open(url, '_blank', 'noopener');
  // After this time the tab has loaded the blob.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
