#define _GNU_SOURCE 1
#include "cfi_program.h"

#include <string.h>

/* Register numbers of x86-64 in DWARF. */
#define REGISTER_FP 6u
#define REGISTER_SP 7u

/* DWARF expressions that are understood: base register + offset, with or without a load. */
#define OP_DEREF 0x06u
#define OP_BREG0 0x70u

#define MOST_REMEMBERED 8u

enum where { SAME = 0, AT_CFA, AT_FP, UNDEFINED, ELSEWHERE };

struct saved {
  enum where where;
  int64_t offset;
};

enum base { BASE_REGISTER, BASE_AT_FP, BASE_OTHER };

/* One row of the table that the instructions describe. */
struct row {
  enum base base;
  uint64_t cfa_register;
  int64_t cfa_offset;
  struct saved fp, return_address;
};

struct machine {
  const struct vs_cfi_common *common;
  struct row now, initial, remembered[MOST_REMEMBERED];
  unsigned depth;
  uint64_t location; /* bytes behind the FDE's first address */
  bool failed;
};

uint64_t vs_take(struct vs_cursor *cursor, size_t bytes) {
  uint64_t value = 0;
  if ((size_t)(cursor->end - cursor->at) < bytes) {
    cursor->failed = true;
    cursor->at = cursor->end;
    return 0;
  }
  memcpy(&value, cursor->at, bytes);
  cursor->at += bytes;
  return value;
}

uint64_t vs_take_unsigned(struct vs_cursor *cursor) {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const uint64_t byte = vs_take(cursor, 1);
    if (shift < 64)
      value |= (byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
}

int64_t vs_take_signed(struct vs_cursor *cursor) {
  uint64_t value = 0;
  for (unsigned shift = 0;;) {
    const uint64_t byte = vs_take(cursor, 1);
    if (shift < 64)
      value |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte & 0x80)
      continue;
    if ((byte & 0x40) && shift < 64)
      value |= ~(uint64_t)0 << shift;
    return (int64_t)value;
  }
}

/* A block of the program: its length, then its bytes. */
static struct vs_cursor take_block(struct vs_cursor *program) {
  const uint64_t bytes = vs_take_unsigned(program);
  struct vs_cursor block = {program->at, program->at, false};
  if (bytes > (uint64_t)(program->end - program->at)) {
    program->failed = block.failed = true;
    program->at = program->end;
    return block;
  }
  block.end = program->at += bytes;
  return block;
}

static struct saved *register_of(struct machine *machine, struct row *row, uint64_t number) {
  if (number == machine->common->return_register)
    return &row->return_address;
  return number == REGISTER_FP ? &row->fp : NULL;
}

static void put(struct machine *machine, uint64_t number, enum where where, int64_t offset) {
  struct saved *saved = register_of(machine, &machine->now, number);
  if (saved)
    *saved = (struct saved){where, offset};
}

static void restore(struct machine *machine, uint64_t number) {
  struct saved *saved = register_of(machine, &machine->now, number);
  if (saved)
    *saved = *register_of(machine, &machine->initial, number);
}

/* `breg N, offset`, and with `load` a DEREF behind it; false for any other expression. */
static bool based(struct vs_cursor block, bool load, uint64_t *number, int64_t *offset) {
  const uint64_t code = vs_take(&block, 1);
  if (code < OP_BREG0 || code > OP_BREG0 + 31)
    return false;
  *number = code - OP_BREG0;
  *offset = vs_take_signed(&block);
  if (load && vs_take(&block, 1) != OP_DEREF)
    return false;
  return !block.failed && block.at == block.end;
}

static void define_cfa(struct row *row, struct vs_cursor block) {
  uint64_t number = 0;
  row->base = BASE_OTHER;
  if (based(block, true, &number, &row->cfa_offset) && number == REGISTER_FP) {
    row->base = BASE_AT_FP;
  } else if (based(block, false, &number, &row->cfa_offset)) {
    row->base = BASE_REGISTER;
    row->cfa_register = number;
  }
}

/* Registers saved where an expression tells. */
static void save_by_expression(struct machine *machine, struct vs_cursor *program) {
  const uint64_t number = vs_take_unsigned(program);
  uint64_t base = 0;
  int64_t offset = 0;
  const bool simple = based(take_block(program), false, &base, &offset) && base == REGISTER_FP;
  put(machine, number, simple ? AT_FP : ELSEWHERE, offset);
}

static void remember(struct machine *machine) {
  if (machine->depth == MOST_REMEMBERED)
    machine->failed = true;
  else
    machine->remembered[machine->depth++] = machine->now;
}

static void recall(struct machine *machine) {
  if (machine->depth == 0)
    machine->failed = true;
  else
    machine->now = machine->remembered[--machine->depth];
}

static void cfa_from(struct row *row, uint64_t number, int64_t offset) {
  row->base = BASE_REGISTER;
  row->cfa_register = number;
  row->cfa_offset = offset;
}

/* Instructions that move on in the code; -1 for the others. */
static int64_t advance(struct vs_cursor *program, unsigned code) {
  if ((code & 0xc0) == 0x40)
    return code & 0x3f;
  switch (code) {
  case 0x02: /* advance_loc1, 2, 4 */
    return (int64_t)vs_take(program, 1);
  case 0x03:
    return (int64_t)vs_take(program, 2);
  case 0x04:
    return (int64_t)vs_take(program, 4);
  default:
    return -1;
  }
}

/* Instructions on where a register is saved; false for the others. */
static bool run_register(struct machine *machine, struct vs_cursor *program, unsigned code) {
  const int64_t factor = machine->common->data_factor;
  uint64_t number;
  if ((code & 0xc0) == 0x80) { /* offset */
    put(machine, code & 0x3f, AT_CFA, (int64_t)vs_take_unsigned(program) * factor);
    return true;
  }
  if ((code & 0xc0) == 0xc0) { /* restore */
    restore(machine, code & 0x3f);
    return true;
  }
  switch (code) {
  case 0x10: /* expression */
    save_by_expression(machine, program);
    return true;
  case 0x05: /* offset_extended, _sf, GNU negative */
  case 0x11:
  case 0x2f:
    number = vs_take_unsigned(program);
    put(machine, number, AT_CFA,
        code == 0x11   ? vs_take_signed(program) * factor
        : code == 0x05 ? (int64_t)vs_take_unsigned(program) * factor
                       : -(int64_t)vs_take_unsigned(program) * factor);
    return true;
  case 0x06: /* restore_extended */
    restore(machine, vs_take_unsigned(program));
    return true;
  case 0x07: /* undefined */
    put(machine, vs_take_unsigned(program), UNDEFINED, 0);
    return true;
  case 0x08: /* same_value */
    put(machine, vs_take_unsigned(program), SAME, 0);
    return true;
  case 0x09: /* register, val_offset, val_offset_sf: another register, or a value, not a place */
  case 0x14:
  case 0x15:
    put(machine, vs_take_unsigned(program), ELSEWHERE, 0);
    vs_take_unsigned(program);
    return true;
  case 0x16: /* val_expression */
    put(machine, vs_take_unsigned(program), ELSEWHERE, 0);
    take_block(program);
    return true;
  default:
    return false;
  }
}

static void run_cfa(struct machine *machine, struct vs_cursor *program, unsigned code) {
  const int64_t factor = machine->common->data_factor;
  struct row *now = &machine->now;
  uint64_t number;
  switch (code) {
  case 0x00: /* nop */
    return;
  case 0x0a:
    remember(machine);
    return;
  case 0x0b:
    recall(machine);
    return;
  case 0x0c: /* def_cfa, _sf */
  case 0x12:
    number = vs_take_unsigned(program);
    cfa_from(now, number,
             code == 0x0c ? (int64_t)vs_take_unsigned(program) : vs_take_signed(program) * factor);
    return;
  case 0x0d: /* def_cfa_register */
    cfa_from(now, vs_take_unsigned(program), now->cfa_offset);
    return;
  case 0x0e: /* def_cfa_offset, _sf */
    now->cfa_offset = (int64_t)vs_take_unsigned(program);
    return;
  case 0x13:
    now->cfa_offset = vs_take_signed(program) * factor;
    return;
  case 0x0f: /* def_cfa_expression */
    define_cfa(now, take_block(program));
    return;
  case 0x2e: /* GNU_args_size */
    vs_take_unsigned(program);
    return;
  default: /* set_loc, and whatever is not known */
    machine->failed = true;
  }
}

/* Runs until the row of `distance` is complete. */
static void run(struct machine *machine, struct vs_cursor program, uint64_t distance) {
  while (program.at < program.end && !machine->failed) {
    const unsigned code = (unsigned)vs_take(&program, 1);
    const int64_t step = advance(&program, code);
    if (step >= 0) {
      machine->location += (uint64_t)step * machine->common->code_factor;
      if (machine->location > distance)
        break;
    } else if (!run_register(machine, &program, code)) {
      run_cfa(machine, &program, code);
    }
    machine->failed |= program.failed;
  }
}

static bool fits(int64_t value, int64_t most) {
  return value >= -most && value <= most;
}

static enum vs_cfa kind_of(const struct row *row) {
  if (row->base == BASE_AT_FP)
    return VS_CFA_AT_FP;
  if (row->base == BASE_REGISTER && row->cfa_register == REGISTER_SP)
    return VS_CFA_SP;
  return row->base == BASE_REGISTER && row->cfa_register == REGISTER_FP ? VS_CFA_FP
                                                                        : VS_CFA_UNKNOWN;
}

static struct vs_frame_rule rule_of(const struct row *row) {
  static const uint8_t places[] = {[SAME] = VS_FP_SAME,
                                   [AT_CFA] = VS_FP_AT_CFA,
                                   [AT_FP] = VS_FP_AT_FP,
                                   [UNDEFINED] = VS_FP_LOST,
                                   [ELSEWHERE] = VS_FP_LOST};
  struct vs_frame_rule rule = {.cfa = VS_CFA_UNKNOWN};
  if (row->return_address.where == UNDEFINED) {
    rule.cfa = VS_CFA_OUTERMOST;
    return rule;
  }
  if (row->return_address.where != AT_CFA || !fits(row->return_address.offset, INT16_MAX) ||
      !fits(row->cfa_offset, INT32_MAX) || !fits(row->fp.offset, INT32_MAX))
    return rule;
  rule.cfa = (uint8_t)kind_of(row);
  rule.caller_fp = places[row->fp.where];
  rule.return_offset = (int16_t)row->return_address.offset;
  rule.cfa_offset = (int32_t)row->cfa_offset;
  rule.fp_offset = (int32_t)row->fp.offset;
  return rule;
}

struct vs_frame_rule vs_cfi_run(const struct vs_cfi_common *common, struct vs_cursor program,
                                uint64_t distance) {
  struct machine machine = {.common = common};
  if (common->signal_frame)
    return (struct vs_frame_rule){.cfa = VS_CFA_SIGNAL};
  machine.now.base = BASE_OTHER;
  run(&machine, common->initial, UINT64_MAX);
  machine.initial = machine.now;
  machine.location = 0;
  run(&machine, program, distance);
  if (machine.failed)
    return (struct vs_frame_rule){.cfa = VS_CFA_UNKNOWN};
  return rule_of(&machine.now);
}
