//! Poses of scans refined against each other, and the motion within each scan.
//!
//! What enters: scans with poses of odometry, points in the sensor's frame ([`Scan`]). What leaves:
//! better poses, the twist of each scan ([`crate::scan_motion`]), and how far scans lie apart before and
//! after ([`Registration`]). Each scan in turn is moved so that its points lie on the planes of the
//! points of all *other* scans (point to plane, Chen & Medioni 1992), robustly, by a step of
//! Gauss–Newton; about twenty sweeps over all scans, the twists anew in each from the neighbours'
//! poses. The pose of the first scan stays. Where no poses are known, [`odometry`] finds some first.

mod consistency;
mod odometry;
mod planes;
mod pose_file;
mod refine;
mod scans;

pub use consistency::{Consistency, OffScan, consistency};
pub use odometry::odometry;
pub use pose_file::ScanPoses;
pub use refine::{RegisterSettings, Registration, register};
pub use scans::{Scan, read_scan, revolutions};
