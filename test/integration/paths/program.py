"""One call of MPI_Allreduce in the interpreter's extension, reached in two ways."""
from array import array

from mpi4py import MPI

value, total = array("i", [1]), array("i", [0])


class Box:
    def __len__(self):
        MPI.COMM_WORLD.Allreduce(value, total)
        return total[0]


for _ in range(20):
    MPI.COMM_WORLD.Allreduce(value, total)
    len(Box())
