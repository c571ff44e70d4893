/**
 * A trace file made byte by byte from interceptor/include/trace_format.h, with no code shared with
 * writer or reader. Offsets of struct fields stand here as numbers, as a hex dump would show them.
 */

/** CRC-32C by its definition, bit by bit. */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc >>> 0;
}

type Field = [type: "u16" | "u32" | "i32" | "u64" | "text" | "bytes", value: unknown];

/** Packs fields one after the other; text gets its NUL. */
export function pack(...fields: Field[]): Buffer {
  return Buffer.concat(
    fields.map(([type, value]) => {
      if (type === "text") return Buffer.from(`${String(value)}\0`);
      if (type === "bytes") return Buffer.from(value as number[]);
      const cell = Buffer.alloc(type === "u16" ? 2 : type === "u64" ? 8 : 4);
      if (type === "u16") cell.writeUInt16LE(value as number);
      else if (type === "u32") cell.writeUInt32LE(value as number);
      else if (type === "i32") cell.writeInt32LE(value as number);
      else cell.writeBigUInt64LE(BigInt(value as number | bigint));
      return cell;
    }),
  );
}

export interface BlockHead {
  thread?: number;
  count?: number;
  firstTick?: number;
  previousExit?: number;
}

/** A block with padding and checksum (but for STAGING, COUNTS and COUNTER_STAGING: types 7, 13 and 16). */
export function block(type: number, payload: Buffer, head: BlockHead = {}): Buffer {
  const { thread = 0, count = 0, firstTick = 0, previousExit = 0 } = head;
  const make = (checksum: number): Buffer =>
    pack(
      ["bytes", [...Buffer.from("VBLK")]],
      ["u16", type],
      ["u16", 0],
      ["u32", payload.length],
      ["u32", checksum],
      ["u32", thread],
      ["u32", count],
      ["u64", firstTick],
      ["u64", previousExit],
    );
  const checksum = [7, 13, 16].includes(type) ? 0 : crc32c(Buffer.concat([make(0), payload]));
  const padding = Buffer.alloc((8 - (payload.length % 8)) % 8);
  return Buffer.concat([make(checksum), payload, padding]);
}

/** Payload of FRAGMENTS from its columns; the last one is empty unless given. */
export function columns(...all: number[][]): Buffer {
  const nine = all.length < 9 ? [...all, []] : all;
  return pack(
    ...nine.flatMap((c): Field[] => [
      ["u32", c.length],
      ["bytes", c],
    ]),
  );
}

export function record(fields: {
  enter: number;
  exit: number;
  bytes: number;
  state: number;
  communicator: number;
  peer: number;
  tag: number;
  requests: number;
  completed: number;
  skipped?: number;
}): Buffer {
  return pack(
    ["u64", fields.enter],
    ["u64", fields.exit],
    ["u64", fields.bytes],
    ["u32", fields.state],
    ["u32", fields.communicator],
    ["i32", fields.peer],
    ["i32", fields.tag],
    ["u32", fields.requests],
    ["u32", fields.completed],
    ["u32", fields.skipped ?? 0],
    ["u32", 0],
  );
}

export function stateBlock(
  number: number,
  module: number,
  offset: number,
  category: number,
  call: string,
): Buffer {
  return block(
    3,
    pack(
      ["u32", number],
      ["u32", module],
      ["u64", offset],
      ["u32", category],
      ["u32", 0],
      ["text", call],
    ),
  );
}

/** FNV-1a over world ranks as int32. */
function membersHash(members: number[]): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of pack(...members.map((member): Field => ["i32", member]))) {
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  return hash;
}

export function communicator(
  number: number,
  rank: number,
  members: number[],
  stride: number,
): Buffer {
  return block(
    4,
    pack(
      ["u32", number],
      ["u32", 0],
      ["u64", membersHash(members)],
      ["u32", members.length],
      ["u32", rank],
      ["u32", 1],
      ["u32", 0],
      ["i32", members[0]],
      ["i32", stride],
      ["u32", members.length],
    ),
  );
}

/** The header page; `blocks` decide what is committed. */
export function file(blocks: Buffer[], changes: { state?: number; minor?: number } = {}): Buffer {
  const body = Buffer.concat(blocks);
  const head = pack(
    ["bytes", [...Buffer.from("VARSCOPE")]],
    ["u32", 0x01020304],
    ["u16", 3],
    ["u16", changes.minor ?? 0],
    ["u32", 4096],
    ["u32", 2], // time-stamp counter
    ["u32", 4], // shifted
    ["u32", 4242], // pid
    ["u64", 100_000_000], // ticks per second
    ["u64", 0xabcdef0123456789n], // job
    ["i32", 2], // rank
    ["i32", 4], // of
    ["u64", 2000], // MPI_Init's exit
    ["u64", 4096 + body.length], // committed
    ["u32", changes.state ?? 1], // running
    ["u32", 0],
    ["u64", 3000], // tool ticks
    ["u64", 45_000], // picoseconds per call
  );
  return Buffer.concat([head, Buffer.alloc(4096 - head.length), body]);
}
