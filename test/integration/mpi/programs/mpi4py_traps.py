"""Buffers, pickles and communicators through mpi4py."""
import array
from mpi4py import MPI

world = MPI.COMM_WORLD
rank = world.Get_rank()
other = 1 - rank
out, total = array.array("i", [rank + 1]), array.array("i", [0])
for _ in range(20):
    world.Allreduce(out, total)
assert total[0] == 3
got = world.sendrecv({"rank": rank}, dest=other, source=other)
assert got == {"rank": other}
assert world.allreduce(rank + 1) == 3
part = world.Split(0, -rank)
assert part.Get_rank() == other
request = part.Isend(out, dest=part.Get_rank() ^ 1)
part.Recv(total, source=MPI.ANY_SOURCE)
request.Wait()
assert total[0] == other + 1
part.Free()
if rank == 0:
    print("mpi4py: done")
