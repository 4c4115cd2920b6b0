//! `--ros2`: the vehicle is driven by another process, over ROS 2.
//!
//! Scans, transforms, odometry, fixes, inertial samples and the clock are published; commands come as
//! `/cmd_vel`. In lockstep the simulation waits for a command after each period, and with
//! `--real-time` it keeps pace with the clock on the wall. A vehicle whose commands are stale stops.

use anyhow::Result;
use understory::scenario::Scenario;
use understory_drive::Drive;

/// Who drives.
#[derive(clap::Args, Default)]
pub struct OutsideArguments {
    /// Let another process drive over ROS 2 by /cmd_vel (Twist or TwistStamped) [default domain: ROS_DOMAIN_ID, or 0]
    #[arg(long, value_name = "DOMAIN", num_args = 0..=1, require_equals = true)]
    ros2: Option<Option<u16>>,
    /// Keep pace with the clock, instead of waiting for a command after each period
    #[arg(long, requires = "ros2")]
    real_time: bool,
    /// Stop when commands are older than this
    #[arg(long, value_name = "SECONDS", requires = "ros2", default_value_t = 0.5)]
    stale: f64,
}

impl OutsideArguments {
    /// Whether another process drives.
    pub fn any(&self) -> bool {
        self.ros2.is_some()
    }

    /// Opens the way to it, if one does.
    pub fn open(&self, scenario: &Scenario, drive: &mut Drive) -> Result<Option<Outside>> {
        if !(self.stale > 0.0 && self.stale <= 3600.0) {
            return Err(crate::report::usage(format!(
                "--stale {} is no time; give seconds above 0",
                self.stale
            )));
        }
        match self.ros2 {
            None => Ok(None),
            Some(domain_id) => open(self, domain_id, scenario, drive).map(Some),
        }
    }
}

#[cfg(not(feature = "ros2"))]
mod without {
    use super::*;

    /// Never there.
    pub enum Outside {}

    impl Outside {
        pub fn step(&mut self, _: &mut Drive) -> Result<()> {
            match *self {}
        }

        pub fn close(self) -> Result<Vec<(&'static str, String)>> {
            match self {}
        }
    }

    pub fn open(
        _: &OutsideArguments,
        _: Option<u16>,
        _: &Scenario,
        _: &mut Drive,
    ) -> Result<Outside> {
        Err(crate::report::usage(
            "--ros2 is not in this build; build with `cargo install --path crates/understory-cli --features ros2`",
        ))
    }
}
#[cfg(not(feature = "ros2"))]
pub use without::Outside;
#[cfg(not(feature = "ros2"))]
use without::open;

#[cfg(feature = "ros2")]
mod with {
    use super::*;
    use std::time::{Duration, Instant, SystemTime};
    use understory_cloud::{SinkOptions, Tee};
    use understory_drive::Command;
    use understory_live::{CommandListener, Ros2Options, Ros2Sink};

    /// Another process that drives.
    pub struct Outside {
        listener: CommandListener,
        tee: Tee,
        real_time: bool,
        stale: Duration,
        started: Instant,
        /// Periods without a fresh command.
        stale_periods: u64,
        /// When the vehicle got its last command: what comes later answers what was seen since.
        published: Instant,
    }

    pub fn open(
        arguments: &OutsideArguments,
        domain_id: Option<u16>,
        scenario: &Scenario,
        drive: &mut Drive,
    ) -> Result<Outside> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let options = SinkOptions {
            start_unix_ns: now.as_nanos() as i64,
            ..scenario.sink_options(drive.run())
        };
        // A controller that waits for every scan must get every scan.
        let reliable_scans = !arguments.real_time;
        let settings = Ros2Options { domain_id, reliable_scans, ..Ros2Options::default() };
        let tee = Tee::new(Box::new(Ros2Sink::open(&settings, &options)?));
        drive.tee = Some(tee.clone());
        Ok(Outside {
            listener: CommandListener::open(domain_id, "/cmd_vel")?,
            tee,
            real_time: arguments.real_time,
            stale: Duration::from_secs_f64(arguments.stale),
            started: Instant::now(),
            stale_periods: 0,
            published: Instant::now(),
        })
    }

    impl Outside {
        /// One period by the latest command.
        pub fn step(&mut self, drive: &mut Drive) -> Result<()> {
            let command = match self.real_time {
                true => {
                    let due = Duration::from_secs_f64(drive.time_s);
                    std::thread::sleep(due.saturating_sub(self.started.elapsed()));
                    self.listener.latest(self.stale)
                }
                false => self.listener.wait(self.published, self.stale),
            };
            self.stale_periods += u64::from(command.is_none());
            let command = command.map_or(Command::STOP, |command| {
                Command::new(command.speed_m_s, command.turn_rad_s)
            });
            // Commands that come before the next look of the sensors answer what was seen earlier.
            drive.step(&mut |_| {
                self.published = Instant::now();
                command
            })?;
            Ok(())
        }

        /// Leaves the domain; what came.
        pub fn close(self) -> Result<Vec<(&'static str, String)>> {
            self.tee.close().transpose()?;
            let counts = self.listener.counts();
            Ok(vec![
                ("commands", format!("{} taken", counts.taken)),
                (
                    "dropped",
                    format!(
                        "{} out of order, {} no numbers",
                        counts.out_of_order, counts.senseless
                    ),
                ),
                ("stopped", format!("{} periods without a fresh command", self.stale_periods)),
            ])
        }
    }
}
#[cfg(feature = "ros2")]
pub use with::Outside;
#[cfg(feature = "ros2")]
use with::open;
