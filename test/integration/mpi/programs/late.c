/* MPI comes late: late plugin PLUGIN opens a library that is linked with MPI; late lookup LIBMPI
 * looks every function up itself. This program knows no MPI. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  void *library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return puts(dlerror()), 1;
  if (strcmp(argv[1], "plugin") == 0)
    return ((int (*)(void))dlsym(library, "plugin_run"))();
  int (*const initialize)(int *, char ***) = (int (*)(int *, char ***))dlsym(library, "MPI_Init");
  int (*const finalize)(void) = (int (*)(void))dlsym(library, "MPI_Finalize");
  initialize(NULL, NULL);
  finalize();
  return 0;
}
