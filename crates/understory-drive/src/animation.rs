//! A drive as an animated GIF: the map from above, and what a camera behind the vehicle sees.
//!
//! What enters: a drive that kept its frames. What leaves: one picture a period, at the pace of the
//! simulated time. From above: the map as it grew. From behind: the very scene that the lidar sees,
//! by [`understory_view::render`].

use std::io::{self, Write};

use understory::Error;
use understory_view::render::{Camera, Lights, RenderOptions, render};

use crate::drive::Drive;
use crate::path::Path;
use crate::picture::{Drawn, MapPicture};

/// Which way a drive is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The map, north up.
    Above,
    /// Behind the vehicle.
    Behind,
}

/// Size of the picture from behind.
const BEHIND: [u32; 2] = [320, 180];
/// Where it believes the driver's eyes, above the ground.
const EYES_M: f64 = 1.5;

/// Writes a GIF of all frames. Colours are reduced to 256 for each picture.
pub fn write_gif(drive: &Drive, view: View, file: impl Write) -> Result<(), Error> {
    let mut pictures = frames(drive, view).peekable();
    let size = match pictures.peek() {
        Some(Ok(first)) => first.size.map(|side| u16::try_from(side).unwrap_or(u16::MAX)),
        Some(Err(_)) => [1; 2],
        None => return Err(nothing()),
    };
    let unwritten = |error: gif::EncodingError| {
        let error = io::Error::other(error.to_string());
        Error::Cloud(understory_cloud::CloudError::Write { path: "animation".into(), error })
    };
    let mut encoder = gif::Encoder::new(file, size[0], size[1], &[]).map_err(unwritten)?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(unwritten)?;
    for picture in pictures {
        let mut frame = gif::Frame::from_rgb_speed(size[0], size[1], &picture?.rgb, 10);
        frame.delay = (drive.spec.period_s * 100.0).round().clamp(2.0, 6000.0) as u16;
        encoder.write_frame(&frame).map_err(unwritten)?;
    }
    Ok(())
}

/// All frames as pictures, each drawn when it is asked for.
pub fn frames(drive: &Drive, view: View) -> impl Iterator<Item = Result<MapPicture, Error>> + '_ {
    let driven = drive.driven();
    drive.frames.iter().map(move |frame| match view {
        View::Above => {
            let until = driven.partition_point(|(time_s, _)| *time_s <= frame.time_s);
            let way = driven[..until].iter().map(|(_, p)| [p.translation.x, p.translation.y]);
            let size = drive.spec.vehicle.size_m;
            let drawn = Drawn {
                grid: drive.map.grid,
                costs: &frame.costs,
                planned: &frame.path,
                driven: &Path { points_m: way.collect() },
                best: None,
                vehicle: (frame.pose, [size[0], size[1]]),
                goal: (drive.spec.goal_m, drive.spec.goal_radius_m),
            };
            Ok(MapPicture::draw(&drawn, (400 / drive.map.grid.side as u32).max(1)))
        }
        View::Behind => {
            let mut pose = frame.pose;
            pose.translation.z += EYES_M;
            let camera = Camera::behind(&drive.run().scene, &pose, 60.0, BEHIND)?;
            let lights = Lights { occlusion: false, ..Lights::default() };
            let time_s = frame.time_s;
            let options = RenderOptions { samples: 1, time_s, ..RenderOptions::default() };
            let picture = render(&drive.run().scene, &camera, &lights, &options)?;
            Ok(MapPicture { size: picture.size, rgb: picture.rgb })
        }
    })
}

fn nothing() -> Error {
    Error::invalid(
        "animation",
        "the drive has kept no frames",
        "set `keep_frames` before it starts",
    )
}
