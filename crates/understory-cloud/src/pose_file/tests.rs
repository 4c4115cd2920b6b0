use super::*;
use glam::{DMat3, DQuat, DVec3};

fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn refusal(files: &[(&str, &str)], options: &PoseFileOptions) -> String {
    let folder = folder_with(files);
    let error = read_pose_file(&folder.path().join(files[0].0), options).unwrap_err();
    let text = error.to_string();
    assert!(!text.contains('\n'), "{text}");
    text
}

/// Each row: a TUM file, and what the refusal says.
#[test]
fn bad_texts_are_refused_by_line() {
    let good = "0 0 0 0 0 0 0 1\n";
    for (line, expected) in [
        ("0 1 0 0 0 0 0 1", "line 2: time 0 s does not come after 0 s: it repeats the time"),
        ("-1 1 0 0 0 0 0 1", "line 2: time -1 s does not come after 0 s: it is out of order"),
        ("nan 1 0 0 0 0 0 1", "line 2 has \"nan\" as its time"),
        ("inf 1 0 0 0 0 0 1", "line 2 has \"inf\" as its time"),
        ("1 nan 0 0 0 0 0 1", "line 2 has \"nan\" that is no number"),
        ("1 1 0 0 0 0 0 0", "line 2: its quaternion has length 0.0000 instead of 1"),
        ("1 1 0 0 0 0 0 1.02", "line 2: its quaternion has length 1.0200 instead of 1"),
        ("1 1 0 0 0 0 1", "line 2 has 7 values instead of 8"),
    ] {
        let text = format!("{good}{line}\n");
        let refused = refusal(&[("a.tum", &text)], &PoseFileOptions::default());
        assert!(refused.contains(expected) && refused.contains("a.tum"), "{refused}");
    }
    let missing = refusal(&[("a.csv", "time,x,y,z\n0,0,0,0\n,1,0,0\n")], &Default::default());
    assert!(missing.contains("line 3 has \"\" as its time"), "{missing}");
    let partial = refusal(&[("a.csv", "time,x,y,z,qx,qw\n0,0,0,0,0,1\n")], &Default::default());
    assert!(partial.contains("line 1 names 2 of the four columns"), "{partial}");
    let none = refusal(&[("a.csv", "x,y,z\n0,0,0\n")], &Default::default());
    assert!(none.contains("line 1 names no columns time, x, y and z"), "{none}");
    let empty = refusal(&[("a.tum", "# nothing\n")], &Default::default());
    assert!(empty.contains("it has no pose"), "{empty}");
}

#[test]
fn lengths_near_one_are_made_one() {
    let folder = folder_with(&[("a.tum", "0 0 0 0 0 0 0 1.005\n1 0 0 0 0.6 0 0 0.8\n")]);
    let poses = read_pose_file(&folder.path().join("a.tum"), &Default::default()).unwrap();
    assert_eq!(poses.rotations[0], DQuat::IDENTITY);
    assert!((poses.rotations[1].length() - 1.0).abs() < 1e-15);
    assert!(poses.turns && poses.len() == 2);
}

const MATRICES: &str = "1 0 0 0 0 1 0 0 0 0 1 0\n0 -1 0 1 1 0 0 2 0 0 1 3\n";

#[test]
fn matrices_take_their_times_from_the_file_beside_them() {
    let folder =
        folder_with(&[("poses.txt", MATRICES), ("times.txt", "0.0\n0.1\n"), ("t", "5\n6\n")]);
    let path = folder.path().join("poses.txt");
    let poses = read_pose_file(&path, &Default::default()).unwrap();
    assert_eq!(poses.times_s, [0.0, 0.1]);
    assert_eq!(poses.positions_m[1], DVec3::new(1.0, 2.0, 3.0));
    assert!((poses.rotations[1] * DVec3::X - DVec3::Y).length() < 1e-15);
    assert_eq!(read_pose_file(folder.path(), &Default::default()).unwrap(), poses);
    let times = Some(folder.path().join("t"));
    let other = PoseFileOptions { times, ..PoseFileOptions::default() };
    assert_eq!(read_pose_file(&path, &other).unwrap().times_s, [5.0, 6.0]);

    let alone = refusal(&[("poses.txt", MATRICES)], &Default::default());
    assert!(alone.contains("poses without times") && alone.contains("times.txt"), "{alone}");
    let few = refusal(&[("poses.txt", MATRICES), ("times.txt", "0\n")], &Default::default());
    assert!(few.contains("1 times for the 2 poses"), "{few}");
    let same = refusal(&[("poses.txt", MATRICES), ("times.txt", "1\n1\n")], &Default::default());
    assert!(same.contains("pose 2: time 1 s does not come after 1 s"), "{same}");
    let skew = refusal(
        &[("poses.txt", "2 0 0 0 0 1 0 0 0 0 1 0\n"), ("times.txt", "1\n")],
        &Default::default(),
    );
    assert!(skew.contains("line 1 is no rotation and translation"), "{skew}");
}

/// The camera looks along the lidar's x: what it does along its z, the lidar does along x.
#[test]
fn matrices_of_a_camera_become_those_of_the_lidar() {
    let calib = "P0: 1 2 3\nTr: 0 -1 0 0.1 0 0 -1 0.2 1 0 0 0.3\n";
    let forward = "1 0 0 0 0 1 0 0 0 0 1 0\n1 0 0 0 0 1 0 0 0 0 1 7\n";
    let files = [("poses.txt", forward), ("times.txt", "0\n1\n"), ("calib.txt", calib)];
    let folder = folder_with(&files);
    let poses = read_pose_file(folder.path(), &Default::default()).unwrap();
    assert!((poses.positions_m[1] - DVec3::new(7.0, 0.0, 0.0)).length() < 1e-14);
    let turn = DMat3::from_quat(poses.rotations[1]) - DMat3::IDENTITY;
    assert!(turn.to_cols_array().iter().all(|x| x.abs() < 1e-14));
}

#[test]
fn options_that_a_file_cannot_use_are_refused() {
    let topic = PoseFileOptions { topic: Some("/odom".into()), ..PoseFileOptions::default() };
    let refused = refusal(&[("a.tum", "0 0 0 0 0 0 0 1\n")], &topic);
    assert!(refused.contains("needs no `topic`; leave it away"), "{refused}");
    let folder = folder_with(&[("readme", "")]);
    let refused = read_pose_file(folder.path(), &Default::default()).unwrap_err().to_string();
    assert!(refused.contains("neither an .mcap file nor poses.txt"), "{refused}");
}

/// A bag in memory, written by the crate's own writer; other people's writers: `tests/main/bags.rs`.
fn bag(messages: &[(f64, [f64; 7])]) -> Vec<u8> {
    let mut file = std::io::Cursor::new(Vec::new());
    let mut writer = mcap::Writer::new(&mut file).unwrap();
    let schema = writer.add_schema("nav_msgs/msg/Odometry", "ros2msg", b"").unwrap();
    let channel = writer.add_channel(schema, "/odom", "cdr", &Default::default()).unwrap();
    for (sequence, (time_s, pose)) in messages.iter().enumerate() {
        let mut data = vec![0, 1, 0, 0];
        data.extend((time_s.floor() as i32).to_le_bytes());
        data.extend(((time_s.fract() * 1e9).round() as u32).to_le_bytes());
        for text in ["odom", "base"] {
            while !(data.len() - 4).is_multiple_of(4) {
                data.push(0);
            }
            data.extend((text.len() as u32 + 1).to_le_bytes());
            data.extend(text.bytes().chain([0]));
        }
        while !(data.len() - 4).is_multiple_of(8) {
            data.push(0);
        }
        pose.iter().for_each(|value| data.extend(value.to_le_bytes()));
        let header = mcap::records::MessageHeader {
            channel_id: channel,
            sequence: sequence as u32,
            log_time: 0,
            publish_time: 0,
        };
        writer.write_to_known_channel(&header, &data).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    file.into_inner()
}

fn read_bag(bytes: &[u8], options: &PoseFileOptions) -> Result<TimedPoses, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcap");
    std::fs::write(&path, bytes).unwrap();
    read_pose_file(&path, options).map_err(|error| error.to_string())
}

#[test]
fn bad_bags_are_refused() {
    let level = [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0];
    let long = [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 3.0];
    let poses = read_bag(&bag(&[(1.25, level), (2.5, level)]), &Default::default()).unwrap();
    assert_eq!((poses.times_s, poses.positions_m[0].y), (vec![1.25, 2.5], 2.0));
    for (messages, expected) in [
        (vec![(1.0, level), (1.0, level)], "message 2 of /odom: time 1 s does not come after 1 s"),
        (vec![(1.0, level), (0.5, level)], "message 2 of /odom: time 0.5 s does not come"),
        (vec![(1.0, long)], "message 1 of /odom: its quaternion has length 3.0000"),
        (vec![(1.0, [f64::NAN; 7])], "message 1 of /odom: its position is"),
        (vec![], "no topic of it has any"),
    ] {
        let refused = read_bag(&bag(&messages), &Default::default()).unwrap_err();
        assert!(refused.contains(expected), "{refused}");
    }
    let other = PoseFileOptions { topic: Some("/other".into()), ..PoseFileOptions::default() };
    let refused = read_bag(&bag(&[(1.0, level)]), &other).unwrap_err();
    assert!(refused.contains("on \"/other\": it has /odom; name the topic"), "{refused}");
}

/// Whatever byte is damaged and wherever the file ends, there is an answer and no panic.
#[test]
fn damaged_bags_do_no_harm() {
    let whole = bag(&[(1.0, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]); 1]);
    for length in 0..whole.len() {
        assert!(read_bag(&whole[..length], &Default::default()).is_err(), "{length}");
    }
    let mut refused = 0;
    for at in 0..whole.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            refused += usize::from(read_bag(&bytes, &Default::default()).is_err());
        }
    }
    assert!(refused > whole.len(), "{refused}");
}
