//! The simulator from scenarios to records, against closed forms and against itself.

#![allow(clippy::disallowed_methods)]

mod blooming;
mod ground;
mod learned_site;
mod light_paths;
mod motion;
mod moving_scene;
mod named_errors;
mod near_collision;
mod phase_camera;
mod checkpoint;
mod pulse_path;
mod scenario_run;
mod survey;
mod waveform;
mod weather;
