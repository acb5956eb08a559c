/** Gives the browser a file to keep. Base64 where the server sends bytes, text otherwise. */
export function saveFile(fileName: string, content: string, encoding: 'base64' | 'text' = 'base64'): void {
  const bytes =
    encoding === 'base64' ? Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0)) : content;
  const url = URL.createObjectURL(new Blob([bytes]));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The download has the blob by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** CSV that a spreadsheet opens as text, without running what somebody wrote into a cell as a formula. */
export function toCsv(rows: readonly (readonly (string | number)[])[]): string {
  const cell = (value: string | number) => {
    const plain = String(value);
    const safe = /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return `\uFEFF${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}
