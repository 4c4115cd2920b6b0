//! One file per verb.

pub mod check;
pub mod compare;
pub mod convert;
pub mod demo;
pub mod drive;
pub mod export;
pub mod film;
pub mod fit_error;
pub mod import_helios;
pub mod info;
pub mod join;
pub mod learn;
pub mod pack;
pub mod motion;
pub mod register;
pub mod render;
pub mod play;
pub mod reproduce;
pub mod run;
pub mod scenarios;
pub mod schema;
pub mod sensors;
pub mod site;
pub mod studio;
pub mod trace;
