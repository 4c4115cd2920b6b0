//! The loop: sense, map, plan, drive, one period after another.
//!
//! What enters: a scenario with `[drive]` and its prepared run. What leaves: how it went. In a period
//! the vehicle first drives, by the plan made on what was seen before it; then the sensors fire along
//! the way that it really drove, every pulse from the pose at its own time; then the map takes their
//! rows, registered with the pose that the vehicle knows. In the first period it stands and looks.
//!
//! Nothing in it depends on threads or on the clock, so the same seed drives the same way to the last
//! bit.

use std::sync::Arc;
use std::time::Instant;
use understory_base::math;

use understory::Error;
use understory::pulse::PreparedRun;
use understory::run::{RunOptions, run, thread_cpu_s};
use understory::scenario::drive::DriveSpec;
use understory::scenario::{CollisionRule, MapperName, NoPath, PlannerName, Scenario};
use understory::world::trajectory::{FlightLines, Pose, Trajectory, Velocity};
use understory_base::Silent;
use understory_cloud::{MemorySink, MultiSink, RecordSink, Records, Tee, label_number};

use crate::command::Command;
use crate::contact::{Contact, ContactSearch};
use crate::cost_map::{COST_MAX, CostMap, Passable};
use crate::estimated_pose::{Odometry, Offset, estimate, on_map, register};
use crate::follower::follow;
use crate::grid::Grid;
use crate::mapper::{self, Mapper, MapperSetting};
use crate::metrics::{Computing, Metrics, Outcome, regret, spl};
use crate::path::{Path, distance_m};
use crate::planner::{Plan, hybrid, plan};
use crate::true_map::true_map;
use crate::vehicle::stem::critical_diameter_m;
use crate::vehicle::{STEP_S, Trouble, Vehicle};

/// Commands are given so often.
pub const CONTROL_S: f64 = 0.05;
/// It moves where it gets this far within the time after which it counts as stuck.
const MOVES_M: f64 = 0.5;
/// A collision is over when the vehicle is so far from where it was.
const LEFT_M: f64 = 0.2;
/// The way behind the end of a period, along which the last speed is held: samples of instruments that
/// are taken at the end have it.
const HELD_S: f64 = 0.1;

/// How a drive is done.
#[derive(Clone, Default)]
pub struct DriveOptions {
    /// Threads of the lidar; as many as processors without a number.
    pub threads: Option<usize>,
    /// The mapper, if not the scenario's.
    pub mapper: Option<MapperName>,
    /// Whether maps and paths of all periods are kept, to be shown.
    pub keep_frames: bool,
}

/// What a controller knows.
pub struct Situation<'a> {
    /// Since the start.
    pub time_s: f64,
    /// Where the vehicle believes to be.
    pub known: Pose,
    /// Its place on the map and its heading, as it believes.
    pub at_m: [f64; 2],
    /// See `at_m`.
    pub heading_rad: f64,
    /// Speed ahead and rate of turning.
    pub moving: Command,
    /// What it has mapped.
    pub map: &'a CostMap,
    /// Where it is to go.
    pub goal_m: [f64; 2],
}

/// A moment to be shown.
#[derive(Clone, Debug)]
pub struct Frame {
    /// When.
    pub time_s: f64,
    /// True pose.
    pub pose: Pose,
    /// The plan.
    pub path: Path,
    /// Costs in percent, 255: unknown.
    pub costs: Vec<u8>,
}

/// A vehicle in its world, on its way.
pub struct Drive {
    /// What is asked of it.
    pub spec: DriveSpec,
    run: PreparedRun,
    options: DriveOptions,
    contacts: ContactSearch,
    /// The vehicle.
    pub vehicle: Vehicle,
    mapper: Box<dyn Mapper>,
    /// What it has mapped so far.
    pub map: CostMap,
    /// What is true.
    pub truth: CostMap,
    /// The best way to the goal on the true map.
    pub best: Option<Path>,
    /// The plan that it follows.
    pub plan: Option<Plan>,
    knots: Vec<(f64, Pose)>,
    odometry: Odometry,
    offset: Offset,
    moving: Command,
    periods: u64,
    /// When it is.
    pub time_s: f64,
    time_limit_s: f64,
    anchor: (f64, [f64; 2]),
    /// Where it touched something and still is.
    touching: Option<[f64; 2]>,
    outcome: Option<Outcome>,
    metrics: Metrics,
    started: Instant,
    /// Rows of the last period.
    pub seen: Records,
    /// Moments to be shown.
    pub frames: Vec<Frame>,
    /// Where rows go besides the map.
    pub tee: Option<Tee>,
}

impl Drive {
    /// A vehicle at its start. Refused, each in one sentence: no `[drive]`, a start or goal without
    /// ground, outside the map or in something solid.
    pub fn new(
        scenario: &Scenario,
        run: PreparedRun,
        options: DriveOptions,
    ) -> Result<Drive, Error> {
        let spec = scenario.drive.clone().ok_or_else(|| {
            let problem = "the scenario has no table [drive]";
            Error::invalid("drive", problem, "add one with `goal_m`, or choose another scenario")
        })?;
        let place = run.trajectory.pose_at(0.0).translation;
        let start_m = spec.start_m.unwrap_or([place.x, place.y]);
        let [dx, dy] = [spec.goal_m[0] - start_m[0], spec.goal_m[1] - start_m[1]];
        let heading_rad =
            spec.start_heading_deg.map_or_else(|| math::atan2(dy, dx), f64::to_radians);
        let centre = [0, 1].map(|axis| 0.5 * (start_m[axis] + spec.goal_m[axis]));
        let centre = spec.map.centre_m.unwrap_or(centre);
        let grid = Grid::about(centre, spec.map.cell_m, spec.map.cells as usize);
        for (what, at) in [("start", start_m), ("goal", spec.goal_m)] {
            check_place(&spec, &run, grid, what, at)?;
        }
        let ground = |x: f64, y: f64| Some(run.scene.ground_at(x, y)?.height_m);
        let vehicle = Vehicle::at(spec.vehicle.clone(), start_m, heading_rad, &ground);
        let vehicle = vehicle.ok_or_else(|| {
            refuse(
                &spec,
                format!("there is no ground under the start {}", shown(start_m)),
                MOVE_START,
            )
        })?;
        let mut contacts = ContactSearch::new(Arc::clone(&run.scene));
        if let Some(contact) = contacts.overlaps(&spec.vehicle, &vehicle.pose, 0.0) {
            let name = name_of(&run, &contact);
            let problem = format!("at its start {} the vehicle is in {name:?}", shown(start_m));
            return Err(refuse(&spec, problem, MOVE_START));
        }
        let truth = true_map(&run.scene, &spec.vehicle, grid);
        if grid.cell_at(spec.goal_m).is_some_and(|goal| truth.cost(goal) >= COST_MAX) {
            let problem = format!("the goal {} is in something solid", shown(spec.goal_m));
            return Err(refuse(&spec, problem, "move `goal_m` to where a vehicle can stand"));
        }
        let radius_m = 0.5 * spec.vehicle.size_m[1];
        let free = truth.passable(radius_m, start_m);
        let best = plan(&free, start_m, spec.goal_m, 1.0, false);
        let best = best.map(|best| best.path.until(spec.goal_m, spec.goal_radius_m));
        if best.is_none() {
            tracing::warn!(
                "no way of {} m leads from the start to the goal on the true map",
                spec.vehicle.size_m[1]
            );
        }
        let heights = run.sensors.iter().map(|sensor| sensor.platform_from_sensor.translation.z);
        let setting = MapperSetting::new(grid, &spec.map, &spec.vehicle, heights.collect());
        let mapper = mapper::new(options.mapper.unwrap_or(spec.map.mapper), setting);
        let straight_s = math::hypot(dx, dy) / spec.vehicle.speed_max_m_s;
        let time_limit_s = spec.time_limit_s.unwrap_or(30.0 + 3.0 * straight_s);
        let odometry = Odometry::new(start_m, heading_rad, spec.odometry_sigma, run.seed);
        let metrics = Metrics {
            outcome: Outcome::Stopped,
            success: false,
            time_s: 0.0,
            distance_m: 0.0,
            nearest_m: math::hypot(dx, dy),
            collisions: 0,
            hit: None,
            stems: 0,
            best_m: best.as_ref().map(Path::length_m),
            spl: 0.0,
            regret: None,
            plans: 0,
            plans_without_path: 0,
            senseless_commands: 0,
            pulses: 0,
            computing: Computing::default(),
        };
        let pose = vehicle.pose;
        Ok(Drive {
            knots: vec![(0.0, pose)],
            offset: Offset::between(&pose, &pose),
            map: CostMap::unknown(grid),
            anchor: (0.0, start_m),
            started: Instant::now(),
            moving: Command::STOP,
            periods: 0,
            time_s: 0.0,
            touching: None,
            outcome: None,
            plan: None,
            seen: Records::default(),
            frames: Vec::new(),
            tee: None,
            spec,
            run,
            options,
            contacts,
            vehicle,
            mapper,
            truth,
            best,
            odometry,
            time_limit_s,
            metrics,
        })
    }

    /// How it ended; none while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// The run whose scene it drives through.
    pub fn run(&self) -> &PreparedRun {
        &self.run
    }

    /// Times and true poses so far, every 10 ms.
    pub fn driven(&self) -> &[(f64, Pose)] {
        &self.knots
    }

    /// What a controller knows now.
    pub fn situation(&self) -> Situation<'_> {
        let known = self.offset.apply(&self.vehicle.pose);
        let (at_m, heading_rad) = on_map(&known);
        Situation {
            time_s: self.time_s,
            known,
            at_m,
            heading_rad,
            moving: self.moving,
            map: &self.map,
            goal_m: self.spec.goal_m,
        }
    }

    /// Drives on its own, by its own planner, until it is over or `stopped` says so.
    pub fn go(&mut self, stopped: &dyn Fn() -> bool) -> Result<Metrics, Error> {
        while self.outcome.is_none() && !stopped() {
            self.step_planned()?;
        }
        Ok(self.metrics())
    }

    /// One period by its own planner.
    pub fn step_planned(&mut self) -> Result<(), Error> {
        if self.periods > 0 {
            self.replan();
        }
        let plan = self.plan.take();
        let (spec, lookahead_m) = (self.spec.vehicle.clone(), self.spec.planner.lookahead_m);
        let path = plan.as_ref().map(|plan| plan.path.clone()).unwrap_or_default();
        self.plan = plan;
        self.step(&mut |now: &Situation<'_>| {
            follow(&path, &spec, lookahead_m, now.at_m, now.heading_rad)
        })
    }

    /// Looks for a path on what is mapped.
    fn replan(&mut self) {
        let start = thread_cpu_s();
        let known = self.situation();
        let (at_m, heading_rad) = (known.at_m, known.heading_rad);
        let radius_m = 0.5 * self.spec.vehicle.size_m[1] + self.spec.planner.margin_m;
        let free = self.map.passable(radius_m, at_m);
        let (goal_m, weight) = (self.spec.goal_m, self.spec.planner.cost_weight);
        let explore = self.spec.no_path == NoPath::Explore;
        self.metrics.plans += 1;
        let found = match self.spec.planner.kind {
            PlannerName::AStar => plan(&free, at_m, goal_m, weight, explore),
            PlannerName::HybridAStar => {
                let car = hybrid::Car::of(&self.spec.vehicle);
                let radius_m = self.spec.goal_radius_m;
                let found = hybrid::plan(&free, &car, at_m, heading_rad, goal_m, radius_m, weight);
                found.or_else(|| plan(&free, at_m, goal_m, weight, explore))
            }
        };
        if found.as_ref().is_none_or(|plan| !plan.reaches_goal) {
            self.metrics.plans_without_path += 1;
        }
        if found.is_none() && !explore {
            self.outcome = Some(Outcome::NoPath);
        }
        self.plan = found;
        self.metrics.computing.planning_cpu_s += thread_cpu_s() - start;
    }

    /// One period by the commands of a controller, which is asked every [`CONTROL_S`].
    pub fn step(
        &mut self,
        control: &mut dyn FnMut(&Situation<'_>) -> Command,
    ) -> Result<(), Error> {
        if self.outcome.is_some() {
            return Ok(());
        }
        let from_s = self.time_s;
        let end_s = (self.periods + 1) as f64 * self.spec.period_s;
        let start = thread_cpu_s();
        // It stands and looks before it goes.
        let stand = self.periods == 0;
        let controls = ((end_s - from_s) / CONTROL_S).round().max(1.0) as u64;
        let steps = ((end_s - from_s) / STEP_S).round().max(1.0) as u64;
        let mut command = Command::STOP;
        for step in 0..steps {
            if step * controls % steps < controls && !stand {
                command = control(&self.situation());
            }
            self.time_s = from_s + (end_s - from_s) * (step + 1) as f64 / steps as f64;
            self.move_on(command);
            if self.outcome.is_some() {
                break;
            }
        }
        self.periods += 1;
        self.metrics.computing.vehicle_cpu_s += thread_cpu_s() - start;
        if self.outcome.is_none() {
            self.time_s = end_s;
            if end_s >= self.time_limit_s {
                self.outcome = Some(Outcome::TimeLimit);
            } else if end_s - self.anchor.0 > self.spec.stuck_s {
                self.outcome = Some(Outcome::Stuck);
            }
        }
        self.sense(from_s)?;
        Ok(())
    }

    /// Ten milliseconds.
    fn move_on(&mut self, command: Command) {
        let scene = Arc::clone(&self.run.scene);
        let ground = |x: f64, y: f64| Some(scene.ground_at(x, y)?.height_m);
        let before = (self.vehicle.at_m, self.vehicle.heading_rad, self.vehicle.pose);
        let moved = self.vehicle.advance(command, &ground);
        let contact = self.contacts.touches(&self.spec.vehicle, &self.vehicle.pose, self.time_s);
        let mut counted = moved.counted;
        self.moving = Command::new(moved.speed_m_s, moved.turn_rad_s);
        match contact {
            None => {
                let at_m = self.vehicle.at_m;
                self.touching = self.touching.filter(|place| distance_m(*place, at_m) < LEFT_M);
            }
            Some(contact) if self.pushes(&contact) => {}
            Some(contact) => {
                self.vehicle.halt(before.0, before.1, before.2);
                (self.moving, counted) = (Command::STOP, Command::STOP);
                self.metrics.collisions += u64::from(self.touching.is_none());
                self.metrics.hit = Some(name_of(&self.run, &contact));
                self.touching = Some(before.0);
                if self.spec.collision == CollisionRule::End {
                    self.outcome = Some(Outcome::Collision);
                }
            }
        }
        let at_m = self.vehicle.at_m;
        self.metrics.distance_m += distance_m(before.0, at_m);
        self.odometry.count(counted, self.time_s, at_m, self.vehicle.heading_rad);
        self.knots.push((self.time_s, self.vehicle.pose));
        let away = distance_m(at_m, self.spec.goal_m);
        self.metrics.nearest_m = self.metrics.nearest_m.min(away);
        if distance_m(at_m, self.anchor.1) > MOVES_M {
            self.anchor = (self.time_s, at_m);
        }
        let trouble = match moved.trouble {
            Some(Trouble::TurnedOver) => Some(Outcome::TurnedOver),
            Some(Trouble::NoGround) => Some(Outcome::NoGround),
            Some(Trouble::Bogged) | None => None,
        };
        let there = (away <= self.spec.goal_radius_m).then_some(Outcome::Reached);
        self.outcome = self.outcome.or(trouble).or(there);
    }

    /// Whether what it touches is a stem that gives way; it is pushed then.
    fn pushes(&mut self, contact: &Contact) -> bool {
        if !self.spec.vehicle.stems || label_number("trunk") != Some(contact.label) {
            return false;
        }
        let diameter_m = self.contacts.stem_diameter_m(contact, self.time_s);
        let gives_way =
            diameter_m < critical_diameter_m(self.spec.vehicle.mass_kg, contact.height_m);
        if gives_way && self.contacts.pushed.insert(contact.object) {
            self.vehicle.push_over(diameter_m, contact.height_m);
            self.metrics.stems += 1;
        }
        gives_way
    }

    /// Lets the sensors fire along the way of the period and maps what they see.
    fn sense(&mut self, from_s: f64) -> Result<(), Error> {
        let start = thread_cpu_s();
        let until_s = self.time_s;
        let mut knots = self.knots.clone();
        if let [.., before, last] = &knots[..] {
            let held = Velocity::between(before, last).linear_m_s;
            let translation = last.1.translation + held * HELD_S;
            knots.push((last.0 + HELD_S, Pose { translation, ..last.1 }));
        }
        let Some(trajectory) = Trajectory::through(knots) else { return Ok(()) };
        let pose = self.spec.pose;
        let estimated = estimate(pose, &self.run, &trajectory, &self.odometry, until_s);
        let truth = trajectory.pose_at(until_s);
        let known = estimated.as_ref().map_or(truth, |path| path.pose_at(until_s, &truth));
        self.offset = Offset::between(&truth, &known);
        let mut run_now = self.run.clone();
        run_now.trajectory = trajectory;
        run_now.lines = FlightLines::default();
        run_now.registration.estimated = estimated;
        run_now.registration.register = register(pose);
        run_now.duration_s = until_s;
        self.metrics.computing.pose_cpu_s += thread_cpu_s() - start;
        let memory = MemorySink::default();
        let mut sinks: Vec<Box<dyn RecordSink>> = vec![Box::new(memory.clone())];
        if let Some(tee) = &self.tee {
            sinks.push(Box::new(tee.clone()));
        }
        let interval_s = Some(((until_s - self.spec.sense_s).max(from_s), until_s));
        let threads = self.options.threads;
        let options = RunOptions { threads, interval_s, ..RunOptions::default() };
        let (summary, _) = run(&run_now, &options, Box::new(MultiSink::new(sinks)), &Silent)?;
        self.metrics.computing.lidar_cpu_s += summary.cpu_simulation_s + summary.cpu_serial_s;
        self.metrics.pulses += summary.pulses;
        let start = thread_cpu_s();
        self.seen = memory.take_records();
        self.mapper.take(&self.seen);
        self.mapper.update(&mut self.map);
        self.metrics.computing.mapping_cpu_s += thread_cpu_s() - start;
        if self.options.keep_frames {
            let percent = |cost: &f32| if cost.is_nan() { 255 } else { cost.round() as u8 };
            self.frames.push(Frame {
                time_s: until_s,
                pose: self.vehicle.pose,
                path: self.plan.as_ref().map(|plan| plan.path.clone()).unwrap_or_default(),
                costs: self.map.costs.iter().map(percent).collect(),
            });
        }
        Ok(())
    }

    /// The way driven so far on the map.
    pub fn driven_path(&self) -> Path {
        let points = self.knots.iter().map(|(_, pose)| [pose.translation.x, pose.translation.y]);
        let mut points_m: Vec<[f64; 2]> = points.collect();
        points_m.dedup();
        Path { points_m }
    }

    /// The true map as a vehicle of this width may drive it.
    pub fn true_passable(&self) -> Passable {
        let start = self.knots.first().map_or([0.0; 2], |(_, pose)| on_map(pose).0);
        self.truth.passable(0.5 * self.spec.vehicle.size_m[1], start)
    }

    /// How it went until now.
    pub fn metrics(&self) -> Metrics {
        let mut metrics = self.metrics.clone();
        metrics.outcome = self.outcome.unwrap_or(Outcome::Stopped);
        metrics.success = metrics.outcome == Outcome::Reached;
        metrics.time_s = self.time_s;
        metrics.senseless_commands = self.vehicle.senseless_commands;
        metrics.spl = spl(metrics.success, metrics.distance_m, metrics.best_m);
        let best = self.best.as_ref().filter(|_| metrics.success);
        metrics.regret =
            best.and_then(|best| regret(&self.driven_path(), best, &self.true_passable()));
        metrics.computing.wall_s = self.started.elapsed().as_secs_f64();
        metrics.computing.finish(self.time_s);
        metrics
    }
}

const MOVE_START: &str = "move `start_m` to where the vehicle can stand";

fn check_place(
    spec: &DriveSpec,
    run: &PreparedRun,
    grid: Grid,
    what: &str,
    at_m: [f64; 2],
) -> Result<(), Error> {
    if grid.cell_at(at_m).is_none() {
        let side = grid.cell_m * grid.side as f64;
        let problem = format!("the {what} {} is outside the map of {side} m", shown(at_m));
        let remedy = "give more `cells` or another `centre_m` in [drive.map]";
        return Err(refuse(spec, problem, remedy));
    }
    if run.scene.ground_at(at_m[0], at_m[1]).is_none() {
        let problem = format!("there is no ground at the {what} {}", shown(at_m));
        return Err(refuse(spec, problem, format!("move `{what}_m` onto the terrain")));
    }
    Ok(())
}

fn refuse(spec: &DriveSpec, problem: String, remedy: impl Into<String>) -> Error {
    Error::invalid(&spec.location, problem, remedy)
}

fn shown([x, y]: [f64; 2]) -> String {
    format!("({x}, {y})")
}

fn name_of(run: &PreparedRun, contact: &Contact) -> String {
    let object = run.scene.objects().get((contact.object as usize).wrapping_sub(1));
    object.map_or_else(String::new, |object| object.name.clone())
}
