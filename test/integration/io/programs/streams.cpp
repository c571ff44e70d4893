// C++ streams reach write and read through libstdc++.
#include <fstream>
#include <iostream>
#include <mpi.h>
#include <string>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string path = "streams." + std::to_string(rank);
  std::ofstream(path) << std::string(100000, 's') << std::flush;
  std::ifstream in(path);
  const std::string all((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  in.close();
  std::remove(path.c_str());
  MPI_Finalize();
  if (rank == 0)
    std::cout << all.size() << std::endl;
}
