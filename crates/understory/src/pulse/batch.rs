//! The columns that the steps of a batch of pulses fill, each from those before it.

use understory_cloud::CostlyColumns;
use understory_geometry::DynamicBvh;

use crate::pulse::atmosphere::AirScratch;
use crate::pulse::beam::Beams;
use crate::pulse::detector::{Detections, DetectorScratch};
use crate::pulse::echo::EchoSignal;
use crate::pulse::interaction::Interactions;
use crate::pulse::prepared_run::{PreparedRun, SensorRun};
use crate::pulse::scan_pattern::Pulses;
use crate::world::scene::Scene;
use crate::world::trajectory::{PosePer, Poses};

/// The columns of all steps for a batch of pulses, kept by one thread from batch to batch.
#[derive(Default)]
pub struct Batch {
    /// From the pattern, in the sensor's frame.
    pub pulses: Pulses,
    /// From the platform: the pose `world_from_sensor` of each pulse.
    pub poses: Poses,
    /// The same as platform and sensor believe it; empty where they know.
    pub estimated_poses: Poses,
    /// Scratch of poses per scan.
    pub scan_start: (Vec<f64>, Pulses),
    /// From the footprint: the sub-rays in the world.
    pub beams: Beams,
    /// What moves, fitted to the times of the pulses.
    pub movers: DynamicBvh,
    /// From the world: what the sub-rays met.
    pub interactions: Interactions,
    /// Scratch of the air.
    pub air: AirScratch,
    /// From the echo: what came back.
    pub signal: EchoSignal,
    /// Scratch of the detector, and the waveforms that are kept.
    pub detector: DetectorScratch,
    /// From the detector: the returns.
    pub detections: Detections,
    /// From the range error: the measured range of each detection.
    pub measured_m: Vec<f64>,
    /// Which columns that take time the outputs read.
    pub costly: CostlyColumns,
    /// Scratch of the record.
    pub rows: Vec<RecordedRow>,
}

/// A row that is to be recorded.
#[derive(Clone, Copy, Debug)]
pub struct RecordedRow {
    /// Its pulse in the batch.
    pub(super) pulse: u32,
    /// Its detection; [`NOTHING`]: the pulse returned nothing.
    pub(super) detected: u32,
    /// Row of the interaction that is its truth; [`NOTHING`]: it has none.
    pub(super) met: u32,
    pub(super) return_number: u8,
    pub(super) return_count: u8,
}

/// In place of a row that there is not.
pub(super) const NOTHING: u32 = u32::MAX;

impl Batch {
    /// Says where the sensor is at each pulse.
    pub(super) fn set_poses(&mut self, run: &PreparedRun, sensor: &SensorRun) {
        let (starts_s, scratch) = &mut self.scan_start;
        let times_s = match run.registration.per {
            PosePer::Pulse => &self.pulses.time_s,
            PosePer::Scan => {
                sensor.pattern.scan_starts(&self.pulses, scratch, starts_s);
                starts_s
            }
        };
        let mount = &sensor.platform_from_sensor;
        let truly = sensor.misaligned.as_ref().unwrap_or(mount);
        run.trajectory.poses_at(times_s, truly, &mut self.poses);
        self.estimated_poses.clear();
        if let Some(estimated) = run.registration.estimate() {
            estimated.poses_at(&run.trajectory, times_s, mount, &mut self.estimated_poses);
        } else if sensor.misaligned.is_some() {
            run.trajectory.poses_at(times_s, mount, &mut self.estimated_poses);
        }
    }

    /// The poses with which points get into the world.
    pub fn registered_poses(&self) -> &Poses {
        if self.estimated_poses.is_empty() { &self.poses } else { &self.estimated_poses }
    }

    /// Makes the tree over what moves fit the times of the pulses.
    pub(super) fn fit_movers(&mut self, scene: &Scene) {
        if scene.rays.mover_count() > 0 {
            let times_s = self.pulses.time_s.iter();
            let (from_s, to_s) = times_s
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), t| (a.min(*t), b.max(*t)));
            scene.rays.refit(&mut self.movers, from_s, to_s);
        }
    }
}
