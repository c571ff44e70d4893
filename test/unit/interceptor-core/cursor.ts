/** Reads on through bytes, little endian. */
export class Cursor {
  at = 0;
  readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  u32(): number {
    this.at += 4;
    return this.bytes.readUInt32LE(this.at - 4);
  }
  i32(): number {
    return this.u32() | 0;
  }
  u64(): bigint {
    this.at += 8;
    return this.bytes.readBigUInt64LE(this.at - 8);
  }
  varint(): bigint {
    let low = 0;
    let scale = 1;
    for (let i = 0; i < 7; i++, scale *= 128) {
      const byte = this.bytes.readUInt8(this.at++);
      low += (byte & 127) * scale;
      if (byte < 128) return BigInt(low);
    }
    let value = BigInt(low);
    for (let shift = 49n; ; shift += 7n) {
      const byte = this.bytes.readUInt8(this.at++);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }
  text(): string {
    const end = this.bytes.indexOf(0, this.at);
    if (end < 0) throw new Error("text without end");
    const text = this.bytes.toString("utf8", this.at, end);
    this.at = end + 1;
    return text;
  }
  done(): boolean {
    return this.at >= this.bytes.length;
  }
}

export function expectThat(condition: boolean, what: string): void {
  if (!condition) throw new Error(`not so: ${what}`);
}
