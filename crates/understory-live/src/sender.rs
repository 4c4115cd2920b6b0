//! The thread that sends packets when they are due.
//!
//! It sleeps until shortly before a packet's time and looks at the clock for the rest: waking up
//! takes the operating system some ten microseconds, and never the same number. Sockets do not
//! block; what the operating system does not take at once is dropped and counted, as a network
//! would do.

use crate::LiveError;
use crate::queue::{Queue, Waiting};
use crate::report::{Sent, Tally};
use std::hint::spin_loop;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long before its time a packet is taken out of the queue.
const MARGIN: Duration = Duration::from_micros(100);

/// Where one sensor's packets go.
pub(crate) struct Outlet {
    socket: UdpSocket,
    address: SocketAddr,
    /// Port of the vendor's data packets, for which `address` stands.
    vendor_port: u16,
}

impl Outlet {
    pub(crate) fn open(address: SocketAddr, vendor_port: u16) -> Result<Outlet, LiveError> {
        let failed = |error| LiveError::Socket { address, error };
        // On this computer packets come from where they go, so that drivers know their sender.
        let from: IpAddr = match address.ip() {
            ip if ip.is_loopback() => ip,
            IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let socket = UdpSocket::bind((from, 0)).map_err(failed)?;
        socket.set_nonblocking(true).map_err(failed)?;
        // Sensors broadcast from the factory; where that is not allowed, single hosts still are.
        let _where_it_works = socket.set_broadcast(true);
        Ok(Outlet { socket, address, vendor_port })
    }

    /// Sends a packet; its size, or none if it was not taken.
    fn send(&self, packet: &Waiting) -> Option<usize> {
        let shift = packet.port.wrapping_sub(self.vendor_port);
        let mut address = self.address;
        address.set_port(address.port().wrapping_add(shift));
        self.socket.send_to(&packet.bytes, address).ok()
    }
}

/// What the threads share besides the queue.
#[derive(Default)]
pub(crate) struct Shared {
    tally: Mutex<Tally>,
}

impl Shared {
    pub(crate) fn tally(&self) -> std::sync::MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends what comes out of the queue until it is closed and empty.
pub(crate) fn run(queue: &Queue, outlets: &[Outlet], shared: &Shared) {
    let mut first_due = None;
    while let Some(packet) = queue.pop(MARGIN) {
        while Instant::now() < packet.due {
            spin_loop();
        }
        let bytes = outlets.get(packet.sensor).and_then(|outlet| outlet.send(&packet));
        let at = Instant::now();
        let start = *first_due.get_or_insert(packet.due);
        shared.tally().add(Sent {
            due: packet.due.saturating_duration_since(start),
            at: at.saturating_duration_since(start),
            in_time: packet.made <= packet.due,
            bytes,
        });
        queue.recycle(packet.bytes);
    }
}
