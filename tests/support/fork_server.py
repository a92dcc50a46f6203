"""Many commands of one hindcast: support/fork_server.c loads the program once and forks for each of them."""
import collections
import os
import select
import signal
import struct
import subprocess

Done = collections.namedtuple("Done", "returncode stdout stderr")


class Server:
    def __init__(self, hindcast, *libraries):
        """LIBRARIES: fork_server.so, and others to load before the program. Commands run in the present folder."""
        self.start = lambda: subprocess.Popen([hindcast], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True,
                                              env=dict(os.environ, LD_PRELOAD=":".join(libraries)))
        self.process = self.start()

    def run(self, *words, cpu=0, memory=0, timeout=100, **environment):
        """As subprocess.run; a signal that ended it is negative. CPU: seconds, MEMORY: bytes; 0: any."""
        fields = [str(cpu), str(memory), *(f"{name}={value}" for name, value in environment.items()), "--", *words]
        text = b"".join(field.encode() + b"\0" for field in fields)
        self.process.stdin.write(struct.pack("<I", len(text)) + text)
        if not select.select([self.process.stdout], [], [], timeout)[0]:
            self.close()
            self.process = self.start()
            raise subprocess.TimeoutExpired(words, timeout)
        status, = struct.unpack("<i", self.process.stdout.read(4))
        with open("stdout", errors="replace") as out, open("stderr", errors="replace") as err:
            return Done(os.waitstatus_to_exitcode(status), out.read(), err.read())

    def close(self):
        """Ends the server, and the command that runs."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
