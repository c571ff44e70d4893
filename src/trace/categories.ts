/**
 * Names of `enum vst_category` (interceptor/include/trace_format.h), by number: what the store shows.
 * A test compares them with the header.
 */
export const CATEGORY_NAMES = {
  1: "lifetime",
  2: "send",
  3: "receive",
  4: "sendrecv",
  5: "isend",
  6: "ireceive",
  7: "wait",
  8: "test",
  9: "probe",
  10: "iprobe",
  11: "collective",
  12: "icollective",
  13: "communicator",
  14: "request",
  15: "start",
  16: "window",
  17: "rma",
  18: "window_sync",
  19: "file",
  20: "file_meta",
  21: "io_open",
  22: "io_read",
  23: "io_write",
  24: "io_seek",
  25: "io_sync",
  26: "io_meta",
  27: "io_map",
  28: "thread",
  29: "lock",
  30: "openmp",
  31: "phase",
} as const satisfies Record<number, string>;

export type Category = (typeof CATEGORY_NAMES)[keyof typeof CATEGORY_NAMES];

/** Name of a category; files of a later minor version can have ones that are not known here. */
export function categoryName(number: number): string {
  return (CATEGORY_NAMES as Record<number, string>)[number] ?? `category-${number}`;
}

export function categoryNumber(name: Category): number {
  for (const [number, known] of Object.entries(CATEGORY_NAMES)) {
    if (known === name) return Number(number);
  }
  throw new RangeError(`no category ${name}`);
}
