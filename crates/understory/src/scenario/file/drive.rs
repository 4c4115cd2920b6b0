//! `[drive]`: a vehicle that finds its own way to a goal by what its sensors see.

use schemars::JsonSchema;
use serde::Deserialize;
use understory_files::{Extent, Number, Spanned, Vector, Whole, Within, limits};

limits! {
    /// From one plan to the next.
    PeriodS: 0.02..=60.0;
    /// Edges of a map's cells.
    CellM: 0.05..=10.0;
    /// Of vehicles.
    SizeM: 0.05..=30.0;
    /// Of vehicles.
    MassKg: 1.0..=200000.0;
    /// Of vehicles and their wheels.
    SpeedMS: above 0.0..=60.0, "the vehicle's top speed";
    /// How fast speeds change.
    AccelerationMS2: above 0.0..=30.0;
    /// Of the grip of treads and tyres.
    Grip: above 0.0..=1.5;
    /// Strength of soil.
    ConeIndexKpa: 10.0..=10000.0;
    /// Of tyres.
    Deflection: 0.0..=0.5;
    /// How much of a cost counts.
    CostWeight: 0.0..=1000.0;
    /// A height of plants or things.
    HeightM: 0.01..=30.0;
    /// Shares of wheel speed or light.
    Share: above 0.0..=1.5;
    /// Standard deviations.
    OdometrySigma: 0.0..=1.0;
}

/// A vehicle that finds its own way to a goal: it senses, maps, plans and drives, one period after
/// another. `understory drive` runs it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveFile {
    /// Where it is to go: x and y.
    pub goal_m: Vector<2>,
    /// It is there when its middle is this near; 2 where nothing is said.
    pub goal_radius_m: Option<Extent>,
    /// Where it starts: x and y; where the platform is at the time 0 where nothing is said.
    pub start_m: Option<Vector<2>>,
    /// Where it heads at the start, from x towards y; towards the goal where nothing is said.
    pub start_heading_deg: Option<Within<-360, 360>>,
    /// Time from one plan to the next; 0.5 where nothing is said.
    pub period_s: Option<Number<PeriodS>>,
    /// How long its sensors fire in each period, at its end; all the time where nothing is said.
    pub sense_s: Option<Extent>,
    /// When it gives up; 30 s and three times what the straight way takes at top speed where nothing
    /// is said.
    pub time_limit_s: Option<Extent>,
    /// It is stuck when it has not moved by half a metre for so long; 15 where nothing is said.
    pub stuck_s: Option<Extent>,
    /// What it does where no path leads to the goal; `"explore"` where nothing is said.
    pub no_path: Option<NoPath>,
    /// What a collision does; `"end"` where nothing is said.
    pub collision: Option<CollisionRule>,
    /// Which pose it knows and registers its scans with; `"navigation"` where the platform has one,
    /// and `"true"` where it has none, where nothing is said.
    pub pose: Option<Spanned<DrivePose>>,
    /// What it is.
    #[serde(default)]
    pub vehicle: DriveVehicleFile,
    /// How it maps what it sees.
    #[serde(default)]
    pub map: DriveMapFile,
    /// How it plans.
    #[serde(default)]
    pub planner: PlannerFile,
    /// How its wheels count; only for `pose = "odometry"`.
    pub odometry: Option<Spanned<OdometryFile>>,
}

/// What a vehicle does where no path leads to the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoPath {
    /// It drives as near to the goal as paths lead, and looks again.
    Explore,
    /// It stops, and the drive ends.
    Stop,
}

/// What a collision does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CollisionRule {
    /// The drive ends.
    End,
    /// The vehicle stands still before the thing, and the drive goes on.
    Stop,
}

/// Which pose a vehicle knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DrivePose {
    /// What GPS, compass and IMU of `[platform.navigation]` estimate.
    Navigation,
    /// What its wheels count, which do not feel themselves slip.
    Odometry,
    /// The true one.
    True,
}

/// A vehicle. Its middle is the origin of the platform, on the ground.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveVehicleFile {
    /// How it is steered; `"skid-steer"` where nothing is said.
    pub steering: Option<Spanned<SteeringName>>,
    /// Length of its body; 3 where nothing is said.
    pub length_m: Option<Number<SizeM>>,
    /// Width of its body; 1.6 where nothing is said.
    pub width_m: Option<Number<SizeM>>,
    /// Height of its body; 1.8 where nothing is said.
    pub height_m: Option<Number<SizeM>>,
    /// What is lower than this above the ground goes below it; 0.25 where nothing is said.
    pub clearance_m: Option<Number<SizeM>>,
    /// From the front to the rear axle; two thirds of the length where nothing is said.
    pub wheelbase_m: Option<Number<SizeM>>,
    /// From the left to the right wheels; 0.85 of the width where nothing is said.
    pub track_m: Option<Number<SizeM>>,
    /// Mass with all it carries; 1200 where nothing is said.
    pub mass_kg: Option<Number<MassKg>>,
    /// Top speed ahead; 2 where nothing is said. It goes backwards at half of it.
    pub speed_max_m_s: Option<Number<SpeedMS>>,
    /// How fast it speeds up; 1 where nothing is said.
    pub acceleration_max_m_s2: Option<Number<AccelerationMS2>>,
    /// How fast it brakes; 2 where nothing is said.
    pub deceleration_max_m_s2: Option<Number<AccelerationMS2>>,
    /// How fast it turns at most; 60 where nothing is said.
    pub turn_max_deg_s: Option<Within<1, 720>>,
    /// For skid-steer: share of the speed of the left and right wheels that gets to the ground (α);
    /// `[0.95, 0.95]` where nothing is said.
    pub skid_alpha: Option<Vector<2, Share>>,
    /// For skid-steer: where the instantaneous centres of rotation of the left and right wheels lie,
    /// to the right of the middle; minus and plus 0.75 of the track where nothing is said.
    pub skid_icr_m: Option<Vector<2>>,
    /// For skid-steer: how far ahead of the middle the centre of rotation of the body lies; 0 where
    /// nothing is said.
    pub skid_icr_forward_m: Option<Within<-10, 10>>,
    /// For Ackermann: how far the front wheels turn; 35 where nothing is said.
    pub steer_max_deg: Option<Within<1, 80>>,
    /// For Ackermann: how fast they turn; 45 where nothing is said.
    pub steer_rate_deg_s: Option<Within<1, 1000>>,
    /// Diameter of a wheel; 0.7 where nothing is said.
    pub wheel_diameter_m: Option<Number<SizeM>>,
    /// Width of a wheel; 0.25 where nothing is said.
    pub wheel_width_m: Option<Number<SizeM>>,
    /// How many wheels carry it; 4 where nothing is said.
    pub wheels: Option<Whole<2, 64>>,
    /// Whether slopes count: it climbs none that is steeper than its grip, and turns over beyond
    /// `tilt_max_deg`; they do where nothing is said.
    pub slopes: Option<bool>,
    /// Largest ratio of traction to weight on firm ground; 0.7 where nothing is said.
    pub grip: Option<Number<Grip>>,
    /// Roll or pitch at which it turns over; 40 where nothing is said.
    pub tilt_max_deg: Option<Within<1, 89>>,
    /// Soft soil: wheels slip and sink; firm ground where nothing is said.
    pub soil: Option<SoilFile>,
    /// Whether thin stems are pushed over, which slows the vehicle; they are where nothing is said,
    /// and stop it as everything else does with `false`.
    pub stems: Option<bool>,
}

/// How a vehicle is steered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SteeringName {
    /// Wheels or tracks that slip when it turns.
    SkidSteer,
    /// Two driven wheels and casters, without slip.
    Differential,
    /// Front wheels that turn, as those of cars do.
    Ackermann,
}

/// Soft, fine-grained soil.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SoilFile {
    /// Rating cone index: strength of the soil.
    pub cone_index_kpa: Number<ConeIndexKpa>,
    /// Share of a tyre's height by which it is pressed in; 0.15 where nothing is said.
    pub tyre_deflection: Option<Number<Deflection>>,
}

/// How a vehicle maps what it sees.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveMapFile {
    /// By which rule cells get their costs; `"height"` where nothing is said.
    pub mapper: Option<MapperName>,
    /// Edge of a cell; 0.5 where nothing is said.
    pub cell_m: Option<Number<CellM>>,
    /// Cells along x and along y; 400 where nothing is said.
    pub cells: Option<Whole<8, 4000>>,
    /// Middle of the map; half way from start to goal where nothing is said.
    pub centre_m: Option<Vector<2>>,
    /// Highest vegetation that the vehicle can push through (h_max); 1.5 where nothing is said.
    pub height_max_m: Option<Number<HeightM>>,
}

/// Rules by which cells get their costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MapperName {
    /// By the height of points, as Goodin et al. (2018) have it.
    Height,
    /// By the height of points above the ground, which is estimated; what is above the vehicle does
    /// not count.
    Ground,
    /// By the share of light that passes a cell: plants let it through, rocks do not.
    Penetration,
    /// By the true classes of points: what none but a simulator knows.
    Oracle,
}

/// How a vehicle plans.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannerFile {
    /// How it looks for a path; `"a-star"` where nothing is said, and `"hybrid-a-star"` for
    /// Ackermann.
    pub kind: Option<PlannerName>,
    /// How many metres more than its length a metre of cost 100 counts; 10 where nothing is said.
    pub cost_weight: Option<Number<CostWeight>>,
    /// How far it keeps away from what it cannot pass; 0.3 where nothing is said.
    pub margin_m: Option<Within<0, 100>>,
    /// How far ahead on its path it steers; 3 where nothing is said.
    pub lookahead_m: Option<Number<SizeM>>,
}

/// How a vehicle looks for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlannerName {
    /// From cell to cell.
    AStar,
    /// Along arcs that front wheels can follow.
    HybridAStar,
}

/// How wheels count.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OdometryFile {
    /// Standard deviation of the error of a metre; 0.01 where nothing is said.
    pub scale_sigma: Option<Number<OdometrySigma>>,
    /// Standard deviation of the error of the heading, in rad for each rad that it turns; 0.02 where
    /// nothing is said.
    pub turn_sigma: Option<Number<OdometrySigma>>,
}
