"""Client of groth16d, a Groth16 proving daemon: every verb as one call (docs/PROTOCOL.md says what they mean).

    from groth16d import Client
    with Client("/run/groth16d") as daemon:
        daemon.submit("job-1", circuit="multiplier", paths=["/srv/w.wtns"])
        result = daemon.wait("job-1")
        print(result.partitions[0].proof_json)
"""
from . import client_pb2 as messages
from . import metrics_pb2 as metrics_messages
from .client import Client, Refused, Unreachable
from .frames import Command, PROTOCOL

__all__ = ["Client", "Command", "PROTOCOL", "Refused", "Unreachable", "messages", "metrics_messages"]
