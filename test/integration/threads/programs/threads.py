"""Python threads that call MPI, each on its own; the interpreter's lock is theirs to wait for."""
import threading
from mpi4py import MPI

done = []

def work(number):
    for _ in range(100):
        MPI.COMM_SELF.Iprobe()
    done.append(number)

threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("threads:", "done" if sorted(done) == [0, 1, 2, 3] else "failed")
