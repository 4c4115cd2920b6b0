//! What surveyors' files ask of a run: ground, headings, flight lines.

use std::fmt;
use std::sync::Arc;
use understory_base::math;

use glam::DVec3;
use understory_cloud::Survey;

use crate::pulse::PreparedRun;
use crate::run::swath::{Swath, swaths};
use crate::world::scene::Scene;
use crate::world::trajectory::{FlightLines, Trajectory};

/// Above this speed a platform has a track of its own.
const MOVES_M_S: f64 = 0.1;

/// The world of a run and the way of its platform.
struct RunSurvey {
    scene: Arc<Scene>,
    trajectory: Trajectory,
    lines: FlightLines,
    swaths: Vec<Swath>,
}

impl PreparedRun {
    /// What surveyors' files ask.
    pub fn survey(&self) -> Arc<dyn Survey> {
        let (scene, trajectory) = (Arc::clone(&self.scene), self.trajectory.clone());
        Arc::new(RunSurvey { scene, trajectory, lines: self.lines.clone(), swaths: swaths(self) })
    }
}

impl fmt::Debug for RunSurvey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunSurvey").field("lines", &self.lines).finish_non_exhaustive()
    }
}

impl Survey for RunSurvey {
    fn ground_m(&self, x_m: f64, y_m: f64) -> Option<f64> {
        self.scene.ground_at(x_m, y_m).map(|ground| ground.height_m)
    }

    fn heading_rad(&self, time_s: f64) -> f64 {
        let velocity = self.trajectory.velocity_at(time_s).linear_m_s;
        let forward = match math::hypot(velocity.x, velocity.y) > MOVES_M_S {
            true => velocity,
            false => self.trajectory.pose_at(time_s).rotation * DVec3::X,
        };
        math::atan2(forward.y, forward.x)
    }

    fn flight_line(&self, time_s: f64) -> Option<u16> {
        self.lines.line_at(time_s)
    }

    fn overlaps(&self, flight_line: u16, xyz_m: [f64; 3]) -> bool {
        let others = self.swaths.iter().filter(|swath| swath.line != flight_line);
        others.into_iter().any(|swath| swath.covers(xyz_m.into()))
    }
}
