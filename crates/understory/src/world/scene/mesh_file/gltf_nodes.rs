//! Nodes of a glTF that move: one animation as a function of time.
//!
//! What enters: the nodes of a scene and the channels of an animation. What leaves: where every
//! node is at any time, by the interpolations of glTF 2.0, appendix C: STEP, LINEAR (rotations
//! along the shorter arc) and CUBICSPLINE.

use super::affine;
use super::gltf_accessor::{Buffer, check_accessor, refuse};
use crate::Error;
use glam::{DAffine3, DQuat, DVec3, DVec4};
use gltf::Gltf;
use gltf::accessor::{DataType, Dimensions};
use gltf::animation::util::ReadOutputs;
use gltf::animation::{Interpolation, Property};
use std::path::Path;
use understory_files::hint::word_remedy;

/// The nodes of a scene under one animation.
pub struct MovingNodes {
    /// Indices of the nodes of the scene with those of their parents, which come first.
    pub order: Vec<(usize, Option<usize>)>,
    rest: Vec<Rest>,
    /// For each node, its channels.
    channels: Vec<Vec<Channel>>,
    /// Time of the last key; every animation starts at 0.
    pub duration_s: f64,
}

/// A node where no channel says otherwise.
struct Rest {
    matrix: DAffine3,
    translation: DVec3,
    rotation: DQuat,
    scale: DVec3,
}

struct Channel {
    property: Property,
    interpolation: Interpolation,
    times_s: Vec<f64>,
    /// One per key, or three of a cubic spline: incoming tangent, value, outgoing tangent.
    values: Vec<DVec4>,
}

impl MovingNodes {
    /// Takes the nodes of the default scene, moved by an animation: that of a name, or the first.
    pub fn new(
        path: &Path,
        gltf: &Gltf,
        buffers: &[Buffer],
        name: Option<&str>,
    ) -> Result<MovingNodes, Error> {
        let animations: Vec<_> = gltf.document.animations().collect();
        if animations.is_empty() {
            let problem = "the file has no animation".into();
            return Err(refuse(path, problem, "export it with one, or leave out `animation`"));
        }
        let names: Vec<&str> = animations.iter().map(|a| a.name().unwrap_or_default()).collect();
        let index = match name {
            None => 0,
            Some(name) => names.iter().position(|known| *known == name).ok_or_else(|| {
                let problem = format!("the file has no animation {name:?}");
                Error::invalid(path.display(), problem, word_remedy(name, &names))
            })?,
        };
        let animation = &animations[index];
        let title = match names[index] {
            "" => format!("animation {index}"),
            name => format!("animation {name:?}"),
        };
        let rest = gltf.document.nodes().map(|node| {
            let (translation, rotation, scale) = node.transform().decomposed();
            Rest {
                matrix: affine(node.transform().matrix()),
                translation: vec3(translation),
                rotation: quaternion(rotation.map(f64::from).into()),
                scale: vec3(scale),
            }
        });
        let mut nodes = MovingNodes {
            order: node_order(path, gltf)?,
            rest: rest.collect(),
            channels: gltf.document.nodes().map(|_| Vec::new()).collect(),
            duration_s: 0.0,
        };
        let mut keys = 0;
        for channel in animation.channels() {
            let property = channel.target().property();
            if property == Property::MorphTargetWeights {
                tracing::warn!("{}: {title}: morph targets stay at rest", path.display());
                continue;
            }
            let read = read_channel(path, &title, &channel, buffers, property)?;
            keys += read.times_s.len();
            nodes.duration_s = read.times_s.last().copied().unwrap_or(0.0).max(nodes.duration_s);
            nodes.channels[channel.target().node().index()].push(read);
        }
        if keys == 0 {
            let problem = format!("{title} has no keyframes that move a node");
            return Err(refuse(path, problem, "choose another one, or leave out `animation`"));
        }
        Ok(nodes)
    }

    /// Whether a channel moves this node itself.
    pub fn is_driven(&self, node: usize) -> bool {
        self.channels.get(node).is_some_and(|channels| !channels.is_empty())
    }

    /// `scene_from_node` of every node at a time; those outside of the scene are left where they
    /// were.
    pub fn place(&self, time_s: f64, scene_from_node: &mut Vec<DAffine3>) {
        scene_from_node.resize(self.rest.len(), DAffine3::IDENTITY);
        for &(node, parent) in &self.order {
            let parent = parent.map_or(DAffine3::IDENTITY, |parent| scene_from_node[parent]);
            scene_from_node[node] = parent * self.parent_from_node(node, time_s);
        }
    }

    fn parent_from_node(&self, node: usize, time_s: f64) -> DAffine3 {
        let (rest, channels) = (&self.rest[node], &self.channels[node]);
        if channels.is_empty() {
            return rest.matrix;
        }
        let (mut scale, mut rotation, mut translation) =
            (rest.scale, rest.rotation, rest.translation);
        for channel in channels {
            let value = channel.at(time_s);
            match channel.property {
                Property::Translation => translation = value.truncate(),
                Property::Scale => scale = value.truncate(),
                Property::Rotation => rotation = quaternion(value),
                Property::MorphTargetWeights => {}
            }
        }
        DAffine3::from_scale_rotation_translation(scale, rotation, translation)
    }

    /// Times from 0 to the end between which all nodes move smoothly. Where a value jumps, there
    /// are two times, [`JUMP_S`] apart.
    pub fn smooth_from_s(&self) -> Vec<f64> {
        let mut times = vec![0.0, self.duration_s];
        for channel in self.channels.iter().flatten() {
            times.extend(&channel.times_s);
            if channel.interpolation == Interpolation::Step {
                times.extend(channel.times_s.iter().map(|time_s| time_s - JUMP_S));
            }
        }
        times.retain(|time_s| (0.0..=self.duration_s).contains(time_s));
        times.sort_by(f64::total_cmp);
        times.dedup_by(|b, a| *b - *a < 0.5 * JUMP_S);
        times
    }
}

/// A value that jumps does so within this time.
pub const JUMP_S: f64 = 1e-6;

impl Channel {
    fn at(&self, time_s: f64) -> DVec4 {
        let cubic = self.interpolation == Interpolation::CubicSpline;
        let value = |key: usize| self.values[if cubic { 3 * key + 1 } else { key }];
        let next = self.times_s.partition_point(|time| *time <= time_s);
        let last = self.times_s.len() - 1;
        if next == 0 || next > last {
            return value(if next == 0 { 0 } else { last });
        }
        let (before, seconds) = (next - 1, self.times_s[next] - self.times_s[next - 1]);
        let share = (time_s - self.times_s[before]) / seconds;
        match self.interpolation {
            Interpolation::Step => value(before),
            Interpolation::Linear if self.property == Property::Rotation => {
                let (from, to) = (quaternion(value(before)), quaternion(value(next)));
                let to = if from.dot(to) < 0.0 { -to } else { to };
                DVec4::from(from.slerp(to, share))
            }
            Interpolation::Linear => value(before).lerp(value(next), share),
            Interpolation::CubicSpline => {
                let (t, t2, t3) = (share, share * share, share * share * share);
                let out = self.values[3 * before + 2] * seconds;
                let into = self.values[3 * next] * seconds;
                value(before) * (2.0 * t3 - 3.0 * t2 + 1.0)
                    + out * (t3 - 2.0 * t2 + t)
                    + value(next) * (3.0 * t2 - 2.0 * t3)
                    + into * (t3 - t2)
            }
        }
    }
}

/// The nodes of the scene in the file's order, parents before their children.
pub fn node_order(path: &Path, gltf: &Gltf) -> Result<Vec<(usize, Option<usize>)>, Error> {
    let scene = gltf.document.default_scene().or_else(|| gltf.document.scenes().next());
    let mut waiting: Vec<(gltf::Node, Option<usize>)> = match scene {
        Some(scene) => scene.nodes().map(|node| (node, None)).collect(),
        None => gltf.document.nodes().map(|node| (node, None)).collect(),
    };
    waiting.reverse();
    let mut seen = vec![false; gltf.document.nodes().len()];
    let mut order = Vec::new();
    while let Some((node, parent)) = waiting.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            let problem = format!("node {} is reached twice", node.index());
            return Err(refuse(path, problem, "make its nodes a tree"));
        }
        order.push((node.index(), parent));
        let first = waiting.len();
        waiting.extend(node.children().map(|child| (child, Some(node.index()))));
        waiting[first..].reverse();
    }
    Ok(order)
}

fn read_channel(
    path: &Path,
    title: &str,
    channel: &gltf::animation::Channel,
    buffers: &[Buffer],
    property: Property,
) -> Result<Channel, Error> {
    let node = channel.target().node();
    let here = match node.name() {
        Some(name) => format!("{title}, node {name:?}"),
        None => format!("{title}, node {}", node.index()),
    };
    let bad = |problem: String| Err(refuse(path, format!("{here}: {problem}"), "export it again"));
    let (input, output) = (channel.sampler().input(), channel.sampler().output());
    if input.count() == 0 {
        return bad("it has no keyframes".into());
    }
    let seconds = input.data_type() == DataType::F32 && input.dimensions() == Dimensions::Scalar;
    check_accessor(path, &input, buffers, seconds, "times as floats")?;
    let float = output.data_type() == DataType::F32;
    let right = match property {
        Property::Rotation => {
            output.dimensions() == Dimensions::Vec4 && output.data_type() != DataType::U32
        }
        _ => output.dimensions() == Dimensions::Vec3 && float,
    };
    check_accessor(path, &output, buffers, right, "values of this kind")?;
    let interpolation = channel.sampler().interpolation();
    let per_key = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    let (keys, values) = (input.count(), output.count());
    if keys.checked_mul(per_key) != Some(values) {
        return bad(format!("its {keys} keyframes have {values} values"));
    }
    let reader =
        channel.reader(|buffer| buffers.get(buffer.index()).map(|buffer| buffer.as_slice()));
    let times_s: Vec<f64> = reader.read_inputs().into_iter().flatten().map(f64::from).collect();
    let wide = |v: [f32; 3]| DVec4::new(v[0].into(), v[1].into(), v[2].into(), 0.0);
    let values: Vec<DVec4> = match reader.read_outputs() {
        Some(ReadOutputs::Translations(values)) | Some(ReadOutputs::Scales(values)) => {
            values.map(wide).collect()
        }
        Some(ReadOutputs::Rotations(values)) => {
            values.into_f32().map(|q| DVec4::from(q.map(f64::from))).collect()
        }
        _ => Vec::new(),
    };
    if times_s.len() != keys || values.len() != keys * per_key {
        return bad("its keyframes cannot be read".into());
    }
    if let Some(key) = times_s.iter().position(|time| !(0.0..=1e9).contains(time)) {
        return bad(format!("keyframe {key} is at {} s", times_s[key]));
    }
    if let Some(key) = times_s.windows(2).position(|pair| pair[1] <= pair[0]) {
        let (at, before) = (times_s[key + 1], times_s[key]);
        return bad(format!("keyframe {} at {at} s is not after that at {before} s", key + 1));
    }
    let of_key = |index: usize| index / per_key;
    if let Some(index) = values.iter().position(|value| !value.is_finite()) {
        return bad(format!("keyframe {} is no number", of_key(index)));
    }
    let is_value = |index: usize| per_key == 1 || index % 3 == 1;
    let rotation = property == Property::Rotation;
    let unit = |value: &DVec4| (0.99..1.01).contains(&value.length());
    let odd = values.iter().enumerate().position(|(i, v)| rotation && is_value(i) && !unit(v));
    if let Some(index) = odd {
        return bad(format!("keyframe {} is no rotation: its length is not 1", of_key(index)));
    }
    Ok(Channel { property, interpolation, times_s, values })
}

/// A rotation, whatever its length.
fn quaternion(value: DVec4) -> DQuat {
    match value.try_normalize() {
        Some(unit) => DQuat::from_vec4(unit),
        None => DQuat::IDENTITY,
    }
}

fn vec3(v: [f32; 3]) -> DVec3 {
    DVec3::new(v[0].into(), v[1].into(), v[2].into())
}
