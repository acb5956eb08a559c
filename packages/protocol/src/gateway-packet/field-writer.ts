/** Writes the formats that `FieldReader` reads. The caller must respect the ranges of the fields. */
export class FieldWriter {
  private bytes = new Uint8Array(256);
  private length = 0;

  uint(value: number, length: number): this {
    this.reserve(length);
    let rest = value;
    for (let i = length - 1; i >= 0; i--) {
      this.bytes[this.length + i] = rest % 256;
      rest = Math.floor(rest / 256);
    }
    this.length += length;
    return this;
  }

  varint(value: number): this {
    let rest = value;
    while (rest >= 0x80) {
      this.uint((rest % 128) + 128, 1);
      rest = Math.floor(rest / 128);
    }
    return this.uint(rest, 1);
  }

  zigzag(value: number): this {
    return this.varint(value >= 0 ? value * 2 : -value * 2 - 1);
  }

  raw(bytes: Uint8Array): this {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
    return this;
  }

  finish(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + more));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}
