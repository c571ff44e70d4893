/* An MPI of one process without profiling names, as some packages bring for serial use. */
int MPI_Init(int *argc, char ***argv);
int MPI_Barrier(int comm);
int MPI_Finalize(void);

static int calls;

int MPI_Init(int *argc, char ***argv) {
  (void)argc, (void)argv;
  calls++;
  return 0;
}

int MPI_Barrier(int comm) {
  return comm == 5 ? (calls++, 0) : 1;
}

int MPI_Finalize(void) {
  return ++calls == 3 ? 0 : 1;
}
