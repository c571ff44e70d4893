/*
 * Smooths a field by non-linear diffusion on a 2-D grid: each step swaps halos with up to four
 * neighbours, updates every point, and sums the change over all ranks. Every step does the same
 * work.
 *
 * The checksum is an integer sum over the bits of all values, so it depends on the numbers only:
 * not on the MPI, the number of ranks or the order of a reduction.
 *
 * The scheme is that of P. Perona and J. Malik, IEEE PAMI 12(7), 1990, equations 7 to 9.
 */
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WEST, EAST, SOUTH, NORTH, SIDES };

static const double edge_scale = 0.3; /* differences above it count as edges and are kept */
static const double step_width = 0.2; /* stable up to 0.25 */

struct options {
  int steps, size;
  bool help, valid;
};

/* This rank's part of the grid, with one line of halo all around. Row 0 and row `rows` + 1 are
 * halo. */
struct field {
  int rows, columns;
  int first_row, first_column; /* global place of point (1, 1) */
  double *values, *next;
};

struct mesh {
  MPI_Comm communicator;
  int neighbours[SIDES];
  MPI_Datatype column;
};

static struct options parse_options(int argc, char **argv) {
  struct options options = {.steps = 1000, .size = 512, .valid = true};
  for (int i = 1; i < argc && options.valid; i++) {
    int *target = NULL;
    if (strcmp(argv[i], "--help") == 0) {
      options.help = true;
      continue;
    }
    if (strcmp(argv[i], "--steps") == 0)
      target = &options.steps;
    else if (strcmp(argv[i], "--size") == 0)
      target = &options.size;
    char *end = NULL;
    long value = target && i + 1 < argc ? strtol(argv[++i], &end, 10) : 0;
    options.valid = end && *end == '\0' && value > 0 && value <= 1 << 20;
    if (options.valid)
      *target = (int)value;
  }
  return options;
}

/* Splits `points` over `parts`; the first ones get the remainder. */
static void split(int points, int parts, int part, int *first, int *count) {
  int share = points / parts, rest = points % parts;
  *count = share + (part < rest ? 1 : 0);
  *first = part * share + (part < rest ? part : rest);
}

static double *at(const struct field *field, double *values, int row, int column) {
  return values + (size_t)row * (size_t)(field->columns + 2) + column;
}

/* A smooth wave with a step in it, from the global place of the point. */
static double initial_value(int row, int column) {
  double wave = sin(0.05 * row) * cos(0.03 * column);
  return wave + ((row / 64 + column / 64) % 2 ? 1.0 : 0.0);
}

static void create_field(struct field *field) {
  size_t points = (size_t)(field->rows + 2) * (size_t)(field->columns + 2);
  field->values = calloc(points, sizeof(double));
  field->next = calloc(points, sizeof(double));
  if (!field->values || !field->next) {
    fprintf(stderr, "stencil: not enough memory for this --size\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int row = 1; row <= field->rows; row++)
    for (int column = 1; column <= field->columns; column++)
      *at(field, field->values, row, column) =
          initial_value(field->first_row + row - 1, field->first_column + column - 1);
}

static void exchange_halos(const struct mesh *mesh, struct field *field) {
  const int rows = field->rows, columns = field->columns;
  double *values = field->values;
  const struct {
    double *sent, *received;
    MPI_Datatype type;
    int count;
  } sides[SIDES] = {
      [WEST] = {at(field, values, 1, 1), at(field, values, 1, 0), mesh->column, 1},
      [EAST] = {at(field, values, 1, columns), at(field, values, 1, columns + 1), mesh->column, 1},
      [SOUTH] = {at(field, values, 1, 1), at(field, values, 0, 1), MPI_DOUBLE, columns},
      [NORTH] = {at(field, values, rows, 1), at(field, values, rows + 1, 1), MPI_DOUBLE, columns},
  };
  MPI_Request requests[2 * SIDES];
  for (int side = 0; side < SIDES; side++)
    MPI_Irecv(sides[side].received, sides[side].count, sides[side].type, mesh->neighbours[side],
              side ^ 1, mesh->communicator, &requests[side]);
  for (int side = 0; side < SIDES; side++)
    MPI_Isend(sides[side].sent, sides[side].count, sides[side].type, mesh->neighbours[side], side,
              mesh->communicator, &requests[SIDES + side]);
  MPI_Waitall(2 * SIDES, requests, MPI_STATUSES_IGNORE);
}

/* What flows over an edge with this difference: much over small ones, little over large ones. */
static double flow(double difference) {
  double relative = difference / edge_scale;
  return difference / (1.0 + relative * relative);
}

/* Updates all points and returns the sum of squared changes. */
static double update(struct field *field) {
  double change = 0.0;
  for (int row = 1; row <= field->rows; row++) {
    const double *south = at(field, field->values, row - 1, 0);
    const double *here = at(field, field->values, row, 0);
    const double *north = at(field, field->values, row + 1, 0);
    double *next = at(field, field->next, row, 0);
    for (int i = 1; i <= field->columns; i++) {
      double sum = flow(here[i - 1] - here[i]) + flow(here[i + 1] - here[i]) +
                   flow(south[i] - here[i]) + flow(north[i] - here[i]);
      next[i] = here[i] + step_width * sum;
      change += sum * sum;
    }
  }
  double *values = field->values;
  field->values = field->next;
  field->next = values;
  return change;
}

/* Sum over all points of their bits times an odd number made from their place. */
static uint64_t checksum(const struct field *field, int size) {
  uint64_t sum = 0;
  for (int row = 1; row <= field->rows; row++)
    for (int column = 1; column <= field->columns; column++) {
      uint64_t bits, place = (uint64_t)(field->first_row + row - 1) * (uint64_t)size +
                             (uint64_t)(field->first_column + column - 1);
      memcpy(&bits, at(field, field->values, row, column), sizeof bits);
      sum += bits * (2 * place + 1);
    }
  return sum;
}

static void create_mesh(struct mesh *mesh, struct field *field, int size) {
  int ranks, rank, dimensions[2] = {0, 0}, place[2];
  const int open[2] = {0, 0};
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dimensions);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, open, 0, &mesh->communicator);
  MPI_Comm_rank(mesh->communicator, &rank);
  MPI_Cart_coords(mesh->communicator, rank, 2, place);
  MPI_Cart_shift(mesh->communicator, 0, 1, &mesh->neighbours[SOUTH], &mesh->neighbours[NORTH]);
  MPI_Cart_shift(mesh->communicator, 1, 1, &mesh->neighbours[WEST], &mesh->neighbours[EAST]);
  split(size, dimensions[0], place[0], &field->first_row, &field->rows);
  split(size, dimensions[1], place[1], &field->first_column, &field->columns);
  MPI_Type_vector(field->rows, 1, field->columns + 2, MPI_DOUBLE, &mesh->column);
  MPI_Type_commit(&mesh->column);
}

static void run(struct options options) {
  struct mesh mesh;
  struct field field;
  create_mesh(&mesh, &field, options.size);
  create_field(&field);

  double change = 0.0, total_change = 0.0, start = MPI_Wtime();
  for (int step = 0; step < options.steps; step++) {
    exchange_halos(&mesh, &field);
    change = update(&field);
    MPI_Allreduce(&change, &total_change, 1, MPI_DOUBLE, MPI_SUM, mesh.communicator);
  }
  double seconds = MPI_Wtime() - start;

  int rank;
  uint64_t own = checksum(&field, options.size), total = 0;
  MPI_Reduce(&own, &total, 1, MPI_UINT64_T, MPI_SUM, 0, mesh.communicator);
  MPI_Comm_rank(mesh.communicator, &rank);
  if (rank == 0)
    printf("stencil: checksum %016" PRIx64 " residual %.6e steps %d seconds %.3f\n", total,
           sqrt(total_change), options.steps, seconds);

  MPI_Type_free(&mesh.column);
  MPI_Comm_free(&mesh.communicator);
  free(field.values);
  free(field.next);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  struct options options = parse_options(argc, argv);
  if (options.valid && !options.help)
    run(options);
  else if (rank == 0)
    fprintf(options.valid ? stdout : stderr,
            "usage: stencil [--steps N] [--size N]\n"
            "  --steps N  steps to take (default 1000)\n"
            "  --size N   points along each side of the whole grid (default 512)\n");
  if (!options.valid)
    status = 2;
  MPI_Finalize();
  return status;
}
