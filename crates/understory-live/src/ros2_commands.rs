//! Commands of a controller over ROS 2: `/cmd_vel` as `Twist` (Nav2 up to Jazzy) or `TwistStamped`.
//!
//! What enters: messages of another process. What leaves: the latest command and when it came. Those
//! that are stamped and older than one that came before are counted and dropped; so are those that
//! are no numbers. Each type has a participant of its own: one topic of DDS has one type.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ros2_client::{
    Context, ContextOptions, MessageTypeName, Name, NodeName, NodeOptions, QosProfile, Subscription,
};
use serde::Deserialize;

use crate::ros2::{Ros2Error, domain_of_environment};

/// How often messages are looked for.
const EVERY: Duration = Duration::from_millis(2);

#[derive(Clone, Copy, Debug, Deserialize)]
struct Vector3 {
    x: f64,
    #[allow(dead_code, reason = "part of the message")]
    y: f64,
    z: f64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Twist {
    linear: Vector3,
    angular: Vector3,
}

#[derive(Debug, Deserialize)]
struct Stamp {
    sec: i32,
    nanosec: u32,
}

#[derive(Debug, Deserialize)]
struct Header {
    stamp: Stamp,
    #[allow(dead_code, reason = "part of the message")]
    frame_id: String,
}

#[derive(Debug, Deserialize)]
struct TwistStamped {
    header: Header,
    twist: Twist,
}

/// A command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VelocityCommand {
    /// `linear.x`.
    pub speed_m_s: f64,
    /// `angular.z`.
    pub turn_rad_s: f64,
    /// When it came.
    pub received: Instant,
}

/// What came and what was dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommandCounts {
    /// Commands that were taken.
    pub taken: u64,
    /// Commands whose stamps were before that of one taken already.
    pub out_of_order: u64,
    /// Commands that were no numbers.
    pub senseless: u64,
}

#[derive(Default)]
struct Latest {
    command: Option<VelocityCommand>,
    stamp: Option<(i32, u32)>,
    counts: CommandCounts,
}

impl Latest {
    fn take(&mut self, twist: Twist, stamp: Option<(i32, u32)>, received: Instant) {
        let (speed_m_s, turn_rad_s) = (twist.linear.x, twist.angular.z);
        if !(speed_m_s.is_finite() && turn_rad_s.is_finite()) {
            self.counts.senseless += 1;
            return;
        }
        // A stamp of 0 says nothing.
        let stamp = stamp.filter(|stamp| *stamp != (0, 0));
        if stamp.is_some() && stamp < self.stamp {
            self.counts.out_of_order += 1;
            return;
        }
        self.stamp = stamp.or(self.stamp);
        self.counts.taken += 1;
        self.command = Some(VelocityCommand { speed_m_s, turn_rad_s, received });
    }
}

/// Listens to `/cmd_vel`.
pub struct CommandListener {
    latest: Arc<Mutex<Latest>>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl CommandListener {
    /// Joins a domain; none: what `ROS_DOMAIN_ID` says, or 0.
    pub fn open(domain_id: Option<u16>, topic: &str) -> Result<CommandListener, Ros2Error> {
        let domain_id = match domain_id {
            Some(domain_id) => domain_id,
            None => domain_of_environment()?,
        };
        let latest = Arc::new(Mutex::new(Latest::default()));
        let stop = Arc::new(AtomicBool::new(false));
        let plain = listen::<Twist>(
            domain_id,
            topic,
            "Twist",
            Arc::clone(&stop),
            Arc::clone(&latest),
            |message, latest| latest.take(message, None, Instant::now()),
        )?;
        let stamped = listen::<TwistStamped>(
            domain_id,
            topic,
            "TwistStamped",
            Arc::clone(&stop),
            Arc::clone(&latest),
            |message, latest| {
                let stamp = (message.header.stamp.sec, message.header.stamp.nanosec);
                latest.take(message.twist, Some(stamp), Instant::now());
            },
        )?;
        Ok(CommandListener { latest, stop, threads: vec![plain, stamped] })
    }

    /// The latest command, unless it is older than `stale`.
    pub fn latest(&self, stale: Duration) -> Option<VelocityCommand> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        latest.command.filter(|command| command.received.elapsed() <= stale)
    }

    /// Waits for a command that comes after `since`; none after so long.
    pub fn wait(&self, since: Instant, longest: Duration) -> Option<VelocityCommand> {
        let start = Instant::now();
        loop {
            let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner).command;
            if let Some(command) = latest.filter(|command| command.received >= since) {
                return Some(command);
            }
            if start.elapsed() >= longest {
                return None;
            }
            std::thread::sleep(EVERY);
        }
    }

    /// What came.
    pub fn counts(&self) -> CommandCounts {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).counts
    }
}

impl Drop for CommandListener {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // One that panicked has nothing more to say.
            let _ended = thread.join();
        }
    }
}

fn listen<M: serde::de::DeserializeOwned + Send + 'static>(
    domain_id: u16,
    topic: &str,
    kind: &'static str,
    stop: Arc<AtomicBool>,
    latest: Arc<Mutex<Latest>>,
    take: fn(M, &mut Latest),
) -> Result<JoinHandle<()>, Ros2Error> {
    let no_domain = |why: String| Ros2Error::NoDomain { domain_id, why };
    let bad_name = |e: &dyn std::fmt::Debug| Ros2Error::BadName {
        name: topic.to_owned(),
        why: format!("{e:?}"),
    };
    let name = Name::parse(topic).map_err(|e| bad_name(&e))?;
    let node_name = format!("understory_{}", kind.to_ascii_lowercase());
    let node_name = NodeName::new("/", &node_name).map_err(|e| bad_name(&e))?;
    let context = Context::with_options(ContextOptions::new().domain_id(domain_id))
        .map_err(|e| no_domain(e.to_string()))?;
    let mut node = context
        .new_node(node_name, NodeOptions::new().enable_rosout(false))
        .map_err(|e| no_domain(format!("{e:?}")))?;
    let qos = QosProfile::subscription_default();
    let topic = node
        .create_topic(&name, MessageTypeName::new("geometry_msgs", kind), &qos)
        .map_err(|e| no_domain(format!("{e:?}")))?;
    let subscription: Subscription<M> =
        node.create_subscription(&topic, Some(qos)).map_err(|e| no_domain(format!("{e:?}")))?;
    std::thread::Builder::new()
        .name("cmd_vel".to_owned())
        .spawn(move || {
            // Node and context live as long as they are listened to.
            let _joined = (context, node);
            while !stop.load(Ordering::Relaxed) {
                match subscription.take() {
                    Ok(Some((message, _))) => {
                        let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
                        take(message, &mut latest);
                    }
                    // A message that cannot be read is none.
                    Ok(None) | Err(_) => std::thread::sleep(EVERY),
                }
            }
        })
        .map_err(|e| no_domain(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twist(speed: f64, turn: f64) -> Twist {
        let zero = Vector3 { x: 0.0, y: 0.0, z: 0.0 };
        Twist { linear: Vector3 { x: speed, ..zero }, angular: Vector3 { z: turn, ..zero } }
    }

    #[test]
    fn old_and_senseless_commands_are_counted_and_dropped() {
        let mut latest = Latest::default();
        let now = Instant::now();
        latest.take(twist(1.0, 0.1), Some((5, 0)), now);
        latest.take(twist(2.0, 0.2), Some((4, 999_999_999)), now);
        latest.take(twist(f64::NAN, 0.0), None, now);
        assert_eq!(latest.command.map(|c| c.speed_m_s), Some(1.0));
        latest.take(twist(3.0, 0.0), None, now);
        latest.take(twist(4.0, 0.0), Some((0, 0)), now);
        assert_eq!(latest.command.map(|c| c.speed_m_s), Some(4.0));
        let counts = CommandCounts { taken: 3, out_of_order: 1, senseless: 1 };
        assert_eq!(latest.counts, counts);
    }
}
