/*
 * The varscope trace file, version 3: defined here and nowhere else.
 *
 * One file per process, `trace/RANK.vst`. It is mapped into memory while it is written, so whatever
 * a process stored before it was killed is in the file. All integers are in the writer's byte
 * order; `byte_order` tells which.
 *
 *   struct vst_header     one page; its few atomic fields change while the process runs
 *   blocks, 8-byte aligned, back to back, up to header.committed
 *     struct vst_block    what it is, how long, checksum
 *     payload             `payload_bytes` long, then zero padding to the next multiple of 8
 *
 * A STAGING block holds the records of one thread that are not yet packed into a FRAGMENTS block, a
 * TRANSFER_STAGING block its transfers in the same way, a COUNTS block what one thread left out,
 * COUNTER_STAGING readings of counters that are not yet packed. They are the only blocks whose
 * payload changes after it was committed, so they carry no checksum. The file may be longer than
 * `committed` (space is allocated ahead); what lies behind is not data.
 *
 * Readers accept any `minor`, skip block types they do not know, and refuse another `major`.
 */
#ifndef VARSCOPE_TRACE_FORMAT_H
#define VARSCOPE_TRACE_FORMAT_H

#include <stdint.h>

#include "trace_probe.h"

#define VST_MAGIC "VARSCOPE"
#define VST_BYTE_ORDER 0x01020304u
#define VST_MAJOR 3
#define VST_MINOR 0
#define VST_HEADER_BYTES 4096u
#define VST_BLOCK_MAGIC 0x4b4c4256u /* "VBLK" read as little endian */
#define VST_ALIGN 8u

/* Where timestamps come from. Ticks are turned into time by the CLOCK blocks, never by a nominal
 * rate. */
enum vst_clock_kind {
  VST_CLOCK_MONOTONIC = 1, /* clock_gettime(CLOCK_MONOTONIC), nanoseconds */
  VST_CLOCK_TSC = 2,       /* the invariant time-stamp counter, shifted right by tick_shift */
};

enum vst_process_state {
  VST_RUNNING = 1,   /* still there, or ended without MPI_Finalize */
  VST_FINALIZED = 2, /* MPI_Finalize returned and every thread's records are sealed */
  VST_STOPPED = 3,   /* recording ended early (disk full, ...); PROBLEM blocks say why */
};

struct vst_header {
  char magic[8];       /* VST_MAGIC without terminator */
  uint32_t byte_order; /* VST_BYTE_ORDER */
  uint16_t major, minor;
  uint32_t header_bytes; /* VST_HEADER_BYTES; blocks start here */
  uint32_t clock_kind;   /* enum vst_clock_kind */
  uint32_t tick_shift;   /* raw counter bits dropped from every tick in this file */
  uint32_t pid;
  uint64_t ticks_per_second; /* estimate at start, used only when there is but one CLOCK block */
  uint64_t job_id;           /* equal in all processes of one MPI_COMM_WORLD */
  int32_t world_rank, world_size;
  uint64_t init_exit_tick; /* exit of this process's MPI_Init */
  uint64_t committed; /* atomic: bytes of this file that hold complete blocks, header included */
  uint32_t process_state;  /* atomic: enum vst_process_state */
  uint32_t fixed_checksum; /* CRC-32C of the header's bytes before `committed`; 0 = not given */
  uint64_t tool_ticks; /* atomic: measured own cost outside the per-call path (sealing, files) */
  uint64_t call_cost_picoseconds; /* calibrated own cost of recording one call, caches warm */
  uint64_t call_ticks; /* atomic: own cost in the per-call path, as measured in the run on a sample
                        of the calls, those left out included; 0: not measured */
};

enum vst_block_type {
  VST_BLOCK_PROCESS = 1,           /* text pairs: key NUL value NUL ... (see VST_KEY_*) */
  VST_BLOCK_MODULE = 2,            /* struct vst_module, then path NUL */
  VST_BLOCK_STATE = 3,             /* struct vst_state, then call name NUL */
  VST_BLOCK_COMMUNICATOR = 4,      /* struct vst_communicator, then `runs` struct vst_rank_run */
  VST_BLOCK_CLOCK = 5,             /* struct vst_clock */
  VST_BLOCK_FRAGMENTS = 6,         /* packed records of one thread, see below */
  VST_BLOCK_STAGING = 7,           /* struct vst_staging, then `capacity` struct vst_record */
  VST_BLOCK_PROBLEM = 8,           /* text NUL: one line on what was lost and why */
  VST_BLOCK_END = 9,               /* no payload; last block of a finalized process */
  VST_BLOCK_PATH = 10,             /* struct vst_path, then `frames` struct vst_frame */
  VST_BLOCK_FILE = 11,             /* struct vst_file, then path NUL */
  VST_BLOCK_COUNTS = 13,           /* struct vst_counts, then `capacity` struct vst_count */
  VST_BLOCK_THREAD = 12,           /* struct vst_thread, then its name NUL */
  VST_BLOCK_COUNTER_SET = 14,      /* `count` struct vst_counter: what is read, once per file */
  VST_BLOCK_COUNTERS = 15,         /* packed readings of counters of one thread, see below */
  VST_BLOCK_COUNTER_STAGING = 16,  /* struct vst_counter_staging, then its slots */
  VST_BLOCK_TRANSFERS = 17,        /* packed transfers that one thread completed, see below */
  VST_BLOCK_TRANSFER_STAGING = 18, /* its struct, then `capacity` struct vst_transfer */
  VST_BLOCK_PROBES = 19,           /* `count` struct vst_probe: a round, see trace_probe.h */
};

struct vst_block {
  uint32_t magic; /* VST_BLOCK_MAGIC */
  uint16_t type;  /* enum vst_block_type */
  uint16_t reserved;
  uint32_t payload_bytes;
  uint32_t checksum;   /* CRC-32C of this struct with checksum 0, then the payload; 0: see above */
  uint32_t thread;     /* number in this process, from 0, of the thread whose block it is */
  uint32_t count;      /* FRAGMENTS: records; TRANSFERS: transfers; PROBES: probes */
  uint64_t first_tick; /* FRAGMENTS: enter of the first record; TRANSFERS: see there */
  uint64_t previous_exit; /* FRAGMENTS: exit of the thread's record before, or first_tick */
};

/* Keys of the PROCESS block. Values are UTF-8 as the system gave them. Command words are separate
 * `argv` pairs, in order. */
#define VST_KEY_HOST "host"
#define VST_KEY_BOOT_ID "boot_id"
#define VST_KEY_PROGRAM "program" /* path of the executable */
#define VST_KEY_ARGUMENT "argv"
#define VST_KEY_MPI_IMPLEMENTATION "mpi" /* "Open MPI" or "MPICH" */
#define VST_KEY_MPI_VERSION "mpi_version"
#define VST_KEY_VARSCOPE_VERSION "varscope"

/* A shared object or the executable. Sites are offsets from its load base, so that ranks and runs
 * agree under address space randomisation. Code made at run time belongs to the module "[no
 * module]", at offset 0. */
struct vst_module {
  uint32_t module;         /* number in this file, from 0 */
  uint32_t build_id_bytes; /* 0 if the object has none */
  uint8_t build_id[32];
};

/* One vertex of the state transition graph. */
struct vst_state {
  uint32_t state; /* number in this file, from 0 */
  uint32_t module;
  uint64_t offset;   /* return address minus the module's load base */
  uint32_t category; /* enum vst_category */
  uint32_t path;     /* 0: known by its site alone; else 1 + number of its call path */
};

/* How the program got to a call: the return addresses on the stack, from that in the code that made
 * the call (the site of the states that name this path) to outer ones. They end after as many
 * frames as were asked for (VARSCOPE_CALL_PATHS), at the outermost frame, at a signal handler's
 * return, or where the stack could not be followed. */
struct vst_path {
  uint32_t path;   /* number in this file, from 0 */
  uint32_t frames; /* 1 or more */
};

struct vst_frame {
  uint64_t offset; /* return address minus the module's load base */
  uint32_t module;
  uint32_t reserved;
};

enum vst_thread_kind {
  VST_THREAD_INITIAL = 1, /* began with the process */
  VST_THREAD_PTHREAD = 2, /* made by pthread_create or thrd_create, or in a way that is not known */
  VST_THREAD_OPENMP = 3,  /* made by an OpenMP runtime for its teams */
};

#define VST_NO_NUMBER 0xffffffffu /* of a thread or module: not known */

/* Written when a thread comes to its first recorded call (`ended` 0), and again when it ends (1).
 * Numbers of threads that ended are used again: blocks of one number follow in order of time, and a
 * thread whose end is missing lived until the next one with its number came, or until the process
 * ended. The name is empty where the thread has the name that the process had at its start; the
 * last one counts. The start routine is given when the thread comes, not when it ends. */
struct vst_thread {
  uint32_t thread;        /* number in this process */
  uint32_t system_thread; /* what gettid() gives */
  uint32_t parent;        /* number, then, of the thread that made it, or VST_NO_NUMBER */
  uint32_t kind;          /* enum vst_thread_kind */
  uint32_t module;        /* of its start routine, or VST_NO_NUMBER */
  uint32_t ended;
  uint64_t offset; /* start routine minus the module's load base */
  uint64_t tick;   /* entry of its first recorded call, or its end */
};

/* What a call does; the wait family and the rest carry no payload of their own. */
enum vst_category {
  VST_CATEGORY_LIFETIME = 1, /* init, finalize */
  VST_CATEGORY_SEND = 2,     /* blocking sends */
  VST_CATEGORY_RECEIVE = 3,  /* blocking receives */
  VST_CATEGORY_SENDRECV = 4,
  VST_CATEGORY_ISEND = 5,    /* starts of non-blocking sends */
  VST_CATEGORY_IRECEIVE = 6, /* starts of non-blocking receives */
  VST_CATEGORY_WAIT = 7,     /* wait family: blocks until requests complete */
  VST_CATEGORY_TEST = 8,     /* test family: looks whether requests are complete */
  VST_CATEGORY_PROBE = 9,
  VST_CATEGORY_IPROBE = 10,
  VST_CATEGORY_COLLECTIVE = 11,
  VST_CATEGORY_ICOLLECTIVE = 12,  /* starts of non-blocking collectives */
  VST_CATEGORY_COMMUNICATOR = 13, /* creation and freeing of communicators */
  VST_CATEGORY_REQUEST = 14,      /* persistent requests made; requests freed or cancelled */
  VST_CATEGORY_START = 15,        /* starts of persistent requests; partitions made ready */
  VST_CATEGORY_WINDOW = 16,       /* creation and freeing of windows */
  VST_CATEGORY_RMA = 17,          /* one-sided transfers */
  VST_CATEGORY_WINDOW_SYNC = 18,  /* synchronisation of windows */
  VST_CATEGORY_FILE = 19,         /* MPI-IO: reads and writes, or their starts */
  VST_CATEGORY_FILE_META = 20,    /* MPI-IO: all else that may touch the file */
  VST_CATEGORY_IO_OPEN = 21,      /* POSIX and stdio: descriptors and streams made and closed */
  VST_CATEGORY_IO_READ = 22,
  VST_CATEGORY_IO_WRITE = 23,
  VST_CATEGORY_IO_SEEK = 24,
  VST_CATEGORY_IO_SYNC = 25,
  VST_CATEGORY_IO_META = 26, /* attributes, names, directories */
  VST_CATEGORY_IO_MAP = 27,  /* files mapped into memory */
  VST_CATEGORY_THREAD = 28,  /* threads made and joined */
  VST_CATEGORY_LOCK = 29,    /* waits on mutexes, conditions and barriers of threads */
  VST_CATEGORY_OPENMP = 30,  /* OpenMP regions, and waits at their ends */
  VST_CATEGORY_PHASE = 31    /* marks of the program itself: MPI_Pcontrol */
};

/* Known by its members and by how many communicators with just these members were made before it:
 * creation is collective over them, so all members count alike and `ordinal` needs no message. */
struct vst_communicator {
  uint32_t communicator; /* number in this file; 0 is MPI_COMM_WORLD, 1 is MPI_COMM_SELF */
  uint32_t ordinal;      /* n-th communicator with these members in this process, from 0 */
  uint64_t members_hash; /* FNV-1a over the members' world ranks as int32, in order */
  uint32_t size;
  uint32_t rank;        /* of this process in it */
  uint32_t runs;        /* struct vst_rank_run that follow */
  uint32_t remote_size; /* intercommunicators: members of the remote group, else 0 */
};

/* World ranks first, first + stride, ...: `count` members in order. */
struct vst_rank_run {
  int32_t first, stride;
  uint32_t count;
};

enum vst_file_kind {
  VST_FILE_REGULAR = 1,
  VST_FILE_DIRECTORY = 2,
  VST_FILE_PIPE = 3,   /* named or not */
  VST_FILE_SOCKET = 4, /* of any family */
  VST_FILE_TERMINAL = 5,
  VST_FILE_DEVICE = 6, /* other devices: of characters or blocks */
  VST_FILE_OTHER = 7,  /* what only Linux has: epoll, eventfd, ... */
};

/* Something that the program reads or writes by POSIX or stdio calls. Device and inode name it on
 * its host while it exists; the path is what the kernel had for it when it was first seen, "
 * (deleted)" behind it if it had none any more, or like "pipe:[4711]", or empty if /proc was not
 * there. */
struct vst_file {
  uint32_t file;          /* number in this file, from 0 */
  uint32_t kind;          /* enum vst_file_kind */
  uint64_t device, inode; /* st_dev and st_ino of fstat */
  uint64_t file_system;   /* f_type of fstatfs: a magic number of linux/magic.h; 0: not told */
};

/* How an access lies to the one before it of the same file description by this process. Streams are
 * judged by the calls that are recorded: getc and its like are not. An append goes on. */
enum vst_access {
  VST_ACCESS_UNKNOWN = -1, /* the first one after somebody else's open, or no file offset there */
  VST_ACCESS_ON = 0,       /* begins where that ended, or at the beginning of a file just opened */
  VST_ACCESS_FORWARD = 1,  /* leaves a gap */
  VST_ACCESS_BACKWARD = 2,
};

/* The three clocks read together; `tick` is shifted like all ticks of the file. */
struct vst_clock {
  uint64_t tick;
  uint64_t monotonic_ns; /* CLOCK_MONOTONIC: common to all processes of one boot of one host */
  uint64_t realtime_ns;  /* CLOCK_REALTIME: roughly common to all hosts */
};

#define VST_NO_PEER (-1)   /* the call has no partner, or many */
#define VST_ANY_PEER (-2)  /* MPI_ANY_SOURCE, and the real source is not known */
#define VST_NULL_PEER (-3) /* MPI_PROC_NULL */
#define VST_NO_TAG (-1)
#define VST_ANY_TAG (-2)
#define VST_NO_COMMUNICATOR 0xffffffffu

/*
 * One intercepted call as it stands in a STAGING block. In calls of categories IO_OPEN to IO_MAP
 * `communicator` is the number of a file (struct vst_file), or VST_NO_COMMUNICATOR for calls by
 * name alone; `bytes` is what was moved, 0 on failure, or for IO_MAP the length; `tag` is enum
 * vst_access for reads, writes and seeks, else VST_NO_TAG; `peer` is VST_NO_PEER.
 */
struct vst_record {
  uint64_t enter, exit; /* ticks */
  uint64_t bytes; /* payload from datatype and count; what each call counts: interceptor/spec */
  uint32_t state;
  uint32_t communicator;
  int32_t peer; /* world rank of the partner or root, or VST_*_PEER */
  int32_t tag;
  uint32_t requests;  /* wait, test and start family: requests passed; else 0 */
  uint32_t completed; /* wait and test family: requests completed; iprobe, window
                       test: 1 if found; else 0 */
  uint32_t skipped;   /* calls of this thread left out on purpose since the record before it; more
                       than 32 bits hold count as 0xffffffff */
  uint32_t reserved;  /* 0 */
};

/* Head of a STAGING payload. Sealing packs all staged records into one FRAGMENTS block and starts
 * again at slot 0, so with S records in the thread's FRAGMENTS blocks, the unsealed ones are
 * `written` - S records in slots 0, 1, ... A call counts when it has returned, in `intercepted`
 * first: after a kill that may be ahead by one call; one left out may count earlier (see COUNTS).
 * Threads that came when recording had broken off share one STAGING block without slots. */
struct vst_staging {
  uint64_t written;     /* atomic: records this thread ever staged */
  uint64_t intercepted; /* atomic: calls this thread ever made through the interceptor */
  uint64_t lost;        /* atomic: calls that could not be recorded */
  uint64_t sampled_out; /* atomic: calls left out on purpose */
  uint32_t capacity;    /* slots that follow */
  uint32_t system_thread;
};

/*
 * Head of a COUNTS payload: what one thread left out on purpose, state by state. A thread can have
 * several such blocks; entries of one thread have different states. They are filled from the first
 * on: behind one that is not in use, none is. Per thread the sum of `calls` equals the
 * `sampled_out` of its STAGING block, but for calls whose state could not be told (sampled_out is
 * larger by these). While a process runs, and after a kill, the sum may be ahead: then it holds,
 * and what it is ahead by is to be added to `intercepted`, too.
 */
struct vst_counts {
  uint32_t capacity; /* entries that follow */
  uint32_t reserved;
  uint64_t last_exit; /* of the thread's first COUNTS block: tick at which the latest timed call
                       ended that was left out; 0 none */
};

/*
 * The time that the calls of a state took, those left out included: the sum over its records, plus
 * ticks * calls / timed. `timed` equals `calls` unless even reading the clock cost too much; then
 * some calls of the state are timed, the first one included, and at least every 256th.
 */
struct vst_count {
  uint32_t state;
  uint32_t in_use; /* atomic: 1, or 0 */
  uint64_t calls;  /* atomic: calls left out; can be 0 */
  uint64_t timed;  /* those of them that were timed */
  uint64_t ticks;  /* sum of exit - enter of the timed ones */
};

/*
 * Transfers: what a non-blocking call started and another call completed (requests of MPI).
 *
 * Records of a thread are numbered in the order in which they were staged, from 0, through all its
 * FRAGMENTS blocks and on into its slots: vst_staging.written counts them. Calls that were left out
 * or lost have no record and no number. A transfer names two records by thread and number. Where
 * one is missing (killed before it was staged, or a damaged block), nothing is known of the
 * transfer. MPI_Sendrecv and _replace have two, what they sent and what they received: both records
 * are theirs. The start's record tells what was posted; values of the transfer itself stand in
 * their place where the flags say so. A call that starts several (MPI_Startall) has one record for
 * all.
 */
enum vst_transfer_flag {
  VST_TRANSFER_PEER = 1,         /* `peer` is given */
  VST_TRANSFER_TAG = 2,          /* `tag` is given */
  VST_TRANSFER_BYTES = 4,        /* `bytes` is given: those that came */
  VST_TRANSFER_COMMUNICATOR = 8, /* `communicator` is given */
  VST_TRANSFER_CANCELLED = 16,   /* cancelled before it was matched: nothing moved */
  VST_TRANSFER_FREED = 32,       /* its request was freed: nobody learnt when it completed */
  VST_TRANSFER_FAILED = 64,      /* it completed with an error */
  VST_TRANSFER_RECEIVE = 128,    /* of a message, from two sides: this is the receiving one */
  VST_TRANSFER_FLAGS = 255
};

/* One completed transfer as it stands in a TRANSFER_STAGING block. Values that are not given are
 * 0. */
struct vst_transfer {
  uint64_t end_record; /* number of the completing call's record in the thread of this block; never
                          less than that of the transfer before */
  uint64_t start_record; /* number of the starting call's record in start_thread */
  uint64_t bytes;
  uint32_t start_thread;
  uint32_t flags; /* enum vst_transfer_flag */
  int32_t peer;   /* as in struct vst_record; so are tag and communicator */
  int32_t tag;
  uint32_t communicator;
  uint32_t reserved; /* 0 */
};

/* Head of a TRANSFER_STAGING payload: at most one for each thread, in the file before its first
 * TRANSFERS block. As with STAGING, slots are packed into a TRANSFERS block and used again; with S
 * transfers in the thread's TRANSFERS blocks, those in slots 0 to `written` - S - 1 follow. It
 * changes after it was committed, so it carries no checksum. A transfer is staged before the record
 * of the call that completed it. */
struct vst_transfer_staging {
  uint64_t written;   /* atomic: transfers this thread ever staged */
  uint64_t unmatched; /* atomic: requests that this thread completed, and whose start is
                         not known: left out, lost, forgotten, or made in a way that is not seen */
  uint32_t capacity;  /* slots that follow */
  uint32_t reserved;
};

/*
 * TRANSFERS payload: varints as in FRAGMENTS. `count` transfers; block.thread completed them and
 * block.first_tick is the end_record of the first. Each transfer is written as eight words:
 *
 *   0 wait          end_record - end_record of the transfer before; 0 for the first
 *   1 start_thread  0: the thread of the block; else start_thread + 1
 *   2 distance      started by the thread of the block: end_record - start_record; by another:
 *                   zigzag(start_record - start_record of the latest transfer before in this block
 *                   that another thread started, 0 without one); both modulo 2^64
 *   3 flags
 *   4 zigzag(peer)    5 zigzag(tag)    6 bytes    7 communicator
 *
 * and each is foreseen to have the words of its model: transfer 0 has none; with transfer i - 1
 * equal to its model m in all words, the model of i is m + 1; else it is the one behind the latest
 * transfer before i - 1 with the words of i - 1, if there is one; else behind the model of i - 1,
 * if that has one; else i has none. Words foreseen without a model are 0. The payload holds only
 * transfers that are not as foreseen: the number of transfers skipped since the last such one, a
 * byte whose bit w says that word w differs, and those words in order. After the last one all are
 * as foreseen. It does not matter whether an entry was needed.
 */
#define VST_TRANSFER_WORDS 8

/*
 * FRAGMENTS payload: nine columns one after the other, each `uint32_t bytes` then that many bytes.
 * All numbers are LEB128 varints, signed ones zigzag-coded first.
 *
 *   0 gap       enter - exit of the record before (block.previous_exit for the first), >= 0
 *   1 duration  exit - enter
 *   2 state
 *   3 communicator
 *   4 peer
 *   5 tag
 *   6 bytes
 *   7 requests * 2 + (completed != requests), then, where that bit is set, completed
 *   8 skipped
 *
 * Columns 0 and 1 hold `count` varints. Columns 2 to 8 hold only what a reader cannot foresee, as
 * pairs (records skipped since the last pair, value). Coded values are zigzag(peer), zigzag(tag);
 * communicator + 1 with VST_NO_COMMUNICATOR as 0; the rest as they are. Records after a column's
 * last pair are as foreseen. Column 8 is foreseen to be 0, whatever the models say.
 *
 * Programs go through the same calls again and again, so each record is foreseen to repeat an
 * earlier record of its block, its model. Two records are equal if they are so in columns 2 to 7.
 * Record 0 has no model. The model of any other record i is the record that follows
 *
 *   a. the model of record i - 1, if record i - 1 has one and is equal to it; else
 *   b. the latest record before i - 1 that is equal to record i - 1; if there is none,
 *   c. the model of record i - 1, if it has one, of the same state; else
 *   d. the latest record before i - 1 with the state of record i - 1; if there is none, record i
 *      has no model.
 *
 * So a record follows its place in the last round of a loop, even if one site has several partners
 * in turn (a) or sizes are always new (c). The state is foreseen to be the model's, and 0 without a
 * model. The other values are foreseen to be those of the model if the record has its state, else
 * those of the latest record before it in this block with its state; where there is none, to have
 * the coded value 0 (communicator: VST_NO_COMMUNICATOR; column 7: neither requests nor completed).
 * In a program that repeats itself these columns are nearly empty. Blocks do not depend on each
 * other. It does not matter whether a pair was needed.
 *
 * A thread number is used again when its thread has ended: nobody computed between the two. The new
 * thread's first block has previous_exit == first_tick; its THREAD block's tick tells in slots.
 */
#define VST_FRAGMENT_COLUMNS 9

/* Whose activity a counter counts. Counters of a group or host are read by thread 0 alone. */
enum vst_counter_scope {
  VST_SCOPE_THREAD = 1,
  VST_SCOPE_GROUP = 2, /* all processes of the control group of this one */
  VST_SCOPE_HOST = 3,
};

#define VST_NO_COLUMN 0xffffffffu
#define VST_MOST_COUNTERS 64u

/*
 * One counter of this process; its position in the COUNTER_SET block is its number. All counters
 * count up from the first reading of their thread: where that starts says nothing, only differences
 * do. Texts end with NUL. Counters that were not asked for are not listed.
 */
struct vst_counter {
  uint32_t source; /* counters of one source are read together; less than 64 */
  uint32_t column; /* of readings, from 0; VST_NO_COLUMN: not readable here, see `reason` */
  uint32_t scope;  /* enum vst_counter_scope */
  uint32_t reserved;
  char name[24], unit[16]; /* unit: ns, bytes or count */
  char group[16];          /* by which users choose it: scheduler, memory, io, hardware */
  char reason[96];         /* empty if it is read */
};

/*
 * Head of a COUNTER_STAGING payload. `capacity` slots follow, each of 2 + `columns` uint64: the
 * tick before the reading, a mask of the sources that were read (bit `source`), and a value per
 * column; those of sources not read repeat the reading before. With S readings in the thread's
 * COUNTERS blocks, the unsealed ones are `written` - S in slots 0, 1, ... as with STAGING.
 */
struct vst_counter_staging {
  uint64_t written; /* atomic: readings of this thread ever made */
  uint32_t capacity;
  uint32_t columns;
};

/*
 * COUNTERS payload: 2 + columns, each `uint32_t bytes` then that many bytes; block.count readings,
 * block.first_tick is that of the first one. All numbers are LEB128 varints.
 *
 *   0       ticks since the reading before (0 for the first)
 *   1       masks of sources, each as exclusive or with the one before (0 before the first)
 *   2 + c   differences of column c to the reading before (0 before the first), >= 0; in a reading
 *           without the column's source it is 0
 *
 * In all but column 0 a run of n zeros is written as 0, n - 1. Blocks do not depend on each other.
 *
 * A thread number is used again when its thread has ended. Then counters of scope thread go on from
 * where they were: between the two threads nobody used any of them.
 */

#endif
