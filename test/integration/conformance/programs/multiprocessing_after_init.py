# MPI first, then children of multiprocessing, which are forked and leave by their own exit.
import multiprocessing
from mpi4py import MPI


def square(number):
    return number * number


comm = MPI.COMM_WORLD
total = comm.allreduce(comm.rank + 1)
with multiprocessing.get_context("fork").Pool(2) as pool:
    squares = pool.map(square, range(10))
child = multiprocessing.get_context("fork").Process(target=square, args=(3,))
child.start()
child.join()
assert child.exitcode == 0 and squares[9] == 81 and total == comm.size * (comm.size + 1) // 2
comm.Barrier()
if comm.rank == 0:
    print("multiprocessing: done")
