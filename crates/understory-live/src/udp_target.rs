//! Where packets go: `udp://HOST` or `udp://HOST:PORT` → an address.

use crate::LiveError;
use std::fmt;
use std::io;
use std::net::{Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::str::FromStr;

/// A host that takes packets.
///
/// ```
/// use understory_live::UdpTarget;
/// let target: UdpTarget = "udp://127.0.0.1:2369".parse()?;
/// assert_eq!((target.host.as_str(), target.port), ("127.0.0.1", Some(2369)));
/// assert_eq!("udp://[::1]".parse::<UdpTarget>()?.to_string(), "udp://[::1]");
/// assert_eq!(UdpTarget::default().to_string(), "udp://127.0.0.1");
/// # Ok::<(), understory_live::LiveError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UdpTarget {
    /// Name or number of the host.
    pub host: String,
    /// Port of data packets; none: the vendor's. Where a sensor has other packets too (positions),
    /// their port is shifted as much.
    pub port: Option<u16>,
}

impl Default for UdpTarget {
    /// This computer, at the vendor's port.
    fn default() -> UdpTarget {
        UdpTarget { host: "127.0.0.1".to_owned(), port: None }
    }
}

impl FromStr for UdpTarget {
    type Err = LiveError;

    fn from_str(text: &str) -> Result<UdpTarget, LiveError> {
        let bad = |why| LiveError::BadAddress { address: text.to_owned(), why };
        let Some(rest) = text.strip_prefix("udp://") else {
            return Err(bad("it does not begin with udp://"));
        };
        // Numbers of IPv6 have colons of their own and stand in brackets.
        let (host, port) = match rest.strip_prefix('[') {
            Some(rest) => {
                let (host, port) = rest.split_once(']').ok_or(bad("a ] is missing"))?;
                host.parse::<Ipv6Addr>().map_err(|_| bad("in brackets stands no IPv6 address"))?;
                let port = match port.strip_prefix(':') {
                    Some(port) => Some(port),
                    None if port.is_empty() => None,
                    None => return Err(bad("something follows the ]")),
                };
                (host, port)
            }
            None => match rest.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (rest, None),
            },
        };
        if host.is_empty() {
            return Err(bad("the host is missing"));
        }
        if host.contains(['/', '?', '@', ' ']) {
            return Err(bad("the host has characters that no name has"));
        }
        let port = match port {
            None => None,
            Some(port) => match port.parse::<u16>() {
                Ok(0) | Err(_) => return Err(bad("the port is no number from 1 to 65535")),
                Ok(port) => Some(port),
            },
        };
        Ok(UdpTarget { host: host.to_owned(), port })
    }
}

impl fmt::Display for UdpTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "udp://[{}]", self.host)?,
            false => write!(f, "udp://{}", self.host)?,
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl UdpTarget {
    /// The address of data packets whose port is `vendor_port` unless this target says otherwise.
    pub(crate) fn resolve(&self, vendor_port: u16) -> Result<SocketAddr, LiveError> {
        let port = self.port.unwrap_or(vendor_port);
        let unknown = |error| LiveError::UnknownHost { host: self.host.clone(), error };
        let mut found = (self.host.as_str(), port).to_socket_addrs().map_err(unknown)?;
        found.next().ok_or_else(|| unknown(io::Error::other("it has no address")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_or_refused_with_the_reason() {
        let resolve = |text: &str| text.parse::<UdpTarget>().unwrap().resolve(2368).unwrap();
        assert_eq!(resolve("udp://127.0.0.1").to_string(), "127.0.0.1:2368");
        assert_eq!(resolve("udp://127.0.0.1:99").to_string(), "127.0.0.1:99");
        assert_eq!(resolve("udp://[::1]:99").to_string(), "[::1]:99");
        for (text, why) in [
            ("127.0.0.1", "does not begin with udp://"),
            ("tcp://127.0.0.1", "does not begin with udp://"),
            ("udp://", "the host is missing"),
            ("udp://:2368", "the host is missing"),
            ("udp://host:0", "no number from 1 to 65535"),
            ("udp://host:65536", "no number from 1 to 65535"),
            ("udp://host:", "no number from 1 to 65535"),
            ("udp://host/path", "characters that no name has"),
            ("udp://[::1", "a ] is missing"),
            ("udp://[::1]99", "something follows the ]"),
            ("udp://[host]", "no IPv6 address"),
        ] {
            let error = text.parse::<UdpTarget>().unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
            assert!(error.contains("give udp://HOST"), "{error}");
        }
    }
}
