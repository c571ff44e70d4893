"""Python's files, and children of it."""
import os
import subprocess
import sys

from mpi4py import MPI

rank = MPI.COMM_WORLD.Get_rank()
path = f"python.{rank}"
with open(path, "wb", buffering=0) as file:
    for _ in range(10):
        file.write(b"p" * 1000)
with open(path, "rb") as file:
    size = len(file.read())
listed = path in os.listdir(".")
os.remove(path)
child = subprocess.run(
    [sys.executable, "-c", "print(open('/proc/self/comm').read().strip() != '')"],
    stdout=subprocess.PIPE,
    check=True,
).stdout.decode()
MPI.COMM_WORLD.Barrier()
if rank == 0:
    print(size, listed, child.strip())
