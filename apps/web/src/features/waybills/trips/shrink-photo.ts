/** Longer side of a photo, pixels: enough to read a label. */
const SIDE = 1600;
const QUALITY = 0.8;

/**
 * Scales a photo down and encodes it as JPEG, without its metadata. The browser reads formats that the server does not, such as
 * HEIC on an iPhone. Rejects if the file is not a picture.
 */
export async function shrinkPhoto(file: Blob): Promise<ArrayBuffer> {
  const picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
  try {
    const scale = Math.min(1, SIDE / Math.max(picture.width, picture.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    const context = canvas.getContext('2d');
    if (!context) throw new Error('the browser has no canvas');
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', QUALITY));
    if (!blob) throw new Error('the picture cannot be encoded');
    return await blob.arrayBuffer();
  } finally {
    picture.close();
  }
}
