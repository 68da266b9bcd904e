"""The Python client against a real daemon: a job by path and one sent along, refusals, operators, metrics."""
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from groth16d import Client, Command, Refused, Unreachable, messages

PROGRAMS = pathlib.Path(os.environ["GROTH16D_PROGRAMS"])


class WithDaemon(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="groth16d-python-")
        root = pathlib.Path(os.path.realpath(cls.folder.name))
        cls.runtime = root / "run"
        cls.witnesses = [root / "witness-1.wtns", root / "witness-2.wtns"]
        subprocess.run([PROGRAMS / "groth16-demo-circuit", "bn128", "6", "2", root], check=True)
        subprocess.run([PROGRAMS / "groth16ctl", "setup", "--insecure", "--r1cs", root / "circuit.r1cs", "--zkey",
                        root / "circuit.zkey"], check=True, capture_output=True)
        cls.log = open(root / "log", "wb")
        cls.daemon = subprocess.Popen([PROGRAMS / "groth16d", "--state-dir", root / "state", "--runtime-dir", cls.runtime,
                                       "--root", root, "--budget", "1 GiB"], stderr=cls.log)
        for _ in range(300):
            if (cls.runtime / "client.sock").is_socket():
                break
            time.sleep(0.1)
        cls.client = Client(str(cls.runtime), timeout_s=30)
        cls.client.add_circuit("fifth", root / "circuit.zkey", r1cs_path=root / "circuit.r1cs", allow_insecure_key=True)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.daemon.kill()
        cls.daemon.wait()
        cls.log.close()
        cls.folder.cleanup()

    def test_a_job_by_path_and_a_job_that_is_sent_along_are_proven(self):
        self.client.submit("by-path", circuit="fifth", paths=self.witnesses)
        self.client.submit("sent", circuit="fifth", inputs=[self.witnesses[0].read_bytes()])
        for job, partitions in (("by-path", 2), ("sent", 1)):
            result = self.client.wait(job, timeout_s=120)
            self.assertEqual(result.job.state, messages.DONE)
            self.assertEqual(len(result.partitions), partitions)
            self.assertIn("pi_a", result.partitions[0].proof_json)
        self.assertEqual({job.job for job in self.client.jobs(contains="by-")}, {"by-path"})
        self.assertTrue(self.client.logs("sent"))

    def test_a_file_of_this_machine_is_uploaded_and_proven_and_not_sent_again(self):
        with tempfile.TemporaryDirectory() as outside:  # where the daemon may not read
            away = pathlib.Path(outside) / "w.wtns"
            away.write_bytes(self.witnesses[0].read_bytes())
            seen = []
            self.client.upload(away, seen.append)
            self.assertEqual(seen, [0, away.stat().st_size])
            for _ in range(2):
                self.client.submit("uploaded", circuit="fifth", uploads=[away])
        self.assertEqual(self.client.wait("uploaded", timeout_s=120).job.state, messages.DONE)
        spool = self.client.metrics().spool
        self.assertEqual((spool.uploads_begun, spool.uploads_taken, spool.uploads_whole), (1, 1, 0))

    def test_submitting_again_is_the_same_job_and_other_content_is_a_conflict(self):
        self.client.submit("twice", circuit="fifth", paths=self.witnesses[:1])
        self.client.submit("twice", circuit="fifth", paths=self.witnesses[:1])
        with self.assertRaises(Refused) as refused:
            self.client.submit("twice", circuit="fifth", paths=self.witnesses)
        self.assertEqual(refused.exception.code, 409)

    def test_refusals_have_codes_and_names(self):
        for call, code, name in ((lambda: self.client.status("nobody"), 404, "job.unknown"),
                                 (lambda: self.client.submit("a/b", circuit="fifth", paths=self.witnesses), 400,
                                  "request.name"),
                                 (lambda: self.client.submit("out", circuit="fifth", paths=["/etc/passwd"]), 400,
                                  "path.outside_root"),
                                 (lambda: self.client.operate(Command.WORKER_RESTART, "cpu-0"), 400,
                                  "protocol.not_operator")):
            with self.assertRaises(Refused) as refused:
                call()
            self.assertEqual((refused.exception.code, refused.exception.name), (code, name))

    def test_an_operator_restarts_a_worker_and_the_metrics_say_so(self):
        with Client(str(self.runtime), operator=True, timeout_s=30) as operators:
            before = operators.operate(Command.WORKER_RESTART, "synth-0").epoch
            for _ in range(300):
                worker = next(w for w in self.client.daemon_status().workers if w.slot == "synth-0")
                if worker.epoch > before and worker.state == "ready":
                    break
                time.sleep(0.1)
            self.assertGreater(worker.epoch, before)
        metrics = self.client.metrics()
        self.assertTrue(any(death.slot == "synth-0" and death.cause == "requested" for death in metrics.deaths))

    def test_nobody_there_is_unreachable(self):
        with Client("/nonexistent/client.sock", timeout_s=0.3) as nobody, self.assertRaises(Unreachable):
            nobody.ping()


if __name__ == "__main__":
    unittest.main()
