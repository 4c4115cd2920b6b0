// Generated from crates/understory-studio/src/protocol by its tests; do not edit.
// UNDERSTORY_UPDATE=1 cargo nextest run -p understory-studio typescript

/**
 * What stands before the columns of a block.
 */
export type BlockHeader = { 
/**
 * What it is: geometry, beams, moment, points, end, image or difference.
 */
kind: string, 
/**
 * To be added to positions to get those of the world.
 */
offset_m: [number, number, number], 
/**
 * The columns, in the order of their bytes.
 */
columns: Array<ColumnHeader>, 
/**
 * What else belongs to this kind of block.
 */
extra: unknown, };

/**
 * One column of a block.
 */
export type ColumnHeader = { 
/**
 * Its name.
 */
name: string, 
/**
 * What its numbers are.
 */
kind: NumberKind, 
/**
 * Numbers in a row.
 */
width: number, 
/**
 * Rows.
 */
rows: number, 
/**
 * Where it begins, in bytes from the start of the data; a multiple of 8.
 */
offset: number, };

/**
 * What the numbers of a column are.
 */
export type NumberKind = "u8" | "u16" | "u32" | "f32" | "f64";

/**
 * Who answers.
 */
export type Hello = { 
/**
 * `understory`.
 */
program: string, 
/**
 * Its version.
 */
version: string, 
/**
 * Another number at every start of the program: a page that sees it change loads itself anew.
 */
start: string, 
/**
 * Name of the served folder.
 */
folder: string, 
/**
 * Limits that the program keeps.
 */
limits: Limits, };

/**
 * Limits that the program keeps.
 */
export type Limits = { 
/**
 * Most bytes of a request.
 */
body_bytes: number, 
/**
 * Triangles drawn at most where the page does not say.
 */
triangles: number, 
/**
 * Layers kept at most.
 */
layers: number, 
/**
 * Rows of all layers that are held in memory; more of them lie in a file.
 */
rows_in_memory: number, };

/**
 * Everything that can be chosen.
 */
export type Library = { 
/**
 * Scenarios: built in, in the served folder, learned here.
 */
scenarios: Array<ScenarioCard>, 
/**
 * Built-in sensors.
 */
sensors: Array<SensorCard>, 
/**
 * Recordings in the served folder.
 */
recordings: Array<FileCard>, 
/**
 * Formats in which layers can be exported.
 */
formats: Array<FormatCard>, 
/**
 * Columns that layers may have.
 */
columns: Array<ColumnCard>, 
/**
 * Names of semantic classes.
 */
labels: Array<LabelCard>, 
/**
 * What could not be listed, in sentences.
 */
remarks: Array<string>, };

/**
 * A scenario to choose.
 */
export type ScenarioCard = { 
/**
 * By which it is opened.
 */
id: string, 
/**
 * Its name.
 */
name: string, 
/**
 * One line about it.
 */
title: string, 
/**
 * Where it comes from.
 */
source: ScenarioSource, 
/**
 * How long it lasts.
 */
duration_s: number, 
/**
 * Names of its sensors' presets.
 */
sensors: Array<string>, 
/**
 * Whether its platform moves.
 */
moving: boolean, 
/**
 * Whether there is a thumbnail.
 */
thumbnail: boolean, 
/**
 * Why it cannot be opened as it is, if so.
 */
problem: string | null, };

/**
 * Where a scenario comes from.
 */
export type ScenarioSource = "built-in" | "folder" | "learned";

/**
 * A sensor to choose.
 */
export type SensorCard = { 
/**
 * The name by which scenarios choose it.
 */
name: string, 
/**
 * What people call it.
 */
title: string, 
/**
 * How it scans, in a word: spinning, risley, …
 */
pattern: string, 
/**
 * Lasers.
 */
channels: number, 
/**
 * Pulses in a second.
 */
pulse_rate_hz: number, 
/**
 * Wavelength.
 */
wavelength_nm: number, 
/**
 * Least and largest range.
 */
range_m: [number, number], };

/**
 * A file of the served folder.
 */
export type FileCard = { 
/**
 * By which it is opened.
 */
id: string, 
/**
 * Its path below the folder.
 */
name: string, 
/**
 * Bytes; of a folder, of its files.
 */
bytes: number, 
/**
 * Its format, if its name tells.
 */
format: string | null, };

/**
 * A format to write.
 */
export type FormatCard = { 
/**
 * Its name.
 */
name: string, 
/**
 * What it is.
 */
title: string, 
/**
 * How its files end.
 */
suffix: string, 
/**
 * What it keeps of the rows.
 */
keeps: string, };

/**
 * A column that layers may have.
 */
export type ColumnCard = { 
/**
 * Its name.
 */
name: string, 
/**
 * What it is, in some words.
 */
brief: string, 
/**
 * Its unit, which may be empty.
 */
unit: string, 
/**
 * Whether it is measured or true.
 */
truth: boolean, 
/**
 * Whether its numbers are names of things: to be coloured one by one.
 */
categories: boolean, };

/**
 * A semantic class.
 */
export type LabelCard = { 
/**
 * Its number.
 */
label: number, 
/**
 * Its name.
 */
name: string, };

/**
 * What is wrong, where, in the program's words.
 */
export type Problem = { 
/**
 * What is wrong and what to do.
 */
sentence: string, 
/**
 * Line of the text, from 1, if it is about one.
 */
line: number | null, 
/**
 * Column in it, from 1.
 */
column: number | null, 
/**
 * Where what is marked ends in that line.
 */
end_column: number | null, };

/**
 * The open scenario.
 */
export type Document = { 
/**
 * Rises with every change.
 */
revision: number, 
/**
 * Its name.
 */
name: string, 
/**
 * The text.
 */
text: string, 
/**
 * The text as tables and values; null where it is no TOML.
 */
value: unknown, 
/**
 * Where keys stand in the text.
 */
places: Array<KeyPlace>, 
/**
 * What is wrong with it; empty: it is valid.
 */
problems: Array<Problem>, 
/**
 * The newest revision that was valid: worlds and scans are made of it. 0: none was.
 */
good_revision: number, 
/**
 * What that one says.
 */
summary: Summary | null, };

/**
 * Where a key stands.
 */
export type KeyPlace = { 
/**
 * Keys and places in lists from the top, as `world.object.0.position_m`.
 */
path: Array<Step>, 
/**
 * Line of its value, from 1.
 */
line: number, 
/**
 * Column, from 1.
 */
column: number, };

/**
 * A key, or a place in a list.
 */
export type Step = number | string;

/**
 * What a valid scenario says.
 */
export type Summary = { 
/**
 * One line about it.
 */
title: string, 
/**
 * Its seed.
 */
seed: number, 
/**
 * How long it lasts.
 */
duration_s: number, 
/**
 * Whether the platform moves.
 */
moving: boolean, 
/**
 * The sensors.
 */
sensors: Array<SensorSummary>, 
/**
 * About how many triangles its world has, copies counted.
 */
triangles: number, 
/**
 * About how much memory it needs.
 */
memory_bytes: number, };

/**
 * A sensor of a scenario.
 */
export type SensorSummary = { 
/**
 * Its number, from 0.
 */
index: number, 
/**
 * Its name in the scenario.
 */
name: string, 
/**
 * The preset.
 */
preset: string, 
/**
 * What people call it.
 */
title: string, 
/**
 * Lasers.
 */
channels: number, 
/**
 * Pulses that it will fire.
 */
pulses: number, };

/**
 * Opens a scenario.
 */
export type OpenDocument = { "scenario": string } | { "text": { 
/**
 * Its name.
 */
name: string, 
/**
 * The text.
 */
text: string, } } | { "layer": number };

/**
 * Replaces the text.
 */
export type WriteText = { 
/**
 * The revision that was edited; refused with status 409 if it is not the newest.
 */
revision: number, 
/**
 * The new text.
 */
text: string, };

/**
 * Changes keys; the rest of the text stays as it is, with its comments.
 */
export type EditKeys = { 
/**
 * The revision that was edited; refused with status 409 if it is not the newest.
 */
revision: number, 
/**
 * What to change, in this order.
 */
edits: Array<Edit>, };

/**
 * One change.
 */
export type Edit = { 
/**
 * Which key; tables on the way are made where they are missing. A place behind the end of a
 * list appends to it.
 */
path: Array<Step>, 
/**
 * Its new value; none (null): the key, table or element is taken out.
 */
value: unknown, };

/**
 * The world of the newest valid revision. Its numbers are small; geometry comes apart.
 */
export type World = { 
/**
 * Of which revision.
 */
revision: number, 
/**
 * To be added to positions to get those of the world.
 */
offset_m: [number, number, number], 
/**
 * Lowest and highest corner of what is worth looking at, relative to `offset_m`.
 */
bounds_m: [[number, number, number], [number, number, number]], 
/**
 * The same for the first look: what stands near the path.
 */
focus_m: [[number, number, number], [number, number, number]], 
/**
 * Whether the first sensor is in a closed room.
 */
closed: boolean, 
/**
 * How long building took.
 */
building_s: number, 
/**
 * Triangles, copies counted.
 */
triangles: number, 
/**
 * Instances.
 */
instances: number, 
/**
 * Materials; number 1 is the first.
 */
materials: Array<MaterialCard>, 
/**
 * Objects; number 1 is the first. At most 20,000 of them.
 */
objects: Array<ObjectCard>, 
/**
 * The sensors.
 */
sensors: Array<SensorView>, 
/**
 * The platform.
 */
platform: PlatformView, 
/**
 * The weather.
 */
weather: Array<WeatherView>, 
/**
 * Learned sites.
 */
sites: Array<SiteView>, 
/**
 * What deserves a second look, in sentences.
 */
warnings: Array<string>, };

/**
 * A material.
 */
export type MaterialCard = { 
/**
 * Its name.
 */
name: string, 
/**
 * Its colour, sRGB.
 */
colour: [number, number, number], 
/**
 * How much light of a learned volume goes through; none: it is a surface.
 */
permeability: number | null, };

/**
 * Something with an identity.
 */
export type ObjectCard = { 
/**
 * Its name.
 */
name: string, 
/**
 * Its semantic class.
 */
label: number, 
/**
 * Whether it moves.
 */
moves: boolean, 
/**
 * The table of the scenario that describes it, if it can be dragged: `position_m` lies there.
 */
table: Array<Step> | null, 
/**
 * Where its own frame is at the start, relative to `offset_m`.
 */
position_m: [number, number, number], };

/**
 * A sensor to be drawn.
 */
export type SensorView = { 
/**
 * Its number, from 0.
 */
index: number, 
/**
 * Its name.
 */
name: string, 
/**
 * The preset.
 */
preset: string, 
/**
 * What people call it.
 */
title: string, 
/**
 * From its frame to the platform's.
 */
platform_from_sensor: [number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number], 
/**
 * From its frame to the world at time 0, relative to `offset_m`.
 */
world_from_sensor: [number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number], 
/**
 * Least and largest azimuth of a frame, in its own frame, counter-clockwise.
 */
azimuth_deg: [number, number], 
/**
 * Least and largest elevation of a frame.
 */
elevation_deg: [number, number], 
/**
 * Least and largest range.
 */
range_m: [number, number], 
/**
 * Lasers.
 */
channels: number, 
/**
 * How long a frame takes.
 */
scan_duration_s: number, 
/**
 * Pulses in a second.
 */
pulse_rate_hz: number, 
/**
 * Pulses that it will fire.
 */
pulses: number, };

/**
 * What carries the sensors.
 */
export type PlatformView = { 
/**
 * Whether it moves.
 */
moving: boolean, 
/**
 * How long the run lasts.
 */
duration_s: number, 
/**
 * Whether something in the world moves.
 */
things_move: boolean, 
/**
 * Where it is at 0 … `duration_s`, in even steps; one pose if it stands.
 */
path: Array<PathPose>, 
/**
 * When the sensors fire, from and until.
 */
lines_s: Array<[number, number]>, };

/**
 * Where the platform is at a time.
 */
export type PathPose = { 
/**
 * When.
 */
time_s: number, 
/**
 * Where, relative to `offset_m`.
 */
position_m: [number, number, number], 
/**
 * How it is turned: x, y, z, w.
 */
quaternion: [number, number, number, number], };

/**
 * Weather somewhere.
 */
export type WeatherView = { 
/**
 * What it is: fog, rain, snow, dust, plume.
 */
kind: string, 
/**
 * What it is in words.
 */
sentence: string, 
/**
 * Lowest and highest corner, relative to `offset_m`; none: everywhere.
 */
box_m: [[number, number, number], [number, number, number]] | null, };

/**
 * A learned site.
 */
export type SiteView = { 
/**
 * Its name.
 */
name: string, 
/**
 * Its volumes.
 */
volumes: number, 
/**
 * How it is queried, in words.
 */
rays: string, };

/**
 * What belongs to the block "geometry".
 */
export type GeometryExtra = { 
/**
 * Of which revision.
 */
revision: number, 
/**
 * The meshes; `instance_mesh` is a place in this list.
 */
meshes: Array<MeshCard>, 
/**
 * Triangles that the page will draw, copies counted.
 */
drawn_triangles: number, 
/**
 * Triangles of the world, copies counted.
 */
all_triangles: number, 
/**
 * Instances that were left out.
 */
left_out: number, 
/**
 * What is shown coarser or not at all, in a sentence; none: everything is shown as it is.
 */
sentence: string | null, };

/**
 * A mesh in the columns `position` and `index`; indices count from `first_vertex`.
 */
export type MeshCard = { 
/**
 * Its first row in `position`.
 */
first_vertex: number, 
/**
 * Its rows there.
 */
vertices: number, 
/**
 * Share of its triangles that are left, larger than they are; 1: all of them, as they are.
 */
detail: number, 
/**
 * Its triangles by material.
 */
parts: Array<MeshPart>, };

/**
 * Triangles of one material.
 */
export type MeshPart = { 
/**
 * Number of the material, from 1; 0: none.
 */
material: number, 
/**
 * First row in `index`.
 */
first_index: number, 
/**
 * Rows there, three to a triangle.
 */
indices: number, };

/**
 * What belongs to the block "beams".
 */
export type BeamsExtra = { 
/**
 * Of which sensor.
 */
sensor: number, 
/**
 * Pulses of one frame; fewer may be in the block.
 */
pulses: number, 
/**
 * Full angle of one beam.
 */
divergence_mrad: number | null, };

/**
 * What belongs to the block "moment".
 */
export type MomentExtra = { 
/**
 * When.
 */
time_s: number, 
/**
 * From the platform to the world, relative to `offset_m`.
 */
world_from_platform: [number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number], 
/**
 * From each sensor to the world.
 */
world_from_sensor: Array<[number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number]>, };

/**
 * A scan or an opened recording.
 */
export type Layer = { 
/**
 * Its number, never used again.
 */
id: number, 
/**
 * Its name.
 */
name: string, 
/**
 * What it is.
 */
kind: LayerKind, 
/**
 * How far it is.
 */
state: LayerState, 
/**
 * What is done now, in words.
 */
doing: string, 
/**
 * How much of it is done, 0…1.
 */
share: number, 
/**
 * Why it failed.
 */
problem: Problem | null, 
/**
 * Name of the scenario or of the file.
 */
source: string, 
/**
 * Names of the sensors, by their number.
 */
sensors: Array<string>, 
/**
 * Seed of the scan.
 */
seed: number | null, 
/**
 * From and up to which time.
 */
interval_s: [number, number], 
/**
 * Pulses so far.
 */
pulses: number, 
/**
 * Returns so far; of the file's rows, those with a position.
 */
returns: number, 
/**
 * Rows so far: returns and pulses without one.
 */
rows: number, 
/**
 * Points so far: rows with a position. Points are numbered from 0.
 */
points: number, 
/**
 * To be added to positions to get those of the world.
 */
offset_m: [number, number, number], 
/**
 * Lowest and highest corner of the points, relative to `offset_m`; none: there are none.
 */
bounds_m: [[number, number, number], [number, number, number]] | null, 
/**
 * Columns that mean something in it.
 */
columns: Array<string>, 
/**
 * Whether pulses can be told in detail.
 */
pulses_known: boolean, 
/**
 * Whether the sensor moves.
 */
moving: boolean, 
/**
 * Number of the last scan (frame) of each sensor.
 */
scans: Array<number>, 
/**
 * How long it took on the clock.
 */
seconds: number, 
/**
 * Seconds since the program began at which it was asked for.
 */
asked_s: number, 
/**
 * What deserves a second look, in sentences.
 */
remarks: Array<string>, };

/**
 * What a layer is.
 */
export type LayerKind = "scan" | "recording";

/**
 * How far a layer is.
 */
export type LayerState = "waiting" | "building" | "running" | "done" | "cancelled" | "failed";

/**
 * Starts a scan of the newest valid revision.
 */
export type StartScan = { 
/**
 * Name of the layer; one is made up where nothing is said.
 */
name?: string, 
/**
 * Preset in the place of the sensor with number `sensor` (or of the first).
 */
preset?: string, 
/**
 * The only sensor that fires; all do where nothing is said.
 */
sensor?: number, 
/**
 * Seed; the scenario's where nothing is said.
 */
seed: number, 
/**
 * From and up to which time; the whole run where nothing is said.
 */
interval_s?: [number, number], };

/**
 * Opens a recording of the served folder as a layer.
 */
export type OpenRecording = { 
/**
 * Which file, by its id.
 */
file: string, 
/**
 * Where the sensor was, if the file does not say: x, y, z.
 */
position_m?: [number, number, number], 
/**
 * How it was turned: roll, pitch, yaw.
 */
rotation_deg?: [number, number, number], 
/**
 * Intensity in the file that stands for a white target; 1 where nothing is said.
 */
intensity_full?: number, };

/**
 * Renames a layer.
 */
export type RenameLayer = { 
/**
 * Its new name.
 */
name: string, };

/**
 * What belongs to the block "points".
 */
export type PointsExtra = { 
/**
 * Of which layer.
 */
layer: number, 
/**
 * Number of the first point in the block.
 */
first: number, 
/**
 * Points in the block.
 */
points: number, };

/**
 * What belongs to the block "image": rows are channels by elevation (or elevations, where beams
 * wander), columns are azimuths from left to right.
 */
export type ImageExtra = { 
/**
 * Of which layer.
 */
layer: number, 
/**
 * Of which sensor.
 */
sensor: number, 
/**
 * Of which scan; none: of all, the last pulse in each cell.
 */
scan: number | null, 
/**
 * Columns.
 */
width: number, 
/**
 * Rows.
 */
height: number, 
/**
 * Azimuth at the left edge and at the right edge.
 */
azimuth_deg: [number, number], 
/**
 * Elevation of each row, from the top.
 */
elevation_deg: Array<number>, 
/**
 * Least and largest range in it.
 */
range_m: [number, number], };

/**
 * Everything about one point: what was measured beside what was true.
 */
export type PointRecord = { 
/**
 * Of which layer.
 */
layer: number, 
/**
 * Which point.
 */
point: number, 
/**
 * Row of the records.
 */
row: number, 
/**
 * Where it is, in the world.
 */
xyz_m: [number, number, number], 
/**
 * Where its beam left from, in the world; none: not known.
 */
origin_m: [number, number, number] | null, 
/**
 * All columns that mean something, in the order of files.
 */
fields: Array<Field>, 
/**
 * What the numbers of object, material, class and sensor stand for.
 */
object: string | null, 
/**
 * Its material.
 */
material: string | null, 
/**
 * Its semantic class.
 */
label: string | null, 
/**
 * Its sensor.
 */
sensor: string | null, 
/**
 * Measured minus true range, if both are known.
 */
range_error_m: number | null, };

/**
 * One value of a row.
 */
export type Field = { 
/**
 * Name of the column as in files.
 */
name: string, 
/**
 * What it is.
 */
brief: string, 
/**
 * Its unit.
 */
unit: string, 
/**
 * Whether it is true or measured.
 */
truth: boolean, 
/**
 * The value: a number, or null where there is none (NaN).
 */
value: number | null, };

/**
 * What the numbers of objects and materials of a layer stand for; number 1 is the first.
 */
export type LayerNames = { 
/**
 * Objects.
 */
objects: Array<string>, 
/**
 * Materials.
 */
materials: Array<string>, };

/**
 * What the WebSocket says when something changed.
 */
export type News = { 
/**
 * Layers that changed since the last news; the first news has all.
 */
layers: Array<Layer>, 
/**
 * Layers that are gone.
 */
gone: Array<number>, 
/**
 * Jobs that changed.
 */
jobs: Array<Job>, 
/**
 * Revision of the document.
 */
revision: number, };

/**
 * The account of one pulse.
 */
export type PulseAccount = { 
/**
 * Of which layer.
 */
layer: number, 
/**
 * Name of the sensor.
 */
sensor: string, 
/**
 * Index of the pulse.
 */
pulse: number, 
/**
 * When it was fired.
 */
time_s: number, 
/**
 * By which laser.
 */
channel: number, 
/**
 * Where the beam left, in the world.
 */
origin_m: [number, number, number], 
/**
 * The sub-rays.
 */
sub_rays: Array<SubRay>, 
/**
 * Volumes of learned sites that the rays passed.
 */
volumes: Array<VolumePassed>, 
/**
 * How returns are found, in words.
 */
detector: string, 
/**
 * Least and largest range.
 */
range_m: [number, number], 
/**
 * The light that came back over range, with what the detector made of it.
 */
echo: Echo, 
/**
 * The returns, nearest first.
 */
returns: Array<PulseReturn>, 
/**
 * The same in words, as `understory trace` prints it.
 */
text: string, };

/**
 * One sub-ray.
 */
export type SubRay = { 
/**
 * Its direction in the world.
 */
direction: [number, number, number], 
/**
 * Its share of the light.
 */
weight: number, 
/**
 * What it met.
 */
hits: Array<SubRayHit>, };

/**
 * Where a sub-ray met something.
 */
export type SubRayHit = { 
/**
 * Optical path from where it left.
 */
distance_m: number, 
/**
 * Where it is if the way was straight, in the world.
 */
xyz_m: [number, number, number], 
/**
 * Mirrors, panes and borders on the way.
 */
bounces: number, 
/**
 * Angle to the surface normal; none for what has none.
 */
incidence_deg: number | null, 
/**
 * Reflectance of the material.
 */
reflectance: number, 
/**
 * What came back.
 */
intensity: number, 
/**
 * Name of the object.
 */
object: string, 
/**
 * Name of the material.
 */
material: string, 
/**
 * Whether it is bright enough and within the limits.
 */
counts: boolean, };

/**
 * A volume of a learned site on the way.
 */
export type VolumePassed = { 
/**
 * Name of the site.
 */
site: string, 
/**
 * Number of the volume, from 1.
 */
volume: number, 
/**
 * Where the ray comes nearest to its middle.
 */
range_m: number, 
/**
 * With which probability it stops the ray.
 */
share: number, 
/**
 * Whether it does.
 */
stops: boolean, };

/**
 * The light that came back over range.
 */
export type Echo = { 
/**
 * How it was made: `waveform` (the receiver's samples) or `sub-rays` (each sub-ray's light
 * at its range, as windows of returns are cut from).
 */
kind: EchoKind, 
/**
 * Ranges of the samples.
 */
range_m: Array<number>, 
/**
 * Light at each of them.
 */
signal: Array<number>, 
/**
 * The level that counts, in the same unit; none: there is no single one.
 */
threshold: number | null, 
/**
 * What the signal is in, in words.
 */
unit: string, };

/**
 * How an echo was made.
 */
export type EchoKind = "waveform" | "sub-rays";

/**
 * One return.
 */
export type PulseReturn = { 
/**
 * Its window of ranges.
 */
window_m: [number, number], 
/**
 * What the receiver saw, without the error of ranges.
 */
range_m: number, 
/**
 * With it, in the sensor's step.
 */
measured_m: number, 
/**
 * Its intensity.
 */
intensity: number, 
/**
 * Sub-rays in its window.
 */
sub_rays: Array<number>, 
/**
 * The sub-ray that stands for it in the truth.
 */
truth: number | null, };

/**
 * Compares two layers.
 */
export type CompareLayers = { 
/**
 * The layer that is compared with (the real one).
 */
real: number, 
/**
 * The layer that is judged.
 */
simulated: number, 
/**
 * Size of a bin in range; the comparison's own where nothing is said.
 */
range_bin_m?: number, };

/**
 * How alike two layers are.
 */
export type Compared = { 
/**
 * The layer that was compared with.
 */
real: number, 
/**
 * The layer that was judged.
 */
simulated: number, 
/**
 * The figures that people look at first.
 */
figures: Array<Figure>, 
/**
 * Histograms of both.
 */
histograms: Array<Histogram>, 
/**
 * Everything that `understory compare --json` says; null where it could not compare.
 */
report: unknown, 
/**
 * What deserves a second look, in sentences.
 */
remarks: Array<string>, };

/**
 * One figure.
 */
export type Figure = { 
/**
 * What it is.
 */
name: string, 
/**
 * The figure; none: it does not exist.
 */
value: number | null, 
/**
 * Its unit.
 */
unit: string, 
/**
 * What it means and what is good.
 */
help: string, };

/**
 * How often values occur in both layers, as shares.
 */
export type Histogram = { 
/**
 * What of.
 */
name: string, 
/**
 * Its unit.
 */
unit: string, 
/**
 * Where the first bin begins.
 */
from: number, 
/**
 * How wide bins are.
 */
step: number, 
/**
 * Shares of the layer that was compared with.
 */
real: Array<number>, 
/**
 * Shares of the layer that was judged.
 */
simulated: Array<number>, };

/**
 * What belongs to the block "difference".
 */
export type DifferenceExtra = { 
/**
 * The layer whose points they are.
 */
of: number, 
/**
 * The layer that it was compared with.
 */
to: number, 
/**
 * What a difference is.
 */
kind: DifferenceKind, 
/**
 * Points with a difference.
 */
points: number, };

/**
 * What a difference is.
 */
export type DifferenceKind = "nearest" | "range";

/**
 * Learns a site from a layer and adds a scenario with it to the library.
 */
export type LearnSite = { 
/**
 * The layer.
 */
layer: number, 
/**
 * Name of the scenario; made of the layer's where nothing is said.
 */
name?: string, 
/**
 * What is learned: likelihood (where nothing is said), voxel, top-down, bottom-up, surface.
 */
model?: string, 
/**
 * Edge of the cells; the model's own where nothing is said.
 */
cell_m?: number, 
/**
 * Preset of the sensor that scans the site; that of the layer where nothing is said.
 */
preset?: string, };

/**
 * Long work that is no layer.
 */
export type Job = { 
/**
 * Its number, never used again.
 */
id: number, 
/**
 * What it is, in words.
 */
name: string, 
/**
 * How far it is.
 */
state: JobState, 
/**
 * What is done now, in words.
 */
doing: string, 
/**
 * How much of it is done, 0…1.
 */
share: number, 
/**
 * Why it failed.
 */
problem: Problem | null, 
/**
 * The scenario that it made, by its id.
 */
scenario: string | null, 
/**
 * What was done, as names and values.
 */
facts: Array<[string, string]>, };

/**
 * How far a job is.
 */
export type JobState = "running" | "done" | "cancelled" | "failed";
