//! Other people's ROS 2: nodes of Cyclone DDS, which are scripts of Python.
//!
//! Their messages are in `python/ros2_messages.py`, which scripts import.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, UdpSocket};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::{Need, Python, skip};

/// How long a script may take to begin.
const BEGINNING: Duration = Duration::from_secs(60);

/// A node in a process of its own, which ends with the test.
#[derive(Debug)]
pub struct DdsNode {
    child: Child,
    lines: Receiver<String>,
}

impl DdsNode {
    /// Starts a script that prints "ready" once it listens. None, and the test is skipped, where
    /// there is no Python or no multicast.
    #[track_caller]
    pub fn start(script: &Path, arguments: &[&str]) -> Option<DdsNode> {
        let python = Python::find()?;
        if !multicast_works() {
            skip(Need::Rights, "this network does not carry multicast, by which DDS finds others");
            return None;
        }
        let messages = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
        let mut command = python.command();
        command.arg(script).args(arguments).env("PYTHONPATH", messages).stdout(Stdio::piped());
        let mut child = command.spawn().expect("Python starts");
        let output = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let node = DdsNode { child, lines };
        assert_eq!(node.line(BEGINNING).as_deref(), Ok("ready"), "{}", script.display());
        Some(node)
    }

    /// The next line that it prints.
    pub fn line(&self, patience: Duration) -> Result<String, RecvTimeoutError> {
        self.lines.recv_timeout(patience)
    }

    /// Ends it at once, as a crash would.
    pub fn kill(&mut self) {
        // One that has ended cannot be killed.
        let _ended = self.child.kill();
        let _waited = self.child.wait();
    }
}

impl Drop for DdsNode {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Whether datagrams to a group come back: without that no two nodes find each other.
fn multicast_works() -> bool {
    let group = Ipv4Addr::new(239, 255, 0, 1);
    let try_it = || -> std::io::Result<bool> {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        socket.join_multicast_v4(&group, &Ipv4Addr::UNSPECIFIED)?;
        socket.set_read_timeout(Some(Duration::from_secs(2)))?;
        socket.send_to(b"here", (group, socket.local_addr()?.port()))?;
        let mut bytes = [0; 8];
        Ok(socket.recv(&mut bytes)? == 4)
    };
    try_it().unwrap_or(false)
}
