//! Animations against positions worked out by hand, and skins against NumPy.

use super::*;
use crate::world::trajectory::Trajectory;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2};
use std::path::PathBuf;

/// A glTF in the making: numbers go into one buffer.
#[derive(Default)]
struct Draft {
    bin: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
}

impl Draft {
    /// Adds an accessor of floats and returns its number.
    fn floats(&mut self, kind: &str, width: usize, values: &[f32]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        let bounds = (kind == "VEC3").then(|| {
            let of = |pick: fn(f32, f32) -> f32| {
                let of = |axis| {
                    values
                        .iter()
                        .skip(axis)
                        .step_by(3)
                        .copied()
                        .filter(|x| x.is_finite())
                        .reduce(pick)
                };
                format!("{:?}", [of(0), of(1), of(2)].map(Option::unwrap_or_default))
            };
            format!(r#","min":{},"max":{}"#, of(f32::min), of(f32::max))
        });
        self.accessor(kind, 5126, values.len() / width, &bytes, &bounds.unwrap_or_default())
    }

    fn accessor(
        &mut self,
        kind: &str,
        component: u32,
        count: usize,
        bytes: &[u8],
        more: &str,
    ) -> usize {
        let (offset, view) = (self.bin.len(), self.views.len());
        self.views
            .push(format!(r#"{{"buffer":0,"byteOffset":{offset},"byteLength":{}}}"#, bytes.len()));
        self.bin.extend(bytes);
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.accessors.push(format!(
            r#"{{"bufferView":{view},"componentType":{component},"count":{count},"type":"{kind}"{more}}}"#
        ));
        view
    }

    /// The file, with these nodes, animations and whatever else.
    fn text(&self, nodes: &str, animations: &str, more: &str) -> String {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
            "nodes":[{nodes}],"animations":[{animations}],{more}
            "accessors":[{}],"bufferViews":[{}],
            "buffers":[{{"byteLength":{},"uri":"a.bin"}}]}}"#,
            self.accessors.join(","),
            self.views.join(","),
            self.bin.len()
        )
    }
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn of(draft: &Draft, text: &str) -> Folder {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.bin"), &draft.bin).unwrap();
        std::fs::write(folder.path().join("a.gltf"), text).unwrap();
        Folder(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("a.gltf")
    }

    fn read(&self, name: Option<&str>, pose_error_m: f64) -> Result<AnimatedMesh, Error> {
        AnimatedMesh::read(&self.path(), None, Some(UpAxis::Z), name, pose_error_m, false)
    }
}

/// Rotations about z by some angles in degrees.
fn about_z(angles_deg: &[f64]) -> Vec<f32> {
    let turn = |deg: &f64| {
        [0.0, 0.0, (deg.to_radians() / 2.0).sin() as f32, (deg.to_radians() / 2.0).cos() as f32]
    };
    angles_deg.iter().flat_map(turn).collect()
}

fn channel(sampler: usize, node: usize, path: &str) -> String {
    format!(r#"{{"sampler":{sampler},"target":{{"node":{node},"path":"{path}"}}}}"#)
}

fn sampler(input: usize, output: usize, interpolation: &str) -> String {
    format!(r#"{{"input":{input},"output":{output},"interpolation":"{interpolation}"}}"#)
}

fn animation(name: &str, channels: &[String], samplers: &[String]) -> String {
    let (channels, samplers) = (channels.join(","), samplers.join(","));
    format!(r#"{{"name":"{name}","channels":[{channels}],"samplers":[{samplers}]}}"#)
}

const TRIANGLE: [f32; 9] = [1.0, 0.0, 0.0, 1.0, 0.1, 0.0, 1.0, 0.0, 0.1];

/// Two bones of 1 m: the first turns up by 90° in a second, the second back as fast, so that it
/// stays level. A triangle hangs on the end of the second by a still node.
fn two_bones() -> (Draft, String) {
    let mut draft = Draft::default();
    let mesh = draft.floats("VEC3", 3, &TRIANGLE);
    let times = draft.floats("SCALAR", 1, &[0.0, 1.0]);
    let up = draft.floats("VEC4", 4, &about_z(&[0.0, 90.0]));
    let back = draft.floats("VEC4", 4, &about_z(&[0.0, -90.0]));
    let nodes = r#"{"children":[1],"name":"upper"},
        {"children":[2],"translation":[1,0,0],"name":"lower"},{"mesh":0}"#;
    let lift = animation(
        "Lift",
        &[channel(0, 0, "rotation"), channel(1, 1, "rotation")],
        &[sampler(times, up, "LINEAR"), sampler(times, back, "LINEAR")],
    );
    let meshes =
        format!(r#""meshes":[{{"primitives":[{{"attributes":{{"POSITION":{mesh}}}}}]}}],"#);
    let text = draft.text(nodes, &lift, &meshes);
    (draft, text)
}

fn track(part: &AnimatedPart) -> Trajectory {
    let Movement::Rigid(knots) = &part.movement else { panic!("{:?}", part.movement) };
    Trajectory::through(knots.clone()).unwrap()
}

#[test]
fn two_bones_are_where_they_were_worked_out() {
    let (draft, text) = two_bones();
    let mesh = Folder::of(&draft, &text).read(Some("Lift"), 0.005).unwrap();
    assert_eq!((mesh.parts.len(), mesh.duration_s), (1, 1.0));
    let (part, track) = (&mesh.parts[0], track(&mesh.parts[0]));
    // By hand: elbow at (cos θ, sin θ), the tip 1 m to the right of it, θ = 90° · t.
    for (time_s, tip) in [
        (0.0, [2.0, 0.0, 0.0]),
        (0.5, [1.0 + FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0]),
        (1.0, [1.0, 1.0, 0.0]),
        (7.0, [1.0, 1.0, 0.0]),
    ] {
        let at = track.pose_at(time_s).to_affine().transform_point3(part.mesh.positions[0]);
        assert!(at.distance(DVec3::from(tip)) < 1e-6, "{time_s}: {at}");
    }
    // And between the knots of the track, for every vertex.
    let mut worst = 0.0f64;
    for step in 0..=5000 {
        let time_s = f64::from(step) / 5000.0;
        let angle = FRAC_PI_2 * time_s;
        let elbow = DVec3::new(angle.cos(), angle.sin(), 0.0);
        for (position, corner) in part.mesh.positions.iter().zip(TRIANGLE.chunks(3)) {
            let wanted = elbow + DVec3::new(corner[0].into(), corner[1].into(), corner[2].into());
            let at = track.pose_at(time_s).to_affine().transform_point3(*position);
            worst = worst.max(at.distance(wanted));
        }
    }
    assert!(worst < TRACK_ERROR_M, "{worst}");
    // With y up and in centimetres, the same moves in another frame.
    let (draft, text) = two_bones();
    let folder = Folder::of(&draft, &text);
    let mesh =
        AnimatedMesh::read(&folder.path(), Some(LengthUnit::Cm), None, None, 0.005, false).unwrap();
    let tip = self::track(&mesh.parts[0]).pose_at(1.0).to_affine();
    let tip = tip.transform_point3(mesh.parts[0].mesh.positions[0]);
    assert!(tip.distance(DVec3::new(0.01, 0.0, 0.01)) < 1e-8, "{tip}");
}

/// A triangle whose node is moved by one channel.
fn one_channel(
    path: &str,
    interpolation: &str,
    times: &[f32],
    kind: &str,
    values: &[f32],
) -> Folder {
    let mut draft = Draft::default();
    let mesh = draft.floats("VEC3", 3, &TRIANGLE);
    let input = draft.floats("SCALAR", 1, times);
    let output = draft.floats(kind, if kind == "VEC4" { 4 } else { 3 }, values);
    let animations =
        animation("A", &[channel(0, 0, path)], &[sampler(input, output, interpolation)]);
    let meshes =
        format!(r#""meshes":[{{"primitives":[{{"attributes":{{"POSITION":{mesh}}}}}]}}],"#);
    Folder::of(&draft, &draft.text(r#"{"mesh":0}"#, &animations, &meshes))
}

#[test]
fn steps_jump_and_cubics_bend() {
    let folder = one_channel(
        "translation",
        "STEP",
        &[0.5, 1.0, 2.0],
        "VEC3",
        &[1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 3.0, 0.0, 0.0],
    );
    let track_of = |folder: &Folder| track(&folder.read(None, 0.005).unwrap().parts[0]);
    let steps = track_of(&folder);
    for (time_s, x) in [(0.0, 1.0), (0.999, 1.0), (1.0, 2.0), (1.999, 2.0), (2.0, 3.0), (9.0, 3.0)]
    {
        assert!((steps.pose_at(time_s).translation.x - x).abs() < 1e-9, "{time_s}");
    }
    // Keys at 0 and 2 s with values 0 and 1 and tangents 0 and 3 per second. At t = 2s the Hermite
    // polynomial is 3s² − 2s³ + 2 · 3 (s³ − s²).
    let zeros = [0.0; 3];
    let values = [zeros, zeros, zeros, [3.0, 0.0, 0.0], [1.0, 0.0, 0.0], zeros].concat();
    let cubic = track_of(&one_channel("translation", "CUBICSPLINE", &[0.0, 2.0], "VEC3", &values));
    for step in 0..=1000 {
        let s = f64::from(step) / 1000.0;
        let wanted = 3.0 * s * s - 2.0 * s * s * s + 6.0 * (s * s * s - s * s);
        let x = cubic.pose_at(2.0 * s).translation.x;
        assert!((x - wanted).abs() < TRACK_ERROR_M, "{s}: {x} {wanted}");
    }
    // Rotations take the shorter way round, whatever the signs of their numbers.
    let mut turns = about_z(&[0.0, 90.0]);
    turns[4..].iter_mut().for_each(|x| *x = -*x);
    let turned = track_of(&one_channel("rotation", "LINEAR", &[0.0, 1.0], "VEC4", &turns));
    let x = turned.pose_at(0.5).rotation * DVec3::X;
    assert!(x.distance(DVec3::new(FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0)) < 1e-6, "{x}");
}

#[test]
fn what_is_scaled_becomes_frames() {
    let values = [1.0, 1.0, 1.0, 3.0, 1.0, 1.0];
    let folder = one_channel("scale", "LINEAR", &[0.0, 1.0], "VEC3", &values);
    let mesh = folder.read(None, 0.01).unwrap();
    let Movement::Frames { frames, step_s } = &mesh.parts[0].movement else { panic!() };
    // The vertices move by 2 m in 1 s: 1 cm within half a step are 100 steps.
    assert!((100..=104).contains(&(frames.len() - 1)), "{}", frames.len());
    for (index, frame) in frames.iter().enumerate() {
        let wanted = 1.0 + 2.0 * index as f64 * step_s;
        assert!((frame[0].x - wanted).abs() < 1e-6);
    }
    let error = folder.read(None, 1e-9).unwrap_err().to_string();
    assert!(error.contains("pose_error_m") && error.contains("frames"), "{error}");
}

/// A bar along x that is bound to two joints, the second of which bends.
fn bar(weights: impl Fn(f32) -> f32) -> Folder {
    let mut draft = Draft::default();
    let (mut positions, mut shares, mut joints) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..12 {
        let x = 0.2 * (i / 2) as f32;
        positions.extend([x, 0.1 * (i % 2) as f32, 0.05 * x]);
        shares.extend([1.0 - weights(x), weights(x), 0.0, 0.0]);
        joints.extend([0u8, 1, 0, 0]);
    }
    let indices: Vec<u8> =
        (0..10u16).flat_map(|i| [i, i + 1, i + 2]).flat_map(u16::to_le_bytes).collect();
    let mesh = draft.floats("VEC3", 3, &positions);
    let shares = draft.floats("VEC4", 4, &shares);
    let joints = draft.accessor("VEC4", 5121, 12, &joints, "");
    let indices = draft.accessor("SCALAR", 5123, 30, &indices, "");
    // The second joint is bound at (0.5, 0, 0); both bind frames are moved by the root's scale.
    let mut bind = vec![0.0f32; 32];
    for joint in 0..2 {
        (0..4).for_each(|axis| bind[16 * joint + 5 * axis] = 1.0);
    }
    bind[16 + 12] = -0.5;
    let bind = draft.floats("MAT4", 16, &bind);
    let times = draft.floats("SCALAR", 1, &[0.0, 0.4, 1.0]);
    let turns = draft.floats("VEC4", 4, &about_z(&[0.0, 60.0, -30.0]));
    let lifts = draft.floats("VEC3", 3, &[0.0, 0.0, 0.0, 0.0, 0.2, 0.0, 0.1, 0.0, 0.3]);
    let nodes = r#"{"children":[1,3],"scale":[2,2,2],"translation":[0,0,1]},{"children":[2]},
        {"translation":[0.5,0,0]},{"mesh":0,"skin":0,"translation":[9,9,9]}"#;
    let bend = animation(
        "Bend",
        &[channel(0, 2, "rotation"), channel(1, 1, "translation")],
        &[sampler(times, turns, "LINEAR"), sampler(times, lifts, "LINEAR")],
    );
    let more = format!(
        r#""skins":[{{"joints":[1,2],"inverseBindMatrices":{bind}}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":{mesh},"JOINTS_0":{joints},
        "WEIGHTS_0":{shares}}},"indices":{indices}}}]}}],"#
    );
    Folder::of(&draft, &draft.text(nodes, &bend, &more))
}

#[test]
fn a_skin_follows_its_joints() {
    // Bound to one joint each, the halves are rigid; by hand at 0.4 s: the second joint is at
    // 2 · (0.5, 0.2, 0) + (0, 0, 1), turned by 60°, and the last vertex is 0.5 beyond it.
    let folder = bar(|x| f32::from(u8::from(x > 0.45)));
    let mesh = folder.read(Some("Bend"), 0.002).unwrap();
    let Movement::Frames { frames, step_s } = &mesh.parts[0].movement else { panic!() };
    let frame = (0.4 / step_s).round();
    let time_s = frame * step_s;
    let share = (time_s - 0.4).max(0.0) / 0.6;
    let angle = (60.0 * (time_s / 0.4).min(1.0) - 90.0 * share).to_radians();
    let along = DVec3::new(angle.cos(), angle.sin(), 0.0) * 0.5 + DVec3::Z * 0.05;
    let lift = DVec3::new(0.1 * share, 0.2 * (time_s / 0.4).min(1.0) - 0.2 * share, 0.3 * share);
    let wanted = (DVec3::new(0.5, 0.0, 0.0) + lift + along) * 2.0 + DVec3::Z;
    let found = frames[frame as usize][10];
    assert!(found.distance(wanted) < 1e-6, "{found} {wanted}");
    // No vertex moves farther within half a step than it may.
    let finer = folder.read(None, 0.0002).unwrap();
    let Movement::Frames { frames: fine, step_s: fine_s } = &finer.parts[0].movement else {
        panic!()
    };
    for (index, positions) in fine.iter().enumerate() {
        let nearest = (index as f64 * fine_s / step_s).round() as usize;
        for (a, b) in positions.iter().zip(&frames[nearest]) {
            assert!(a.distance(*b) < 0.002 * 1.05, "{}", a.distance(*b));
        }
    }
}

/// A second opinion: forward kinematics and blending written in NumPy, from the bytes of the file.
#[test]
fn numpy_bends_the_same_skin() {
    let Ok(python) = std::env::var("UNDERSTORY_PYTHON") else {
        println!("skipped: UNDERSTORY_PYTHON is not set; cargo xtask test sets it");
        return;
    };
    let folder = bar(|x| x * x);
    let mesh = folder.read(None, 0.01).unwrap();
    let Movement::Frames { frames, step_s } = &mesh.parts[0].movement else { panic!() };
    let script = r#"
import json, sys, os, numpy as np
path, count, step = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
g = json.load(open(path)); data = open(os.path.join(os.path.dirname(path), 'a.bin'), 'rb').read()
def acc(i):
    a = g['accessors'][i]; v = g['bufferViews'][a['bufferView']]
    n = {'SCALAR': 1, 'VEC3': 3, 'VEC4': 4, 'MAT4': 16}[a['type']]
    t = {5126: '<f4', 5121: 'u1', 5123: '<u2'}[a['componentType']]
    return np.frombuffer(data, t, a['count'] * n, v.get('byteOffset', 0)).reshape(-1, n).astype(float)
def key(times, values, t, turn):
    i = min(max(np.searchsorted(times, t, 'right') - 1, 0), len(times) - 2)
    s = np.clip((t - times[i]) / (times[i + 1] - times[i]), 0, 1)
    a, b = values[i], values[i + 1]
    if not turn: return a + (b - a) * s
    d = a @ b
    if d < 0: b, d = -b, -d
    w = np.arccos(min(d, 1.0))
    return b if w < 1e-9 else (np.sin((1 - s) * w) * a + np.sin(s * w) * b) / np.sin(w)
def trs(t, q, s):
    x, y, z, w = q / np.linalg.norm(q)
    r = np.array([[1-2*(y*y+z*z), 2*(x*y-z*w), 2*(x*z+y*w)], [2*(x*y+z*w), 1-2*(x*x+z*z), 2*(y*z-x*w)],
                  [2*(x*z-y*w), 2*(y*z+x*w), 1-2*(x*x+y*y)]])
    m = np.eye(4); m[:3, :3] = r * s; m[:3, 3] = t
    return m
an = g['animations'][0]; prim = g['meshes'][0]['primitives'][0]['attributes']; skin = g['skins'][0]
pos, joints, weights = acc(prim['POSITION']), acc(prim['JOINTS_0']).astype(int), acc(prim['WEIGHTS_0'])
bind = acc(skin['inverseBindMatrices']).reshape(-1, 4, 4).transpose(0, 2, 1)
for k in range(count):
    nodes = [dict(translation=np.array(n.get('translation', [0, 0, 0.])), rotation=np.array([0, 0, 0, 1.]),
                  scale=np.array(n.get('scale', [1, 1, 1.]))) for n in g['nodes']]
    for c in an['channels']:
        s = an['samplers'][c['sampler']]; p = c['target']['path']
        nodes[c['target']['node']][p] = key(acc(s['input'])[:, 0], acc(s['output']), k * step, p == 'rotation')
    world = {}
    def visit(i, parent):
        world[i] = parent @ trs(nodes[i]['translation'], nodes[i]['rotation'], nodes[i]['scale'])
        for child in g['nodes'][i].get('children', []): visit(child, world[i])
    visit(0, np.eye(4))
    j = np.stack([world[n] @ bind[i] for i, n in enumerate(skin['joints'])])
    h = np.c_[pos, np.ones(len(pos))]
    for v in np.einsum('vw,vwab,vb->va', weights, j[joints], h)[:, :3]: print(*map(repr, map(float, v)))
"#;
    let mut command = std::process::Command::new(python);
    command.arg("-c").arg(script).arg(folder.path());
    let output = command.args([frames.len().to_string(), step_s.to_string()]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let numbers = String::from_utf8(output.stdout).unwrap();
    let numbers: Vec<f64> = numbers.split_whitespace().map(|x| x.parse().unwrap()).collect();
    assert_eq!(numbers.len(), frames.len() * 12 * 3);
    let mut worst = 0.0f64;
    for (wanted, found) in numbers.chunks(3).zip(frames.iter().flatten()) {
        worst = worst.max(found.distance(DVec3::new(wanted[0], wanted[1], wanted[2])));
    }
    println!("{} frames, largest difference from NumPy {worst:.2e} m", frames.len());
    assert!(worst < 1e-6, "{worst}");
}

#[test]
fn faulty_animations_are_refused_by_name() {
    let three = [0.0; 9];
    for (times, values, words) in [
        (&[][..], &[][..], "no keyframes"),
        (&[0.0, 1.0, 1.0][..], &three[..], "keyframe 2 at 1 s is not after that at 1 s"),
        (&[0.0, 2.0, 1.0][..], &three[..], "not after"),
        (&[0.0, f32::NAN, 1.0][..], &three[..], "keyframe 1 is at NaN s"),
        (&[-1.0, 0.0, 1.0][..], &three[..], "keyframe 0 is at -1 s"),
        (&[0.0, 1.0][..], &three[..], "its 2 keyframes have 3 values"),
        (
            &[0.0, 1.0, 2.0][..],
            &[0., 0., 0., 0., f32::INFINITY, 0., 0., 0., 0.][..],
            "keyframe 1 is no number",
        ),
    ] {
        let folder = one_channel("translation", "LINEAR", times, "VEC3", values);
        let error = folder.read(None, 0.005).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("a.gltf"), "{words:?}: {error}");
        assert!(error.contains("animation \"A\", node 0"), "{error}");
    }
    let folder = one_channel("rotation", "LINEAR", &[0.0], "VEC4", &[0.0, 0.0, 0.0, 2.0]);
    let error = folder.read(None, 0.005).unwrap_err().to_string();
    assert!(error.contains("its length is not 1"), "{error}");

    let (draft, text) = two_bones();
    let refusal = |text: &str, name: Option<&str>| {
        Folder::of(&draft, text).read(name, 0.005).unwrap_err().to_string()
    };
    let error = refusal(&text, Some("Lifd"));
    assert!(error.contains("no animation \"Lifd\"") && error.contains("\"Lift\""), "{error}");
    let lying = text.replacen(r#""count":2"#, r#""count":2000000000"#, 1);
    assert!(refusal(&lying, None).contains("promises 2000000000 values beyond its buffer"));
    let mut still = Draft::default();
    let mesh = still.floats("VEC3", 3, &TRIANGLE);
    let meshes =
        format!(r#""meshes":[{{"primitives":[{{"attributes":{{"POSITION":{mesh}}}}}]}}],"#);
    let folder = Folder::of(&still, &still.text(r#"{"mesh":0}"#, "", &meshes));
    let error = folder.read(None, 0.005).unwrap_err().to_string();
    assert!(error.contains("the file has no animation"), "{error}");
    let weights = text.replace("\"path\":\"rotation\"", "\"path\":\"weights\"");
    let error = refusal(&weights, None);
    assert!(error.contains("no keyframes that move a node"), "{error}");
    let folder = bar(|_| 0.0);
    let text = std::fs::read_to_string(folder.path()).unwrap();
    std::fs::write(folder.path(), text.replace("\"joints\":[1,2]", "\"joints\":[]")).unwrap();
    assert!(folder.read(None, 0.005).is_err());
    std::fs::write(folder.path(), text.replace("\"joints\":[1,2]", "\"joints\":[1,2,2]")).unwrap();
    let error = folder.read(None, 0.005).unwrap_err().to_string();
    assert!(error.contains("2 inverse bind matrices for 3 joints"), "{error}");
}
