//! `[drive]`, checked: what a vehicle is, where it is to go, and how it maps and plans. The crate
//! `understory-drive` drives it.

use super::file::{
    CollisionRule, DriveFile, DrivePose, DriveVehicleFile, MapperName, NoPath, PlannerName,
    SteeringName,
};
use crate::Error;
use understory_files::{LayeredToml, ValueOr, Vector};

/// A drive to a goal.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveSpec {
    /// Where in the file it is described.
    pub location: String,
    /// Where the vehicle is to go.
    pub goal_m: [f64; 2],
    /// It is there when its middle is this near.
    pub goal_radius_m: f64,
    /// Where it starts; none: where the platform is.
    pub start_m: Option<[f64; 2]>,
    /// Where it heads, counter-clockwise from x; none: towards the goal.
    pub start_heading_deg: Option<f64>,
    /// From one plan to the next.
    pub period_s: f64,
    /// How long sensors fire in each period, at its end.
    pub sense_s: f64,
    /// When it gives up; none: by the straight way.
    pub time_limit_s: Option<f64>,
    /// When it counts as stuck.
    pub stuck_s: f64,
    /// What it does without a path.
    pub no_path: NoPath,
    /// What a collision does.
    pub collision: CollisionRule,
    /// Which pose it knows.
    pub pose: DrivePose,
    /// The vehicle.
    pub vehicle: VehicleSpec,
    /// The map.
    pub map: MapSpec,
    /// The planner.
    pub planner: PlannerSpec,
    /// σ of a metre and of a turned radian that wheels count.
    pub odometry_sigma: [f64; 2],
}

/// What a vehicle is.
#[derive(Clone, Debug, PartialEq)]
pub struct VehicleSpec {
    /// How it is steered.
    pub steering: Steering,
    /// Length, width and height of its body.
    pub size_m: [f64; 3],
    /// What is lower goes below it.
    pub clearance_m: f64,
    /// Distances of axles, and of left and right wheels.
    pub wheelbase_m: f64,
    /// See `wheelbase_m`.
    pub track_m: f64,
    /// Mass.
    pub mass_kg: f64,
    /// Top speed ahead.
    pub speed_max_m_s: f64,
    /// Limits of speeding up and braking.
    pub acceleration_max_m_s2: f64,
    /// See `acceleration_max_m_s2`.
    pub deceleration_max_m_s2: f64,
    /// Fastest turn.
    pub turn_max_rad_s: f64,
    /// Diameter and width of a wheel.
    pub wheel_m: [f64; 2],
    /// How many carry it.
    pub wheels: u32,
    /// What slopes do; none: nothing.
    pub slopes: Option<SlopeSpec>,
    /// Soft soil; none: the ground is firm.
    pub soil: Option<SoilSpec>,
    /// Whether thin stems are pushed over.
    pub stems: bool,
}

/// How a vehicle is steered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Steering {
    /// By wheels that slip; see `understory-drive`'s `skid_steer`.
    SkidSteer {
        /// Shares of wheel speed that get to the ground, left and right.
        alpha: [f64; 2],
        /// Centres of rotation of left and right wheels, to the right of the middle.
        icr_m: [f64; 2],
        /// That of the body, ahead of the middle.
        icr_forward_m: f64,
    },
    /// By two wheels.
    Differential,
    /// By front wheels that turn.
    Ackermann {
        /// How far.
        steer_max_rad: f64,
        /// How fast.
        steer_rate_rad_s: f64,
    },
}

/// What slopes do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlopeSpec {
    /// Largest traction over weight.
    pub grip: f64,
    /// Where it turns over.
    pub tilt_max_rad: f64,
}

/// Soft, fine-grained soil.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoilSpec {
    /// Its strength.
    pub cone_index_pa: f64,
    /// Deflection of a tyre over its height.
    pub deflection: f64,
}

/// A map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapSpec {
    /// By which rule.
    pub mapper: MapperName,
    /// Edge of a cell.
    pub cell_m: f64,
    /// Cells along a side.
    pub cells: u32,
    /// Its middle; none: between start and goal.
    pub centre_m: Option<[f64; 2]>,
    /// Highest vegetation that can be pushed through.
    pub height_max_m: f64,
}

/// A planner.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannerSpec {
    /// Which.
    pub kind: PlannerName,
    /// Metres that a metre of cost 100 counts more.
    pub cost_weight: f64,
    /// Distance to what cannot be passed.
    pub margin_m: f64,
    /// How far ahead it steers.
    pub lookahead_m: f64,
}

pub(super) fn check_drive(
    layers: &LayeredToml<'_>,
    file: &DriveFile,
    has_navigation: bool,
) -> Result<DriveSpec, Error> {
    let period_s = file.period_s.value_or(0.5);
    if let Some(sense) = file.sense_s.as_ref().filter(|sense| sense.get() > period_s) {
        let problem = format!("sensors fire for {} s of each {period_s} s", sense.get());
        return Err(layers.invalid(&sense.span(), problem, "lower `sense_s`, or raise `period_s`"));
    }
    let usual = if has_navigation { DrivePose::Navigation } else { DrivePose::True };
    let pose = file.pose.as_ref().map_or(usual, |pose| *pose.get_ref());
    if let Some(at) =
        file.pose.as_ref().filter(|_| pose == DrivePose::Navigation && !has_navigation)
    {
        let problem = "the vehicle is to know its pose by a navigation that it does not have";
        return Err(layers.invalid(&at.span(), problem, "add a table [platform.navigation]"));
    }
    let odometry = file.odometry.as_ref();
    if let Some(table) = odometry.filter(|_| pose != DrivePose::Odometry) {
        let problem = "there is a table [drive.odometry] that nothing uses";
        let remedy = "add `pose = \"odometry\"` to [drive], or remove it";
        return Err(layers.invalid(&table.span(), problem, remedy));
    }
    let odometry = odometry.map(|table| table.get_ref());
    let vehicle = check_vehicle(layers, &file.vehicle)?;
    let for_cars = matches!(vehicle.steering, Steering::Ackermann { .. });
    let usual = if for_cars { PlannerName::HybridAStar } else { PlannerName::AStar };
    Ok(DriveSpec {
        location: layers.location(&file.goal_m.span()),
        goal_m: file.goal_m.get(),
        goal_radius_m: file.goal_radius_m.value_or(2.0),
        start_m: file.start_m.as_ref().map(Vector::get),
        start_heading_deg: file.start_heading_deg.as_ref().map(|heading| heading.get()),
        period_s,
        sense_s: file.sense_s.value_or(period_s),
        time_limit_s: file.time_limit_s.as_ref().map(|limit| limit.get()),
        stuck_s: file.stuck_s.value_or(15.0),
        no_path: file.no_path.unwrap_or(NoPath::Explore),
        collision: file.collision.unwrap_or(CollisionRule::End),
        pose,
        vehicle,
        map: MapSpec {
            mapper: file.map.mapper.unwrap_or(MapperName::Height),
            cell_m: file.map.cell_m.value_or(0.5),
            cells: file.map.cells.as_ref().map_or(400, |cells| cells.get()),
            centre_m: file.map.centre_m.as_ref().map(Vector::get),
            height_max_m: file.map.height_max_m.value_or(1.5),
        },
        planner: PlannerSpec {
            kind: file.planner.kind.unwrap_or(usual),
            cost_weight: file.planner.cost_weight.value_or(10.0),
            margin_m: file.planner.margin_m.value_or(0.3),
            lookahead_m: file.planner.lookahead_m.value_or(3.0),
        },
        odometry_sigma: [
            odometry.map_or(0.01, |file| file.scale_sigma.value_or(0.01)),
            odometry.map_or(0.02, |file| file.turn_sigma.value_or(0.02)),
        ],
    })
}

fn check_vehicle(layers: &LayeredToml<'_>, file: &DriveVehicleFile) -> Result<VehicleSpec, Error> {
    let name = file.steering.as_ref().map_or(SteeringName::SkidSteer, |name| *name.get_ref());
    let size_m =
        [file.length_m.value_or(3.0), file.width_m.value_or(1.6), file.height_m.value_or(1.8)];
    let clearance_m = file.clearance_m.value_or(0.25);
    if let Some(clearance) = file.clearance_m.as_ref().filter(|_| clearance_m >= size_m[2]) {
        let problem = format!("things of {clearance_m} m go below a body of {} m", size_m[2]);
        return Err(layers.invalid(&clearance.span(), problem, "lower `clearance_m`"));
    }
    let track_m = file.track_m.value_or(0.85 * size_m[1]);
    let steering = match name {
        SteeringName::SkidSteer => {
            let icr = file.skid_icr_m.as_ref();
            let icr_m = icr.map_or([-0.75 * track_m, 0.75 * track_m], Vector::get);
            if let Some(icr) = icr.filter(|_| icr_m[1] - icr_m[0] < 0.01) {
                let problem = "the centre of the left wheels is not left of that of the right";
                let remedy = "give two rising numbers, such as [-1.0, 1.0]";
                return Err(layers.invalid(&icr.span(), problem, remedy));
            }
            Steering::SkidSteer {
                alpha: file.skid_alpha.as_ref().map_or([0.95; 2], Vector::get),
                icr_m,
                icr_forward_m: file.skid_icr_forward_m.value_or(0.0),
            }
        }
        SteeringName::Differential => Steering::Differential,
        SteeringName::Ackermann => Steering::Ackermann {
            steer_max_rad: file.steer_max_deg.value_or(35.0).to_radians(),
            steer_rate_rad_s: file.steer_rate_deg_s.value_or(45.0).to_radians(),
        },
    };
    Ok(VehicleSpec {
        steering,
        size_m,
        clearance_m,
        wheelbase_m: file.wheelbase_m.value_or(2.0 / 3.0 * size_m[0]),
        track_m,
        mass_kg: file.mass_kg.value_or(1200.0),
        speed_max_m_s: file.speed_max_m_s.value_or(2.0),
        acceleration_max_m_s2: file.acceleration_max_m_s2.value_or(1.0),
        deceleration_max_m_s2: file.deceleration_max_m_s2.value_or(2.0),
        turn_max_rad_s: file.turn_max_deg_s.value_or(60.0).to_radians(),
        wheel_m: [file.wheel_diameter_m.value_or(0.7), file.wheel_width_m.value_or(0.25)],
        wheels: file.wheels.as_ref().map_or(4, |wheels| wheels.get()),
        slopes: file.slopes.unwrap_or(true).then(|| SlopeSpec {
            grip: file.grip.value_or(0.7),
            tilt_max_rad: file.tilt_max_deg.value_or(40.0).to_radians(),
        }),
        soil: file.soil.as_ref().map(|soil| SoilSpec {
            cone_index_pa: 1000.0 * soil.cone_index_kpa.get(),
            deflection: soil.tyre_deflection.value_or(0.15),
        }),
        stems: file.stems.unwrap_or(true),
    })
}
