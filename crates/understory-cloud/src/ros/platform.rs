//! Where the platform is, as messages: `map` → `odom` → `base_link` on `/tf`, `/odom`,
//! `/ground_truth/odom` (REP 103 and 105), and `/gps/fix` where it is known where on Earth `map` is.
//!
//! What enters: poses of the platform, or where nobody tells them those of a sensor and its mount.
//! What leaves: messages in order of time, no later than the points that need them. `odom` →
//! `base_link` is what the platform estimates; `map` → `odom` is what is left to the pose with which
//! points are registered: nothing, unless they are registered with the true one.

use super::cdr::CdrWriter;
use super::message_type::{EmitRos, RosMessage, RosType};
use super::messages::{self, Header, Twist};
use super::scan_row::unix_ns;
use crate::poses::Rigid;
use crate::{CloudError, GeographicOrigin, GpsFix, PlatformPose};
use std::collections::VecDeque;

/// The frame of the world (REP 105).
pub(super) const MAP: &str = "map";
/// The frame of the platform's own reckoning.
pub(super) const ODOM: &str = "odom";
/// The frame of the platform.
pub(super) const BASE: &str = "base_link";

/// In this time a pose that holds gives way to the next.
const STEP_S: f64 = 1e-6;

/// A pose of the platform with its velocity.
#[derive(Clone, Copy, Debug)]
struct Sample {
    time_s: f64,
    registered: Rigid,
    estimated: Rigid,
    twist: Twist,
    truth: Option<(Rigid, Twist)>,
    variance: [f64; 6],
    gps_fix: Option<GpsFix>,
}

/// Poses of the platform on their way into messages.
#[derive(Debug, Default)]
pub(super) struct PlatformTrack {
    waiting: VecDeque<Sample>,
    /// The pose that was told last, and whether its message has to wait for the next, without
    /// which there is no velocity.
    last: Option<(PlatformPose, bool)>,
    /// The last message.
    sent: Option<Sample>,
    /// Whether whoever runs tells poses of the platform; else they come from a sensor.
    pub(super) is_told: bool,
    /// The sensor whose poses say where the platform is, where nobody else does.
    pub(super) leader: Option<u16>,
    geographic_origin: Option<GeographicOrigin>,
}

impl PlatformTrack {
    /// Without poses yet.
    pub(super) fn new(geographic_origin: Option<GeographicOrigin>) -> PlatformTrack {
        PlatformTrack { geographic_origin, ..PlatformTrack::default() }
    }

    /// Takes the next pose; those that are not later than the last are left out.
    pub(super) fn push(&mut self, pose: &PlatformPose) -> Result<(), CloudError> {
        let valid = |rows: &[[f64; 4]; 3]| Rigid::from_rows(rows).is_some();
        let truth = pose.truth.as_ref().is_none_or(valid);
        if !(valid(&pose.registered) && valid(&pose.estimated) && truth) {
            return Err(CloudError::BadPose);
        }
        match self.last {
            Some((last, _)) if pose.time_s <= last.time_s => return Ok(()),
            Some((last, is_first)) => {
                if is_first {
                    self.waiting.extend(sample(&last, &last, pose));
                }
                let until_s = pose.time_s - STEP_S;
                if pose.is_step && until_s > last.time_s {
                    let held = PlatformPose { time_s: until_s, gps_fix: None, ..last };
                    self.waiting.extend(sample(&held, &last, pose));
                }
                self.waiting.extend(sample(pose, &last, pose));
                self.last = Some((*pose, false));
            }
            None => self.last = Some((*pose, true)),
        }
        Ok(())
    }

    /// No pose follows: what waits for one goes without a velocity.
    pub(super) fn end(&mut self) {
        if let Some((last, true)) = self.last {
            self.waiting.extend(sample(&last, &last, &last));
            self.last = Some((last, false));
        }
    }

    /// Whether it is known where the platform was.
    pub(super) fn is_known(&self) -> bool {
        self.last.is_some()
    }

    /// Emits poses up to the first that is not before `time_s`.
    pub(super) fn emit_until(
        &mut self,
        time_s: f64,
        start_unix_ns: i64,
        cdr: &mut CdrWriter,
        emit: &mut EmitRos<'_>,
    ) -> Result<(), CloudError> {
        while self.sent.is_none_or(|sent| sent.time_s < time_s) {
            let Some(sample) = self.waiting.pop_front() else { return Ok(()) };
            self.emit(&sample, start_unix_ns, cdr, emit)?;
            self.sent = Some(sample);
        }
        Ok(())
    }

    /// Emits poses of the time up to `time_s`.
    pub(super) fn emit_before(
        &mut self,
        time_s: f64,
        start_unix_ns: i64,
        cdr: &mut CdrWriter,
        emit: &mut EmitRos<'_>,
    ) -> Result<(), CloudError> {
        while let Some(sample) = self.waiting.pop_front_if(|sample| sample.time_s <= time_s) {
            self.emit(&sample, start_unix_ns, cdr, emit)?;
            self.sent = Some(sample);
        }
        Ok(())
    }

    fn emit(
        &self,
        sample: &Sample,
        start_unix_ns: i64,
        cdr: &mut CdrWriter,
        emit: &mut EmitRos<'_>,
    ) -> Result<(), CloudError> {
        if let (Some(origin), Some(fix)) = (&self.geographic_origin, &sample.gps_fix) {
            let time_unix_ns = unix_ns(start_unix_ns, fix.time_s);
            let header = Header { stamp_ns: time_unix_ns, frame: BASE };
            let [x, y, z, ..] = sample.variance;
            messages::nav_sat_fix(
                cdr,
                header,
                &origin.geodetic(fix.position_m),
                &origin.covariance([x, y, z]),
            );
            let (topic, kind) = ("/gps/fix", RosType::NavSatFix);
            emit(RosMessage { topic, kind, time_unix_ns, latched: false, bytes: cdr.message() })?;
        }
        sample.emit(start_unix_ns, cdr, emit)
    }

    /// Emits where the last motion leads at `end_s`, if poses end before.
    pub(super) fn carry_to(
        &mut self,
        end_s: f64,
        start_unix_ns: i64,
        cdr: &mut CdrWriter,
        emit: &mut EmitRos<'_>,
    ) -> Result<(), CloudError> {
        self.emit_until(f64::INFINITY, start_unix_ns, cdr, emit)?;
        let Some(last) = self.sent.filter(|last| last.time_s < end_s) else { return Ok(()) };
        let seconds = end_s - last.time_s;
        let map_from_odom = last.registered.after(&last.estimated.inverse());
        let estimated = last.twist.carry(&last.estimated, seconds);
        let carried = Sample {
            time_s: end_s,
            registered: map_from_odom.after(&estimated),
            estimated,
            truth: last.truth.map(|(pose, twist)| (twist.carry(&pose, seconds), twist)),
            gps_fix: None,
            ..last
        };
        carried.emit(start_unix_ns, cdr, emit)?;
        self.sent = Some(carried);
        Ok(())
    }
}

/// A pose with the steady motion from one to another.
fn sample(at: &PlatformPose, from: &PlatformPose, to: &PlatformPose) -> Option<Sample> {
    let seconds = to.time_s - from.time_s;
    let twist = |a: &[[f64; 4]; 3], b: &[[f64; 4]; 3]| {
        Some(Twist::between(&Rigid::from_rows(a)?, &Rigid::from_rows(b)?, seconds))
    };
    let truth = |pose: &PlatformPose| {
        Some((
            Rigid::from_rows(pose.truth.as_ref()?)?,
            twist(from.truth.as_ref()?, to.truth.as_ref()?)?,
        ))
    };
    Some(Sample {
        time_s: at.time_s,
        registered: Rigid::from_rows(&at.registered)?,
        estimated: Rigid::from_rows(&at.estimated)?,
        twist: twist(&from.estimated, &to.estimated)?,
        truth: truth(at),
        variance: at.variance,
        gps_fix: at.gps_fix,
    })
}

impl Sample {
    fn emit(
        &self,
        start_unix_ns: i64,
        cdr: &mut CdrWriter,
        emit: &mut EmitRos<'_>,
    ) -> Result<(), CloudError> {
        let time_unix_ns = unix_ns(start_unix_ns, self.time_s);
        let header = |frame| Header { stamp_ns: time_unix_ns, frame };
        let map_from_odom = match self.registered == self.estimated {
            true => Rigid::IDENTITY,
            false => self.registered.after(&self.estimated.inverse()),
        };
        messages::transforms(
            cdr,
            &[(header(MAP), ODOM, &map_from_odom), (header(ODOM), BASE, &self.estimated)],
        );
        let mut send = |topic: &str, kind: RosType, cdr: &CdrWriter| {
            let bytes = cdr.message();
            emit(RosMessage { topic, kind, time_unix_ns, latched: false, bytes })
        };
        send("/tf", RosType::TfMessage, cdr)?;
        let (pose, twist) = (&self.estimated, &self.twist);
        messages::odometry(cdr, header(ODOM), BASE, pose, twist, &self.variance);
        send("/odom", RosType::Odometry, cdr)?;
        if let Some((pose, twist)) = &self.truth {
            messages::odometry(cdr, header(MAP), BASE, pose, twist, &[0.0; 6]);
            send("/ground_truth/odom", RosType::Odometry, cdr)?;
        }
        Ok(())
    }
}
